/* Real numbers as texts, against the definition: the least number of digits that read as the number again, as %g writes them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"
#include "connectors/decimal.h"

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void expect(const char *got, size_t n, const char *want) {
    if (n != strlen(want) || memcmp(got, want, n) != 0)
        fail_msg("%.*s, expected %s", (int)n, got, want);
}

static void check_f64(double x) {
    char got[WADI_DECIMAL_ROOM], want[WADI_DECIMAL_ROOM];
    for (int digits = 15; digits <= 17; digits++) {
        wadi_format(want, sizeof want, "%.*g", digits, x);
        if (wadi_format_read_f64(want, NULL) == x) break;
    }
    expect(got, wadi_decimal_write_f64(x, got), want);
}

static void check_f32(float x) {
    char got[WADI_DECIMAL_ROOM], want[WADI_DECIMAL_ROOM];
    for (int digits = 6; digits <= 9; digits++) {
        wadi_format(want, sizeof want, "%.*g", digits, (double)x);
        if (wadi_format_read_f32(want, NULL) == x) break;
    }
    expect(got, wadi_decimal_write_f32(x, got), want);
}

/* A number, those beside it, and the same below zero. */
static void check_around(double x) {
    double near[] = {x, nextafter(x, 0), nextafter(x, HUGE_VAL)};
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        check_f64(near[i]);
        check_f64(-near[i]);
    }
    const float f = (float)x;
    float narrow[] = {f, nextafterf(f, 0), nextafterf(f, INFINITY)};
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        check_f32(narrow[i]);
        check_f32(-narrow[i]);
    }
}

static void powers_and_what_lies_beside_them(void **state) {
    (void)state;
    for (int e = -140; e <= 120; e++) check_around(ldexp(1, e));
    for (int e = -40; e <= 30; e++) {
        char text[16];
        for (int digit = 1; digit < 10; digit++) {
            (void)snprintf(text, sizeof text, "%de%d", digit, e);
            check_around(wadi_format_read_f64(text, NULL));
        }
    }
}

static void numbers_of_few_digits(void **state) {
    (void)state;
    uint64_t rng = 3;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        const uint64_t most = (uint64_t)pow(10, (double)(1 + i % 18));
        (void)snprintf(text, sizeof text, "%llue%d", (unsigned long long)(draw(&rng) % most),
                       (int)(draw(&rng) % 24) - 20);
        check_around(wadi_format_read_f64(text, NULL));
    }
}

static void numbers_of_all_digits(void **state) {
    (void)state;
    uint64_t rng = 4;
    for (int i = 0; i < 20000; i++) {
        const double part = (double)(draw(&rng) >> 11) * 0x1p-53;
        check_f64(ldexp(part, i % 70 - 16));
        check_f32((float)ldexp(part, i % 40 - 16));
        uint64_t bits = draw(&rng);
        double x;
        float f;
        memcpy(&x, &bits, sizeof x);
        memcpy(&f, &bits, sizeof f);
        if (!isnan(x)) check_f64(x);
        if (!isnan(f)) check_f32(f);
    }
}

static void what_is_no_usual_number(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *want;
    } cases[] = {{0.0, "0"},          {-0.0, "-0"},         {HUGE_VAL, "inf"},
                 {-HUGE_VAL, "-inf"}, {(double)NAN, "nan"}, {-(double)NAN, "nan"}};
    char got[WADI_DECIMAL_ROOM];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(got, wadi_decimal_write_f64(cases[i].x, got), cases[i].want);
        expect(got, wadi_decimal_write_f32((float)cases[i].x, got), cases[i].want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_and_what_lies_beside_them),
        cmocka_unit_test(numbers_of_few_digits),
        cmocka_unit_test(numbers_of_all_digits),
        cmocka_unit_test(what_is_no_usual_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
