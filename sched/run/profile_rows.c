/* The lines of a run's profile: of the compute thread first, then of those beside it. */
#include "base/error.h"
#include "sched/run/state.h"

static void add_of(const wadi_run *x, bool beside, wadi_profile_rows *rows) {
    for (const wadi_profile *p = x->profiles; p != NULL; p = p->next)
        if (p->beside == beside) wadi_profile_add_rows(p, rows);
}

/* What threads of sources and sinks do, the meter knows. */
static void add_threads(wadi_run *x, wadi_profile_rows *rows) {
    wadi_run_stats s;
    wadi_run_stats_get(x, &s);
    const wadi_profile_row row[] = {{.kind = WADI_PROFILE_READING,
                                     .name = "sources",
                                     .bytes_read = s.bytes_in,
                                     .seconds = s.source_s,
                                     .busy = s.source_s},
                                    {.kind = WADI_PROFILE_WRITING,
                                     .name = "sinks",
                                     .bytes_written = s.bytes_out,
                                     .seconds = s.sink_s,
                                     .busy = s.sink_s}};
    for (int i = 0; i < 2; i++) {
        wadi_profile_row r = row[i];
        if (r.seconds == 0) continue;
        r.phase = r.stage = -1;
        r.device = "";
        r.beside = true;
        wadi_profile_add_row(rows, &r, NULL);
    }
}

wadi_status wadi_run_profile(wadi_run *run, const wadi_profile_row **out_rows, int *out_n,
                             wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, out_rows);
    WADI_GIVEN(err, out_n);
    if (!run->options.profile)
        return wadi_fail(err, WADI_INVALID, "the run keeps no profile: its options do not ask");
    if (run->end_ns == 0) return wadi_fail(err, WADI_INVALID, "the run has not ended: no profile");
    if (run->rows.arena == NULL) {
        wadi_profile_rows rows = {.arena = wadi_arena_create()};
        if (rows.arena != NULL) {
            add_of(run, false, &rows);
            add_of(run, true, &rows);
            add_threads(run, &rows);
        }
        if (rows.arena == NULL || rows.failed) {
            wadi_arena_destroy(rows.arena);
            return wadi_fail(err, WADI_MEMORY, "profile: out of memory");
        }
        run->rows = rows;
    }
    *out_rows = run->rows.at;
    *out_n = run->rows.n;
    return WADI_OK;
}
