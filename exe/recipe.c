/* What another process needs to compile the same program: its text, and the options that decide the plan. */
#include "base/error.h"
#include "exe/exe.h"
#include "sched/foreign_own.h"

wadi_status wadi_exe_keep_recipe(wadi_exe *exe, const char *text, const char *file,
                                 const wadi_compile_options *options, wadi_error *err) {
    wadi_text printed = {0};
    wadi_text *r = &exe->recipe;
    if (!text) wadi_ir_print(exe->module, &printed);
    wadi_state_put(r, (options->unchecked ? WADI_RECIPE_UNCHECKED : 0) |
                          (options->no_foreign ? WADI_RECIPE_NO_FOREIGN : 0) |
                          (options->steady ? WADI_RECIPE_STEADY : 0));
    wadi_state_put_text(r, options->disable ? options->disable : "");
    wadi_state_put_text(r, text && file ? file : "");
    wadi_state_put_text(r, text ? text : wadi_text_str(&printed));
    const bool failed = r->failed || printed.failed;
    wadi_text_fini(&printed);
    return failed ? wadi_fail(err, WADI_MEMORY, "compile: out of memory") : WADI_OK;
}

void wadi_exe_describe_libraries(const wadi_exe *exe, wadi_text *out) {
    if (wadi_plan_calls_routines(exe->plan)) wadi_foreign_own_describe(out);
}

static void put_libraries(const wadi_exe *exe, wadi_text *out) {
    wadi_text libraries = {0};
    wadi_exe_describe_libraries(exe, &libraries);
    wadi_state_put_text(out, wadi_text_str(&libraries));
    out->failed = out->failed || libraries.failed;
    wadi_text_fini(&libraries);
}

wadi_status wadi_exe_put_recipe(const wadi_exe *exe, wadi_text *out, wadi_error *err) {
    put_libraries(exe, out);
    wadi_text_add_n(out, exe->recipe.at, exe->recipe.n);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "charter: out of memory") : WADI_OK;
}
