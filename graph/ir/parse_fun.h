/* What the files that read scalar functions share: parse_fun.c reads parameters, parse_scalar.c expressions and statements, parse_control.c
 * branches and loops. Internal to graph/ir. */
#ifndef WADI_GRAPH_IR_PARSE_FUN_H
#define WADI_GRAPH_IR_PARSE_FUN_H

#include "graph/ir/parse.h"

enum { WADI_PARSE_LIST = 4 * WADI_MAX_FIELDS };

typedef struct wadi_scalar_name {
    const char *name; /* interned */
    wadi_sval value;
    uint64_t hides; /* as in wadi_fun_parser.named: what the name meant before */
} wadi_scalar_name;

/** Some scalars: the results of one instruction, or a list of expressions. */
typedef struct wadi_svals {
    int n;
    wadi_sval at[WADI_PARSE_LIST];
} wadi_svals;

typedef struct wadi_fun_parser wadi_fun_parser;

/** A word that begins an expression with blocks, and what reads the rest of it. */
typedef struct wadi_control_word {
    const char *word;
    wadi_status (*read)(wadi_fun_parser *fp, wadi_svals *out);
} wadi_control_word;

struct wadi_fun_parser {
    wadi_parser *p;
    wadi_fun *f;
    const wadi_control_word *control;
    wadi_sblock *block; /* where instructions go */
    bool written;       /* it is the text of a derived function: `the` reads a scalar */
    WADI_VEC(wadi_scalar_name) names; /* in scope, innermost last */
    wadi_map64 named;                 /* interned name -> 1 + its index in names; 0: not in scope */
};

/** Makes the name at token `t` that of `value`, until wadi_parse_forget. */
WADI_NODISCARD wadi_status wadi_parse_declare(wadi_fun_parser *fp, const wadi_token *t,
                                              wadi_sval value);
/** Ends the scope of the names behind the first `n`. */
WADI_NODISCARD wadi_status wadi_parse_forget(wadi_fun_parser *fp, size_t n);
wadi_type wadi_parse_type_of(const wadi_fun_parser *fp, wadi_sval s);
/** An instruction that is not in a block yet; NULL: out of memory. */
wadi_sinst *wadi_parse_sinst(wadi_fun_parser *fp, const wadi_token *t, wadi_sop op, int n,
                             const wadi_sval *args);
/** Appends an instruction, or fails where it is NULL, with these result types; its results go to *out. */
WADI_NODISCARD wadi_status wadi_parse_append(wadi_fun_parser *fp, wadi_sinst *i, int n,
                                             const wadi_type *types, wadi_svals *out);
/** An expression with exactly one result. */
WADI_NODISCARD wadi_status wadi_parse_sval(wadi_fun_parser *fp, wadi_sval *out);
/** A name, a literal, or an expression in parentheses. */
WADI_NODISCARD wadi_status wadi_parse_atom(wadi_fun_parser *fp, wadi_sval *out);
/** `{ .. }`: statements and results. The names of the results go to *out_names; NULL: none may be named. */
WADI_NODISCARD wadi_status wadi_parse_body(wadi_fun_parser *fp, wadi_sblock *b,
                                           const char ***out_names);

/** The words of control, NULL last (parse_control.c). */
extern const wadi_control_word wadi_parse_control[];

#endif
