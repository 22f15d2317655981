/* Which values of a kernel get names in C text, and which names. */
#ifndef WADI_CODEGEN_EMIT_C_NAMES_H
#define WADI_CODEGEN_EMIT_C_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "codegen/loop/loop.h"

typedef struct wadi_c_value {
    bool printed; /* has a statement of its own */
    bool inlined; /* written where it is used */
    bool guarded; /* that is in a side of a choice */
    int uses;
    wadi_lv user;     /* the only user, if uses is 1 */
    int at;           /* position in its scope */
    int lands;        /* position of the statement that it is written into */
    int weight;       /* operations in its expression */
    const char *name; /* if it is not inlined */
    wadi_lv put;      /* of a variable or lane array: the first instruction that sets it */
    wadi_lv next_put; /* of such an instruction: the next one that sets the same */
} wadi_c_value;

typedef struct wadi_c_names {
    wadi_arena *arena;
    wadi_c_value *at;                   /* [value] */
    wadi_map64 used;                    /* hash of a name -> how often */
    bool (*is_taken)(const char *name); /* by the language, beyond the words of C; or NULL */
} wadi_c_names;

/** false: out of memory. fini is fine in either case. */
bool wadi_c_names_init(wadi_c_names *n, const wadi_lfun *f, bool (*is_taken)(const char *name));
void wadi_c_names_fini(wadi_c_names *n);

/** The value without RANGE instructions around it: they only state bounds, and C text leaves them out. */
wadi_lv wadi_c_strip(const wadi_lfun *f, wadi_lv v);

#endif
