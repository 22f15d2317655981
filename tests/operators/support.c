/* See support.h. */
#include "graph/lang/node.h"

#include "tests/operators/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "operators/rules.h"
#include "tests/spoilt_memory.h"

static struct {
    wadi_program *program;
    wadi_module *module;
    wadi_interp_results *results;
} now;

void end(void) {
    wadi_interp_results_destroy(now.results);
    wadi_module_destroy(now.module);
    wadi_program_destroy(now.program);
    memset(&now, 0, sizeof now);
}

void begin(void) {
    spoil_memory();
    end(); /* a case that failed has not */
    now.program = wadi_program_create("test");
    assert_non_null(now.program);
}

const wadi_module *lowered(void) {
    wadi_error err = {0};
    if (now.module) return now.module;
    wadi_status st = wadi_program_check(now.program, &err);
    if (st == WADI_OK) st = wadi_program_lower(now.program, wadi_operators(), &now.module, &err);
    if (st == WADI_OK) st = wadi_ir_verify(now.module, &err);
    if (st != WADI_OK) fail_msg("%s (%s:%d)", err.msg, err.at.file ? err.at.file : "", err.at.line);
    return now.module;
}

const wadi_interp_results *results(void) {
    return now.results;
}

void run_with(const wadi_interp_io *io) {
    wadi_error err = {0};
    const wadi_status st = wadi_interp_run(lowered(), io, &now.results, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
}

void run(void) {
    run_with(NULL);
}

static void expect_error(wadi_status st, const wadi_error *err, wadi_status want,
                         const char *part) {
    if (st != want || !strstr(err->msg, part))
        fail_msg("%s: \"%s\", expected %s: \"%s\"", wadi_status_name(st), err->msg,
                 wadi_status_name(want), part);
}

void run_fails(const wadi_interp_io *io, wadi_status status, const char *part) {
    wadi_error err = {0};
    const wadi_status st = wadi_interp_run(lowered(), io, &now.results, &err);
    expect_error(st, &err, status, part);
}

void build_fails(wadi_status status, const char *part) {
    wadi_error err = {0};
    const wadi_status st = wadi_program_check(now.program, &err);
    expect_error(st, &err, status, part);
}

/* ---- arrays ---- */

static wadi_array host(wadi_type type, int rank, const int64_t *shape, void *values) {
    wadi_array a = {.rank = rank, .fields = 1, .type = {type}, .column = {values}};
    for (int d = 0; d < rank; d++) a.shape[d] = shape[d];
    return a;
}

wadi_array host_i64(int rank, const int64_t *shape, int64_t *values) {
    return host(WADI_I64, rank, shape, values);
}

wadi_array host_i32(int rank, const int64_t *shape, int32_t *values) {
    return host(WADI_I32, rank, shape, values);
}

wadi_array host_f64(int rank, const int64_t *shape, double *values) {
    return host(WADI_F64, rank, shape, values);
}

wadi_array host_f32(int rank, const int64_t *shape, float *values) {
    return host(WADI_F32, rank, shape, values);
}

wadi_acc vector(int64_t n, const int64_t *values) {
    int64_t none = 0;
    const wadi_array a = host_i64(1, &n, n > 0 ? (int64_t *)(uintptr_t)values : &none);
    return wadi_use(&a);
}

wadi_acc matrix(int64_t rows, int64_t columns, const int64_t *values) {
    const wadi_array a = host_i64(2, I64S(rows, columns), (int64_t *)(uintptr_t)values);
    return wadi_use(&a);
}

wadi_acc floats(int64_t n, const double *values) {
    const wadi_array a = host_f64(1, &n, (double *)(uintptr_t)values);
    return wadi_use(&a);
}

static wadi_exp linear(void *env, wadi_ix ix) {
    return wadi_to_index(*(const wadi_ix *)env, ix);
}

wadi_acc counting(int rank, const int64_t *shape) {
    wadi_ix s = {.rank = rank};
    for (int d = 0; d < rank; d++) s.at[d] = wadi_i64(shape[d]);
    return wadi_generate_env(s, linear, &s);
}

/* ---- looking ---- */

static const wadi_array *output(const char *name) {
    const wadi_array *a = wadi_interp_output_get(now.results, name);
    if (!a) fail_msg("no output '%s'", name);
    return a;
}

void expect_shape(const char *name, int rank, const int64_t *shape) {
    const wadi_array *a = output(name);
    assert_int_equal(a->rank, rank);
    for (int d = 0; d < rank; d++) assert_int_equal(a->shape[d], shape[d]);
}

static int64_t int_at(const wadi_array *a, int field, int64_t i) {
    uint64_t cells[WADI_MAX_FIELDS];
    wadi_array one = *a;
    one.rank = 0;
    for (int f = 0; f < a->fields; f++)
        one.column[f] = (char *)a->column[f] + i * wadi_type_size(a->type[f]);
    wadi_cells_load(&one, cells);
    return (int64_t)cells[field];
}

void expect_array_ints(const wadi_array *a, int field, int64_t n, const int64_t *values) {
    assert_int_equal(wadi_array_size(a), n);
    for (int64_t i = 0; i < n; i++)
        if (int_at(a, field, i) != values[i])
            fail_msg("element %lld is %lld, expected %lld", (long long)i,
                     (long long)int_at(a, field, i), (long long)values[i]);
}

void expect_ints(const char *name, int64_t n, const int64_t *values) {
    expect_array_ints(output(name), 0, n, values);
}

void expect_field(const char *name, int field, int64_t n, const int64_t *values) {
    expect_array_ints(output(name), field, n, values);
}

void expect_floats(const char *name, int64_t n, const double *values) {
    const wadi_array *a = output(name);
    assert_int_equal(wadi_array_size(a), n);
    for (int64_t i = 0; i < n; i++) {
        const double x = a->type[0] == WADI_F32 ? (double)((const float *)a->column[0])[i]
                                                : ((const double *)a->column[0])[i];
        if (memcmp(&x, &values[i], sizeof x) != 0)
            fail_msg("element %lld is %a, expected %a", (long long)i, x, values[i]);
    }
}
