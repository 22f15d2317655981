/* Picking the functions that kernels need. There are many hundred functions for scalars, and a compiler takes longer to read
 * all of them than to compile a kernel of middling size. Their texts are preprocessed when wadi is built
 * (codegen/CMakeLists.txt). The preprocessed text consists of definitions that begin with one of three marks. They are picked by
 * name. */
#include "codegen/emit/c_like/pick.h"

#include <string.h>

#include "base/ascii.h"
#include "base/map.h"
#include "base/vec.h"

static const char *const marks[] = {"WADI_FN ", "WADI_LIBRARY ", "WADI_TABLE "};
static const char prefix[] = "wadi_";

/* A definition, and the name that it defines. */
typedef struct piece {
    const char *text, *name;
    size_t length, name_length;
    bool wanted;
} piece;

typedef struct pieces {
    WADI_VEC(piece) all;
    WADI_VEC(size_t) unread; /* wanted, and not yet searched for the names that they use */
    wadi_map64 by_name;      /* digest of the name: its number */
    bool failed;
} pieces;

static uint64_t digest(const char *s, size_t n) {
    uint64_t h = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
    return h;
}

/* The next name in s that begins with our prefix, and its length; NULL if there is none. */
static const char *next_name(const char *s, const char *end, size_t *length) {
    for (; s < end; s++) {
        const char *begin = s;
        while (s < end && wadi_ascii_is_word(*s)) s++;
        *length = (size_t)(s - begin);
        if (*length > sizeof prefix && memcmp(begin, prefix, sizeof prefix - 1) == 0) return begin;
    }
    return NULL;
}

/* ---- finding ---- */

/* All marks begin alike: one search for all. */
static const char *next_mark(const char *s) {
    for (const char *at = strstr(s, "WADI_"); at; at = strstr(at + 1, "WADI_"))
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
            if (strncmp(at, marks[k], strlen(marks[k])) == 0) return at;
    return s + strlen(s);
}

/* Adds a definition. The name that it defines is in front of the first parenthesis or bracket. */
static void add_piece(pieces *p, const char *text, size_t length) {
    const size_t front = strcspn(text, "([");
    const char *end = front < length ? text + front : NULL, *name = end ? end : text;
    while (name > text && wadi_ascii_is_word(name[-1])) name--;
    const piece one = {text, name, length, end ? (size_t)(end - name) : 0, false};
    const uint64_t key = digest(name, one.name_length);
    if (!wadi_map64_put(&p->by_name, key, p->all.n) || !wadi_vec_push(&p->all, one))
        p->failed = true;
}

/* Adds the definitions in a text, and prints the text before the first of them. */
static void split(pieces *p, const char *text, wadi_text *out) {
    const char *at = next_mark(text);
    wadi_text_add_n(out, text, (size_t)(at - text));
    while (*at) {
        const char *next = next_mark(at + 1);
        add_piece(p, at, (size_t)(next - at));
        at = next;
    }
}

/* ---- choosing ---- */

static void want(pieces *p, const char *name, size_t length) {
    uint64_t i = 0;
    if (!wadi_map64_get(&p->by_name, digest(name, length), &i)) return;
    piece *one = &p->all.at[i];
    if (one->wanted || one->name_length != length || memcmp(one->name, name, length) != 0) return;
    one->wanted = true;
    if (!wadi_vec_push(&p->unread, (size_t)i)) p->failed = true;
}

static void want_all_in(pieces *p, const char *text, size_t n) {
    size_t length = 0;
    const char *end = text + n;
    for (const char *s = next_name(text, end, &length); s; s = next_name(s + length, end, &length))
        want(p, s, length);
}

static void choose(pieces *p, const char *kernels) {
    want_all_in(p, kernels, strlen(kernels));
    while (p->unread.n > 0) {
        const piece *one = &p->all.at[p->unread.at[--p->unread.n]];
        want_all_in(p, one->text, one->length);
    }
}

bool wadi_c_pick(const char *const *texts, int n, const char *kernels, wadi_text *out) {
    pieces p = {0};
    for (int i = 0; i < n; i++) split(&p, texts[i], out);
    choose(&p, kernels);
    for (size_t i = 0; i < p.all.n; i++)
        if (p.all.at[i].wanted) wadi_text_add_n(out, p.all.at[i].text, p.all.at[i].length);
    wadi_text_add(out, "\n");
    const bool fine = !p.failed && !out->failed;
    wadi_vec_free(&p.all);
    wadi_vec_free(&p.unread);
    wadi_map64_fini(&p.by_name);
    return fine;
}
