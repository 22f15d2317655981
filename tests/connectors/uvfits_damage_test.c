/* UVFITS files that are cut short, damaged, or of another format are refused with a message that says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_CFITSIO

#include "base/file.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

enum { BLOCK = 2880 /* bytes FITS is made of */ };

static char *file_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "uvfits_damage_%d.uvfits", (int)getpid());
    return name;
}

static wadi_status try_open(wadi_error *err) {
    wadi_vis *v = NULL;
    const wadi_status status = wadi_vis_open(file_name(), NULL, &v, err);
    if (status == WADI_OK) wadi_vis_close(v);
    return status;
}

static void put_bytes(const void *bytes, size_t n) {
    (void)unlink(file_name()); /* a file written over is slow: file systems wait for the disk */
    FILE *f = fopen(file_name(), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void tables(fitsfile *f, int *status) {
    uvfits_write_setups(f, 2, (const int[]){1, 2}, 2, status);
    uvfits_write_fields(f, 2, (const int[]){1, 2}, status);
}

static double first_of_each(long group, int i) {
    return i > 4 ? 1 : uvfits_parameter(group, i);
}

/* With everything a file can have; *out_groups is where its groups begin. */
static char *rich_file(size_t *out_n, size_t *out_groups) {
    char *bytes = NULL;
    uvfits_file u = uvfits_plain(100);
    u.ifs = 2;
    u.params = 7;
    u.param[5].type = "SOURCE";
    u.param[6].type = "FREQSEL";
    u.param[5].scale = u.param[6].scale = 1;
    u.parameter = first_of_each;
    u.tables = tables;
    uvfits_write(file_name(), &u);
    assert_int_equal(wadi_file_read(file_name(), &bytes, out_n, NULL), WADI_OK);
    unlink(file_name());
    for (*out_groups = 0; memcmp(bytes + *out_groups, "END     ", 8) != 0;) *out_groups += 80;
    *out_groups = (*out_groups / BLOCK + 1) * BLOCK;
    return bytes;
}

/* ---- cut short ---- */

static void a_file_cut_anywhere_in_its_groups_is_truncated(void **state) {
    (void)state;
    size_t n = 0;
    size_t groups = 0;
    char *bytes = rich_file(&n, &groups);
    const size_t group = 4 * (7 + 3 * 2 * 3 * 2);
    for (size_t cut = groups; cut < groups + 100 * group; cut += 41) {
        wadi_error err = {0};
        char place[64];
        put_bytes(bytes, cut);
        assert_int_equal(try_open(&err), WADI_IO);
        snprintf(place, sizeof place, "promises 100 groups, the file ends in group %d",
                 (int)((cut - groups) / group) + 1);
        assert_non_null(strstr(err.msg, "truncated"));
        assert_non_null(strstr(err.msg, place));
        assert_non_null(strstr(err.msg, file_name()));
    }
    unlink(file_name());
    free(bytes);
}

static void a_file_cut_in_its_headers_or_tables_is_an_error_or_whole(void **state) {
    (void)state;
    size_t n = 0;
    size_t groups = 0;
    char *bytes = rich_file(&n, &groups);
    for (size_t cut = 0; cut<n; cut += cut> 80 && cut + 80 < groups ? 80 : 487) {
        wadi_error err = {0};
        put_bytes(bytes, cut);
        const wadi_status status = try_open(&err);
        if (cut < groups) assert_int_not_equal(status, WADI_OK);
        if (status != WADI_OK) assert_non_null(strstr(err.msg, file_name()));
    }
    put_bytes(bytes, n);
    assert_int_equal(try_open(NULL), WADI_OK);
    unlink(file_name());
    free(bytes);
}

static void a_file_that_shrinks_while_it_is_read_gives_what_was_there(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(40000);
    wadi_vis *v = NULL;
    vis_rows r = {0};
    wadi_error err = {0};
    uvfits_write(file_name(), &u);
    assert_int_equal(wadi_vis_open(file_name(), NULL, &v, NULL), WADI_OK);
    assert_int_equal(truncate(file_name(), 2000000), 0);
    assert_int_equal(vis_rows_read(v, 100, &r, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "truncated"));
    assert_true(r.n > 0 && r.n < 40000);
    for (int64_t i = 0; i < r.n; i++)
        assert_true(r.row.data[2 * i * r.cells] == uvfits_value((long)i, 0, 0, 0, 0));
    vis_rows_fini(&r);
    wadi_vis_close(v);
    unlink(file_name());
}

/* ---- something else ---- */

static void write_image(int axes, long first) {
    fitsfile *f = NULL;
    int status = 0;
    long extent[] = {first, 4, 1};
    double values[64] = {0};
    (void)unlink(file_name());
    fits_create_diskfile(&f, file_name(), &status);
    fits_create_img(f, -32, axes, extent, &status);
    if (axes > 0 && first > 0) fits_write_img(f, TDOUBLE, 1, first * 4, values, &status);
    fits_close_file(f, &status);
    assert_int_equal(status, 0);
}

static void fits_without_groups_is_refused_by_what_it_is(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        wadi_error err = {0};
        write_image(i == 0 ? 0 : i + 1, 3);
        assert_int_equal(try_open(&err), WADI_UNSUPPORTED);
        assert_non_null(strstr(err.msg, "not UVFITS"));
        assert_non_null(strstr(err.msg, file_name()));
    }
    unlink(file_name());
}

static void a_file_without_a_group_is_an_error(void **state) {
    (void)state;
    size_t n = 0;
    size_t groups = 0;
    wadi_error err = {0};
    char *bytes = rich_file(&n, &groups);
    char *card = bytes;
    while (memcmp(card, "GCOUNT", 6) != 0) card += 80;
    memcpy(card, "GCOUNT  =                    0", 30);
    put_bytes(bytes, n);
    assert_int_equal(try_open(&err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "no groups"));
    unlink(file_name());
    free(bytes);
}

/* ---- damaged ---- */

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One byte becomes another: any, or one that may stand in a card. */
static void damage(char *bytes, size_t n, uint32_t *seed) {
    static const char likely[] = "0123456789-+.E'TF= /AISPQX";
    const size_t at = next_random(seed) % n;
    if (next_random(seed) % 4 == 0) {
        bytes[at] = (char)next_random(seed);
    } else {
        bytes[at] = likely[next_random(seed) % (sizeof likely - 1)];
    }
}

static void read_if_it_opens(int *opened) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    if (wadi_vis_open(file_name(), NULL, &v, &err) != WADI_OK) {
        assert_true(err.msg[0] != '\0');
        return;
    }
    vis_rows r = {0};
    assert_true(v->info.rows >= 0 && v->info.channels >= 1 && v->info.pols >= 1);
    (void)vis_rows_read(v, 64, &r, NULL);
    vis_rows_fini(&r);
    wadi_vis_close(v);
    (*opened)++;
}

static void damaged_headers_never_do_harm(void **state) {
    (void)state;
    enum { TRIES = 3000 };
    size_t n = 0;
    size_t groups = 0;
    char *whole = rich_file(&n, &groups);
    char *bytes = malloc(n);
    uint32_t seed = 20260;
    int opened = 0;
    assert_non_null(bytes);
    for (int i = 0; i < TRIES; i++) {
        memcpy(bytes, whole, n);
        for (int k = 1 + (int)(next_random(&seed) % 4); k > 0; k--) {
            /* The primary header or the tables, and in them rather where there are cards. */
            const bool primary = next_random(&seed) % 2 == 0;
            damage(primary ? bytes : bytes + groups, primary ? 60 * 80 : n - groups, &seed);
        }
        put_bytes(bytes, n);
        read_if_it_opens(&opened);
    }
    assert_true(opened > TRIES / 20 && opened < TRIES);
    unlink(file_name());
    free(bytes);
    free(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_file_cut_anywhere_in_its_groups_is_truncated),
        cmocka_unit_test(a_file_cut_in_its_headers_or_tables_is_an_error_or_whole),
        cmocka_unit_test(a_file_that_shrinks_while_it_is_read_gives_what_was_there),
        cmocka_unit_test(fits_without_groups_is_refused_by_what_it_is),
        cmocka_unit_test(a_file_without_a_group_is_an_error),
        cmocka_unit_test(damaged_headers_never_do_harm),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without CFITSIO */
}

#endif
