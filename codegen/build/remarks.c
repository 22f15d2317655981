/* Reads what compilers say of loops. GCC names a loop and then says what is in its way; clang does it the other way round. */
#include "codegen/build/remarks.h"

#include <stdlib.h>
#include <string.h>

/* GCC makes one function of equal ones, and would say nothing of the loops in the others. It compiles each of them alike. */
static const char *const flags_of_gcc[] = {"-fopt-info-vec-optimized-missed", "-fno-ipa-icf", NULL};
static const char *const flags_of_clang[] = {"-Rpass=(loop|slp)-vectorize",
                                             "-Rpass-missed=loop-vectorize",
                                             "-Rpass-analysis=loop-vectorize", NULL};

const char *const *wadi_remarks_flags(bool clang) {
    return clang ? flags_of_clang : flags_of_gcc;
}

typedef struct reader {
    wadi_remarks *out;
    size_t loop;     /* GCC: the remark of the last loop that it named, + 1; 0: none */
    const char *why; /* clang: the reason that waits for its loop; NULL: none */
    int n;
} reader;

/* The bytes of a line of text. */
static int length_of(const char *line) {
    return (int)strcspn(line, "\n");
}

/* Where `what` ends at the beginning of `line`; NULL: it does not begin so. */
static const char *after(const char *line, const char *what) {
    const size_t n = strlen(what);
    return strncmp(line, what, n) == 0 ? line + n : NULL;
}

/* Where `what` stands in the line; NULL: nowhere. */
static const char *within(const char *line, const char *what) {
    const char *at = strstr(line, what);
    return at != NULL && at < line + length_of(line) ? at : NULL;
}

/* The number behind `what`; 0: there is none. */
static int number_after(const char *line, const char *what) {
    const char *at = within(line, what);
    const long n = at != NULL ? strtol(at + strlen(what), NULL, 10) : 0;
    return n > 0 && n <= 65536 ? (int)n : 0;
}

static bool push(reader *r, wadi_remark_kind kind, int line, int bytes, int lanes) {
    return wadi_vec_push(r->out,
                         (wadi_remark){.kind = kind, .line = line, .bytes = bytes, .lanes = lanes});
}

/* GCC: `line` is where, `text` what it says. */
static bool take_gcc(reader *r, int line, const char *text) {
    const char *why = after(text, "missed: not vectorized: ");
    if (within(text, "loop vectorized using") != NULL)
        return push(r, WADI_REMARK_LOOP, line, number_after(text, "using "), 0);
    if (within(text, "basic block part vectorized") != NULL)
        return push(r, WADI_REMARK_PART, line, number_after(text, "using "), 0);
    if (within(text, "missed: couldn't vectorize loop") != NULL) {
        if (!push(r, WADI_REMARK_NOT, line, 0, 0)) return false;
        r->loop = r->out->n;
    } else if (why != NULL && r->loop > 0) {
        wadi_remark *of = &r->out->at[r->loop - 1];
        of->why = why;
        of->n = length_of(why);
        if (of->n > 0 && why[of->n - 1] == '.') of->n--;
        r->loop = 0;
    }
    return true;
}

/* The reason without the flag in brackets at its end, and without the advice behind a semicolon. */
static int words_of(const char *why) {
    int n = length_of(why);
    for (int k = 0; k + 1 < n; k++)
        if (why[k] == ';' || (why[k] == ' ' && why[k + 1] == '[')) n = k;
    return n;
}

static bool take_clang(reader *r, int line, const char *text) {
    const char *why = after(text, "remark: loop not vectorized: ");
    if (after(text, "remark: vectorized loop") != NULL)
        return push(r, WADI_REMARK_LOOP, line, 0, number_after(text, "vectorization width: "));
    if (within(text, "SLP vectorized") != NULL) return push(r, WADI_REMARK_PART, line, 0, 0);
    if (why != NULL && r->why == NULL) {
        r->why = why;
        r->n = words_of(why);
    } else if (why == NULL && after(text, "remark: loop not vectorized") != NULL) {
        if (!push(r, WADI_REMARK_NOT, line, 0, 0)) return false;
        if (r->why != NULL) {
            wadi_vec_last(r->out).why = r->why;
            wadi_vec_last(r->out).n = r->n;
        }
        r->why = NULL;
    }
    return true;
}

/* PATH:LINE:COLUMN: TEXT */
static bool take_line(reader *r, const char *at, const char *path) {
    char *end = NULL;
    const char *place = after(at, path);
    if (place == NULL || *place != ':') return true;
    const long line = strtol(place + 1, &end, 10);
    if (*end != ':' || line <= 0 || line > 100000000) return true;
    (void)strtol(end + 1, &end, 10);
    const char *text = after(end, ": ");
    if (text == NULL) return true;
    return after(text, "remark: ") != NULL ? take_clang(r, (int)line, text)
                                           : take_gcc(r, (int)line, text);
}

bool wadi_remarks_read(const char *said, const char *path, wadi_remarks *out) {
    reader r = {.out = out};
    for (const char *at = said; *at != '\0';) {
        if (!take_line(&r, at, path)) return false;
        at += length_of(at);
        at += *at == '\n';
    }
    return true;
}
