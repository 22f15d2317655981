/* Comments and strings in generated text: nothing that a user has named can end one, so no name becomes code. */
#include "codegen/emit/c_like/comment.h"

#include "base/ascii.h"

static bool is_harmless(char c) {
    return c != '*' && c != '\\' && (unsigned char)c >= ' ';
}

void wadi_c_comment(wadi_text *out, const char *before, const char *text, const char *after) {
    wadi_text_addf(out, "/* %s", before);
    for (const char *c = text; *c != '\0'; c++)
        wadi_text_addf(out, "%c", is_harmless(*c) ? *c : '?');
    wadi_text_addf(out, "%s */", after);
}

static bool is_plain(char c) {
    return wadi_ascii_is_word(c) || c == '.';
}

void wadi_c_string(wadi_text *out, const char *text) {
    wadi_text_add(out, "\"");
    for (const char *c = text; *c != '\0'; c++)
        wadi_text_addf(out, is_plain(*c) ? "%c" : "\\%03o", (unsigned char)*c);
    wadi_text_add(out, "\"");
}
