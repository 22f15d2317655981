/* Compiling: a program, built by calls or written as text, passes through the pipeline and becomes a plan. */
#include "exe/ahead_of_time.h"
#include "exe/exe.h"
#include "exe/expect.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keep.h"
#include "base/task.h"
#include "codegen/explain.h"
#include "codegen/fast_math.h"
#include "codegen/given.h"
#include "codegen/pipeline.h"
#include "codegen/plan/plan.h"
#include "codegen/targets.h"
#include "graph/lang/node.h"
#include "operators/table.h"
#include "sched/copies.h"
#include "sched/lives.h"
#include "sched/foreign.h"
#include "sched/schedules.h"
#include "sched/split/pieces.h"

static const wadi_compile_options defaults = {0};

/* The kind of device that $WADI_DEVICE asks for, or the first that takes the target of the executable; NULL: there is none. */
static const wadi_device_row *usual_device(const wadi_exe *exe) {
    const wadi_device_row *row = NULL;
    if (wadi_device_kind(NULL, &row, NULL) == WADI_OK && wadi_exe_takes(row->language, exe->target))
        return row;
    for (row = wadi_devices; row->name != NULL; row++)
        if (wadi_exe_takes(row->language, exe->target)) return row;
    return NULL;
}

/* The schedule that runs with option `o` are forced to; -1: none. */
static int forced_schedule(const wadi_exe *exe, wadi_schedule_option o) {
    const wadi_device_row *row = usual_device(exe);
    return row != NULL ? wadi_device_force(row, o) : wadi_forced_schedule(o);
}

/* Which launches devices that work as one share out, if such devices are asked for. */
static void write_pieces(const wadi_exe *exe, const wadi_plan_body *b, const wadi_made *made,
                         const char *schedule, wadi_text *t) {
    wadi_device_choice c[WADI_DEVICES_MOST];
    int n = 0, i = 0;
    if (wadi_device_names(NULL, c, &n, NULL) != WADI_OK) return;
    while (i < n && c[i].parts == 1) i++;
    if (i == n) return;
    wadi_text_addf(t,
                   "\n== pieces of %s, schedule %s ==\n\n%s works as one device. A launch is "
                   "shared out if that copies no more than the first alone would need:\n",
                   b->name, schedule, c[i].name);
    wadi_split_pieces_print(exe->plan, &made->version, t);
}

/* What the compiler of the kernels says of their loops. */
static wadi_status write_vectors(const wadi_exe *exe, const wadi_plan_body *b,
                                 const wadi_made *made, const char *schedule, wadi_text *t,
                                 wadi_error *err) {
    const wadi_language *language = made->target->language;
    wadi_image_builder builder;
    wadi_text_addf(t, "\n== vectors in kernels of %s, schedule %s ==\n\n", b->name, schedule);
    if (language->vectors == NULL) {
        wadi_text_addf(t, "what compiles %s does not tell\n", language->name);
        return WADI_OK;
    }
    WADI_TRY(language->find(made->target, &builder, err));
    builder.fast = exe->fast;
    return language->vectors(&builder, made->source, t, err);
}

/* The steps and the text of one version, from its first kernel on: what is pasted in front is the same for all. */
static wadi_status write_version(wadi_exe *exe, const wadi_compile_options *o, int body,
                                 wadi_version_key version, wadi_text *t, wadi_error *err) {
    const wadi_plan_body *b = &exe->plan->bodies[body];
    const int forced = forced_schedule(exe, o->schedule);
    const wadi_made *made = NULL;
    if (!wadi_exe_may_take(b, version, forced)) return WADI_OK;
    WADI_TRY(wadi_exe_make(exe, wadi_exe_version_of(exe->sets, body, version), &made, err));
    if (made->loops)
        wadi_text_addf(t, "\n== loops of %s, schedule %s ==\n\n%s", b->name,
                       wadi_version_name(version), made->loops);
    wadi_text_addf(t, "\n== kernels of %s, schedule %s ==\n\n", b->name,
                   wadi_version_name(version));
    wadi_plan_version_print(exe->plan, &made->version, t);
    wadi_text_addf(t, "\n%s", made->kernels);
    write_pieces(exe, b, made, wadi_version_name(version), t);
    return o->vectors ? write_vectors(exe, b, made, wadi_version_name(version), t, err) : WADI_OK;
}

/* What is given up, and what is not. */
static void write_fast_math(const wadi_target *target, wadi_text *t) {
    wadi_text_add(
        t, "fast math: bits of results depend on the device, the schedule and the chunks:\n");
    for (const char *line = target->language->gives_up; *line != '\0'; line += *line == '\n') {
        const size_t n = strcspn(line, "\n");
        wadi_text_add(t, "  ");
        wadi_text_add_n(t, line, n);
        wadi_text_add(t, "\n");
        line += n;
    }
    wadi_text_add(
        t, "as without: integers, the order of sums, infinities and NaN, functions such as exp\n");
}

/* What the kernels are made for, and where they run. */
static void write_target(const wadi_exe *exe, wadi_text *t) {
    const wadi_target *target = exe->target;
    bool more = false;
    wadi_text_addf(t, "\n== target ==\n\n%s, in %s: %s\ndevices that run it:", target->name,
                   target->language->name, target->about);
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++) {
        if (!wadi_exe_takes(d->language, target)) continue;
        wadi_text_addf(t, "%s %s", more ? "," : "", d->name);
        more = true;
    }
    wadi_text_add(t, "\n");
    if (exe->fast) write_fast_math(target, t);
}

/* Whether all of the list would compute the same bits. */
static bool are_alike(const wadi_exe *exe, const wadi_device_choice *c, int n) {
    const wadi_loader l = wadi_exe_loader((wadi_exe *)(uintptr_t)exe);
    bool alike = true;
    for (int i = 1; i < n; i++)
        alike = alike && strcmp(c[i].row->language, c[0].row->language) == 0;
    return alike || l.exact(l.self);
}

/* Of a list: who has what. Each device of the list is named, or the kinds of "all". */
static void write_lives(const wadi_exe *exe, const wadi_device_choice *c, int n, wadi_text *t) {
    wadi_lives_device d[WADI_DEVICES_MOST];
    for (int i = 0; i < n; i++)
        d[i] = (wadi_lives_device){c[i].name, wadi_device_idle(&c[i], c, i, false)};
    wadi_text_add(t, "\n== devices ==\n\n");
    const bool alike = are_alike(exe, c, n);
    wadi_lives_print(exe->plan, d, alike ? n : 1, t);
    if (!alike)
        wadi_text_add(t, "what is shared\n    nothing: the others would round otherwise, and so "
                         "compute nothing\n");
}

static void write_home(const wadi_exe *exe, const wadi_device_choice *c, const wadi_copies *copies,
                       wadi_text *t) {
    if (c->row->apart)
        wadi_copies_print(exe->plan, copies, c->name, t);
    else
        wadi_text_addf(t, "%s computes in the memory of the host: nothing is copied for it.\n",
                       c->name);
    if (c->parts > 1)
        wadi_text_addf(t,
                       "At %s an array lives in parts where the launch that writes it is shared "
                       "out, each with the device that has computed it; else at the first.\n",
                       c->name);
}

/* Where columns live: told when a device is asked for that is not just the processors. */
static wadi_status write_copies(const wadi_exe *exe, wadi_text *t, wadi_error *err) {
    wadi_device_choice c[WADI_DEVICES_MOST];
    wadi_copies copies = {0};
    int n = 0;
    if (wadi_device_names(NULL, c, &n, NULL) != WADI_OK || (n == 1 && !c[0].row->apart))
        return WADI_OK;
    WADI_TRY(wadi_copies_list(exe->plan, &copies, err));
    if (n > 1) write_lives(exe, c, n, t);
    wadi_text_add(t, "\n== copies ==\n\n");
    for (int i = 0; i < n; i++) {
        if (n > 1) wadi_text_addf(t, "%sIf %s is home: ", i > 0 ? "\n" : "", c[i].name);
        write_home(exe, &c[i], &copies, t);
    }
    wadi_vec_free(&copies);
    return WADI_OK;
}

static wadi_status write_report(wadi_exe *exe, const wadi_compile_options *o, const wadi_diag *diag,
                                wadi_error *err) {
    wadi_text t;
    wadi_status st = WADI_OK;
    WADI_TRY(wadi_explain_check(exe->module, &exe->facts, o->extents, err));
    wadi_text_init(&t);
    wadi_explain_text(diag, exe->module, &exe->facts, o->extents, &t);
    write_target(exe, &t);
    wadi_text_add(&t, "\n== plan ==\n\n");
    wadi_plan_print_short(exe->plan, &t);
    wadi_explain_placed(diag, exe->module, &t);
    wadi_exe_foresee(exe, o ? forced_schedule(exe, o->schedule) : -1, o->extents, &t);
    st = write_copies(exe, &t, err);
    for (int b = 0; b < exe->plan->nbodies; b++)
        for (int k = 0; k < WADI_BODY_VERSIONS && st == WADI_OK; k++)
            st = write_version(exe, o, b, wadi_version_numbered(k), &t, err);
    exe->report = wadi_text_take(&t);
    if (!exe->report && st == WADI_OK) return wadi_fail(err, WADI_MEMORY, "explain: out of memory");
    return st;
}

/* The target that is asked for, or one for the device that $WADI_DEVICE asks for; the device itself need not be there. */
static wadi_status pick_target(wadi_exe *exe, const wadi_compile_options *o, wadi_error *err) {
    const wadi_device_row *device = NULL;
    WADI_TRY(wadi_target_find(o->target, &exe->target, err));
    exe->asked = wadi_target_is_asked(o->target);
    if (exe->asked || wadi_device_kind(NULL, &device, NULL) != WADI_OK) return WADI_OK;
    if (wadi_exe_takes(device->language, exe->target)) return WADI_OK;
    const wadi_target *own = wadi_exe_target_in(device->language);
    if (own) exe->target = own;
    return WADI_OK;
}

/* Runs the passes over the module and plans it. */
static wadi_status build(wadi_exe *exe, const wadi_compile_options *o, wadi_error *err) {
    const wadi_pipeline_options passes = {.disable = o->disable,
                                          .verify = o->verify,
                                          .steady = o->steady,
                                          .routine = o->no_foreign ? NULL : wadi_foreign_has};
    wadi_plan_options plan = {.unchecked = o->unchecked};
    wadi_diag *diag = NULL;
    wadi_exe_set *first = NULL;
    uint8_t written[sizeof exe->plan->written];
    WADI_TRY(wadi_given_check(o->extents, err));
    WADI_TRY(wadi_plan_digest(exe->module, &plan, written, err));
    WADI_TRY(pick_target(exe, o, err));
    exe->fast =
        o->math == WADI_MATH_FAST || (o->math == WADI_MATH_AUTO && wadi_fast_math_is_asked());
    if (o->explain) {
        diag = wadi_diag_create(true);
        if (!diag) return wadi_fail(err, WADI_MEMORY, "explain: out of memory");
    }
    plan.diag = diag;
    wadi_status st = wadi_pipeline_run(exe->module, &passes, diag, &exe->facts, err);
    if (st == WADI_OK)
        st = wadi_plan_build(exe->module, &exe->facts, &plan, &exe->plan, &exe->versions, err);
    if (st == WADI_OK) memcpy(exe->plan->written, written, sizeof written);
    if (st == WADI_OK) st = wadi_exe_set_of(exe, NULL, exe->target, &first, err);
    if (st == WADI_OK && o->loops) wadi_versions_keep_loops(exe->versions);
    if (st == WADI_OK && diag) st = write_report(exe, o, diag, err);
    wadi_diag_destroy(diag);
    return st;
}

static wadi_status make_sync(wadi_exe *exe, wadi_error *err) {
    WADI_TRY(wadi_stop_init(&exe->stop, wadi_task_now()->stop, err));
    const wadi_status st = wadi_mutex_init_with(&exe->lock, &exe->made, err);
    if (st != WADI_OK) wadi_stop_fini(&exe->stop);
    return st;
}

/* text: of the module, which is in this file; NULL: it was built by calls. */
static wadi_status compile_module(wadi_module *owned_m, const char *text, const char *file,
                                  const wadi_compile_options *options, wadi_exe **out_exe,
                                  wadi_error *err) {
    wadi_exe *exe = calloc(1, sizeof *exe);
    wadi_status st =
        exe ? make_sync(exe, err) : wadi_fail(err, WADI_MEMORY, "compile: out of memory");
    if (st != WADI_OK) {
        free(exe);
        wadi_module_destroy(owned_m);
        return st;
    }
    wadi_keep_hold(); /* what one run of it leaves the next one finds */
    exe->module = owned_m;
    exe->compiling = wadi_exe_follow;
    st = wadi_exe_keep_recipe(exe, text, file, options ? options : &defaults, err);
    if (st == WADI_OK) st = build(exe, options ? options : &defaults, err);
    if (st == WADI_OK) st = wadi_exe_record(exe, err);
    if (st != WADI_OK) {
        wadi_exe_destroy(exe);
        return st;
    }
    *out_exe = exe;
    return WADI_OK;
}

wadi_status wadi_compile(const wadi_program *p, const wadi_compile_options *options,
                         wadi_exe **out_exe, wadi_error *err) {
    WADI_GIVEN(err, out_exe);
    wadi_module *m = NULL;
    *out_exe = NULL;
    WADI_TRY(wadi_program_lower(p, wadi_operators(), &m, err));
    return compile_module(m, NULL, NULL, options, out_exe, err);
}

wadi_status wadi_compile_text(const char *text, const char *file,
                              const wadi_compile_options *options, wadi_exe **out_exe,
                              wadi_error *err) {
    WADI_GIVEN(err, text);
    WADI_GIVEN(err, out_exe);
    wadi_module *m = NULL;
    *out_exe = NULL;
    WADI_TRY(wadi_ir_parse(text, file, wadi_operators(), &m, err));
    const wadi_status st = wadi_ir_verify(m, err);
    if (st == WADI_OK) return compile_module(m, text, file, options, out_exe, err);
    wadi_module_destroy(m);
    return st;
}

/* Those that devices may still use, so that nobody takes them for lost. */
static void keep_for_ever(wadi_exe *exe) {
    static _Atomic(wadi_exe *) kept;
    exe->next = atomic_load(&kept);
    while (!atomic_compare_exchange_weak(&kept, &exe->next, exe)) continue;
}

void wadi_exe_destroy(wadi_exe *exe) {
    if (!exe) return;
    if (exe->supply_close) exe->supply_close(exe);
    wadi_exe_settle(exe);
    if (exe->stays || !wadi_exe_unload(exe)) {
        keep_for_ever(exe);
        return;
    }
    free(exe->report);
    wadi_exe_sent_close(exe);
    wadi_text_fini(&exe->recipe);
    wadi_versions_destroy(exe->versions);
    wadi_plan_destroy(exe->plan);
    wadi_facts_fini(&exe->facts);
    wadi_module_destroy(exe->module);
    wadi_mutex_fini_with(&exe->lock, &exe->made);
    wadi_stop_fini(&exe->stop);
    free(exe);
    wadi_keep_drop();
}

wadi_status wadi_explain(const wadi_exe *exe, char **out_text, wadi_error *err) {
    WADI_GIVEN(err, exe);
    WADI_GIVEN(err, out_text);
    wadi_text t;
    *out_text = NULL;
    if (!exe->report)
        return wadi_fail(err, WADI_INVALID, "explain: the program was compiled without it");
    wadi_text_init(&t);
    wadi_text_add(&t, exe->report);
    *out_text = wadi_text_take(&t);
    if (!*out_text) return wadi_fail(err, WADI_MEMORY, "explain: out of memory");
    return WADI_OK;
}
