/* Runs programs given as text in every schedule. */
#include "tests/conformance/texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"
#include "tests/conformance/sparse.h"

enum { LONG = 200000, COUNT = 12, NUMBERS = 9, VARIANTS = 6, SCHEDULES = 3 };

typedef struct inputs {
    double *data; /* 1, 1/2, 1/3, ..: sums tell the order they were made in */
    int64_t number[NUMBERS], count[COUNT], ramp[COUNT][COUNT];
    wadi_interp_input array[16];
    char name[16][8];
    double quarters[COUNT][4];
    wadi_array scalars[COUNT], vectors[COUNT], parts[COUNT][3];
    wadi_interp_source source[3];
    wadi_interp_io io;
} inputs;

int texts_open(void **state) {
    static inputs in;
    static const int64_t extents[] = {1, 2, 3, 16, 17, 18, 33, 259, 4096, 4097, 4098, LONG};
    static const int64_t numbers[NUMBERS] = {0, 1, -3, -4, 259, 3037000500, 3, -100000, INT64_MAX};
    int n = 0;
    in.data = malloc(LONG * sizeof *in.data);
    if (!in.data) return -1;
    for (int64_t i = 0; i < LONG; i++) in.data[i] = 1.0 / (double)(i + 1);
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++, n++) {
        snprintf(in.name[n], sizeof in.name[n], "r%lld", (long long)extents[i]);
        in.array[n] = (wadi_interp_input){in.name[n], conf_vector(WADI_F64, extents[i], in.data)};
    }
    memcpy(in.number, numbers, sizeof numbers);
    in.array[n++] = (wadi_interp_input){"z", conf_vector(WADI_I64, NUMBERS, in.number)};
    for (int i = 0; i < COUNT; i++) {
        in.count[i] = i;
        for (int j = 0; j < COUNT; j++) in.ramp[i][j] = i + j;
        in.scalars[i] = conf_scalar(WADI_I64, &in.count[i]);
        for (int j = 0; j < 4; j++) in.quarters[i][j] = (double)(i - j) / 4;
        in.vectors[i] = conf_vector(WADI_I64, i % 4, in.ramp[i]);
        in.parts[i][0] = conf_array(WADI_I64, 2, (const int64_t[]){2, 3}, in.ramp[i]);
        in.parts[i][1] = conf_vector(WADI_F64, 4, in.quarters[i]);
        in.parts[i][2] = in.scalars[i];
    }
    in.source[0] = (wadi_interp_source){.name = "s", .n = COUNT, .elements = in.scalars};
    in.source[1] = (wadi_interp_source){.name = "v", .n = COUNT, .elements = in.vectors};
    in.source[2] = (wadi_interp_source){.name = "p", .n = COUNT, .elements = in.parts[0]};
    in.io = (wadi_interp_io){in.array, n, in.source, 3};
    *state = &in;
    return 0;
}

int texts_close(void **state) {
    free(((inputs *)*state)->data);
    return 0;
}

static const conf_variant variants[VARIANTS] = {
    {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1},  {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 5},
    {NULL, WADI_SCHEDULE_FORCE_FLAT, 1, 1},    {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 5},
    {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 1000}, {NULL, WADI_SCHEDULE_FORCE_GROUP, 2, 1000}};

static bool as_interpreted(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                           wadi_text *why) {
    int64_t delivered = 0;
    wadi_error err = {0};
    if (c->want) return conf_run(c, exe, v, why);
    const wadi_status st = conf_go(c, exe, v, &delivered, &err);
    if (st != WADI_FAULT)
        wadi_text_addf(why, "status %s, the interpreter: %s", wadi_status_name(st), c->fault.msg);
    return st == WADI_FAULT && conf_told_alike(c, &err, why);
}

/* chosen: those variants alone that share kernels with it; NULL: all. */
static void check(void **state, const char *text, bool faults, const conf_variant *all, int n,
                  const conf_variant *chosen) {
    const inputs *in = *state;
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    bool same = conf_case_text(&c, text, &in->io, &why);
    if (same && (c.want == NULL) != faults) {
        wadi_text_addf(&why, "the interpreter: %s", c.want ? "no fault" : c.fault.msg);
        same = false;
    }
    wadi_exe *exe = same ? conf_compile(&c, NULL, &why) : NULL;
    for (int i = 0; same && i < n; i++) {
        if (chosen && !conf_share_kernels(chosen, &all[i])) continue;
        same = exe && as_interpreted(&c, exe, &all[i], &why);
        if (same) continue;
        wadi_text_add(&why, "\n");
        conf_variant_print(&all[i], &why);
    }
    if (!same) print_error("%s\n%s\n", wadi_text_str(&why), text);
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    assert_true(same);
}

void texts_check(void **state, const char *text, bool faults) {
    static int texts;
    /* Tests go through lists of sizes: the next list begins with another schedule. */
    const conf_variant *chosen = conf_sparse(variants, VARIANTS, texts + texts / SCHEDULES);
    texts++;
    check(state, text, faults, variants, VARIANTS, chosen);
}

void texts_check_elsewhere(void **state, const char *text, bool faults) {
    static const conf_variant elsewhere[] = {
        {.schedule = WADI_SCHEDULE_FORCE_INSIDE, .threads = 1, .chunk = 1, .workers = 1},
        {.schedule = WADI_SCHEDULE_FORCE_INSIDE, .threads = 1, .chunk = 5, .workers = 2},
        {.schedule = WADI_SCHEDULE_FORCE_INSIDE, .threads = 2, .chunk = 1000, .workers = 3}};
    check(state, text, faults, elsewhere, 3, NULL);
}
