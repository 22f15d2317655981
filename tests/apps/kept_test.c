/* The other contents of a sound file: chunks of every length before and after the samples, and comments cut anywhere. Bytes are
 * read, skipped and read again from files and pipes, and compared with the array that was written. Also what the writer reports
 * about its frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/audio/blocks.h"
#include "apps/audio/bytes.h"
#include "apps/audio/foreign.h"
#include "apps/audio/metadata.h"
#include "apps/audio/writer.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/open_files.h"

static uint32_t seed = 1;

static int chance(int below) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)below);
}

static const char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "kept_%d_%s", (int)getpid(), what);
    return name;
}

/* ---- chunks ---- */

typedef struct text {
    char at[30000];
    size_t n;
} text;

static void add(text *t, const void *from, size_t n) {
    memcpy(t->at + t->n, from, n);
    t->n += n;
}

static void add_number(text *t, uint32_t v, bool big) {
    for (int i = 0; i < 4; i++) {
        const char byte = (char)(v >> 8 * (big ? 3 - i : i));
        add(t, &byte, 1);
    }
}

/* A chunk and its pad byte. */
static void add_chunk(text *t, const char *name, size_t n, bool big) {
    add(t, name, 4);
    add_number(t, (uint32_t)n, big);
    for (size_t i = 0; i < n + (n & 1); i++) {
        const char byte = i == n ? '\0' : (char)chance(256);
        add(t, &byte, 1);
    }
}

enum { MOST_PIECES = 20 };

/* A file of chunks, and for each what is kept of it: all, of the samples only what stands in front of them. */
typedef struct chunks {
    text file;
    size_t from[MOST_PIECES], bytes[MOST_PIECES];
    int n;
} chunks;

static void make_chunks(chunks *c, bool aiff, size_t samples) {
    static const size_t sizes[] = {0, 1, 2, 3, 24, 25, 4095, 4096, 4097};
    const int before = chance(4), behind = chance(4);
    memset(c, 0, sizeof *c);
    add(&c->file, aiff ? "FORM\0\0\0\0AIFF" : "RIFF\0\0\0\0WAVE", 12);
    c->bytes[c->n++] = 12;
    for (int i = 0; i <= before + behind; i++) {
        c->from[c->n] = c->file.n;
        if (i == before) {
            add_chunk(&c->file, aiff ? "SSND" : "data", samples, aiff);
            if (aiff) memset(c->file.at + c->from[c->n] + 8, 0, 8);
            if (aiff) c->file.at[c->from[c->n] + 11] = 5; /* the samples begin 5 further on */
            c->bytes[c->n++] = aiff ? 8 + 8 + 5 : 8;
            continue;
        }
        add_chunk(&c->file, "note", sizes[chance((int)(sizeof sizes / sizeof *sizes))], aiff);
        c->bytes[c->n] = c->file.n - c->from[c->n];
        c->n++;
    }
}

static void every_chunk_is_kept_but_the_samples(void **state) {
    (void)state;
    static chunks c;
    for (int i = 0; i < 80; i++) {
        const bool aiff = i % 2 == 1;
        const char *path = name_of("chunks");
        flac_blocks blocks = {0};
        wadi_error err = {.status = WADI_OK};
        make_chunks(&c, aiff, (size_t)(20 + chance(5000)));
        assert_int_equal(wadi_file_write(path, c.file.at, c.file.n, 0600, NULL), WADI_OK);
        if (flac_foreign_keep(path, &blocks, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(blocks.list.n, c.n);
        for (int k = 0; k < c.n; k++) {
            const flac_block *b = &blocks.list.at[k];
            assert_int_equal(b->type, FLAC_BLOCK_APPLICATION);
            assert_int_equal(b->body.n, 4 + c.bytes[k]);
            assert_memory_equal(b->body.at, aiff ? "aiff" : "riff", 4);
            assert_memory_equal(b->body.at + 4, c.file.at + c.from[k], c.bytes[k]);
        }
        flac_blocks_fini(&blocks);
        /* cut anywhere within its last chunk, or its header, it is broken */
        const size_t cut = c.file.n - 1 - (size_t)chance((int)(c.file.n - c.from[c.n - 1]) - 1);
        const bool is_samples = c.bytes[c.n - 1] < c.file.n - c.from[c.n - 1];
        if (!is_samples) {
            flac_blocks cut_off = {0};
            (void)unlink(path); /* a file written over is slow */
            assert_int_equal(wadi_file_write(path, c.file.at, cut, 0600, NULL), WADI_OK);
            assert_int_equal(flac_foreign_keep(path, &cut_off, &err), WADI_IO);
            assert_non_null(strstr(err.msg, "its chunks end at byte "));
            flac_blocks_fini(&cut_off);
        }
        unlink(path);
    }
}

/* ---- comments ---- */

static void put_comment(text *t, const char *tag) {
    add_number(t, (uint32_t)strlen(tag), false);
    add(t, tag, strlen(tag));
}

static void add_comments(flac_blocks *b, const char *at, size_t n) {
    wadi_text body = {0};
    wadi_text_add_n(&body, at, n);
    assert_int_equal(flac_blocks_add(b, FLAC_BLOCK_COMMENTS, &body, NULL), WADI_OK);
}

static void comments_cut_anywhere_are_damaged(void **state) {
    (void)state;
    static const char *const tags[] = {"A=1", "LONGER=some text", "B=", "TITLES=x", "title=Song"};
    static text t;
    size_t title_at = 0;
    t.n = 0;
    put_comment(&t, "somebody");
    add_number(&t, 5, false);
    for (int i = 0; i < 5; i++) put_comment(&t, tags[i]);
    title_at = t.n;
    for (size_t n = 0; n <= t.n; n++) {
        flac_blocks b = {0};
        size_t length = 99;
        add_comments(&b, t.at, n);
        const char *title = flac_tags_find(&b, "TITLE", &length);
        assert_int_equal(title != NULL, n >= title_at); /* the whole tag, or none */
        if (title != NULL) assert_true(length == 4 && memcmp(title, "Song", 4) == 0);
        assert_int_equal(flac_tags_find(&b, "B", &length) != NULL,
                         n >= title_at - 4 - 10 - 4 - 8); /* an empty value is one */
        assert_int_equal(flac_tags_finish(&b, "me", NULL), n == t.n ? WADI_OK : WADI_IO);
        if (n == t.n) {
            static text want;
            want.n = 0;
            put_comment(&want, "me");
            add(&want, t.at + 12, t.n - 12);
            assert_int_equal(b.list.at[0].body.n, want.n);
            assert_memory_equal(b.list.at[0].body.at, want.at, want.n);
        }
        flac_blocks_fini(&b);
    }
}

static void tags_are_added_behind_the_others(void **state) {
    (void)state;
    static text want;
    flac_blocks b = {0};
    want.n = 0;
    put_comment(&want, "v");
    add_number(&want, 300, false);
    for (int i = 0; i < 300; i++) { /* more than one byte counts */
        char tag[40];
        snprintf(tag, sizeof tag, "N%d=%.*s", i, i % 20, "abcdefghijklmnopqrst");
        put_comment(&want, tag);
        assert_int_equal(flac_tags_add(&b, tag, strlen(tag), NULL), WADI_OK);
    }
    assert_int_equal(flac_tags_finish(&b, "v", NULL), WADI_OK);
    assert_int_equal(b.list.n, 1);
    assert_int_equal(b.list.at[0].body.n, want.n);
    assert_memory_equal(b.list.at[0].body.at, want.at, want.n);
    static const struct {
        const char *tag;
        bool is;
    } names[] = {{" =v", true},   {"}=v", true},    {"~=v", false},    {"\x1f=v", false},
                 {"=v", false},   {"v", false},     {"a=\xff", false}, {"a=\xc3\xa9", true},
                 {"a=b=c", true}, {"\xc3=v", false}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(flac_tags_add(&b, names[i].tag, strlen(names[i].tag), NULL) == WADI_OK,
                         names[i].is);
    flac_blocks_fini(&b);
}

/* ---- bytes ---- */

enum { BYTES = 20000 };

static char bytes[BYTES];

/* Reads, skips and starts over like one who has the array. */
static wadi_status fine(const char *path, const char *name, wadi_error *err) {
    WADI_UNUSED(path);
    WADI_UNUSED(name);
    WADI_UNUSED(err);
    return WADI_OK;
}

static void walk(flac_bytes *b, size_t first, size_t n) {
    char got[5000];
    size_t at = 0, out = 0;
    for (int i = 0; i < 40; i++) {
        const int what = chance(5);
        const size_t want = (size_t)chance(what == 0 ? 5000 : 60);
        if (what == 4) {
            flac_bytes_rewind(b);
            at = 0;
        } else if (what == 3) {
            assert_int_equal(flac_bytes_skip(b, (int64_t)want * 100, NULL), WADI_OK);
            at = at + want * 100 < n ? at + want * 100 : n;
        } else {
            const size_t due = want < n - at ? want : n - at;
            assert_int_equal(flac_bytes_read(b, got, want, &out, NULL), WADI_OK);
            assert_int_equal(out, due);
            assert_memory_equal(got, bytes + first + at, due);
            at += due;
        }
        assert_int_equal(flac_bytes_at(b), at);
    }
    const char *again = NULL; /* wherever it stands now */
    assert_int_equal(flac_bytes_as_file(b, fine, &again, NULL), WADI_OK);
    char *whole = NULL;
    size_t whole_n = 0;
    assert_int_equal(wadi_file_read(again, &whole, &whole_n, NULL), WADI_OK);
    /* what stands in front of the start is not part of a copy; a name that is given again has all */
    assert_int_equal(whole_n, n);
    assert_memory_equal(whole, bytes + first, n);
    free(whole);
}

static void bytes_are_read_again_from_the_first(void **state) {
    (void)state;
    const char *path = name_of("bytes");
    for (int i = 0; i < BYTES; i++) bytes[i] = (char)chance(256);
    assert_int_equal(wadi_file_write(path, bytes, BYTES, 0600, NULL), WADI_OK);
    for (int k = 0; k < 8; k++) {
        flac_bytes *b = NULL;
        assert_int_equal(flac_bytes_open(path, &b, NULL), WADI_OK);
        assert_int_equal(flac_bytes_size(b), BYTES);
        walk(b, 0, BYTES);
        flac_bytes_close(b);
    }
    unlink(path);
}

/* Standard input that has been read a little already is a pipe for all that follow: its length is that of nothing. */
static void standard_input_is_read_on_from_where_it_stands(void **state) {
    (void)state;
    static const size_t starts[] = {0, 1, 4096, BYTES};
    const char *path = name_of("stdin");
    const int before = dup(STDIN_FILENO);
    assert_int_equal(wadi_file_write(path, bytes, BYTES, 0600, NULL), WADI_OK);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        flac_bytes *b = NULL;
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        assert_true(dup2(fileno(f), STDIN_FILENO) >= 0);
        fclose(f);
        assert_int_equal(lseek(STDIN_FILENO, (off_t)starts[i], SEEK_SET), starts[i]);
        assert_int_equal(flac_bytes_open("-", &b, NULL), WADI_OK);
        assert_int_equal(flac_bytes_size(b), starts[i] == 0 ? BYTES : -1);
        walk(b, starts[i], BYTES - starts[i]);
        flac_bytes_close(b);
    }
    if (before >= 0) {
        assert_true(dup2(before, STDIN_FILENO) >= 0);
        close(before);
    }
    unlink(path);
}

/* ---- the writer ---- */

static uint64_t big_endian(const char *p, int n) {
    uint64_t v = 0;
    for (int i = 0; i < n; i++) v = v << 8 | (uint8_t)p[i];
    return v;
}

/* The smallest and the largest frame, wherever they stand; a point names the frame that holds its sample, its first and its last. */
static void frames_are_told_in_front(void **state) {
    (void)state;
    enum { FRAMES = 6, BLOCK = 100 };
    static const size_t sizes[][FRAMES] = {{30, 20, 50, 40, 60, 35},
                                           {10, 20, 30, 40, 50, 60},
                                           {60, 50, 40, 30, 20, 10},
                                           {20, 60, 60, 10, 10, 20}};
    static const uint8_t md5[16] = {7};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const flac_seek_wish wishes[] = {{FLAC_SEEK_SAMPLE, 0, 0},
                                         {FLAC_SEEK_SAMPLE, 99, 0},
                                         {FLAC_SEEK_SAMPLE, 100, 0},
                                         {FLAC_SEEK_SAMPLE, 299, 0},
                                         {FLAC_SEEK_SAMPLE, 500, 0}};
        static const uint64_t frames[] = {0, 1, 2, 5};
        flac_stream stream = {.format = {44100, 2, 16, BLOCK, 0},
                              .total = FRAMES * BLOCK,
                              .seek = wishes,
                              .nseek = 5,
                              .padding = 3};
        const char *path = name_of("frames.flac");
        char junk[100] = {0}, *got = NULL;
        flac_writer *w = NULL;
        size_t n = 0, smallest = 1000, largest = 0, at[FRAMES], sum = 0;
        assert_int_equal(flac_writer_open(path, false, &stream, &w, NULL), WADI_OK);
        for (int i = 0; i < FRAMES; i++) {
            const size_t size = sizes[k][i];
            at[i] = sum;
            sum += size;
            smallest = size < smallest ? size : smallest;
            largest = size > largest ? size : largest;
            assert_int_equal(flac_writer_append(w, (const uint8_t *)junk, size, BLOCK, NULL),
                             WADI_OK);
        }
        assert_int_equal(flac_writer_close(w, md5, NULL), WADI_OK);
        assert_int_equal(wadi_file_read(path, &got, &n, NULL), WADI_OK);
        assert_int_equal(big_endian(got + 12, 3), smallest);
        assert_int_equal(big_endian(got + 15, 3), largest);
        assert_int_equal(big_endian(got + 18, 8) & 0xfffffffff, FRAMES * BLOCK);
        assert_int_equal(got[42], 3); /* the table, and more behind it */
        assert_int_equal(big_endian(got + 43, 3) % 18, 0);
        const size_t points = (size_t)big_endian(got + 43, 3) / 18;
        assert_true(points >= 4 && points <= 5);
        for (size_t i = 0; i < points; i++) {
            const char *p = got + 46 + 18 * i;
            if (i >= 4) {
                assert_true(big_endian(p, 8) == UINT64_MAX); /* two samples of one frame */
                continue;
            }
            assert_int_equal(big_endian(p, 8), frames[i] * BLOCK);
            assert_int_equal(big_endian(p + 8, 8), at[frames[i]]);
            assert_int_equal(big_endian(p + 16, 2), BLOCK);
        }
        const char *end = got + 46 + 18 * points;
        assert_int_equal((uint8_t)end[0], 0x80 | 1); /* padding is the last */
        assert_int_equal(big_endian(end + 1, 3), 3);
        assert_int_equal(n, (size_t)(end - got) + 4 + 3 + sum);
        free(got);
        unlink(path);
    }
}

static void flac_holds_less_than_2_to_the_36_samples(void **state) {
    (void)state;
    const flac_stream stream = {
        .format = {44100, 1, 16, 4096, 0}, .total = -1, .no_seektable = true};
    const char *path = name_of("much.flac");
    flac_writer *w = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(flac_writer_open(path, false, &stream, &w, NULL), WADI_OK);
    assert_int_equal(flac_writer_append(w, (const uint8_t *)"x", 1, (INT64_C(1) << 36) - 2, NULL),
                     WADI_OK);
    assert_int_equal(flac_writer_append(w, (const uint8_t *)"x", 1, 2, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "FLAC holds less than 2^36 samples"));
    assert_int_equal(flac_writer_append(w, (const uint8_t *)"x", 1, 1, NULL), WADI_OK);
    flac_writer_discard(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(every_chunk_is_kept_but_the_samples),
        cmocka_unit_test(comments_cut_anywhere_are_damaged),
        cmocka_unit_test(tags_are_added_behind_the_others),
        cmocka_unit_test(bytes_are_read_again_from_the_first),
        cmocka_unit_test(standard_input_is_read_on_from_where_it_stands),
        cmocka_unit_test(frames_are_told_in_front),
        cmocka_unit_test(flac_holds_less_than_2_to_the_36_samples),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
