/* Sessions: a saved session can be resumed, whenever the saving process ended; each found word is in its file once. */
#define _GNU_SOURCE /* syscall */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/md5/results.h"
#include "apps/md5/session.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/md5/support.h"
#include "tests/open_files.h"

static const char place_file[] = "md5-session.test", output_file[] = "md5-found.test";

typedef struct subject {
    md5_targets targets;
    char *path;
    const char *paths[1];
    md5_input *in;
    md5_subject about;
} subject;

static void make_subject(subject *s, const char *second) {
    memset(s, 0, sizeof *s);
    s->path = support_file("abc\nxyz\n", 8);
    s->paths[0] = s->path;
    support_want(&s->targets, "abc", 3);
    support_want(&s->targets, second, strlen(second));
    assert_int_equal(md5_targets_ready(&s->targets, NULL), WADI_OK);
    assert_int_equal(md5_input_open(1, s->paths, false, &s->in, NULL), WADI_OK);
    s->about = (md5_subject){.n = 1, .paths = s->paths, .in = s->in, .targets = &s->targets};
    (void)remove(place_file);
    (void)remove(output_file);
}

static void end_subject(subject *s) {
    md5_input_close(s->in);
    md5_targets_fini(&s->targets);
    support_remove(s->path);
    (void)remove(place_file);
    (void)remove(output_file);
}

static void forget_found(subject *s) {
    memset(s->targets.found, 0, s->targets.n * sizeof *s->targets.found);
    s->targets.nfound = 0;
}

static md5_resume resume_at(int64_t offset, int64_t words, int64_t output) {
    return (md5_resume){{0, offset, words}, output};
}

static md5_session *open_session(subject *s, md5_resume *out) {
    const bool is_new = access(place_file, F_OK) != 0;
    md5_session *session = NULL;
    wadi_error err = {0};
    if (md5_session_open(place_file, &s->about, &session, out, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    struct stat about;
    assert_int_equal(stat(place_file, &about), 0);
    if (is_new) assert_int_equal(about.st_mode & 0777, 0600); /* what was found is nobody else's */
    return session;
}

static void refused(subject *s, const char *why) {
    md5_session *session = NULL;
    md5_resume at;
    wadi_error err = {0};
    assert_int_equal(md5_session_open(place_file, &s->about, &session, &at, &err), WADI_INVALID);
    assert_null(session);
    if (strstr(err.msg, why) == NULL) fail_msg("no \"%s\" in \"%s\"", why, err.msg);
}

static void text_of(const char *path, wadi_text *out) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    wadi_text_clear(out);
    wadi_text_add_n(out, text, n);
    free(text);
}

static void write_text(const char *path, const char *text, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* ---- the system ---- */

/* Before the C library's: files are read and written a few bytes at a time, as a system may. */
#pragma GCC visibility push(default)

enum { AT_ONCE = 5 };

static size_t few(size_t n) {
    return n < AT_ONCE ? n : AT_ONCE;
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    return syscall(SYS_pwrite64, fd, data, few(n), at);
}

ssize_t pread(int fd, void *to, size_t n, off_t at) {
    return syscall(SYS_pread64, fd, to, few(n), at);
}

static int synced;

int fsync(int fd) {
    synced++;
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    synced++;
    return (int)syscall(SYS_fdatasync, fd);
}

#pragma GCC visibility pop

/* ---- sessions ---- */

static void a_session_gives_back_place_and_found_digests(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_resume at;
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(at.output, -1);
    assert_int_equal(at.place.offset, 0);
    assert_int_equal(md5_session_save(session, resume_at(0, 0, 0), NULL), WADI_OK);
    assert_true(md5_session_found(session, s.targets.digest[1]));
    synced = 0;
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 77), NULL), WADI_OK);
    assert_int_equal(synced, 1); /* it is on the disk */
    md5_session_close(session);
    session = open_session(&s, &at);
    assert_int_equal(at.place.file, 0);
    assert_int_equal(at.place.offset, 4);
    assert_int_equal(at.place.words, 1);
    assert_int_equal(at.output, 77);
    assert_false(s.targets.found[0]);
    assert_true(s.targets.found[1]);
    assert_int_equal(s.targets.nfound, 1);
    md5_session_end(session);
    md5_session_close(session);
    assert_false(wadi_file_exists(place_file));
    end_subject(&s);
}

/* Words that were found since the last save are a reason to save; where they stand in a file of their own, that is the record. */
static void found_words_are_news_until_they_are_saved(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_resume at;
    make_subject(&s, "xyz");
    for (int has_output = 0; has_output < 2; has_output++) {
        s.about.output = has_output ? "somewhere" : NULL;
        md5_session *session = open_session(&s, &at);
        assert_false(md5_session_has_news(session));
        assert_true(md5_session_found(session, s.targets.digest[0]));
        assert_int_equal(md5_session_has_news(session), !has_output);
        assert_int_equal(md5_session_save(session, resume_at(4, 1, 0), NULL), WADI_OK);
        assert_false(md5_session_has_news(session));
        md5_session_close(session);
        forget_found(&s);
        md5_session_close(open_session(&s, &at));
        assert_int_equal(s.targets.nfound, !has_output);
        forget_found(&s);
        (void)remove(place_file);
    }
    end_subject(&s);
}

static void the_last_place_counts_and_places_take_no_room(void **state) {
    WADI_UNUSED(state);
    enum { SAVES = 50 };
    subject s;
    md5_resume at;
    struct stat before, after;
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    for (int i = 0; i < SAVES; i++) {
        assert_int_equal(md5_session_save(session, resume_at(i, i, i), NULL), WADI_OK);
        if (i == 1) assert_int_equal(stat(place_file, &before), 0);
        md5_session *other = NULL;
        wadi_error err = {0};
        assert_int_equal(md5_session_open(place_file, &s.about, &other, &at, &err), WADI_IO);
        assert_non_null(strstr(err.msg, "another process"));
    }
    assert_int_equal(stat(place_file, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    md5_session_close(session);
    session = open_session(&s, &at);
    assert_int_equal(at.place.offset, SAVES - 1);
    assert_int_equal(md5_session_save(session, resume_at(100, 100, 0), NULL), WADI_OK);
    assert_true(md5_session_found(session, s.targets.digest[0]));
    assert_int_equal(md5_session_save(session, resume_at(101, 101, 0), NULL), WADI_OK);
    assert_int_equal(md5_session_save(session, resume_at(102, 102, 0), NULL), WADI_OK);
    assert_int_equal(md5_session_save(session, resume_at(103, 103, 0), NULL), WADI_OK);
    md5_session_close(session);
    session = open_session(&s, &at);
    assert_int_equal(at.place.offset, 103);
    assert_true(s.targets.found[0]);
    md5_session_close(session);
    end_subject(&s);
}

/* A process may be killed between any two bytes. */
static void a_session_cut_off_anywhere_is_taken_up(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_resume at;
    wadi_text whole = {0};
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, resume_at(2, 0, 1), NULL), WADI_OK);
    assert_true(md5_session_found(session, s.targets.digest[0]));
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 2), NULL), WADI_OK);
    md5_session_close(session);
    text_of(place_file, &whole);
    const size_t head = (size_t)(strstr(whole.at, "place ") - whole.at),
                 first = head + strcspn(whole.at + head, "\n") + 1,
                 found = first + strcspn(whole.at + first, "\n") + 1;
    for (size_t n = 0; n <= whole.n; n += n + 3 < whole.n ? 3 : 1) {
        forget_found(&s);
        write_text(place_file, whole.at, n);
        session = open_session(&s, &at);
        assert_int_equal(at.output, n == whole.n ? 2 : n >= first ? 1 : -1);
        assert_int_equal(s.targets.nfound, n >= found);
        assert_int_equal(md5_session_save(session, resume_at(5, 2, 3), NULL), WADI_OK);
        md5_session_close(session);
        session = open_session(&s, &at);
        assert_int_equal(at.output, 3);
        md5_session_close(session);
    }
    wadi_text_add_n(&whole, "\0\0\0\n\0\0\0", 7);
    write_text(place_file, whole.at, whole.n - 4);
    md5_session_close(open_session(&s, &at));
    assert_int_equal(at.output, 2);
    wadi_text_fini(&whole);
    end_subject(&s);
}

static void a_session_of_an_earlier_version_is_read(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_resume at;
    wadi_text now = {0}, then = {0};
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, resume_at(0, 0, 0), NULL), WADI_OK);
    md5_session_close(session);
    text_of(place_file, &now);
    const char *digests = strstr(now.at, "digests "), *words = strstr(now.at, "words "),
               *dictionary = strstr(now.at, "dictionary "), *place = strstr(now.at, "place ");
    wadi_text_add(&then, "wadi-md5 session 1\n");
    wadi_text_add_n(&then, digests, (size_t)(words - digests));
    wadi_text_add_n(&then, dictionary, (size_t)(place - dictionary));
    wadi_text_add(&then, "place 0 4 1\nfound 900150983cd24fb0d6963f7d28e17f72\n");
    write_text(place_file, then.at, then.n);
    session = open_session(&s, &at);
    assert_int_equal(at.place.offset, 4);
    assert_int_equal(s.targets.nfound, 1);
    assert_int_equal(md5_session_save(session, resume_at(8, 2, 0), NULL), WADI_OK);
    md5_session_close(session);
    session = open_session(&s, &at);
    assert_int_equal(at.place.offset, 8);
    md5_session_close(session);
    wadi_text_fini(&now);
    wadi_text_fini(&then);
    end_subject(&s);
}

static void a_session_about_something_else_is_refused(void **state) {
    WADI_UNUSED(state);
    subject other, s;
    md5_resume at;
    make_subject(&other, "zzz");
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 0), NULL), WADI_OK);
    md5_session_close(session);
    refused(&other, "other digests");
    s.about.keep_cr = true;
    refused(&s, "--keep-cr");
    s.about.keep_cr = false;
    s.about.output = "somewhere";
    refused(&s, "--output");
    (void)remove(place_file);
    session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 0), NULL), WADI_OK);
    md5_session_close(session);
    s.about.output = NULL;
    refused(&s, "--output");
    end_subject(&other);
    end_subject(&s);
}

static void damaged_lines_are_named(void **state) {
    WADI_UNUSED(state);
    static const struct {
        const char *line, *why;
    } cases[] = {{"place 2 0 0 0", "expected \"place"},   {"place -1 0 0 0", "expected \"place"},
                 {"place 0 -4 0 0", "expected \"place"},  {"place 0 0 -1 0", "expected \"place"},
                 {"place 0 0 0 -1", "expected \"place"},  {"place", "expected \"found"},
                 {"found 1234", "expected \"found"},      {"rubbish", "expected \"found"},
                 {"dictionary 3 x", "other dictionaries"}};
    subject s;
    md5_resume at;
    wadi_text head = {0};
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 0), NULL), WADI_OK);
    md5_session_close(session);
    text_of(place_file, &head);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_text damaged = {0};
        wadi_text_addf(&damaged, "%s%s\nplace 0 5 1 0\n", head.at, cases[i].line);
        write_text(place_file, damaged.at, damaged.n);
        refused(&s, cases[i].why);
        refused(&s, "line 6");
        wadi_text_fini(&damaged);
    }
    write_text(place_file, "wadi-md5 session 3\n", 19);
    refused(&s, "line 1: this is not a session");
    write_text(place_file, "wadi-md5 session 2\nrubbish\n", 27);
    refused(&s, "line 2");
    wadi_text_fini(&head);
    end_subject(&s);
}

/* ---- found words ---- */

static void found_words_are_counted_once_from_any_cut(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_log log;
    wadi_text whole = {0}, now = {0};
    make_subject(&s, "x:z");
    assert_int_equal(md5_log_open(output_file, 0600, &log, NULL), WADI_OK);
    assert_int_equal(md5_results_add(&log, s.targets.digest[0], (const uint8_t *)"x:z", 3, NULL),
                     WADI_OK);
    const int64_t first = log.length;
    assert_int_equal(md5_results_add(&log, s.targets.digest[1], (const uint8_t *)"abc", 3, NULL),
                     WADI_OK);
    md5_log_close(&log);
    text_of(output_file, &whole);
    assert_non_null(strstr(whole.at, ":$HEX[783a7a]\n"));
    for (size_t n = 1; n <= whole.n; n++)
        for (int64_t known = -1; known <= first; known += first + 1) {
            const int lines = n == whole.n ? 2 : (int64_t)n >= first;
            forget_found(&s);
            write_text(output_file, whole.at, n);
            assert_int_equal(md5_log_open(output_file, 0600, &log, NULL), WADI_OK);
            if (known > (int64_t)n) {
                assert_int_equal(md5_results_read(&log, known, &s.targets, NULL), WADI_INVALID);
            } else {
                assert_int_equal(md5_results_read(&log, known, &s.targets, NULL), WADI_OK);
                assert_int_equal(s.targets.nfound, lines);
                assert_int_equal(log.length, lines == 2 ? (int64_t)whole.n : lines * first);
            }
            md5_log_close(&log);
        }
    /* rubbish that a computer which stopped left behind what is known */
    now = (wadi_text){0};
    wadi_text_add_n(&now, whole.at, (size_t)first);
    wadi_text_add(&now, "rubbish\nrubbish");
    write_text(output_file, now.at, now.n);
    assert_int_equal(md5_log_open(output_file, 0600, &log, NULL), WADI_OK);
    assert_int_equal(md5_results_read(&log, -1, &s.targets, NULL), WADI_INVALID);
    assert_int_equal(log.length, now.n);
    assert_int_equal(md5_results_read(&log, first, &s.targets, NULL), WADI_OK);
    assert_int_equal(log.length, first);
    md5_log_close(&log);
    wadi_text_fini(&now);
    wadi_text_fini(&whole);
    end_subject(&s);
}

/* Written so that every word can be told apart: as it is, or spelled out where that would be something else. */
static void words_are_written_plain_or_spelled_out(void **state) {
    WADI_UNUSED(state);
    static const char zeroes[33] = "00000000000000000000000000000000";
    static const struct {
        const char *word, *line;
    } cases[] = {
        {"plain", "plain"},
        {"", ""},
        {" with blanks ", " with blanks "},
        {"$HEX", "$HEX"},
        {"$HEX[", "$HEX[244845585b]"},
        {"$HEX[41]", "$HEX[244845585b34315d]"},
        {"x$HEX[", "x$HEX["},
        {"a:b", "$HEX[613a62]"},
        {":", "$HEX[3a]"},
        {"\x1f", "$HEX[1f]"},
        {"a\x7f", "$HEX[617f]"},
        {"~ \x80\xff", "~ \x80\xff"},
        {"line\n", "$HEX[6c696e650a]"},
    };
    const uint8_t none[MD5_DIGEST] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *word = (const uint8_t *)cases[i].word;
        md5_log log;
        wadi_text got = {0}, want = {0};
        (void)remove(output_file);
        assert_int_equal(md5_log_open(output_file, 0600, &log, NULL), WADI_OK);
        assert_int_equal(md5_results_add(&log, none, word, strlen(cases[i].word), NULL), WADI_OK);
        md5_log_close(&log);
        text_of(output_file, &got);
        wadi_text_addf(&want, "%s:%s\n", zeroes, cases[i].line);
        assert_string_equal(wadi_text_str(&got), wadi_text_str(&want));
        wadi_text_fini(&got);
        wadi_text_fini(&want);
    }
    (void)remove(output_file);
}

static void files_of_other_things_are_left_as_they_are(void **state) {
    WADI_UNUSED(state);
    static const char *const texts[] = {"notes",
                                        "deadbeef, and more",
                                        "two\nlines\n",
                                        "900150983cd24fb0d6963f7d28e17f72:abd\n",
                                        "xabc",
                                        "g",
                                        "90015098x",
                                        "900150983cd24fb0d6963f7d28e17f7x",
                                        "900150983cd24fb0d6963f7d28e17f72x",
                                        "900150983cd24fb0d6963f7d28e17f72 abc"};
    subject s;
    wadi_text now = {0};
    make_subject(&s, "xyz");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        md5_log log;
        wadi_error err = {0};
        write_text(output_file, texts[i], strlen(texts[i]));
        assert_int_equal(md5_log_open(output_file, 0600, &log, NULL), WADI_OK);
        assert_int_equal(md5_results_read(&log, -1, &s.targets, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "line 1"));
        md5_log_close(&log);
        text_of(output_file, &now);
        assert_string_equal(now.at, texts[i]);
    }
    wadi_text_fini(&now);
    end_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(a_session_gives_back_place_and_found_digests),
        cmocka_unit_test(found_words_are_news_until_they_are_saved),
        cmocka_unit_test(the_last_place_counts_and_places_take_no_room),
        cmocka_unit_test(a_session_cut_off_anywhere_is_taken_up),
        cmocka_unit_test(a_session_of_an_earlier_version_is_read),
        cmocka_unit_test(a_session_about_something_else_is_refused),
        cmocka_unit_test(damaged_lines_are_named),
        cmocka_unit_test(found_words_are_counted_once_from_any_cut),
        cmocka_unit_test(words_are_written_plain_or_spelled_out),
        cmocka_unit_test(files_of_other_things_are_left_as_they_are),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
