/* Bundles: what is written is found again, and a file that is cut, changed, too long, of another wadi or no bundle at all is refused by
 * name and never read beyond its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "codegen/build/bundle.h"

static const char path[] = "bundle_test.kernels";

static int clean(void **state) {
    (void)state;
    (void)unlink(path);
    return 0;
}

static wadi_bundle_entry entry_of(int i) {
    wadi_bundle_entry e = {.target = "x86-64-v3"};
    for (int k = 0; k < WADI_BUNDLE_DIGEST; k++) e.key[k] = (uint8_t)(i * 37 + k);
    (void)snprintf(e.label, sizeof e.label, "program: body %d", i);
    return e;
}

/* Things 0 to n - 1: thing i is i times the letter. */
static void write_things(int n, const char *stamp) {
    wadi_bundle_writer *w = NULL;
    char bytes[64];
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(wadi_bundle_writer_create(path, stamp, &w, NULL), WADI_OK);
    for (int i = 0; i < n; i++) {
        const wadi_bundle_entry e = entry_of(i);
        bytes[0] = (char)('a' + i);
        assert_int_equal(wadi_bundle_writer_add(w, &e, bytes, (size_t)i, NULL), WADI_OK);
        assert_true(wadi_bundle_writer_has(w, e.key));
    }
    assert_int_equal(wadi_bundle_writer_write(w, NULL), WADI_OK);
    wadi_bundle_writer_destroy(w);
}

/* Adds things `from` to from + n - 1, and writes the bundle after each. */
static bool add_alone(int from, int n) {
    bool ok = true;
    for (int i = from; i < from + n && ok; i++) {
        wadi_bundle_writer *w = NULL;
        char bytes[64];
        const wadi_bundle_entry e = entry_of(i);
        memset(bytes, 'x', sizeof bytes);
        bytes[0] = (char)('a' + i);
        ok = wadi_bundle_writer_create(path, NULL, &w, NULL) == WADI_OK &&
             wadi_bundle_writer_add(w, &e, bytes, (size_t)i, NULL) == WADI_OK &&
             wadi_bundle_writer_write(w, NULL) == WADI_OK;
        wadi_bundle_writer_destroy(w);
    }
    return ok;
}

static void expect_things(int n) {
    wadi_bundle *b = NULL;
    assert_int_equal(wadi_bundle_open(path, &b, NULL), WADI_OK);
    assert_int_equal(wadi_bundle_count(b), n);
    for (int i = 0; i < n; i++) {
        const wadi_bundle_entry want = entry_of(i), *e = wadi_bundle_find(b, want.key);
        char *bytes = NULL;
        assert_non_null(e);
        assert_string_equal(e->label, want.label);
        assert_string_equal(e->target, want.target);
        assert_int_equal(e->size, i);
        assert_int_equal(wadi_bundle_read(b, e, &bytes, NULL), WADI_OK);
        if (i > 0) assert_int_equal(bytes[0], 'a' + i);
        assert_int_equal(strlen(bytes), i);
        free(bytes);
    }
    const wadi_bundle_entry other = entry_of(n);
    assert_null(wadi_bundle_find(b, other.key));
    wadi_bundle_close(b);
}

static void what_is_written_is_found(void **state) {
    (void)state;
    write_things(0, NULL);
    expect_things(0);
    write_things(9, NULL);
    expect_things(9);
}

static void what_is_there_stays(void **state) {
    (void)state;
    write_things(9, NULL);
    write_things(3, NULL);
    expect_things(9);
}

static void expect_refused(const char *why) {
    wadi_bundle *b = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_bundle_open(path, &b, &err);
    assert_true(st == WADI_INVALID || st == WADI_IO);
    assert_null(b);
    assert_non_null(strstr(err.msg, path));
    if (why != NULL && strstr(err.msg, why) == NULL) fail_msg("said: %s", err.msg);
}

static void another_wadi_does_not_use_it(void **state) {
    (void)state;
    write_things(3, "0.0.9-0123456789abcdef");
    expect_refused("is of another wadi: of 0.0.9-0123456789abcdef");
    write_things(2, NULL); /* and nothing of it is taken over */
    expect_things(2);
}

/* Not by way of the disk: there are thousands of them. */
static void write_bytes(const char *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void it_must_be_a_bundle(void **state) {
    (void)state;
    expect_refused(NULL);
    write_bytes("", 0);
    expect_refused("cut off");
    char junk[4096];
    memset(junk, 'j', sizeof junk);
    write_bytes(junk, sizeof junk);
    expect_refused("is no bundle of kernels");
    wadi_bundle *b = NULL;
    assert_int_equal(wadi_bundle_open("/", &b, NULL), WADI_INVALID);
    assert_int_equal(wadi_bundle_open("/dev/zero", &b, NULL), WADI_INVALID);
    write_things(1, NULL);
    assert_int_equal(chmod(path, 0666), 0);
    expect_refused("everybody can write");
}

static void every_changed_byte_is_noticed(void **state) {
    (void)state;
    enum { N = 5 };
    char *whole = NULL;
    size_t n = 0;
    write_things(N, NULL);
    assert_int_equal(wadi_file_read(path, &whole, &n, NULL), WADI_OK);
    for (size_t i = 0; i < n; i++) {
        static const char masks[] = {1, (char)0x80, (char)0xff};
        whole[i] ^= masks[i % 3];
        write_bytes(whole, n);
        wadi_bundle *b = NULL;
        if (i < WADI_BUNDLE_HEADER + N * WADI_BUNDLE_ROW)
            expect_refused(NULL);
        else if (wadi_bundle_open(path, &b, NULL) == WADI_OK) {
            int damaged = 0;
            for (size_t k = 0; k < N; k++) {
                char *bytes = NULL;
                damaged += wadi_bundle_read(b, wadi_bundle_at(b, k), &bytes, NULL) == WADI_INVALID;
                free(bytes);
            }
            assert_int_equal(damaged, 1);
            wadi_bundle_close(b);
        }
        whole[i] ^= masks[i % 3];
    }
    for (size_t cut = 0; cut < n; cut++) {
        write_bytes(whole, cut);
        expect_refused(NULL);
    }
    free(whole);
}

/* An index with a right digest may still say anything. */
static void a_sealed_index_is_not_believed(void **state) {
    (void)state;
    enum { N = 3 };
    char *whole = NULL;
    size_t n = 0;
    write_things(N, NULL);
    assert_int_equal(wadi_file_read(path, &whole, &n, NULL), WADI_OK);
    for (size_t i = 8; i < WADI_BUNDLE_HEADER + N * WADI_BUNDLE_ROW; i++) {
        static const char masks[] = {1, (char)0x80, (char)0xff, 64};
        for (int m = 0; m < 4; m++) {
            char *copy = malloc(n);
            uint8_t digest[32];
            memcpy(copy, whole, n);
            copy[i] ^= masks[m];
            assert_int_equal(
                wadi_bundle_seal(copy, WADI_BUNDLE_HEADER + N * WADI_BUNDLE_ROW, digest), WADI_OK);
            memcpy(copy + WADI_BUNDLE_HEADER - 32, digest, 32);
            write_bytes(copy, n);
            wadi_bundle *b = NULL;
            if (wadi_bundle_open(path, &b, NULL) == WADI_OK) {
                for (size_t k = 0; k < wadi_bundle_count(b); k++) {
                    char *bytes = NULL;
                    (void)!wadi_bundle_read(b, wadi_bundle_at(b, k), &bytes, NULL);
                    free(bytes);
                    assert_true(strlen(wadi_bundle_at(b, k)->label) < WADI_BUNDLE_LABEL);
                }
                wadi_bundle_close(b);
            }
            free(copy);
        }
    }
    free(whole);
}

static void a_file_cut_after_it_was_opened(void **state) {
    (void)state;
    wadi_bundle *b = NULL;
    char *bytes = NULL;
    wadi_error err = {0};
    write_things(4, NULL);
    assert_int_equal(wadi_bundle_open(path, &b, NULL), WADI_OK);
    const wadi_bundle_entry want = entry_of(3), *e = wadi_bundle_find(b, want.key);
    assert_int_equal(truncate(path, (off_t)(e->begin + 1)), 0);
    assert_int_equal(wadi_bundle_read(b, e, &bytes, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "cut off"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(wadi_bundle_read(b, e, &bytes, &err), WADI_IO);
    wadi_bundle_close(b);
}

/* Each process adds things of its own to one bundle, one after the other. Nothing is lost. */
static void processes_add_to_one_bundle(void **state) {
    (void)state;
    enum { PROCESSES = 3, EACH = 8 };
    pid_t child[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        child[p] = fork();
        if (child[p] == 0) _exit(add_alone(p * EACH, EACH) ? 0 : 1);
        assert_true(child[p] > 0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status = 1;
        assert_int_equal(waitpid(child[p], &status, 0), child[p]);
        assert_int_equal(status, 0);
    }
    expect_things(PROCESSES * EACH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_found, clean, clean),
        cmocka_unit_test_setup_teardown(what_is_there_stays, clean, clean),
        cmocka_unit_test_setup_teardown(another_wadi_does_not_use_it, clean, clean),
        cmocka_unit_test_setup_teardown(it_must_be_a_bundle, clean, clean),
        cmocka_unit_test_setup_teardown(every_changed_byte_is_noticed, clean, clean),
        cmocka_unit_test_setup_teardown(a_sealed_index_is_not_believed, clean, clean),
        cmocka_unit_test_setup_teardown(a_file_cut_after_it_was_opened, clean, clean),
        cmocka_unit_test_setup_teardown(processes_add_to_one_bundle, clean, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
