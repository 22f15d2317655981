/* What the parser's files share: the place in the text, the names in scope, and errors. Internal to graph/ir. */
#ifndef WADI_GRAPH_IR_PARSE_H
#define WADI_GRAPH_IR_PARSE_H

#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "graph/ir/lex.h"
#include "graph/op.h"

/* How deep parentheses, braces and regions may be nested, so that no text can exhaust the stack. */
enum { WADI_PARSE_DEPTH = 100 };

typedef struct wadi_parser {
    const char *file;
    const char *call; /* of the text of a derived function: its name; else NULL */
    int line;         /* of the text of a derived function: where it is called; else 0 */
    const wadi_op_table *ops;
    wadi_module *m;
    wadi_error *err;
    wadi_tokens tokens;
    size_t at;
    int depth;
    wadi_intern strings;
    wadi_map64 bound;   /* interned name -> 1 + the array value in scope; 0: no longer in scope */
    wadi_map64 outputs; /* interned names of the outputs so far */
    wadi_map64
        written; /* interned calls of derived functions -> their texts, interned (parse_derived.c) */
    WADI_VEC(const char *) scope; /* the names in scope, innermost last */
} wadi_parser;

/** Frees what the parser has gathered, but not the module. All zero is a parser that has nothing. */
void wadi_parser_fini(wadi_parser *p);

/* ---- tokens ---- */

const wadi_token *wadi_parse_peek(const wadi_parser *p, size_t ahead);
const wadi_token *wadi_parse_next(wadi_parser *p);
/** Whether the token `ahead` is this mark, or the name `word`. */
bool wadi_parse_sees(const wadi_parser *p, size_t ahead, const char *text);
/** Steps over the mark or word if it is next. */
bool wadi_parse_accept(wadi_parser *p, const char *text);
WADI_NODISCARD wadi_status wadi_parse_expect(wadi_parser *p, const char *text);
/** The same for what closes `open`, which the message names if it stands in another line. */
WADI_NODISCARD wadi_status wadi_parse_close(wadi_parser *p, const char *text,
                                            const wadi_token *open);
void wadi_parse_skip_lines(wadi_parser *p);
/** Steps to the next line that has anything; a closing brace and the end of the text end a line, too. */
WADI_NODISCARD wadi_status wadi_parse_end_of_line(wadi_parser *p);

/** Fails at token `t`: "line 3, column 7: ..., found 'x'". */
wadi_status wadi_parse_fail(wadi_parser *p, const wadi_token *t, wadi_status st, const char *format,
                            ...) WADI_PRINTF(4, 5);
/** Fails at token `t`, because `names` names stand before "=" for the results of `what`, which are not as many. `hint` ends the message. */
wadi_status wadi_parse_fail_names(wadi_parser *p, const wadi_token *t, const char *what,
                                  size_t names, size_t results, const char *hint);
/** Fails because the arguments of `b` are of the wrong kind, so that its functions and regions have no known parameters. */
wadi_status wadi_parse_misfit(wadi_parser *p, const wadi_bind *b, const wadi_token *t);
wadi_status wadi_parse_no_memory(wadi_parser *p);
WADI_NODISCARD wadi_status wadi_parse_enter(wadi_parser *p);
void wadi_parse_leave(wadi_parser *p);

/** The next token as a name or a string, copied into the module's arena. */
WADI_NODISCARD wadi_status wadi_parse_name(wadi_parser *p, const char **out);
/** Fails at token `t` if name[k], the name of a field, is one of name[0..k-1]; those may be NULL. */
WADI_NODISCARD wadi_status wadi_parse_apart(wadi_parser *p, const wadi_token *t, int k,
                                            const char *const *name);
/** Whether both are written the same. */
static inline bool wadi_parse_same_word(const wadi_token *a, const wadi_token *b) {
    return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

/** "f64, i64", in the module's arena; "" without memory. */
const char *wadi_parse_types_text(const wadi_parser *p, int n, const wadi_type *types);
WADI_NODISCARD wadi_status wadi_parse_scalar_type(wadi_parser *p, wadi_type *out);
WADI_NODISCARD wadi_status wadi_parse_literal(wadi_parser *p, const wadi_type *want,
                                              wadi_scalar *out);
bool wadi_parse_sees_literal(const wadi_parser *p);
/** The next token as an integer in low..high. */
WADI_NODISCARD wadi_status wadi_parse_integer(wadi_parser *p, int64_t low, int64_t high,
                                              int64_t *out);
/** Reads `@ "file":line` if it comes next; otherwise the place is the line of token `t`. */
WADI_NODISCARD wadi_status wadi_parse_place(wadi_parser *p, const wadi_token *t, wadi_loc *out);

/* ---- array level (parse.c) ---- */

/** A binding of block `around`: names, the operator or derived function, and what it takes. */
WADI_NODISCARD wadi_status wadi_parse_bind(wadi_parser *p, wadi_block *around);

/** A value in scope by its name, or a literal. */
WADI_NODISCARD wadi_status wadi_parse_value(wadi_parser *p, wadi_val *out);
/** An array of any type, as scalar code reads it. */
WADI_NODISCARD wadi_status wadi_parse_array(wadi_parser *p, wadi_val *out);

/* ---- names that are nearly there (parse_near.c) ---- */

/** The nearest of the names that were offered; {.to = the token} has none. Borrows the names. */
typedef struct wadi_near {
    const wadi_token *to;
    const char *name; /* NULL: none is near */
    int far;
} wadi_near;

void wadi_near_offer(wadi_near *near, const char *name);
/** " (did you mean 'name'?)", or "". */
const char *wadi_near_hint(const wadi_parser *p, const wadi_near *near);

/* ---- hints (parse_hints.c): " (what to write instead)", or "" where nothing is known ---- */

/** For `t`, which stands where an operator is expected. */
const char *wadi_parse_hint_operator(wadi_parser *p, const wadi_token *t, bool in_region);
/** For `t`, which is no scalar type. */
const char *wadi_parse_hint_type(const wadi_parser *p, const wadi_token *t);
/** For `t`, which stands behind a whole expression, where nothing more is expected. */
const char *wadi_parse_hint_behind(const wadi_parser *p, const wadi_token *t);
/** For an operation that does not take arguments of these types. */
const char *wadi_parse_hint_types(const wadi_parser *p, wadi_sop op, const wadi_type *types);
/** For `t`, which stands where the name of a value is expected. */
const char *wadi_parse_hint_value(wadi_parser *p, const wadi_token *t);
/** For `t`, which stands where a scalar is expected; `near` has been offered the scalars in scope. */
const char *wadi_parse_hint_scalar(wadi_parser *p, const wadi_token *t, wadi_near *near);
/** For the arguments of an operation that does not take their types: a literal that has the type of another argument. */
const char *wadi_parse_hint_literal(wadi_parser *p, int n, const wadi_token *const *args,
                                    const wadi_type *types);
/** For arguments of `b` whose elements differ: a literal with the type of the others. */
const char *wadi_parse_hint_element(wadi_parser *p, const wadi_bind *b);
/** How the operator is written. */
const char *wadi_parse_hint_form(wadi_parser *p, const wadi_op *op);

/* ---- types and host data (parse_type.c) ---- */

/** `element [extents]`, or `seq(...)`. */
WADI_NODISCARD wadi_status wadi_parse_type(wadi_parser *p, wadi_val_type *out);
/** [1, 2, 3], one list per field: as many numbers as the extents of `t` ask for. */
WADI_NODISCARD wadi_status wadi_parse_data(wadi_parser *p, const wadi_val_type *t,
                                           const wadi_array **out);

/* ---- derived functions (parse_derived.c) ---- */

/** The text of a derived function, and a parser at its beginning. */
typedef struct wadi_written {
    wadi_parser p;
    char *own; /* the text; NULL: the caller's parser keeps it for the next such call */
} wadi_written;

/** Begins to read what `d`, called at token `t`, stands for. The caller ends it, also after a failure. */
WADI_NODISCARD wadi_status wadi_parse_written(wadi_parser *p, const wadi_token *t,
                                              const wadi_derived *d, const wadi_derived_call *call,
                                              wadi_written *out);
void wadi_parse_written_end(wadi_written *w);
/** Fails at token `t`, where `d` is called, and says how it is written. */
wadi_status wadi_parse_derived_fail(wadi_parser *p, const wadi_token *t, const wadi_derived *d,
                                    wadi_status st, const char *format, ...) WADI_PRINTF(5, 6);
/** The place of what is read at token `t`. */
wadi_loc wadi_parse_loc(const wadi_parser *p, const wadi_token *t);

/* ---- scalar level (parse_fun.c) ---- */

/** A function. A parameter whose type is not written has its type in `types`. n = -1: all types must be written. */
WADI_NODISCARD wadi_status wadi_parse_fun(wadi_parser *p, const wadi_bind *b, int n,
                                          const wadi_type *types, wadi_fun **out);

#endif
