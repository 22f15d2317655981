/* What workers elsewhere had, of elements that may come in any order, when a run was saved: it is in the saved state as it was sent. The sources stand behind it, and nothing
 * of it has been delivered, so a run that goes on computes it first, and each element comes once. Without this, each saving would wait for the slowest
 * worker. */
#include "base/error.h"
#include "sched/run/far.h"
#include "sched/run/stream.h"

static int64_t count_tickets(const wadi_far *t) {
    int64_t n = 0;
    for (int i = 0; i < t->nparts; i++) n += t->parts[i].tickets;
    return n;
}

static wadi_status save_part(const wadi_far_part *p, wadi_text *out, wadi_error *err) {
    for (int i = 0; i < p->tickets; i++) {
        wadi_state_put(out, p->plan->stage[0]);
        WADI_TRY(wadi_state_put_chunk(out, wadi_far_at(p, i)->in, err));
    }
    return WADI_OK;
}

wadi_status wadi_far_save(wadi_stream *s, wadi_text *out, wadi_error *err) {
    wadi_state_put(out, count_tickets(&s->far));
    for (int i = 0; i < s->far.nparts; i++) WADI_TRY(save_part(&s->far.parts[i], out, err));
    return WADI_OK;
}

static bool fits(const wadi_stream *s, int64_t stage, const wadi_chunk *c) {
    const wadi_plan_stage *p = &s->plan->stages[stage];
    if (c->components != p->nparts || p->body < 0) return false;
    for (int i = 0; i < p->nparts; i++)
        if (!wadi_item_is_like(&c->component[i], &s->x->plan->slots[p->parts[i]])) return false;
    return wadi_plan_stage_is_unordered(s->plan, (int)stage);
}

static wadi_status load_one(wadi_stream *s, wadi_state_reader *from, wadi_error *err) {
    int64_t stage = 0;
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_state_take_count(from, s->plan->nstages - 1, &stage, err));
    WADI_TRY(wadi_state_take_chunk(from, s->x->buffers, &c, err));
    const bool good = fits(s, stage, c);
    if (good && wadi_vec_push(&s->left, (wadi_far_left){(int)stage, c})) return WADI_OK;
    wadi_chunk_release(c);
    return good ? wadi_fail(err, WADI_MEMORY, "saved state: out of memory")
                : wadi_fail(err, WADI_INVALID, "saved state: elements of another stage");
}

wadi_status wadi_far_load(wadi_stream *s, wadi_state_reader *from, wadi_error *err) {
    int64_t n = 0;
    WADI_TRY(wadi_state_take_count(from, (int64_t)from->left, &n, err));
    for (int64_t i = 0; i < n; i++) WADI_TRY(load_one(s, from, err));
    return WADI_OK;
}
