/* Connectors of one process: callbacks, memory, raw files. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "connectors/connectors.h"
#include "sched/stream.h"
#include "tests/connectors/pass_plan.h"
#include "tests/open_files.h"

/* ---- callbacks ---- */

typedef struct teller {
    int64_t n, fail_at;
} teller;

/* Element i is i32[i % 3, 2], all i. */
static wadi_status tell(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const teller *t = env;
    const int64_t shape[] = {index % 3, 2};
    wadi_array a;
    if (index == t->fail_at) {
        *err = (wadi_error){.status = WADI_IO, .msg = "no more stories"};
        return WADI_IO;
    }
    if (index == t->n) return WADI_OK;
    assert_int_equal(wadi_yield_array(yield, 0, shape, &a, err), WADI_OK);
    for (int64_t i = 0; i < 2 * shape[0]; i++) ((int32_t *)a.column[0])[i] = (int32_t)index;
    return WADI_OK;
}

typedef struct listener {
    int64_t seen, fail_at;
} listener;

static wadi_status listen(void *env, int64_t index, int parts, const wadi_array *element,
                          wadi_error *err) {
    listener *l = env;
    assert_int_equal(index, l->seen);
    assert_int_equal(parts, 1);
    if (index == l->fail_at) {
        *err = (wadi_error){.status = WADI_INVALID, .msg = "not interested"};
        return WADI_INVALID;
    }
    assert_int_equal(element[0].shape[0], index % 3);
    for (int64_t i = 0; i < 2 * element[0].shape[0]; i++) {
        assert_int_equal(((int32_t *)element[0].column[0])[i], index);
    }
    l->seen++;
    return WADI_OK;
}

static wadi_status run_callbacks(teller *t, listener *l, int64_t chunk, wadi_error *err) {
    const wadi_part part = wadi_part_irregular(WADI_I32, 2);
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    assert_int_equal(wadi_source_callback(1, &part, tell, t, &in, err), WADI_OK);
    assert_int_equal(wadi_sink_callback(listen, l, &out, err), WADI_OK);
    const wadi_status status = pass_through(in, out, WADI_I32, 2, chunk, err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    return status;
}

static void callbacks_pass_elements_one_by_one(void **state) {
    (void)state;
    for (int64_t chunk = 1; chunk < 200; chunk += 60) {
        teller t = {100, -1};
        listener l = {0, -1};
        wadi_error err;
        assert_int_equal(run_callbacks(&t, &l, chunk, &err), WADI_OK);
        assert_int_equal(l.seen, 100);
    }
}

static void what_a_callback_says_is_the_error_of_the_run(void **state) {
    (void)state;
    teller t = {100, 42};
    listener l = {0, -1};
    wadi_error err;
    assert_int_equal(run_callbacks(&t, &l, 10, &err), WADI_IO);
    assert_string_equal(err.msg, "no more stories");
    assert_int_equal(l.seen, 42);
    t.fail_at = -1;
    l = (listener){0, 17};
    assert_int_equal(run_callbacks(&t, &l, 10, &err), WADI_INVALID);
    assert_string_equal(err.msg, "not interested");
}

static void a_callback_source_refuses_odd_parts(void **state) {
    (void)state;
    wadi_part part = wadi_part_irregular(WADI_I32, 9);
    wadi_source *in = NULL;
    wadi_error err;
    assert_int_equal(wadi_source_callback(1, &part, tell, NULL, &in, &err), WADI_INVALID);
    assert_int_equal(wadi_source_callback(0, &part, tell, NULL, &in, &err), WADI_INVALID);
}

/* ---- memory ---- */

static void rows_of_an_array_come_back_from_a_memory_sink(void **state) {
    (void)state;
    int16_t values[24];
    wadi_array a = {
        .rank = 3, .fields = 1, .type = {WADI_I16}, .shape = {4, 3, 2}, .column = {values}};
    for (int16_t i = 0; i < 24; i++) values[i] = i;
    for (int64_t chunk = 1; chunk < 6; chunk++) {
        wadi_source *in = NULL;
        wadi_sink *out = NULL;
        wadi_array row;
        wadi_error err;
        assert_int_equal(wadi_source_memory(&a, &in, &err), WADI_OK);
        assert_int_equal(wadi_sink_memory(&out, &err), WADI_OK);
        assert_int_equal(pass_through(in, out, WADI_I16, 2, chunk, &err), WADI_OK);
        wadi_source_destroy(in);
        assert_int_equal(wadi_sink_memory_count(out), 4);
        for (int64_t i = 0; i < 4; i++) {
            assert_int_equal(wadi_sink_memory_get(out, i, 0, &row, &err), WADI_OK);
            assert_int_equal(row.rank, 2);
            assert_int_equal(row.shape[0], 3);
            assert_memory_equal(row.column[0], values + 6 * i, 12);
        }
        assert_int_equal(wadi_sink_memory_get(out, 4, 0, &row, &err), WADI_INVALID);
        assert_int_equal(wadi_sink_memory_get(out, 0, 1, &row, &err), WADI_INVALID);
        wadi_sink_destroy(out);
    }
}

/* The run plans by how many elements are left; they are pointed at, not copied. */
static void a_memory_source_keeps_count_of_what_is_left(void **state) {
    (void)state;
    int16_t values[24] = {0};
    wadi_array a = {
        .rank = 2, .fields = 1, .type = {WADI_I16}, .shape = {8, 3}, .column = {values}};
    wadi_source *in = NULL;
    wadi_buffers *pool = NULL;
    assert_int_equal(wadi_source_memory(&a, &in, NULL), WADI_OK);
    assert_int_equal(wadi_buffers_create(NULL, 0, &pool, NULL), WADI_OK);
    static const int64_t takes[] = {3, 1, 0, 9, 5};
    int64_t left = 8;
    for (int i = 0; i < 5; i++) {
        const int64_t want = takes[i] < left ? takes[i] : left;
        wadi_builder b;
        wadi_chunk *c = NULL;
        assert_int_equal(in->at_hand, left);
        assert_int_equal(wadi_builder_init(&b, pool, 1, in->part, 1 << 20, NULL), WADI_OK);
        assert_int_equal(in->ops->next(in, takes[i], &b, NULL), WADI_OK);
        assert_int_equal(b.count, want);
        assert_int_equal(wadi_chunk_create(pool, 1, &c, NULL), WADI_OK);
        c->count = b.count;
        wadi_builder_finish(&b, c, 0, b.count);
        wadi_builder_fini(&b);
        for (int64_t k = 0; k < want; k++)
            assert_ptr_equal(wadi_chunk_array(c, 0, k).column[0], values + 3 * (8 - left + k));
        wadi_chunk_release(c);
        left -= want;
        assert_int_equal(in->at_hand, left);
    }
    wadi_source_destroy(in);
    wadi_buffers_release(pool);
}

static void empty_arrays_are_streams_too(void **state) {
    (void)state;
    wadi_array none = {.rank = 2, .fields = 1, .type = {WADI_F64}, .shape = {0, 5}};
    wadi_array thin = {.rank = 2, .fields = 1, .type = {WADI_F64}, .shape = {7, 0}};
    const wadi_array *const both[] = {&none, &thin};
    for (int i = 0; i < 2; i++) {
        wadi_source *in = NULL;
        wadi_sink *out = NULL;
        wadi_error err;
        assert_int_equal(wadi_source_memory(both[i], &in, &err), WADI_OK);
        assert_int_equal(wadi_sink_memory(&out, &err), WADI_OK);
        assert_int_equal(pass_through(in, out, WADI_F64, 1, 3, &err), WADI_OK);
        assert_int_equal(wadi_sink_memory_count(out), i == 0 ? 0 : 7);
        wadi_source_destroy(in);
        wadi_sink_destroy(out);
    }
}

/* ---- raw files ---- */

static void write_bytes(const char *path, size_t n) {
    char *bytes = malloc(n + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) bytes[i] = (char)(i * 7);
    assert_int_equal(wadi_file_write(path, bytes, n, 0600, NULL), WADI_OK);
    free(bytes);
}

static bool shall_shorten; /* the next file that is copied, when it is open */

static wadi_status copy_raw(const char *from, const char *to, int64_t chunk, wadi_error *err) {
    const int64_t shape[] = {5};
    const wadi_part part = wadi_part_fixed(WADI_U16, 1, shape);
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    wadi_status status = wadi_source_raw(from, &part, &in, err);
    if (shall_shorten) assert_int_equal(truncate(from, 600), 0);
    shall_shorten = false;
    if (status == WADI_OK) status = wadi_sink_raw(to, &out, err);
    if (status == WADI_OK) status = pass_through(in, out, WADI_U16, 1, chunk, err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    return status;
}

/* A pipe, since nothing harms the system if it is replaced. */
static void a_raw_sink_writes_into_what_is_no_regular_file(void **state) {
    (void)state;
    struct stat about;
    char got[1230], expected[1230];
    (void)unlink("raw_pipe");
    assert_int_equal(mkfifo("raw_pipe", 0600), 0);
    const int reader = open("raw_pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    write_bytes("raw_in.bin", 1230);
    assert_int_equal(copy_raw("raw_in.bin", "raw_pipe", 7, NULL), WADI_OK);
    assert_int_equal(read(reader, got, sizeof got), sizeof got);
    close(reader);
    const int file = open("raw_in.bin", O_RDONLY);
    assert_int_equal(read(file, expected, sizeof expected), sizeof expected);
    close(file);
    assert_memory_equal(got, expected, sizeof got);
    assert_int_equal(stat("raw_pipe", &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    (void)unlink("raw_pipe");
}

/* It had more when the run began, and nobody would know that some is missing. */
static void a_raw_file_that_becomes_shorter_is_told(void **state) {
    (void)state;
    wadi_error err = {0};
    write_bytes("raw_in.bin", 1230);
    shall_shorten = true;
    assert_int_equal(copy_raw("raw_in.bin", "raw_none.bin", 7, &err), WADI_IO);
    assert_string_equal(err.msg, "raw_in.bin: had 1230 bytes, and 600 when it was read to its end");
    assert_false(wadi_file_exists("raw_none.bin"));
    (void)unlink("raw_in.bin");
}

static void raw_files_are_copied_record_by_record(void **state) {
    (void)state;
    write_bytes("raw_in.bin", 1230);
    for (int64_t chunk = 0; chunk < 300; chunk += 99) {
        char *a = NULL, *b = NULL;
        size_t na = 0, nb = 0;
        assert_int_equal(copy_raw("raw_in.bin", "raw_out.bin", chunk, NULL), WADI_OK);
        assert_int_equal(wadi_file_read("raw_in.bin", &a, &na, NULL), WADI_OK);
        assert_int_equal(wadi_file_read("raw_out.bin", &b, &nb, NULL), WADI_OK);
        assert_int_equal(na, nb);
        assert_memory_equal(a, b, na);
        free(a);
        free(b);
        (void)unlink("raw_out.bin");
    }
    (void)unlink("raw_in.bin");
}

static void a_torn_record_leaves_no_output(void **state) {
    (void)state;
    wadi_error err;
    write_bytes("raw_torn.bin", 1233);
    for (int64_t chunk = 1; chunk < 200; chunk += 6) { /* in the first chunk or a later one */
        assert_int_equal(copy_raw("raw_torn.bin", "raw_none.bin", chunk, &err), WADI_IO);
        assert_string_equal(err.msg,
                            "raw_torn.bin: ends at byte 1233, within a record of 10 bytes");
        assert_false(wadi_file_exists("raw_none.bin"));
    }
    (void)unlink("raw_torn.bin");
    write_bytes("raw_torn.bin", 3); /* in the first record */
    assert_int_equal(copy_raw("raw_torn.bin", "raw_none.bin", 7, &err), WADI_IO);
    assert_string_equal(err.msg, "raw_torn.bin: ends at byte 3, within a record of 10 bytes");
    (void)unlink("raw_torn.bin");
    assert_int_equal(copy_raw("raw_missing.bin", "raw_none.bin", 7, &err), WADI_IO);
    assert_string_equal(err.msg, "raw_missing.bin: No such file or directory");
}

/* ---- the table ---- */

static void every_connector_has_a_name_a_line_and_its_places(void **state) {
    (void)state;
    static const struct {
        const char *at, *name;
    } places[] = {{"tcp://127.0.0.1:5555", "link"},
                  {"ipc:///tmp/x", "link"},
                  {"a/song.OGG", "sound"},
                  {"night.ms/", "visibilities"},
                  {"night.uvh5", "visibilities"},
                  {"sky.fits", "fits"},
                  {"sky.png", "png"},
                  {"bus.mtx", "matrix"},
                  {"samples.raw", "raw"},
                  {".wav", "raw"},
                  {"wav", "raw"}};
    int n = 0;
    for (; wadi_connectors[n] != NULL; n++) {
        const wadi_connector *c = wadi_connectors[n];
        char line[300];
        wadi_connector_tell(c, line, sizeof line);
        assert_in_range(strlen(line), 1, sizeof line - 2);
        const bool has_places = c->source != NULL || c->sink != NULL;
        assert_int_equal(c->recognises != NULL || c->endings != NULL, has_places);
        assert_int_equal(wadi_connector_has_places(c), has_places);
        assert_ptr_equal(wadi_connector_named(c->name, strlen(c->name)), has_places ? c : NULL);
    }
    assert_true(n >= 4);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        assert_string_equal(wadi_connector_of(places[i].at)->name, places[i].name);
    assert_null(wadi_connector_of(""));
    assert_null(wadi_connector_named("rawer", 5));
}

/* ---- sources at places ---- */

static wadi_status source_at(const char *name, const wadi_place *p, wadi_error *err) {
    wadi_opened opened = {0};
    const wadi_status st =
        wadi_connector_source(wadi_connector_named(name, strlen(name)), p, &opened, err);
    if (st == WADI_OK) wadi_opened_close(&opened);
    return st;
}

static void says(wadi_status got, wadi_status want, const wadi_error *err, const char *words) {
    if (got != want || strstr(err->msg, words) == NULL)
        fail_msg("status %d, not %d with \"%s\": %s", (int)got, (int)want, words, err->msg);
}

static void options_of_sound_are_understood_or_named(void **state) {
    (void)state;
    static const char *const bad[] = {"bits",
                                      "bits=",
                                      "bits=7",
                                      "bits=33",
                                      "bits=16x",
                                      "bots=8",
                                      "whole=1",
                                      "channels=0",
                                      "channels=65536",
                                      "bits=8,,whole",
                                      "wholes",
                                      "bits=0000000000000008",
                                      "bits=00000000000000000000000000000008"};
    static const char *const good[] = {"bits=8",
                                       "bits=32",
                                       "bits=000000000000008",
                                       "channels=1",
                                       "channels=65535",
                                       "whole,bits=16",
                                       "bits=16,",
                                       ""};
    wadi_part part = wadi_part_irregular(WADI_I32, 2);
    wadi_place p = {.at = "local_test_none.wav", .rank = -1, .parts = 1, .part = &part};
    wadi_error err = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        p.options = bad[i];
        says(source_at("sound", &p, &err), WADI_INVALID, &err, "is no option");
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        p.options = good[i];
        const wadi_status st = source_at("sound", &p, &err); /* there is no file, or no module */
        assert_true(st == WADI_IO || st == WADI_UNSUPPORTED);
    }
}

static void what_the_program_declares_must_fit_the_place(void **state) {
    (void)state;
    const int64_t three = 3;
    const wadi_part fixed = wadi_part_fixed(WADI_U8, 1, &three),
                    open = wadi_part_irregular(WADI_U8, 1),
                    plane = wadi_part_irregular(WADI_I16, 2);
    wadi_part two[2] = {fixed, fixed};
    wadi_place p = {.at = "/dev/null", .rank = -1, .parts = 1, .part = &fixed};
    wadi_error err = {0};
    says(source_at("raw", &p, &err), WADI_OK, &err, "");
    p.rank = 1;
    p.shape[0] = 3;
    says(source_at("raw", &p, &err), WADI_OK, &err, "");
    p.rank = 2;
    says(source_at("raw", &p, &err), WADI_SHAPE, &err, "2 extents, but the program declares 1");
    p.rank = -1;
    p.part = &open;
    says(source_at("raw", &p, &err), WADI_SHAPE, &err, "does not tell the shape");
    p.part = two;
    p.parts = 2;
    says(source_at("raw", &p, &err), WADI_TYPE, &err, "but the program declares tuples");
    says(source_at("sound", &p, &err), WADI_TYPE, &err, "but the program declares tuples");
    two[0].fields = 2;
    p.parts = 1;
    says(source_at("raw", &p, &err), WADI_TYPE, &err, "tuples or records");
    p.part = &plane;
    says(source_at("sound", &p, &err), WADI_TYPE, &err, "i32, f32 or f64");
}

/* ---- raw sinks ---- */

static wadi_status sink_at(const char *at, bool named, wadi_error *err) {
    wadi_sink *sink = NULL;
    const wadi_place p = {.at = at, .named = named, .rank = -1};
    const wadi_status st = wadi_connector_sink(wadi_connector_named("raw", 3), &p, &sink, err);
    if (st == WADI_OK) wadi_sink_destroy(sink);
    return st;
}

static void bytes_take_the_name_of_another_format_only_when_told_to(void **state) {
    (void)state;
    static const char *const foreign[] = {"q.csv", "q.npy", "a.b/q.parquet", "q.JSON", "q.wav.gz"};
    static const char *const plain[] = {"q",         "q.raw", "q.BIN", "q.f64",
                                        "a.csv.dat", ".csv",  "q.001"};
    wadi_error err = {0};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        assert_int_equal(sink_at(foreign[i], false, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "@raw:"));
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        assert_int_equal(sink_at(plain[i], false, NULL), WADI_OK);
    assert_int_equal(sink_at("q.csv", true, NULL), WADI_OK);
    assert_int_equal(sink_at("/dev/null", false, NULL), WADI_OK);
    (void)unlink("q.csv"); /* what reads a pipe knows what comes */
    assert_int_equal(mkfifo("q.csv", 0600), 0);
    const int reader = open("q.csv", O_RDONLY | O_NONBLOCK);
    assert_int_equal(sink_at("q.csv", false, NULL), WADI_OK);
    close(reader);
    (void)unlink("q.csv");
    write_bytes("q.csv", 3); /* a file of that name is none */
    assert_int_equal(sink_at("q.csv", false, &err), WADI_INVALID);
    assert_true(wadi_file_exists("q.csv"));
    (void)unlink("q.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(callbacks_pass_elements_one_by_one),
        cmocka_unit_test(what_a_callback_says_is_the_error_of_the_run),
        cmocka_unit_test(a_callback_source_refuses_odd_parts),
        cmocka_unit_test(rows_of_an_array_come_back_from_a_memory_sink),
        cmocka_unit_test(a_memory_source_keeps_count_of_what_is_left),
        cmocka_unit_test(empty_arrays_are_streams_too),
        cmocka_unit_test(raw_files_are_copied_record_by_record),
        cmocka_unit_test(a_raw_file_that_becomes_shorter_is_told),
        cmocka_unit_test(a_raw_sink_writes_into_what_is_no_regular_file),
        cmocka_unit_test(a_torn_record_leaves_no_output),
        cmocka_unit_test(every_connector_has_a_name_a_line_and_its_places),
        cmocka_unit_test(options_of_sound_are_understood_or_named),
        cmocka_unit_test(what_the_program_declares_must_fit_the_place),
        cmocka_unit_test(bytes_take_the_name_of_another_format_only_when_told_to),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
