/* The pass table and its driver. */
#include "codegen/pipeline.h"

#include <string.h>

#include "base/error.h"

typedef struct pass_row {
    const char *name;
    wadi_pass_fn run;
    unsigned needs; /* facts the pass reads */
    unsigned keeps; /* facts that are still true after it */
    bool optional;  /* kernels can be made without it */
} pass_row;

enum { NONE = 0, SHAPES = WADI_FACT_SHAPES, ALL = WADI_FACT_SHAPES | WADI_FACT_DEPS };

/* dce comes before cse: computations that differ only in dead instructions are then equal. */
static const pass_row passes[] = {
    /* name, function, needs, keeps, optional */
    {"seqfuse", wadi_pass_seqfuse, NONE, NONE, true},
    {"twins", wadi_pass_twins, SHAPES, NONE, true},
    {"foreign", wadi_pass_foreign, ALL, NONE, false},
    {"simplify", wadi_pass_simplify, SHAPES, NONE, true},
    {"dce", wadi_pass_dce, NONE, NONE, true},
    {"cse", wadi_pass_cse, NONE, NONE, true},
    {"mask", wadi_pass_mask, SHAPES, NONE, true},
    {"hoist", wadi_pass_hoist, ALL, ALL, true},
    {"lift", wadi_pass_lift, ALL, ALL, false},
    {"fuse", wadi_pass_fuse, SHAPES, ALL, true},
    {"siblings", wadi_pass_siblings, SHAPES, ALL, true},
};

enum { PASSES = sizeof passes / sizeof *passes };

const char *wadi_pipeline_name(int i) {
    return i >= 0 && i < PASSES ? passes[i].name : NULL;
}

bool wadi_pipeline_is_optional(int i) {
    return passes[i].optional;
}

static int find_pass(const char *name, size_t n) {
    for (int i = 0; i < PASSES; i++)
        if (strlen(passes[i].name) == n && strncmp(passes[i].name, name, n) == 0) return i;
    return -1;
}

/* ---- options ---- */

typedef struct plan {
    bool runs[PASSES];
    bool verify;
} plan;

static wadi_status unknown(const char *option, const char *name, int n, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s: there is no pass '%.*s'; see wadi passes", option, n,
                     name);
}

static wadi_status disable_each(plan *p, const char *list, wadi_error *err) {
    while (list && *list) {
        const size_t n = strcspn(list, ",");
        const int i = find_pass(list, n);
        if (n > 0 && i < 0) return unknown("disable", list, (int)n, err);
        if (n > 0 && !passes[i].optional)
            return wadi_fail(err, WADI_INVALID,
                             "disable: no program is complete without the pass '%s'",
                             passes[i].name);
        if (n > 0) p->runs[i] = false;
        list += n + (list[n] == ',');
    }
    return WADI_OK;
}

/* Which passes run. */
static wadi_status choose(const wadi_pipeline_options *o, plan *p, wadi_error *err) {
    const char *from = o->start_after, *to = o->stop_after;
    const int start = from ? find_pass(from, strlen(from)) : -1;
    const int stop = to ? find_pass(to, strlen(to)) : PASSES - 1;
    if (from && start < 0) return unknown("start_after", from, (int)strlen(from), err);
    if (to && stop < 0) return unknown("stop_after", to, (int)strlen(to), err);
    for (int i = 0; i < PASSES; i++) p->runs[i] = i > start && i <= stop;
#ifdef NDEBUG
    p->verify = o->verify;
#else
    p->verify = true;
#endif
    return disable_each(p, o->disable, err);
}

/* ---- facts ---- */

static void forget(wadi_facts *f, unsigned kept) {
    if (!(kept & WADI_FACT_DEPS)) {
        wadi_deps_destroy(f->deps);
        f->deps = NULL;
    }
    if (!(kept & WADI_FACT_SHAPES)) {
        wadi_shapes_destroy(f->shapes);
        f->shapes = NULL;
    }
}

void wadi_facts_fini(wadi_facts *f) {
    forget(f, 0);
}

static wadi_status learn(const wadi_module *m, wadi_facts *f, unsigned needs, wadi_error *err) {
    const bool deps = needs & WADI_FACT_DEPS;
    if ((deps || needs & WADI_FACT_SHAPES) && !f->shapes)
        WADI_TRY(wadi_shapes_analyse(m, &f->shapes, err));
    if (deps && !f->deps) WADI_TRY(wadi_depend_analyse(m, f->shapes, &f->deps, err));
    return WADI_OK;
}

/* ---- the driver ---- */

/* Verifies the program. The message begins with the pass that broke it. */
static wadi_status verify_after(const wadi_module *m, const char *pass, wadi_error *err) {
    wadi_error why = {0};
    const wadi_status status = wadi_ir_verify(m, &why);
    if (status == WADI_OK) return WADI_OK;
    if (!pass) return wadi_fail_at(err, why.at, status, "%s", why.msg);
    return wadi_fail(err, WADI_INTERNAL, "after pass %s: %s", pass, why.msg);
}

static wadi_status run_pass(wadi_module *m, const pass_row *pass, const wadi_pipeline_options *o,
                            wadi_diag *diag, wadi_facts *f, wadi_error *err) {
    WADI_TRY(learn(m, f, pass->needs, err));
    wadi_pass_cx cx = {
        diag, f->shapes, f->deps, wadi_arena_create(), o ? o->routine : NULL, o && o->steady};
    if (!cx.scratch) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", pass->name);
    const wadi_status status = pass->run(m, &cx, err);
    wadi_arena_destroy(cx.scratch);
    forget(f, pass->keeps);
    return status;
}

static void show(const wadi_module *m, const char *pass, const wadi_pipeline_options *o,
                 wadi_diag *diag) {
    wadi_diag_dump(diag, pass ? pass : "source", m);
    if (o->dump) o->dump(o->env, pass, m);
}

static wadi_status run_all(wadi_module *m, const wadi_pipeline_options *o, const plan *p,
                           wadi_diag *diag, wadi_facts *f, wadi_error *err) {
    if (p->verify) WADI_TRY(verify_after(m, NULL, err));
    show(m, NULL, o, diag);
    for (int i = 0; i < PASSES; i++) {
        if (!p->runs[i]) continue;
        WADI_TRY(run_pass(m, &passes[i], o, diag, f, err));
        if (p->verify) WADI_TRY(verify_after(m, passes[i].name, err));
        show(m, passes[i].name, o, diag);
    }
    return learn(m, f, WADI_FACT_SHAPES | WADI_FACT_DEPS, err);
}

wadi_status wadi_pipeline_run(wadi_module *m, const wadi_pipeline_options *options, wadi_diag *diag,
                              wadi_facts *out_facts, wadi_error *err) {
    const wadi_pipeline_options none = {0};
    const wadi_pipeline_options *o = options ? options : &none;
    plan p = {0};
    wadi_facts facts = {0};
    WADI_TRY(choose(o, &p, err));
    const wadi_status status = run_all(m, o, &p, diag, &facts, err);
    if (status == WADI_OK)
        *out_facts = facts;
    else
        wadi_facts_fini(&facts);
    return status;
}

wadi_status wadi_pipeline_pass(wadi_module *m, const char *pass, wadi_diag *diag, wadi_error *err) {
    const int i = find_pass(pass, strlen(pass));
    wadi_facts facts = {0};
    if (i < 0) return unknown("pass", pass, (int)strlen(pass), err);
    wadi_status status = verify_after(m, NULL, err);
    if (status == WADI_OK) status = run_pass(m, &passes[i], NULL, diag, &facts, err);
    if (status == WADI_OK) status = verify_after(m, passes[i].name, err);
    wadi_facts_fini(&facts);
    return status;
}
