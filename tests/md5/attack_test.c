/* Whole attacks: every word whose digest is wanted is found, whatever its length and bytes, and for any threads and chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/md5/attack.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "tests/md5/support.h"
#include "tests/open_files.h"

typedef struct found {
    int n;
    bool right; /* every word had the digest it was found for */
    uint8_t last[128];
    size_t last_n;
} found;

static wadi_status note(void *env, const uint8_t digest[MD5_DIGEST], const uint8_t *word, size_t n,
                        wadi_error *err) {
    found *f = env;
    WADI_UNUSED(err);
    uint8_t own[MD5_DIGEST];
    support_digest(word, n, own);
    f->right = (f->n == 0 || f->right) && memcmp(own, digest, MD5_DIGEST) == 0;
    f->n++;
    f->last_n = n < sizeof f->last ? n : sizeof f->last;
    memcpy(f->last, word, f->last_n);
    return WADI_OK;
}

static wadi_status try_words(const wadi_text *words, md5_targets *t,
                             const wadi_run_options *options, found *out, md5_progress *progress) {
    char *path = support_file(words->at, words->n);
    md5_input *in = NULL;
    md5_reader reader = {0};
    md5_attack *a = NULL;
    wadi_error err = {0};
    assert_int_equal(md5_input_open(1, (const char *const *)&path, false, &in, NULL), WADI_OK);
    assert_int_equal(md5_reader_init(&reader, in, false, NULL), WADI_OK);
    assert_int_equal(md5_attack_create(&reader, t, options, note, out, &a, NULL), WADI_OK);
    assert_int_equal(md5_attack_start(a, NULL), WADI_OK);
    while (!md5_attack_wait(a, 1)) {
    }
    const wadi_status status = md5_attack_result(a, &err);
    if (status != WADI_OK) print_message("%s\n", err.msg);
    md5_attack_progress(a, progress);
    md5_attack_destroy(a);
    md5_reader_fini(&reader);
    md5_input_close(in);
    support_remove(path);
    return status;
}

/* Lengths at which the number of message words, classes and blocks changes, and all others up to 200. */
static void add_words(wadi_text *words, md5_targets *t) {
    uint32_t seed = 3;
    for (int round = 0; round < 20; round++)
        for (size_t n = 0; n <= 200; n++) {
            char word[200];
            for (size_t i = 0; i < n; i++) {
                const uint32_t x = support_random(&seed) % 256;
                word[i] = (char)(x == '\n' || x == '\r' || x == '$' ? 'n' : x);
            }
            wadi_text_add_n(words, word, n);
            wadi_text_add_n(words, "\n", 1);
            if ((n + (size_t)round) % 3 == 0) support_want(t, word, n);
        }
}

static void wanted_words_of_every_length_are_found(void **state) {
    WADI_UNUSED(state);
    for (int k = 0; k < 3; k++) {
        const wadi_run_options options = {
            .threads = 1 + k % 2, .chunk = k == 2 ? 7 : 0, .policy = k == 2 ? "fixed" : NULL};
        wadi_text words = {0};
        md5_targets t = {0};
        found f = {0};
        md5_progress p;
        add_words(&words, &t);
        support_want(&t, "not among them", 14);
        assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
        assert_int_equal(try_words(&words, &t, &options, &f, &p), WADI_OK);
        assert_int_equal(f.n, t.n - 1);
        assert_true(f.right);
        assert_int_equal(p.words, 20 * 201);
        assert_int_equal(p.found, t.n - 1);
        md5_targets_fini(&t);
        wadi_text_fini(&words);
    }
}

static void digests_of_the_standard_are_found(void **state) {
    WADI_UNUSED(state);
    /* RFC 1321, appendix A.5 */
    static const char *const digest[] = {
        "d41d8cd98f00b204e9800998ecf8427e", "0cc175b9c0f1b6a831c399e269772661",
        "900150983cd24fb0d6963f7d28e17f72", "f96b697d7cb7938d525a2f31aaf161d0",
        "c3fcd3d76192e4007dfb496cca67e13b", "d174ab98d277d9f5a5611c2c9f419d9f",
        "57edf4a22be3c955ac49da2e2107b67a"};
    static const char lines[] =
        "\na\nabc\nmessage digest\nabcdefghijklmnopqrstuvwxyz\n"
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\n"
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890\n";
    wadi_text words = {0};
    md5_targets t = {0};
    found f = {0};
    md5_progress p;
    wadi_text_add(&words, lines);
    for (int i = 0; i < 7; i++) assert_int_equal(md5_targets_add(&t, digest[i], NULL), WADI_OK);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    assert_int_equal(try_words(&words, &t, &(wadi_run_options){0}, &f, &p), WADI_OK);
    assert_int_equal(f.n, 7);
    assert_true(f.right);
    md5_targets_fini(&t);
    wadi_text_fini(&words);
}

static void the_attack_ends_when_all_are_found(void **state) {
    WADI_UNUSED(state);
    enum { WORDS = 3000000 };
    wadi_text words = {0};
    md5_targets t = {0};
    found f = {0};
    md5_progress p;
    wadi_text_add(&words, "needle\nneedle\n");
    for (int i = 0; i < WORDS; i++) wadi_text_add(&words, "straw\n");
    support_want(&t, "needle", 6);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    const wadi_run_options options = {.chunk = 1000, .policy = "fixed"};
    assert_int_equal(try_words(&words, &t, &options, &f, &p), WADI_OK);
    assert_int_equal(f.n, 1);
    assert_true(p.words < WORDS);
    md5_targets_fini(&t);
    wadi_text_fini(&words);
}

static wadi_status refuse(void *env, const uint8_t digest[MD5_DIGEST], const uint8_t *word,
                          size_t n, wadi_error *err) {
    WADI_UNUSED(env);
    WADI_UNUSED(digest);
    WADI_UNUSED(word);
    WADI_UNUSED(n);
    return wadi_fail(err, WADI_IO, "refused");
}

static void a_result_that_cannot_be_delivered_is_an_error(void **state) {
    WADI_UNUSED(state);
    char *path = support_file("a\nabc\n", 6);
    md5_input *in = NULL;
    md5_reader reader = {0};
    md5_attack *a = NULL;
    md5_targets t = {0};
    support_want(&t, "abc", 3);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    assert_int_equal(md5_input_open(1, (const char *const *)&path, false, &in, NULL), WADI_OK);
    assert_int_equal(md5_reader_init(&reader, in, false, NULL), WADI_OK);
    assert_int_equal(md5_attack_create(&reader, &t, &(wadi_run_options){0}, refuse, NULL, &a, NULL),
                     WADI_OK);
    assert_int_equal(md5_attack_start(a, NULL), WADI_OK);
    while (!md5_attack_wait(a, 1)) {
    }
    assert_int_equal(md5_attack_result(a, NULL), WADI_IO);
    md5_attack_destroy(a);
    md5_reader_fini(&reader);
    md5_input_close(in);
    md5_targets_fini(&t);
    support_remove(path);
}

/* ---- a dictionary that waits ---- */

typedef struct slow {
    int out, from; /* the end that words are written to, and the other */
    md5_input *in;
    md5_reader reader;
    md5_attack *attack;
    wadi_text path;
    const char *paths[1];
    found found;
} slow;

static void start_slow(slow *s, md5_targets *t) {
    int fd[2];
    memset(s, 0, sizeof *s);
    assert_int_equal(pipe(fd), 0);
    wadi_text_addf(&s->path, "/dev/fd/%d", fd[0]);
    s->paths[0] = wadi_text_str(&s->path);
    assert_int_equal(md5_input_open(1, s->paths, false, &s->in, NULL), WADI_OK);
    assert_int_equal(md5_reader_init(&s->reader, s->in, false, NULL), WADI_OK);
    assert_int_equal(
        md5_attack_create(&s->reader, t, &(wadi_run_options){0}, note, &s->found, &s->attack, NULL),
        WADI_OK);
    s->out = fd[1];
    s->from = fd[0];
    assert_int_equal(md5_attack_start(s->attack, NULL), WADI_OK);
}

static void give(const slow *s, const char *words) {
    assert_int_equal(write(s->out, words, strlen(words)), strlen(words));
}

static void end_slow(slow *s) {
    close(s->out);
    while (!md5_attack_wait(s->attack, 1)) {
    }
    assert_int_equal(md5_attack_result(s->attack, NULL), WADI_OK);
    md5_attack_destroy(s->attack);
    md5_reader_fini(&s->reader);
    md5_input_close(s->in);
    close(s->from);
    wadi_text_fini(&s->path);
}

/* Words do not wait for those after them, nor does the place: neither is held back while the dictionary has no more to give. */
static void words_of_a_dictionary_that_waits_are_tried(void **state) {
    WADI_UNUSED(state);
    enum { MEDIUM = 40, LENGTHY = 60, TICKS = 600 };
    char words[MEDIUM + LENGTHY + 16] = "short\n";
    md5_targets t = {0};
    md5_place place = {0};
    md5_progress p = {0};
    slow s;
    memset(words + 6, 'm', MEDIUM);
    words[6 + MEDIUM] = '\n';
    memset(words + 7 + MEDIUM, 'l', LENGTHY);
    words[7 + MEDIUM + LENGTHY] = '\n';
    support_want(&t, "short", 5);
    support_want(&t, words + 6, MEDIUM);
    support_want(&t, words + 7 + MEDIUM, LENGTHY);
    support_want(&t, "never given", 11);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    start_slow(&s, &t);
    for (int round = 1; round <= 3; round++) {
        const int64_t bytes = round * (int64_t)strlen(words);
        give(&s, words);
        for (int i = 0; i < TICKS && (p.found < 3 || place.offset < bytes); i++) {
            (void)md5_attack_wait(s.attack, 0.1);
            (void)md5_attack_place(s.attack, &place);
            md5_attack_progress(s.attack, &p);
        }
        assert_int_equal(p.found, 3);
        assert_int_equal(place.offset, bytes);
        assert_int_equal(place.words, 3 * round);
    }
    end_slow(&s);
    md5_targets_fini(&t);
}

static void words_passed_over_are_counted(void **state) {
    WADI_UNUSED(state);
    const size_t n = (size_t)MD5_LONGEST + 2;
    char *word = malloc(n);
    wadi_text words = {0};
    md5_targets t = {0};
    found f = {0};
    md5_progress p;
    assert_non_null(word);
    memset(word, 'x', n);
    for (int i = 0; i < 2; i++) {
        wadi_text_add_n(&words, word, n);
        wadi_text_add(&words, "\nlast\n");
    }
    support_want(&t, "last", 4);
    support_want(&t, "nowhere", 7);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    assert_int_equal(try_words(&words, &t, &(wadi_run_options){0}, &f, &p), WADI_OK);
    assert_int_equal(f.n, 1);
    assert_int_equal(p.words, 2);
    assert_int_equal(p.too_long, 2);
    md5_targets_fini(&t);
    wadi_text_fini(&words);
    free(word);
}

/* A real word list: every word is wanted, every word is found. */
static void every_word_of_a_dictionary_is_found(void **state) {
    WADI_UNUSED(state);
    const char *data = getenv("WADI_TEST_DATA");
    wadi_text path = {0}, words = {0};
    char *text = NULL;
    size_t n = 0;
    if (data != NULL) wadi_text_addf(&path, "%s/words/american-english-huge", data);
    if (data == NULL || !wadi_file_exists(wadi_text_str(&path))) {
        wadi_text_fini(&path);
        print_message("no word list in WADI_TEST_DATA\n");
        skip();
    }
    assert_int_equal(wadi_file_read(wadi_text_str(&path), &text, &n, NULL), WADI_OK);
    md5_targets t = {0};
    found f = {0};
    md5_progress p;
    for (char *at = text, *end = text + n, *newline; at < end; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(newline);
        support_want(&t, at, (size_t)(newline - at));
    }
    wadi_text_add_n(&words, text, n);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    assert_int_equal(try_words(&words, &t, &(wadi_run_options){0}, &f, &p), WADI_OK);
    assert_int_equal(f.n, t.n);
    assert_true(f.right);
    md5_targets_fini(&t);
    wadi_text_fini(&words);
    wadi_text_fini(&path);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(wanted_words_of_every_length_are_found),
        cmocka_unit_test(digests_of_the_standard_are_found),
        cmocka_unit_test(the_attack_ends_when_all_are_found),
        cmocka_unit_test(a_result_that_cannot_be_delivered_is_an_error),
        cmocka_unit_test(words_of_a_dictionary_that_waits_are_tried),
        cmocka_unit_test(words_passed_over_are_counted),
        cmocka_unit_test(every_word_of_a_dictionary_is_found),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
