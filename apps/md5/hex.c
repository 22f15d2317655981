/* Reading and writing hexadecimal digits. */
#include "apps/md5/hex.h"

#include <string.h>

bool md5_hex_word(uint8_t *word, size_t *n) {
    static const char mark[] = "$HEX[";
    const size_t start = sizeof mark - 1;
    if (*n < start + 1 || memcmp(word, mark, start) != 0 || word[*n - 1] != ']') return false;
    const size_t digits = *n - start - 1;
    if (digits % 2 != 0) return false;
    for (size_t i = 0; i < digits; i++)
        if (md5_hex_digit(word[start + i]) < 0) return false;
    for (size_t i = 0; i < digits / 2; i++)
        word[i] = (uint8_t)(16 * md5_hex_digit(word[start + 2 * i]) +
                            md5_hex_digit(word[start + 2 * i + 1]));
    *n = digits / 2;
    return true;
}
