/* Random texts that call derived functions by name: they are the programs that the same calls of C build, read back from what they print,
 * and give the same in the interpreter; a few are compiled, too.
 *
 * WADI_CONFORMANCE_SEEDS chooses the seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operators/table.h"
#include "tests/conformance/generator.h"
#include "tests/conformance/generator_written.h"
#include "tests/conformance/runner.h"
#include "tests/conformance/trial.h"

enum { SEEDS = 60, ALL_SEEDS = 600, COMPILED = 40, MOST = 24, ELEMENTS = 5 };

/* ---- inputs ---- */

typedef struct data {
    int64_t table[4];
    uint64_t room[WRITTEN_INPUTS + ELEMENTS][MOST * 3];
    wadi_interp_input input[WRITTEN_INPUTS + 1];
    wadi_array element[ELEMENTS];
    wadi_interp_source source;
} data;

/* Small numbers, so that many are equal; some are NaN, infinite or -0. */
static void fill(gen_random *r, wadi_type t, void *to, int64_t n) {
    static const double odd[] = {(double)NAN, (double)INFINITY, -0.0, 0.5};
    for (int64_t i = 0; i < n; i++) {
        const bool is_float = t == WADI_F32 || t == WADI_F64;
        const double x =
            is_float && gen_below(r, 5) == 0 ? odd[gen_below(r, 4)] : (double)(gen_below(r, 9) - 3);
        const float f = (float)x;
        wadi_scalar v = {t, (uint64_t)(int64_t)(x == x && x - x == 0 ? x : 0)};
        if (t == WADI_F64) memcpy(&v.bits, &x, sizeof x);
        if (t == WADI_F32) {
            uint32_t bits;
            memcpy(&bits, &f, sizeof bits);
            v.bits = bits;
        }
        wadi_scalar_store(v, (char *)to + i * wadi_type_size(t));
    }
}

static void make_data(uint64_t seed, const written_inputs *in, data *d) {
    gen_random r = {seed ^ 0x5eed};
    memset(d, 0, sizeof *d);
    for (int i = 0; i < 4; i++) d->table[i] = gen_below(&r, 3);
    d->input[WRITTEN_INPUTS] =
        (wadi_interp_input){WRITTEN_TABLE, conf_vector(WADI_I64, 4, d->table)};
    for (int i = 0; i < WRITTEN_INPUTS; i++) {
        const int64_t shape[] = {gen_below(&r, in->rank[i] == 2 ? 4 : MOST), gen_below(&r, MOST)};
        fill(&r, in->type[i], d->room[i], in->rank[i] == 2 ? shape[0] * shape[1] : shape[0]);
        d->input[i] = (wadi_interp_input){written_input_name(i),
                                          conf_array(in->type[i], in->rank[i], shape, d->room[i])};
    }
    for (int e = 0; e < ELEMENTS; e++) {
        const int64_t n = gen_below(&r, MOST);
        fill(&r, in->stream, d->room[WRITTEN_INPUTS + e], n);
        d->element[e] = conf_vector(in->stream, n, d->room[WRITTEN_INPUTS + e]);
    }
    d->source = (wadi_interp_source){.name = WRITTEN_STREAM, .n = ELEMENTS, .elements = d->element};
}

/* ---- one seed ---- */

static char *printed(const wadi_module *m) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print(m, &t);
    return wadi_text_take(&t);
}

/* What the text prints as, if that reads back, with values numbered instead of named if asked for; NULL: `why`. */
static char *reprinted(const char *text, bool numbered, wadi_text *why) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, "printed", wadi_operators(), &m, &err) != WADI_OK) {
        wadi_text_addf(why, "what is printed is refused: %s", err.msg);
        return NULL;
    }
    for (uint32_t v = 0; numbered && v < m->nvalues; v++) m->values[v].name = NULL;
    char *again = printed(m);
    wadi_module_destroy(m);
    return again;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines in the order of the alphabet, without names of values: calls of C stand where they are first needed, lines of a text where
 * they were written. */
static char *lines_of(const wadi_module *m, wadi_text *why) {
    wadi_text bare, sorted;
    wadi_text_init(&bare);
    wadi_text_init(&sorted);
    char *named = printed(m), *text = reprinted(named, true, why);
    free(named);
    if (!text) return NULL;
    for (const char *at = text; *at;) {
        const size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        if (word > 1 && *at == 'v' && strspn(at + 1, "0123456789_") == word - 1)
            wadi_text_add(&bare, "v");
        else if (word > 0)
            wadi_text_add_n(&bare, at, word);
        else if (*at != ' ' || at[1] != ' ')
            wadi_text_add_n(&bare, at, 1);
        at += word > 0 ? word : 1;
    }
    char *all = wadi_text_take(&bare), *save = NULL;
    const char **line = calloc(strlen(all) + 1, sizeof *line);
    size_t n = 0;
    assert_non_null(line);
    for (char *l = strtok_r(all, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) line[n++] = l;
    qsort(line, n, sizeof *line, by_text);
    for (size_t i = 0; i < n; i++) wadi_text_addf(&sorted, "%s\n", line[i]);
    free(line);
    free(all);
    free(text);
    return wadi_text_take(&sorted);
}

static bool reads_back(const wadi_module *m, wadi_text *why) {
    char *once = printed(m), *again = reprinted(once, false, why);
    const bool same = again && strcmp(once, again) == 0;
    if (again && !same) wadi_text_addf(why, "it prints\n%s\nand read back\n%s", once, again);
    free(once);
    free(again);
    return same;
}

static bool same_lines(const wadi_module *text, const wadi_module *calls, wadi_text *why) {
    char *x = lines_of(text, why), *y = lines_of(calls, why);
    const bool same = x && y && strcmp(x, y) == 0;
    if (x && y && !same)
        wadi_text_addf(why, "the lines of the text are\n%s\nthe calls have\n%s", x, y);
    free(x);
    free(y);
    return same;
}

static bool judge(uint64_t seed, const wadi_program *p, const char *text, bool scalars,
                  const written_inputs *in, wadi_text *why) {
    data *d = malloc(sizeof *d);
    conf_case of_text = {0}, of_c = {0};
    assert_non_null(d);
    make_data(seed, in, d);
    const wadi_interp_io io = {d->input, WRITTEN_INPUTS + 1, &d->source, 1};
    bool same = conf_case_text(&of_text, text, &io, why) && conf_case_init(&of_c, p, &io, why);
    if (same && (!of_text.want || !of_c.want)) {
        wadi_text_addf(why, "a fault: %s%s", of_text.fault.msg, of_c.fault.msg);
        same = false;
    }
    same = same && conf_same_results(of_c.want, of_text.want, why);
    same = same && reads_back(of_text.module, why) && reads_back(of_c.module, why);
    same = same && (scalars || same_lines(of_text.module, of_c.module, why));
    if (same && seed % COMPILED == 0) {
        const conf_variant v = {NULL, WADI_SCHEDULE_AUTO, 1, .chunk = 2};
        same = conf_check(&of_text, &v, why);
    }
    conf_case_fini(&of_text);
    conf_case_fini(&of_c);
    free(d);
    return same;
}

static void texts_are_what_calls_build(void **state) {
    (void)state;
    uint64_t from, to;
    int failed = 0;
    trial_seeds(getenv("WADI_TEST_ALL") ? ALL_SEEDS : SEEDS, &from, &to);
    for (uint64_t seed = from; seed < to && failed < 3; seed++) {
        written_inputs in;
        wadi_text text, why;
        bool scalars = false;
        wadi_text_init(&text);
        wadi_text_init(&why);
        wadi_program *p = written_program(seed, &in, &text, &scalars);
        assert_non_null(p);
        if (!judge(seed, p, wadi_text_str(&text), scalars, &in, &why)) {
            fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)seed, wadi_text_str(&why),
                    wadi_text_str(&text));
            failed++;
        }
        wadi_program_destroy(p);
        wadi_text_fini(&text);
        wadi_text_fini(&why);
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_what_calls_build)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
