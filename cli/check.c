/* wadi check: tests whether a program's results depend on how its streams are cut into chunks, and whether library routines
 * compute what the program says they mean.
 *
 * Results must not depend on the cut, and only `fold_batch` lets a program see a chunk. The program runs several times on what
 * the command line binds, each time with another chunk size. Nothing is delivered. Instead, a hash of the shape and bytes of
 * each result, and of each element of an outgoing stream, is kept and compared. A program that calls routines runs once more
 * without them, by the regions that define their meaning; its results must agree except for rounding. On another
 * device than the first of the table, the program runs once more on the first. Of several devices, each runs it once more alone, and all of them once in
 * turn, chunk by chunk, since short runs would be shared by none. If all inputs were typed and the run was short, the
 * interpreter also runs the program.
 *
 * With fast math, real numbers need only be close, and the program runs once more without it; the largest differences are told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/bind.h"
#include "cli/command.h"
#include "cli/difference.h"
#include "cli/meaning.h"
#include "cli/options.h"
#include "cli/routines.h"
#include "operators/rules.h"
#include "operators/table.h"
#include "sched/devices.h"
#include "sched/run.h"

enum { RUNS = 6, MOST_RUNS = 1000 };

/* The interpreter repeats a run only if it took no more processor time than this. */
static const clock_t SHORT = CLOCKS_PER_SEC / 50;

/* ---- options ---- */

typedef struct options {
    wadi_cli_options shared;
    int64_t runs, seed;
} options;

static wadi_status take_runs(void *env, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 2, MOST_RUNS, &((options *)env)->runs)) return WADI_OK;
    return wadi_args_bad("--runs", value, "a number from 2 to 1000", err);
}

static wadi_status take_seed(void *env, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 0, INT64_MAX, &((options *)env)->seed)) return WADI_OK;
    return wadi_args_bad("--seed", value, "a number from 0 on", err);
}

static const wadi_args_option table[] = {
    {.name = "--runs", .take = take_runs}, {.name = "--seed", .take = take_seed}, WADI_CLI_OPTIONS};

/* ---- the results of a run ---- */

typedef struct trace {
    const char *name;
    WADI_VEC(uint64_t) hash; /* of each element of a stream; a result has one */
    uint64_t whole;          /* the hash of all shapes, and of all that is no real number */
    WADI_VEC(double) number; /* the first MOST_NUMBERS real numbers; a complex number is two */
    bool single;             /* some of these numbers are f32 or c64 */
} trace;

enum { MOST_NUMBERS = 1 << 20 };

typedef struct observed {
    int64_t chunk, elements;  /* elements of a chunk (0: the policy decides), and in all */
    struct observed *meaning; /* gets the results of the interpreter; NULL: it is not run */
    bool asked;               /* these are results of the interpreter */
    wadi_error refusal;       /* the fault by which the interpreter refused the program */
    WADI_VEC(trace *) traces; /* streams, then results, in the program's order */
    bool in_turn;             /* its devices compute one chunk after the other */
    int turns;                /* chunks so far, of such a run */
    char shares[sizeof((wadi_run_stats *)NULL)->shares]; /* who has computed what */
} observed;

static double real_at(wadi_type part, const void *column, int64_t i) {
    return part == WADI_F32 ? (double)((const float *)column)[i] : ((const double *)column)[i];
}

/* The hash of a column. All NaNs count as equal, because no program may rely on their sign and payload. */
static uint64_t hash_column(wadi_type t, const void *column, int64_t n) {
    const wadi_type part = wadi_type_is_complex(t) ? wadi_type_part(t) : t;
    const int64_t parts = n * wadi_type_size(t) / wadi_type_size(part);
    int64_t i = 0;
    while (wadi_type_is_float(part) && i < parts && !isnan(real_at(part, column, i))) i++;
    if (!wadi_type_is_float(part) || i == parts)
        return wadi_hash_bytes(column, (size_t)(n * wadi_type_size(t)));
    uint64_t h = 0;
    for (i = 0; i < parts; i++) {
        const double x = real_at(part, column, i);
        h = isnan(x) ? wadi_hash64(h + 1) : wadi_hash64(h + wadi_hash_bytes(&x, sizeof x));
    }
    return h;
}

static uint64_t hash_shape(uint64_t h, const wadi_array *a) {
    for (int d = 0; d < a->rank; d++) h = wadi_hash64(h + (uint64_t)a->shape[d]);
    return h;
}

/* What has to be the same even where real numbers need not. */
static uint64_t hash_whole(uint64_t h, const wadi_array *a) {
    const int64_t n = wadi_array_size(a);
    h = hash_shape(h, a);
    for (int f = 0; f < a->fields; f++) {
        const bool complex = wadi_type_is_complex(a->type[f]);
        if (!complex && !wadi_type_is_float(a->type[f]))
            h = wadi_hash64(h + hash_column(a->type[f], a->column[f], n));
    }
    return h;
}

static uint64_t hash_array(uint64_t h, const wadi_array *a) {
    const int64_t n = wadi_array_size(a);
    h = hash_shape(h, a);
    for (int f = 0; f < a->fields; f++)
        h = wadi_hash64(h + hash_column(a->type[f], a->column[f], n));
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

static bool note_numbers(trace *t, const wadi_array *a) {
    for (int f = 0; f < a->fields; f++) {
        const wadi_type part =
            wadi_type_is_complex(a->type[f]) ? wadi_type_part(a->type[f]) : a->type[f];
        if (!wadi_type_is_float(part)) continue;
        const int64_t n = wadi_array_size(a) * wadi_type_size(a->type[f]) / wadi_type_size(part);
        t->single = t->single || part == WADI_F32;
        for (int64_t i = 0; i < n && t->number.n < MOST_NUMBERS; i++) {
            if (!wadi_vec_push(&t->number, real_at(part, a->column[f], i))) return false;
        }
    }
    return true;
}

static wadi_status note(trace *t, int parts, const wadi_array *arrays, wadi_error *err) {
    uint64_t h = 0;
    for (int i = 0; i < parts; i++)
        if (!note_numbers(t, &arrays[i])) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int i = 0; i < parts; i++) h = hash_array(h, &arrays[i]);
    for (int i = 0; i < parts; i++) t->whole = hash_whole(t->whole, &arrays[i]);
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
        wadi_vec_free(&o->traces.at[i]->number);
        free(o->traces.at[i]);
    }
    wadi_vec_free(&o->traces);
}

/* ---- runs ---- */

/* The chunk size of a run: first the policy's choice, then 1, 2 and half of the stream, then random sizes of all magnitudes that cut a
 * stream of n elements at all. */
static int64_t chunk_of(const options *o, int64_t run, int64_t n) {
    if (run < 2) return run;
    const uint64_t random = wadi_hash64((uint64_t)o->seed * MOST_RUNS + (uint64_t)run);
    if (run == 2 && n > 2) return 2;
    if (run == 3 && n > 5) return n / 2;
    if (n > 2 && n < 4096) return 2 + (int64_t)(random % (uint64_t)(n - 2));
    return 2 + (int64_t)(random % (UINT64_C(1) << (3 + 3 * (run % 5))));
}

static wadi_status note_meaning(observed *o, const wadi_interp_results *r, wadi_error *err) {
    for (int i = 0; i < r->nsinks + r->noutputs; i++) {
        const wadi_interp_sink *s = i < r->nsinks ? &r->sinks[i] : NULL;
        const wadi_interp_output *result = s ? NULL : &r->outputs[i - r->nsinks];
        trace *t = new_trace(o, s ? s->name : result->name);
        if (!t) return wadi_fail(err, WADI_MEMORY, "out of memory");
        for (int64_t e = 0; s && e < s->n; e++)
            WADI_TRY(note(t, s->components, s->elements + e * s->components, err));
        if (result) WADI_TRY(note(t, 1, &result->array, err));
    }
    return WADI_OK;
}

static bool is_result(const wadi_module *m, wadi_val v) {
    for (int i = 0; i < m->main->nyields; i++)
        if (m->main->yields[i] == v) return true;
    return false;
}

static bool states_are_results(const wadi_module *m) {
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        for (int r = 0; strcmp(b->op->name, "fold_batch") == 0 && r < b->nresults; r++)
            if (!is_result(m, b->results[r])) return false;
    }
    return true;
}

/* Runs the interpreter. It also computes what no result needs. So a fault that compiled code does not have is no mistake of the program,
 * with one exception: if all states of a fold_batch are results and the interpreter finds that they depend on the cut, that is kept
 * in out->refusal, and reported if the runs have not found it. */
static wadi_status ask(const wadi_module *m, const wadi_cli_bindings *b, observed *out,
                       wadi_error *err) {
    wadi_interp_results *r = NULL;
    wadi_error why = {0};
    wadi_status st = wadi_cli_meaning(m, b, &r, &why);
    if (st == WADI_FAULT && strstr(why.msg, " depends on how ") && states_are_results(m))
        out->refusal = why;
    if (st != WADI_OK && st != WADI_FAULT) return wadi_fail_at(err, why.at, st, "%s", why.msg);
    st = r ? note_meaning(out, r, err) : WADI_OK;
    out->asked = st == WADI_OK && r;
    wadi_interp_results_destroy(r);
    return st;
}

static int next_in_turn(void *env, int devices) {
    return ((observed *)env)->turns++ % devices;
}

static wadi_status observe(const options *o, const wadi_module *m, const wadi_exe *exe,
                           observed *out, wadi_error *err) {
    wadi_cli_bindings bindings = {.sink = watch, .env = out, .links = &o->shared.links};
    wadi_run_options how = o->shared.run;
    wadi_run *run = NULL;
    how.chunk = out->chunk;
    wadi_status st = wadi_run_create(exe, &how, &run, err);
    if (st == WADI_OK)
        st = wadi_cli_bind(&bindings, m, run, o->shared.nbindings, o->shared.bindings, err);
    if (st == WADI_OK && out->in_turn)
        wadi_run_share_by(run, (wadi_share_rule){.choose = next_in_turn, .env = out});
    const clock_t start = clock();
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = note_results(out, m, run, err);
    if (st == WADI_OK) {
        wadi_run_stats stats;
        wadi_run_stats_get(run, &stats);
        out->elements = stats.elements;
        memcpy(out->shares, stats.shares, sizeof out->shares);
        if (out->meaning && clock() - start <= SHORT) st = ask(m, &bindings, out->meaning, err);
    }
    wadi_run_destroy(run);
    wadi_cli_bindings_fini(&bindings);
    return st;
}

/* Real numbers may differ by this part of their norm. */
static double allowed(const trace *x, const trace *y) {
    return x->single || y->single ? 1e-4 : 1e-9;
}

static bool same_but_for_rounding(const trace *x, const trace *y) {
    return x->number.n == y->number.n &&
           wadi_cli_close(x->number.at, y->number.at, x->number.n, allowed(x, y));
}

/* With fast math, which changes neither shapes nor whole numbers, and makes no infinities and NaN. */
static bool same_but_for_speed(const trace *x, const trace *y) {
    return x->hash.n == y->hash.n && x->whole == y->whole && same_but_for_rounding(x, y) &&
           wadi_cli_same_kinds(x->number.at, y->number.at, x->number.n);
}

static wadi_status compare(const observed *a, const observed *b, wadi_error *err) {
    for (size_t i = 0; i < a->traces.n; i++) {
        const trace *x = a->traces.at[i], *y = b->traces.at[i];
        if (wadi_fast_math_is_asked() && same_but_for_speed(x, y)) continue;
        const size_t n = x->hash.n < y->hash.n ? x->hash.n : y->hash.n;
        size_t e = 0;
        while (e < n && x->hash.at[e] == y->hash.at[e]) e++;
        if (e == x->hash.n && e == y->hash.n) continue;
        return wadi_fail(
            err, WADI_FAULT,
            "\"%s\" depends on how streams are cut: from element %zu on, chunks of %lld give other "
            "values than chunks of the size that the policy chose",
            x->name, e, (long long)b->chunk);
    }
    return WADI_OK;
}

static wadi_status rerun(const options *o, const wadi_module *m, const wadi_exe *exe,
                         const observed *first, observed *meaning, wadi_error *err) {
    for (int64_t k = 1; k < o->runs; k++) {
        observed now = {.chunk = chunk_of(o, k, first->elements),
                        .meaning =
                            k == 1 ? meaning : NULL}; /* not in run 0, which compiles kernels */
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

/* ---- library routines ---- */

/* Whole numbers and shapes have to be the same where routines give no real numbers; else rounding may have changed them. */
static bool same_but_for_routines(const wadi_module *m, const trace *x, const trace *y) {
    const bool whole = x->hash.n == y->hash.n && x->whole == y->whole;
    return same_but_for_rounding(x, y) && (whole || wadi_cli_names_rounding(m));
}

static wadi_status without_routines(const options *o, const wadi_module *m, const char *text,
                                    const char *name, const observed *first, wadi_error *err) {
    wadi_compile_options how = {0};
    wadi_exe *exe = NULL;
    observed own = {0};
    how.no_foreign = true;
    wadi_status st = wadi_compile_text(text, name, &how, &exe, err);
    if (st == WADI_OK) st = observe(o, m, exe, &own, err);
    for (size_t i = 0; st == WADI_OK && i < first->traces.n; i++)
        if (!same_but_for_routines(m, first->traces.at[i], own.traces.at[i]))
            st = wadi_fail(
                err, WADI_FAULT,
                "\"%s\" has other values without library routines: the region of a foreign does "
                "not compute what its routine does",
                first->traces.at[i]->name);
    forget(&own);
    wadi_exe_destroy(exe);
    return st;
}

/* ---- others that compute the same ---- */

/* The device that others are compared with. */
static const wadi_device_row *const judge = wadi_devices;

/* The kind of device that the program runs on; of one that is unknown the run tells. */
static const wadi_device_row *kind(void) {
    const wadi_device_row *row = judge;
    return wadi_device_kind(NULL, &row, NULL) == WADI_OK ? row : judge;
}

static bool same_bits(const trace *x, const trace *y) {
    return x->hash.n == y->hash.n &&
           (x->hash.n == 0 || memcmp(x->hash.at, y->hash.at, x->hash.n * sizeof *x->hash.at) == 0);
}

/* Compares with what somebody else computed: "the interpreter", "cpu". */
static wadi_status compare_meaning(const wadi_module *m, const observed *runs,
                                   const observed *meaning, const char *who, wadi_error *err) {
    const bool routines = wadi_cli_names_routines(m);
    for (size_t i = 0; i < runs->traces.n; i++) {
        const trace *x = runs->traces.at[i], *y = meaning->traces.at[i];
        if (same_bits(x, y)) continue;
        if (wadi_fast_math_is_asked()) {
            if (same_but_for_speed(x, y)) continue;
            return wadi_fail(err, WADI_FAULT,
                             "\"%s\" has other values than %s computes, by more than fast math may "
                             "change: its norm times %g",
                             x->name, who, allowed(x, y));
        }
        if (routines && same_but_for_routines(m, x, y)) continue;
        return wadi_fail(err, WADI_FAULT,
                         "\"%s\" has other values than %s computes: this is a defect of wadi, "
                         "please report it",
                         x->name, who);
    }
    return WADI_OK;
}

/* Runs the program on the judge, with kernels for it. */
static wadi_status on_judge(const options *o, const wadi_module *m, const char *text,
                            const char *name, const observed *first, wadi_error *err) {
    const wadi_compile_options how = {.target = wadi_targets[0].name, .math = WADI_MATH_EXACT};
    options there = *o;
    wadi_exe *exe = NULL;
    observed own = {0};
    there.shared.run.device = judge->name;
    wadi_status st = wadi_compile_text(text, name, &how, &exe, err);
    if (st == WADI_OK) st = observe(&there, m, exe, &own, err);
    if (st == WADI_OK) st = compare_meaning(m, first, &own, judge->name, err);
    forget(&own);
    wadi_exe_destroy(exe);
    return st;
}

/* ---- several devices ---- */

/* Runs the program on one of several devices alone. */
static wadi_status on_one(const options *o, const wadi_module *m, const wadi_exe *exe,
                          const observed *first, const char *device, wadi_error *err) {
    options there = *o;
    observed own = {0};
    wadi_error why = {0};
    there.shared.run.device = device;
    wadi_status st = observe(&there, m, exe, &own, &why);
    if (st != WADI_OK)
        st = wadi_fail_at(err, why.at, st, "on %s alone: %s", device, why.msg);
    else
        st = compare_meaning(m, first, &own, device, err);
    forget(&own);
    return st;
}

static wadi_status on_each(const options *o, const wadi_module *m, const wadi_exe *exe,
                           const observed *first, const wadi_device_choices *all, wadi_error *err) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i].row != judge) /* it has its own run */
            WADI_TRY(on_one(o, m, exe, first, all->at[i].name, err));
    return WADI_OK;
}

/* Every device gets two chunks at least, if there are elements enough. */
static wadi_status on_all(const options *o, const wadi_module *m, const wadi_exe *exe,
                          const observed *first, const wadi_device_choices *all, char *out_shares,
                          wadi_error *err) {
    const int64_t each = first->elements / (2 * all->n);
    observed own = {.chunk = each > 1 ? each : 1, .in_turn = true};
    wadi_status st = observe(o, m, exe, &own, err);
    if (st == WADI_OK) st = compare_meaning(m, first, &own, "several devices in turn", err);
    memcpy(out_shares, own.shares, sizeof own.shares);
    forget(&own);
    return st;
}

/* Runs the program without fast math, on the same device. */
static wadi_status without_fast_math(const options *o, const wadi_module *m, const char *text,
                                     const char *name, const observed *first,
                                     wadi_cli_difference *out, wadi_error *err) {
    const wadi_compile_options how = {.math = WADI_MATH_EXACT};
    wadi_exe *exe = NULL;
    observed own = {0};
    wadi_status st = wadi_compile_text(text, name, &how, &exe, err);
    if (st == WADI_OK) st = observe(o, m, exe, &own, err);
    if (st == WADI_OK) st = compare_meaning(m, first, &own, "the program without fast math", err);
    for (size_t i = 0; st == WADI_OK && i < first->traces.n; i++) {
        const trace *x = first->traces.at[i];
        wadi_cli_difference_note(out, x->name, own.traces.at[i]->number.at, x->number.at,
                                 x->number.n);
    }
    forget(&own);
    wadi_exe_destroy(exe);
    return st;
}

static void tell_difference(const wadi_cli_difference *d) {
    const wadi_cli_largest *a = &d->absolute, *r = &d->relative;
    printf("real numbers may differ by 1e-09 of the norm of a result, or 1e-04 where it has f32\n");
    if (a->name == NULL)
        printf("fast math changes no bit of these results\n");
    else
        printf("fast math changes at most %.3g (\"%s\", number %zu), relatively %.3g (\"%s\", "
               "number %zu)\n",
               a->size, a->name, a->at, r->size, r->name, r->at);
}

static bool is_shared(const char *shares) {
    return shares[0] != '\0' && strncmp(shares, "all on ", 7) != 0;
}

/* "6 runs, one on cpu, one on cuda:0, one shared and the interpreter agree" */
static void tell(const options *o, bool elsewhere, const wadi_device_choices *all,
                 const char *shares, bool asked) {
    wadi_text who[WADI_DEVICES_MOST + 3] = {{0}};
    int n = 0;
    if (elsewhere) wadi_text_addf(&who[n++], "one on %s", judge->name);
    for (int i = 0; all->n > 1 && i < all->n; i++)
        if (all->at[i].row != judge) wadi_text_addf(&who[n++], "one on %s", all->at[i].name);
    if (is_shared(shares)) wadi_text_add(&who[n++], "one shared");
    if (asked) wadi_text_add(&who[n++], "the interpreter");
    printf("%lld runs", (long long)o->runs);
    for (int i = 0; i < n; i++) printf("%s %s", i + 1 < n ? "," : " and", wadi_text_str(&who[i]));
    printf(" agree\n");
    for (int i = 0; i < n; i++) wadi_text_fini(&who[i]);
    if (all->n > 1) printf("%s %s\n", is_shared(shares) ? "shared:" : "nothing is shared:", shares);
}

/* What computes. Of devices that are unknown the run tells. */
static wadi_device_choices devices(void) {
    wadi_device_choices all;
    if (wadi_device_find_all(NULL, &all, NULL) != WADI_OK) all.n = 0;
    return all;
}

static wadi_status check(const options *o, const char *text, const char *name, wadi_error *err) {
    const wadi_device_choices all = devices();
    const bool elsewhere = kind() != judge || all.n > 1, fast = wadi_fast_math_is_asked();
    wadi_cli_difference difference = {0};
    wadi_module *m = NULL;
    wadi_exe *exe = NULL;
    observed first = {0}, meaning = {0};
    char shares[sizeof first.shares] = "";
    wadi_status st = wadi_ir_parse(text, name, wadi_operators(), &m, err);
    if (st == WADI_OK) st = wadi_compile_text(text, name, NULL, &exe, err);
    if (st == WADI_OK) st = observe(o, m, exe, &first, err);
    if (st == WADI_OK) st = rerun(o, m, exe, &first, &meaning, err);
    if (st == WADI_OK && meaning.refusal.status != WADI_OK)
        st = wadi_fail_at(err, meaning.refusal.at, WADI_FAULT, "%s", meaning.refusal.msg);
    if (st == WADI_OK && wadi_cli_names_routines(m))
        st = without_routines(o, m, text, name, &first, err);
    if (st == WADI_OK && meaning.asked)
        st = compare_meaning(m, &first, &meaning, "the interpreter", err);
    if (st == WADI_OK && elsewhere) st = on_judge(o, m, text, name, &first, err);
    if (st == WADI_OK && all.n > 1) st = on_each(o, m, exe, &first, &all, err);
    if (st == WADI_OK && all.n > 1) st = on_all(o, m, exe, &first, &all, shares, err);
    if (st == WADI_OK && fast) st = without_fast_math(o, m, text, name, &first, &difference, err);
    if (st == WADI_OK) tell(o, elsewhere, &all, shares, meaning.asked);
    if (st == WADI_OK && fast) tell_difference(&difference);
    if (st == WADI_OK) wadi_cli_tell_unknown(m, true, ", and nothing was compared", stdout);
    if (st == WADI_OK) wadi_cli_tell_declined(m, stdout);
    forget(&first);
    forget(&meaning);
    wadi_exe_destroy(exe);
    wadi_module_destroy(m);
    return st;
}

static int run(int argc, char **argv) {
    options o = {.runs = RUNS};
    wadi_error err = {0};
    char *text = NULL;
    const char *name = NULL;
    wadi_status st =
        wadi_cli_options_read(table, sizeof table / sizeof *table, argc, argv, &o.shared, &err);
    if (st == WADI_OK)
        st = wadi_cli_links_check(&o.shared.links,
                                  wadi_cli_count_links(o.shared.nbindings, o.shared.bindings),
                                  false, &err);
    if (st != WADI_OK) return wadi_cli_misuse(&wadi_cli_check, "%s", err.msg);
    st = wadi_cli_read(o.shared.file, &text, &name, &err);
    if (st == WADI_OK) st = check(&o, text, name, &err);
    free(text);
    return st == WADI_OK ? WADI_CLI_OK : wadi_cli_fail(&err);
}

const wadi_cli_command wadi_cli_check = {
    "check", "FILE.wadi [NAME=VALUE ...] [OPTIONS]",
    "runs a program with several chunk sizes and compares the results",
    "Results must not depend on how streams are cut into chunks. The step of a fold_batch can "
    "violate that.\n"
    "A program that names library routines must give the same results without them, except for "
    "rounding.\n"
    "On another device than cpu, the program runs once more on cpu, and the results must be the "
    "same.\n"
    "Of several devices, each runs it once more alone, and all of them once in turn, chunk by "
    "chunk.\n"
    "If all inputs and streams are typed on the command line, the interpreter runs the program, "
    "too.\n"
    "\n"
    "Inputs and streams are bound as for `wadi run` and read anew for each run. Sinks are not "
    "bound,\n"
    "and nothing is delivered.\n"
    "\n"
    "  --runs N           number of runs; default 6. The first has chunks that the policy chooses, "
    "the second\n"
    "                     chunks of one element\n"
    "  --seed N           gives other chunk sizes to the runs after the first four\n"
    "  --threads N        number of workers; 0, the default: one per processor\n"
    "  --memory SIZE      limit for the chunks in flight: bytes, or 512K, 64M, 1G\n"
    "  --device NAME      what computes; see wadi devices\n"
    "  --fast-math        compares fast math with results without it, and prints the largest "
    "differences\n"
    "  --target NAME      what kernels are compiled for; see wadi version\n"
    "  --kernels FILE     takes kernels from this bundle (see wadi build), compiles what it lacks; "
    "a bundle that cannot\n"
    "                     be used is an error\n"
    "  --routines LIB.so  compares the routines of this library with their regions; as for `wadi "
    "run`\n"
    "  --wait, --key, --senders, --token    for links, as for `wadi run`\n",
    run};
