/* Statements without others in them, in C. */
#ifndef WADI_CODEGEN_EMIT_C_STATEMENT_H
#define WADI_CODEGEN_EMIT_C_STATEMENT_H

#include "codegen/emit/c_like/expression.h"

/** Declares a value: a constant with its name. */
void wadi_c_declare(wadi_c_writer *c, const wadi_linst *i);
/** Writes the right side of an assignment, and ends it. */
void wadi_c_assign(wadi_c_writer *c, wadi_lv value);
/** Writes an instruction without blocks, behind an indent of `level` that is there. */
void wadi_c_statement(wadi_c_writer *c, const wadi_linst *i, int level);

#endif
