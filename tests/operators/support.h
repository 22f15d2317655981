/* Building a small program with the C builder, running it in the interpreter, and looking at
 * what comes out. */
#ifndef TESTS_OPERATORS_SUPPORT_H
#define TESTS_OPERATORS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "operators/interp/interp.h"
#include "operators/table.h"
#include "wadi/lang.h"

/* One program at a time: begin, build with the language, then run or run_fails, then look, then
 * end. */
void begin(void);
void end(void);

void run(void);
void run_with(const wadi_interp_io *io);
/* The run must end with this status and a message that holds `part`. */
void run_fails(const wadi_interp_io *io, wadi_status status, const char *part);
/* Building must have gone wrong with this status and a message that holds `part`. */
void build_fails(wadi_status status, const char *part);
/* The lowered program, good until end. */
const wadi_module *lowered(void);
const wadi_interp_results *results(void);

/* ---- arrays ---- */

enum { NO_SHAPE = -1 };

wadi_array host_i64(int rank, const int64_t *shape, int64_t *values);
wadi_array host_i32(int rank, const int64_t *shape, int32_t *values);
wadi_array host_f64(int rank, const int64_t *shape, double *values);
wadi_array host_f32(int rank, const int64_t *shape, float *values);
/* A vector constant of the program. */
wadi_acc vector(int64_t n, const int64_t *values);
wadi_acc matrix(int64_t rows, int64_t columns, const int64_t *values);
wadi_acc floats(int64_t n, const double *values);
/* 0, 1, ... in row-major order */
wadi_acc counting(int rank, const int64_t *shape);

#define I64S(...) ((const int64_t[]){__VA_ARGS__})
#define F64S(...) ((const double[]){__VA_ARGS__})

/* Extents and elements (of one integer or bool field) of an output. */
void expect_shape(const char *name, int rank, const int64_t *shape);
void expect_ints(const char *name, int64_t n, const int64_t *values);
void expect_field(const char *name, int field, int64_t n, const int64_t *values);
void expect_floats(const char *name, int64_t n, const double *values);
void expect_array_ints(const wadi_array *a, int field, int64_t n, const int64_t *values);

#endif
