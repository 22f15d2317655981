/* Branches and loops over levels.
 *
 * If all elements decide a branch alike, it runs as if it were alone: nothing is renumbered and nothing copied. Otherwise each
 * side runs over the elements that took it, and the results are merged. A loop starts with all elements. After each round,
 * those that have stopped are put aside, and the others are numbered anew. Their arrays stay where they are, since a
 * descriptor says where each begins. Values pass from one round to the next by handing on their memory. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/steps/merge.h"
#include "sched/steps/turns.h"

/* A COND or LOOP at work. */
typedef struct control {
    wadi_steps *s;
    wadi_slots *slots;
    const wadi_plan_version *v;
    const wadi_plan_control *c;
    int level; /* the step's */
    int at[2]; /* first step of each part */
    int64_t n; /* elements of the step's level */
    wadi_error *err;
} control;

static control start(wadi_steps *s, int step, wadi_error *err) {
    const wadi_plan_version *v = s->v;
    const wadi_plan_control *c = v->steps[step].control;
    return (control){.s = s,
                     .slots = s->slots,
                     .v = v,
                     .c = c,
                     .level = v->steps[step].level,
                     .at = {step + 1, step + 1 + c->part[0].nsteps},
                     .n = wadi_steps_count(s, v->steps[step].level),
                     .err = err};
}

static wadi_status no_memory(const control *k) {
    return wadi_steps_no_memory(k->err);
}

/* ---- levels ---- */

/* All elements of the step's level. */
static bool enter_whole(const control *k, int level) {
    return level == k->level || wadi_steps_enter_whole(k->s, level, k->n);
}

/* How many elements say yes. */
static int64_t count_yes(const control *k, int slot, int64_t n) {
    wadi_device *d = k->s->device;
    const bool once = wadi_slots_plan(k->slots, slot)->kind == WADI_SLOT_ONCE;
    const int64_t yes = d->ops->count(d, k->slots->slot[slot].col[0], once ? 1 : n);
    return once ? yes * n : yes;
}

/* What each of n elements says. */
static wadi_sight see(const control *k, int slot, int64_t n) {
    return wadi_residence_see(k->slots->residence, k->slots->buffers, k->slots->slot[slot].col[0],
                              n);
}

/* ---- parts ---- */

static void clear_steps(const control *k, int from, int to) {
    for (int i = from; i < to; i++) {
        const wadi_plan_step *step = &k->v->steps[i];
        for (int j = 0; j < step->nslots; j++) wadi_slots_clear(k->slots, step->slots[j]);
        for (int j = 0; step->control != NULL && j < step->control->nvalues; j++) {
            if (step->control->results[j] >= 0)
                wadi_slots_clear(k->slots, step->control->results[j]);
        }
    }
}

static void clear_part(const control *k, int part) {
    clear_steps(k, k->at[part], k->at[part] + k->c->part[part].nsteps);
}

static wadi_status run_part(const control *k, int part) {
    clear_part(k, part);
    k->s->parts++;
    const wadi_status status =
        k->s->run(k->s, k->at[part], k->at[part] + k->c->part[part].nsteps, k->err);
    k->s->parts--;
    return status;
}

static bool owns(const control *k, int slot) {
    return k->slots->memory[slot].column[0] != NULL;
}

static wadi_device_source source_of(const control *k, int slot) {
    return (wadi_device_source){wadi_slots_plan(k->slots, slot)->kind, k->slots->slot[slot]};
}

/* Whether elements of `slot` are numbered as in `level`, or not at all. */
static bool is_at(const control *k, int slot, int level) {
    const wadi_plan_slot *p = wadi_slots_plan(k->slots, slot);
    return p->kind == WADI_SLOT_ONCE || p->level == level;
}

/* Slot `to` gets copies of what elements 0 .. n - 1 of `level` have in slot `from`, of this level or one around. */
static bool copy(const control *k, int from, int level, int64_t n, int to,
                 const wadi_device_source *source) {
    if (is_at(k, from, level)) return wadi_merge(k->slots, k->s->device, to, n, source, NULL, NULL);
    const int home = wadi_slots_plan(k->slots, from)->level;
    int64_t *index = wadi_buffers_get(k->slots->buffers, n * (int64_t)sizeof *index);
    for (int64_t i = 0; index != NULL && i < n; i++)
        index[i] = wadi_steps_number(k->s, level, home, i);
    const bool done =
        index != NULL && wadi_merge(k->slots, k->s->device, to, n, source, NULL, index);
    wadi_buffers_put(index);
    return done;
}

/* `to` gets all elements of `from`, which bear the same numbers or those of levels around. */
static bool give(const control *k, int from, int level, int64_t n, int to, bool moves) {
    if (moves && owns(k, from) && wadi_merge_fits(k->slots, from, to, n))
        return wadi_merge_pass(k->slots, from, to, n, true);
    const wadi_device_source source = source_of(k, from);
    return copy(k, from, level, n, to, &source);
}

/* ---- acond ---- */

static wadi_status all_alike(const control *k, int side) {
    const wadi_plan_part *part = &k->c->part[side];
    if (!enter_whole(k, part->level)) return no_memory(k);
    WADI_TRY(run_part(k, side));
    for (int i = 0; i < k->c->nvalues && !wadi_steps_faulted(k->s); i++) {
        if (k->c->results[i] < 0) continue;
        if (!give(k, part->yields[i], part->level, k->n, k->c->results[i], part->moves[i]))
            return no_memory(k);
    }
    clear_part(k, side);
    return WADI_OK;
}

/* Which side each element took, and its number there. */
typedef struct split {
    int32_t *side;
    int64_t *number, *index;
} split;

static bool split_init(const control *k, split *p) {
    p->side = wadi_buffers_get(k->slots->buffers, k->n * (int64_t)sizeof *p->side);
    p->number = wadi_buffers_get(k->slots->buffers, k->n * (int64_t)sizeof *p->number);
    p->index = wadi_buffers_get(k->slots->buffers, k->n * (int64_t)sizeof *p->index);
    return p->side != NULL && p->number != NULL && p->index != NULL;
}

static void split_fini(split *p) {
    wadi_buffers_put(p->side);
    wadi_buffers_put(p->number);
    wadi_buffers_put(p->index);
}

static bool divide(const control *k, const split *p, int64_t yes) {
    int64_t *map[2], count[2] = {0, 0};
    map[0] = wadi_steps_enter(k->s, k->c->part[0].level, yes);
    map[1] = wadi_steps_enter(k->s, k->c->part[1].level, k->n - yes);
    if (map[0] == NULL || map[1] == NULL) return false;
    const wadi_sight seen = see(k, k->c->predicate, k->n);
    const uint8_t *says = seen.at;
    for (int64_t i = 0; says != NULL && i < k->n; i++) {
        const int side = says[i] ? 0 : 1;
        p->side[i] = side;
        p->number[i] = count[side];
        map[side][count[side]++] = i;
    }
    wadi_buffers_put(seen.block);
    for (int side = 0; side < 2; side++) wadi_steps_entered(k->s, k->c->part[side].level);
    return says != NULL;
}

/* Result `i` from both sides. A yield may be a value of a level around. */
static bool unite(const control *k, const split *p, int i) {
    wadi_device_source source[2];
    bool inside[2];
    int home[2];
    for (int side = 0; side < 2; side++) {
        const int slot = k->c->part[side].yields[i];
        source[side] = source_of(k, slot);
        inside[side] = is_at(k, slot, k->c->part[side].level);
        home[side] = wadi_slots_plan(k->slots, slot)->level;
    }
    for (int64_t s = 0; s < k->n; s++) {
        const int side = p->side[s];
        p->index[s] =
            inside[side] ? p->number[s] : wadi_steps_number(k->s, k->level, home[side], s);
    }
    return wadi_merge(k->slots, k->s->device, k->c->results[i], k->n, source, p->side, p->index);
}

static wadi_status both_sides(const control *k, const split *p, int64_t yes) {
    if (!divide(k, p, yes)) return no_memory(k);
    for (int side = 0; side < 2; side++) {
        WADI_TRY(run_part(k, side));
        if (wadi_steps_faulted(k->s)) return WADI_OK;
    }
    for (int i = 0; i < k->c->nvalues; i++) {
        if (k->c->results[i] >= 0 && !unite(k, p, i)) return no_memory(k);
    }
    for (int side = 0; side < 2; side++) clear_part(k, side);
    return WADI_OK;
}

wadi_status wadi_step_cond(wadi_steps *s, int step, wadi_error *err) {
    const control k = start(s, step, err);
    const int64_t yes = count_yes(&k, k.c->predicate, k.n);
    if (yes == k.n || yes == 0) return all_alike(&k, yes == 0);
    split p = {0};
    const wadi_status status = split_init(&k, &p) ? both_sides(&k, &p, yes) : no_memory(&k);
    split_fini(&p);
    return status;
}

/* ---- awhile ---- */

typedef struct content {
    wadi_slot slot;
    wadi_slot_memory memory;
} content;

/* Elements that stopped in one round: their states. */
typedef struct batch {
    content *value; /* [nvalues] */
} batch;

typedef struct looping {
    control k;
    int level;      /* of the state */
    int64_t live;   /* elements that have not stopped */
    content *old;   /* [nvalues] the state before this round, while the next is made */
    batch *batches; /* in order of rounds */
    int nbatches, room;
    int32_t *which;        /* [n] element's batch, */
    int64_t *number;       /* and its number there */
    int64_t *stay, *leave; /* [n] numbers of the elements that go on, that stop */
    wadi_turns turns;      /* that run later than the others, several at once */
} looping;

static content detach(const looping *w, int slot) {
    const content c = {w->k.slots->slot[slot], w->k.slots->memory[slot]};
    memset(&w->k.slots->slot[slot], 0, sizeof c.slot);
    memset(&w->k.slots->memory[slot], 0, sizeof c.memory);
    return c;
}

static void attach(const looping *w, int slot, content *c) {
    wadi_slots_clear(w->k.slots, slot);
    w->k.slots->slot[slot] = c->slot;
    w->k.slots->memory[slot] = c->memory;
    memset(c, 0, sizeof *c);
}

static void release(content *c) {
    wadi_buffers_put(c->memory.shape);
    wadi_buffers_put(c->memory.offset);
    for (int f = 0; f < WADI_MAX_FIELDS; f++) wadi_buffers_put(c->memory.column[f]);
    memset(c, 0, sizeof *c);
}

static bool looping_init(looping *w) {
    w->level = w->k.c->part[1].level;
    w->live = w->k.n;
    w->old = calloc((size_t)w->k.c->nvalues + 1, sizeof *w->old);
    return w->old != NULL;
}

static void looping_fini(looping *w) {
    wadi_turns_fini(&w->turns);
    for (int i = 0; w->old != NULL && i < w->k.c->nvalues; i++) {
        release(&w->old[i]);
        wadi_slots_clear(w->k.slots, w->k.c->state[i]);
    }
    for (int b = 0; b < w->nbatches; b++) {
        for (int i = 0; i < w->k.c->nvalues; i++) release(&w->batches[b].value[i]);
        free(w->batches[b].value);
    }
    free(w->batches);
    free(w->old);
    wadi_buffers_put(w->which);
    wadi_buffers_put(w->number);
    wadi_buffers_put(w->stay);
    wadi_buffers_put(w->leave);
}

static bool first_state(const looping *w) {
    const control *k = &w->k;
    for (int i = 0; i < k->c->nvalues; i++) {
        const int from = k->c->init[i], to = k->c->state[i];
        const wadi_device_source source = source_of(k, from);
        const bool same = is_at(k, from, k->level) && wadi_merge_fits(k->slots, from, to, k->n);
        if (same ? !wadi_merge_pass(k->slots, from, to, k->n, false)
                 : !copy(k, from, k->level, k->n, to, &source))
            return false;
    }
    return true;
}

/* ---- those that stop ---- */

static bool room_to_stop(looping *w) {
    const int64_t n = w->k.n * (int64_t)sizeof(int64_t);
    wadi_buffers *b = w->k.slots->buffers;
    if (w->which != NULL) return true;
    w->which = wadi_buffers_get(b, w->k.n * (int64_t)sizeof *w->which);
    w->number = wadi_buffers_get(b, n);
    w->stay = wadi_buffers_get(b, n);
    w->leave = wadi_buffers_get(b, n);
    return w->which != NULL && w->number != NULL && w->stay != NULL && w->leave != NULL;
}

static batch *new_batch(looping *w) {
    if (w->nbatches == w->room) {
        const int room = w->room > 0 ? 2 * w->room : 8;
        batch *batches = realloc(w->batches, (size_t)room * sizeof *batches);
        if (batches == NULL) return NULL;
        w->batches = batches;
        w->room = room;
    }
    batch *b = &w->batches[w->nbatches];
    b->value = calloc((size_t)w->k.c->nvalues + 1, sizeof *b->value);
    if (b->value == NULL) return NULL;
    w->nbatches++;
    return b;
}

/* Notes where the elements numbered leave[0 .. n - 1] will be found; leave NULL: all. */
static void note_batch(looping *w, const int64_t *leave, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const int64_t s =
            wadi_steps_number(w->k.s, w->level, w->k.level, leave != NULL ? leave[i] : i);
        w->which[s] = w->nbatches - 1;
        w->number[s] = i;
    }
}

/* The state in `slot` becomes that of the elements that stay, whose arrays remain where they are: only their descriptor is
 * made anew. */
static bool thin_out(const looping *w, int slot, content *old, int64_t stays) {
    wadi_slots *slots = w->k.slots;
    const int rank = wadi_slots_plan(slots, slot)->rank;
    wadi_slot *to = &slots->slot[slot];
    if (!wadi_slots_room_for_shapes(slots, slot, stays)) return false;
    if (!wadi_slots_room_for_offsets(slots, slot, stays)) return false;
    for (int64_t i = 0; i < stays; i++) {
        const int64_t s = w->stay[i];
        to->offset[i] = old->slot.offset[s];
        for (int d = 0; d < rank; d++) to->shape[i * rank + d] = old->slot.shape[s * rank + d];
    }
    to->offset[stays] = old->slot.offset[w->live];
    memcpy(to->col, old->slot.col, sizeof to->col);
    memcpy(slots->memory[slot].column, old->memory.column, sizeof old->memory.column);
    memset(old->memory.column, 0, sizeof old->memory.column);
    return true;
}

/* State `i` of those that leave goes to the batch, of those that stay to the state. */
static bool part_ways(looping *w, batch *b, int i, int64_t stays, int64_t leaves) {
    const control *k = &w->k;
    const int slot = k->c->state[i];
    w->old[i] = detach(w, slot);
    const wadi_device_source source = {wadi_slots_plan(k->slots, slot)->kind, w->old[i].slot};
    if (k->c->results[i] >= 0) {
        if (!wadi_merge(k->slots, k->s->device, slot, leaves, &source, NULL, w->leave))
            return false;
        b->value[i] = detach(w, slot);
    }
    const bool done = source.kind == WADI_SLOT_IRREGULAR
                          ? thin_out(w, slot, &w->old[i], stays)
                          : wadi_merge(k->slots, k->s->device, slot, stays, &source, NULL, w->stay);
    release(&w->old[i]);
    return done;
}

/* `stay` holds numbers of elements of the state's level, and then those elements alone are left. */
static bool compact_map(looping *w, int64_t stays) {
    wadi_steps *s = w->k.s;
    const int outer = w->k.v->levels[w->level - 1].parent;
    for (int64_t i = 0; i < stays; i++)
        w->stay[i] = wadi_steps_number(s, w->level, outer, w->stay[i]);
    int64_t *next = wadi_steps_enter(s, w->level, stays);
    if (next == NULL) return false;
    memcpy(next, w->stay, (size_t)stays * sizeof *next);
    wadi_steps_entered(s, w->level);
    return true;
}

/* Divides the elements into those that stay and those that leave, which say no. */
static bool ask(looping *w, int64_t *out_stays, int64_t *out_leaves) {
    const wadi_sight seen = see(&w->k, w->k.c->predicate, w->live);
    const uint8_t *says = seen.at;
    int64_t stays = 0, leaves = 0;
    for (int64_t s = 0; says != NULL && s < w->live; s++) {
        if (says[s])
            w->stay[stays++] = s;
        else
            w->leave[leaves++] = s;
    }
    wadi_buffers_put(seen.block);
    *out_stays = stays;
    *out_leaves = leaves;
    return says != NULL;
}

/* Elements that say no leave; at least one stays and one leaves. */
static bool stop_some(looping *w) {
    const control *k = &w->k;
    int64_t stays = 0, leaves = 0;
    if (!room_to_stop(w)) return false;
    batch *b = new_batch(w);
    if (b == NULL || !ask(w, &stays, &leaves)) return false;
    note_batch(w, w->leave, leaves);
    for (int i = 0; i < k->c->nvalues; i++) {
        if (!part_ways(w, b, i, stays, leaves)) return false;
    }
    w->live = stays;
    return compact_map(w, stays);
}

/* ---- rounds ---- */

/* The state whose slot it is, or -1. */
static int state_of(const looping *w, int slot) {
    for (int i = 0; i < w->k.c->nvalues; i++) {
        if (w->k.c->state[i] == slot) return i;
    }
    return -1;
}

static bool stays_in_place(const looping *w, int i) {
    return i == w->turns.value || w->k.c->part[1].yields[i] == w->k.c->state[i];
}

static bool can_move(const looping *w, int i) {
    const wadi_plan_part *part = &w->k.c->part[1];
    const int from = part->yields[i], to = w->k.c->state[i];
    if (!part->moves[i]) return false;
    if (state_of(w, from) >= 0)
        return wadi_slots_plan(w->k.slots, from)->kind == wadi_slots_plan(w->k.slots, to)->kind;
    return owns(&w->k, from) && wadi_merge_fits(w->k.slots, from, to, w->live);
}

static bool copy_next(const looping *w, int i) {
    const int from = w->k.c->part[1].yields[i], j = state_of(w, from);
    wadi_device_source source = source_of(&w->k, from);
    if (j >= 0 && !stays_in_place(w, j)) source.slot = w->old[j].slot;
    return copy(&w->k, from, w->level, w->live, w->k.c->state[i], &source);
}

static bool move_next(const looping *w, int i) {
    const int from = w->k.c->part[1].yields[i], j = state_of(w, from);
    if (j < 0) return wadi_merge_pass(w->k.slots, from, w->k.c->state[i], w->live, true);
    attach(w, w->k.c->state[i], &w->old[j]);
    return true;
}

/* All next states are read before any old one is gone. */
static bool next_state(const looping *w) {
    const int n = w->k.c->nvalues;
    bool done = true;
    for (int i = 0; i < n; i++) {
        if (!stays_in_place(w, i)) w->old[i] = detach(w, w->k.c->state[i]);
    }
    for (int i = 0; done && i < n; i++) {
        if (!stays_in_place(w, i) && !can_move(w, i)) done = copy_next(w, i);
    }
    for (int i = 0; done && i < n; i++) {
        if (!stays_in_place(w, i) && can_move(w, i)) done = move_next(w, i);
    }
    for (int i = 0; i < n; i++) release(&w->old[i]);
    return done;
}

static wadi_status run_but_turn(looping *w) {
    const control *k = &w->k;
    const int from = k->at[1], to = from + k->c->part[1].nsteps, at = w->turns.at;
    clear_steps(k, from, at);
    clear_steps(k, at + 3, to);
    WADI_TRY(k->s->run(k->s, from, at, k->err));
    if (w->turns.waiting == 0 && !wadi_steps_faulted(k->s))
        WADI_TRY(wadi_turns_begin(k->s, &w->turns, k->err));
    return wadi_steps_faulted(k->s) ? WADI_OK : k->s->run(k->s, at + 3, to, k->err);
}

/* Part 1; but the turn of an array may wait for others. */
static wadi_status run_turn(looping *w) {
    if (w->turns.value < 0) return run_part(&w->k, 1);
    w->k.s->parts++;
    const wadi_status status = run_but_turn(w);
    w->k.s->parts--;
    return status;
}

/* Runs the turns that wait, if there are `n` or more. */
static wadi_status end_turns(looping *w, int n) {
    if (w->turns.waiting < n) return WADI_OK;
    w->k.s->parts++;
    const wadi_status status = wadi_turns_end(w->k.s, &w->turns, w->k.err);
    w->k.s->parts--;
    return status;
}

static wadi_status rounds(looping *w) {
    const control *k = &w->k;
    for (;;) {
        WADI_TRY(run_part(k, 0));
        if (wadi_steps_faulted(k->s)) return WADI_OK;
        const int64_t go = count_yes(k, k->c->predicate, w->live);
        if (go == 0) return end_turns(w, 1);
        if (go < w->live && !stop_some(w)) return no_memory(k);
        WADI_TRY(run_turn(w));
        if (wadi_steps_faulted(k->s)) return WADI_OK;
        if (!next_state(w)) return no_memory(k);
        if (w->turns.value < 0) continue;
        w->turns.waiting++;
        WADI_TRY(end_turns(w, w->turns.most));
    }
}

/* ---- results ---- */

/* All elements stopped in the same round. */
static bool results_whole(const looping *w) {
    const control *k = &w->k;
    for (int i = 0; i < k->c->nvalues; i++) {
        if (k->c->results[i] < 0) continue;
        if (!give(k, k->c->state[i], w->level, k->n, k->c->results[i], true)) return false;
    }
    return true;
}

static bool results_merged(looping *w) {
    const control *k = &w->k;
    batch *last = new_batch(w);
    if (last == NULL) return false;
    note_batch(w, NULL, w->live);
    for (int i = 0; i < k->c->nvalues; i++) last->value[i] = detach(w, k->c->state[i]);
    wadi_device_source *source = calloc((size_t)w->nbatches, sizeof *source);
    bool done = source != NULL;
    for (int i = 0; done && i < k->c->nvalues; i++) {
        if (k->c->results[i] < 0) continue;
        for (int b = 0; b < w->nbatches; b++) {
            source[b].kind = wadi_slots_plan(k->slots, k->c->state[i])->kind;
            source[b].slot = w->batches[b].value[i].slot;
        }
        done =
            wadi_merge(k->slots, k->s->device, k->c->results[i], k->n, source, w->which, w->number);
    }
    free(source);
    return done;
}

static wadi_status run_loop(looping *w) {
    if (!looping_init(w) || !enter_whole(&w->k, w->level) || !first_state(w))
        return no_memory(&w->k);
    (void)wadi_turns_pay(w->k.s, w->k.at[0] - 1, &w->turns);
    WADI_TRY(rounds(w));
    if (wadi_steps_faulted(w->k.s)) return WADI_OK;
    if (w->nbatches > 0 ? !results_merged(w) : !results_whole(w)) return no_memory(&w->k);
    for (int part = 0; part < 2; part++) clear_part(&w->k, part);
    return WADI_OK;
}

wadi_status wadi_step_loop(wadi_steps *s, int step, wadi_error *err) {
    looping w = {.k = start(s, step, err)};
    const wadi_status status = run_loop(&w);
    looping_fini(&w);
    return status;
}
