/* Edge cases of Matrix Market: the largest numbers, the shortest files, and text after the end, each with its whole message and its
 * line. Numbers are compared with strtod, and no memory is kept whatever the text is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "connectors/decimal.h"
#include "sched/stream.h"
#include "tests/kept_memory.h"
#include "wadi/matrix.h"

#define HEAD(format, field, symmetry) "%%MatrixMarket matrix " format " " field " " symmetry "\n"
#define GENERAL HEAD("coordinate", "real", "general")

/* said: behind "m.mtx, line "; NULL: it is a matrix of so many entries. */
static const struct {
    const char *text, *said;
    int64_t entries;
} cases[] = {
    /* triangles of arrays */
    {HEAD("array", "real", "general") "2 3\n1\n2\n3\n4\n5\n6\n", NULL, 6},
    {HEAD("array", "real", "symmetric") "3 3\n1\n2\n3\n4\n5\n6\n", NULL, 9},
    {HEAD("array", "real", "symmetric") "3 3\n1\n2\n3\n4\n5\n",
     "8: the file ends after 5 of 6 values", 0},
    {HEAD("array", "real", "symmetric") "3 3\n1\n2\n3\n4\n5\n6\n7\n",
     "9: more than the 6 announced values", 0},
    {HEAD("array", "real", "skew-symmetric") "3 3\n1\n2\n3\n", NULL, 6},
    {HEAD("array", "real", "skew-symmetric") "3 3\n1\n2\n", "5: the file ends after 2 of 3 values",
     0},
    {HEAD("array", "real", "skew-symmetric") "3 3\n1\n2\n3\n4",
     "6: more than the 3 announced values", 0},
    {HEAD("array", "complex", "hermitian") "2 2\n1 0\n2 3\n4 0\n", NULL, 4},
    {HEAD("array", "complex", "hermitian") "2 2\n1 0\n2 3\n4 1\n",
     "5: the diagonal of a hermitian matrix is real", 0},
    {HEAD("array", "complex", "general") "1 1\n1\n",
     "3: expected a number, found the end of the line", 0},
    /* no more than the file can hold: one byte an entry, ends of lines included */
    {HEAD("array", "real", "general") "1 1",
     "2: 1 entries are announced, more than the file can hold", 0},
    {HEAD("array", "real", "general") "1 1\n", "3: the file ends after 0 of 1 values", 0},
    {HEAD("array", "real", "general") "4 3\n1\n2\n3\n4\n5\n6",
     "8: the file ends after 6 of 12 values", 0},
    {HEAD("array", "real", "general") "13 1\n1\n2\n3\n4\n5\n6",
     "2: 13 entries are announced, more than the file can hold", 0},
    {GENERAL "1 1 1", "2: 1 entries are announced, more than the file can hold", 0},
    {GENERAL "1 1 1\n", "3: the file ends after 0 of 1 entries", 0},
    {GENERAL "1 1 2\n1 1 1\n", "4: the file ends after 1 of 2 entries", 0},
    {GENERAL "1 1 0", NULL, 0},
    /* numbers of rows, columns, entries */
    {GENERAL "1 17592186044416 0\n", NULL, 0},
    {GENERAL "1 17592186044417 0\n", "2: the matrix is too large", 0},
    {GENERAL "17592186044417 1 0\n", "2: the matrix is too large", 0},
    {GENERAL "9223372036854775799 1 0\n", "2: the matrix is too large", 0},
    {GENERAL "9223372036854775800 1 0\n", "2: the number of rows is too large", 0},
    {GENERAL "1 9223372036854775800 0\n", "2: the number of columns is too large", 0},
    {GENERAL "1 1 9223372036854775800\n", "2: the number of entries is too large", 0},
    {GENERAL "1 1 9223372036854775799\n",
     "2: 9223372036854775799 entries are announced, more than the file can hold", 0},
    {GENERAL "x 1 0\n", "2: expected the number of rows, found \"x\"", 0},
    {GENERAL "1 1x 0\n", "2: expected the number of columns, found \"1x\"", 0},
    {GENERAL "1 1\n", "2: expected the number of entries, found the end of the line", 0},
    {GENERAL "1 1 0 0\n", "2: expected the end of the line, found \"0\"", 0},
    {GENERAL "% only\n\n% comments\n", "5: the file ends before the sizes of the matrix", 0},
    {HEAD("array", "real", "general") "1 1 1\n1\n", "2: expected the end of the line, found \"1\"",
     0},
    {HEAD("coordinate", "real", "symmetric") "3 2 0\n",
     "2: a symmetric matrix must be square, not 3 x 2", 0},
    {HEAD("coordinate", "complex", "hermitian") "2 3 0\n",
     "2: a hermitian matrix must be square, not 2 x 3", 0},
    /* places */
    {GENERAL "2 3 1\n2 3 1\n", NULL, 1},
    {GENERAL "2 3 1\n3 3 1\n", "3: entry (3, 3) is outside the matrix of 2 x 3; both count from 1",
     0},
    {GENERAL "2 3 1\n2 4 1\n", "3: entry (2, 4) is outside the matrix of 2 x 3; both count from 1",
     0},
    {GENERAL "2 3 1\n0 1 1\n", "3: entry (0, 1) is outside the matrix of 2 x 3; both count from 1",
     0},
    {GENERAL "2 3 1\n1 0 1\n", "3: entry (1, 0) is outside the matrix of 2 x 3; both count from 1",
     0},
    {GENERAL "2 3 1\n-1 1 1\n", "3: expected the row, found \"-1\"", 0},
    {GENERAL "2 3 1\n1 1\n", "3: expected a number, found the end of the line", 0},
    {GENERAL "2 3 1\n1\n", "3: expected the column, found the end of the line", 0},
    {GENERAL "2 3 1\n1 1 1 1\n", "3: expected the end of the line, found \"1\"", 0},
    {GENERAL "2 3 1\n1 1 1\n%\n\n1 2 1\n", "6: more than the 1 announced entries", 0},
    {HEAD("coordinate", "real", "skew-symmetric") "2 2 1\n2 2 1\n",
     "3: the diagonal of a skew-symmetric matrix is zero and is not written", 0},
    {HEAD("coordinate", "complex", "skew-symmetric") "2 2 1\n2 1 1 2\n", NULL, 2},
    /* integers */
    {HEAD("coordinate", "integer", "general") "1 1 1\n1 1 -9007199254740992\n", NULL, 1},
    {HEAD("coordinate", "integer", "general") "1 1 1\n1 1 9007199254740993\n",
     "3: expected an integer of at most 2^53, found \"9007199254740993\"", 0},
    {HEAD("coordinate", "integer", "general") "1 1 1\n1 1 1e3\n",
     "3: expected an integer of at most 2^53, found \"1e3\"", 0},
    /* the first line */
    {"%%MatrixMarket vector array real general\n", "1: vectors are not read, only matrices", 0},
    {"%%MatrixMarke matrix array real general\n",
     "1: expected \"%%MatrixMarket\", found \"%%MatrixMarke\"", 0},
    {"%%MatrixMarket matrix arrays real general\n",
     "1: expected a format (coordinate, array), found \"arrays\"", 0},
    {"%%MatrixMarket matrix array rea general\n",
     "1: expected a field (real, integer, complex, pattern), found \"rea\"", 0},
    {"%%MatrixMarket matrix array real generally\n",
     "1: expected a symmetry (general, symmetric, skew-symmetric, hermitian), found \"generally\"",
     0},
    {"%%MatrixMarket matrix 0123456789012345678901234567890123456789abc real general\n",
     "1: expected a format (coordinate, array), found \"0123456789012345678901234567890123456789\"",
     0},
    {HEAD("array", "pattern", "general"), "1: a pattern cannot be an array", 0},
    {HEAD("coordinate", "pattern", "hermitian"), "1: a pattern cannot be hermitian", 0},
    {HEAD("coordinate", "pattern", "skew-symmetric"), "1: a pattern cannot be skew-symmetric", 0},
    {HEAD("coordinate", "integer", "hermitian"), "1: only complex matrices can be hermitian", 0},
    {"%%MatrixMarket matrix array real general x\n", "1: expected the end of the line, found \"x\"",
     0},
};

static void edges_have_their_sentences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_csr m = {0};
        wadi_error err = {.status = WADI_OK};
        char said[300];
        const wadi_status status =
            wadi_matrix_market_parse("m.mtx", cases[i].text, strlen(cases[i].text), &m, &err);
        snprintf(said, sizeof said, "m.mtx, line %s", cases[i].said != NULL ? cases[i].said : "");
        if (cases[i].said == NULL && status != WADI_OK) fail_msg("case %d: %s", (int)i, err.msg);
        if (cases[i].said != NULL && strcmp(err.msg, said) != 0)
            fail_msg("case %d: \"%s\" is not \"%s\"", (int)i, err.msg, said);
        const bool vector = strstr(said, "vectors") != NULL;
        assert_int_equal(status, cases[i].said == NULL ? WADI_OK
                                 : vector              ? WADI_UNSUPPORTED
                                                       : WADI_INVALID);
        if (status == WADI_OK) assert_int_equal(m.entries, cases[i].entries);
        wadi_csr_fini(&m);
    }
}

static void parse_all(void *env) {
    (void)env;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_csr m = {0};
        if (wadi_matrix_market_parse("m", cases[i].text, strlen(cases[i].text), &m, NULL) ==
            WADI_OK) {
            wadi_source *s = NULL;
            assert_int_equal(wadi_source_matrix(&m, &s, NULL), WADI_OK);
            wadi_source_destroy(s);
        }
        wadi_csr_fini(&m);
    }
}

static void no_memory_is_kept(void **state) {
    (void)state;
    assert_keeps_nothing(parse_all, NULL);
}

/* As far as strtod reads, and the same number; none where it reads none. */
static void numbers_end_where_they_do(void **state) {
    (void)state;
    static const char *const texts[] = {"1e",
                                        "1e+",
                                        "1e-",
                                        "1e5",
                                        "1e+5",
                                        "1e-5",
                                        "1E05",
                                        "1e00005",
                                        "1e000005",
                                        "1e99999",
                                        "1e-99999",
                                        "1e5x",
                                        "1.e2",
                                        ".5e1",
                                        "5.e-1",
                                        "-.5",
                                        "+1",
                                        "+1e22",
                                        "-1e23",
                                        "1e-22",
                                        "1e-23",
                                        "+",
                                        "-",
                                        "+-1",
                                        "1-1",
                                        "1.5.5",
                                        "12345678901234567890",
                                        "999999999999999999",
                                        "9007199254740992e22",
                                        "9007199254740993e1",
                                        "000000000000000000000000123",
                                        "0.000000000000000000000000000123",
                                        "0e5",
                                        "-0",
                                        "1 2",
                                        "1\t2",
                                        "1,5",
                                        "1..5",
                                        "e",
                                        ".e5",
                                        "1e1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *stop = NULL;
        double got = 7;
        const double want = strtod(texts[i], &stop);
        const char *end = wadi_decimal_f64(texts[i], texts[i] + strlen(texts[i]), &got);
        if (stop == texts[i] ? end != NULL : end != stop)
            fail_msg("\"%s\" ends elsewhere", texts[i]);
        if (end != NULL && memcmp(&got, &want, sizeof got) != 0)
            fail_msg("\"%s\" is %a, not %a", texts[i], got, want);
    }
}

static void integers_are_digits_up_to_2_to_the_53(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is;
    } numbers[] = {{"0", true},
                   {"", false},
                   {"-", false},
                   {"+", false},
                   {"-7", true},
                   {"+7", true},
                   {"--7", false},
                   {"7-", false},
                   {"1.0", false},
                   {"9007199254740992", true},
                   {"-9007199254740992", true},
                   {"9007199254740993", false},
                   {"18446744073709551617", false}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *text = numbers[i].text;
        if (wadi_decimal_is_exact_integer(text, text + strlen(text)) != numbers[i].is)
            fail_msg("%s", text);
    }
}

/* The narrowest matrix whose columns want wide numbers. */
static void the_number_of_columns_decides_their_width(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        char text[200];
        const long long columns = 2147483647LL + wide;
        wadi_csr m = {0};
        snprintf(text, sizeof text, "%s1 %lld 2\n1 %lld 4\n1 1 3\n", GENERAL, columns, columns);
        assert_int_equal(wadi_matrix_market_parse("m", text, strlen(text), &m, NULL), WADI_OK);
        assert_int_equal(m.columns, columns);
        assert_int_equal(m.index_type, wide ? WADI_I64 : WADI_I32);
        assert_int_equal(wide ? ((const int64_t *)m.index)[1] : ((const int32_t *)m.index)[1],
                         columns - 1);
        assert_true(m.values[0] == 3 && m.values[1] == 4);
        wadi_csr_fini(&m);
        assert_null(m.values);
    }
    wadi_csr_fini(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_have_their_sentences),
        cmocka_unit_test(no_memory_is_kept),
        cmocka_unit_test(numbers_end_where_they_do),
        cmocka_unit_test(integers_are_digits_up_to_2_to_the_53),
        cmocka_unit_test(the_number_of_columns_decides_their_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
