/* FILTER: keeps the elements whose test, the last component, is true. If all elements of a chunk agree, nothing is copied. */
#include "base/error.h"
#include "sched/change/row.h"

static int64_t count_true(const uint8_t *test, int64_t count) {
    int64_t n = 0;
    for (int64_t s = 0; s < count; s++) n += test[s] != 0;
    return n;
}

static void positions(const uint8_t *test, int64_t count, int64_t *at) {
    int64_t n = 0;
    for (int64_t s = 0; s < count; s++) {
        at[n] =
            s; /* overwritten by the next element unless this one is kept; `at` has room for one more */
        n += test[s] != 0;
    }
}

/* ---- the change ---- */

/* The chunk without its test, all elements. */
static wadi_status without_test(wadi_chunk *chunk, wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_change_view(chunk, chunk->components - 1, chunk->count, out, err));
    for (int i = 0; i < (*out)->components; i++) (*out)->component[i] = chunk->component[i];
    return WADI_OK;
}

static wadi_status put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    WADI_UNUSED(input);
    const wadi_chunk_component *test = &chunk->component[chunk->components - 1];
    const uint8_t *truth = test->column[0];
    const int64_t count = chunk->count;
    const bool shared = test->layout == WADI_LAYOUT_AVOID;
    const int64_t n = shared ? (truth[0] != 0 ? count : 0) : count_true(truth, count);
    wadi_chunk *out = NULL;
    if (n == 0) return WADI_OK;
    WADI_TRY(without_test(chunk, &out, err));
    if (n == count) return wadi_change_ready(c, out, err);
    int64_t *at = wadi_buffers_get(c->o.buffers, (count + 1) * (int64_t)sizeof *at);
    if (at == NULL) {
        wadi_chunk_release(out);
        return wadi_change_no_memory(c, err);
    }
    positions(truth, count, at);
    const wadi_status status = wadi_change_ready_gathered(c, out, at, n, err);
    wadi_buffers_put(at);
    return status;
}

const wadi_change_row wadi_change_filter = {
    .facts = {.name = "filter", .tests = true, .each = true}, .put = put};
