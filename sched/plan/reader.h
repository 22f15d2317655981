/* Reads the text of a plan word by word (for read.c). A reader has a position in the text, and each function takes something from
 * there. It returns whether that was there; if not, the reader has noted the first failure. */
#ifndef WADI_SCHED_PLAN_READER_H
#define WADI_SCHED_PLAN_READER_H

#include <stdbool.h>

#include "base/vec.h"
#include "sched/plan.h"

typedef WADI_VEC(int) wadi_plan_ints;

typedef struct wadi_plan_reader {
    const char *at;
    int line;
    wadi_plan *plan;
    wadi_status status; /* of the first failure; then nothing more is read */
    wadi_error *err;
    WADI_VEC(wadi_plan_slot) slots;
    WADI_VEC(wadi_plan_input) inputs;
    WADI_VEC(wadi_plan_body) bodies;
    WADI_VEC(wadi_plan_phase) phases;
    WADI_VEC(wadi_plan_stage) stages; /* of the phase being read */
    WADI_VEC(wadi_plan_end) ends;
    WADI_VEC(wadi_plan_source) sources; /* of the stage being read */
    WADI_VEC(wadi_plan_output) outputs;
    WADI_VEC(wadi_plan_place) places;
    int places_named; /* so many there must be */
} wadi_plan_reader;

/* Notes a failure, with its line; false. */
bool wadi_plan_fails(wadi_plan_reader *r, const char *what);
bool wadi_plan_lacks_memory(wadi_plan_reader *r);

/* A copy of n things of `size` bytes in the plan's arena; out: the address of a pointer to them. */
bool wadi_plan_keep(wadi_plan_reader *r, const void *from, size_t size, size_t n, const void *out);
/* The same of what a growing array holds. */
#define WADI_PLAN_KEEP(r, v, out) wadi_plan_keep((r), (v)->at, sizeof *(v)->at, (v)->n, (out))

/* Whether the text comes next; `takes` goes behind it if it does, `expects` fails if it does not. */
bool wadi_plan_sees(const wadi_plan_reader *r, const char *text);
bool wadi_plan_takes(wadi_plan_reader *r, const char *text);
bool wadi_plan_expects(wadi_plan_reader *r, const char *text);
bool wadi_plan_ends_line(wadi_plan_reader *r);

bool wadi_plan_sees_digit(const char *at);
/* The value of a hexadecimal digit, -1: it is none. */
int wadi_plan_digit(char c);
bool wadi_plan_number(wadi_plan_reader *r, int64_t *out);
/* A number from 0 to below the limit; else `what` is the failure. */
bool wadi_plan_index(wadi_plan_reader *r, int64_t limit, const char *what, int *out);
/* None or more with commas between, in the arena. */
bool wadi_plan_numbers(wadi_plan_reader *r, const char *what, const int **out, int *out_n);

/* The length of the name that stands here, quotes included; 0: none. */
size_t wadi_plan_name_length(const char *at);
bool wadi_plan_name(wadi_plan_reader *r, const char **out);
bool wadi_plan_string(wadi_plan_reader *r, const char **out);
/* One of the words of a list that ends with NULL; else `what` is the failure. */
bool wadi_plan_word(wadi_plan_reader *r, const char *const *words, const char *what, int *out);
/* NULL is the same as NULL. */
bool wadi_plan_same(const char *a, const char *b);

/* Whether a slot stands here: a name, a point and a number. */
bool wadi_plan_sees_slot(const wadi_plan_reader *r);
bool wadi_plan_slot_of(wadi_plan_reader *r, int *out);
bool wadi_plan_slots(wadi_plan_reader *r, const int **out, int *out_n);
bool wadi_plan_push(wadi_plan_reader *r, wadi_plan_ints *v, int n);

#endif
