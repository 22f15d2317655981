/* Sketches tell files and arrays apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/sketch.h"
#include "tests/base/support.h"

enum { LARGE = 3000000 };

static unsigned char data[LARGE];

static void put_data(size_t n) {
    FILE *f = fopen(in("a"), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void sketch_of(size_t n, char *out, size_t room) {
    wadi_text t = {0};
    put_data(n);
    assert_int_equal(wadi_sketch_file(in("a"), &t, NULL), WADI_OK);
    assert_true(t.n < room);
    memcpy(out, wadi_text_str(&t), t.n + 1);
    wadi_text_fini(&t);
}

/* Of a short file every byte counts; of a long one the first, the last, and some between. */
static void other_files_have_other_sketches(void **state) {
    static const size_t sizes[] = {0, 1, 4095, 262144, 262145, 262149, 300007, LARGE};
    char one[200], other[200];
    (void)state;
    for (size_t i = 0; i < LARGE; i++) data[i] = (unsigned char)(i * i >> 7);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s], at[] = {0, n / 2, n - 1};
        sketch_of(n, one, sizeof one);
        sketch_of(n, other, sizeof other);
        assert_string_equal(one, other);
        for (int k = 0; n > 0 && k < 3; k++) {
            if (k == 1 && n > 262144) continue; /* it need not be seen */
            data[at[k]] ^= 1;
            sketch_of(n, other, sizeof other);
            data[at[k]] ^= 1;
            assert_string_not_equal(one, other);
        }
        sketch_of(n > 0 ? n - 1 : 1, other, sizeof other);
        assert_string_not_equal(one, other);
    }
}

static void the_place_in_a_file_stays(void **state) {
    wadi_text t = {0};
    (void)state;
    put_data(100);
    const int fd = open(in("a"), O_RDONLY);
    assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
    assert_int_equal(wadi_sketch(fd, "a", &t, NULL), WADI_OK);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 7);
    wadi_text_fini(&t);
    (void)close(fd);
}

static void a_missing_file_is_an_error(void **state) {
    wadi_error err = {0};
    wadi_text t = {0};
    (void)state;
    assert_int_equal(wadi_sketch_file(in("none"), &t, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "none"));
    wadi_text_fini(&t);
}

static void arrays_differ_by_type_extents_and_values(void **state) {
    static int64_t numbers[6] = {1, 2, 3, 4, 5, 6}, more[6] = {1, 2, 3, 4, 5, 7};
    const wadi_array base = {
        .rank = 2, .fields = 1, .shape = {2, 3}, .type = {WADI_I64}, .column = {numbers}};
    wadi_array others[3] = {base, base, base};
    wadi_text one = {0};
    (void)state;
    others[0].type[0] = WADI_U64;
    others[1].shape[0] = 3;
    others[1].shape[1] = 2;
    others[2].column[0] = more;
    assert_int_equal(wadi_sketch_array(&base, &one, NULL), WADI_OK);
    for (int i = 0; i < 3; i++) {
        wadi_text t = {0};
        assert_int_equal(wadi_sketch_array(&others[i], &t, NULL), WADI_OK);
        assert_string_not_equal(wadi_text_str(&one), wadi_text_str(&t));
        wadi_text_fini(&t);
    }
    wadi_text_fini(&one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_files_have_other_sketches, fresh_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(the_place_in_a_file_stays, fresh_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_missing_file_is_an_error, fresh_folder, remove_folder),
        cmocka_unit_test(arrays_differ_by_type_extents_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
