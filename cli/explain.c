/* wadi explain: shows what the compiler made of a program, and why.
 *
 * The explanation is one text in sections, each under a line that starts with "== "; options select some of them. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "cli/command.h"
#include "codegen/fast_math.h"
#include "codegen/pipeline.h"
#include "codegen/targets.h"
#include "sched/devices.h"
#include "sched/schedules.h"
#include "wadi/run.h"

/* The words of --only, and how the headings of their sections begin. */
static const struct part {
    const char *word, *heading[5];
} parts[] = {
    {"stages", {"stages"}},
    {"values", {"values", "checked when"}},
    {"plan", {"target", "plan", "in place", "copies", "devices"}},
    {"kernels", {"kernels of", "loops of", "pieces of"}},
    {"cost", {"cost", "expected"}},
    {"vectors", {"vectors in"}},
};
enum { PARTS = sizeof parts / sizeof *parts };

typedef struct options {
    const char *file, *pass;
    bool only[PARTS];
    wadi_compile_options compile;
    bool kernels;
} options;

static wadi_status take_other(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (o->file) return wadi_fail(err, WADI_INVALID, "unexpected \"%s\"", value);
    o->file = value;
    return WADI_OK;
}

static wadi_status take_schedule(void *env, const char *value, wadi_error *err) {
    options *o = env;
    return wadi_schedule_take(value, &o->compile.schedule, err);
}

/* stages,values,..: each must be a word of the table. */
static wadi_status take_only(void *env, const char *value, wadi_error *err) {
    options *o = env;
    do {
        const size_t n = strcspn(value, ",");
        int k = 0;
        while (k < PARTS && (strlen(parts[k].word) != n || strncmp(parts[k].word, value, n) != 0))
            k++;
        if (k == PARTS)
            return wadi_args_bad("--only", value, "stages, values, plan, kernels, cost or vectors",
                                 err);
        o->only[k] = true;
        o->compile.vectors = o->compile.vectors || strcmp(parts[k].word, "vectors") == 0;
        value += n + (value[n] == ',');
    } while (*value);
    return WADI_OK;
}

static bool any_part(const options *o) {
    for (int k = 0; k < PARTS; k++)
        if (o->only[k]) return true;
    return false;
}

/* The part that is asked for and has this heading; PARTS: there is none. */
static int part_of(const options *o, const char *heading) {
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; o->only[k] && i < 5 && parts[k].heading[i]; i++)
            if (strncmp(heading, parts[k].heading[i], strlen(parts[k].heading[i])) == 0) return k;
    return PARTS;
}

static const wadi_args_option table[] = {
    {.name = "--only", .take = take_only},
    {.name = "--schedule", .take = take_schedule},
    {.name = "--device", .take = wadi_device_take_kind},
    {.name = "--fast-math", .take = wadi_fast_math_take, .flag = true},
    {.name = "--target", .take = wadi_target_take},
    {.name = "--kernels", .field = offsetof(options, kernels)},
    {.name = "--extents", .text = true, .field = offsetof(options, compile.extents)},
    {.name = "--loops", .field = offsetof(options, compile.loops)},
    {.name = "--pass", .text = true, .field = offsetof(options, pass)},
    {.name = "--disable", .text = true, .field = offsetof(options, compile.disable)}};

static bool is_pass(const char *name) {
    if (strcmp(name, "source") == 0) return true;
    for (int i = 0; wadi_pipeline_name(i); i++)
        if (strcmp(wadi_pipeline_name(i), name) == 0) return true;
    return false;
}

static bool begins(const char *heading, size_t n, const char *first, const char *second) {
    const size_t a = strlen(first), b = strlen(second);
    return n > a + b && strncmp(heading, first, a) == 0 && strncmp(heading + a, second, b) == 0 &&
           heading[a + b] == ' ';
}

/* Whether options choose sections. */
static bool is_choice(const options *o) {
    return o->pass || o->kernels || o->compile.loops || any_part(o);
}

/* Whether options choose the section with this heading (n bytes, without "== "). */
static bool is_wanted(const options *o, const char *heading, size_t n) {
    if (!is_choice(o)) return true;
    if (part_of(o, heading) < PARTS) return true;
    if (o->kernels && begins(heading, n, "kernels", " of")) return true;
    if (o->compile.loops && begins(heading, n, "loops", " of")) return true;
    if (o->pass && strcmp(o->pass, "source") == 0)
        return begins(heading, n, "program as ", "written");
    return o->pass && begins(heading, n, "after ", o->pass);
}

static void print_sections(const options *o, const char *text) {
    bool wanted = !is_choice(o), told[PARTS + 1] = {false};
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, "\n");
        if (strncmp(line, "== ", 3) == 0) {
            wanted = is_wanted(o, line + 3, n - 3);
            told[part_of(o, line + 3)] = true;
        }
        if (wanted) printf("%.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    for (int k = 0; k < PARTS; k++)
        if (o->only[k] && !told[k])
            printf("%s: this program gives nothing to tell\n", parts[k].word);
}

static wadi_status explain(const options *o, const char *text, const char *name, wadi_error *err) {
    wadi_exe *exe = NULL;
    char *told = NULL;
    wadi_status st = wadi_compile_text(text, name, &o->compile, &exe, err);
    if (st == WADI_OK) st = wadi_explain(exe, &told, err);
    if (st == WADI_OK) print_sections(o, told);
    free(told);
    wadi_exe_destroy(exe);
    return st;
}

static int run(int argc, char **argv) {
    const wadi_args args = {table, sizeof table / sizeof *table, take_other, NULL};
    options o = {.compile = {.explain = true}};
    wadi_error err = {0};
    if (wadi_args_parse(&args, argc, argv, &o, &err) != WADI_OK)
        return wadi_cli_misuse(&wadi_cli_explain, "%s", err.msg);
    if (!o.file) return wadi_cli_misuse(&wadi_cli_explain, "no program");
    if (o.pass && !is_pass(o.pass))
        return wadi_cli_misuse(&wadi_cli_explain, "there is no pass \"%s\"; see wadi passes",
                               o.pass);
    char *text = NULL;
    const char *name = NULL;
    const wadi_device_row *device = NULL;
    wadi_status st = wadi_device_kind(NULL, &device, &err); /* WADI_DEVICE may say anything */
    if (st == WADI_OK) st = wadi_cli_read(o.file, &text, &name, &err);
    if (st == WADI_OK) st = explain(&o, text, name, &err);
    free(text);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_explain = {
    "explain",
    "FILE.wadi [--only SECTIONS] [--extents NAME=N,..] [--pass NAME] [--loops] [--kernels] "
    "[--schedule NAME] [--device "
    "NAME] [--target "
    "NAME] "
    "[--fast-math] [--disable PASSES]",
    "shows what the compiler makes of a program, and why",
    "Without options it shows the program after each pass, how each value is stored, which fusions "
    "were made\n"
    "or refused, what each pass over arrays costs, the plan, and the kernels.\n"
    "  --only SECTIONS    shows only these, separated by commas: stages (joined or not), values "
    "(how they are\n"
    "                     stored, fused, and computed in one pass), plan, kernels, cost (bytes "
    "and operations of\n"
    "                     each pass, what is read several times, schedules and chunks to "
    "expect), vectors\n"
    "                     (which loops of the kernels the C compiler has vectorised: it is run, so "
    "this takes a while)\n"
    "  --extents NAME=N,..  what these extents decide is shown as numbers: bytes, elements, "
    "memory\n"
    "  --pass NAME        shows only the program after this pass (source: as it was written)\n"
    "  --loops            shows only the loop IR, from which kernels are written\n"
    "  --kernels          shows only the kernels\n"
    "  --schedule NAME    shows kernels and loop IR of this schedule, where a body offers it; see "
    "wadi schedules\n"
    "  --target NAME      shows kernels for this target: opencl, ..; see wadi version\n"
    "  --device NAME      shows kernels for this device, or list of devices, and what is copied "
    "there and back;\n"
    "                     it need not be there; see wadi devices\n"
    "  --fast-math        says, in the section on the target, what fast math gives up there\n"
    "  --disable PASSES   leaves out these passes, separated by commas; see wadi passes\n",
    run};
