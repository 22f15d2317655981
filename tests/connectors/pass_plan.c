/* Makes the plan by hand and runs it. */
#include "tests/connectors/pass_plan.h"

static const int zero[] = {0};

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    (void)self;
    (void)plan;
    (void)body;
    (void)version;
    (void)out;
    (void)err;
    return WADI_INTERNAL;
}

static wadi_status bind_and_go(wadi_run *x, wadi_source *in, wadi_sink *out, wadi_error *err) {
    wadi_status status = wadi_run_source(x, "in", in, err);
    if (status == WADI_OK) status = wadi_run_sink(x, "out", out, err);
    if (status == WADI_OK) status = wadi_run_go(x, err);
    return status;
}

wadi_status pass_through(wadi_source *in, wadi_sink *out, wadi_type type, int rank, int64_t chunk,
                         wadi_error *err) {
    const wadi_plan_slot slot = {
        .name = "x", .kind = WADI_SLOT_IRREGULAR, .rank = rank, .fields = 1, .type = {type}};
    const wadi_plan_source source = {.name = "in", .nslots = 1, .slots = zero};
    const wadi_plan_stage stage = {.change = WADI_CHANGE_READ,
                                   .nsources = 1,
                                   .sources = &source,
                                   .nparts = 1,
                                   .parts = zero,
                                   .size = -1,
                                   .first = -1,
                                   .hop = -1,
                                   .body = -1,
                                   .nresults = 1,
                                   .results = zero};
    const wadi_plan_end end = {.kind = WADI_END_SINK, .nfrom = 1, .from = zero, .name = "out"};
    const wadi_plan_phase phase = {
        .is_stream = true, .stream = {.nstages = 1, .stages = &stage, .nends = 1, .ends = &end}};
    const wadi_plan plan = {
        .name = "pass", .nslots = 1, .slots = &slot, .nphases = 1, .phases = &phase};
    const wadi_loader loader = {.load = load};
    const wadi_run_options options = {.threads = 1, .chunk = chunk};
    wadi_run *x = NULL;
    wadi_status status = wadi_run_create_for(&plan, &loader, &options, &x, err);
    if (status == WADI_OK) status = bind_and_go(x, in, out, err);
    wadi_run_destroy(x);
    return status;
}

wadi_status pass_planes(wadi_sink *out, wadi_type type, int64_t planes, int64_t h, int64_t w,
                        const void *values, wadi_error *err) {
    const wadi_array a = {.rank = 3,
                          .fields = 1,
                          .type = {type},
                          .shape = {planes, h, w},
                          .column = {(void *)(uintptr_t)values}};
    wadi_source *in = NULL;
    wadi_status status = wadi_source_memory(&a, &in, err);
    if (status == WADI_OK) status = pass_through(in, out, type, 2, 1, err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    return status;
}
