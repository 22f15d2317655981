/* A program outside wadi's tree that builds what it computes by calls: the sum of the squares of 1, 2, 3, 4. */
#include <stdio.h>
#include <wadi/wadi.h>

static wadi_exp square(wadi_exp x) {
    return wadi_mul(x, x);
}

static wadi_status sum(double *out, wadi_error *err) {
    double x[] = {1, 2, 3, 4};
    const wadi_array in = {.fields = 1, .rank = 1, .type = {WADI_F64}, .shape = {4}, .column = {x}};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_array y;
    wadi_program *p = wadi_program_create("sum of squares");
    wadi_output("y", wadi_sum(wadi_map(square, wadi_input("x", WADI_F64, 1, NULL))));
    wadi_status st = wadi_compile(p, NULL, &exe, err);
    if (st == WADI_OK) st = wadi_run_create(exe, NULL, &run, err);
    if (st == WADI_OK) st = wadi_run_input(run, "x", &in, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = wadi_run_result(run, "y", &y, err);
    if (st == WADI_OK) *out = *(const double *)y.column[0];
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
    return st;
}

int main(void) {
    wadi_error err = {0};
    double y = 0;
    if (sum(&y, &err) != WADI_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    printf("%g\n", y);
    return 0;
}
