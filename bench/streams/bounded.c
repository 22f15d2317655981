/* Memory does not grow with the stream: 20 GiB of generated elements of 64 KiB pass through a budget of 256 MiB to a sink that
 * checks each. The columns of its line are not seconds but MiB: the most that was resident, and the budget as the peer. */
#include "bench/streams/benchmarks.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "wadi/wadi.h"

static const char program[] =
    "program generated\n"
    "input n : i64\n"
    "blocks = produce n (i) {\n"
    "  block = generate 8192 (k) { mul (convert f64 k) (convert f64 (the i)) }\n"
    "  yield block\n"
    "}\n"
    "stream_out \"out\" blocks\n";

static wadi_status look(void *env, int64_t index, int parts, const wadi_array *a, wadi_error *err) {
    int64_t *seen = env;
    const double *x = a->column[0];
    WADI_UNUSED(parts);
    if (x[1] == (double)index && x[8191] == (double)index * 8191 && index == (*seen)++)
        return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "element %lld is wrong", (long long)index);
}

static wadi_status run(const wadi_exe *exe, int64_t budget, int64_t n, wadi_run_stats *out,
                       wadi_error *err) {
    const wadi_run_options options = {.memory = budget};
    const wadi_array count = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
    int64_t seen = 0;
    wadi_sink *sink = NULL;
    wadi_run *r = NULL;
    wadi_status status = wadi_sink_callback(look, &seen, &sink, err);
    if (status == WADI_OK) status = wadi_run_create(exe, &options, &r, err);
    if (status == WADI_OK) status = wadi_run_input(r, "n", &count, err);
    if (status == WADI_OK) status = wadi_run_sink(r, "out", sink, err);
    if (status == WADI_OK) status = wadi_run_go(r, err);
    if (status == WADI_OK) wadi_run_stats_get(r, out);
    wadi_run_destroy(r);
    wadi_sink_destroy(sink);
    return status;
}

wadi_status bench_bounded(bench *b, wadi_error *err) {
    enum { MIB = 1 << 20 };
    const char *name = b->quick ? "20 MiB under 256 MiB" : "20 GiB under 256 MiB";
    const int64_t budget = INT64_C(256) * MIB, n = b->quick ? 320 : 327680;
    wadi_exe *exe = NULL;
    wadi_run_stats stats = {0};
    struct rusage used = {0};
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(wadi_compile_text(program, "bounded", NULL, &exe, err));
    const int64_t start = wadi_clock_ns();
    const wadi_status status = run(exe, budget, n, &stats, err);
    const double seconds = (double)(wadi_clock_ns() - start) * 1e-9;
    wadi_exe_destroy(exe);
    if (status != WADI_OK) return status;
    (void)getrusage(RUSAGE_SELF, &used);
    bench_say(b, "bounded: %.2f GB/s; %.0f MiB in chunks and temporaries at most",
              (double)stats.bytes_out / seconds * 1e-9, (double)stats.memory_peak / MIB);
    return bench_line(b, "bounded", name, (double)used.ru_maxrss / 1024, "budget (MiB)",
                      (double)budget / MIB, err);
}
