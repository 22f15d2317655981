/* Several files as one stream of rows: which headers fit together, what the stream's header contains, and at which rate rows come. */
#include "apps/gridding/send_rows.h"

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
#include "connectors/visibility.h"
#include "sched/stream.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/connectors/vis_rows.h"

#ifdef WADI_HAVE_CFITSIO

static char *path_of(const char *name) {
    static char path[4][64];
    static int i;
    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "send_rows_%d_%s", (int)getpid(), name);
    return path[i];
}

/* What becomes of opening these two (or one: b NULL). */
static wadi_status opened(const char *a, const char *b, const wadi_vis_options *options,
                          send_rows **out, wadi_error *err) {
    const char *const paths[] = {a, b};
    *out = NULL;
    *err = (wadi_error){.status = WADI_OK};
    return send_rows_open(b != NULL ? 2 : 1, paths, options, out, err);
}

static send_rows *must_open(const char *a, const char *b, const wadi_vis_options *options) {
    send_rows *s = NULL;
    wadi_error err;
    if (opened(a, b, options, &s, &err) != WADI_OK) fail_msg("%s", err.msg);
    return s;
}

/* ---- headers ---- */

static const char *card, *text; /* what one of the files below has instead */
static double number;

static void other_card(fitsfile *f, int *status) {
    if (text != NULL)
        fits_update_key_str(f, card, text, NULL, status);
    else
        fits_update_key_dbl(f, card, number, 12, NULL, status);
}

/* Another file that differs by one thing alone: a card, or what `change` does. */
static void differs(void (*change)(uvfits_file *u), const char *of, double value, const char *word,
                    const char *says) {
    uvfits_file u = uvfits_plain(4);
    char want[256], a[64], b[64];
    send_rows *s = NULL;
    wadi_error err;
    u.channels = 1;
    snprintf(a, sizeof a, "%s", path_of("a"));
    snprintf(b, sizeof b, "%s", path_of("b"));
    uvfits_write(a, &u);
    card = of;
    number = value;
    text = word;
    if (of != NULL) u.cards = other_card;
    if (change != NULL) change(&u);
    uvfits_write(b, &u);
    if (says == NULL) {
        send_rows_close(must_open(a, b, NULL));
    } else {
        for (int turned = 0; turned < 2; turned++) {
            const char *first = turned ? b : a, *second = turned ? a : b;
            assert_int_equal(opened(first, second, NULL, &s, &err), WADI_INVALID);
            snprintf(want, sizeof want, "%s and %s have different %s: send them one by one", first,
                     second, says);
            assert_string_equal(err.msg, want);
            assert_null(s);
        }
    }
    unlink(a);
    unlink(b);
}

static void two_channels(uvfits_file *u) {
    u->channels = 2;
}

static void higher(uvfits_file *u) {
    u->frequency += 1;
}

static void wider(uvfits_file *u) {
    u->width *= 2;
}

static void one_product(uvfits_file *u) {
    u->pols = 1;
}

static void another_second_product(uvfits_file *u) {
    u->stokes_step = -2;
}

static void another_first_product(uvfits_file *u) {
    u->stokes = -5;
}

static void longer(uvfits_file *u) {
    u->groups = 9;
    u->param[0].scale *= 3;
}

static void headers_that_differ_are_told(void **state) {
    (void)state;
    differs(longer, NULL, 0, NULL, NULL); /* what may differ */
    differs(two_channels, NULL, 0, NULL, "numbers of channels");
    differs(higher, NULL, 0, NULL, "frequencies");
    differs(wider, NULL, 0, NULL, "channel widths");
    differs(one_product, NULL, 0, NULL, "numbers of polarisations");
    differs(another_second_product, NULL, 0, NULL, "polarisations");
    differs(another_first_product, NULL, 0, NULL, "polarisations");
    differs(NULL, "CRVAL6", 121, NULL, "phase centres");
    differs(NULL, "CRVAL7", -31, NULL, "phase centres");
    differs(NULL, "EPOCH", 1950, NULL, "equinoxes");
    differs(NULL, "OBJECT", 0, "PLAIM", "objects");
    differs(NULL, "TELESCOP", 0, "TOYS", "telescopes");
}

/* ---- several setups ---- */

static int setups;

static double numbered(long group, int i) {
    return i == 5 ? (double)(3 * (group % setups) + 1) : uvfits_parameter(group, i);
}

static void setup_table(fitsfile *f, int *status) {
    int ids[32];
    for (int i = 0; i < setups; i++) ids[i] = 3 * i + 1;
    uvfits_write_setups(f, setups, ids, 1, status);
}

/* Setups 1, 4, 7, ..; of each there are two rows. */
static void write_setups(const char *path, int n) {
    uvfits_file u = uvfits_plain(2 * n);
    setups = n;
    u.params = 6;
    u.param[5].type = "FREQSEL";
    u.param[5].scale = 1;
    u.parameter = numbered;
    u.tables = setup_table;
    uvfits_write(path, &u);
}

static void of_several_setups_one_is_to_be_chosen(void **state) {
    (void)state;
    static const int many[] = {2, 16, 17};
    char path[64];
    snprintf(path, sizeof path, "%s", path_of("s"));
    for (int i = 0; i < 3; i++) {
        send_rows *s = NULL;
        wadi_error err;
        char want[512];
        write_setups(path, many[i]);
        int n = snprintf(want, sizeof want, "%s has rows of several setups (", path);
        for (int k = 0; k < many[i] && k < 16; k++)
            n += snprintf(want + n, sizeof want - (size_t)n, "%s%d", k ? ", " : "", 3 * k + 1);
        snprintf(want + n, sizeof want - (size_t)n,
                 "%s), a stream has the channels of one: choose it with --setup",
                 many[i] > 16 ? ", ..." : "");
        assert_int_equal(opened(path, NULL, NULL, &s, &err), WADI_INVALID);
        assert_string_equal(err.msg, want);
        assert_int_equal(opened(path, NULL, &(wadi_vis_options){0}, &s, &err), WADI_INVALID);
        s = must_open(path, path, &(wadi_vis_options){.setup = 5});
        assert_int_equal(send_rows_about(s)->rows, 4);
        send_rows_close(s);
    }
    unlink(path);
}

/* ---- the header of the stream ---- */

static void widest(const char *path, double *longest, double *shortest) {
    wadi_vis *v = NULL;
    vis_rows r = {0};
    vis_rows_of(path, NULL, &v, &r);
    for (int64_t i = 0; i < r.n; i++) {
        const double *at = r.row.uvw + 3 * i, across = hypot(at[0], at[1]);
        bool any = false;
        for (int64_t c = 0; c < r.cells; c++) any = any || r.row.weight[i * r.cells + c] > 0;
        if (!any) continue;
        *longest = fmax(*longest, across);
        *shortest = fmin(*shortest, hypot(across, at[2]));
    }
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

static void the_header_tells_of_all_files(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(30);
    char a[64], b[64];
    double longest = 0, shortest = (double)INFINITY;
    snprintf(a, sizeof a, "%s", path_of("a"));
    snprintf(b, sizeof b, "%s", path_of("b"));
    uvfits_write(a, &u);
    for (int i = 0; i < 3; i++) u.param[i].scale *= 3;
    u.groups = 20;
    uvfits_write(b, &u);
    widest(a, &longest, &shortest);
    widest(b, &longest, &shortest);
    for (int turned = 0; turned < 2; turned++) {
        send_rows *s = must_open(turned ? b : a, turned ? a : b, NULL);
        const wadi_vis_info *i = send_rows_about(s);
        assert_int_equal(i->rows, 50);
        assert_true(fabs(i->longest / longest - 1) < 1e-9);
        assert_true(fabs(i->shortest / shortest - 1) < 1e-9);
        assert_true(i->channels == 3 && i->pols == 2 && i->frequency[2] == 1.002e9);
        assert_string_equal(i->telescope, "TOY");
        send_rows_close(s);
    }
    unlink(a);
    unlink(b);
}

static void bare(fitsfile *f, int *status) {
    fits_delete_key(f, "OBJECT", status);
    fits_delete_key(f, "TELESCOP", status);
    fits_update_key_dbl(f, "EPOCH", 2000, 12, NULL, status);
}

/* Text does not know how many rows it has: then nobody knows. */
static void rows_that_nobody_has_counted_are_not_told(void **state) {
    (void)state;
    static const char words[] = "# frequency 1e9\n# ra 120\n# dec -30\n# stokes -1\n1 2 3 4 5\n";
    uvfits_file u = uvfits_plain(30);
    char a[64], b[64];
    snprintf(a, sizeof a, "%s", path_of("a"));
    snprintf(b, sizeof b, "%s", path_of("b"));
    u.channels = u.pols = 1;
    u.width = 0;
    u.cards = bare;
    uvfits_write(a, &u);
    assert_int_equal(wadi_file_write(b, words, strlen(words), 0600, NULL), WADI_OK);
    for (int i = 0; i < 3; i++) {
        send_rows *s = must_open(i == 0 ? a : b, i == 1 ? a : b, NULL);
        assert_int_equal(send_rows_about(s)->rows, -1);
        send_rows_close(s);
    }
    unlink(a);
    unlink(b);
}

/* ---- pace ---- */

static wadi_status next_rows(wadi_source *source, int64_t k, int64_t *out_n, wadi_error *err) {
    wadi_buffers *buffers = NULL;
    wadi_builder b;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, buffers, source->parts, source->part, INT64_MAX, NULL),
                     WADI_OK);
    const wadi_status status = source->ops->next(source, k, &b, err);
    *out_n = b.count;
    wadi_builder_fini(&b);
    wadi_buffers_release(buffers);
    return status;
}

static void tell(void *env, int64_t rows) {
    *(int64_t *)env = rows;
}

typedef struct pace {
    char path[64];
    send_rows *rows;
    wadi_source *source;
    int64_t told;
} pace;

/* The file twice, at `rate` rows a second. */
static void begin(pace *p, long groups, double rate) {
    const uvfits_file u = uvfits_plain(groups);
    *p = (pace){.told = -1};
    snprintf(p->path, sizeof p->path, "%s", path_of("p"));
    uvfits_write(p->path, &u);
    p->rows = must_open(p->path, p->path, NULL);
    assert_int_equal(send_rows_source(p->rows, 0, rate, tell, &p->told, &p->source, NULL), WADI_OK);
}

static void end(pace *p) {
    wadi_source_destroy(p->source);
    send_rows_close(p->rows);
    unlink(p->path);
}

static void rows_of_all_files_follow_one_another(void **state) {
    (void)state;
    static const double rates[] = {0, 1e9};
    for (int r = 0; r < 2; r++)
        for (int64_t k = 1; k < 30; k += 7) {
            pace p;
            int64_t n = 1, all = 0;
            begin(&p, 10, rates[r]);
            while (n > 0) {
                assert_int_equal(next_rows(p.source, k, &n, NULL), WADI_OK);
                assert_true(n <= k);
                all += n;
                assert_int_equal(p.told, all);
            }
            assert_int_equal(all, 20);
            end(&p);
        }
}

/* Ten rows a second: the first is there at once. Who waits for the next one has it alone, unless the machine was away for longer than
 * it takes to come; it is not away at all of many times. */
static void rows_come_one_by_one(void **state) {
    (void)state;
    pace p;
    int64_t n = 0, all = 0;
    bool alone = false;
    begin(&p, 1000, 10);
    for (int i = 0; i < 100 && !alone; i++) {
        assert_int_equal(next_rows(p.source, 1000, &n, NULL), WADI_OK);
        assert_true(n >= 1);
        if (i == 0) assert_int_equal(n, 1);
        all += n;
        alone = i > 0 && n == 1;
        assert_int_equal(p.told, all);
    }
    assert_true(alone);
    end(&p);
}

/* The next row is due in minutes, but nobody wants it any more. */
static void waiting_can_be_cancelled(void **state) {
    (void)state;
    pace p;
    int wake[2];
    int64_t n = 0;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(pipe(wake), 0);
    begin(&p, 10, 0.001);
    assert_int_equal(next_rows(p.source, 5, &n, NULL), WADI_OK);
    assert_int_equal(n, 1);
    p.source->wake_fd = wake[0];
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_int_equal(next_rows(p.source, 5, &n, &err), WADI_CANCELLED);
    assert_int_equal(n, 0);
    end(&p);
    (void)close(wake[0]);
    (void)close(wake[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_differ_are_told),
        cmocka_unit_test(of_several_setups_one_is_to_be_chosen),
        cmocka_unit_test(the_header_tells_of_all_files),
        cmocka_unit_test(rows_that_nobody_has_counted_are_not_told),
        cmocka_unit_test(rows_of_all_files_follow_one_another),
        cmocka_unit_test(rows_come_one_by_one),
        cmocka_unit_test(waiting_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77;
}

#endif
