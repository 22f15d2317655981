/* MD5 against the values of RFC 1321. */
#include "apps/digest/md5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/hash.h"

static void md5_matches_rfc_1321_in_any_pieces(void **state) {
    WADI_UNUSED(state);
    static const char message[] =
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
    const size_t n = sizeof message - 1;
    wadi_md5 m;
    for (size_t piece = 1; piece <= n; piece += 7) {
        wadi_md5_init(&m);
        for (size_t i = 0; i < n; i += piece) {
            wadi_md5_update(&m, message + i, n - i < piece ? n - i : piece);
        }
        uint8_t digest[16];
        char text[33];
        wadi_md5_final(&m, digest);
        wadi_hex(digest, sizeof digest, text);
        assert_string_equal(text, "57edf4a22be3c955ac49da2e2107b67a");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(md5_matches_rfc_1321_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
