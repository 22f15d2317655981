/* Several inputs of one image: what they determine together, which of their setups are opened, and what all must have. */
#include "apps/gridding/files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/open_files.h"

#ifdef WADI_HAVE_CFITSIO

static const grid_take all_of_it = {.last_channel = -1};

static const char *path_of(const char *name) {
    static char path[8][64];
    static int i;
    i = (i + 1) % 8;
    snprintf(path[i], sizeof path[i], "files_%d_%s", (int)getpid(), name);
    return path[i];
}

static void must_open(grid_files *in, size_t n, const char *const *paths,
                      const grid_choice *choice) {
    wadi_error err = {.status = WADI_OK};
    if (grid_files_open(in, n, paths, choice, &all_of_it, &err) != WADI_OK) fail_msg("%s", err.msg);
}

/* ---- what they say together ---- */

static void nameless(fitsfile *f, int *status) {
    fits_delete_key(f, "OBJECT", status);
    fits_update_key_dbl(f, "EPOCH", 1950, 12, NULL, status);
}

static void elsewhere(fitsfile *f, int *status) {
    fits_update_key_str(f, "TELESCOP", "OTHER", NULL, status);
    fits_update_key_dbl(f, "CRVAL6", 10, 12, NULL, status);
    fits_update_key_dbl(f, "CRVAL7", 20, 12, NULL, status);
    fits_update_key_dbl(f, "EPOCH", 2000, 12, NULL, status);
}

/* Text knows nothing; one file has no object, the other has all. */
static void the_first_that_says_counts(void **state) {
    (void)state;
    static const double degree = 0.017453292519943295;
    static const char words[] = "1 2 3 4 5\n";
    const char *a = path_of("a"), *b = path_of("b"), *t = path_of("t");
    const char *const paths[] = {t, a, b, t};
    const grid_choice whole = {0};
    grid_files in;
    uvfits_file u = uvfits_plain(7), v = uvfits_plain(11);
    u.width = -2e6;
    u.cards = nameless;
    v.cards = elsewhere;
    uvfits_write(a, &u);
    uvfits_write(b, &v);
    assert_int_equal(wadi_file_write(t, words, strlen(words), 0600, NULL), WADI_OK);
    must_open(&in, 4, paths, &whole);
    assert_int_equal(in.list.n, 4);
    assert_true(fabs(in.ra - 120 * degree) < 1e-12 && fabs(in.dec + 30 * degree) < 1e-12);
    assert_true(in.equinox == 1950 && in.channel_width == 2e6);
    assert_string_equal(in.object, "PLAIN");
    assert_string_equal(in.telescope, "TOY");
    assert_int_equal(in.rows, -1);
    assert_true(in.setups == 0 && in.left_out == 0 && !in.once && in.stokes == WADI_STOKES_I);
    for (size_t i = 0; i < 4; i++) {
        const grid_file *f = &in.list.at[i];
        assert_string_equal(f->name, paths[i]);
        assert_true(f->of == i && f->setup == 0);
    }
    grid_files_fini(&in);
    must_open(&in, 2, paths + 1, &whole);
    assert_int_equal(in.rows, 18);
    grid_files_fini(&in);
    for (size_t from = 0; from < 3; from += 2) { /* text first, text last */
        must_open(&in, 2, paths + from, &whole);
        assert_int_equal(in.rows, -1);
        grid_files_fini(&in);
    }
    must_open(&in, 1, paths + 2, &whole);
    assert_true(fabs(in.ra - 10 * degree) < 1e-12 && fabs(in.dec - 20 * degree) < 1e-12);
    assert_true(in.equinox == 2000 && in.channel_width == 1e6);
    assert_string_equal(in.telescope, "OTHER");
    grid_files_fini(&in);
    must_open(&in, 1, paths, &whole);
    assert_true(isnan(in.ra) && isnan(in.dec) && isnan(in.equinox) && in.channel_width == 0);
    assert_true(in.object[0] == '\0' && in.telescope[0] == '\0');
    grid_files_fini(&in);
    unlink(a);
    unlink(b);
    unlink(t);
}

/* ---- products ---- */

static void write_products(const char *path, int n, double first, double step) {
    uvfits_file u = uvfits_plain(3);
    u.pols = n;
    u.stokes = first;
    u.stokes_step = step;
    uvfits_write(path, &u);
}

/* Eight are named, and more are hinted at. */
static void those_without_the_polarisation_are_named(void **state) {
    (void)state;
    const char *x = path_of("x"), *r = path_of("r");
    const grid_take take = {.stokes = WADI_STOKES_XX, .last_channel = -1};
    const grid_choice whole = {0};
    write_products(x, 2, -5, -1);
    write_products(r, 3, -1, -1);
    for (int bad = 1; bad < 11; bad++) {
        const char *paths[12] = {r, x};
        char want[1024];
        grid_files in;
        wadi_error err = {.status = WADI_OK};
        int n = snprintf(want, sizeof want,
                         "polarisation XX can be had of %s (XX, YY), but not of ", x);
        for (int i = 1; i < bad; i++) paths[i + 1] = r;
        for (int i = 0; i < bad && i < 8; i++)
            n += snprintf(want + n, sizeof want - (size_t)n, "%s%s (RR, LL, RL)", i ? "; " : "", r);
        snprintf(want + n, sizeof want - (size_t)n, "%s: choose with --pol",
                 bad > 8 ? "; ..." : "");
        assert_int_equal(grid_files_open(&in, (size_t)bad + 1, paths, &whole, &take, &err),
                         WADI_INVALID);
        want[sizeof err.msg - 1] = '\0'; /* what a message has room for */
        assert_string_equal(err.msg, want);
        grid_files_fini(&in);
    }
    unlink(x);
    unlink(r);
}

/* Where none gives I it is the first one's first product, which the others must give as well. */
static void the_first_product_of_the_first_input_is_taken(void **state) {
    (void)state;
    const char *q = path_of("q"), *v = path_of("v"), *i = path_of("i");
    const char *const same[] = {q, q}, *const other[] = {q, v}, *const has_i[] = {q, i};
    const grid_choice whole = {0};
    char want[256];
    grid_files in;
    wadi_error err = {.status = WADI_OK};
    write_products(q, 2, 2, 1);  /* Q, U */
    write_products(v, 2, 4, -1); /* V, U */
    write_products(i, 1, 1, 1);
    must_open(&in, 2, same, &whole);
    assert_int_equal(in.stokes, WADI_STOKES_Q);
    grid_files_fini(&in);
    assert_int_equal(grid_files_open(&in, 2, other, &whole, &all_of_it, &err), WADI_INVALID);
    snprintf(want, sizeof want,
             "polarisation Q can be had of %s (Q, U), but not of %s (V, U): choose with --pol", q,
             v);
    assert_string_equal(err.msg, want);
    grid_files_fini(&in);
    assert_int_equal(grid_files_open(&in, 2, has_i, &whole, &all_of_it, &err), WADI_INVALID);
    snprintf(want, sizeof want,
             "polarisation I can be had of %s (I), but not of %s (Q, U): choose with --pol", i, q);
    assert_string_equal(err.msg, want);
    grid_files_fini(&in);
    const grid_take u = {.stokes = WADI_STOKES_U, .last_channel = -1};
    assert_int_equal(grid_files_open(&in, 2, other, &whole, &u, &err), WADI_OK);
    assert_int_equal(in.stokes, WADI_STOKES_U);
    grid_files_fini(&in);
    unlink(q);
    unlink(v);
    unlink(i);
}

/* ---- setups ---- */

static double numbered(long group, int i) {
    return i == 5 ? (double)(group % 3 == 0 ? 5 : 1) : uvfits_parameter(group, i);
}

static void two_setups(fitsfile *f, int *status) {
    uvfits_write_setups(f, 2, (const int[]){1, 5}, 1, status);
}

static void setups_are_inputs(void **state) {
    (void)state;
    static const int asked[] = {6, 2}; /* plus one */
    const char *s = path_of("s"), *p = path_of("p");
    const char *const paths[] = {p, s};
    char want[96];
    grid_files in;
    uvfits_file u = uvfits_plain(30), plain = uvfits_plain(4);
    u.params = 6;
    u.param[5].type = "FREQSEL";
    u.param[5].scale = 1;
    u.parameter = numbered;
    u.tables = two_setups;
    uvfits_write(s, &u);
    uvfits_write(p, &plain);
    must_open(&in, 2, paths, &(grid_choice){0});
    assert_true(in.list.n == 3 && in.setups == 2 && in.rows == 34);
    assert_string_equal(in.list.at[0].name, p);
    for (int i = 1; i < 3; i++) {
        snprintf(want, sizeof want, "%s, setup %d", s, i == 1 ? 1 : 5);
        assert_string_equal(in.list.at[i].name, want);
        assert_int_equal(in.list.at[i].of, 1);
        assert_int_equal(in.list.at[i].setup, i == 1 ? 2 : 6);
        assert_int_equal(wadi_vis_about(in.list.at[i].vis)->rows, i == 1 ? 20 : 10);
    }
    grid_files_fini(&in);
    for (size_t n = 1; n < 3; n++) { /* in the order asked for; one of them needs no number */
        must_open(&in, 1, paths + 1, &(grid_choice){.setup = asked, .setups = n});
        assert_true(in.list.n == n && in.setups == (n == 1 ? 0 : 2) &&
                    in.rows == (n == 1 ? 10 : 30));
        snprintf(want, sizeof want, n == 1 ? "%s" : "%s, setup 5", s);
        assert_string_equal(in.list.at[0].name, want);
        grid_files_fini(&in);
    }
    const grid_take take = {.stokes = WADI_STOKES_XX, .last_channel = -1};
    const grid_take late = {.first_channel = 1, .last_channel = 3};
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(grid_files_open(&in, 1, paths + 1, &(grid_choice){0}, &late, &err),
                     WADI_INVALID);
    snprintf(want, sizeof want, "%s, setup 1: expected channels 1 to 3, but it has 0 to 2", s);
    assert_string_equal(err.msg, want);
    grid_files_fini(&in);
    assert_int_equal(grid_files_open(&in, 2, paths, &(grid_choice){0}, &take, &err), WADI_INVALID);
    grid_files_fini(&in);
    unlink(s);
    unlink(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(the_first_that_says_counts),
        cmocka_unit_test(those_without_the_polarisation_are_named),
        cmocka_unit_test(the_first_product_of_the_first_input_is_taken),
        cmocka_unit_test(setups_are_inputs),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77;
}

#endif
