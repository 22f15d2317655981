/* What the options ask for, against the sentences of --help: points of a seek table, the part that --skip and --until select, and
 * the padding and icons of the output. Also samples of every width as a WAV file stores them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/audio/dress.h"
#include "apps/audio/input.h"
#include "apps/audio/metadata.h"
#include "apps/audio/pcm.h"
#include "apps/audio/range.h"
#include "apps/audio/seek.h"
#include "base/file.h"
#include "tests/open_files.h"

static const char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "wishes_%d_%s", (int)getpid(), what);
    return name;
}

/* ---- seek points ---- */

static void seek_wishes_are_parsed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int kind; /* -1: none */
        int64_t n;
        double seconds;
    } cases[] = {{"0", FLAC_SEEK_SAMPLE, 0, 0},
                 {"68719476735", FLAC_SEEK_SAMPLE, 68719476735, 0},
                 {"68719476736", -1, 0, 0},
                 {"1x", FLAC_SEEK_COUNT, 1, 0},
                 {"4096x", FLAC_SEEK_COUNT, 4096, 0},
                 {"0x", -1, 0, 0},
                 {"4097x", -1, 0, 0},
                 {"10s", FLAC_SEEK_EVERY, 0, 10},
                 {"2.5s", FLAC_SEEK_EVERY, 0, 2.5},
                 {"1000000s", FLAC_SEEK_EVERY, 0, 1e6},
                 {"1000001s", -1, 0, 0},
                 {"0s", -1, 0, 0},
                 {"X", FLAC_SEEK_ROOM, 0, 0},
                 {"XX", -1, 0, 0},
                 {"x", -1, 0, 0},
                 {"", -1, 0, 0},
                 {"-1", -1, 0, 0},
                 {"+1x", -1, 0, 0},
                 {".5s", -1, 0, 0},
                 {"12m", -1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flac_seek_wish w = {0};
        const bool is = flac_seek_parse(cases[i].text, &w);
        if (is != (cases[i].kind >= 0)) fail_msg("\"%s\"", cases[i].text);
        if (!is) continue;
        assert_int_equal(w.kind, cases[i].kind);
        if (w.kind == FLAC_SEEK_EVERY) assert_true(w.seconds == cases[i].seconds);
        if (w.kind <= FLAC_SEEK_COUNT) assert_int_equal(w.n, cases[i].n);
    }
}

static void plan_is(const flac_seek_wish *w, int n, int64_t total, int rate, int block,
                    int64_t count, int64_t first, int64_t step, int64_t room) {
    flac_seek_plan p;
    assert_true(flac_seek_make(w, n, total, rate, block, &p));
    assert_int_equal(p.samples.n, count);
    for (int64_t i = 0; i < count; i++) assert_int_equal(p.samples.at[i], first + i * step);
    assert_int_equal(p.room, room);
    flac_seek_fini(&p);
}

static void seek_points_stand_where_they_are_wished(void **state) {
    (void)state;
    const flac_seek_wish four = {FLAC_SEEK_COUNT, 4, 0}, tenth = {FLAC_SEEK_EVERY, 0, 0.1};
    plan_is(NULL, 0, 1000000, 8000, 4096, 13, 0, 80000, 0); /* every ten seconds */
    plan_is(NULL, 0, 80000, 8000, 4096, 1, 0, 80000, 0);
    plan_is(NULL, 0, 80001, 8000, 4096, 2, 0, 80000, 0);
    plan_is(NULL, 0, -1, 8000, 4096, 0, 0, 0, 0);
    plan_is(NULL, 0, 0, 8000, 4096, 0, 0, 0, 0);
    plan_is(&four, 1, 4000, 8000, 16, 4, 0, 1000, 0);
    plan_is(&four, 1, -1, 8000, 16, 0, 0, 0, 0);
    plan_is(&tenth, 1, 8000, 8000, 800, 10, 0, 800, 0);
    plan_is(&tenth, 1, 8000, 8000, 1000, 8, 0, 1000, 0);                /* no closer than blocks */
    plan_is(&tenth, 1, INT64_C(800) * 4096, 8000, 16, 4091, 0, 801, 0); /* nor more than 4096 */
    plan_is(&tenth, 1, INT64_C(800) * 4096 - 1, 8000, 16, 4096, 0, 800, 0);
    const flac_seek_wish many[] = {{FLAC_SEEK_SAMPLE, 30, 0}, {FLAC_SEEK_ROOM, 0, 0},
                                   {FLAC_SEEK_SAMPLE, 10, 0}, {FLAC_SEEK_SAMPLE, 30, 0},
                                   {FLAC_SEEK_SAMPLE, 20, 0}, {FLAC_SEEK_ROOM, 0, 0},
                                   {FLAC_SEEK_SAMPLE, 0, 0},  {FLAC_SEEK_SAMPLE, 0, 0}};
    plan_is(many, 8, -1, 8000, 16, 4, 0, 10, 2);
}

/* ---- parts ---- */

static void points_are_parsed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool signs, is;
        flac_point p;
    } cases[] = {
        {"0", false, true, {.samples = 0}},
        {"44100", false, true, {.samples = 44100}},
        {"+7", false, false, {0}},
        {"+7", true, true, {.samples = 7, .from = FLAC_FROM_SKIP}},
        {"-7", true, true, {.samples = 7, .from = FLAC_FROM_END}},
        {"--7", true, false, {0}},
        {"+", true, false, {0}},
        {"", true, false, {0}},
        {"1:30", false, true, {.is_time = true, .seconds = 90}},
        {"0:0.5", false, true, {.is_time = true, .seconds = 0.5}},
        {"-2:59.99", true, true, {.is_time = true, .seconds = 179.99, .from = FLAC_FROM_END}},
        {"1:60", false, false, {0}},
        {"1:-5", false, false, {0}},
        {"1:", false, false, {0}},
        {":5", false, false, {0}},
        {"1:1e1", false, false, {0}},
        {"a:5", false, false, {0}},
        {"1:2:3", false, false, {0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flac_point p;
        if (flac_point_parse(cases[i].text, cases[i].signs, &p) != cases[i].is)
            fail_msg("\"%s\"", cases[i].text);
        if (!cases[i].is) continue;
        assert_true(p.given);
        assert_int_equal(p.is_time, cases[i].p.is_time);
        assert_int_equal(p.from, cases[i].p.from);
        if (p.is_time)
            assert_true(p.seconds == cases[i].p.seconds);
        else
            assert_int_equal(p.samples, cases[i].p.samples);
    }
}

static void parts_are_where_they_are_wished(void **state) {
    (void)state;
    static const struct {
        const char *skip, *until; /* NULL: not given */
        int64_t frames, from, to;
        const char *said; /* NULL: it is there */
    } cases[] = {
        {NULL, NULL, 100, 0, 100, NULL},
        {"10", NULL, 100, 10, 100, NULL},
        {"99", NULL, 100, 99, 100, NULL},
        {"100", NULL, 100, 0, 0, "s.wav: --skip: sample 100; it has only 100"},
        {"10", NULL, -1, 10, -1, NULL},
        {NULL, "100", 100, 0, 100, NULL},
        {NULL, "101", 100, 0, 0, "s.wav: --until: sample 101; it has only 100"},
        {NULL, "101", -1, 0, 101, NULL},
        {"10", "+5", 100, 10, 15, NULL},
        {"10", "+90", 100, 10, 100, NULL},
        {"10", "+91", 100, 0, 0, "s.wav: --until: sample 101; it has only 100"},
        {"10", "-5", 100, 10, 95, NULL},
        {"10", "-89", 100, 10, 11, NULL},
        {"10", "-90", 100, 0, 0,
         "s.wav: --until: sample 10 is not behind sample 10, where --skip leads"},
        {"10", "5", 100, 0, 0,
         "s.wav: --until: sample 5 is not behind sample 10, where --skip leads"},
        {NULL, "-5", -1, 0, 0, "s.wav: --until: the end of the input is not known"},
        {NULL, "-101", 100, 0, 0,
         "s.wav: --until: sample -1 is not behind sample 0, where --skip leads"},
        {"0:1.5", "0:2.25", 100, 15, 22, NULL}, /* at 10 Hz */
        {"0:1.5", "-0:1", 100, 15, 90, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flac_range r = {0};
        int64_t from = -7, to = -7;
        wadi_error err = {.status = WADI_OK};
        if (cases[i].skip != NULL) assert_true(flac_point_parse(cases[i].skip, false, &r.skip));
        if (cases[i].until != NULL) assert_true(flac_point_parse(cases[i].until, true, &r.until));
        assert_int_equal(flac_range_given(&r), cases[i].skip != NULL || cases[i].until != NULL);
        const wadi_status st =
            flac_range_resolve(&r, "s.wav", 10, cases[i].frames, &from, &to, &err);
        if (cases[i].said != NULL) {
            assert_int_equal(st, WADI_INVALID);
            assert_string_equal(err.msg, cases[i].said);
            continue;
        }
        assert_int_equal(st, WADI_OK);
        assert_int_equal(from, cases[i].from);
        assert_int_equal(to, cases[i].to);
    }
}

/* ---- samples ---- */

static uint32_t seed = 3;

static uint32_t chance(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 3;
}

static void put(char *at, uint64_t v, int n, bool big) {
    for (int i = 0; i < n; i++) at[big ? n - 1 - i : i] = (char)(v >> (8 * i));
}

/* Every layout there is, decoded from bytes put together here and encoded to the same. */
static void samples_are_their_bytes(void **state) {
    (void)state;
    enum { N = 200 };
    for (int bits = 4; bits <= 32; bits++)
        for (int way = 0; way < 4; way++) {
            const flac_pcm p = {.width = (bits + 7) / 8,
                                .bits = bits,
                                .big_endian = (way & 1) != 0,
                                .is_unsigned = (way & 2) != 0};
            uint8_t from[4 * N], back[4 * N];
            int32_t want[N], got[N];
            const int64_t half = INT64_C(1) << (bits - 1);
            const int unused = 8 * p.width - bits;
            for (int i = 0; i < N; i++) {
                want[i] = (int32_t)(i == 0   ? -half
                                    : i == 1 ? half - 1
                                             : (int64_t)(chance() % (uint64_t)(2 * half)) - half);
                const uint64_t v = (uint64_t)(want[i] + (p.is_unsigned ? half : 0)) << unused;
                put((char *)from + i * p.width, v, p.width, p.big_endian);
            }
            int64_t bad = -1;
            assert_true(flac_pcm_decode(&p, from, N, got, &bad));
            assert_memory_equal(got, want, sizeof got);
            flac_pcm_encode(&p, want, N, back);
            assert_memory_equal(back, from, (size_t)(N * p.width));
            if (unused == 0) continue;
            from[77 * p.width + (p.big_endian ? p.width - 1 : 0)] |= 1; /* a bit that must be 0 */
            assert_false(flac_pcm_decode(&p, from, N, got, &bad));
            assert_int_equal(bad, 77);
        }
}

/* ---- the dress ---- */

/* A WAV of 16-bit mono without samples. */
static flac_input *open_plain(void) {
    static const char wav[] = "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0"
                              "\x10\0data\0\0\0\0";
    static const flac_wish plain;
    flac_input *in = NULL;
    const char *path = name_of("plain.wav");
    assert_int_equal(wadi_file_write(path, wav, sizeof wav - 1, 0600, NULL), WADI_OK);
    assert_int_equal(flac_input_open(path, &plain, &in, NULL), WADI_OK);
    unlink(path);
    return in;
}

static void padding_is_what_was_wished_or_found(void **state) {
    (void)state;
    static const struct {
        int64_t own[2]; /* bytes of the source's padding; -1: none */
        int64_t wished;
        bool none;
        int64_t want;
    } cases[] = {{{-1, -1}, -1, false, 1024}, {{-1, -1}, 0, false, -1},
                 {{-1, -1}, 5, false, 5},     {{-1, -1}, 5, true, -1},
                 {{0, -1}, -1, false, 0},     {{7, -1}, -1, false, 7},
                 {{7, 9}, -1, false, 20},     {{7, 9}, 3, false, 3},
                 {{7, 9}, -1, true, -1},      {{(1 << 24) - 1, 0}, -1, false, (1 << 24) - 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flac_input *in = open_plain();
        flac_options o = {.padding = cases[i].wished, .no_padding = cases[i].none};
        int64_t padding = -7;
        bool replaced = true;
        for (int k = 0; k < 2; k++) {
            wadi_text body = {0};
            if (cases[i].own[k] < 0) continue;
            char *zeros = calloc(1, (size_t)cases[i].own[k] + 1);
            assert_non_null(zeros);
            wadi_text_add_n(&body, zeros, (size_t)cases[i].own[k]);
            free(zeros);
            assert_int_equal(flac_blocks_add(&in->blocks, FLAC_BLOCK_PADDING, &body, NULL),
                             WADI_OK);
        }
        assert_int_equal(flac_dress(in, &o, &padding, &replaced, NULL), WADI_OK);
        assert_int_equal(padding, cases[i].want);
        assert_false(replaced);
        assert_null(flac_blocks_find(&in->blocks, FLAC_BLOCK_PADDING));
        flac_input_close(in);
    }
}

/* One icon and one other icon at most; of all other types as many as there are. */
static void a_new_icon_stands_instead_of_the_old(void **state) {
    (void)state;
    static const int types[] = {0, 1, 2, 3, 2, 1, 3, 0, 20, 2};
    static const int left[] = {0, 3, 1, 3, 0, 20, 2};
    flac_input *in = open_plain();
    flac_options o = {.padding = -1};
    char specification[sizeof types / sizeof *types][128];
    int64_t padding = 0;
    bool replaced = false;
    wadi_error err = {.status = WADI_OK};
    const char *path = name_of("icon");
    assert_int_equal(wadi_file_write(path, "pixels", 6, 0600, NULL), WADI_OK);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        snprintf(specification[i], sizeof specification[i], "%d|image/png||32x32x8|%s", types[i],
                 path);
        assert_true(wadi_vec_push(&o.pictures, specification[i]));
    }
    if (flac_dress(in, &o, &padding, &replaced, &err) != WADI_OK) fail_msg("%s", err.msg);
    size_t n = 0;
    for (size_t i = 0; i < in->blocks.list.n; i++) {
        const flac_block *b = &in->blocks.list.at[i];
        if (b->type != FLAC_BLOCK_PICTURE) continue;
        assert_true(n < sizeof left / sizeof *left);
        assert_int_equal(b->body.at[3], left[n++]);
    }
    assert_int_equal(n, sizeof left / sizeof *left);
    wadi_vec_free(&o.pictures);
    flac_input_close(in);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(seek_wishes_are_parsed),
        cmocka_unit_test(seek_points_stand_where_they_are_wished),
        cmocka_unit_test(points_are_parsed),
        cmocka_unit_test(parts_are_where_they_are_wished),
        cmocka_unit_test(samples_are_their_bytes),
        cmocka_unit_test(padding_is_what_was_wished_or_found),
        cmocka_unit_test(a_new_icon_stands_instead_of_the_old),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
