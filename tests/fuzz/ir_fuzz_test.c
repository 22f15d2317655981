/* Fuzzing of program text: no text crashes the parser, and a text that reads is a program that verifies, analyses and
 * prints as itself.
 *
 * With -DWADI_LIBFUZZER and -fsanitize=fuzzer this is a libFuzzer target. Otherwise it is a test: a fixed number of
 * mutations of the programs in tests/ir (WADI_FUZZ_RUNS changes how many), always the same ones. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "graph/analysis/depend.h"
#include "operators/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void demand(bool holds, const char *what, const char *text) {
    if (holds) return;
    (void)fprintf(stderr, "%s\n--- text:\n%s\n", what, text);
    abort();
}

static void analyse(const wadi_module *m) {
    wadi_shapes *s = NULL;
    wadi_deps *d = NULL;
    if (wadi_shapes_analyse(m, &s, NULL) == WADI_OK &&
        wadi_depend_analyse(m, s, &d, NULL) == WADI_OK)
        wadi_deps_destroy(d);
    wadi_shapes_destroy(s);
}

static char *printed(const wadi_module *m) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print(m, &t);
    return wadi_text_take(&t);
}

static void check(const char *text) {
    wadi_module *m = NULL, *again = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, NULL, wadi_operators(), &m, &err) != WADI_OK) return;
    demand(wadi_ir_verify(m, &err) == WADI_OK, err.msg, text);
    char *once = printed(m);
    demand(once != NULL, "out of memory", text);
    if (wadi_ir_parse(once, NULL, wadi_operators(), &again, &err) != WADI_OK)
        demand(false, err.msg, once);
    char *twice = printed(again);
    demand(twice && strcmp(once, twice) == 0, "printed differently the second time", once);
    analyse(m);
    free(once);
    free(twice);
    wadi_module_destroy(m);
    wadi_module_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char *text = malloc(n + 1);
    if (!text) return 0;
    if (n > 0) memcpy(text, data, n);
    text[n] = '\0';
    check(text);
    free(text);
    return 0;
}

#ifndef WADI_LIBFUZZER

typedef WADI_VEC(char) bytes;
typedef WADI_VEC(bytes) seeds;

static uint64_t state = 88172645463325252u;

/* A number below n. */
static size_t below(size_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

static void need(bool room) {
    if (!room) abort();
}

static void add(bytes *b, const char *at, size_t n) {
    for (size_t i = 0; i < n; i++) need(wadi_vec_push(b, at[i]));
}

/* Puts `n` bytes in the place of `gone` ones. */
static void replace(bytes *b, size_t at, size_t gone, const char *with, size_t n) {
    bytes fresh = {0};
    add(&fresh, b->at, at);
    add(&fresh, with, n);
    add(&fresh, b->at + at + gone, b->n - at - gone);
    wadi_vec_free(b);
    *b = fresh;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Puts a number that no count is in the place of the next one, whole; or a part of the text a hundred and one times. */
static void number(bytes *b, size_t at) {
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "65",
                                          "2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551616"};
    if (below(20) == 0) {
        bytes part = {0};
        add(&part, b->at + at, b->n - at < 60 ? b->n - at : 60);
        for (int i = 0; i < 100; i++) replace(b, at, 0, part.at, part.n);
        wadi_vec_free(&part);
        return;
    }
    while (at < b->n && !is_digit(b->at[at])) at++;
    size_t end = at;
    while (end < b->n && is_digit(b->at[end])) end++;
    const char *with = numbers[below(sizeof numbers / sizeof *numbers)];
    if (end > at) replace(b, at, end - at, with, strlen(with));
}

static void mutate(bytes *b, const seeds *from) {
    static const char *const words[] = {"{",
                                        "}",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "=",
                                        "!",
                                        "!!",
                                        "?",
                                        "@",
                                        "\n",
                                        "-",
                                        "\"",
                                        "0",
                                        "-1",
                                        "9223372036854775807",
                                        "4294967296",
                                        "18446744073709551615",
                                        "[4294967296, 4294967296]",
                                        ", 1, 2, 3, 4, 5, 6, 7, 8",
                                        "1.0f32",
                                        "nan_f64",
                                        "255u8",
                                        "yield ",
                                        "output ",
                                        "if ",
                                        " else ",
                                        "while ",
                                        " do ",
                                        " from ",
                                        "iterate ",
                                        "the ",
                                        "extent ",
                                        "convert i8 ",
                                        "bitcast f32 ",
                                        "regular ",
                                        "delayed ",
                                        "seq(",
                                        "map ",
                                        "fold ",
                                        "acond ",
                                        "awhile ",
                                        "map_seq ",
                                        "x",
                                        "xs",
                                        "dim=1 ",
                                        "sort ",
                                        "random_u64 1 2",
                                        "sincos ",
                                        "perm=0,1 ",
                                        "add ",
                                        "quot ",
                                        "program p\n",
                                        ": f32[?]",
                                        "{a: i32, b: f64}[n]",
                                        "use : u8[2] [1, 2]",
                                        "#"};
    const size_t at = below(b->n + 1);
    const size_t some = below(b->n - at < 12 ? b->n - at + 1 : 12);
    const char *word = words[below(sizeof words / sizeof *words)];
    const bytes *other = &from->at[below(from->n)];
    const size_t start = below(other->n), most = other->n - start;
    switch (below(8)) {
    case 7:
        number(b, at);
        break;
    case 0:
        replace(b, at, 0, word, strlen(word));
        break;
    case 1:
        replace(b, at, some, word, strlen(word));
        break;
    case 2:
        replace(b, at, some, "", 0);
        break;
    case 3:
        replace(b, at, some, other->at + start, below(most < 60 ? most + 1 : 60));
        break;
    case 4:
        if (at < b->n) b->at[at] = (char)(1 + below(255));
        break;
    case 5:
        if (below(8) == 0) b->n = at;
        break;
    default:
        if (at < b->n && b->at[at] >= '0' && b->at[at] <= '9') b->at[at] = (char)('0' + below(10));
        break;
    }
}

/* The programs of a file: tests/ir keeps several in one, with a line of dashes between. */
static void add_file(seeds *all, const char *path) {
    FILE *f = fopen(path, "r");
    if (!f) return;
    char line[512];
    bytes now = {0};
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "----", 4) != 0) {
            add(&now, line, strlen(line));
            continue;
        }
        need(wadi_vec_push(all, now));
        now = (bytes){0};
    }
    need(wadi_vec_push(all, now));
    (void)fclose(f);
}

static void add_folder(seeds *all, const char *path) {
    DIR *dir = opendir(path);
    if (!dir) return;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char file[1024];
        if (!strstr(e->d_name, ".ir")) continue;
        (void)snprintf(file, sizeof file, "%.700s/%.300s", path, e->d_name);
        add_file(all, file);
    }
    (void)closedir(dir);
}

static int by_text(const void *a, const void *b) {
    const bytes *l = a, *r = b;
    const size_t n = l->n < r->n ? l->n : r->n;
    const int order = n > 0 ? memcmp(l->at, r->at, n) : 0;
    return order != 0 ? order : (l->n > r->n) - (l->n < r->n);
}

static void add_own(seeds *all) {
    static const char *const own[] = {
        "program records\ninput zs : {re: f32, im: f32}[n]\n"
        "ws = map zs (x, y) { re: sub (mul x x) (mul y y), im: mul 2.0f32 (mul x y) }\noutput ws\n",
        "program control\ninput xs : i64[n]\na = map xs (x) {\n"
        "    r, s = while (s, k) { lt (mul s s) x } do { add s 1, sub k 1 } from 0, x\n"
        "    if gt r 10 { add r s } else { iterate x (i, s) { add s (mul i i) } from 0 }\n}\n"
        "b = acond true { yield a } else {\n c = map xs (x) { xs ! (quot x 2) }\n yield "
        "c\n}\noutput b\n",
        "program derived\ninput xs : f64[n]\nys = map xs (x) {\n    s, c = sincos x\n"
        "    mul s (add c (random_f64 7u8 (random_between 1 2 3i32 4i32)))\n}\n"
        "w = generate 3 (i) { a, b, c, d = random_words 1 i 0; xor a (xor b (xor c d)) }\n"
        "lo = lower_bound ys xs\noutput ys; output w; output lo\n",
        "program data\nks = use : f32[2, 3] [1, 2.5, -3, 4, 5, inf_f32]\n"
        "o = sort_by down=1 ks (x) { x }\nv, at = largest ks 2\n"
        "t = transpose perm=1,0 ks\nr = reshape t 6\nq = slice dropped=1 r 2\noutput q as \"q "
        "q\"\n",
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        bytes b = {0};
        add(&b, own[i], strlen(own[i]));
        need(wadi_vec_push(all, b));
    }
}

int main(void) {
    const char *source = getenv("WADI_SOURCE");
    const char *runs = getenv("WADI_FUZZ_RUNS");
    const long n = runs ? strtol(runs, NULL, 10) : 10000;
    char path[1024];
    seeds all = {0};
    add_own(&all);
    (void)snprintf(path, sizeof path, "%.900s/tests/ir", source ? source : ".");
    add_folder(&all, path);
    qsort(all.at, all.n, sizeof *all.at, by_text); /* folders come in any order */
    for (size_t i = 0; i < all.n; i++)
        (void)LLVMFuzzerTestOneInput((const uint8_t *)all.at[i].at, all.at[i].n);
    for (long i = 0; i < n; i++) {
        bytes b = {0};
        const bytes *seed = &all.at[below(all.n)];
        add(&b, seed->at, seed->n);
        for (size_t k = 1 + below(4); k > 0; k--) mutate(&b, &all);
        (void)LLVMFuzzerTestOneInput((const uint8_t *)b.at, b.n);
        wadi_vec_free(&b);
    }
    for (size_t i = 0; i < all.n; i++) wadi_vec_free(&all.at[i]);
    wadi_vec_free(&all);
    return 0;
}

#endif
