/* The words and the values of a plan's text, for printing and for reading. */
#ifndef WADI_SCHED_PLAN_WORDS_H
#define WADI_SCHED_PLAN_WORDS_H

#include <stdbool.h>

#include "sched/plan.h"

struct wadi_text;

/* By number; each ends with NULL. */
extern const char *const wadi_plan_kinds[]; /* wadi_slot_kind */
extern const char *const wadi_plan_ends[];  /* wadi_end_kind */
extern const char *const wadi_plan_lasts[]; /* wadi_last_window */

/* Prints a name: letters, digits and underscores as they are, any other name as a string, and NULL as "_". */
void wadi_plan_name_print(const char *name, struct wadi_text *out);
/* Prints a string in double quotes. A quote, a backslash and unprintable characters become \\HH. NULL is "-", without quotes. */
void wadi_plan_string_print(const char *s, struct wadi_text *out);

/* Prints one element of a column so that it reads back to the bit. The parts of a complex number have a space between them. */
void wadi_plan_value_print(wadi_type type, const void *at, struct wadi_text *out);
/* Reads such a text into `at`. Returns the text behind it, or NULL if this is no value of the type. */
const char *wadi_plan_value_read(wadi_type type, const char *text, void *at);

#endif
