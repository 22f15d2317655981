/* Long texts are compiled in parts: the parts together are the text, and the shared object has every kernel of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/dl.h"
#include "base/folder.h"
#include "base/text.h"
#include "codegen/build/cc.h"
#include "codegen/build/parts.h"
#include "codegen/targets.h"

static const char mark[] = "/* start ";

/* n kernels of which each gives its number and takes `bytes` of text. */
static char *text_of(int n, int bytes) {
    wadi_text t = {0};
    wadi_text_add(&t, "static inline int same(int x) { return x; }\n");
    for (int i = 0; i < n; i++) {
        wadi_text_addf(&t, "%s%d */\nint k%d(void) { return same(%d); }\n/*", mark, i, i, i);
        for (int k = 0; k < bytes; k++) wadi_text_add(&t, "x");
        wadi_text_add(&t, "*/\n");
    }
    return wadi_text_take(&t);
}

static void expect_cut(int n, int bytes, int processors, int parts, bool brief) {
    char *text = text_of(n, bytes);
    const wadi_parts p = wadi_parts_of(text, mark, processors);
    assert_int_equal(p.n, parts);
    assert_int_equal(p.brief, brief);
    assert_int_equal(p.begin[0], p.shared);
    assert_int_equal(p.begin[p.n], strlen(text));
    for (int i = 0; i < p.n; i++) {
        assert_true(p.begin[i] < p.begin[i + 1]);
        assert_memory_equal(text + p.begin[i], mark, sizeof mark - 1);
    }
    free(text);
}

static void where_texts_are_cut(void **state) {
    (void)state;
    expect_cut(4, 100, 8, 1, false);
    expect_cut(10, 10000, 1, 1, false);
    expect_cut(10, 10000, 2, 2, false);
    expect_cut(10, 10000, 64, 10, false);
    expect_cut(12, 2000, 8, 3, false);
    expect_cut(7, 2000, 8, 1, false);   /* too little for two */
    expect_cut(1, 200000, 8, 1, false); /* a kernel stays whole */
    expect_cut(100, 100, 8, 1, true);
    expect_cut(200, 5000, 64, WADI_PARTS_MAX, true);
    const wadi_parts none = wadi_parts_of("int x;\n", mark, 8);
    assert_int_equal(none.n, 1);
    assert_int_equal(none.shared, 7);
}

/* Kernels that share a function are no work: half of the others is in each part. */
static void where_kernels_that_share_are(void **state) {
    (void)state;
    wadi_text t = {0};
    char *own = text_of(10, 10000), *later = strstr(own, "/* start 5 */");
    wadi_text_add(&t, own);
    for (int i = 0; i < 1000; i++)
        wadi_text_addf(&t, "%s%d */\nTWIN(k%d, k0) /* as the first one of its kind */\n", mark,
                       10 + i, 10 + i);
    const wadi_parts p = wadi_parts_of(wadi_text_str(&t), mark, 2);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.begin[1], later - own);
    assert_true(p.brief);
    wadi_text_fini(&t);
    free(own);
}

static wadi_status compile(const wadi_parts *p, const char *folder, const char *object,
                           wadi_error *err) {
    wadi_image_builder cc;
    wadi_status st = wadi_cc_find(wadi_targets, &cc, err);
    return st != WADI_OK
               ? st
               : wadi_parts_compile(p, &cc, "\nint last = 7;\n", folder, false, object, err);
}

static void every_kernel_is_there(void **state) {
    (void)state;
    enum { N = 120 };
    wadi_folder folder;
    wadi_error err = {0};
    assert_int_equal(wadi_folder_make(wadi_folder_parent(), "parts_test-", &folder, NULL), WADI_OK);
    for (int processors = 1; processors < 5; processors += 3) {
        char object[1100];
        char *text = text_of(N, 1000);
        wadi_parts p = wadi_parts_of(text, mark, processors);
        wadi_dl so = {0};
        void *last = NULL;
        assert_int_equal(p.n, processors);
        (void)snprintf(object, sizeof object, "%s/all_%d.so", folder.path, processors);
        if (compile(&p, folder.path, object, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(wadi_dl_open(&so, object, NULL), WADI_OK);
        for (int i = 0; i < N; i++) {
            char name[16];
            wadi_dl_fn f = NULL;
            (void)snprintf(name, sizeof name, "k%d", i);
            assert_int_equal(wadi_dl_function(&so, name, &f, NULL), WADI_OK);
            assert_int_equal(((int (*)(void))f)(), i);
        }
        assert_int_equal(wadi_dl_symbol(&so, "last", &last, NULL), WADI_OK);
        assert_int_equal(*(const int *)last, 7);
        wadi_dl_close(&so);
        free(text);
    }
    wadi_folder_remove(&folder);
}

/* The message is that of the part that fails, also if it is not the first. */
static void a_part_that_fails(void **state) {
    (void)state;
    wadi_folder folder;
    wadi_error err = {0};
    char object[1100];
    char *text = text_of(10, 10000);
    assert_int_equal(wadi_folder_make(wadi_folder_parent(), "parts_test-", &folder, NULL), WADI_OK);
    wadi_parts p = wadi_parts_of(text, mark, 2);
    assert_int_equal(p.n, 2);
    text[p.begin[1] + strlen(mark) + 5] = '!';
    (void)snprintf(object, sizeof object, "%s/all.so", folder.path);
    assert_int_equal(compile(&p, folder.path, object, &err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, "kernel_1.c"));
    assert_non_null(strstr(err.msg, "error"));
    wadi_folder_remove(&folder);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_texts_are_cut), cmocka_unit_test(where_kernels_that_share_are),
        cmocka_unit_test(every_kernel_is_there), cmocka_unit_test(a_part_that_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
