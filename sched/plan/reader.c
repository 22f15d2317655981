/* Takes words, numbers, names, slots and lists from a plan's text, and notes the first thing that is missing. */
#include "sched/plan/reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "sched/plan/words.h"

/* ---- failures ---- */

bool wadi_plan_fails(wadi_plan_reader *r, const char *what) {
    if (r->status == WADI_OK)
        r->status = wadi_fail(r->err, WADI_INVALID, "plan: line %d: %s", r->line, what);
    return false;
}

bool wadi_plan_lacks_memory(wadi_plan_reader *r) {
    if (r->status == WADI_OK) r->status = wadi_fail(r->err, WADI_MEMORY, "plan: out of memory");
    return false;
}

/* Copies the elements of a growing array into the plan's arena. */
bool wadi_plan_keep(wadi_plan_reader *r, const void *from, size_t size, size_t n, const void *out) {
    void *to = wadi_arena_alloc_n(r->plan->arena, size, n + 1);
    if (to == NULL) return wadi_plan_lacks_memory(r);
    if (n > 0) memcpy(to, from, n * size);
    memcpy((void *)(uintptr_t)out, &to, sizeof to);
    return true;
}

/* ---- words ---- */

bool wadi_plan_sees(const wadi_plan_reader *r, const char *text) {
    return strncmp(r->at, text, strlen(text)) == 0;
}

/* Takes the text if it comes next. */
bool wadi_plan_takes(wadi_plan_reader *r, const char *text) {
    if (!wadi_plan_sees(r, text)) return false;
    r->at += strlen(text);
    return true;
}

bool wadi_plan_expects(wadi_plan_reader *r, const char *text) {
    char what[64];
    if (wadi_plan_takes(r, text)) return true;
    (void)snprintf(what, sizeof what, "expected \"%s\"", strcmp(text, "\n") == 0 ? "\\n" : text);
    return wadi_plan_fails(r, what);
}

bool wadi_plan_ends_line(wadi_plan_reader *r) {
    if (!wadi_plan_takes(r, "\n")) return wadi_plan_fails(r, "expected the end of the line");
    r->line++;
    return true;
}

bool wadi_plan_number(wadi_plan_reader *r, int64_t *out) {
    char *end = NULL;
    if (*r->at != '-' && (*r->at < '0' || *r->at > '9'))
        return wadi_plan_fails(r, "expected a number");
    errno = 0;
    *out = strtoll(r->at, &end, 10);
    if (end == r->at || errno != 0) return wadi_plan_fails(r, "expected a number");
    r->at = end;
    return true;
}

/* The number of one of `limit` things. */
bool wadi_plan_index(wadi_plan_reader *r, int64_t limit, const char *of_what, int *out) {
    int64_t n = 0;
    if (!wadi_plan_number(r, &n)) return false;
    *out = (int)n;
    return n >= 0 && n < limit ? true : wadi_plan_fails(r, of_what);
}

/* The length of the name that stands here, 0: none. */
size_t wadi_plan_name_length(const char *at) {
    size_t n = 0;
    if (*at >= '0' && *at <= '9') return 0;
    if (*at != '"') {
        while (wadi_ascii_is_word(at[n])) n++;
        return n;
    }
    for (n = 1; at[n] != '"'; n++)
        if (at[n] == '\0' || at[n] == '\n') return 0;
    return n + 1;
}

int wadi_plan_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The text between the quotes. */
static bool unquote(wadi_plan_reader *r, const char *from, size_t n, const char **out) {
    char *to = wadi_arena_alloc(r->plan->arena, n + 1);
    size_t m = 0;
    if (to == NULL) return wadi_plan_lacks_memory(r);
    for (size_t i = 0; i < n; i++) {
        if (from[i] != '\\') {
            to[m++] = from[i];
            continue;
        }
        const int high = i + 2 < n ? wadi_plan_digit(from[i + 1]) : -1;
        const int low = high >= 0 ? wadi_plan_digit(from[i + 2]) : -1;
        if (low < 0 || high + low == 0) return wadi_plan_fails(r, "expected two digits behind \\");
        to[m++] = (char)(high * 16 + low);
        i += 2;
    }
    *out = to;
    return true;
}

bool wadi_plan_name(wadi_plan_reader *r, const char **out) {
    const char *from = r->at;
    const size_t n = wadi_plan_name_length(from);
    if (n == 0) return wadi_plan_fails(r, "expected a name");
    r->at += n;
    *out = NULL;
    if (*from == '"') return unquote(r, from + 1, n - 2, out);
    if (n == 1 && *from == '_') return true;
    *out = wadi_arena_strndup(r->plan->arena, from, n);
    return *out != NULL || wadi_plan_lacks_memory(r);
}

bool wadi_plan_string(wadi_plan_reader *r, const char **out) {
    *out = NULL;
    if (wadi_plan_takes(r, "-")) return true;
    return *r->at == '"' ? wadi_plan_name(r, out) : wadi_plan_fails(r, "expected a string");
}

/* One of the words of a list that ends with NULL, the longest that fits. */
bool wadi_plan_word(wadi_plan_reader *r, const char *const *words, const char *what, int *out) {
    const size_t n = wadi_plan_name_length(r->at);
    for (int i = 0; words[i] != NULL; i++) {
        if (strlen(words[i]) != n || !wadi_plan_sees(r, words[i])) continue;
        r->at += n;
        *out = i;
        return true;
    }
    return wadi_plan_fails(r, what);
}

/* ---- slots ---- */

bool wadi_plan_same(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Whether a slot stands here: a name, a point and a number. */
bool wadi_plan_sees_slot(const wadi_plan_reader *r) {
    const size_t n = wadi_plan_name_length(r->at);
    return n > 0 && r->at[n] == '.' && r->at[n + 1] >= '0' && r->at[n + 1] <= '9';
}

bool wadi_plan_slot_of(wadi_plan_reader *r, int *out) {
    const char *called = NULL;
    if (!wadi_plan_name(r, &called) || !wadi_plan_expects(r, ".")) return false;
    if (!wadi_plan_index(r, (int64_t)r->slots.n, "there is no such slot", out)) return false;
    return wadi_plan_same(called, r->slots.at[*out].name) ||
           wadi_plan_fails(r, "the slot has another name");
}

bool wadi_plan_push(wadi_plan_reader *r, wadi_plan_ints *v, int n) {
    return wadi_vec_push(v, n) || wadi_plan_lacks_memory(r);
}

/* A list of slots with commas between them; it may be empty. */
bool wadi_plan_slots(wadi_plan_reader *r, const int **out, int *out_n) {
    wadi_plan_ints v = {0};
    int n = 0;
    bool fine = true;
    if (wadi_plan_sees_slot(r)) fine = wadi_plan_slot_of(r, &n) && wadi_plan_push(r, &v, n);
    while (fine && wadi_plan_sees(r, ", ")) {
        r->at += 2;
        if (!wadi_plan_sees_slot(r)) { /* what follows the list */
            r->at -= 2;
            break;
        }
        fine = wadi_plan_slot_of(r, &n) && wadi_plan_push(r, &v, n);
    }
    fine = fine && WADI_PLAN_KEEP(r, &v, out);
    *out_n = (int)v.n;
    wadi_vec_free(&v);
    return fine;
}

bool wadi_plan_sees_digit(const char *at) {
    return *at >= '0' && *at <= '9';
}

bool wadi_plan_numbers(wadi_plan_reader *r, const char *of_what, const int **out, int *out_n) {
    wadi_plan_ints v = {0};
    int n = 0;
    bool fine = true;
    if (wadi_plan_sees_digit(r->at))
        fine = wadi_plan_index(r, INT_MAX, of_what, &n) && wadi_plan_push(r, &v, n);
    while (fine && wadi_plan_sees(r, ", ") && wadi_plan_sees_digit(r->at + 2)) {
        r->at += 2;
        fine = wadi_plan_index(r, INT_MAX, of_what, &n) && wadi_plan_push(r, &v, n);
    }
    fine = fine && WADI_PLAN_KEEP(r, &v, out);
    *out_n = (int)v.n;
    wadi_vec_free(&v);
    return fine;
}
