/* Writes loop nests as functions. In a kernel of many nests they get names that depend on nothing outside the nest, so that
 * nests which compute the same from different arrays have the same text. These share a function: the C compiler takes most of its time for
 * folds, and a body of hundreds of operators has a few kinds of them. */
#include "codegen/emit/c/nests.h"

#include <string.h>

#include "base/hash.h"
#include "codegen/emit/c/c.h"
#include "codegen/emit/c_like/comment.h"

enum { DIGEST = 32 };

void wadi_c_nests_fini(wadi_c_nests *n) {
    wadi_text_fini(&n->functions);
    wadi_text_fini(&n->declarations);
    wadi_vec_free(&n->written);
}

bool wadi_c_nests_failed(const wadi_c_nests *n) {
    return n->functions.failed || n->declarations.failed;
}

/* ---- names ---- */

typedef struct naming {
    wadi_c_writer *w;
    WADI_VEC(const char *) before; /* the names that were replaced, in the order of the walk */
    size_t at;
    bool restore, failed;
} naming;

static void rename_to(naming *r, wadi_lv v, const char *base, int n) {
    const char **name = &r->w->names.at[v].name;
    if (*name == NULL) return;
    if (r->restore) {
        *name = r->before.at[r->at++];
        return;
    }
    const char *fresh = wadi_arena_printf(r->w->names.arena, "%.*s_%u", n, base, (unsigned)r->at);
    if (fresh == NULL || !wadi_vec_push(&r->before, *name)) {
        r->failed = true;
        return;
    }
    r->at++;
    *name = fresh;
}

/* The name without the numbers at its end. */
static int stem(const char *name) {
    size_t n = strlen(name), end = n;
    for (;;) {
        while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
        if (end == n || end < 2 || name[end - 1] != '_') return (int)n;
        n = --end;
    }
}

static void rename_inside(naming *r, const wadi_linst *i) {
    const char *own = r->w->names.at[i->self].name;
    if (own != NULL) rename_to(r, i->self, own, stem(own));
    if (i->kind == WADI_L_FOR) rename_to(r, i->var, "i", 1);
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++)
            rename_inside(r, i->block[k]->inst[p]);
}

static const char *kind_of(const wadi_linst *i) {
    if (i->pointer) return "p";
    return i->kind == WADI_L_LANES ? "lanes" : wadi_type_rounds(i->type) ? "x" : "k";
}

/* Gives the parameters and the values inside names of their own, or gives back what they had. */
static void rename_all(naming *r, const wadi_c_nest *nest) {
    r->at = 0;
    for (size_t k = 0; k < nest->params.n; k++) {
        const wadi_linst *i = wadi_c_inst(r->w, nest->params.at[k]);
        const char *base = kind_of(i);
        rename_to(r, i->self, base, (int)strlen(base));
    }
    rename_inside(r, nest->head);
}

/* ---- functions ---- */

static bool is_changed(const wadi_c_nest *nest, wadi_lv v) {
    for (size_t k = 0; k < nest->changed.n; k++)
        if (nest->changed.at[k] == v) return true;
    return false;
}

static void parameter(const wadi_c_writer *w, const wadi_c_nest *nest, wadi_lv v, wadi_text *out) {
    const wadi_linst *i = wadi_c_inst(w, v);
    const char *type = wadi_c_type(i->type), *name = w->names.at[v].name;
    if (wadi_l_is_bound(i))
        wadi_text_addf(out, "const int64_t %s", i->index == 0 ? "begin" : "end");
    else if (is_changed(nest, v))
        wadi_text_addf(out, "%s *const at_%s", type, name);
    else if (i->pointer || i->kind == WADI_L_LANES)
        wadi_text_addf(out, "%s *%sconst %s", type, wadi_c_is_apart(i) ? "restrict " : "", name);
    else
        wadi_text_addf(out, "const %s %s", type, name);
}

static void parameters(const wadi_c_writer *w, const wadi_c_nest *nest, wadi_text *out) {
    wadi_text_addf(out, "(wadi_work *w%s", w->numbers != NULL ? ", const int32_t *const of" : "");
    for (size_t k = 0; k < nest->params.n; k++) {
        wadi_text_add(out, ", ");
        parameter(w, nest, nest->params.at[k], out);
    }
    if (nest->strip) {
        const char *name = w->names.at[nest->head->var].name;
        wadi_text_addf(out, ", const int64_t from_%s, const int64_t below_%s", name, name);
    }
    wadi_text_add(out, ")");
}

/* Variables from outside are read at the beginning and set at the end. So in between the compiler need not think of their addresses. */
static void function(wadi_c_writer *w, const wadi_c_nest *nest,
                     void (*body)(void *env, const wadi_linst *head), void *env, wadi_text *out) {
    wadi_text *kernel = w->out;
    w->out = out;
    wadi_text_add(out, " {\n    const wadi_slot *const slot = w->slot;\n");
    for (size_t k = 0; k < nest->changed.n; k++) {
        const wadi_linst *i = wadi_c_inst(w, nest->changed.at[k]);
        const char *name = w->names.at[i->self].name;
        wadi_text_addf(out, "    %s %s = *at_%s;\n", wadi_c_type(i->type), name, name);
    }
    wadi_text_indent(out, 1);
    body(env, nest->head);
    for (size_t k = 0; k < nest->changed.n; k++) {
        const char *name = w->names.at[nest->changed.at[k]].name;
        wadi_text_addf(out, "    *at_%s = %s;\n", name, name);
    }
    wadi_text_add(out, "    (void)slot;\n    return 0;\n}\n");
    w->out = kernel;
}

static void comment(const wadi_c_nest *nest, wadi_text *out) {
    if (nest->about == NULL) return;
    wadi_c_comment(out, "", nest->about, "");
    wadi_text_add(out, "\n");
}

/* One of a few, in front of the kernel that calls it, and behind functions that it calls itself. */
static void write_few(wadi_c_writer *w, wadi_c_nests *n, const wadi_c_nest *nest, const char *name,
                      void (*body)(void *env, const wadi_linst *head), void *env) {
    wadi_text text = {0};
    function(w, nest, body, env, &text);
    comment(nest, &n->functions);
    wadi_text_addf(&n->functions, "WADI_NEST int %s", name);
    parameters(w, nest, &n->functions);
    wadi_text_add(&n->functions, wadi_text_str(&text));
    wadi_text_add(&n->functions, "\n");
    if (text.failed) n->functions.failed = true;
    wadi_text_fini(&text);
}

#define APART "__attribute__((noinline, visibility(\"hidden\"))) "

/* `text` as a function of this name, which another part of the text may call. */
static void add(wadi_c_nests *n, const wadi_c_nest *nest, const char *name, const char *params,
                const char *text) {
    wadi_text_addf(&n->functions, WADI_C_KERNEL_BEGINS "%s ---- */\n", name);
    comment(nest, &n->functions);
    wadi_text_addf(&n->functions, "int " APART "%s%s%s/* ---- end of %s ---- */\n\n", name, params,
                   text, name);
    wadi_text_addf(&n->declarations, "int " APART "%s%s;\n", name, params);
}

/* The name of the function with this text, which is written if there is none. NULL: out of memory. */
static const char *shared(wadi_c_nests *n, const wadi_c_nest *nest, const char *name,
                          wadi_text *params, wadi_text *text) {
    wadi_c_nest_text own = {.name = name};
    wadi_text all = {0};
    wadi_text_add(&all, wadi_text_str(params));
    wadi_text_add(&all, wadi_text_str(text));
    const bool ok = !all.failed && !params->failed && !text->failed &&
                    wadi_blake2b(all.at, all.n, own.digest) == WADI_OK;
    wadi_text_fini(&all);
    if (!ok) return NULL;
    for (size_t k = 0; k < n->written.n; k++)
        if (memcmp(n->written.at[k].digest, own.digest, DIGEST) == 0) return n->written.at[k].name;
    if (!wadi_vec_push(&n->written, own)) return NULL;
    add(n, nest, name, wadi_text_str(params), wadi_text_str(text));
    return name;
}

static const char *write_shared(wadi_c_writer *w, wadi_c_nests *n, const wadi_c_nest *nest,
                                const char *name, void (*body)(void *env, const wadi_linst *head),
                                void *env) {
    naming r = {.w = w};
    wadi_text params = {0}, text = {0};
    rename_all(&r, nest);
    if (!r.failed) {
        parameters(w, nest, &params);
        function(w, nest, body, env, &text);
        name = shared(n, nest, name, &params, &text);
    }
    r.restore = true;
    if (!r.failed) rename_all(&r, nest);
    wadi_vec_free(&r.before);
    wadi_text_fini(&params);
    wadi_text_fini(&text);
    return r.failed ? NULL : name;
}

void wadi_c_nest_call(wadi_c_writer *w, const wadi_c_nest *nest, const char *name,
                      const char *below, int level) {
    wadi_text_indent(w->out, level);
    wadi_text_addf(w->out, "if (%s(w%s", name, w->numbers != NULL ? ", of" : "");
    for (size_t k = 0; k < nest->params.n; k++) {
        wadi_text_add(w->out, is_changed(nest, nest->params.at[k]) ? ", &" : ", ");
        wadi_c_expression(w, nest->params.at[k]);
    }
    if (nest->strip) {
        const char *var = w->names.at[nest->head->var].name;
        wadi_text_addf(w->out, ", %s, %s%s", var, below, var);
    }
    wadi_text_add(w->out, ")) return 1;\n");
}

const char *wadi_c_rest_write(wadi_c_writer *w, wadi_c_nests *n, const wadi_c_nest *nest,
                              void (*body)(void *env, const wadi_linst *head), void *env) {
    const char *name =
        wadi_arena_printf(w->names.arena, "%s_%02d_%s", w->f->name, n->count++, nest->array);
    if (name != NULL)
        write_few(w, n, nest, name, body, env);
    else
        w->out->failed = true;
    return name;
}

void wadi_c_nest_write(wadi_c_writer *w, wadi_c_nests *n, const wadi_c_nest *nest, int level,
                       void (*body)(void *env, const wadi_linst *head), void *env) {
    const char *name =
        wadi_arena_printf(w->names.arena, "%s_%02d_%s", w->f->name, n->count++, nest->array);
    if (name != NULL && n->many)
        name = write_shared(w, n, nest, name, body, env);
    else if (name != NULL)
        write_few(w, n, nest, name, body, env);
    if (name == NULL)
        w->out->failed = true;
    else
        wadi_c_nest_call(w, nest, name, NULL, level);
}
