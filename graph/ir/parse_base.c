/* What both levels of the parser use: looking at tokens, errors, and small pieces such as names and literals. */
#include "graph/ir/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "graph/ir/literal.h"

void wadi_parser_fini(wadi_parser *p) {
    wadi_vec_free(&p->scope);
    wadi_map64_fini(&p->bound);
    wadi_map64_fini(&p->outputs);
    wadi_map64_fini(&p->written);
    wadi_intern_fini(&p->strings);
    wadi_vec_free(&p->tokens);
}

/* ---- tokens ---- */

const wadi_token *wadi_parse_peek(const wadi_parser *p, size_t ahead) {
    const size_t i = p->at + ahead;
    return &p->tokens.at[i < p->tokens.n ? i : p->tokens.n - 1];
}

const wadi_token *wadi_parse_next(wadi_parser *p) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (t->kind != WADI_TOKEN_END) p->at++;
    return t;
}

bool wadi_parse_sees(const wadi_parser *p, size_t ahead, const char *text) {
    const wadi_token *t = wadi_parse_peek(p, ahead);
    return (t->kind == WADI_TOKEN_MARK || t->kind == WADI_TOKEN_NAME) && strlen(text) == t->n &&
           memcmp(text, t->at, t->n) == 0;
}

bool wadi_parse_accept(wadi_parser *p, const char *text) {
    const bool there = wadi_parse_sees(p, 0, text);
    if (there) p->at++;
    return there;
}

wadi_status wadi_parse_expect(wadi_parser *p, const char *text) {
    if (wadi_parse_accept(p, text)) return WADI_OK;
    return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "expected '%s'", text);
}

wadi_status wadi_parse_close(wadi_parser *p, const char *text, const wadi_token *open) {
    if (wadi_parse_accept(p, text)) return WADI_OK;
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (open->line == t->line)
        return wadi_parse_fail(p, t, WADI_INVALID, "expected '%s'%s", text,
                               wadi_parse_hint_behind(p, t));
    return wadi_parse_fail(p, t, WADI_INVALID, "expected '%s' for the '%c' in line %d, column %d%s",
                           text, *open->at, open->line, open->column, wadi_parse_hint_behind(p, t));
}

void wadi_parse_skip_lines(wadi_parser *p) {
    while (wadi_parse_peek(p, 0)->kind == WADI_TOKEN_LINE) p->at++;
}

wadi_status wadi_parse_end_of_line(wadi_parser *p) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (t->kind == WADI_TOKEN_END || wadi_parse_sees(p, 0, "}")) return WADI_OK;
    if (t->kind != WADI_TOKEN_LINE)
        return wadi_parse_fail(p, t, WADI_INVALID, "expected the end of the line");
    wadi_parse_skip_lines(p);
    return WADI_OK;
}

/* ---- errors ---- */

static void describe(const wadi_token *t, char *out, size_t size) {
    if (t->kind == WADI_TOKEN_END)
        (void)snprintf(out, size, "the end of the text");
    else if (t->kind == WADI_TOKEN_LINE)
        (void)snprintf(out, size, "the end of the line");
    else
        (void)snprintf(out, size, "'%.*s'%s", (int)(t->n < 40 ? t->n : 40), t->at,
                       t->n > 40 ? "..." : "");
}

wadi_status wadi_parse_fail(wadi_parser *p, const wadi_token *t, wadi_status st, const char *format,
                            ...) {
    char what[400], found[64];
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(what, sizeof what, format, args);
    va_end(args);
    describe(t, found, sizeof found);
    return wadi_fail_at(p->err, ((wadi_loc){p->file, t->line}), st,
                        "line %d, column %d: %s, found %s", t->line, t->column, what, found);
}

wadi_status wadi_parse_fail_names(wadi_parser *p, const wadi_token *t, const char *what,
                                  size_t names, size_t results, const char *hint) {
    const char *s = results == 1 ? "" : "s";
    char instead[96] = "no name may stand before it";
    if (results > 0 && names == 0)
        (void)snprintf(instead, sizeof instead, "expected %zu name%s and '=' before it", results,
                       s);
    else if (results > 0)
        (void)snprintf(instead, sizeof instead, "expected %zu name%s before '=', not %zu", results,
                       s, names);
    return wadi_fail_at(p->err, ((wadi_loc){p->file, t->line}), WADI_TYPE,
                        "line %d, column %d: %s gives %zu result%s: %s%s", t->line, t->column, what,
                        results, s, instead, hint);
}

wadi_status wadi_parse_misfit(wadi_parser *p, const wadi_bind *b, const wadi_token *t) {
    const wadi_seq_form form = b->op->seq.form;
    const bool of_streams = form != WADI_SEQ_NONE && form != WADI_SEQ_COUNT;
    const int streams = !of_streams ? 0 : form == WADI_SEQ_MAP ? b->nargs : 1;
    for (int i = 0; i < b->nargs; i++) {
        const bool is_seq = p->m->values[b->args[i]].type.is_seq;
        if (is_seq == (i < streams)) continue;
        return wadi_parse_fail(p, t, WADI_TYPE, "argument %d of %s is %s%s", i + 1, b->op->name,
                               is_seq ? "a sequence, expected an array" : "no sequence",
                               is_seq ? "" : wadi_parse_hint_form(p, b->op));
    }
    return wadi_parse_fail(p, t, WADI_TYPE, "the arguments of %s do not fit it%s", b->op->name,
                           wadi_parse_hint_form(p, b->op));
}

wadi_status wadi_parse_no_memory(wadi_parser *p) {
    return wadi_fail(p->err, WADI_MEMORY, "out of memory");
}

wadi_status wadi_parse_enter(wadi_parser *p) {
    if (++p->depth <= WADI_PARSE_DEPTH) return WADI_OK;
    return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                           "nested more than %d levels deep", WADI_PARSE_DEPTH);
}

void wadi_parse_leave(wadi_parser *p) {
    p->depth--;
}

/* ---- small pieces ---- */

/* The text between the quotes, in the module's arena. */
static char *unquoted(wadi_parser *p, const wadi_token *t) {
    char *s = wadi_arena_strndup(p->m->arena, t->at + 1, t->n - 2);
    if (!s) return NULL;
    size_t n = 0;
    for (size_t i = 0; s[i]; i++) {
        if (s[i] == '\\' && s[i + 1]) {
            i++;
            s[n++] = s[i] == 'n' ? '\n' : s[i];
        } else {
            s[n++] = s[i];
        }
    }
    s[n] = '\0';
    return s;
}

wadi_status wadi_parse_name(wadi_parser *p, const char **out) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (t->kind == WADI_TOKEN_STRING)
        *out = unquoted(p, t);
    else if (t->kind == WADI_TOKEN_NAME)
        *out = wadi_arena_strndup(p->m->arena, t->at, t->n);
    else
        return wadi_parse_fail(p, t, WADI_INVALID, "expected a name");
    p->at++;
    return *out ? WADI_OK : wadi_parse_no_memory(p);
}

wadi_status wadi_parse_apart(wadi_parser *p, const wadi_token *t, int k, const char *const *name) {
    for (int i = 0; i < k; i++)
        if (name[i] && strcmp(name[i], name[k]) == 0)
            return wadi_parse_fail(p, t, WADI_INVALID, "two fields have this name");
    return WADI_OK;
}

const char *wadi_parse_types_text(const wadi_parser *p, int n, const wadi_type *types) {
    const char *text = "";
    for (int k = 0; k < n && text; k++)
        text = wadi_arena_printf(p->m->arena, "%s%s%s", text, k > 0 ? ", " : "",
                                 wadi_type_name(types[k]));
    return text ? text : "";
}

wadi_status wadi_parse_scalar_type(wadi_parser *p, wadi_type *out) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (t->kind != WADI_TOKEN_NAME || !wadi_type_read(t->at, t->n, out))
        return wadi_parse_fail(p, t, WADI_INVALID, "expected a scalar type such as f32%s",
                               wadi_parse_hint_type(p, t));
    p->at++;
    return WADI_OK;
}

bool wadi_parse_sees_literal(const wadi_parser *p) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_scalar v;
    const char *why;
    if (t->kind == WADI_TOKEN_NUMBER) return true;
    return t->kind == WADI_TOKEN_NAME && wadi_literal_read(t->at, t->n, NULL, &v, &why);
}

/* Numbers of a program mean what they say: data may hold 1e400 for infinity, a program writes inf_f64. */
wadi_status wadi_parse_literal(wadi_parser *p, const wadi_type *want, wadi_scalar *out) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    const char *why = "not a number";
    bool good = (t->kind == WADI_TOKEN_NUMBER || t->kind == WADI_TOKEN_NAME) &&
                wadi_literal_read(t->at, t->n, want, out, &why);
    if (good && wadi_literal_overflows(t->at, t->n, *out)) {
        why = "out of range of its type";
        good = false;
    }
    if (!good)
        return wadi_parse_fail(p, t, WADI_INVALID, "expected a literal%s%s: %s%s",
                               want ? " of type " : "", want ? wadi_type_name(*want) : "", why,
                               t->n > 1 && t->at[0] == '-' && !(t->at[1] >= '0' && t->at[1] <= '9')
                                   ? " (operations stand in front: neg x, sub x y)"
                                   : "");
    p->at++;
    return WADI_OK;
}

wadi_status wadi_parse_integer(wadi_parser *p, int64_t low, int64_t high, int64_t *out) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    const wadi_type i64 = WADI_I64;
    wadi_scalar v;
    WADI_TRY(wadi_parse_literal(p, &i64, &v));
    *out = (int64_t)v.bits;
    if (*out >= low && *out <= high) return WADI_OK;
    return wadi_parse_fail(p, t, WADI_INVALID, "expected a number in %lld..%lld", (long long)low,
                           (long long)high);
}

wadi_loc wadi_parse_loc(const wadi_parser *p, const wadi_token *t) {
    return (wadi_loc){p->file, !p->file ? 0 : p->call ? p->line : t->line, p->call};
}

wadi_status wadi_parse_place(wadi_parser *p, const wadi_token *t, wadi_loc *out) {
    *out = wadi_parse_loc(p, t);
    if (!wadi_parse_accept(p, "@")) return WADI_OK;
    int64_t line;
    WADI_TRY(wadi_parse_name(p, &out->file));
    WADI_TRY(wadi_parse_expect(p, ":"));
    WADI_TRY(wadi_parse_integer(p, 0, INT32_MAX, &line));
    out->line = (int)line;
    return WADI_OK;
}

/* ---- values ---- */

wadi_status wadi_parse_value(wadi_parser *p, wadi_val *out) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (wadi_parse_sees_literal(p)) {
        wadi_scalar imm;
        WADI_TRY(wadi_parse_literal(p, NULL, &imm));
        *out = wadi_const_val(p->m, imm);
        return *out == WADI_NONE ? wadi_parse_no_memory(p) : WADI_OK;
    }
    uint64_t bound = 0;
    const char *name =
        t->kind == WADI_TOKEN_NAME ? wadi_intern_add_n(&p->strings, t->at, t->n) : NULL;
    if (name) (void)wadi_map64_get(&p->bound, (uint64_t)(uintptr_t)name, &bound);
    if (bound == 0)
        return wadi_parse_fail(p, t, WADI_INVALID, "expected the name of a value in scope%s",
                               wadi_parse_hint_value(p, t));
    p->at++;
    *out = (wadi_val)(bound - 1);
    return WADI_OK;
}

wadi_status wadi_parse_array(wadi_parser *p, wadi_val *out) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    WADI_TRY(wadi_parse_value(p, out));
    if (!p->m->values[*out].type.is_seq) return WADI_OK;
    return wadi_parse_fail(p, t, WADI_TYPE, "expected an array, not a sequence");
}
