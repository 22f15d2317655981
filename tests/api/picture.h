/* Texts over a picture, run with a profile: whether stencils in a row ran in strips. */
#ifndef WADI_TESTS_API_PICTURE_H
#define WADI_TESTS_API_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/wadi.h"

/* Where a text begins: the picture is its input. */
#define PICTURE_HEAD "program p\ninput a : f32[h, w]\n"

enum { PICTURE_ROWS = 2051, PICTURE_COLUMNS = 1100, PICTURE_FEW_ROWS = 300 };

/* The same numbers as an array of rank 3. */
#define PICTURE_CUBE_HEAD "program p\ninput a : f32[d, h, w]\n"

enum { PICTURE_PLANES = 560, PICTURE_PLANE_ROWS = 40, PICTURE_PLANE_COLUMNS = 100 };

typedef struct picture_run {
    wadi_exe *exe;
    wadi_run *run;
    const wadi_profile_row *row;
    int n;
} picture_run;

/* Group fixtures of cmocka: make the picture, and free it. */
int picture_make(void **state);
int picture_free(void **state);

/* A run of the first rows of the picture; any error fails the test. */
picture_run picture_begin(const char *text, int64_t rows, int threads,
                          wadi_schedule_option schedule);
/* The same, which has run to its end. */
picture_run picture_go(const char *text, int64_t rows, int threads, wadi_schedule_option schedule);
/* The same of all of it as an array of rank 3. */
picture_run picture_go_cube(const char *text, int threads, wadi_schedule_option schedule);
void picture_end(picture_run *o);
/* Whether the profile has a line of that name. */
bool picture_has_line(const picture_run *o, const char *name);
/* Whether both have the same bytes as this result. */
bool picture_same(const picture_run *x, const picture_run *y, const char *result);

#endif
