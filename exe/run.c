/* Runs of an executable: the runtime's runs (sched/run.h) with this loader. */
#include "base/error.h"
#include "base/say.h"
#include "connectors/work.h"
#include "exe/exe.h"
#include "sched/run.h"
#include "sched/view.h"
#include "sched/watch/answer.h"

void wadi_exe_warm(const wadi_exe *exe, const wadi_run_options *options) {
    const wadi_run_options none = {0};
    if (!exe) return;
    wadi_exe_expect((wadi_exe *)(uintptr_t)exe, options ? options : &none, false);
}

/* That there is no such device the run itself tells. */
static wadi_status check_device(const wadi_exe *exe, const wadi_run_options *options,
                                wadi_error *err) {
    const wadi_device_row *row = NULL;
    if (wadi_device_kind(options ? options->device : NULL, &row, NULL) != WADI_OK) return WADI_OK;
    return wadi_exe_check_fit(exe, row, err);
}

/* A program may be saved as a whole, and its runs not. */
static bool drain(void *env) {
    wadi_run *run = env;
    if (wadi_watch_program_drains(true)) return true;
    if (!wadi_view_can_drain(run)) return false;
    wadi_run_drain(run);
    return true;
}

static wadi_status tell(void *env, const char *asked, wadi_text *out, wadi_error *err) {
    return wadi_watch_answer_of(env, wadi_say_name(), asked, out, err);
}

/* Workers of other processes can come from now on. */
static wadi_status open_via(wadi_exe *exe, wadi_run *run, const wadi_run_options *o,
                            wadi_error *err) {
    static const int64_t kept_bytes = INT64_C(1) << 30;
    WADI_TRY(wadi_exe_supply_open(exe, err));
    const wadi_workq_options q = {.address = o->via,
                                  .home = true,
                                  .memory = o->memory > 0 ? o->memory : kept_bytes,
                                  .wake_fd = -1,
                                  .drain = drain,
                                  .tell = tell,
                                  .env = run,
                                  .kernels = wadi_exe_supply_reply,
                                  .kernels_env = exe};
    wadi_workq *queue = NULL;
    WADI_TRY(wadi_link_work_open(&q, o->via_keys, &queue, err));
    return wadi_run_work_by(run, o->via, queue, err);
}

wadi_status wadi_run_create(const wadi_exe *exe, const wadi_run_options *options,
                            wadi_run **out_run, wadi_error *err) {
    WADI_GIVEN(err, exe);
    WADI_GIVEN(err, out_run);
    *out_run = NULL;
    WADI_TRY(check_device(exe, options, err));
    /* its lock guards what loading changes */
    wadi_exe *own = (wadi_exe *)(uintptr_t)exe;
    const wadi_loader loader = wadi_exe_loader(own);
    WADI_TRY(wadi_run_create_for(exe->plan, &loader, options, out_run, err));
    if (!options || !options->via) return WADI_OK;
    const wadi_status st = open_via(own, *out_run, options, err);
    if (st == WADI_OK) return WADI_OK;
    wadi_run_destroy(*out_run);
    *out_run = NULL;
    return st;
}
