/* wadi check: whether a program's results depend on how its streams are cut into chunks.
 *
 * They must not, and only `fold_batch` lets a program see a chunk. The program runs several times on what the command line
 * binds, each time with another chunk size. Of every result, and of every element of a stream that goes out, a hash of its shape
 * and bytes is kept and compared; nothing is delivered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/hash.h"
#include "cli/bind.h"
#include "cli/command.h"
#include "operators/rules.h"
#include "operators/table.h"

enum { RUNS = 6, MOST_RUNS = 1000 };

/* ---- options ---- */

typedef struct options {
    const char *file;
    char *const *binding;
    char **bindings;
    int nbindings;
    int64_t runs, seed;
    wadi_compile_options compile;
    wadi_run_options run;
} options;

static wadi_status take_runs(void *o, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 2, MOST_RUNS, &((options *)o)->runs)) return WADI_OK;
    return wadi_args_bad("--runs", value, "a number from 2", err);
}

static wadi_status take_seed(void *o, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 0, INT64_MAX, &((options *)o)->seed)) return WADI_OK;
    return wadi_args_bad("--seed", value, "a number", err);
}

static wadi_status take_threads(void *o, const char *value, wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, 0, 4096, &n))
        return wadi_args_bad("--threads", value, "a number", err);
    ((options *)o)->run.threads = (int)n;
    return WADI_OK;
}

static wadi_status take_memory(void *o, const char *value, wadi_error *err) {
    if (wadi_args_size(value, &((options *)o)->run.memory)) return WADI_OK;
    return wadi_args_bad("--memory", value, "bytes, or 64M, 1G", err);
}

static wadi_status take_other(void *env, const char *value, wadi_error *err) {
    options *o = env;
    if (!o->file)
        o->file = value;
    else if (strchr(value, '='))
        o->bindings[o->nbindings++] = (char *)(uintptr_t)value;
    else
        return wadi_fail(err, WADI_INVALID, "unexpected \"%s\"", value);
    return WADI_OK;
}

static const wadi_args_option table[] = {{.name = "--runs", .take = take_runs},
                                         {.name = "--seed", .take = take_seed},
                                         {.name = "--threads", .take = take_threads},
                                         {.name = "--memory", .take = take_memory}};

/* ---- what a run gave ---- */

typedef struct trace {
    const char *name;
    WADI_VEC(uint64_t) hash; /* of each element; of a result: one */
} trace;

typedef struct observed {
    int64_t chunk;
    WADI_VEC(trace *) traces; /* streams, then results, in the program's order */
} observed;

static uint64_t hash_array(uint64_t h, const wadi_array *a) {
    const int64_t n = wadi_array_size(a);
    for (int d = 0; d < a->rank; d++) h = wadi_hash64(h + (uint64_t)a->shape[d]);
    for (int f = 0; f < a->fields; f++)
        h = wadi_hash64(h +
                        wadi_hash_bytes(a->column[f], (size_t)(n * wadi_type_size(a->type[f]))));
    return h;
}

static trace *new_trace(observed *o, const char *name) {
    trace *t = calloc(1, sizeof *t);
    if (!t || !wadi_vec_push(&o->traces, t)) {
        free(t);
        return NULL;
    }
    t->name = name;
    return t;
}

static wadi_status note(trace *t, int parts, const wadi_array *arrays, wadi_error *err) {
    uint64_t h = 0;
    for (int i = 0; i < parts; i++) h = hash_array(h, &arrays[i]);
    return wadi_vec_push(&t->hash, h) ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status note_element(void *env, int64_t index, int parts, const wadi_array *element,
                                wadi_error *err) {
    WADI_UNUSED(index);
    return note(env, parts, element, err);
}

static wadi_status watch(void *env, const wadi_bind *b, wadi_sink **out, wadi_error *err) {
    trace *t = new_trace(env, b->name);
    if (!t) return wadi_fail(err, WADI_MEMORY, "out of memory");
    return wadi_sink_callback(note_element, t, out, err);
}

static wadi_status note_results(observed *o, const wadi_module *m, wadi_run *run, wadi_error *err) {
    for (int i = 0; i < m->main->nyields; i++) {
        wadi_array a;
        trace *t = new_trace(o, m->outputs[i]);
        if (!t) return wadi_fail(err, WADI_MEMORY, "out of memory");
        WADI_TRY(wadi_run_result(run, m->outputs[i], &a, err));
        WADI_TRY(note(t, 1, &a, err));
    }
    return WADI_OK;
}

static void forget(observed *o) {
    for (size_t i = 0; i < o->traces.n; i++) {
        wadi_vec_free(&o->traces.at[i]->hash);
        free(o->traces.at[i]);
    }
    wadi_vec_free(&o->traces);
}

/* ---- runs ---- */

/* First as the policy likes, then one by one, then some sizes of every magnitude. */
static int64_t chunk_of(const options *o, int64_t run) {
    if (run < 2) return run;
    const uint64_t random = wadi_hash64((uint64_t)o->seed * MOST_RUNS + (uint64_t)run);
    return 2 + (int64_t)(random % (UINT64_C(1) << (3 + 3 * (run % 5))));
}

static wadi_status observe(const options *o, const wadi_module *m, const wadi_exe *exe,
                           observed *out, wadi_error *err) {
    wadi_cli_bindings bindings = {.sink = watch, .env = out};
    wadi_run_options how = o->run;
    wadi_run *run = NULL;
    how.chunk = out->chunk;
    wadi_status st = wadi_run_create(exe, &how, &run, err);
    if (st == WADI_OK) st = wadi_cli_bind(&bindings, m, run, o->nbindings, o->binding, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = note_results(out, m, run, err);
    wadi_run_destroy(run);
    wadi_cli_bindings_fini(&bindings);
    return st;
}

static wadi_status compare(const observed *a, const observed *b, wadi_error *err) {
    for (size_t i = 0; i < a->traces.n; i++) {
        const trace *x = a->traces.at[i], *y = b->traces.at[i];
        const size_t n = x->hash.n < y->hash.n ? x->hash.n : y->hash.n;
        size_t e = 0;
        while (e < n && x->hash.at[e] == y->hash.at[e]) e++;
        if (e == x->hash.n && e == y->hash.n) continue;
        return wadi_fail(
            err, WADI_FAULT,
            "\"%s\" depends on how streams are cut: with chunks of %lld it is not what "
            "it is with chunks of the policy's choice, from element %zu on",
            x->name, (long long)b->chunk, e);
    }
    return WADI_OK;
}

static wadi_status rerun(const options *o, const wadi_module *m, const wadi_exe *exe,
                         const observed *first, wadi_error *err) {
    for (int64_t k = 1; k < o->runs; k++) {
        observed now = {.chunk = chunk_of(o, k)};
        wadi_error why = {0};
        wadi_status st = observe(o, m, exe, &now, &why);
        if (st != WADI_OK)
            st = wadi_fail_at(err, why.at, st, "with chunks of %lld: %s", (long long)now.chunk,
                              why.msg);
        else
            st = compare(first, &now, err);
        forget(&now);
        if (st != WADI_OK) return st;
    }
    return WADI_OK;
}

static wadi_status check(const options *o, const char *text, const char *name, wadi_error *err) {
    wadi_module *m = NULL;
    wadi_exe *exe = NULL;
    observed first = {0};
    wadi_status st = wadi_ir_parse(text, name, wadi_operators(), &m, err);
    if (st == WADI_OK) st = wadi_compile_text(text, name, &o->compile, &exe, err);
    if (st == WADI_OK) st = observe(o, m, exe, &first, err);
    if (st == WADI_OK) st = rerun(o, m, exe, &first, err);
    if (st == WADI_OK) printf("%lld runs agree\n", (long long)o->runs);
    forget(&first);
    wadi_exe_destroy(exe);
    wadi_module_destroy(m);
    return st;
}

static int run(int argc, char **argv) {
    const wadi_args args = {table, sizeof table / sizeof *table, take_other, NULL};
    options o = {.binding = argv, .bindings = argv, .runs = RUNS};
    wadi_error err = {0};
    char *text = NULL;
    const char *name = NULL;
    if (wadi_args_parse(&args, argc, argv, &o, &err) != WADI_OK)
        return wadi_cli_misuse(&wadi_cli_check, "%s", err.msg);
    if (!o.file) return wadi_cli_misuse(&wadi_cli_check, "no program");
    wadi_status st = wadi_cli_read(o.file, &text, &name, &err);
    if (st == WADI_OK) st = check(&o, text, name, &err);
    free(text);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_check = {
    "check", "FILE.wadi [NAME=VALUE ...] [OPTIONS]",
    "runs a program with several chunk sizes and compares",
    "Results must not depend on how streams are cut into chunks; the step of a fold_batch can "
    "break that. Inputs and streams\n"
    "are bound as for `wadi run`, and read anew for each run; sinks are not bound, nothing is "
    "delivered.\n"
    "\n"
    "  --runs N           runs, 6 if not given; the first as the policy chooses, the second with "
    "chunks of one element\n"
    "  --seed N           other chunk sizes for the runs after these\n"
    "  --threads N        workers; 0, the default: one per processor\n"
    "  --memory SIZE      bound of the chunks in flight: bytes, or 512K, 64M, 1G\n",
    run};
