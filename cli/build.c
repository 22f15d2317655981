/* wadi build: makes the kernels of programs ahead of time. */
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/command.h"
#include "codegen/fast_math.h"
#include "wadi/kernels.h"

typedef struct options {
    const char *out, *targets;
    WADI_VEC(const char *) files;
} options;

static wadi_status take_file(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (wadi_vec_push(&o->files, value)) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static const wadi_args_option table[] = {
    {.name = "--output", .letter = "-o", .text = true, .field = offsetof(options, out)},
    {.name = "--target", .text = true, .field = offsetof(options, targets)},
    {.name = "--fast-math", .take = wadi_fast_math_take, .flag = true}};

static wadi_status build(const options *o, const char *file, const char *out, wadi_error *err) {
    char *text = NULL;
    const char *name = NULL;
    wadi_exe *exe = NULL;
    wadi_status st = wadi_cli_read(file, &text, &name, err);
    if (st == WADI_OK) st = wadi_compile_text(text, name, NULL, &exe, err);
    if (st == WADI_OK) st = wadi_exe_build(exe, o->targets, out, err);
    wadi_exe_destroy(exe);
    free(text);
    return st;
}

/* Of the first program, in the current folder: "gauss.wadi" becomes "gauss.kernels". The caller frees it. */
static char *usual_name(const char *file) {
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    wadi_text t = {0};
    wadi_text_add_n(&t, name, dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name));
    wadi_text_add(&t, ".kernels");
    return wadi_text_take(&t);
}

static int run(int argc, char **argv) {
    const wadi_args args = {table, sizeof table / sizeof *table, take_file, NULL};
    options o = {0};
    wadi_error err = {0};
    int status = WADI_CLI_OK;
    if (wadi_args_parse(&args, argc, argv, &o, &err) != WADI_OK) {
        status = wadi_cli_misuse(&wadi_cli_build, "%s", err.msg);
    } else if (o.files.n == 0) {
        status = wadi_cli_misuse(&wadi_cli_build, "no program");
    } else {
        char *out = o.out != NULL ? strdup(o.out) : usual_name(o.files.at[0]);
        wadi_status st = out != NULL ? WADI_OK : wadi_fail(&err, WADI_MEMORY, "out of memory");
        for (size_t i = 0; i < o.files.n && st == WADI_OK; i++)
            st = build(&o, o.files.at[i], out, &err);
        if (st != WADI_OK) status = wadi_cli_fail(&err);
        free(out);
    }
    wadi_vec_free(&o.files);
    return status;
}

const wadi_cli_command wadi_cli_build = {
    "build", "FILE.wadi.. [-o FILE.kernels] [--target NAME,NAME..] [--fast-math]",
    "makes the kernels of programs ahead of time, into a bundle",
    "Makes all kernels that runs may choose, and adds them to the bundle, by default NAME.kernels "
    "in "
    "the current\n"
    "folder. `wadi run --kernels FILE`, and runs with WADI_KERNELS=FILE (or its folder), take "
    "kernels "
    "from it and\n"
    "need no compiler.\n"
    "  -o, --output FILE  the bundle\n"
    "  --target NAMES     what they are made for; by default $WADI_BUILD_TARGETS, or "
    "x86-64-v2,x86-64-v3,\n"
    "                     x86-64-v4. Also opencl, cuda:sm_90, and armv8-a where a cross compiler "
    "is; see\n"
    "                     wadi version\n"
    "  --fast-math        for runs with --fast-math\n",
    run};
