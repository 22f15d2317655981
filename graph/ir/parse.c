/* Reads bindings and the regions in them: recursive descent over tokens, with one binding on a line.
 *
 * The parser knows what a binding looks like, but no operator. The operator's row says how many functions and regions follow
 * and what their parameters are, and its type rule makes the results. So every program that the parser accepts is well typed.
 * No text makes it recurse more than WADI_PARSE_DEPTH levels. */
#include "graph/ir/parse.h"

#include <stdio.h>
#include <string.h>

#include "graph/ir/print.h"

enum { MAX_RESULTS = 256, MAX_ATTRS = 2048 };

typedef WADI_VEC(wadi_val) value_list;

/* Numbers of attributes, in the module's arena if they are many. */
typedef struct number_list {
    int n, cap;
    int64_t *at;
} number_list;

/* A name on the left of a binding or in a list of parameters, with its marks. */
typedef struct defined {
    const wadi_token *name;
    wadi_rep rep;
    wadi_storage storage;
    int siblings;
} defined;

/* ---- names of arrays ---- */

static wadi_status define(wadi_parser *p, const defined *d, wadi_val v) {
    const char *name = wadi_intern_add_n(&p->strings, d->name->at, d->name->n);
    uint64_t bound = 0;
    if (!name || v == WADI_NONE) return wadi_parse_no_memory(p);
    if (!wadi_lex_is_plain_name(name))
        return wadi_parse_fail(p, d->name, WADI_INVALID,
                               "expected a name that is no word of the language");
    if (wadi_map64_get(&p->bound, (uint64_t)(uintptr_t)name, &bound) && bound != 0)
        return wadi_parse_fail(p, d->name, WADI_INVALID, "this name is already in use");
    wadi_value *value = &p->m->values[v];
    value->rep = d->rep;
    value->storage = d->storage;
    value->siblings = d->siblings;
    value->name = wadi_arena_strdup(p->m->arena, name);
    if (!value->name || !wadi_vec_push(&p->scope, name) ||
        !wadi_map64_put(&p->bound, (uint64_t)(uintptr_t)name, (uint64_t)v + 1))
        return wadi_parse_no_memory(p);
    return WADI_OK;
}

static wadi_status leave_scope(wadi_parser *p, size_t mark) {
    while (p->scope.n > mark)
        if (!wadi_map64_put(&p->bound, (uint64_t)(uintptr_t)wadi_vec_pop(&p->scope), 0))
            return wadi_parse_no_memory(p);
    return WADI_OK;
}

/* ---- the pieces of a binding ---- */

/* [avoid | regular | irregular] [delayed] [sibling number] name */
static wadi_status parse_defined(wadi_parser *p, defined *out) {
    *out = (defined){.rep = WADI_REP_NONE, .storage = WADI_STORE_MANIFEST};
    if (wadi_parse_accept(p, "avoid"))
        out->rep = WADI_REP_AVOID;
    else if (wadi_parse_accept(p, "regular"))
        out->rep = WADI_REP_REGULAR;
    else if (wadi_parse_accept(p, "irregular"))
        out->rep = WADI_REP_IRREGULAR;
    if (wadi_parse_accept(p, "delayed")) out->storage = WADI_STORE_DELAYED;
    if (wadi_parse_accept(p, "sibling")) {
        int64_t number = 0;
        WADI_TRY(wadi_parse_integer(p, 1, INT32_MAX, &number));
        out->siblings = (int)number;
    }
    out->name = wadi_parse_next(p);
    if (out->name->kind == WADI_TOKEN_NAME) return WADI_OK;
    return wadi_parse_fail(p, out->name, WADI_INVALID, "expected a name");
}

static bool push_number(wadi_parser *p, number_list *l, int64_t x) {
    if (l->n == l->cap) {
        int64_t *at = WADI_NEW_N(p->m->arena, int64_t, (size_t)l->cap * 4);
        if (!at) return false;
        memcpy(at, l->at, (size_t)l->n * sizeof *at);
        l->at = at;
        l->cap *= 4;
    }
    l->at[l->n++] = x;
    return true;
}

/* word=1,2 word=3: the operator's words in their order; the last one may have several numbers */
static wadi_status parse_attrs(wadi_parser *p, const wadi_op *op, number_list *out) {
    const char *word = op->attrs ? op->attrs : "";
    while (wadi_parse_peek(p, 0)->kind == WADI_TOKEN_NAME && wadi_parse_sees(p, 1, "=")) {
        const wadi_token *t = wadi_parse_next(p);
        const size_t n = strcspn(word, " ");
        if (n == 0)
            return wadi_parse_fail(p, t, WADI_INVALID, "%s has no further attribute", op->name);
        if (t->n != n || memcmp(t->at, word, n) != 0)
            return wadi_parse_fail(p, t, WADI_INVALID, "expected the attribute '%.*s' of %s",
                                   (int)n, word, op->name);
        p->at++;
        do {
            int64_t x = 0;
            if (out->n == MAX_ATTRS)
                return wadi_parse_fail(p, t, WADI_INVALID, "more than %d numbers", MAX_ATTRS);
            const wadi_token *number = wadi_parse_peek(p, 0);
            if (number->kind != WADI_TOKEN_NUMBER)
                return wadi_parse_fail(p, number, WADI_INVALID,
                                       "the attribute %.*s takes numbers%s", (int)n, word,
                                       wadi_parse_hint_form(p, op));
            WADI_TRY(wadi_parse_integer(p, INT64_MIN, INT64_MAX, &x));
            const int sign = number->at[0] == '-';
            if ((int)number->n > sign + 1 && number->at[sign] == '0' &&
                number->at[sign + 1] >= '0' && number->at[sign + 1] <= '9')
                return wadi_parse_fail(p, number, WADI_INVALID,
                                       "a number of several digits does not begin with 0");
            if (!push_number(p, out, x)) return wadi_parse_no_memory(p);
        } while (word[n] != ' ' && wadi_parse_accept(p, ","));
        word += n + (word[n] == ' ');
    }
    return WADI_OK;
}

/* `form` is how the operator is written; NULL: that is not known. */
static wadi_status parse_args(wadi_parser *p, const char *form, value_list *out) {
    while (wadi_parse_sees_literal(p) || wadi_parse_peek(p, 0)->kind == WADI_TOKEN_NAME) {
        wadi_val v;
        if (wadi_parse_sees(p, 1, "="))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "an attribute stands before the arguments%s%s%s",
                                   form ? " (it is written " : "", form ? form : "",
                                   form ? ")" : "");
        WADI_TRY(wadi_parse_value(p, &v));
        if (!wadi_vec_push(out, v)) return wadi_parse_no_memory(p);
    }
    return WADI_OK;
}

static bool sees_function(const wadi_parser *p) {
    return wadi_parse_sees(p, 0, "(") || wadi_parse_sees(p, 0, "{");
}

static wadi_status parse_funs(wadi_parser *p, wadi_bind *b) {
    for (int k = 0; k < b->nfuns; k++) {
        wadi_type types[WADI_MAX_FUN_PARAMS];
        const int n = b->op->fun_params ? b->op->fun_params(p->m, b, k, types) : -1;
        if (!sees_function(p))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "%s: expected function %d of %d%s", b->op->name, k + 1, b->nfuns,
                                   wadi_parse_hint_form(p, b->op));
        WADI_TRY(wadi_parse_fun(p, b, n, types, &b->funs[k]));
    }
    return WADI_OK;
}

/* ---- regions ---- */

static wadi_status parse_block(wadi_parser *p, wadi_block *b);

/* The parameters of a region. A type that is not written is the one that the operator gives. n = -1: it gives none. */
static wadi_status parse_params(wadi_parser *p, const wadi_bind *b, wadi_block *r, int n,
                                const wadi_array_type *types) {
    if (!wadi_parse_accept(p, "(")) return WADI_OK;
    do {
        wadi_parse_skip_lines(p);
        defined d;
        WADI_TRY(parse_defined(p, &d));
        wadi_val_type t = {.is_seq = false};
        if (wadi_parse_accept(p, ":")) {
            WADI_TRY(wadi_parse_type(p, &t));
        } else if (r->nparams < n) {
            t = wadi_array_val_type(p->m, types[r->nparams].rank, types[r->nparams].elem);
            if (!t.array) return wadi_parse_no_memory(p);
        } else {
            return n < 0 ? wadi_parse_misfit(p, b, d.name)
                         : wadi_parse_fail(p, d.name, WADI_TYPE, "expected %d parameter%s%s", n,
                                           n == 1 ? "" : "s", wadi_parse_hint_form(p, b->op));
        }
        WADI_TRY(define(p, &d, wadi_block_param(p->m, r, t)));
    } while (wadi_parse_accept(p, ","));
    return wadi_parse_expect(p, ")");
}

static wadi_status parse_region(wadi_parser *p, wadi_bind *b, int k, wadi_block *around) {
    wadi_array_type types[WADI_MAX_PARAMS];
    const int n = b->op->block_params ? b->op->block_params(p->m, b, k, types) : 0;
    const size_t scope = p->scope.n;
    wadi_block *r = wadi_block_new(p->m, around);
    if (!r) return wadi_parse_no_memory(p);
    b->blocks[k] = r;
    WADI_TRY(wadi_parse_enter(p));
    if (k > 0) wadi_parse_skip_lines(p);
    if (k > 0 && !wadi_parse_accept(p, "else")) (void)wadi_parse_accept(p, "do");
    if (!sees_function(p))
        return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                               "%s: expected region %d of %d%s", b->op->name, k + 1, b->nblocks,
                               wadi_parse_hint_form(p, b->op));
    WADI_TRY(parse_params(p, b, r, n, types));
    const wadi_token *open = wadi_parse_peek(p, 0);
    WADI_TRY(wadi_parse_expect(p, "{"));
    WADI_TRY(parse_block(p, r));
    WADI_TRY(wadi_parse_close(p, "}", open));
    wadi_parse_leave(p);
    return leave_scope(p, scope);
}

/* ---- bindings ---- */

/* Whether a type follows, the one of the result. */
static bool declares(const wadi_op *op) {
    return op->form && strstr(op->form, "TYPE");
}

/* What follows the arguments: functions and regions, or the type of a declaration. */
static wadi_status parse_rest(wadi_parser *p, wadi_bind *b, wadi_block *around) {
    WADI_TRY(parse_funs(p, b));
    for (int k = 0; k < b->nblocks; k++) WADI_TRY(parse_region(p, b, k, around));
    if (b->nargs > 0 || b->nfuns > 0 || b->nblocks > 0) return WADI_OK;
    wadi_val_type t;
    if (!wadi_parse_accept(p, ":"))
        return !declares(b->op) ? WADI_OK /* the type rule tells what is missing */
                                : wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                                  "expected ':'%s", wadi_parse_hint_form(p, b->op));
    WADI_TRY(wadi_parse_type(p, &t));
    if (wadi_parse_sees(p, 0, "[")) WADI_TRY(wadi_parse_data(p, &t, &b->data));
    return wadi_bind_result(p->m, b, t) == WADI_NONE ? wadi_parse_no_memory(p) : WADI_OK;
}

static int words_in(const char *attrs) {
    int n = attrs && *attrs;
    for (; attrs && *attrs; attrs++) n += *attrs == ' ';
    return n;
}

/* The attribute that `what` ("edge: ..") is about, among the tokens from the operator's on. NULL: it is about none. */
static const wadi_token *attribute_of(const wadi_parser *p, const wadi_token *op_name,
                                      const char *what) {
    const size_t n = strcspn(what, ":");
    const wadi_token *end = wadi_parse_peek(p, 0);
    for (const wadi_token *t = op_name; t < end && what[n]; t++)
        if (t->kind == WADI_TOKEN_NAME && t->n == n && memcmp(t->at, what, n) == 0) return t;
    return NULL;
}

/* None of several attributes is missing, and they make sense together. A single one may be a list of any length, which the type rule knows. */
static wadi_status check_attrs(wadi_parser *p, const wadi_token *op_name, const wadi_bind *b) {
    const wadi_op *op = b->op;
    const int words = words_in(op->attrs);
    if (b->nattrs < words && (words > 1 || b->nargs == 0))
        return wadi_fail_at(p->err, ((wadi_loc){p->file, op_name->line}), WADI_INVALID,
                            "line %d, column %d: %s: %d attribute%s, expected %d: %s%s",
                            op_name->line, op_name->column, op->name, b->nattrs,
                            b->nattrs == 1 ? "" : "s", words, op->attrs,
                            wadi_parse_hint_form(p, op));
    const char *wrong = op->wrong_attrs ? op->wrong_attrs(b) : NULL;
    if (!wrong) return WADI_OK;
    const wadi_token *named = attribute_of(p, op_name, wrong), *t = named ? named : op_name;
    return wadi_fail_at(p->err, ((wadi_loc){p->file, t->line}), WADI_INVALID,
                        "line %d, column %d: %s: %s%s", t->line, t->column, op->name, wrong,
                        named ? "" : wadi_parse_hint_form(p, op));
}

/* Runs the operator's type rule; a failure names the place in the text. */
static wadi_status check_type(wadi_parser *p, const wadi_token *t, wadi_bind *b) {
    wadi_error why = {0};
    const wadi_status st = b->op->type(p->m, b, &why);
    if (st == WADI_OK) return WADI_OK;
    const bool counts =
        strstr(why.msg, ", expected ") && !strstr(why.msg, " is ") && !strstr(why.msg, " rank ");
    const char *form = counts || strstr(why.msg, ": needs ")        ? wadi_parse_hint_form(p, b->op)
                       : strstr(why.msg, "expected elements as in") ? wadi_parse_hint_element(p, b)
                                                                    : "";
    return wadi_fail_at(p->err, ((wadi_loc){p->file, t->line}), st, "line %d, column %d: %s%s",
                        t->line, t->column, why.msg, form);
}

static wadi_status other_type(wadi_parser *p, const wadi_token *t, const char *op, int r,
                              const wadi_val_type *made) {
    wadi_text type;
    wadi_text_init(&type);
    wadi_print_val_type(&type, made);
    const wadi_status st = wadi_parse_fail(p, t, WADI_TYPE, "result %d of %s is %s, not this",
                                           r + 1, op, wadi_text_str(&type));
    wadi_text_fini(&type);
    return st;
}

/* `: type, ..` after a binding: the types of the results, which must be the true ones, and extents declared for them */
static wadi_status parse_annotation(wadi_parser *p, const char *op, int n,
                                    const wadi_val *results) {
    if (!wadi_parse_accept(p, ":")) return WADI_OK;
    for (int r = 0; r < n; r++) {
        wadi_val_type written;
        if (r > 0) WADI_TRY(wadi_parse_expect(p, ","));
        const wadi_token *type = wadi_parse_peek(p, 0);
        WADI_TRY(wadi_parse_type(p, &written));
        wadi_val_type *made = &p->m->values[results[r]].type;
        if (!wadi_val_type_equal(made, &written)) return other_type(p, type, op, r, made);
        for (int i = 0; i < made->arrays; i++) made->array[i].extent = written.array[i].extent;
    }
    return WADI_OK;
}

/* Its attributes and arguments, and room for its functions and regions. */
static wadi_status parse_start(wadi_parser *p, const wadi_op *op, wadi_bind **out) {
    value_list args = {0};
    int64_t few[16];
    number_list attrs = {0, 16, few};
    wadi_status st = parse_attrs(p, op, &attrs);
    if (st == WADI_OK && declares(op) && wadi_parse_peek(p, 0)->kind == WADI_TOKEN_NAME)
        st = wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "expected ':' and a type%s",
                             wadi_parse_hint_form(p, op));
    if (st == WADI_OK) st = parse_args(p, op->form, &args);
    if (st == WADI_OK) *out = wadi_bind_new(p->m, op, (int)args.n, 0, op->nblocks, attrs.n);
    if (*out) {
        wadi_bind *b = *out;
        if (args.n > 0) memcpy(b->args, args.at, args.n * sizeof *args.at);
        if (attrs.n > 0) memcpy(b->attrs, attrs.at, (size_t)attrs.n * sizeof *attrs.at);
        b->nfuns = wadi_op_funs(b);
        b->funs = WADI_NEW_N(p->m->arena, wadi_fun *, (size_t)b->nfuns);
    }
    wadi_vec_free(&args);
    if (st != WADI_OK) return st;
    return *out && (*out)->funs ? WADI_OK : wadi_parse_no_memory(p);
}

/* The operator and all that follows it. */
static wadi_status parse_application(wadi_parser *p, wadi_block *around, const wadi_token *op_name,
                                     const char *name, wadi_bind **out) {
    char text[64];
    (void)snprintf(text, sizeof text, "%.*s", (int)(op_name->n < 60 ? op_name->n : 60),
                   op_name->at);
    const wadi_op *op = op_name->kind == WADI_TOKEN_NAME ? wadi_op_find(p->ops, text) : NULL;
    if (!op)
        return wadi_parse_fail(p, op_name, WADI_INVALID, "expected an operator%s",
                               wadi_parse_hint_operator(p, op_name, around != p->m->main));
    if (!name && wadi_parse_peek(p, 0)->kind == WADI_TOKEN_STRING)
        WADI_TRY(wadi_parse_name(p, &name));
    wadi_bind *b = NULL;
    WADI_TRY(parse_start(p, op, &b));
    WADI_TRY(check_attrs(p, op_name, b));
    b->name = name;
    WADI_TRY(parse_rest(p, b, around));
    WADI_TRY(check_type(p, op_name, b));
    *out = b;
    return b->data ? WADI_OK : parse_annotation(p, op->name, b->nresults, b->results);
}

static wadi_status finish_bind(wadi_parser *p, wadi_block *around, wadi_bind *b, int n,
                               const defined *d, const wadi_token *op_name) {
    WADI_TRY(wadi_parse_place(p, op_name, &b->loc));
    if (n != b->nresults)
        return wadi_parse_fail_names(p, op_name, b->op->name, (size_t)n, (size_t)b->nresults,
                                     n == 0 && b->name ? wadi_parse_hint_form(p, b->op) : "");
    for (int r = 0; r < n; r++) WADI_TRY(define(p, &d[r], b->results[r]));
    if (!wadi_block_append(p->m, around, b)) return wadi_parse_no_memory(p);
    return WADI_OK;
}

static wadi_status parse_derived(wadi_parser *p, wadi_block *around, const wadi_token *op_name,
                                 const wadi_derived *row, int n, const defined *d);

/* Whether `op name :` comes next, which stands for `name = op "name" :`. */
static bool sees_short(const wadi_parser *p) {
    return wadi_parse_peek(p, 0)->kind == WADI_TOKEN_NAME &&
           wadi_parse_peek(p, 1)->kind == WADI_TOKEN_NAME && wadi_parse_sees(p, 2, ":");
}

/* Whether names of results and '=' come next; `word=3` is an attribute. */
static bool sees_results(const wadi_parser *p) {
    size_t ahead = 0;
    while (wadi_parse_peek(p, ahead)->kind == WADI_TOKEN_NAME ||
           wadi_parse_peek(p, ahead)->kind == WADI_TOKEN_NUMBER)
        ahead++; /* marks and a name */
    return wadi_parse_sees(p, ahead, ",") ||
           (wadi_parse_sees(p, ahead, "=") &&
            (ahead == 1 || wadi_parse_peek(p, ahead + 1)->kind == WADI_TOKEN_NAME));
}

wadi_status wadi_parse_bind(wadi_parser *p, wadi_block *around) {
    defined d[MAX_RESULTS];
    int n = 0;
    const char *name = NULL;
    wadi_bind *b = NULL;
    const wadi_token *op_name = wadi_parse_peek(p, 0);
    if (sees_short(p)) {
        p->at++;
        WADI_TRY(parse_defined(p, &d[n++]));
        name = wadi_arena_strndup(p->m->arena, d[0].name->at, d[0].name->n);
        if (!name) return wadi_parse_no_memory(p);
    } else {
        const bool gives = sees_results(p);
        while (gives) {
            if (n == MAX_RESULTS)
                return wadi_parse_fail(p, op_name, WADI_INVALID, "more than %d results",
                                       MAX_RESULTS);
            WADI_TRY(parse_defined(p, &d[n++]));
            if (!wadi_parse_accept(p, ",")) break;
        }
        if (gives && !wadi_parse_accept(p, "="))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "expected '='%s",
                                   n == 1 ? wadi_parse_hint_operator(p, d[0].name, false) : "");
        op_name = wadi_parse_next(p);
    }
    const wadi_derived *derived =
        op_name->kind == WADI_TOKEN_NAME ? wadi_op_derived(p->ops, op_name->at, op_name->n) : NULL;
    if (derived && !derived->scalar) return parse_derived(p, around, op_name, derived, n, d);
    WADI_TRY(parse_application(p, around, op_name, name, &b));
    return finish_bind(p, around, b, n, d, op_name);
}

/* ---- derived functions ---- */

/* The rest of a line of the text: `input a : f32[?]`, where the name stands for an argument, or `output y as "0"`, where it stands for a
 * result. Other lines are bindings. */
static wadi_status parse_written_line(wadi_parser *p, wadi_block *around, const value_list *args,
                                      size_t *next, value_list *results) {
    if (wadi_parse_accept(p, "output")) {
        wadi_val v;
        WADI_TRY(wadi_parse_value(p, &v));
        if (!wadi_vec_push(results, v)) return wadi_parse_no_memory(p);
    } else if (!wadi_parse_sees(p, 0, "input")) {
        return wadi_parse_bind(p, around);
    } else {
        const wadi_token *t = wadi_parse_peek(p, 1);
        const char *name = wadi_intern_add_n(&p->strings, t->at, t->n);
        if (*next == args->n) return wadi_fail(p->err, WADI_INTERNAL, "%s: an input", p->call);
        if (!name || !wadi_map64_put(&p->bound, (uint64_t)(uintptr_t)name,
                                     (uint64_t)args->at[(*next)++] + 1))
            return wadi_parse_no_memory(p);
    }
    while (wadi_parse_peek(p, 0)->kind != WADI_TOKEN_LINE &&
           wadi_parse_peek(p, 0)->kind != WADI_TOKEN_END)
        p->at++;
    return WADI_OK;
}

/* The bindings of a derived function's text, behind its first line, become bindings of `around`. */
static wadi_status parse_written(wadi_parser *p, wadi_block *around, const value_list *args,
                                 value_list *results) {
    size_t next = 0;
    WADI_TRY(wadi_parse_expect(p, "program"));
    p->at++;
    wadi_parse_skip_lines(p);
    while (wadi_parse_peek(p, 0)->kind != WADI_TOKEN_END) {
        WADI_TRY(parse_written_line(p, around, args, &next, results));
        wadi_parse_skip_lines(p);
    }
    return WADI_OK;
}

/* A function of the elements of the first argument: the array of its results is one more argument. */
static wadi_status parse_key(wadi_parser *p, wadi_block *around, const wadi_token *t,
                             const wadi_derived *row, value_list *args) {
    wadi_op named = *p->ops->of_elements; /* messages tell what the text has */
    named.name = row->name;
    named.form = row->form;
    wadi_bind *b = wadi_bind_new(p->m, &named, 1, 1, 0, 0);
    if (!b) return wadi_parse_no_memory(p);
    b->args[0] = args->at[0];
    b->loc = wadi_parse_loc(p, t);
    b->loc.call = row->name;
    WADI_TRY(parse_funs(p, b));
    WADI_TRY(check_type(p, t, b));
    b->op = p->ops->of_elements;
    p->m->values[b->results[0]].name = "key";
    if (!wadi_block_append(p->m, around, b) || !wadi_vec_push(args, b->results[0]))
        return wadi_parse_no_memory(p);
    return WADI_OK;
}

static wadi_status parse_derived_args(wadi_parser *p, wadi_block *around, const wadi_token *t,
                                      const wadi_derived *row, number_list *attrs,
                                      value_list *args) {
    const wadi_op named = {.name = row->name, .form = row->form, .attrs = row->attrs};
    WADI_TRY(parse_attrs(p, &named, attrs));
    WADI_TRY(parse_args(p, row->form, args));
    if (args->n != (size_t)row->nargs)
        return wadi_parse_derived_fail(p, t, row, WADI_INVALID, "%zu arguments, expected %d",
                                       args->n, row->nargs);
    for (size_t i = 0; i < args->n; i++)
        if (p->m->values[args->at[i]].type.is_seq)
            return wadi_parse_derived_fail(p, t, row, WADI_TYPE,
                                           "argument %zu is a sequence, expected an array", i + 1);
    for (int k = 0; k < row->keys && (k == 0 || sees_function(p)); k++)
        WADI_TRY(parse_key(p, around, t, row, args));
    if (row->keys > 0 && sees_function(p))
        return wadi_parse_derived_fail(p, t, row, WADI_INVALID, "more than %d key%s", row->keys,
                                       row->keys == 1 ? "" : "s");
    return WADI_OK;
}

static wadi_status expand(wadi_parser *p, wadi_block *around, const wadi_token *t,
                          const wadi_derived *row, const number_list *attrs, const value_list *args,
                          value_list *results) {
    wadi_array_type *types = WADI_NEW_N(p->m->arena, wadi_array_type, args->n);
    wadi_scalar *literals = WADI_NEW_N(p->m->arena, wadi_scalar, args->n);
    bool *is_literal = WADI_NEW_N(p->m->arena, bool, args->n);
    if (!types || !literals || !is_literal) return wadi_parse_no_memory(p);
    for (size_t i = 0; i < args->n; i++) {
        const wadi_value *v = &p->m->values[args->at[i]];
        types[i] = v->type.array[0];
        literals[i] = v->imm;
        is_literal[i] = v->def == WADI_DEF_CONST;
    }
    const wadi_derived_call call = {.n = (int)args->n,
                                    .types = types,
                                    .literals = literals,
                                    .is_literal = is_literal,
                                    .nattrs = attrs->n,
                                    .attrs = attrs->at};
    wadi_written w;
    wadi_status st = wadi_parse_written(p, t, row, &call, &w);
    if (st == WADI_OK) st = parse_written(&w.p, around, args, results);
    wadi_parse_written_end(&w);
    return st;
}

static wadi_status name_results(wadi_parser *p, const wadi_token *t, const wadi_derived *row, int n,
                                const defined *d, const value_list *results) {
    WADI_TRY(parse_annotation(p, row->name, (int)results->n, results->at));
    if ((size_t)n != results->n)
        return wadi_parse_fail_names(p, t, row->name, (size_t)n, results->n, "");
    for (int r = 0; r < n; r++) WADI_TRY(define(p, &d[r], results->at[r]));
    return WADI_OK;
}

/* names = derived .. : the bindings that it stands for, whose results get the names. */
static wadi_status parse_derived(wadi_parser *p, wadi_block *around, const wadi_token *t,
                                 const wadi_derived *row, int n, const defined *d) {
    int64_t few[16];
    number_list attrs = {0, 16, few};
    value_list args = {0}, results = {0};
    wadi_status st = parse_derived_args(p, around, t, row, &attrs, &args);
    if (st == WADI_OK) st = expand(p, around, t, row, &attrs, &args, &results);
    if (st == WADI_OK) st = name_results(p, t, row, n, d, &results);
    wadi_vec_free(&args);
    wadi_vec_free(&results);
    return st;
}

/* ---- blocks ---- */

static wadi_status parse_yields(wadi_parser *p, wadi_block *b) {
    if (wadi_parse_peek(p, 0)->kind == WADI_TOKEN_LINE || wadi_parse_sees(p, 0, "}"))
        return WADI_OK;
    do {
        wadi_val v;
        wadi_parse_skip_lines(p);
        WADI_TRY(wadi_parse_value(p, &v));
        if (!wadi_block_yield(p->m, b, v)) return wadi_parse_no_memory(p);
    } while (wadi_parse_accept(p, ","));
    return WADI_OK;
}

/* The bindings of a region and its yield. */
static wadi_status parse_block(wadi_parser *p, wadi_block *b) {
    wadi_parse_skip_lines(p);
    while (!wadi_parse_accept(p, "yield")) {
        WADI_TRY(wadi_parse_bind(p, b));
        WADI_TRY(wadi_parse_end_of_line(p));
        if (wadi_parse_sees(p, 0, "}") || wadi_parse_peek(p, 0)->kind == WADI_TOKEN_END)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "expected a binding or 'yield' (a region ends with yield a..)");
    }
    WADI_TRY(parse_yields(p, b));
    return wadi_parse_end_of_line(p);
}
