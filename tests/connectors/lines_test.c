/* Lines and words of texts against a reader of one character at a time; numbers that are written and read again; what is no number. */
#include <fcntl.h>
#include <float.h>
#include <math.h>
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

#include "base/text.h"
#include "sched/builder.h"
#include "sched/stream.h"

static char path[] = "/tmp/wadi-lines-XXXXXX";
static wadi_buffers *buffers;
static const wadi_lines_options as_usual = {0};

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static int draw_below(uint64_t *state, int n) {
    return (int)(draw(state) % (uint64_t)n);
}

/* Not by wadi_file_write, which waits for the disk: there are thousands of texts. */
static void put_text(const char *text, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    if (n > 0) assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* ---- what is read ---- */

/* The elements that were built; ends the builder. */
static wadi_chunk *chunk_of(wadi_builder *b) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(buffers, b->parts, &c, NULL), WADI_OK);
    c->count = b->count;
    wadi_builder_finish(b, c, 0, b->count);
    wadi_builder_fini(b);
    return c;
}

/* The next chunk of at most k elements and, if it is bounded, `most` bytes. */
static wadi_chunk *read_chunk(wadi_source *s, int64_t k, int64_t most) {
    wadi_builder b;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_builder_init(&b, buffers, s->parts, s->part, most, NULL), WADI_OK);
    if (s->ops->next(s, k, &b, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_in_range(b.count, 0, k);
    return chunk_of(&b);
}

/* Appends each element as "[bytes]". */
static void show(const wadi_chunk *c, wadi_text *out) {
    for (int64_t i = 0; i < c->count; i++) {
        const wadi_array a = wadi_chunk_array(c, 0, i);
        assert_int_equal(a.rank, 1);
        wadi_text_add(out, "[");
        wadi_text_add_n(out, a.shape[0] > 0 ? a.column[0] : "", (size_t)a.shape[0]);
        wadi_text_add(out, "]");
    }
}

static wadi_source *open_bytes(const wadi_lines_options *how) {
    const wadi_part part = wadi_part_irregular(WADI_U8, 1);
    wadi_source *s = NULL;
    wadi_error err;
    if (wadi_source_lines(path, 1, &part, how, &s, &err) != WADI_OK) fail_msg("%s", err.msg);
    return s;
}

static char *read_all(const wadi_lines_options *how, int64_t k, int64_t most) {
    wadi_source *s = open_bytes(how);
    wadi_text out = {0};
    for (int64_t count = -1; count != 0;) {
        wadi_chunk *c = read_chunk(s, k, most);
        show(c, &out);
        count = c->count;
        wadi_chunk_release(c);
    }
    wadi_source_destroy(s);
    if (out.n == 0) wadi_text_add_n(&out, "", 0);
    return wadi_text_take(&out);
}

/* ---- the meaning ---- */

static bool is_blank(char c) {
    return strchr(" \t\n\v\f\r", c) != NULL && c != '\0';
}

static char *ought(const char *text, size_t n, const wadi_lines_options *how) {
    wadi_text out = {0}, one = {0};
    bool open = false;
    for (size_t i = 0; i <= n; i++) {
        const bool ends = i == n || (how->words ? is_blank(text[i]) : text[i] == '\n');
        if (!ends) {
            open = true;
            wadi_text_add_n(&one, text + i, 1);
            continue;
        }
        if (how->words ? open : open || i < n) {
            size_t m = one.n;
            if (!how->words && !how->keep_cr && m > 0 && one.at[m - 1] == '\r') m--;
            wadi_text_add(&out, "[");
            wadi_text_add_n(&out, m > 0 ? one.at : "", m);
            wadi_text_add(&out, "]");
        }
        open = false;
        wadi_text_clear(&one);
    }
    wadi_text_fini(&one);
    if (out.n == 0) wadi_text_add_n(&out, "", 0);
    return wadi_text_take(&out);
}

static void reads(const char *text, size_t n, const wadi_lines_options *how, int64_t k,
                  int64_t most) {
    put_text(text, n);
    char *is = read_all(how, k, most), *want = ought(text, n, how);
    if (strcmp(is != NULL ? is : "", want != NULL ? want : "") != 0)
        fail_msg("words %d, keep_cr %d, k %lld: \"%s\" is read as %s, expected %s", how->words,
                 how->keep_cr, (long long)k, text, is, want);
    free(is);
    free(want);
}

static void random_texts_have_their_lines_and_words(void **state) {
    (void)state;
    static const char letters[] = "ab \n\r\n\tc";
    uint64_t rng = 7;
    for (int turn = 0; turn < 4000; turn++) {
        char text[300];
        const wadi_lines_options how = {.words = turn & 1, .keep_cr = turn & 2};
        const size_t n = (size_t)draw_below(&rng, turn % 3 == 0 ? 300 : 12);
        for (size_t i = 0; i < n; i++) text[i] = letters[draw_below(&rng, 8)];
        text[n] = '\0';
        reads(text, n, &how, 1 + draw_below(&rng, 40), 1 + draw_below(&rng, 90));
    }
}

/* Longer than the reader's first buffer, with short ones around. */
static void long_lines_are_whole(void **state) {
    (void)state;
    enum { LONG = 700000 };
    char *text = malloc(2 * LONG);
    assert_non_null(text);
    memset(text, 'x', 2 * LONG);
    static const int ends[] = {3, 70000, 70004, LONG - 5, LONG, LONG + 1};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) text[ends[i]] = '\n';
    text[2 * LONG - 1] = '\0';
    for (int words = 0; words < 2; words++) {
        reads(text, 2 * LONG - 1, &(wadi_lines_options){.words = words}, 2, INT64_MAX);
        reads(text, 2 * LONG - 1, &(wadi_lines_options){.words = words}, 100, 10);
    }
    free(text);
}

/* More lines than the reader finds at once, without and with a newline at the end. */
static void many_lines_are_all_read(void **state) {
    (void)state;
    for (size_t n = 1000; n < 1100; n++) {
        char text[4000];
        for (size_t i = 0; i < 2 * n; i += 2) memcpy(text + i, "y\n", 2);
        text[2 * n] = '\0';
        reads(text, 2 * n, &as_usual, 10000, INT64_MAX);
        reads(text, 2 * n - 1, &as_usual, 10000, INT64_MAX);
    }
}

static void headings_and_a_mark_are_passed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t skip;
        const char *want;
    } cases[] = {
        {"\xef\xbb\xbfone\ntwo\n", 0, "[one][two]"},
        {"\xef\xbb\xbfone\ntwo\n", 1, "[two]"},
        {"a\nb\nc", 2, "[c]"},
        {"a\nb\n", 2, ""},
        {"a\nb", 5, ""},
        {"\xef\xbb", 0, "[\xef\xbb]"},
        {"\n\nc", 1, "[][c]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_text(cases[i].text, strlen(cases[i].text));
        char *is = read_all(&(wadi_lines_options){.skip = cases[i].skip}, 3, INT64_MAX);
        assert_string_equal(is != NULL ? is : "", cases[i].want);
        free(is);
    }
}

/* What has come through a pipe is given on, and the rest of a line is waited for. */
static void a_pipe_gives_what_has_come(void **state) {
    (void)state;
    char name[64];
    (void)snprintf(name, sizeof name, "%s.fifo", path);
    assert_int_equal(mkfifo(name, 0600), 0);
    const wadi_part part = wadi_part_irregular(WADI_U8, 1);
    wadi_source *s = NULL;
    assert_int_equal(wadi_source_lines(name, 1, &part, NULL, &s, NULL), WADI_OK);
    const int fd = open(name, O_WRONLY);
    assert_true(fd >= 0);
    static const char *const pieces[] = {"1\n", "one\ntwo\nth", "ree\nfour"};
    static const char *const comes[] = {"[1]", "[one][two]", "[three]"};
    (void)alarm(300); /* a source that waits for more would wait for ever */
    for (int i = 0; i < 3; i++) {
        wadi_text out = {0};
        assert_int_equal(write(fd, pieces[i], strlen(pieces[i])), (ssize_t)strlen(pieces[i]));
        wadi_chunk *c = read_chunk(s, 100, INT64_MAX);
        show(c, &out);
        assert_string_equal(wadi_text_str(&out), comes[i]);
        wadi_text_fini(&out);
        wadi_chunk_release(c);
    }
    (void)alarm(0);
    (void)close(fd);
    wadi_chunk *c = read_chunk(s, 100, INT64_MAX);
    assert_int_equal(c->count, 1);
    wadi_chunk_release(c);
    wadi_source_destroy(s);
    (void)unlink(name);
}

/* Each chunk goes into a pipe when it is put: the next one may be long in coming. */
static void a_pipe_gets_what_there_is(void **state) {
    (void)state;
    static const uint8_t text[] = {'o', 'n', 'e'};
    const int64_t three = 3;
    char name[64], got[8] = "";
    (void)snprintf(name, sizeof name, "%s.fifo", path);
    assert_int_equal(mkfifo(name, 0600), 0);
    const int fd = open(name, O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    const wadi_part part = wadi_part_irregular(WADI_U8, 1);
    wadi_builder b;
    wadi_array to;
    wadi_sink *sink = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(wadi_builder_array(&b, 0, &three, &to, NULL), WADI_OK);
    memcpy(to.column[0], text, sizeof text);
    assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    wadi_chunk *c = chunk_of(&b);
    assert_int_equal(wadi_sink_lines(name, NULL, &sink, NULL), WADI_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sink->ops->put(sink, c, NULL), WADI_OK);
        assert_int_equal(read(fd, got, sizeof got), 4);
        assert_memory_equal(got, "one\n", 4);
    }
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
    wadi_sink_destroy(sink);
    wadi_chunk_release(c);
    (void)close(fd);
    (void)unlink(name);
}

/* What the run began with is not whole any more. */
static void a_text_that_becomes_shorter_is_told(void **state) {
    (void)state;
    const char text[] = "one\ntwo\nthree\n";
    wadi_error err = {.status = WADI_OK};
    wadi_builder b;
    char expected[128];
    put_text(text, sizeof text - 1);
    wadi_source *s = open_bytes(&as_usual);
    assert_int_equal(truncate(path, 8), 0);
    assert_int_equal(wadi_builder_init(&b, buffers, 1, s->part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(s->ops->next(s, 100, &b, &err), WADI_IO);
    (void)snprintf(expected, sizeof expected, "%s: had 14 bytes, and 8 when it was read to its end",
                   path);
    assert_string_equal(err.msg, expected);
    wadi_builder_fini(&b);
    wadi_source_destroy(s);
}

/* Files of the system say that they have a page, and give a line. */
static void a_file_that_says_more_than_it_gives_is_read(void **state) {
    (void)state;
    static const char file[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    const wadi_part part = wadi_part_irregular(WADI_U8, 1);
    wadi_source *s = NULL;
    int64_t lines = 0;
    if (wadi_source_lines(file, 1, &part, NULL, &s, NULL) != WADI_OK) {
        print_message("there is no %s: not tried\n", file);
        return;
    }
    for (int64_t count = -1; count != 0; lines += count) {
        wadi_chunk *c = read_chunk(s, 100, INT64_MAX);
        count = c->count;
        wadi_chunk_release(c);
    }
    assert_int_equal(lines, 1);
    wadi_source_destroy(s);
}

/* ---- numbers ---- */

/* The whole stream of a file of f64 and f32 from a sink and back. */
static void numbers_are_written_and_read_again(void **state) {
    (void)state;
    enum { N = 3000 };
    static double wide[N][2], back[N][2];
    static float narrow[N];
    uint64_t rng = 11;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 2; k++) {
            const uint64_t bits = draw(&rng);
            memcpy(&wide[i][k], &bits, sizeof bits);
            if (isnan(wide[i][k])) wide[i][k] = k == 0 ? 0.1 * i : DBL_MIN / 3;
        }
        const uint32_t bits = (uint32_t)draw(&rng);
        memcpy(&narrow[i], &bits, sizeof bits);
        if (isnan(narrow[i])) narrow[i] = FLT_MAX / (float)(i + 1);
    }
    wide[0][0] = HUGE_VAL, wide[1][1] = -HUGE_VAL, wide[2][0] = -0.0;
    static const char separators[] = {'\0', ',', ';', '\t'};
    for (size_t k = 0; k < sizeof separators; k++) {
        const wadi_lines_options how = {.separator = separators[k]};
        const int64_t two = 2;
        const wadi_part parts[2] = {wadi_part_fixed(WADI_F64, 1, &two),
                                    wadi_part_fixed(WADI_F32, 0, NULL)};
        wadi_builder b;
        wadi_array to[2];
        wadi_sink *sink = NULL;
        wadi_source *source = NULL;
        assert_int_equal(wadi_builder_init(&b, buffers, 2, parts, INT64_MAX, NULL), WADI_OK);
        assert_int_equal(wadi_builder_bulk(&b, N, to, NULL), WADI_OK);
        memcpy(to[0].column[0], wide, sizeof wide);
        memcpy(to[1].column[0], narrow, sizeof narrow);
        wadi_builder_keep(&b, N);
        wadi_chunk *c = chunk_of(&b);
        assert_int_equal(wadi_sink_lines(path, &how, &sink, NULL), WADI_OK);
        assert_int_equal(sink->ops->put(sink, c, NULL), WADI_OK);
        assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
        wadi_sink_destroy(sink);
        wadi_chunk_release(c);
        assert_int_equal(wadi_source_lines(path, 2, parts, &how, &source, NULL), WADI_OK);
        c = read_chunk(source, N + 1, INT64_MAX);
        assert_int_equal(c->count, N);
        memcpy(back, c->component[0].column[0], sizeof back);
        assert_memory_equal(back, wide, sizeof wide);
        assert_memory_equal(c->component[1].column[0], narrow, sizeof narrow);
        wadi_chunk_release(c);
        wadi_source_destroy(source);
    }
}

/* An element whose text is written in pieces. */
static void a_line_of_many_numbers_is_whole(void **state) {
    (void)state;
    const int64_t n = 100000;
    const wadi_part part = wadi_part_irregular(WADI_F64, 1);
    wadi_builder b;
    wadi_array to;
    wadi_sink *sink = NULL;
    wadi_source *source = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    for (int element = 0; element < 2; element++) {
        assert_int_equal(wadi_builder_array(&b, 0, &n, &to, NULL), WADI_OK);
        for (int64_t i = 0; i < n; i++) ((double *)to.column[0])[i] = (double)i / 7;
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    wadi_chunk *c = chunk_of(&b);
    assert_int_equal(wadi_sink_lines(path, NULL, &sink, NULL), WADI_OK);
    assert_int_equal(sink->ops->put(sink, c, NULL), WADI_OK);
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
    wadi_sink_destroy(sink);
    wadi_chunk_release(c);
    assert_int_equal(wadi_source_lines(path, 1, &part, NULL, &source, NULL), WADI_OK);
    c = read_chunk(source, 3, INT64_MAX);
    assert_int_equal(c->count, 2);
    for (int element = 0; element < 2; element++) {
        const wadi_array a = wadi_chunk_array(c, 0, element);
        assert_int_equal(a.shape[0], n);
        for (int64_t i = 0; i < n; i++)
            assert_true(((const double *)a.column[0])[i] == (double)i / 7);
    }
    wadi_chunk_release(c);
    wadi_source_destroy(source);
}

/* The error of reading the text, "" if there is none. */
static const char *error_of(const char *text, int parts, const wadi_part *part,
                            const wadi_lines_options *how) {
    static wadi_error err;
    wadi_source *s = NULL;
    wadi_builder b;
    put_text(text, strlen(text));
    err = (wadi_error){.status = WADI_OK};
    if (wadi_source_lines(path, parts, part, how, &s, &err) != WADI_OK) return err.msg;
    assert_int_equal(wadi_builder_init(&b, buffers, parts, part, INT64_MAX, NULL), WADI_OK);
    const wadi_status st = s->ops->next(s, 1000, &b, &err);
    assert_false(wadi_builder_open(&b));
    wadi_builder_fini(&b);
    wadi_source_destroy(s);
    if (st == WADI_OK) return "";
    assert_memory_equal(err.msg, path, strlen(path));
    return err.msg + strlen(path) + 2;
}

static void what_is_no_number_is_told_with_its_line(void **state) {
    (void)state;
    static const struct {
        wadi_type type;
        const char *text, *says;
    } cases[] = {
        {WADI_U8, "255\n256\n", "line 2 is \"256\", which is no u8"},
        {WADI_U8, "-0\n-1", "line 2 is \"-1\", which is no u8"},
        {WADI_I8, "-128\n127\n128", "line 3 is \"128\", which is no i8"},
        {WADI_I8, "-129", "line 1 is \"-129\", which is no i8"},
        {WADI_U64, "18446744073709551615\n18446744073709551616",
         "line 2 is \"18446744073709551616\", which is no u64"},
        {WADI_I64, "-9223372036854775808\n+9223372036854775807\n9223372036854775808",
         "line 3 is \"9223372036854775808\", which is no i64"},
        {WADI_BOOL, "1\n0\n2", "line 3 is \"2\", which is no bool"},
        {WADI_I32, "1.5", "line 1 is \"1.5\", which is no i32"},
        {WADI_I32, "-", "line 1 is \"-\", which is no i32"},
        {WADI_F64, "1e5\n0x10", "line 2 is \"0x10\", which is no f64"},
        {WADI_F32, "1.5.5", "line 1 is \"1.5.5\", which is no f32"},
        {WADI_F64, "1\n\n2", "line 2 has 0 values, expected 1"},
        {WADI_F64, "1 2", "line 1 has more than 1 value"},
        {WADI_F64, "\x1b[2J", "line 1 is \"\\x1b[2J\", which is no f64"},
        {WADI_F64, "0123456789012345678901234567890123456789x",
         "line 1 is \"0123456789012345678901234567890123456789..\", which is no f64"},
        {WADI_F32, " 1 \r\n\t-inf\nnan\n1D2\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const wadi_part part = wadi_part_fixed(cases[i].type, 0, NULL);
        assert_string_equal(error_of(cases[i].text, 1, &part, NULL), cases[i].says);
    }
}

static void lines_of_other_lengths_are_told(void **state) {
    (void)state;
    const int64_t two = 2;
    const wadi_part parts[2] = {wadi_part_fixed(WADI_F64, 1, &two),
                                wadi_part_irregular(WADI_I32, 1)};
    const wadi_part bytes = wadi_part_fixed(WADI_U8, 1, &two);
    const wadi_lines_options comma = {.separator = ',', .skip = 1};
    assert_string_equal(error_of("1 2\n1 2 3\n1\n", 2, parts, NULL),
                        "line 3 has 1 values, expected at least 2");
    assert_string_equal(error_of("1 2\n1 2 3 4 x\n", 2, parts, NULL),
                        "line 2 has as value 5 \"x\", which is no i32");
    assert_string_equal(error_of("a,b\n1,2\n1,,3", 2, parts, &comma),
                        "line 3 has as value 2 \"\", which is no f64");
    assert_string_equal(error_of("a,b\n1, 2 ,3\n1,2,", 2, parts, &comma),
                        "line 3 has as value 3 \"\", which is no i32");
    assert_string_equal(error_of("ab\nabc", 1, &bytes, NULL), "line 2 has 3 bytes, expected 2");
    const wadi_part number = wadi_part_fixed(WADI_I32, 0, NULL);
    assert_string_equal(error_of("1 2\n3 four", 1, &number, &(wadi_lines_options){.words = true}),
                        "word 4, at byte 6, is \"four\", which is no i32");
}

static void what_lines_cannot_hold_is_refused(void **state) {
    (void)state;
    const wadi_part complex_part = wadi_part_fixed(WADI_C64, 0, NULL),
                    planes = wadi_part_irregular(WADI_F64, 2);
    const wadi_part mixed[2] = {wadi_part_irregular(WADI_F64, 1),
                                wadi_part_fixed(WADI_F64, 0, NULL)};
    const wadi_lines_options words = {.words = true}, back = {.skip = -1};
    wadi_source *s = NULL;
    put_text("1\n", 2);
    assert_int_equal(wadi_source_lines(path, 1, &complex_part, NULL, &s, NULL), WADI_TYPE);
    assert_int_equal(wadi_source_lines(path, 1, &planes, NULL, &s, NULL), WADI_SHAPE);
    assert_int_equal(wadi_source_lines(path, 2, mixed, NULL, &s, NULL), WADI_SHAPE);
    assert_int_equal(wadi_source_lines(path, 1, mixed, &words, &s, NULL), WADI_TYPE);
    assert_int_equal(wadi_source_lines(path, 1, mixed, &back, &s, NULL), WADI_INVALID);
    assert_int_equal(wadi_source_lines(path, 0, mixed, NULL, &s, NULL), WADI_INVALID);
    assert_null(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts_have_their_lines_and_words),
        cmocka_unit_test(long_lines_are_whole),
        cmocka_unit_test(many_lines_are_all_read),
        cmocka_unit_test(headings_and_a_mark_are_passed),
        cmocka_unit_test(a_pipe_gives_what_has_come),
        cmocka_unit_test(a_text_that_becomes_shorter_is_told),
        cmocka_unit_test(a_file_that_says_more_than_it_gives_is_read),
        cmocka_unit_test(a_pipe_gets_what_there_is),
        cmocka_unit_test(numbers_are_written_and_read_again),
        cmocka_unit_test(a_line_of_many_numbers_is_whole),
        cmocka_unit_test(what_is_no_number_is_told_with_its_line),
        cmocka_unit_test(lines_of_other_lengths_are_told),
        cmocka_unit_test(what_lines_cannot_hold_is_refused),
    };
    const int fd = mkstemp(path);
    if (fd < 0) return 1;
    (void)close(fd);
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) return 1;
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    wadi_buffers_release(buffers);
    (void)unlink(path);
    return rc;
}
