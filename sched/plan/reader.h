/* Reads the text of a plan word by word (for read.c). A reader has a position in the text, and each function takes something from
 * there. It returns false if that was not there; the reader then has noted the first failure. */
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
    wadi_status status; /* of the first failure, after which nothing more is read */
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
    int places_named; /* how many places the text must have, because their numbers were used */
} wadi_plan_reader;

/* Notes a failure and its line. Returns false. */
bool wadi_plan_fails(wadi_plan_reader *r, const char *what);
bool wadi_plan_lacks_memory(wadi_plan_reader *r);

/* Copies n things of `size` bytes into the plan's arena. `out` is the address of a pointer, which is set to the copy. */
bool wadi_plan_keep(wadi_plan_reader *r, const void *from, size_t size, size_t n, const void *out);
/* The same for the elements of a growing array. */
#define WADI_PLAN_KEEP(r, v, out) wadi_plan_keep((r), (v)->at, sizeof *(v)->at, (v)->n, (out))

/* Whether the text comes next. If so, `takes` and `expects` go past it; if not, `expects` fails. */
bool wadi_plan_sees(const wadi_plan_reader *r, const char *text);
bool wadi_plan_takes(wadi_plan_reader *r, const char *text);
bool wadi_plan_expects(wadi_plan_reader *r, const char *text);
bool wadi_plan_ends_line(wadi_plan_reader *r);

bool wadi_plan_sees_digit(const char *at);
/* The value of a hexadecimal digit; -1: it is not one. */
int wadi_plan_digit(char c);
bool wadi_plan_number(wadi_plan_reader *r, int64_t *out);
/* A number from 0 to limit - 1. Otherwise it fails with the message `what`. */
bool wadi_plan_index(wadi_plan_reader *r, int64_t limit, const char *what, int *out);
/* A list of numbers with commas between them, copied into the arena; it may be empty. */
bool wadi_plan_numbers(wadi_plan_reader *r, const char *what, const int **out, int *out_n);

/* The length of the name that stands here, quotes included; 0: none. */
size_t wadi_plan_name_length(const char *at);
bool wadi_plan_name(wadi_plan_reader *r, const char **out);
bool wadi_plan_string(wadi_plan_reader *r, const char **out);
/* The number of a word in a list that ends with NULL. Otherwise it fails with the message `what`. */
bool wadi_plan_word(wadi_plan_reader *r, const char *const *words, const char *what, int *out);
/* Whether two strings are equal; NULL equals only NULL. */
bool wadi_plan_same(const char *a, const char *b);

/* Whether a slot stands here: a name, a point and a number. */
bool wadi_plan_sees_slot(const wadi_plan_reader *r);
bool wadi_plan_slot_of(wadi_plan_reader *r, int *out);
bool wadi_plan_slots(wadi_plan_reader *r, const int **out, int *out_n);
bool wadi_plan_push(wadi_plan_reader *r, wadi_plan_ints *v, int n);

#endif
