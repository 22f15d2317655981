/* Command lines: a table of options, each with the function that takes its value.
 *
 * The forms are "--name VALUE", "--name=VALUE", "-n VALUE", "-nVALUE" and flags. Letters may be joined ("-qfo FILE"). After "--"
 * nothing is an option. A lone "-" is never an option. Strings are borrowed from argv. */
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
    wadi_option_fn take; /* takes the value; NULL: the value is stored in the field below */
    size_t field;        /* offset in the options of a bool (a flag), or of a const char * (text) */
    bool text;           /* the field is a const char *, borrowed from argv */
    bool flag;           /* has no value: `take` gets NULL */
} wadi_args_option;

typedef struct wadi_args {
    const wadi_args_option *table;
    size_t n;
    wadi_option_fn other; /* takes arguments that are not options */
    /* Is asked first: true if it takes the option, which need not be in the table. Joined letters are passed one by one, as
     * "-x". May be NULL. */
    bool (*unusual)(void *options, const char *arg);
} wadi_args;

/* Errors: WADI_INVALID, which names the argument, or the error of the function that takes a value. */
WADI_NODISCARD wadi_status wadi_args_parse(const wadi_args *a, int argc, char *const *argv,
                                           void *options, wadi_error *err);

/* These three return false if the text is anything else. A whole number from low to high. */
bool wadi_args_number(const char *text, int64_t low, int64_t high, int64_t *out);
/* A decimal number from low to high; NaN is refused. */
bool wadi_args_real(const char *text, double low, double high, double *out);
/* Seconds from 0 to 1e9, "5" or "5s". */
bool wadi_args_seconds(const char *text, double *out);
/* A positive number of bytes: "4096", "256M". K, M, G and T (or k, m, g and t) are powers of 1024. */
bool wadi_args_size(const char *text, int64_t *out);
/* Fails with WADI_INVALID: `OPTION: "VALUE" is not WANT`, for example `--support: "4" is not an odd number`. */
wadi_status wadi_args_bad(const char *option, const char *value, const char *want, wadi_error *err);

#endif
