/* The exponential-of-semicircle kernel against its definition: its Fourier integral, its aliasing, and the series and polynomials
 * that approximate it. */
#include "apps/gridding/es_kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static double phi(const es_kernel *k, double x) {
    const double inside = 1 - x * x;
    return inside < 0 ? 0 : exp(k->beta * (sqrt(inside) - 1));
}

/* By very many points in x = sin(s), where the ends are nearly smooth: what the kernel's step at its ends adds is less than it leaks. */
static double integral(const es_kernel *k, double t) {
    enum { POINTS = 200 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        const double s = pi * ((i + 0.5) / POINTS - 0.5), x = sin(s);
        sum += phi(k, x) * cos(s) * cos(pi * t * k->support * x);
    }
    return sum * pi / POINTS * k->support / 2;
}

static const struct {
    double sigma, epsilon;
} wishes[] = {{2, 1e-2},   {1.25, 3e-4}, {1.5, 1e-5}, {1.2, 1e-3},
              {1.8, 1e-7}, {2, 1e-10},   {1.4, 1e-8}, {2, 1e-12}};
enum { WISHES = sizeof wishes / sizeof wishes[0] };

static es_kernel chosen(int i) {
    es_kernel k;
    assert_true(es_kernel_choose(wishes[i].sigma, wishes[i].epsilon, ES_SUPPORT_MOST, &k));
    return k;
}

static void the_integral_is_that_of_the_kernel(void **state) {
    (void)state;
    for (int i = 0; i < WISHES; i++) {
        const es_kernel k = chosen(i);
        const double most = integral(&k, 0);
        for (double t = 0; t <= 2.6; t += 0.1)
            assert_true(fabs(es_kernel_integral(&k, t) - integral(&k, t)) <
                        (1e-4 * k.leak + 3e-15) * most);
    }
}

/* The root of what all periods of the grid bring into the field, in squares, relative to what is wanted there; and the gain. */
static double leak_of(const es_kernel *k, double sigma, double *gain) {
    enum { PLACES = 20 };
    double sum = 0, even = 0, raised = 0;
    for (int i = 0; i < PLACES; i++) {
        const double t = (i + 1.0) / PLACES * 0.5 / sigma, wanted = integral(k, t);
        for (int p = 1; p <= 4; p++)
            sum += (pow(integral(k, t + p), 2) + pow(integral(k, t - p), 2)) / (wanted * wanted);
        even += wanted * wanted / PLACES;
        raised += 1 / (wanted * wanted) / PLACES;
    }
    *gain = sqrt(even * raised);
    return sqrt(sum / PLACES);
}

/* No narrower kernel of any beta near the usual ones does it. */
static void the_least_support_that_leaks_little_enough_is_chosen(void **state) {
    (void)state;
    for (int i = 0; i < WISHES; i++) {
        const double sigma = wishes[i].sigma, epsilon = wishes[i].epsilon;
        const es_kernel k = chosen(i);
        es_kernel other;
        double gain;
        const double leak = leak_of(&k, sigma, &gain);
        assert_true(k.leak <= epsilon && leak < 1.5 * epsilon);
        assert_true(fabs(k.leak / leak - 1) < 0.5); /* a dozen samples */
        assert_true(k.gain / gain > 0.97 && k.gain / gain < 1.25);
        assert_false(es_kernel_choose(sigma, epsilon, k.support - 1, &other));
        assert_true(es_kernel_choose(sigma, epsilon, k.support, &other));
        assert_true(other.support == k.support && other.beta == k.beta);
        double least = leak;
        for (double part = 0.85; part < 1.06; part += 0.02) {
            const es_kernel same = {.support = k.support,
                                    .beta = part * pi * k.support * (1 - 0.5 / sigma)};
            least = fmin(least, leak_of(&same, sigma, &gain));
        }
        assert_true(leak < 1.2 * least); /* of this width nearly the best */
        for (double part = 0.85; part < 1.06; part += 0.04) {
            const es_kernel narrow = {.support = k.support - 1,
                                      .beta = part * pi * (k.support - 1) * (1 - 0.5 / sigma)};
            assert_true(leak_of(&narrow, sigma, &gain) > 0.7 * epsilon);
        }
    }
    es_kernel none;
    assert_false(es_kernel_choose(1.2, 1e-15, ES_SUPPORT_MOST, &none));
}

static void the_series_is_the_integral(void **state) {
    (void)state;
    for (int i = 0; i < WISHES; i++) {
        const es_kernel k = chosen(i);
        const double most = i % 2 ? 0.5 / wishes[i].sigma : 0.7, at_0 = integral(&k, 0);
        es_series s;
        es_series_fit(&k, most, &s);
        for (int p = 0; p <= 40; p++) {
            const double t = most * p / 40;
            assert_true(fabs(es_series_at(&s, t) - integral(&k, t)) <
                        (1e-4 * k.leak + 2e-14) * at_0);
            assert_true(es_series_at(&s, -t) == es_series_at(&s, t));
        }
    }
}

static double error_of(const es_kernel *k, const es_pieces *p, int degree) {
    double worst = 0;
    for (int j = 0; j < k->support; j++)
        for (int i = 0; i <= 100; i++) {
            const double f = i / 100.0, t = 2 * f - 1;
            double sum = 0;
            for (int d = degree; d >= 0; d--) sum = sum * t + p->c[d * k->support + j];
            const double want = phi(k, (j + f - 0.5 * k->support) / (0.5 * k->support));
            worst = fmax(worst, fabs(sum - want));
        }
    return worst;
}

/* The degree is as low as it can be: the best of one less is not good enough. Where the step at the kernel's ends is larger than the
 * error no polynomial does it. */
static void polynomials_are_the_kernel(void **state) {
    (void)state;
    for (int i = 0; i < WISHES; i++) {
        const es_kernel k = chosen(i);
        for (double error = 1e-2; error > 1e-11; error *= 0.03) {
            es_pieces fine, coarse;
            es_pieces_fit(&k, error, &fine);
            assert_int_equal(fine.support, k.support);
            if (fine.degree > 10) break;
            assert_true(fine.degree >= 2 && error_of(&k, &fine, fine.degree) < 1.1 * error);
            if (fine.degree == 2) continue;
            coarse = fine;
            for (double wish = error; coarse.degree == fine.degree; wish *= 1.3)
                es_pieces_fit(&k, wish, &coarse);
            assert_int_equal(coarse.degree, fine.degree - 1);
            assert_true(error_of(&k, &coarse, coarse.degree) > error);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_integral_is_that_of_the_kernel),
        cmocka_unit_test(the_least_support_that_leaks_little_enough_is_chosen),
        cmocka_unit_test(the_series_is_the_integral),
        cmocka_unit_test(polynomials_are_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
