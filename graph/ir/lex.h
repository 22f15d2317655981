/* Tokens of program text. See docs/TEXT.md. */
#ifndef WADI_GRAPH_IR_LEX_H
#define WADI_GRAPH_IR_LEX_H

#include "base/vec.h"
#include "graph/ir/ir.h"

typedef enum wadi_token_kind {
    WADI_TOKEN_END,
    WADI_TOKEN_LINE,   /* end of a line, or ';' */
    WADI_TOKEN_NAME,   /* letters, digits, '_' */
    WADI_TOKEN_NUMBER, /* starts with a digit or '-' */
    WADI_TOKEN_STRING, /* with its quotes */
    WADI_TOKEN_MARK    /* one of = , : ( ) { } [ ] ? ! @ and !! */
} wadi_token_kind;

typedef struct wadi_token {
    wadi_token_kind kind;
    const char *at; /* in the text */
    size_t n;
    int line, column; /* from 1; columns count bytes */
} wadi_token;

typedef WADI_VEC(wadi_token) wadi_tokens;

/** All tokens of `text`, WADI_TOKEN_END last. On failure *out_tokens is empty. */
WADI_NODISCARD wadi_status wadi_lex(const char *text, const char *file, wadi_tokens *out_tokens,
                                    wadi_error *err);

/** Whether `s` is a name and no word of the language; such a name is printed without quotes. */
bool wadi_lex_is_plain_name(const char *s);

#endif
