/* Loops over stencils, at random: how many turns, of how many places and how far, with any edges, what else is read, and what else the loop carries along. Results
 * are those of schedule inside, where each turn ends before the next begins, bit for bit; most of the programs do run several turns together.
 *
 *     WADI_SEED=N     one program, which is printed
 *     WADI_SEEDS=N    so many programs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/api/picture.h"

enum { USUAL = 8, ROWS = 560, MOST_TURNS = 20, MOST_PLACES = 4 };

typedef struct program {
    uint64_t state;
    bool beside; /* a second array is carried along */
    wadi_text text;
} program;

/* 0 to n - 1: the high bits of Knuth's linear congruential generator (MMIX). */
static int any(program *p, int n) {
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((p->state >> 33) % (uint64_t)n);
}

/* Rows wrap around seldom: then each turn needs the one before as a whole. */
static int any_edge(program *p) {
    static const int edges[] = {1, 1, 1, 2, 2, 2, 4, 4, 4, 3};
    return edges[any(p, 10)];
}

/* What the second array of a stencil is: the start, or what the loop carries along. */
static const char *any_array(program *p) {
    return p->beside && any(p, 4) == 0 ? " v" : " a";
}

/* The sum of the places, each time less six tenths; now and then with the number of the turn. */
static void add_sum(program *p, int places) {
    wadi_text_add(&p->text, " (");
    for (int i = 0; i < places; i++) wadi_text_addf(&p->text, "%sx%d", i > 0 ? ", " : "", i);
    wadi_text_add(&p->text, ") { ");
    for (int i = 1; i < places; i++)
        wadi_text_add(&p->text, i > 1 ? "(sub (mul 0.6f32 " : "sub (mul 0.6f32 ");
    wadi_text_add(&p->text, places > 1       ? "x0"
                            : any(p, 6) == 0 ? "mul (convert f32 (the k)) x0"
                                             : "mul 0.9f32 x0");
    for (int i = 1; i < places; i++)
        wadi_text_addf(&p->text, ") x%d%s", i, i + 1 < places ? ")" : "");
    wadi_text_add(&p->text, " }");
}

/* A stencil of the state, and of another array now and then. */
static void add_stencil(program *p) {
    const int arrays = 1 + (any(p, 3) == 0);
    int edge[2] = {0}, places[2] = {0}, all = 0;
    wadi_text_add(&p->text, "stencil dims=2 edge=");
    for (int i = 0; i < arrays; i++) wadi_text_addf(&p->text, "%d", edge[i] = any_edge(p));
    wadi_text_add(&p->text, " near=");
    for (int i = 0; i < arrays; i++) {
        wadi_text_addf(&p->text, "%s%d", i > 0 ? "," : "", places[i] = 1 + any(p, MOST_PLACES));
        for (int k = 0; k < places[i]; k++)
            wadi_text_addf(&p->text, ",%d,%d", any(p, 7) - 3, any(p, 5) - 2);
        all += places[i];
    }
    wadi_text_add(&p->text, " x");
    if (arrays > 1) wadi_text_add(&p->text, any_array(p));
    add_sum(p, all);
    for (int i = 0; i < arrays; i++)
        if (edge[i] == 4) wadi_text_add(&p->text, " (i, j) { convert f32 (sub i j) }");
    wadi_text_add(&p->text, "\n");
}

static void write_program(program *p, uint64_t seed) {
    *p = (program){.state = seed * 0x9e3779b97f4a7c15u + 1};
    p->beside = any(p, 3) == 0;
    const char *more = p->beside ? ", v" : "";
    wadi_text_addf(&p->text, PICTURE_HEAD "r, c%s = awhile a %d%s (x, k%s) {\n",
                   p->beside ? ", w" : "", any(p, MOST_TURNS), p->beside ? " a" : "", more);
    wadi_text_addf(&p->text, "p = unit { gt (the k) 0 }\nyield p\n} do (x, k%s) {\ny = ", more);
    add_stencil(p);
    wadi_text_add(&p->text, "l = unit { sub (the k) 1 }\n");
    if (p->beside && any(p, 3) > 0)
        wadi_text_add(&p->text, "u = map v (e) { mul 0.5f32 e }\nyield y, l, u\n");
    else
        wadi_text_add(&p->text, p->beside ? "yield y, l, x\n" : "yield y, l\n");
    wadi_text_add(&p->text, p->beside ? "}\noutput r\noutput w\n" : "}\noutput r\n");
    assert_false(p->text.failed);
}

/* Whether turns of an array have read less than each of them alone would. */
static bool are_together(const picture_run *o) {
    for (int i = 0; i < o->n; i++) {
        const wadi_profile_row *row = &o->row[i];
        if (strncmp(row->name, "stencil: ", 9) == 0)
            return row->bytes_read < row->calls * ROWS * PICTURE_COLUMNS * (int64_t)sizeof(float);
    }
    return false;
}

static bool run_program(uint64_t seed, bool tell) {
    program p;
    write_program(&p, seed);
    if (tell) print_message("%s", wadi_text_str(&p.text));
    const char *text = wadi_text_str(&p.text);
    picture_run flat = picture_go(text, ROWS, 1 + (int)(seed % 4), WADI_SCHEDULE_FORCE_FLAT),
                inside = picture_go(text, ROWS, 1, WADI_SCHEDULE_FORCE_INSIDE);
    if (!picture_same(&flat, &inside, "r") || (p.beside && !picture_same(&flat, &inside, "w")))
        fail_msg("WADI_SEED=%llu", (unsigned long long)seed);
    const bool together = are_together(&flat);
    picture_end(&flat);
    picture_end(&inside);
    wadi_text_fini(&p.text);
    return together;
}

static void turns_change_nothing(void **state) {
    (void)state;
    const char *one = getenv("WADI_SEED"), *some = getenv("WADI_SEEDS");
    const uint64_t first = one != NULL ? strtoull(one, NULL, 10) : 1;
    const uint64_t n = one != NULL ? 1 : some != NULL ? strtoull(some, NULL, 10) : USUAL;
    uint64_t together = 0;
    for (uint64_t seed = first; seed < first + n; seed++)
        together += run_program(seed, one != NULL);
    print_message("turns of %llu of %llu programs ran together\n", (unsigned long long)together,
                  (unsigned long long)n);
    if (one == NULL && some == NULL) assert_true(3 * together >= n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns_change_nothing)};
    return cmocka_run_group_tests(tests, picture_make, picture_free);
}
