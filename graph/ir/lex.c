/* Cuts program text into tokens. '#' starts a comment that ends with the line. */
#include "graph/ir/lex.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"

typedef struct lexer {
    const char *at, *line_start;
    int line;
} lexer;

static bool is_letter(char c) {
    return wadi_ascii_is_letter(c) || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *end_of_name(const char *s) {
    while (wadi_ascii_is_word(*s)) s++;
    return s;
}

/* The end of a number. Letters belong to it, because a suffix such as `u8` may follow, and so does the sign of an exponent. */
static const char *end_of_part(const char *s) {
    const char *start = s;
    s += *s == '-' || *s == '+';
    const bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    while (wadi_ascii_is_word(*s) || *s == '.' ||
           ((*s == '+' || *s == '-') && s > start && !hex && (s[-1] == 'e' || s[-1] == 'E')))
        s++;
    return s;
}

static bool ends_with(const char *start, const char *end, const char *tail) {
    const size_t n = strlen(tail);
    return (size_t)(end - start) > n && memcmp(end - n, tail, n) == 0;
}

/* The end of a number that may be complex: then a second part with a sign and an `i` follows. */
static const char *end_of_number(const char *s) {
    const char *real = end_of_part(s);
    if (*real != '+' && *real != '-') return real;
    const char *end = end_of_part(real);
    const bool imaginary =
        ends_with(real, end, "i") || ends_with(real, end, "ic64") || ends_with(real, end, "ic128");
    return imaginary ? end : real;
}

/* The end of a string, after its closing quote; NULL if the line ends first. */
static const char *end_of_string(const char *s) {
    for (s++; *s && *s != '\n'; s++) {
        if (*s == '"') return s + 1;
        if (*s == '\\' && s[1] && s[1] != '\n') s++;
    }
    return NULL;
}

static void skip_blanks(lexer *lx) {
    while (*lx->at == ' ' || *lx->at == '\t' || *lx->at == '\r') lx->at++;
    if (*lx->at == '#')
        while (*lx->at && *lx->at != '\n') lx->at++;
}

/* The end of the token that starts here, and its kind; NULL if no token starts so. */
static const char *next_token(const char *s, wadi_token_kind *out_kind) {
    *out_kind = WADI_TOKEN_MARK;
    if (*s == '\n' || *s == ';') {
        *out_kind = WADI_TOKEN_LINE;
        return s + 1;
    }
    if (is_letter(*s)) {
        const char *end = end_of_name(s), *number = end_of_number(s);
        const bool word = end - s == 3 && (memcmp(s, "inf", 3) == 0 || memcmp(s, "nan", 3) == 0);
        *out_kind = word && number > end ? WADI_TOKEN_NUMBER : WADI_TOKEN_NAME;
        return word ? number : end;
    }
    if (strncmp(s, "->", 2) == 0 || strncmp(s, "=>", 2) == 0 || strncmp(s, "==", 2) == 0 ||
        strncmp(s, ":=", 2) == 0)
        return NULL;
    if (is_digit(*s) || *s == '-') {
        *out_kind = WADI_TOKEN_NUMBER;
        return end_of_number(s);
    }
    if (*s == '"') {
        *out_kind = WADI_TOKEN_STRING;
        return end_of_string(s);
    }
    if (s[0] == '!' && s[1] == '!') return s + 2;
    return strchr("=,:(){}[]?!@", *s) ? s + 1 : NULL;
}

/* How comments and operations that other languages write between their operands are written. */
static const char *instead_of(const char *s) {
    static const struct {
        const char *mark, *instead;
    } marks[] = {{"//", " (a comment begins with #)"},
                 {"/*", " (a comment begins with #)"},
                 {"->", " (a function is written (x) { .. })"},
                 {"=>", " (a function is written (x) { .. })"},
                 {"\\", " (a function is written (x) { .. })"},
                 {"==", " (operations stand in front: eq x y)"},
                 {":=", " (a binding is written name = operator ..)"},
                 {".", " (a number begins with a digit, 0.5; of a record, a function has each "
                       "field as a parameter)"},
                 {"'", " (a name in quotes has \")"},
                 {"+", " (operations stand in front: add x y)"},
                 {"*", " (operations stand in front: mul x y)"},
                 {"/", " (operations stand in front: fdiv x y, of integers quot or div)"},
                 {"%", " (operations stand in front: rem x y, mod x y)"},
                 {"<=", " (operations stand in front: le x y)"},
                 {"<", " (operations stand in front: lt x y)"},
                 {">=", " (operations stand in front: ge x y)"},
                 {">", " (operations stand in front: gt x y)"},
                 {"&", " (operations stand in front: land x y, of bits and)"},
                 {"|", " (operations stand in front: lor x y, of bits or)"},
                 {"^", " (operations stand in front: pow x y, of bits xor)"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(s, marks[i].mark, strlen(marks[i].mark)) == 0) return marks[i].instead;
    return "";
}

/* The bytes of the UTF-8 character that begins here; 1 if none does. */
static int bytes_of_character(const char *s) {
    const size_t n = wadi_utf8_length(s, strlen(s));
    return n > 1 ? (int)n : 1;
}

/* A character of n bytes that is not of ASCII. */
static wadi_status fail_character(const lexer *lx, wadi_loc loc, int column, int n,
                                  wadi_error *err) {
    static const char names[] = "letters of names are a to z and _, others stand in \"quotes\"";
    const unsigned code = wadi_utf8_code(lx->at, (size_t)n);
    if (wadi_utf8_is_control(code))
        return wadi_fail_at(err, loc, WADI_INVALID,
                            "line %d, column %d: stray character U+%04X (%s)", lx->line, column,
                            code, names);
    return wadi_fail_at(err, loc, WADI_INVALID,
                        "line %d, column %d: stray character '%.*s' (U+%04X; %s)", lx->line, column,
                        n, lx->at, code, names);
}

static wadi_status fail(const lexer *lx, const char *file, wadi_error *err) {
    const int column = (int)(lx->at - lx->line_start) + 1;
    const wadi_loc loc = {file, lx->line};
    if (*lx->at == '"')
        return wadi_fail_at(err, loc, WADI_INVALID, "line %d, column %d: this string has no end",
                            lx->line, column);
    const unsigned char c = (unsigned char)*lx->at;
    const int n = bytes_of_character(lx->at);
    if (c >= 128 && n == 1)
        return wadi_fail_at(err, loc, WADI_INVALID,
                            "line %d, column %d: stray byte 0x%02x (a text is UTF-8)", lx->line,
                            column, c);
    if (n > 1) return fail_character(lx, loc, column, n, err);
    return wadi_fail_at(err, loc, WADI_INVALID,
                        "line %d, column %d: stray character '%c' (0x%02x)%s", lx->line, column,
                        c >= 32 && c < 127 ? c : '?', c, instead_of(lx->at));
}

wadi_status wadi_lex(const char *text, const char *file, wadi_tokens *out_tokens, wadi_error *err) {
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* of texts in UTF-8 from other systems */
    const size_t mark = strncmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    lexer lx = {text + mark, text + mark, 1};
    *out_tokens = (wadi_tokens){0};
    wadi_status st = WADI_OK;
    bool room = true;
    for (;;) {
        skip_blanks(&lx);
        wadi_token t = {WADI_TOKEN_END, lx.at, 0, lx.line, (int)(lx.at - lx.line_start) + 1};
        const char *end = *lx.at ? next_token(lx.at, &t.kind) : lx.at;
        if (!end) {
            st = fail(&lx, file, err);
            break;
        }
        t.n = (size_t)(end - lx.at);
        room = wadi_vec_push(out_tokens, t);
        if (!room || t.kind == WADI_TOKEN_END) break;
        if (*lx.at == '\n') {
            lx.line++;
            lx.line_start = end;
        }
        lx.at = end;
    }
    if (!room) st = wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st != WADI_OK) wadi_vec_free(out_tokens);
    return st;
}

/* ---- words that are no names ---- */

static const char *const words[] = {
    "program",   "output",  "yield",   "as",      "seq",     "avoid", "regular",
    "irregular", "delayed", "sibling", "if",      "else",    "while", "do",
    "from",      "iterate", "the",     "extent",  "true",    "false", "convert",
    "bitcast",   "inf_f32", "inf_f64", "nan_f32", "nan_f64",
};

enum { WORDS = sizeof words / sizeof *words, ALL_WORDS = WORDS + WADI_SOP_PRIM_COUNT };

/* Words by their first letters, since every name that is printed is looked for. */
static int first_word[UCHAR_MAX + 1], next_word[ALL_WORDS]; /* counted from 1; 0: none */
static pthread_once_t words_listed = PTHREAD_ONCE_INIT;

static const char *word_at(int i) {
    return i < WORDS ? words[i] : wadi_sop_get((wadi_sop)(i - WORDS))->name;
}

static void list_words(void) {
    for (int i = 0; i < ALL_WORDS; i++) {
        int *first = &first_word[(unsigned char)word_at(i)[0]];
        next_word[i] = *first;
        *first = i + 1;
    }
}

bool wadi_lex_is_plain_name(const char *s) {
    if (!is_letter(*s) || *end_of_name(s) != '\0') return false;
    (void)pthread_once(&words_listed, list_words);
    for (int i = first_word[(unsigned char)*s]; i != 0; i = next_word[i - 1])
        if (strcmp(word_at(i - 1), s) == 0) return false;
    return true;
}
