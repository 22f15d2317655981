#include "tests/api/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static float *picture;

int picture_make(void **state) {
    (void)state;
    picture = malloc(sizeof(float) * PICTURE_ROWS * PICTURE_COLUMNS);
    if (picture == NULL) return -1;
    for (int64_t i = 0; i < (int64_t)PICTURE_ROWS * PICTURE_COLUMNS; i++)
        picture[i] = (float)(i * 7919 % 1009) / 1009.F;
    return 0;
}

int picture_free(void **state) {
    (void)state;
    free(picture);
    return 0;
}

static picture_run begin(const char *text, wadi_array a, int threads,
                         wadi_schedule_option schedule) {
    picture_run o = {NULL};
    wadi_error err = {.status = WADI_OK};
    a.column[0] = picture;
    const wadi_run_options options = {
        .threads = threads, .device = "cpu", .schedule = schedule, .profile = true, .forget = true};
    if (wadi_compile_text(text, "p", NULL, &o.exe, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    if (wadi_run_create(o.exe, &options, &o.run, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_input(o.run, "a", &a, &err) != WADI_OK) fail_msg("%s", err.msg);
    return o;
}

picture_run picture_begin(const char *text, int64_t rows, int threads,
                          wadi_schedule_option schedule) {
    const wadi_array a = {
        .rank = 2, .fields = 1, .shape = {rows, PICTURE_COLUMNS}, .type = {WADI_F32}};
    return begin(text, a, threads, schedule);
}

static picture_run go(const char *text, picture_run o) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_run_go(o.run, &err) != WADI_OK) fail_msg("%s\n%s", err.msg, text);
    if (wadi_run_profile(o.run, &o.row, &o.n, &err) != WADI_OK) fail_msg("%s", err.msg);
    return o;
}

picture_run picture_go(const char *text, int64_t rows, int threads, wadi_schedule_option schedule) {
    return go(text, picture_begin(text, rows, threads, schedule));
}

picture_run picture_go_cube(const char *text, int threads, wadi_schedule_option schedule) {
    const wadi_array a = {.rank = 3,
                          .fields = 1,
                          .shape = {PICTURE_PLANES, PICTURE_PLANE_ROWS, PICTURE_PLANE_COLUMNS},
                          .type = {WADI_F32}};
    return go(text, begin(text, a, threads, schedule));
}

void picture_end(picture_run *o) {
    wadi_run_destroy(o->run);
    wadi_exe_destroy(o->exe);
}

bool picture_has_line(const picture_run *o, const char *name) {
    for (int i = 0; i < o->n; i++)
        if (strcmp(o->row[i].name, name) == 0) return true;
    return false;
}

bool picture_same(const picture_run *x, const picture_run *y, const char *result) {
    wadi_array a, b;
    assert_int_equal(wadi_run_result(x->run, result, &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_result(y->run, result, &b, NULL), WADI_OK);
    assert_int_equal(a.rank, b.rank);
    size_t bytes = (size_t)wadi_type_size(a.type[0]);
    for (int d = 0; d < a.rank; d++) {
        assert_int_equal(a.shape[d], b.shape[d]);
        bytes *= (size_t)a.shape[d];
    }
    return memcmp(a.column[0], b.column[0], bytes) == 0;
}
