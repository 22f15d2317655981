/* Places as text: which connector a name selects, which options a place may have, which names a raw file may have. Each refusal is
 * compared as a whole sentence. */
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
#include "tests/open_files.h"

static void a_place_is_known_by_its_looks(void **state) {
    (void)state;
    static const char *const places[][2] = {{"tcp://host:1", "link"},
                                            {"ipc:///tmp/x.wav", "link"},
                                            {"tcp:/host", "raw"},
                                            {"udp://host:1", "raw"},
                                            {"IPC://x", "raw"},
                                            {"a.wav", "sound"},
                                            {"a.WaV", "sound"},
                                            {"x.aif", "sound"},
                                            {"x.AIFF", "sound"},
                                            {"x.flac", "sound"},
                                            {"x.ogg", "sound"},
                                            {"x.opus", "sound"},
                                            {"x.mp3", "sound"},
                                            {"x.au", "sound"},
                                            {"x.caf", "sound"},
                                            {"x.w64", "sound"},
                                            {"x.rf64", "sound"},
                                            {".wav", "raw"},
                                            {"wav", "raw"},
                                            {"x.wave", "raw"},
                                            {"x.wav.gz", "raw"},
                                            {"x.uvfits", "visibilities"},
                                            {"x.UVF", "visibilities"},
                                            {"x.uvh5", "visibilities"},
                                            {"x.ms", "visibilities"},
                                            {"x.ms/", "visibilities"},
                                            {"x.MS//", "visibilities"},
                                            {"x.fits", "fits"},
                                            {"x.fit", "fits"},
                                            {"x.fts", "fits"},
                                            {"x.png", "png"},
                                            {"x.PNG", "png"},
                                            {"x.mtx", "matrix"},
                                            {"x.mtxx", "raw"},
                                            {"/", "raw"},
                                            {"x", "raw"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const wadi_connector *c = wadi_connector_of(places[i][0]);
        assert_non_null(c);
        if (strcmp(c->name, places[i][1]) != 0) fail_msg("%s is %s", places[i][0], c->name);
    }
    assert_null(wadi_connector_of(""));
}

static void connectors_have_names(void **state) {
    (void)state;
    static const char *const names[] = {"link", "sound",  "visibilities", "fits",
                                        "png",  "matrix", "raw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        char longer[20];
        snprintf(longer, sizeof longer, "%s:x", names[i]);
        const wadi_connector *c = wadi_connector_named(longer, n);
        assert_non_null(c);
        assert_string_equal(c->name, names[i]);
        assert_null(wadi_connector_named(longer, n - 1));
        assert_null(wadi_connector_named(longer, n + 1));
    }
    assert_null(wadi_connector_named("memory", 6)); /* which programs alone can have */
    assert_null(wadi_connector_named("callback", 8));
    assert_null(wadi_connector_named("", 0));
}

/* ---- refusals ---- */

/* One part: i32[n, channels] and the like. */
static const wadi_part one = {.rank = 2, .fields = 1, .type = {WADI_I32}};

static void refused(const char *name, const wadi_place *p, bool as_sink, wadi_status status,
                    const char *said) {
    const wadi_connector *c = wadi_connector_named(name, strlen(name));
    wadi_opened o = {0};
    wadi_sink *sink = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_non_null(c);
    const wadi_status st =
        as_sink ? wadi_connector_sink(c, p, &sink, &err) : wadi_connector_source(c, p, &o, &err);
    if (strcmp(err.msg, said) != 0) fail_msg("\"%s\" is not \"%s\"", err.msg, said);
    assert_int_equal(st, status);
    assert_null(o.source);
    assert_null(sink);
    wadi_opened_close(&o);
}

static wadi_place place(const char *at, const char *options) {
    return (wadi_place){.at = at, .options = options, .rank = -1, .parts = 1, .part = &one};
}

static void what_a_connector_cannot_be_it_says(void **state) {
    (void)state;
    static const wadi_part two[2] = {{.rank = 1, .fields = 1, .type = {WADI_I32}},
                                     {.rank = 1, .fields = 1, .type = {WADI_F64}}};
    wadi_place p = place("x.png", NULL);
    refused("png", &p, false, WADI_INVALID,
            "x.png: the connector png cannot read, only write; see wadi connectors");
    static const char *const no_sinks[] = {"sound", "visibilities", "matrix"};
    for (int i = 0; i < 3; i++) {
        char said[100];
        snprintf(said, sizeof said,
                 "x.png: the connector %s cannot write, only read; see wadi connectors",
                 no_sinks[i]);
        refused(no_sinks[i], &p, true, WADI_INVALID, said);
    }
    p = place("x", "whole");
    refused("raw", &p, true, WADI_INVALID,
            "x: the connector raw takes no options, found \"whole\"");
    refused("raw", &p, false, WADI_INVALID,
            "x: the connector raw takes no options, found \"whole\"");
    refused("matrix", &p, false, WADI_INVALID,
            "x: the connector matrix takes no options, found \"whole\"");
    p = place("x", "");
    p.rank = 1;
    refused("matrix", &p, false, WADI_INVALID,
            "x: the file tells the shape of the matrix; expected no shape in front");
    refused("fits", &p, false, WADI_INVALID,
            "x: the file tells the shape of the rows; expected no shape in front");
    p.rank = 0;
    refused("matrix", &p, false, WADI_TYPE,
            "x: the rows of a matrix are a stream of (i32[n], f64[n]): columns and values; i64 "
            "if there are more than 2^31 columns, c128 if values are complex");
    p.part = two;
    p.parts = 2;
    refused("visibilities", &p, false, WADI_TYPE,
            "x: visibilities are a stream of (f64[3], i32[2], f64, c128[channels, products], "
            "f32[channels, products]), but the program declares something else");
    refused("raw", &p, false, WADI_TYPE,
            "x: the elements of a raw file are one array of scalars, but the program declares "
            "tuples or records");
    refused("sound", &p, false, WADI_TYPE,
            "x: the elements of a sound file are one array of scalars, but the program declares "
            "tuples or records");
    const wadi_part record = {.rank = 1, .fields = 2, .type = {WADI_I32, WADI_I32}};
    p.part = &record;
    p.parts = 1;
    refused("raw", &p, false, WADI_TYPE,
            "x: the elements of a raw file are one array of scalars, but the program declares "
            "tuples or records");
    p = place("x", NULL);
    refused("raw", &p, false, WADI_SHAPE,
            "x: a raw file does not tell the shape of an element; give it, as in 3x4:@x");
    p.rank = 1;
    refused("raw", &p, false, WADI_SHAPE, "x: the shape has 1 extents, but the program declares 2");
}

/* ---- sound ---- */

static void options_of_sound_have_their_bounds(void **state) {
    (void)state;
    static const struct {
        const char *options;
        bool fine; /* up to the file, which is not there */
        const char *wrong;
    } cases[] = {{"", true, NULL},
                 {"bits=8", true, NULL},
                 {"bits=32", true, NULL},
                 {"bits=7", false, "bits=7"},
                 {"bits=33", false, "bits=33"},
                 {"bits=", false, "bits="},
                 {"bits=16x", false, "bits=16x"},
                 {"bits=000000000000016", true, NULL},
                 {"bits=0000000000000016", false, "bits=0000000000000016"},
                 {"channels=1", true, NULL},
                 {"channels=65535", true, NULL},
                 {"channels=0", false, "channels=0"},
                 {"channels=65536", false, "channels=65536"},
                 {"whole", true, NULL},
                 {"whole,bits=16,channels=2", true, NULL},
                 {"bits=16,", true, NULL},
                 {",bits=16", false, ""},
                 {"whole,wholes", false, "wholes"},
                 {"whol", false, "whol"},
                 {"Whole", false, "Whole"},
                 {"bits=16,channels=x,whole", false, "channels=x"},
                 {"0123456789012345678901234567890123456789012345678901234567890123", false,
                  "012345678901234567890123456789012345678901234567890123456789"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wadi_place p = place("no such file.wav", cases[i].options);
        char said[300];
        snprintf(said, sizeof said,
                 "sound: \"%s\" is no option; there are bits=8..32 (of i32, for what is not stored "
                 "as integers), channels=N, whole (each file one element)",
                 cases[i].wrong);
        if (!cases[i].fine) {
            refused("sound", &p, false, WADI_INVALID, said);
            continue;
        }
        wadi_opened o = {0};
        wadi_error err = {.status = WADI_OK};
        const wadi_connector *c = wadi_connector_named("sound", 5);
        const wadi_status st = wadi_connector_source(c, &p, &o, &err);
        if (st != WADI_IO && st != WADI_UNSUPPORTED) /* no module */
            fail_msg("%s: %s", cases[i].options, err.msg);
        assert_non_null(strstr(err.msg, "no such file.wav"));
        assert_null(strstr(err.msg, "no file matches this pattern")); /* it is no pattern */
    }
}

static void sound_has_its_types_and_shapes(void **state) {
    (void)state;
    static const char no_type[] = "x.wav: sound is a stream of i32, f32 or f64[n, channels], but "
                                  "the program declares something else";
    static const char no_shape[] = "x.wav: expected frames per element, as in 4096:@x.wav";
    wadi_part part = one;
    wadi_place p = place("x.wav", NULL);
    p.part = &part;
    for (int t = 0; t < WADI_TYPE_COUNT; t++) {
        part.type[0] = (wadi_type)t;
        if (t == WADI_I32 || t == WADI_F32 || t == WADI_F64) continue;
        refused("sound", &p, false, WADI_TYPE, no_type);
    }
    part.type[0] = WADI_F64;
    for (part.rank = 1; part.rank <= 3; part.rank += 2)
        refused("sound", &p, false, WADI_TYPE, no_type);
    part.rank = 2;
    p.rank = 2;
    p.shape[0] = p.shape[1] = 4;
    refused("sound", &p, false, WADI_INVALID, no_shape);
    p.rank = 1;
    p.shape[0] = 0;
    refused("sound", &p, false, WADI_INVALID, no_shape);
    p.shape[0] = 1;
    p.options = "whole";
    refused("sound", &p, false, WADI_INVALID,
            "x.wav: has both a number of frames per element and the option whole, expected one of "
            "them");
    p.options = "bits=16";
    refused("sound", &p, false, WADI_INVALID,
            "x.wav: the option bits is only for samples of i32, but the program declares f64");
    p = place("no [such] *.wav", NULL);
    refused("sound", &p, false, WADI_IO, "no [such] *.wav: no file matches this pattern");
    /* a file that is there is itself, whatever its name is as a pattern */
    char name[64];
    wadi_opened o = {0};
    wadi_error err = {.status = WADI_OK};
    snprintf(name, sizeof name, "places_%d_[ab].wav", (int)getpid());
    assert_int_equal(wadi_file_write(name, "no sound", 8, 0600, NULL), WADI_OK);
    p = place(name, NULL);
    const wadi_status st = wadi_connector_source(wadi_connector_named("sound", 5), &p, &o, &err);
    assert_true(st == WADI_INVALID || st == WADI_UNSUPPORTED);
    assert_null(strstr(err.msg, "no file matches this pattern"));
    unlink(name);
}

/* ---- raw files ---- */

static void a_raw_file_has_no_other_formats_name(void **state) {
    (void)state;
    static const char *const fine[] = {"x",      "x.raw", "x.BIN",  "x.dat", "x.data",
                                       "x.out",  "x.tmp", "x.i32",  "x.F64", "x.c128",
                                       "x.bool", "x.7",   "x.0123", ".csv",  "x."};
    static const struct {
        const char *name, *ending;
    } not_fine[] = {{"x.csv", "csv"}, {"x.7z", "7z"},     {"x.raws", "raws"},
                    {"x.i33", "i33"}, {"x.raw.gz", "gz"}, {"y.z/.x.csv", "csv"}};
    char folder[] = "/tmp/wadi_places_XXXXXX", path[200];
    const wadi_connector *raw = wadi_connector_named("raw", 3);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/y.z", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        for (int deep = 0; deep < 2; deep++) {
            wadi_sink *s = NULL;
            snprintf(path, sizeof path, "%s/%s%s", folder, deep ? "y.z/" : "", fine[i]);
            const wadi_place p = place(path, NULL);
            wadi_error err = {.status = WADI_OK};
            if (wadi_connector_sink(raw, &p, &s, &err) != WADI_OK) fail_msg("%s", err.msg);
            wadi_sink_destroy(s);
            assert_false(wadi_file_exists(path));
        }
    for (size_t i = 0; i < sizeof not_fine / sizeof *not_fine; i++) {
        wadi_sink *s = NULL;
        char said[500];
        snprintf(path, sizeof path, "%s/%s", folder, not_fine[i].name);
        wadi_place p = place(path, NULL);
        snprintf(said, sizeof said,
                 "%s: wadi does not write \"%s\" files; @raw:%s writes the bytes of the arrays "
                 "alone, without their shapes",
                 path, not_fine[i].ending, path);
        refused("raw", &p, true, WADI_INVALID, said);
        p.named = true; /* asked for by name */
        assert_int_equal(wadi_connector_sink(raw, &p, &s, NULL), WADI_OK);
        wadi_sink_destroy(s);
        assert_int_equal(wadi_file_write(path, "old", 3, 0600, NULL), WADI_OK);
        p.named = false; /* a file that is there is no stream */
        refused("raw", &p, true, WADI_INVALID, said);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        const int reader = open(path, O_RDONLY | O_NONBLOCK); /* who knows what comes */
        assert_true(reader >= 0);
        assert_int_equal(wadi_connector_sink(raw, &p, &s, NULL), WADI_OK);
        wadi_sink_destroy(s);
        close(reader);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/y.z", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_place_is_known_by_its_looks),
        cmocka_unit_test(connectors_have_names),
        cmocka_unit_test(what_a_connector_cannot_be_it_says),
        cmocka_unit_test(options_of_sound_have_their_bounds),
        cmocka_unit_test(sound_has_its_types_and_shapes),
        cmocka_unit_test(a_raw_file_has_no_other_formats_name),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
