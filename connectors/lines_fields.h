/* The numbers of a line of text. */
#ifndef WADI_CONNECTORS_LINES_FIELDS_H
#define WADI_CONNECTORS_LINES_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/type.h"

typedef struct wadi_lines_fields {
    const char *at, *end; /* what has not been read; at == NULL: nothing is left */
    char separator;       /* '\0': blanks */
} wadi_lines_fields;

/* The fields of the n bytes of a line. A line of nothing but blanks has none. */
wadi_lines_fields wadi_lines_fields_of(const char *line, size_t n, char separator);
/* The next field, without blanks around it. False: there is none. */
bool wadi_lines_fields_next(wadi_lines_fields *f, const char **out_at, size_t *out_n);

/* Writes the number as the text of a value of this type, which is no complex one, to *out: of a bool 0 or 1; real numbers are rounded correctly. False: it is no
 * such number. */
bool wadi_lines_field_read(const char *at, size_t n, wadi_type type, void *out);

#endif
