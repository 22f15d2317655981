/* Text about a program: values and extents under the names that the program has for them. */
#ifndef WADI_CODEGEN_NAMED_H
#define WADI_CODEGEN_NAMED_H

#include "base/text.h"
#include "graph/analysis/shape.h"
#include "wadi/status.h"

typedef struct wadi_named {
    const wadi_module *m;
    const wadi_shapes *shapes;
    const char *const *names; /* [value] (wadi_ir_names); NULL if the value no longer exists */
    wadi_text *out;
    const char *given; /* "n=100,xs.0=3": extents that have a value; NULL: none */
} wadi_named;

void wadi_named_value(const wadi_named *x, wadi_val v);
/** Adds text, in which %7 is replaced by the name of value 7. */
void wadi_named_text(const wadi_named *x, const char *text);
void wadi_named_extent(const wadi_named *x, wadi_ext e);
/** Whether the extents in `e` are all given; *out is what it then is. */
bool wadi_named_number(const wadi_named *x, wadi_ext e, int64_t *out);
/** Checks that each name in `given` is that of an extent of the program. WADI_INVALID: the message lists those that there are. */
WADI_NODISCARD wadi_status wadi_named_check_given(const wadi_named *x, wadi_error *err);
/** Begins a section: a line that starts with "== ". */
void wadi_named_heading(const wadi_named *x, const char *title);

#endif
