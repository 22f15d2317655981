/* Reads scalar functions: their parameters, and the body, whose words parse_control.c adds to those of parse_scalar.c. */
#include "graph/ir/parse_fun.h"

/* What the parameters are: their types, or how the operator is written if it has got no arguments. */
static const char *parameter_hint(wadi_parser *p, const wadi_bind *b, int n,
                                  const wadi_type *types) {
    bool records = false;
    if (b->nargs == 0) return wadi_parse_hint_form(p, b->op);
    for (int i = 0; i < b->nargs; i++) {
        const wadi_val_type *t = &p->m->values[b->args[i]].type;
        records = records || (!t->is_seq && t->array->elem.fields > 1);
    }
    if (n <= 0) return "";
    const char *text = wadi_arena_printf(p->m->arena, " (%s%s)", wadi_parse_types_text(p, n, types),
                                         records ? ": each field of a record is one" : "");
    return text ? text : "";
}

/* No parameter before `name`, from the one at `open` on, is written the same. */
static wadi_status apart(wadi_parser *p, const wadi_token *open, const wadi_token *name) {
    for (const wadi_token *t = open + 1; t < name; t++)
        if (t->kind == WADI_TOKEN_NAME && *t[-1].at != ':' && wadi_parse_same_word(t, name))
            return wadi_parse_fail(p, name, WADI_INVALID, "two parameters have this name");
    return WADI_OK;
}

/* (x, y)   (x: f32, y: f32) */
static wadi_status parameters(wadi_fun_parser *fp, const wadi_bind *b, int n,
                              const wadi_type *types) {
    wadi_parser *p = fp->p;
    const wadi_token *open = wadi_parse_peek(p, 0);
    int given = 0;
    if (wadi_parse_accept(p, "(") && !wadi_parse_accept(p, ")")) {
        do {
            wadi_parse_skip_lines(p);
            const wadi_token *name = wadi_parse_next(p);
            wadi_type t = given < n ? types[given] : WADI_BOOL;
            if (wadi_parse_accept(p, ":"))
                WADI_TRY(wadi_parse_scalar_type(p, &t));
            else if (given >= n)
                return n < 0 ? wadi_parse_misfit(p, b, name)
                             : wadi_parse_fail(p, name, WADI_TYPE, "expected %d parameter%s%s", n,
                                               n == 1 ? "" : "s", parameter_hint(p, b, n, types));
            WADI_TRY(apart(p, open, name));
            WADI_TRY(wadi_parse_declare(fp, name, wadi_fun_param(p->m, fp->f, t)));
            given++;
        } while (wadi_parse_accept(p, ","));
        WADI_TRY(wadi_parse_expect(p, ")"));
    }
    if (n < 0 || given == n) return WADI_OK;
    return wadi_parse_fail(p, open, WADI_TYPE, "expected a function of %d parameter%s, not %d%s", n,
                           n == 1 ? "" : "s", given, parameter_hint(p, b, n, types));
}

wadi_status wadi_parse_fun(wadi_parser *p, const wadi_bind *b, int n, const wadi_type *types,
                           wadi_fun **out) {
    wadi_fun_parser fp = {.p = p, .f = wadi_fun_new(p->m), .control = wadi_parse_control};
    if (!fp.f) return wadi_parse_no_memory(p);
    fp.block = fp.f->body;
    wadi_status st = parameters(&fp, b, n, types);
    if (st == WADI_OK) st = wadi_parse_body(&fp, fp.f->body, &fp.f->names);
    wadi_vec_free(&fp.names);
    wadi_map64_fini(&fp.named);
    *out = fp.f;
    return st;
}
