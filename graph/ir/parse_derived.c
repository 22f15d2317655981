/* Derived functions: the text of what one stands for, and a parser for that text. */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "graph/ir/parse.h"

wadi_status wadi_parse_derived_fail(wadi_parser *p, const wadi_token *t, const wadi_derived *d,
                                    wadi_status st, const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return wadi_fail_at(p->err, ((wadi_loc){p->file, t->line}), st,
                        "line %d, column %d: %s: %s (it is written %s)", t->line, t->column,
                        d->name, what, d->form);
}

/* The text. A mistake in the call gets its place. */
static wadi_status write(wadi_parser *p, const wadi_token *t, const wadi_derived *d,
                         const wadi_derived_call *call, wadi_text *out) {
    wadi_error why = {0};
    const wadi_status st = d->text(d, p->ops, call, out, &why);
    if (st == WADI_OK) return out->failed ? wadi_parse_no_memory(p) : WADI_OK;
    return wadi_fail_at(p->err, ((wadi_loc){p->file, t->line}), st, "line %d, column %d: %s",
                        t->line, t->column, why.msg);
}

wadi_status wadi_parse_written(wadi_parser *p, const wadi_token *t, const wadi_derived *d,
                               const wadi_derived_call *call, wadi_written *out) {
    *out = (wadi_written){.p = {.file = p->file,
                                .call = d->name,
                                .line = p->call ? p->line : t->line,
                                .ops = p->ops,
                                .m = p->m,
                                .err = p->err}};
    wadi_text text;
    wadi_text_init(&text);
    const wadi_status st = write(p, t, d, call, &text);
    out->text = wadi_text_take(&text);
    wadi_text_fini(&text);
    if (st != WADI_OK) return st;
    if (!out->text) return wadi_parse_no_memory(p);
    return wadi_lex(out->text, p->file, &out->p.tokens, p->err);
}

void wadi_parse_written_end(wadi_written *w) {
    wadi_parser_fini(&w->p);
    free(w->text);
}
