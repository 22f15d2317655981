/* Elements that are lines of text: what may be one, and how a line becomes one. */
#ifndef WADI_CONNECTORS_LINES_VALUES_H
#define WADI_CONNECTORS_LINES_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "sched/builder.h"

typedef struct wadi_lines_values {
    int parts;
    const wadi_part *part;    /* borrowed */
    char separator;           /* '\0': blanks */
    bool bytes;               /* elements are u8[n]: the bytes of a line */
    int64_t count;            /* values of fixed parts, all together; */
    bool rest;                /* the last part takes what is left of a line */
    WADI_VEC(uint64_t) cells; /* the values of a line, each in the first bytes of its cell */
} wadi_lines_values;

/* Whether lines can be such elements. `at` is where they come from, for messages. Errors: WADI_INVALID (no such parts), WADI_TYPE (complex numbers), WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_lines_check(const char *at, int parts, const wadi_part *part,
                                            wadi_error *err);

/* Of parts that have been checked. */
void wadi_lines_values_init(wadi_lines_values *v, int parts, const wadi_part *part, char separator);
/* Harmless if all zero. */
void wadi_lines_values_fini(wadi_lines_values *v);
/* Appends the line, n bytes without its end, as the next element. Errors: WADI_INVALID (another number of values, or something that is none; the message goes on
 * behind the name of the line: "has 2 values, expected 3"), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_lines_values_take(wadi_lines_values *v, const char *line, size_t n,
                                                  wadi_builder *b, wadi_error *err);

#endif
