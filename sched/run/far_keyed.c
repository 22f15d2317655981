/* Chunks of a stage with a state for each key, on their way to workers and back. */
#include "sched/run/far_keyed.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/run/certify.h"
#include "sched/run/keyed_states.h"
#include "sched/run/stream.h"

/* Items of a chunk, for each worker: while it computes one, another one is on its way. */
enum { ITEMS_EACH = 2 };

static wadi_stage_run *stage_of(wadi_stream *s, const wadi_far_part *p) {
    return &s->stages[p->plan->stage[0]];
}

static const int64_t *keys_of(const wadi_far_batch *b, int i) {
    return b->shards.key + b->shards.item[i].first;
}

/* ---- batches ---- */

static void drop_batch(wadi_far_batch *owned_b) {
    for (int i = 0; i < owned_b->shards.n; i++) {
        wadi_chunk_release(owned_b->item[i].before);
        wadi_chunk_release(owned_b->item[i].out);
    }
    wadi_shards_fini(&owned_b->shards);
    wadi_chunk_release(owned_b->in);
    free(owned_b);
}

void wadi_far_keyed_fini(wadi_far_part *p) {
    if (p->keyed == NULL) return;
    for (int i = 0; i < p->keyed->n; i++) drop_batch(p->keyed->at[i]);
    wadi_shard_marks_fini(&p->keyed->marks);
    free(p->keyed);
    p->keyed = NULL;
}

/* Numbers the keys and parts the elements. After a failure there is no key that was not there before. */
static wadi_status make_batch(wadi_stream *s, wadi_far_part *p, wadi_chunk *in, int items,
                              wadi_far_batch **out, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, p);
    const int64_t *number = NULL, before = wadi_states_keys(g->keyed);
    wadi_far_batch *b = calloc(1, sizeof *b);
    if (b == NULL) return wadi_fail(err, WADI_MEMORY, "workers: out of memory");
    b->keys = before;
    wadi_status status = wadi_states_number(g->keyed, g->crew, in, &number, err);
    if (status == WADI_OK)
        status = wadi_shards_part(number, in->count, wadi_states_keys(g->keyed), items,
                                  &p->keyed->marks, &b->shards, err);
    if (status != WADI_OK) {
        wadi_states_forget(g->keyed, before);
        free(b);
        return status;
    }
    b->in = wadi_chunk_retain(in);
    for (int i = 0; i < b->shards.n; i++) {
        const bool some = b->shards.item[i].n > 0;
        b->item[i].state = some ? WADI_FAR_ITEM_WAITS : WADI_FAR_ITEM_DONE;
        b->left += some;
    }
    *out = b;
    return WADI_OK;
}

/* ---- computing here ---- */

static wadi_status compute_here(wadi_stream *s, wadi_far_part *p, wadi_chunk *in, wadi_error *err) {
    p->delivering = true;
    const wadi_status status = s->team.hooks->rescan(s, p->plan->stage[0], in, err);
    p->delivering = false;
    WADI_TRY(status);
    wadi_far_count_here(s, in->count);
    return WADI_OK;
}

/* Nobody waits for what is on its way. */
static void drop_tickets(wadi_stream *s, wadi_far_part *p) {
    for (;;) {
        wadi_mutex_lock(&s->far.lock);
        const bool some = p->tickets > 0;
        const wadi_far_ticket k = some ? wadi_far_take_out(p, 0) : (wadi_far_ticket){.in = NULL};
        wadi_mutex_unlock(&s->far.lock);
        if (!some) return;
        wadi_far_drop(p, &k);
    }
}

static wadi_status undo(wadi_states *k, const wadi_far_batch *b, wadi_error *err) {
    for (int i = 0; i < b->shards.n; i++)
        if (b->item[i].state == WADI_FAR_ITEM_DONE && b->item[i].before != NULL)
            WADI_TRY(wadi_states_set_rows(k, keys_of(b, i), b->item[i].before, err));
    return WADI_OK;
}

/* The states become those before all chunks that are on their way. */
static wadi_status undo_all(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    wadi_states *k = stage_of(s, p)->keyed;
    for (int n = p->keyed->n; n > 0; n--) WADI_TRY(undo(k, p->keyed->at[n - 1], err));
    wadi_states_forget(k, p->keyed->at[0]->keys);
    return WADI_OK;
}

/* All chunks that are on their way are computed here. */
static wadi_status give_up(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    wadi_chunk *in[WADI_FAR_BATCHES];
    const int n = p->keyed->n;
    drop_tickets(s, p);
    WADI_TRY(undo_all(s, p, err));
    for (int i = 0; i < n; i++) {
        in[i] = wadi_chunk_retain(p->keyed->at[i]->in);
        drop_batch(p->keyed->at[i]);
    }
    p->keyed->n = 0;
    wadi_status status = WADI_OK;
    for (int i = 0; i < n; i++) {
        if (status == WADI_OK) status = compute_here(s, p, in[i], err);
        wadi_chunk_release(in[i]);
    }
    return status;
}

/* ---- sending ---- */

static bool meet(const wadi_shard_item *a, const wadi_shard_item *b) {
    return a->low < b->high && b->low < a->high;
}

/* Whether an item of a chunk before it, which is not done, may have keys of it. */
static bool is_held(const wadi_far_keyed *k, int n, int i) {
    for (int m = 0; m < n; m++)
        for (int j = 0; j < k->at[m]->shards.n; j++)
            if (k->at[m]->item[j].state != WADI_FAR_ITEM_DONE &&
                meet(&k->at[m]->shards.item[j], &k->at[n]->shards.item[i]))
                return true;
    return false;
}

static wadi_status send(wadi_stream *s, wadi_far_part *p, wadi_far_batch *b, int i,
                        wadi_error *err) {
    const wadi_shard_item *is = &b->shards.item[i];
    wadi_chunk *in = NULL;
    WADI_TRY(wadi_states_rows(stage_of(s, p)->keyed, s->x->buffers, keys_of(b, i), is->nkeys,
                              &b->item[i].before, err));
    WADI_TRY(wadi_change_gather(b->in, b->shards.order + is->first, is->n, &in, err));
    in->first = b->in->first;
    b->item[i].number = wadi_far_add(s, p, in, b->item[i].before);
    b->item[i].state = WADI_FAR_ITEM_AWAY;
    wadi_chunk_release(in);
    return WADI_OK;
}

static wadi_status send_all(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    wadi_far_keyed *k = p->keyed;
    for (int n = 0; n < k->n; n++)
        for (int i = 0; i < k->at[n]->shards.n; i++)
            if (k->at[n]->item[i].state == WADI_FAR_ITEM_WAITS && !is_held(k, n, i))
                WADI_TRY(send(s, p, k->at[n], i, err));
    return WADI_OK;
}

/* ---- what has come ---- */

static wadi_far_item *find(const wadi_far_keyed *k, int64_t number, wadi_far_batch **out,
                           int *out_i) {
    for (int n = 0; n < k->n; n++)
        for (int i = 0; i < k->at[n]->shards.n; i++) {
            wadi_far_item *is = &k->at[n]->item[i];
            if (is->state != WADI_FAR_ITEM_AWAY || is->number != number) continue;
            *out = k->at[n];
            *out_i = i;
            return is;
        }
    return NULL;
}

/* False: it has failed, or there is no room for its states. */
static bool accept(wadi_stream *s, wadi_far_part *p, wadi_far_ticket *k) {
    wadi_states *states = stage_of(s, p)->keyed;
    wadi_far_batch *b = NULL;
    int i = 0;
    if (k->state != WADI_TICKET_DONE) return false;
    wadi_far_item *is = find(p->keyed, k->number, &b, &i);
    WADI_ASSERT(is != NULL);
    is->state = WADI_FAR_ITEM_DONE;
    if (wadi_states_set_rows(states, keys_of(b, i), k->after, NULL) != WADI_OK ||
        wadi_states_check_memory(states, NULL) != WADI_OK)
        return false;
    is->out = k->answer[0].out;
    is->bytes = k->answer[0].bytes;
    is->kind = k->kind;
    k->answer[0].out = NULL;
    b->left--;
    return true;
}

/* Takes all that has come, and sends what may be sent then. */
static wadi_status accept_all(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    bool good = true, some = false;
    while (good && wadi_far_has_ready(&s->far, p)) {
        wadi_mutex_lock(&s->far.lock);
        wadi_far_ticket k = wadi_far_take_out(p, wadi_far_find_ready(p));
        wadi_mutex_unlock(&s->far.lock);
        good = accept(s, p, &k);
        wadi_far_drop(p, &k);
        some = true;
    }
    if (good && some) good = send_all(s, p, NULL) == WADI_OK;
    return good ? WADI_OK : give_up(s, p, err);
}

/* ---- handing on ---- */

static int find_slot(const wadi_travel *t, int slot) {
    for (int i = 0; i < t->n; i++)
        if (t->slot[i] == slot) return i;
    return -1;
}

/* The results of the stage: those that have travelled, and those that do not change. */
static wadi_status assemble(wadi_stream *s, const wadi_far_part *p, const wadi_far_batch *b,
                            wadi_chunk **out, wadi_error *err) {
    const wadi_plan_stage *plan = stage_of(s, p)->plan;
    wadi_chunk *of[WADI_SHARDS], *all = NULL, *c = NULL;
    for (int i = 0; i < b->shards.n; i++) of[i] = b->item[i].out;
    if (p->travel[0].n > 0) WADI_TRY(wadi_shards_join(&b->shards, of, s->x->buffers, &all, err));
    const wadi_status status = wadi_chunk_create(s->x->buffers, plan->nresults, &c, err);
    if (status == WADI_OK) {
        c->first = b->in->first;
        c->count = b->in->count;
        if (all != NULL) wadi_chunk_hold(c, all);
        for (int k = 0; k < plan->nresults; k++) {
            const int at = find_slot(&p->travel[0], plan->results[k]);
            if (at >= 0)
                c->component[k] = all->component[at];
            else
                wadi_slots_take(&s->x->slots, plan->results[k], c, k);
        }
    }
    wadi_chunk_release(all);
    *out = c;
    return status;
}

static wadi_status count_batch(wadi_stream *s, const wadi_far_part *p, const wadi_far_batch *b,
                               wadi_error *err) {
    int items = 0;
    for (int i = 0; i < b->shards.n; i++) {
        if (b->shards.item[i].n == 0) continue;
        items++;
        if (b->item[i].kind != NULL)
            WADI_TRY(wadi_certify_worker(s, b->item[i].kind, p->plan->stage[0], b->shards.item[i].n,
                                         err));
    }
    wadi_far_count_there(s, items, b->in->count);
    return WADI_OK;
}

/* Takes over the results; NULL: they come behind the end. */
static wadi_status give(wadi_stream *s, wadi_far_part *p, wadi_far_batch *b, wadi_chunk *owned_out,
                        wadi_error *err) {
    const wadi_outcome o = {.out = owned_out};
    wadi_status status = WADI_OK;
    p->delivering = true;
    if (owned_out != NULL) status = s->team.hooks->give(s, p->plan->stage[0], b->in, &o, err);
    p->delivering = false;
    wadi_chunk_release(owned_out);
    return status == WADI_OK ? count_batch(s, p, b, err) : status;
}

/* The first chunk, which is whole. */
static wadi_status hand_on(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    wadi_far_keyed *k = p->keyed;
    wadi_far_batch *b = k->at[0];
    wadi_chunk *out = NULL;
    const bool last = wadi_change_about(stage_of(s, p)->plan->change)->last;
    if (!last && assemble(s, p, b, &out, NULL) != WADI_OK) {
        wadi_chunk_release(out);
        return give_up(s, p, err);
    }
    k->n--;
    for (int i = 0; i < k->n; i++) k->at[i] = k->at[i + 1];
    const wadi_status status = give(s, p, b, out, err);
    drop_batch(b);
    return status;
}

wadi_status wadi_far_keyed_take(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    WADI_TRY(accept_all(s, p, err));
    while (p->keyed->n > 0 && p->keyed->at[0]->left == 0) {
        WADI_TRY(hand_on(s, p, err));
        WADI_TRY(accept_all(s, p, err));
    }
    return WADI_OK;
}

wadi_status wadi_far_keyed_flush(wadi_stream *s, wadi_far_part *p, wadi_error *err) {
    while (!p->delivering && p->keyed->n > 0) {
        WADI_TRY(wadi_far_wait_for_ready(s, p, err));
        WADI_TRY(wadi_far_keyed_take(s, p, err));
    }
    return WADI_OK;
}

/* ---- sharing ---- */

/* A chunk is in memory as it came, parted, and as what came of it; states are there twice. */
static bool has_room(const wadi_stream *s, const wadi_far_part *p, const wadi_chunk *in) {
    const int64_t most = s->x->options.memory / s->far.nparts / 4;
    int64_t bytes = 3 * wadi_chunk_bytes(in) + 2 * p->bytes;
    if (p->keyed->n == 0) return true;
    for (int i = 0; i < p->keyed->n; i++) bytes += 3 * wadi_chunk_bytes(p->keyed->at[i]->in);
    return p->keyed->n < WADI_FAR_BATCHES && bytes <= most;
}

static wadi_status here(wadi_stream *s, wadi_far_part *p, wadi_chunk *in, wadi_error *err) {
    WADI_TRY(wadi_far_keyed_flush(s, p, err));
    return compute_here(s, p, in, err);
}

/* What fails before it is sent, fails here for its own reason. */
static wadi_status begin(wadi_stream *s, wadi_far_part *p, wadi_chunk *in, int workers,
                         wadi_error *err) {
    const int64_t most = ITEMS_EACH * (int64_t)workers;
    wadi_far_batch *b = NULL;
    const int64_t items = most < in->count ? most : in->count;
    if (make_batch(s, p, in, items < WADI_SHARDS ? (int)items : WADI_SHARDS, &b, NULL) != WADI_OK)
        return here(s, p, in, err);
    p->keyed->at[p->keyed->n++] = b;
    return send_all(s, p, NULL) == WADI_OK ? WADI_OK : give_up(s, p, err);
}

wadi_status wadi_far_keyed_share(wadi_stream *s, wadi_far_part *p, wadi_chunk *in,
                                 wadi_error *err) {
    for (;;) {
        WADI_TRY(wadi_far_keyed_take(s, p, err));
        const int workers = wadi_far_workers_now(s);
        if (workers == 0) {
            wadi_far_tell_nobody(s);
            return here(s, p, in, err);
        }
        if (has_room(s, p, in)) return begin(s, p, in, workers, err);
        WADI_TRY(wadi_far_wait_for_ready(s, p, err));
    }
}
