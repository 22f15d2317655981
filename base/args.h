/* Command lines: a table of options, each with the function that takes its value.
 *
 * Understood are "--name VALUE", "--name=VALUE", "-n VALUE", "-nVALUE" and flags, letters joined ("-qfo FILE") too; after "--"
 * nothing is an option, and a lone "-" never is. Strings are borrowed from argv. */
#ifndef WADI_BASE_ARGS_H
#define WADI_BASE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

typedef wadi_status (*wadi_option_fn)(void *options, const char *value, wadi_error *err);

typedef struct wadi_args_option {
    const char *name;    /* "--output" */
    const char *letter;  /* "-o", or NULL */
    wadi_option_fn take; /* NULL: the value goes to a field, at */
    size_t field;        /* this offset of the options: a flag's is a bool, */
    bool text;           /* a text's a const char *, borrowed from argv */
} wadi_args_option;

typedef struct wadi_args {
    const wadi_args_option *table;
    size_t n;
    wadi_option_fn other; /* takes what is no option */
    /* Takes options outside the table, if it wants; also single letters of joined ones, as "-x"; or NULL. */
    bool (*unusual)(void *options, const char *arg);
} wadi_args;

/* Errors: WADI_INVALID naming the argument, or what a taker says. */
WADI_NODISCARD wadi_status wadi_args_parse(const wadi_args *a, int argc, char *const *argv,
                                           void *options, wadi_error *err);

/* A whole number from low to high, nothing behind it. */
bool wadi_args_number(const char *text, int64_t low, int64_t high, int64_t *out);
/* The same of a decimal number; neither NaN nor, between finite bounds, infinity. */
bool wadi_args_real(const char *text, double low, double high, double *out);
/* A positive number of bytes: "4096", "256M"; K, M, G and T, or k, m, g and t, are powers of 1024. */
bool wadi_args_size(const char *text, int64_t *out);
/* WADI_INVALID: --option: "value" is not what it wants. */
wadi_status wadi_args_bad(const char *option, const char *value, const char *want, wadi_error *err);

#endif
