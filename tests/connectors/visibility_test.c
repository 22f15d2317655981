/* The format of a visibility file is recognised by its contents, and its rows pass as a stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "sched/stream.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static char *file_name(const char *end) {
    static char name[64];
    snprintf(name, sizeof name, "visibility_%d%s", (int)getpid(), end);
    return name;
}

/* ---- what is not read ---- */

static void is_refused(const char *path, wadi_status status, const char *why) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_vis_open(path, NULL, &v, &err), status);
    assert_null(v);
    if (strstr(err.msg, path) == NULL || strstr(err.msg, why) == NULL)
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", err.msg, path, why);
}

static void what_no_format_knows_is_refused_with_those_there_are(void **state) {
    (void)state;
    static const unsigned char bytes[300] = {0x7f, 'E', 'L', 'F', 1, 2, 0, 0xff, 0xfe, 3};
    static const size_t sizes[] = {sizeof bytes, 1};
    for (int i = 0; i < 2; i++) {
        char *path = file_name(".uvfits"); /* whatever its name says */
        assert_int_equal(wadi_file_write(path, bytes, sizes[i], 0644, NULL), WADI_OK);
        is_refused(path, WADI_UNSUPPORTED, "UVFITS");
        unlink(path);
    }
    char *path = file_name(".uvfits.gz");
    assert_int_equal(wadi_file_write(path, "\x1f\x8b\x08\x00", 4, 0644, NULL), WADI_OK);
    is_refused(path, WADI_UNSUPPORTED, "decompress");
    unlink(path);
    path = file_name(".ms");
    assert_int_equal(mkdir(path, 0755), 0);
    is_refused(path, WADI_UNSUPPORTED, "UVFITS");
    assert_int_equal(rmdir(path), 0);
}

static void what_is_not_there_is_an_error(void **state) {
    (void)state;
    is_refused("no/such/file.uvfits", WADI_IO, "No such file");
}

static void every_format_says_what_it_needs(void **state) {
    (void)state;
    for (const wadi_vis_format *f = wadi_vis_formats; f->name != NULL; f++) {
        assert_true((f->ops == NULL) != (f->module == NULL));
        assert_non_null(f->recognises);
        assert_false(f->recognises("no/such/file", (const unsigned char *)"", 0));
    }
}

/* HDF5 begins at 0 or behind 512, 1024, .. bytes; FITS with its first card. */
static void files_are_known_by_their_first_bytes(void **state) {
    (void)state;
    static const unsigned char hdf[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    static const size_t at[] = {0, 512, 1024, 2048, 1, 256, 1536, 3072, 511};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        unsigned char head[4096] = {0};
        memcpy(head + at[i], hdf, sizeof hdf);
        assert_int_equal(wadi_vis_uvh5_recognises("x", head, sizeof head), i < 4);
        assert_int_equal(wadi_vis_uvh5_recognises("x", head, at[i] + 8), i < 4);
        assert_false(wadi_vis_uvh5_recognises("x", head, at[i] + 7));
        assert_false(wadi_vis_fits_recognises("x", head, sizeof head));
    }
    static const unsigned char card[] = "SIMPLE  = T", other[] = "SIMPLE  :";
    assert_true(wadi_vis_fits_recognises("x", card, 9));
    assert_false(wadi_vis_fits_recognises("x", card, 8));
    assert_false(wadi_vis_fits_recognises("x", other, 9));
    assert_false(wadi_vis_fits_recognises("x", NULL, 0) || wadi_vis_uvh5_recognises("x", NULL, 0));
}

/* A folder with a table of casacore in it, which is a Measurement Set unless it says that it is something else. */
static void a_folder_is_known_by_its_table(void **state) {
    (void)state;
    char folder[64], table[96], about[96], far[5000];
    snprintf(folder, sizeof folder, "%s", file_name(".set"));
    snprintf(table, sizeof table, "%s/table.dat", folder);
    snprintf(about, sizeof about, "%s/table.info", folder);
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_false(wadi_vis_ms_recognises(folder, NULL, 0));
    assert_int_equal(wadi_file_write(table, "x", 1, 0644, NULL), WADI_OK);
    assert_true(wadi_vis_ms_recognises(folder, NULL, 0));
    assert_false(wadi_vis_ms_recognises(folder, (const unsigned char *)"x", 1)); /* a file */
    static const char *const says[] = {"", "Type = Image\n",
                                       "Type = Measurement Set\nSubType = \n"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wadi_file_write(about, says[i], strlen(says[i]), 0644, NULL), WADI_OK);
        assert_int_equal(wadi_vis_ms_recognises(folder, NULL, 0), i == 2);
    }
    unlink(table);
    assert_false(wadi_vis_ms_recognises(folder, NULL, 0));
    unlink(about);
    assert_int_equal(rmdir(folder), 0);
    memset(far, 'x', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    assert_false(wadi_vis_ms_recognises(far, NULL, 0));
}

/* Before any other test has loaded it. */
static void a_format_whose_module_is_missing_is_refused_by_its_name(void **state) {
    (void)state;
    char *path = file_name(".uvfits");
    assert_int_equal(setenv("WADI_MODULES", "no/such/folder", 1), 0);
    assert_int_equal(wadi_file_write(path, "SIMPLE  =                    T", 30, 0644, NULL),
                     WADI_OK);
    is_refused(path, WADI_UNSUPPORTED, "CFITSIO, through the module \"cfitsio\"");
    is_refused(path, WADI_UNSUPPORTED, "no cfitsio.so in no/such/folder");
    unlink(path);
    assert_int_equal(unsetenv("WADI_MODULES"), 0);
}

/* ---- rows as a stream ---- */

#ifdef WADI_HAVE_CFITSIO

enum { ROWS = 1000 };

static wadi_vis *open_plain(const wadi_vis_options *options) {
    const uvfits_file u = uvfits_plain(ROWS);
    wadi_vis *v = NULL;
    char *path = file_name(".txt"); /* whatever its name says */
    uvfits_write(path, &u);
    assert_int_equal(wadi_vis_open(path, options, &v, NULL), WADI_OK);
    assert_string_equal(wadi_vis_about(v)->format, "UVFITS");
    unlink(path); /* it stays open */
    return v;
}

/* The next k rows at most as a chunk, within a limit of bytes; it is empty after the last one. */
static wadi_chunk *pull(wadi_source *s, wadi_buffers *pool, int64_t k, int64_t most_bytes) {
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, pool, s->parts, s->part, most_bytes, NULL), WADI_OK);
    assert_int_equal(s->ops->next(s, k, &b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(pool, s->parts, &c, NULL), WADI_OK);
    c->count = b.count;
    wadi_builder_finish(&b, c, 0, b.count);
    wadi_builder_fini(&b);
    return c;
}

/* All that the source gives is what the file's rows are, from row 0 on. */
static void gives(wadi_source *s, const vis_rows *all, int64_t k, int64_t most_bytes) {
    wadi_buffers *pool = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 0, &pool, NULL), WADI_OK);
    int64_t at = 0;
    for (int64_t got = 1; got > 0; at += got) {
        wadi_chunk *c = pull(s, pool, k, most_bytes);
        got = c->count;
        assert_true(got <= k);
        const size_t n = (size_t)got;
        const size_t cells = (size_t)(got * all->cells);
        const void *const want[] = {all->row.uvw + 3 * at, all->row.pair + 2 * at,
                                    all->row.time + at, all->row.data + 2 * all->cells * at,
                                    all->row.weight + all->cells * at};
        const size_t bytes[] = {24 * n, 8 * n, 8 * n, 16 * cells, 4 * cells};
        for (int i = 0; i < WADI_VIS_PARTS && n > 0; i++)
            assert_memory_equal(c->component[i].column[0], want[i], bytes[i]);
        wadi_chunk_release(c);
    }
    assert_int_equal(at, all->n);
    wadi_buffers_release(pool);
}

static void rows_pass_in_chunks_of_any_size(void **state) {
    (void)state;
    wadi_vis *v = open_plain(NULL);
    vis_rows all = {0};
    assert_int_equal(vis_rows_read(v, 100, &all, NULL), WADI_OK);
    assert_int_equal(all.n, ROWS);
    static const int64_t sizes[] = {1, 7, 999, 5000};
    for (int i = 0; i < 4; i++) {
        wadi_source *s = NULL;
        assert_int_equal(wadi_vis_source(v, &s, NULL), WADI_OK);
        gives(s, &all, sizes[i], i == 3 ? 10000 : INT64_MAX);
        wadi_source_destroy(s);
    }
    vis_rows_fini(&all);
    wadi_vis_close(v);
}

static void the_parts_of_a_row_are_as_promised(void **state) {
    (void)state;
    wadi_vis *v = open_plain(NULL);
    wadi_source *s = NULL;
    assert_int_equal(wadi_vis_source(v, &s, NULL), WADI_OK);
    static const struct {
        wadi_type type;
        int rank;
        int64_t shape[2];
    } want[] = {[WADI_VIS_UVW] = {WADI_F64, 1, {3}},
                [WADI_VIS_PAIR] = {WADI_I32, 1, {2}},
                [WADI_VIS_TIME] = {WADI_F64, 0, {0}},
                [WADI_VIS_DATA] = {WADI_C128, 2, {3, 2}},
                [WADI_VIS_WEIGHT] = {WADI_F32, 2, {3, 2}}};
    assert_int_equal(s->parts, WADI_VIS_PARTS);
    for (int i = 0; i < WADI_VIS_PARTS; i++) {
        assert_true(s->part[i].fixed);
        assert_int_equal(s->part[i].type[0], want[i].type);
        assert_int_equal(s->part[i].rank, want[i].rank);
        for (int d = 0; d < want[i].rank; d++)
            assert_int_equal(s->part[i].shape[d], want[i].shape[d]);
    }
    wadi_source_destroy(s);
    wadi_vis_close(v);
}

static void a_file_has_one_source_at_a_time(void **state) {
    (void)state;
    wadi_vis *v = open_plain(NULL);
    wadi_source *s = NULL;
    wadi_source *other = NULL;
    assert_int_equal(wadi_vis_source(v, &s, NULL), WADI_OK);
    assert_int_equal(wadi_vis_source(v, &other, NULL), WADI_INVALID);
    wadi_source_destroy(s);
    assert_int_equal(wadi_vis_source(v, &other, NULL), WADI_OK);
    wadi_source_destroy(other);
    wadi_vis_close(v);
}

static void conjugated_rows_are_those_of_the_other_sign(void **state) {
    (void)state;
    wadi_vis *v = open_plain(&(wadi_vis_options){.conjugate = true});
    vis_rows all = {0};
    wadi_source *s = NULL;
    assert_int_equal(vis_rows_read(v, ROWS, &all, NULL), WADI_OK);
    for (int64_t i = 0; i < all.n * all.cells; i++) all.row.data[2 * i + 1] *= -1;
    assert_int_equal(wadi_vis_source(v, &s, NULL), WADI_OK);
    gives(s, &all, 64, INT64_MAX);
    wadi_source_destroy(s);
    vis_rows_fini(&all);
    wadi_vis_close(v);
}

static void negative_choices_are_refused(void **state) {
    (void)state;
    const uvfits_file u = uvfits_plain(2);
    wadi_vis *v = NULL;
    char *path = file_name("");
    uvfits_write(path, &u);
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.field = -1}, &v, NULL), WADI_INVALID);
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.setup = -1}, &v, NULL), WADI_INVALID);
    unlink(path);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_format_whose_module_is_missing_is_refused_by_its_name),
        cmocka_unit_test(what_no_format_knows_is_refused_with_those_there_are),
        cmocka_unit_test(what_is_not_there_is_an_error),
        cmocka_unit_test(every_format_says_what_it_needs),
        cmocka_unit_test(files_are_known_by_their_first_bytes),
        cmocka_unit_test(a_folder_is_known_by_its_table),
#ifdef WADI_HAVE_CFITSIO
        cmocka_unit_test(rows_pass_in_chunks_of_any_size),
        cmocka_unit_test(the_parts_of_a_row_are_as_promised),
        cmocka_unit_test(a_file_has_one_source_at_a_time),
        cmocka_unit_test(conjugated_rows_are_those_of_the_other_sign),
        cmocka_unit_test(negative_choices_are_refused),
#endif
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
