/* Stencils in a row, at random: how many, of how many places and how far, of the stencil before and of others, with any edges, and who else reads them. Results
 * are those of schedule inside, which never runs in strips, bit for bit; most of the programs do run in strips.
 *
 *     WADI_SEED=N     one program, which is printed
 *     WADI_SEEDS=N    so many programs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/api/picture.h"

enum { USUAL = 4, MOST_STAGES = 5, MOST_PLACES = 4 };

typedef struct program {
    uint64_t state;
    int stages;
    int output; /* a stage that is an output beside the last one; 0: none */
    wadi_text text;
} program;

/* 0 to n - 1: the high bits of Knuth's linear congruential generator (MMIX). */
static int any(program *p, int n) {
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((p->state >> 33) % (uint64_t)n);
}

static void add_name(program *p, int stage) {
    if (stage == 0)
        wadi_text_add(&p->text, " a");
    else
        wadi_text_addf(&p->text, " v%d", stage);
}

/* Rows wrap around seldom: then nothing runs in strips. */
static int any_edge(program *p) {
    static const int edges[] = {1, 1, 1, 2, 2, 2, 4, 4, 4, 3};
    return edges[any(p, 10)];
}

/* A stencil of one or two arrays, of which one is the stage before: the sum of its places, each time less seven tenths. */
static void add_stage(program *p, int stage) {
    const int arrays = 1 + (any(p, 3) == 0);
    int edge[2] = {0}, places[2] = {0}, all = 0;
    wadi_text_addf(&p->text, "v%d = stencil dims=2 edge=", stage);
    for (int i = 0; i < arrays; i++) wadi_text_addf(&p->text, "%d", edge[i] = any_edge(p));
    wadi_text_add(&p->text, " near=");
    for (int i = 0; i < arrays; i++) {
        wadi_text_addf(&p->text, "%s%d", i > 0 ? "," : "", places[i] = 1 + any(p, MOST_PLACES));
        for (int k = 0; k < places[i]; k++)
            wadi_text_addf(&p->text, ",%d,%d", any(p, 7) - 3, any(p, 5) - 2);
        all += places[i];
    }
    add_name(p, stage - 1);
    if (arrays > 1) add_name(p, any(p, stage));
    wadi_text_add(&p->text, " (");
    for (int i = 0; i < all; i++) wadi_text_addf(&p->text, "%sx%d", i > 0 ? ", " : "", i);
    wadi_text_add(&p->text, ") { ");
    for (int i = 1; i < all; i++)
        wadi_text_add(&p->text, i > 1 ? "(sub (mul 0.7f32 " : "sub (mul 0.7f32 ");
    wadi_text_add(&p->text, all > 1 ? "x0" : "mul 0.9f32 x0");
    for (int i = 1; i < all; i++) wadi_text_addf(&p->text, ") x%d%s", i, i + 1 < all ? ")" : "");
    wadi_text_add(&p->text, " }");
    for (int i = 0; i < arrays; i++)
        if (edge[i] == 4) wadi_text_add(&p->text, " (i, j) { convert f32 (sub i j) }");
    wadi_text_add(&p->text, "\n");
}

static void write_program(program *p, uint64_t seed) {
    *p = (program){.state = seed * 0x9e3779b97f4a7c15u + 1};
    p->stages = 2 + any(p, MOST_STAGES - 1);
    p->output = any(p, 4) == 0 ? 1 + any(p, p->stages - 1) : 0;
    wadi_text_add(&p->text, PICTURE_HEAD);
    for (int i = 1; i <= p->stages; i++) add_stage(p, i);
    wadi_text_addf(&p->text, "output v%d\n", p->stages);
    if (p->output > 0) wadi_text_addf(&p->text, "output v%d\n", p->output);
    assert_false(p->text.failed);
}

static bool same_results(const program *p, const picture_run *x, const picture_run *y) {
    char last[16], other[16];
    (void)snprintf(last, sizeof last, "v%d", p->stages);
    (void)snprintf(other, sizeof other, "v%d", p->output);
    return picture_same(x, y, last) && (p->output == 0 || picture_same(x, y, other));
}

static int lines(const program *p, const picture_run *o) {
    int n = 0;
    for (int i = 1; i <= p->stages; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "v%d", i);
        n += picture_has_line(o, name);
    }
    return n;
}

/* Whether some of its steps ran in strips: they have lines where each step waits for the one before, as on too few rows. */
static bool run_program(uint64_t seed, bool tell) {
    program p;
    write_program(&p, seed);
    if (tell) print_message("%s", wadi_text_str(&p.text));
    const char *text = wadi_text_str(&p.text);
    picture_run flat =
                    picture_go(text, PICTURE_ROWS, 1 + (int)(seed % 3), WADI_SCHEDULE_FORCE_FLAT),
                inside = picture_go(text, PICTURE_ROWS, 1, WADI_SCHEDULE_FORCE_INSIDE),
                few = picture_go(text, PICTURE_FEW_ROWS, 1, WADI_SCHEDULE_FORCE_FLAT);
    const bool strips = lines(&p, &flat) < lines(&p, &few);
    if (!same_results(&p, &flat, &inside)) fail_msg("WADI_SEED=%llu", (unsigned long long)seed);
    picture_end(&flat);
    picture_end(&inside);
    picture_end(&few);
    wadi_text_fini(&p.text);
    return strips;
}

static void strips_change_nothing(void **state) {
    (void)state;
    const char *one = getenv("WADI_SEED"), *some = getenv("WADI_SEEDS");
    const uint64_t first = one != NULL ? strtoull(one, NULL, 10) : 1;
    const uint64_t n = one != NULL ? 1 : some != NULL ? strtoull(some, NULL, 10) : USUAL;
    uint64_t strips = 0;
    for (uint64_t seed = first; seed < first + n; seed++) strips += run_program(seed, one != NULL);
    print_message("%llu of %llu programs ran in strips\n", (unsigned long long)strips,
                  (unsigned long long)n);
    if (one == NULL) assert_true(2 * strips >= n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strips_change_nothing)};
    return cmocka_run_group_tests(tests, picture_make, picture_free);
}
