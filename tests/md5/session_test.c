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

static const char place_dir[] = "md5-session.test", place_file[] = "md5-session.test/state",
                  output_file[] = "md5-found.test";

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
    (void)remove("md5-session.test/lock");
    (void)remove(place_dir);
    (void)remove(output_file);
}

static void end_subject(subject *s) {
    md5_input_close(s->in);
    md5_targets_fini(&s->targets);
    support_remove(s->path);
    (void)remove(place_file);
    (void)remove("md5-session.test/lock");
    (void)remove(place_dir);
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
    md5_session *session = NULL;
    wadi_error err = {0};
    if (md5_session_open(place_dir, false, &s->about, &session, out, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return session;
}

static void refused(subject *s, const char *why) {
    md5_session *session = NULL;
    md5_resume at;
    wadi_error err = {0};
    assert_int_equal(md5_session_open(place_dir, false, &s->about, &session, &at, &err),
                     WADI_INVALID);
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
    struct stat about;
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(at.output, -1);
    assert_int_equal(at.place.offset, 0);
    assert_int_equal(md5_session_save(session, resume_at(0, 0, 0), NULL), WADI_OK);
    md5_session_found(session, s.targets.digest[1]);
    synced = 0;
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 77), NULL), WADI_OK);
    assert_true(synced >= 1); /* it is on the disk */
    assert_int_equal(stat(place_file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600); /* what was found is nobody else's */
    md5_session_close(session, false);
    session = open_session(&s, &at);
    assert_int_equal(at.place.file, 0);
    assert_int_equal(at.place.offset, 4);
    assert_int_equal(at.place.words, 1);
    assert_int_equal(at.output, 77);
    assert_false(s.targets.found[0]);
    assert_true(s.targets.found[1]);
    assert_int_equal(s.targets.nfound, 1);
    /* what was found before stays so */
    assert_int_equal(md5_session_save(session, resume_at(5, 2, 78), NULL), WADI_OK);
    md5_session_close(session, false);
    forget_found(&s);
    session = open_session(&s, &at);
    assert_int_equal(s.targets.nfound, 1);
    md5_session_close(session, true);
    assert_false(wadi_file_exists(place_file));
    assert_int_not_equal(access(place_dir, F_OK), 0);
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
        md5_session_found(session, s.targets.digest[0]);
        assert_int_equal(md5_session_has_news(session), !has_output);
        assert_int_equal(md5_session_save(session, resume_at(4, 1, 0), NULL), WADI_OK);
        assert_false(md5_session_has_news(session));
        md5_session_close(session, false);
        forget_found(&s);
        md5_session_close(open_session(&s, &at), true);
        assert_int_equal(s.targets.nfound, !has_output);
        forget_found(&s);
    }
    end_subject(&s);
}

static void a_session_has_one_owner(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_resume at;
    md5_session *other = NULL;
    wadi_error err = {0};
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(md5_session_open(place_dir, false, &s.about, &other, &at, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "another process"));
    md5_session_close(session, true);
    end_subject(&s);
}

static void a_session_about_something_else_is_refused(void **state) {
    WADI_UNUSED(state);
    subject other, s;
    md5_resume at;
    md5_session *session = NULL;
    make_subject(&other, "zzz");
    make_subject(&s, "xyz");
    session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, resume_at(4, 1, 0), NULL), WADI_OK);
    md5_session_close(session, false);
    refused(&other, "other digests");
    s.about.keep_cr = true;
    refused(&s, "--keep-cr");
    s.about.keep_cr = false;
    s.about.as_is = true;
    refused(&s, "--no-unpack");
    s.about.as_is = false;
    s.about.output = "somewhere";
    refused(&s, "--output");
    s.about.output = NULL;
    write_text(s.path, "abc\nxyy\n", 8);
    refused(&s, "other words of the dictionary");
    assert_int_equal(md5_session_open(place_dir, true, &s.about, &session, &at, NULL), WADI_OK);
    assert_int_equal(at.place.offset, 4);
    md5_session_close(session, true);
    end_subject(&other);
    end_subject(&s);
}

/* A damaged state, and a whole one that says what cannot be. */
static void damage_and_forgery_are_refused(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_resume at;
    wadi_text whole = {0};
    make_subject(&s, "xyz");
    md5_session *session = open_session(&s, &at);
    assert_int_equal(md5_session_save(session, (md5_resume){{2, 0, 0}, 0}, NULL), WADI_OK);
    md5_session_close(session, false);
    refused(&s, "");
    session = NULL;
    text_of(place_file, &whole);
    for (size_t i = 0; i < whole.n; i += 7) {
        wadi_error err = {0};
        whole.at[i] = (char)(whole.at[i] ^ 1);
        write_text(place_file, whole.at, whole.n);
        assert_int_equal(md5_session_open(place_dir, true, &s.about, &session, &at, &err), WADI_IO);
        assert_non_null(strstr(err.msg, "remove it to begin anew"));
        whole.at[i] = (char)(whole.at[i] ^ 1);
    }
    wadi_text_fini(&whole);
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
        cmocka_unit_test(a_session_has_one_owner),
        cmocka_unit_test(a_session_about_something_else_is_refused),
        cmocka_unit_test(damage_and_forgery_are_refused),
        cmocka_unit_test(found_words_are_counted_once_from_any_cut),
        cmocka_unit_test(words_are_written_plain_or_spelled_out),
        cmocka_unit_test(files_of_other_things_are_left_as_they_are),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
