/* Answers of workers. They come from other processes: nothing that is read is trusted, and an answer that is of no use is left, for then home computes the item. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "sched/run/far.h"
#include "sched/run/keyed.h"
#include "sched/run/stream.h"

_Static_assert(sizeof((wadi_far_refused *)NULL)->worker == WADI_REPORT_NAME, "a name has room");

/* ---- what is not used ---- */

/* The worker's entry; who has not said his name, or comes when the list is full, shares one. */
static wadi_far_refused *find(wadi_run_work *w, const char *worker) {
    for (int i = 0; i < w->nrefused; i++)
        if (strcmp(w->refused[i].worker, worker) == 0) return &w->refused[i];
    if (w->nrefused == WADI_FAR_REFUSED) return &w->refused[WADI_FAR_REFUSED - 1];
    wadi_far_refused *r = &w->refused[w->nrefused++];
    (void)strcpy(r->worker, worker);
    return r;
}

/* Some are told, of each worker: one that is at odds with home is so with every item. */
static void tell(wadi_run_work *w, const char *worker, const char *why) {
    wadi_far_refused *r = find(w, worker);
    w->unused++;
    if (r->n++ >= WADI_FAR_TOLD) return;
    w->told++;
    wadi_logf(WADI_LOG_WARNING, "%s: an answer%s%s is not used: %s%s", w->address,
              worker[0] != '\0' ? " of " : "", worker, why,
              r->n == WADI_FAR_TOLD ? " (later ones are counted)" : "");
}

void wadi_far_tell_unused(const wadi_run *x) {
    const wadi_run_work *w = &x->work;
    if (w->unused > w->told)
        wadi_logf(WADI_LOG_WARNING, "%s: %lld answers of workers were not used", w->address,
                  (long long)w->unused);
}

/* ---- reading ---- */

static void drop_answer(wadi_answer *owned, int n) {
    wadi_answer_fini(owned, n);
    free(owned);
}

void wadi_far_drop(const wadi_far_part *p, const wadi_far_ticket *owned_k) {
    wadi_chunk_release(owned_k->in);
    wadi_chunk_release(owned_k->states);
    wadi_chunk_release(owned_k->after);
    drop_answer(owned_k->answer, p->plan->n);
}

/* The states of so many keys. */
static wadi_status read_states(const wadi_far *t, const wadi_far_part *p, int64_t keys,
                               wadi_state_reader *from, wadi_chunk **out, wadi_error *err) {
    const wadi_stage_run *g = &t->stream->stages[p->plan->stage[0]];
    if (p->keyed == NULL) return WADI_OK;
    WADI_TRY(wadi_item_take_states(from, t->stream->x->plan, &g->plan->scan, t->stream->x->buffers,
                                   out, err));
    return wadi_states_are(g->keyed, keys, *out)
               ? WADI_OK
               : wadi_fail(err, WADI_IO, "item: other states, or of other keys");
}

static wadi_status read_all(wadi_far *t, const wadi_far_part *p, int64_t count, int64_t keys,
                            wadi_state_reader from, wadi_answer *out, wadi_chunk **after,
                            wadi_report *report, wadi_error *err) {
    WADI_TRY(wadi_report_take(&from, t->reports, &t->kinds, report, err));
    WADI_TRY(read_states(t, p, keys, &from, after, err));
    return wadi_answer_read(from, t->stream->x->plan, p->travel, p->plan->n, count,
                            t->stream->x->buffers, out, err);
}

void wadi_far_read(wadi_far *t, const wadi_far_part *p, int64_t count, int64_t keys,
                   const wadi_work_item *item, wadi_far_ticket *out, wadi_report *report) {
    wadi_error why = {.status = WADI_OK};
    if (item->status != WADI_OK) return;
    wadi_answer *a = calloc((size_t)p->plan->n, sizeof *a);
    if (a == NULL) return;
    const wadi_state_reader from = {item->bytes, (size_t)item->n};
    wadi_chunk *after = NULL;
    if (read_all(t, p, count, keys, from, a, &after, report, &why) == WADI_OK) {
        out->answer = a;
        out->after = after;
        out->kind = report->kind;
        return;
    }
    tell(&t->stream->x->work, report->worker, why.msg);
    wadi_chunk_release(after);
    drop_answer(a, p->plan->n);
}
