/* The table of a run's profile on a stream. */
#include "cli/profile.h"

#include "base/text.h"
#include "sched/profile_table.h"

void wadi_cli_print_profile(wadi_run *run, FILE *out) {
    wadi_run_stats s = {0};
    wadi_profile_table t = {0};
    wadi_text text = {0};
    if (wadi_run_profile(run, &t.row, &t.n, NULL) != WADI_OK) return;
    wadi_run_stats_get(run, &s);
    t.elapsed = s.elapsed_s;
    t.threads = s.threads;
    wadi_profile_table_print(&t, &text);
    fputs(wadi_text_str(&text), out);
    wadi_text_fini(&text);
}
