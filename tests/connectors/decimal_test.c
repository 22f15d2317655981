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
        char text[32];
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

/* ---- reading ---- */

static void reads(const char *text) {
    double got = 0;
    const char *end = text + strlen(text);
    const double want = wadi_format_read_f64(text, NULL);
    if (wadi_decimal_f64(text, end, &got) != end || memcmp(&got, &want, sizeof got) != 0)
        fail_msg("%s is read as %a, expected %a", text, got, want);
}

/* Of 1 to 19 digits, with a point or an exponent anywhere. */
static void random_digits_are_read(void **state) {
    (void)state;
    uint64_t rng = 5;
    for (int i = 0; i < 200000; i++) {
        char text[80], digits[24];
        const int n = 1 + i % 19, point = (int)(draw(&rng) % (unsigned)(n + 1));
        (void)snprintf(digits, sizeof digits, "%019llu",
                       (unsigned long long)(draw(&rng) % UINT64_C(10000000000000000000)));
        digits[n] = '\0';
        (void)snprintf(text, sizeof text, "%s%.*s.%s", i & 1 ? "-" : "", point, digits,
                       digits + point);
        reads(text);
        (void)snprintf(text, sizeof text, "%se%d", digits, (int)(draw(&rng) % 60) - 30);
        reads(text);
    }
}

/* The number halfway between two others goes to the even one, and what is beside it to the nearer. */
static void halves_are_read(void **state) {
    (void)state;
    uint64_t rng = 6;
    for (int i = 0; i < 100000; i++) {
        char text[80];
        const uint64_t odd = ((UINT64_C(1) << 53) + draw(&rng) % (UINT64_C(1) << 53)) | 1;
        static const char *const behind[] = {"", ".0", ".1", "0e-1", "00e-2", "000e-3"};
        for (size_t k = 0; k < sizeof behind / sizeof behind[0]; k++) {
            (void)snprintf(text, sizeof text, "%llu%s", (unsigned long long)odd, behind[k]);
            reads(text);
        }
        /* 53 bits, the half of a unit, and 2 or 3 places behind the point */
        (void)snprintf(text, sizeof text, "%llu.%s", (unsigned long long)(odd / 8),
                       (const char *[]){"125", "375", "625", "875"}[i % 4]);
        reads(text);
        (void)snprintf(text, sizeof text, "%llu.%s", (unsigned long long)(odd / 4),
                       (const char *[]){"25", "75"}[i % 2]);
        reads(text);
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
        cmocka_unit_test(random_digits_are_read),
        cmocka_unit_test(halves_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
