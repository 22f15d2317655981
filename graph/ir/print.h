/* What print.c, print_scalar.c and print_name.c share. Internal to graph/ir. */
#ifndef WADI_GRAPH_IR_PRINT_H
#define WADI_GRAPH_IR_PRINT_H

#include "base/text.h"
#include "graph/ir/ir.h"

typedef struct wadi_printer {
    const wadi_module *m;
    wadi_text *out;
    const char *const *names; /* [value] */
    bool places;              /* whether to write the places of bindings and instructions */
} wadi_printer;

/** A name as it is, any other string in quotes. */
void wadi_print_name(wadi_text *out, const char *name);
/** A string: in quotes even where a name would do. */
void wadi_print_string(wadi_text *out, const char *s);
/** The name of an array value, or the literal. */
void wadi_print_value(wadi_printer *p, wadi_val v);
/** ` @ "file":line` if `places` is set and this place is known. */
void wadi_print_place(wadi_printer *p, wadi_loc loc);
/** "f32[?, n]", "seq(f64)". */
void wadi_print_val_type(wadi_text *out, const wadi_val_type *t);
/** `(x, y) { ... }`; the last line has the indentation `indent`. typed: with the types of the parameters. */
void wadi_print_fun(wadi_printer *p, const wadi_fun *f, bool typed, int indent);

#endif
