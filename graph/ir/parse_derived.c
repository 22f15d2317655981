/* Derived functions: the text of what one stands for, and a parser for that text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "graph/ir/parse.h"

wadi_status wadi_parse_derived_fail(wadi_parser *p, const wadi_token *t, const wadi_derived *d,
                                    wadi_status st, const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(what, sizeof what, format, args);
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

/* What the text of a call depends on, where that is types alone; else NULL. */
static const char *key_of(wadi_parser *p, const wadi_derived *d, const wadi_derived_call *call) {
    bool types = call->nattrs == 0;
    for (int i = 0; i < call->n; i++) types = types && !(call->is_literal && call->is_literal[i]);
    if (!types) return NULL;
    wadi_text key;
    wadi_text_init(&key);
    wadi_text_add(&key, d->name);
    for (int i = 0; i < call->n; i++) {
        const wadi_elem *e = &call->types[i].elem;
        wadi_text_addf(&key, " %d", call->types[i].rank);
        for (int f = 0; f < e->fields; f++)
            wadi_text_addf(&key, ",%s %zu %s", wadi_type_name(e->type[f]),
                           e->name[f] ? strlen(e->name[f]) : 0, e->name[f] ? e->name[f] : "");
    }
    const char *kept = key.failed ? NULL : wadi_intern_add(&p->strings, wadi_text_str(&key));
    wadi_text_fini(&key);
    return kept;
}

/* The text of an earlier call with this key, or NULL. */
static const char *kept_text(const wadi_parser *p, const char *key) {
    uint64_t at = 0;
    if (key) (void)wadi_map64_get(&p->written, (uint64_t)(uintptr_t)key, &at);
    return (const char *)(uintptr_t)at;
}

/* The text, kept for the next call with this key. Where there is none, or no memory, *out_own is the caller's. */
static const char *keep(wadi_parser *p, const char *key, wadi_text *text, char **out_own) {
    const char *kept = key ? wadi_intern_add(&p->strings, wadi_text_str(text)) : NULL;
    if (kept && wadi_map64_put(&p->written, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)kept))
        return kept;
    return *out_own = wadi_text_take(text);
}

wadi_status wadi_parse_written(wadi_parser *p, const wadi_token *t, const wadi_derived *d,
                               const wadi_derived_call *call, wadi_written *out) {
    *out = (wadi_written){.p = {.file = p->file,
                                .call = d->name,
                                .line = p->call ? p->line : t->line,
                                .ops = p->ops,
                                .m = p->m,
                                .err = p->err}};
    const char *key = key_of(p, d, call), *text = kept_text(p, key);
    if (!text) {
        wadi_text fresh;
        wadi_text_init(&fresh);
        const wadi_status st = write(p, t, d, call, &fresh);
        if (st == WADI_OK) text = keep(p, key, &fresh, &out->own);
        wadi_text_fini(&fresh);
        if (st != WADI_OK) return st;
    }
    return text ? wadi_lex(text, p->file, &out->p.tokens, p->err) : wadi_parse_no_memory(p);
}

void wadi_parse_written_end(wadi_written *w) {
    wadi_parser_fini(&w->p);
    free(w->own);
}
