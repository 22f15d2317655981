/* Writing and reading items and answers. Nothing that is read is trusted. */
#include "base/error.h"
#include "base/hash.h"
#include "sched/run/charter.h"

/* ---- what travels ---- */

static bool has(const int *list, int n, int slot) {
    for (int i = 0; i < n; i++)
        if (list[i] == slot) return true;
    return false;
}

void wadi_charter_travel(const wadi_plan *plan, const wadi_plan_stream *s, const wadi_stretch *t,
                         int i, const wadi_slots *once, wadi_travel *out) {
    const wadi_plan_stage *p = &s->stages[t->stage[i]];
    *out = (wadi_travel){.n = 0};
    if (t->keyed && wadi_change_about(p->change)->last) return; /* they come behind the end */
    if (!wadi_stretch_gives(s, t, t->stage[i])) return;
    for (int k = 0; k < p->nresults; k++) {
        const int slot = p->results[k];
        const bool passes = has(p->parts, p->nparts, slot);
        if ((passes && i == 0 && !t->keyed) || has(out->slot, out->n, slot)) continue;
        if (plan->slots[slot].kind == WADI_SLOT_ONCE && !wadi_slots_is_empty(once, slot)) continue;
        out->slot[out->n] = slot;
        out->at[out->n] = k;
        out->passes[out->n++] = passes;
    }
}

/* ---- chunks ---- */

bool wadi_item_is_like(const wadi_chunk_component *c, const wadi_plan_slot *p) {
    if (c->rank != p->rank || c->fields != p->fields) return false;
    for (int f = 0; f < p->fields; f++)
        if (c->type[f] != p->type[f]) return false;
    return true;
}

/* Whether the component is stored as a body makes it. */
static bool is_made(const wadi_chunk_component *c, const wadi_plan_slot *p) {
    static const wadi_chunk_layout layout[] = {[WADI_SLOT_ONCE] = WADI_LAYOUT_AVOID,
                                               [WADI_SLOT_REGULAR] = WADI_LAYOUT_REGULAR,
                                               [WADI_SLOT_IRREGULAR] = WADI_LAYOUT_IRREGULAR};
    return c->layout == layout[p->kind];
}

static bool are_like(const wadi_chunk *c, const wadi_plan *plan, int nslots, const int *slots) {
    if (c->components != nslots) return false;
    for (int i = 0; i < nslots; i++)
        if (!wadi_item_is_like(&c->component[i], &plan->slots[slots[i]])) return false;
    return true;
}

static bool are_made(const wadi_chunk *c, const wadi_plan *plan, const wadi_travel *t) {
    for (int i = 0; i < t->n; i++)
        if (!t->passes[i] && !is_made(&c->component[i], &plan->slots[t->slot[i]])) return false;
    return true;
}

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "item: out of memory");
}

static wadi_status senseless(wadi_error *err) {
    return wadi_fail(err, WADI_IO, "item: a chunk of another stage, or none");
}

/* Numbers, and a check of them: chunks have their own. */
static void put_head(const int64_t *head, int n, wadi_text *out) {
    const size_t from = out->n;
    for (int i = 0; i < n; i++) wadi_state_put(out, head[i]);
    if (!out->failed) wadi_state_put(out, (int64_t)wadi_crc32c(0, out->at + from, out->n - from));
}

static bool take_numbers(wadi_state_reader *r, int n, int64_t *out) {
    bool good = true;
    for (int i = 0; good && i < n; i++)
        good = wadi_state_take_count(r, WADI_STATE_ELEMENTS, &out[i], NULL) == WADI_OK;
    return good;
}

/* Of the n numbers that were taken from here. */
static bool take_check(wadi_state_reader *r, const char *from, int n) {
    int64_t crc = 0;
    return wadi_state_take(r, &crc, NULL) == WADI_OK &&
           crc == (int64_t)wadi_crc32c(0, from, (size_t)n * 8);
}

static bool take_head(wadi_state_reader *r, int n, int64_t *out) {
    const char *from = r->at;
    return take_numbers(r, n, out) && take_check(r, from, n);
}

/* ---- items ---- */

/* The number of the stretch, how many kinds of workers are known, and these. */
wadi_status wadi_item_write(int stretch, const wadi_known *known, wadi_chunk *states, wadi_chunk *c,
                            wadi_text *out, wadi_error *err) {
    int64_t head[2 + WADI_KNOWN] = {stretch, known->n};
    for (int i = 0; i < known->n; i++) head[2 + i] = known->digest[i];
    put_head(head, 2 + known->n, out);
    if (states != NULL) WADI_TRY(wadi_state_put_chunk(out, states, err));
    WADI_TRY(wadi_state_put_chunk(out, c, err));
    return out->failed ? no_memory(err) : WADI_OK;
}

wadi_status wadi_item_head(const void *bytes, int64_t n, int stretches, int *out, wadi_known *known,
                           wadi_state_reader *rest, wadi_error *err) {
    int64_t head[2] = {0, 0};
    *rest = (wadi_state_reader){bytes, (size_t)n};
    if (!take_numbers(rest, 2, head) || head[0] >= stretches || head[1] > WADI_KNOWN ||
        !take_numbers(rest, (int)head[1], known->digest) ||
        !take_check(rest, bytes, 2 + (int)head[1]))
        return senseless(err);
    *out = (int)head[0];
    known->n = (int)head[1];
    return WADI_OK;
}

wadi_status wadi_item_take_states(wadi_state_reader *from, const wadi_plan *plan,
                                  const wadi_plan_fold *fold, wadi_buffers *buffers,
                                  wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_state_take_chunk(from, buffers, out, err));
    if (are_like(*out, plan, fold->nstate, fold->init)) return WADI_OK;
    wadi_chunk_release(*out);
    *out = NULL;
    return senseless(err);
}

int wadi_item_keyed_slots(const wadi_plan_stream *s, const wadi_plan_stage *p, int *out) {
    const wadi_plan_fold *f = &p->scan;
    for (int i = 0; i < f->nparts; i++) out[i] = f->parts[i];
    out[f->nparts] = wadi_plan_stage_key(s, p);
    return f->nparts + 1;
}

wadi_status wadi_item_read(wadi_state_reader from, const wadi_plan *plan, int nslots,
                           const int *slots, wadi_buffers *buffers, wadi_chunk **out,
                           wadi_error *err) {
    WADI_TRY(wadi_state_take_chunk(&from, buffers, out, err));
    if (from.left == 0 && are_like(*out, plan, nslots, slots)) return WADI_OK;
    wadi_chunk_release(*out);
    *out = NULL;
    return senseless(err);
}

/* ---- answers ---- */

wadi_status wadi_answer_write(const wadi_answer *answer, int n, wadi_text *out, wadi_error *err) {
    int64_t head[2 * WADI_STRETCH_STAGES] = {0};
    for (int i = 0; i < n; i++) {
        head[2 * i] = answer[i].count;
        head[2 * i + 1] = answer[i].bytes;
    }
    put_head(head, 2 * n, out);
    for (int i = 0; i < n; i++)
        if (answer[i].out != NULL) WADI_TRY(wadi_state_put_chunk(out, answer[i].out, err));
    return out->failed ? no_memory(err) : WADI_OK;
}

static wadi_status take_stage(wadi_state_reader *r, const wadi_plan *plan, const wadi_travel *t,
                              wadi_buffers *buffers, wadi_answer *out, wadi_error *err) {
    if (t->n == 0 || out->count == 0) return WADI_OK;
    WADI_TRY(wadi_state_take_chunk(r, buffers, &out->out, err));
    const wadi_chunk *c = out->out;
    const bool good =
        c->count == out->count && are_like(c, plan, t->n, t->slot) && are_made(c, plan, t);
    return good ? WADI_OK : senseless(err);
}

wadi_status wadi_answer_read(wadi_state_reader from, const wadi_plan *plan,
                             const wadi_travel *travel, int n, int64_t count, wadi_buffers *buffers,
                             wadi_answer *out, wadi_error *err) {
    int64_t head[2 * WADI_STRETCH_STAGES] = {0};
    for (int i = 0; i < n; i++) out[i] = (wadi_answer){.out = NULL};
    if (!take_head(&from, 2 * n, head) || head[0] != count) return senseless(err);
    for (int i = 0; i < n; i++) out[i] = (wadi_answer){head[2 * i], head[2 * i + 1], NULL};
    for (int i = 0; i < n; i++)
        WADI_TRY(take_stage(&from, plan, &travel[i], buffers, &out[i], err));
    return from.left == 0 ? WADI_OK : senseless(err);
}

void wadi_answer_fini(wadi_answer *answer, int n) {
    for (int i = 0; answer != NULL && i < n; i++) wadi_chunk_release(answer[i].out);
}
