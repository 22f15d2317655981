/* The states of a scan with one for each key: scalars in a column for all keys, arrays in a block for each. */
#include "sched/run/keyed_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

wadi_status wadi_states_no_memory(const wadi_states *k, wadi_error *err) {
    return wadi_fail_at(err, k->place->loc, WADI_MEMORY, "%s: out of memory", k->place->op);
}

/* ---- arrays ---- */

int64_t wadi_states_bytes_of(const wadi_plan_slot *t, const int64_t *shape) {
    int64_t bytes = 0;
    for (int f = 0; f < t->fields; f++)
        bytes += wadi_shape_values(t->rank, shape) * wadi_type_size(t->type[f]);
    return bytes;
}

bool wadi_states_is_of(const wadi_chunk_component *c, const wadi_plan_slot *t) {
    bool fits = c->rank == t->rank && c->fields == t->fields;
    for (int f = 0; f < t->fields && fits; f++) fits = c->type[f] == t->type[f];
    return fits;
}

/* A chunk's component with this array as its only element. */
static wadi_chunk_component described(const wadi_plan_slot *t, const int64_t *shape, char *block) {
    wadi_chunk_component c = {.layout = WADI_LAYOUT_REGULAR, .rank = t->rank, .fields = t->fields};
    memcpy(c.type, t->type, sizeof c.type);
    for (int d = 0; d < t->rank; d++) c.shape[d] = shape[d];
    c.values = wadi_shape_values(t->rank, shape);
    for (int f = 0; f < t->fields; f++) {
        c.column[f] = block;
        block += c.values * wadi_type_size(t->type[f]);
    }
    return c;
}

/* State i of a key, as a component with one element. */
wadi_chunk_component wadi_states_of(const wadi_states *k, int i, int64_t key) {
    const wadi_states_all *a = &k->state[i];
    if (a->type->rank > 0) {
        const wadi_states_one *is = a->array[key].block != NULL ? &a->array[key] : &a->first;
        return described(a->type, is->shape, is->block);
    }
    wadi_chunk_component c = described(a->type, NULL, NULL);
    for (int f = 0; f < c.fields; f++) c.column[f] = a->column[f] + key * wadi_type_size(c.type[f]);
    return c;
}

/* The slot's array, in memory of its own. */
static wadi_status copied(const wadi_states *k, const wadi_slots *s, int slot,
                          const wadi_plan_slot *t, wadi_states_one *out, wadi_error *err) {
    const int64_t *shape = s->slot[slot].shape;
    const int64_t bytes = wadi_states_bytes_of(t, shape);
    out->block = malloc((size_t)bytes + 1);
    if (out->block == NULL) return wadi_states_no_memory(k, err);
    for (int d = 0; d < t->rank; d++) out->shape[d] = shape[d];
    const wadi_chunk_component c = described(t, shape, out->block);
    for (int f = 0; f < t->fields; f++)
        wadi_residence_get_column(s->residence, c.column[f], s->slot[slot].col[f],
                                  c.values * wadi_type_size(t->type[f]));
    const wadi_status status = wadi_residence_check(s->residence, err);
    if (status != WADI_OK) {
        free(out->block);
        out->block = NULL;
    }
    return status;
}

/* ---- room ---- */

/* A value of 16 bytes. */
typedef struct pair {
    uint64_t half[2];
} pair;

static bool grow(void *at, int64_t count, int64_t size) {
    void *grown = realloc(*(void **)at, (size_t)(count * size));
    if (grown != NULL) *(void **)at = grown;
    return grown != NULL;
}

static bool more_rows(wadi_states *k, int64_t room) {
    bool made = k->lends || grow(&k->local, room, (int64_t)sizeof *k->local);
    for (int i = 0; i < k->nstate && made; i++) {
        wadi_states_all *a = &k->state[i];
        if (a->type->rank > 0) made = grow(&a->array, room, (int64_t)sizeof *a->array);
        for (int f = 0; a->type->rank == 0 && f < a->type->fields && made; f++)
            made = grow(&a->column[f], room, wadi_type_size(a->type->type[f]));
    }
    return made;
}

#define FILL(type)                                           \
    {                                                        \
        type x;                                              \
        memcpy(&x, value, sizeof x);                         \
        for (int64_t i = 0; i < n; i++) ((type *)to)[i] = x; \
    }

/* n values, each of them this one, which is a field in a block and stands anywhere. */
static void fill(int size, void *to, int64_t n, const void *value) {
    switch (size) {
    case 1:
        FILL(uint8_t)
        return;
    case 2:
        FILL(uint16_t)
        return;
    case 4:
        FILL(uint32_t)
        return;
    case 8:
        FILL(uint64_t)
        return;
    default:
        FILL(pair)
    }
}

/* Keys [from, to) have the first state. */
static void give_first(wadi_states_all *a, int64_t from, int64_t to) {
    const wadi_chunk_component first = described(a->type, a->first.shape, a->first.block);
    for (int64_t n = from; a->type->rank > 0 && n < to; n++) a->array[n].block = NULL;
    for (int f = 0; a->type->rank == 0 && f < first.fields; f++) {
        const int size = wadi_type_size(first.type[f]);
        fill(size, a->column[f] + from * size, to - from, first.column[f]);
    }
}

/* Gives every key that has none a state: the first one. */
bool wadi_states_begin_keys(wadi_states *k) {
    if (k->keys.n > k->room) {
        if (!more_rows(k, k->keys.room)) return false;
        k->room = k->keys.room;
    }
    for (int64_t n = k->n; n < k->keys.n && !k->lends; n++) k->local[n] = 0;
    for (int i = 0; i < k->nstate; i++) give_first(&k->state[i], k->n, k->keys.n);
    k->n = k->keys.n;
    return true;
}

wadi_status wadi_states_check_memory(const wadi_states *k, wadi_error *err) {
    const int64_t bytes = wadi_keys_bytes(&k->keys) + k->room * k->each + k->bytes;
    if (bytes <= k->memory) return WADI_OK;
    return wadi_fail_at(err, k->place->loc, WADI_MEMORY,
                        "%s: the states of %lld keys take %lld bytes, more than the memory allowed",
                        k->place->op, (long long)k->keys.n, (long long)bytes);
}

static bool room_for_elements(wadi_states *k, int64_t count) {
    if (count <= k->elements) return true;
    if (!grow(&k->number, count, (int64_t)sizeof *k->number) ||
        (k->fold->carried && !grow(&k->said, count, (int64_t)sizeof *k->said)) ||
        (!k->lends && !grow(&k->touched, count, (int64_t)sizeof *k->touched)))
        return false;
    k->elements = count;
    return true;
}

/* ---- keys ---- */

#define WORDS(type) \
    for (int64_t s = 0; s < n; s++, to += step) *to = (uint64_t)(int64_t)((const type *)column)[s]

void wadi_states_words(wadi_type t, const void *column, int64_t n, int step, uint64_t *to) {
    switch (t) {
    case WADI_I8:
        WORDS(int8_t);
        return;
    case WADI_I16:
        WORDS(int16_t);
        return;
    case WADI_I32:
        WORDS(int32_t);
        return;
    case WADI_U8:
        WORDS(uint8_t);
        return;
    case WADI_U16:
        WORDS(uint16_t);
        return;
    case WADI_U32:
        WORDS(uint32_t);
        return;
    default:
        WORDS(uint64_t);
    }
}

enum { KEYS_AT_ONCE = 256 };

static bool number_some(wadi_states *k, const wadi_chunk_component *c, int64_t from, int64_t n) {
    uint64_t key[KEYS_AT_ONCE * WADI_MAX_FIELDS];
    for (int f = 0; f < c->fields; f++) {
        const char *column = (const char *)c->column[f] + from * wadi_type_size(c->type[f]);
        wadi_states_words(c->type[f], column, n, c->fields, key + f);
    }
    return wadi_keys_number_all(&k->keys, n, key, k->number + from);
}

/* The numbers of n keys of the component. */
static bool number_keys(wadi_states *k, const wadi_chunk_component *c, int64_t n) {
    if (c->fields == 1 && wadi_type_size(c->type[0]) == (int)sizeof(uint64_t))
        return wadi_keys_number_all(&k->keys, n, c->column[0], k->number);
    for (int64_t s = 0; s < n; s += KEYS_AT_ONCE)
        if (!number_some(k, c, s, n - s < KEYS_AT_ONCE ? n - s : KEYS_AT_ONCE)) return false;
    return true;
}

wadi_status wadi_states_begin(wadi_states *k, wadi_chunk *c, wadi_error *err) {
    const int last = c->components - 1;
    WADI_TRY(wadi_chunk_spread(c, last, err));
    const wadi_chunk_component *key = &c->component[last];
    WADI_ASSERT(key->rank == 0 && k->keys.words == key->fields);
    k->before = k->n;
    if (!room_for_elements(k, c->count) || !number_keys(k, key, c->count) ||
        !wadi_states_begin_keys(k))
        return wadi_states_no_memory(k, err);
    k->count = c->count;
    return wadi_states_check_memory(k, err);
}

/* ---- tables ---- */

#define MOVE(type)                                          \
    for (int64_t i = 0; i < n; i++) {                       \
        if (back)                                           \
            ((type *)all)[at[i]] = ((const type *)some)[i]; \
        else                                                \
            ((type *)some)[i] = ((const type *)all)[at[i]]; \
    }

void wadi_states_move(int size, void *all, const int64_t *at, int64_t n, void *some, bool back) {
    switch (size) {
    case 1:
        MOVE(uint8_t);
        return;
    case 2:
        MOVE(uint16_t);
        return;
    case 4:
        MOVE(uint32_t);
        return;
    case 8:
        MOVE(uint64_t);
        return;
    default:
        MOVE(pair);
    }
}

/* Lists the keys of the chunk; elements get their numbers in that list. A number in `local` is good if that entry of the list is the key. */
static void touch(wadi_states *k) {
    k->ntouched = 0;
    for (int64_t s = 0; s < k->count; s++) {
        const int64_t key = k->number[s], at = k->local[key];
        if (at >= k->ntouched || k->touched[at] != key) {
            k->local[key] = k->ntouched;
            k->touched[k->ntouched++] = key;
        }
        k->number[s] = k->local[key];
    }
}

/* Whether keys change from element to element sometimes and sometimes not, as far as some pairs tell. */
static bool take_turns(const wadi_states *k) {
    enum { PAIRS = 128, SELDOM = PAIRS / 16 };
    const int64_t apart = k->count / PAIRS;
    int changes = 0;
    if (apart < 2) return false;
    for (int64_t i = 1; i <= PAIRS; i++)
        changes += k->number[i * apart - 1] != k->number[i * apart - 2];
    return changes >= SELDOM && changes <= PAIRS - SELDOM;
}

/* The kernel holds a state until a number differs from the one before (codegen/kernel/carry.c). Where keys take turns, numbers n and -1 - n do, so that nothing is guessed. */
static int64_t *say(wadi_states *k) {
    if (!take_turns(k)) return k->number;
    for (int64_t s = 0; s < k->count; s++)
        k->said[s] = s % 2 != 0 ? -1 - k->number[s] : k->number[s];
    return k->said;
}

static wadi_status bind_numbers(wadi_states *k, wadi_crew *w, wadi_error *err) {
    const wadi_chunk_component numbers = {.layout = WADI_LAYOUT_REGULAR,
                                          .fields = 1,
                                          .type = {WADI_I64},
                                          .values = k->count,
                                          .column = {say(k)}};
    int64_t bad = 0;
    return wadi_slots_bind_component(w->slots, k->fold->number, &numbers, k->count, &bad, err);
}

/* ---- tables that are lent ---- */

/* Copies what the chunk may change of a column to `was`, or back. Of a key with several elements there are several copies, which are the same. */
static void keep(wadi_states *k, int size, void *column, void *was, bool back) {
    const size_t bytes = (size_t)(k->before * size);
    if (!k->whole)
        wadi_states_move(size, column, k->number, k->count, was, back);
    else if (bytes > 0)
        memcpy(back ? column : was, back ? was : column, bytes);
}

/* Copies of all columns stand one behind the other, each at a multiple of its largest type. Returns how many bytes they take; back: as keep. */
static int64_t keep_all(wadi_states *k, bool copies, bool back) {
    const int64_t rows = k->whole ? k->before : k->count, unit = (int64_t)sizeof(pair);
    int64_t at = 0;
    for (int i = 0; i < k->nstate; i++) {
        const wadi_states_all *a = &k->state[i];
        for (int f = 0; f < a->type->fields; f++) {
            const int size = wadi_type_size(a->type->type[f]);
            if (copies) keep(k, size, a->column[f], k->was + at, back);
            at += (rows * size + unit - 1) / unit * unit;
        }
    }
    return at;
}

static wadi_status lend(wadi_states *k, wadi_slots *s, wadi_error *err) {
    k->whole = k->before <= k->count;
    const int64_t bytes = keep_all(k, false, false);
    if (bytes > k->was_bytes) {
        if (!grow(&k->was, bytes, 1)) return wadi_states_no_memory(k, err);
        k->was_bytes = bytes;
    }
    (void)keep_all(k, true, false);
    k->lent = true;
    for (int i = 0; i < k->nstate; i++) {
        const int slot = k->fold->state_in[i];
        const wadi_states_all *a = &k->state[i];
        wadi_slots_clear(s, slot);
        if (!wadi_slots_room_for_shapes(s, slot, 1)) return wadi_states_no_memory(k, err);
        s->slot[slot].shape[0] = k->n;
        for (int f = 0; f < a->type->fields; f++) s->slot[slot].col[f] = a->column[f];
    }
    return WADI_OK;
}

/* What a chunk has made of states is not kept. */
static void take_back(wadi_states *k) {
    if (k->lent) (void)keep_all(k, true, true);
    k->lent = false;
}

static wadi_status gather(wadi_states *k, wadi_slots *s, wadi_error *err) {
    touch(k);
    if (k->gathered_bytes < k->ntouched * (int64_t)sizeof(pair)) {
        if (!grow(&k->gathered, k->ntouched, (int64_t)sizeof(pair)))
            return wadi_states_no_memory(k, err);
        k->gathered_bytes = k->ntouched * (int64_t)sizeof(pair);
    }
    for (int i = 0; i < k->nstate; i++) {
        const int slot = k->fold->state_in[i];
        wadi_states_all *a = &k->state[i];
        wadi_slots_clear(s, slot);
        if (!wadi_slots_room_for_shapes(s, slot, 1)) return wadi_states_no_memory(k, err);
        s->slot[slot].shape[0] = k->ntouched;
        if (!wadi_slots_room_for_columns(s, slot, k->ntouched))
            return wadi_states_no_memory(k, err);
        for (int f = 0; f < a->type->fields; f++) {
            const int size = wadi_type_size(a->type->type[f]);
            wadi_states_move(size, a->column[f], k->touched, k->ntouched, k->gathered, false);
            wadi_residence_put_column(s->residence, s->slot[slot].col[f], k->gathered,
                                      k->ntouched * size);
        }
    }
    return WADI_OK;
}

wadi_status wadi_states_gather(wadi_states *k, wadi_crew *w, wadi_error *err) {
    WADI_TRY((k->lends ? lend : gather)(k, w->slots, err));
    return bind_numbers(k, w, err);
}

wadi_status wadi_states_scatter(wadi_states *k, wadi_crew *w, wadi_error *err) {
    const wadi_slots *s = w->slots;
    k->lent = false;
    for (int i = 0; i < k->nstate && !k->lends; i++) {
        const wadi_states_all *a = &k->state[i];
        for (int f = 0; f < a->type->fields; f++) {
            const int size = wadi_type_size(a->type->type[f]);
            wadi_residence_get_column(s->residence, k->gathered,
                                      s->slot[k->fold->state_in[i]].col[f], k->ntouched * size);
            WADI_TRY(wadi_residence_check(s->residence, err));
            wadi_states_move(size, a->column[f], k->touched, k->ntouched, k->gathered, true);
        }
    }
    return WADI_OK;
}

/* ---- element by element ---- */

wadi_status wadi_states_put(wadi_states *k, wadi_crew *w, int64_t s, wadi_error *err) {
    for (int i = 0; i < k->nstate; i++) {
        const int slot = k->fold->state_in[i];
        const wadi_chunk_component state = wadi_states_of(k, i, k->number[s]);
        WADI_TRY(wadi_fold_fill(w->slots, slot, &state, err));
        if (!wadi_fold_lay_out(w->slots, slot)) return wadi_states_no_memory(k, err);
    }
    return WADI_OK;
}

wadi_status wadi_states_take(wadi_states *k, wadi_crew *w, int64_t s, wadi_error *err) {
    const int64_t key = k->number[s];
    for (int i = 0; i < k->nstate; i++) {
        wadi_states_all *a = &k->state[i];
        wadi_states_one next;
        WADI_TRY(copied(k, w->slots, k->fold->state_in[i], a->type, &next, err));
        const wadi_chunk_component made = described(a->type, next.shape, next.block);
        for (int f = 0; a->type->rank == 0 && f < made.fields; f++) {
            const int size = wadi_type_size(made.type[f]);
            memcpy(a->column[f] + key * size, made.column[f], (size_t)size);
        }
        if (a->type->rank == 0) {
            free(next.block);
            continue;
        }
        wadi_states_one *to = &a->array[key];
        if (to->block != NULL) k->bytes -= wadi_states_bytes_of(a->type, to->shape);
        free(to->block);
        *to = next;
        k->bytes += wadi_states_bytes_of(a->type, to->shape);
    }
    return wadi_states_check_memory(k, err);
}

void wadi_states_forget(wadi_states *k, int64_t n) {
    for (int i = 0; i < k->nstate; i++) {
        wadi_states_all *a = &k->state[i];
        for (int64_t key = n; a->type->rank > 0 && key < k->n; key++) {
            if (a->array[key].block == NULL) continue;
            k->bytes -= wadi_states_bytes_of(a->type, a->array[key].shape);
            free(a->array[key].block);
        }
    }
    wadi_keys_forget(&k->keys, n);
    if (k->n > n) k->n = n;
}

void wadi_states_end(wadi_states *k, wadi_crew *w, int64_t done) {
    int64_t keys = k->before;
    take_back(k);
    if (done < k->count) {
        for (int64_t s = 0; s < done; s++)
            if (k->number[s] >= keys) keys = k->number[s] + 1;
        wadi_states_forget(k, keys);
    }
    k->count = 0;
    for (int i = 0; i < k->nstate; i++) wadi_slots_clear(w->slots, k->fold->state_in[i]);
    if (k->fold->carried) wadi_slots_clear(w->slots, k->fold->number);
}

/* ---- life ---- */

wadi_status wadi_states_create(wadi_crew *w, const wadi_plan_fold *fold, const wadi_plan_slot *key,
                               const wadi_plan_place *place, int64_t memory, wadi_states **out,
                               wadi_error *err) {
    wadi_states *k = calloc(1, sizeof *k);
    wadi_states_all *state = calloc((size_t)fold->nstate + 1, sizeof *state);
    wadi_status status = WADI_OK;
    if (k == NULL || state == NULL) {
        free(k);
        free(state);
        return wadi_fail_at(err, place->loc, WADI_MEMORY, "%s: out of memory", place->op);
    }
    *k = (wadi_states){.fold = fold, .key = key, .place = place, .memory = memory, .state = state};
    wadi_keys_init(&k->keys, key->fields);
    k->lends = fold->carried && w->slots->residence == NULL;
    k->each = k->lends ? 0 : (int64_t)sizeof *k->local;
    for (int i = 0; i < fold->nstate && status == WADI_OK; i++) {
        wadi_states_all *a = &state[i];
        a->type = wadi_slots_plan(w->slots, fold->init[i]);
        k->each +=
            a->type->rank > 0 ? (int64_t)sizeof *a->array : wadi_states_bytes_of(a->type, NULL);
        k->nstate++;
        status = copied(k, w->slots, fold->init[i], a->type, &a->first, err);
    }
    if (status == WADI_OK)
        *out = k;
    else
        wadi_states_destroy(k);
    return status;
}

void wadi_states_destroy(wadi_states *k) {
    if (k == NULL) return;
    for (int i = 0; i < k->nstate; i++) {
        wadi_states_all *a = &k->state[i];
        for (int64_t n = 0; a->array != NULL && n < k->n; n++) free(a->array[n].block);
        for (int f = 0; f < WADI_MAX_FIELDS; f++) free(a->column[f]);
        free(a->array);
        free(a->first.block);
    }
    free(k->state);
    wadi_keys_fini(&k->keys);
    free(k->local);
    free(k->number);
    free(k->said);
    free(k->touched);
    free(k->gathered);
    free(k->was);
    free(k);
}
