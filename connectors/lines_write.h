/* Elements as lines of text. */
#ifndef WADI_CONNECTORS_LINES_WRITE_H
#define WADI_CONNECTORS_LINES_WRITE_H

#include "base/text.h"
#include "sched/chunk.h"

enum { WADI_LINES_PIECE = 1 << 18 }; /* so much text is made before it is looked at */

typedef struct wadi_lines_writer {
    const char *at; /* where they go, for messages */
    char separator;
    /* Called now and then within a long line: may take the text so far out of t, or fail. */
    wadi_status (*piece)(const void *env, wadi_text *t, wadi_error *err);
    const void *env;
} wadi_lines_writer;

/* Whether elements of this chunk can be lines. Errors: WADI_TYPE (complex numbers), WADI_UNSUPPORTED (too many arrays). */
WADI_NODISCARD wadi_status wadi_lines_write_check(const wadi_lines_writer *w, const wadi_chunk *c,
                                                  wadi_error *err);
/* Appends element i of the chunk and a newline to t, which may have failed then. Errors: WADI_INVALID (a newline within bytes), those of `piece`. */
WADI_NODISCARD wadi_status wadi_lines_write(const wadi_lines_writer *w, const wadi_chunk *c,
                                            int64_t i, wadi_text *t, wadi_error *err);

#endif
