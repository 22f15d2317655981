/* PICK: from element `first` on, every `hop`-th element, at most `size`. TAKE and DROP are picks with one number.
 *
 * Neighbours stay where they are; elements further apart are copied together. */
#include "base/error.h"
#include "sched/change/row.h"

static int64_t not_negative(int64_t n) {
    return n < 0 ? 0 : n;
}

static int64_t at_most(int64_t n, int64_t most) {
    return n < most ? n : most;
}

/* x + n * y for numbers that are not negative; INT64_MAX if that is too large. */
static int64_t further(int64_t x, int64_t n, int64_t y) {
    if (n > 0 && y > (INT64_MAX - x) / n) return INT64_MAX;
    return x + n * y;
}

static void start(wadi_change *c, int64_t first, int64_t step, int64_t most) {
    c->count =
        (wadi_change_count){.first = not_negative(first), .step = step, .most = not_negative(most)};
    c->count.next = c->count.first;
}

static void start_take(wadi_change *c) {
    start(c, 0, 1, c->o.size);
}

static void start_drop(wadi_change *c) {
    start(c, c->o.size, 1, INT64_MAX);
}

static void start_pick(wadi_change *c) {
    start(c, c->o.first, c->o.hop, c->o.size);
}

static wadi_status apart(wadi_change *c, wadi_chunk *chunk, int64_t begin, int64_t n,
                         wadi_error *err) {
    wadi_chunk *out = NULL;
    int64_t *at = wadi_buffers_get(c->o.buffers, (n + 1) * (int64_t)sizeof *at);
    if (at == NULL) return wadi_change_no_memory(c, err);
    for (int64_t i = 0; i < n; i++) at[i] = begin + i * c->count.step;
    wadi_status status = wadi_change_view(chunk, chunk->components, chunk->count, &out, err);
    if (status == WADI_OK) {
        for (int i = 0; i < out->components; i++) out->component[i] = chunk->component[i];
        status = wadi_change_ready_gathered(c, out, at, n, err);
    }
    wadi_buffers_put(at);
    return status;
}

static wadi_status put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    wadi_change_count *k = &c->count;
    WADI_UNUSED(input);
    const int64_t begin = k->next - k->seen; /* where in this chunk the next picked element is */
    k->seen += chunk->count;
    if (begin >= chunk->count) return WADI_OK;
    const int64_t n = at_most((chunk->count - 1 - begin) / k->step + 1, k->most - k->picked);
    k->next = further(k->next, n, k->step);
    k->picked += n;
    if (k->step > 1 && n > 1) return apart(c, chunk, begin, n, err);
    return wadi_change_ready_slice(c, chunk, begin, n, err);
}

static bool wants(const wadi_change *c) {
    return c->count.picked < c->count.most;
}

static int64_t needs(const wadi_change *c, int64_t need) {
    const wadi_change_count *k = &c->count;
    const int64_t n = at_most(need, k->most);
    if (n == 0) return k->first;
    return further(further(k->first, n - 1, k->step), 1, 1);
}

static wadi_status save(const wadi_change *c, wadi_text *out, wadi_error *err) {
    WADI_UNUSED(err);
    wadi_state_put(out, c->count.seen);
    wadi_state_put(out, c->count.next);
    wadi_state_put(out, c->count.picked);
    return WADI_OK;
}

static wadi_status load(wadi_change *c, wadi_state_reader *from, wadi_error *err) {
    wadi_change_count *k = &c->count;
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &k->seen, err));
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &k->next, err));
    WADI_TRY(wadi_state_take_count(from, k->most, &k->picked, err));
    if (k->next >= k->seen || k->picked == k->most) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "saved state: element %lld, after %lld have come",
                     (long long)k->next, (long long)k->seen);
}

const wadi_change_row wadi_change_take = {.facts = {.name = "take"},
                                          .start = start_take,
                                          .put = put,
                                          .wants = wants,
                                          .needs = needs,
                                          .save = save,
                                          .load = load};

const wadi_change_row wadi_change_drop = {.facts = {.name = "drop"},
                                          .start = start_drop,
                                          .put = put,
                                          .wants = wants,
                                          .needs = needs,
                                          .save = save,
                                          .load = load};

const wadi_change_row wadi_change_pick = {.facts = {.name = "pick", .hop = "the step"},
                                          .start = start_pick,
                                          .put = put,
                                          .wants = wants,
                                          .needs = needs,
                                          .save = save,
                                          .load = load};
