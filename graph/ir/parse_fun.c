/* Reads scalar functions: their parameters, and the body, whose words parse_control.c adds to those of parse_scalar.c. */
#include "graph/ir/parse_fun.h"

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
                             : wadi_parse_fail(p, name, WADI_TYPE, "expected %d parameter%s", n,
                                               n == 1 ? "" : "s");
            WADI_TRY(wadi_parse_declare(fp, name, wadi_fun_param(p->m, fp->f, t)));
            given++;
        } while (wadi_parse_accept(p, ","));
        WADI_TRY(wadi_parse_expect(p, ")"));
    }
    if (n < 0 || given == n) return WADI_OK;
    return wadi_parse_fail(p, open, WADI_TYPE, "expected a function of %d parameter%s, not %d", n,
                           n == 1 ? "" : "s", given);
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
