/* Emitted kernels as text: how many loops they have, which checks are left, and what vectorises. tests/conformance checks what
 * they compute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/build/cc.h"
#include "codegen/plan/plan.h"
#include "codegen/targets.h"
#include "tests/codegen/programs.h"

/* A planned program. */
typedef struct planned {
    compiled c;
    wadi_plan *plan;
    wadi_versions *versions;
    wadi_made *made[WADI_SCHEDULE_COUNT]; /* of the last body */
} planned;

static planned plan_of(const char *text, bool unchecked) {
    planned p = {.c = compile(text, NULL)};
    wadi_error err = {.status = WADI_OK};
    const wadi_plan_options options = {.unchecked = unchecked};
    if (wadi_plan_build(p.c.m, &p.c.facts, &options, &p.plan, &p.versions, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    const int last = p.plan->nbodies - 1;
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++)
        if (p.plan->bodies[last].offers[k] &&
            wadi_versions_make(p.versions, last, (wadi_version_key){.schedule = (wadi_schedule)k},
                               NULL, &p.made[k], &err) != WADI_OK)
            fail_msg("%s", err.msg);
    return p;
}

static void planned_free(planned *p) {
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++) wadi_made_destroy(p->made[k]);
    wadi_versions_destroy(p->versions);
    wadi_plan_destroy(p->plan);
    compiled_free(&p->c);
}

/* The kernels of the last body, without what is pasted in front. */
static const char *kernels_of(const planned *p, wadi_schedule schedule) {
    assert_non_null(p->made[schedule]);
    return p->made[schedule]->kernels;
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + strlen(what), what)) n++;
    return n;
}

static const char dotp[] = "program dotp\n"
                           "input xs : f32[n]\n"
                           "input ys : f32[n]\n"
                           "prods = zip_with xs ys (x, y) { mul x y }\n"
                           "dot = fold 0.0f32 prods (a, x) { add a x }\n"
                           "output dot\n";

static void a_dot_product_stores_nothing_but_its_result(void **state) {
    (void)state;
    planned p = plan_of(dotp, false);
    const char *text = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    assert_int_equal(count(text, "scratch"), 0);
    assert_int_equal(count(text, "emit("), 1);
    assert_int_equal(count(text, "wadi_fault_at"), 0);
    planned_free(&p);
}

static const char lags[] = "program lags\n"
                           "stream_in s : seq(f64[3, 4112])\n"
                           "r = map_seq s (win) {\n"
                           "    prods = generate 3 13 4096 (w, lag, i) {\n"
                           "        a = win ! (w, add i 16)\n"
                           "        b = win ! (w, add (sub i lag) 16)\n"
                           "        mul a b\n"
                           "    }\n"
                           "    ac = fold 0.0f64 prods (a, x) { add a x }\n"
                           "    yield ac\n"
                           "}\n"
                           "stream_out \"out\" r\n";

static void proved_reads_are_not_checked(void **state) {
    (void)state;
    planned p = plan_of(lags, false);
    for (int s = 0; s < 2; s++)
        assert_int_equal(count(kernels_of(&p, (wadi_schedule)s), "WADI_FAULT_INDEX"), 0);
    planned_free(&p);
}

static const char gathers[] = "program gathers\n"
                              "input v : f64[n]\n"
                              "input columns : i64[m]\n"
                              "stream_in s : seq(i64)\n"
                              "r = map_seq s (k) {\n"
                              "    picked = generate k (i) { v ! (columns ! (add (the k) i)) }\n"
                              "    sum = fold 0.0 picked (a, x) { add a x }\n"
                              "    yield sum\n"
                              "}\n"
                              "stream_out \"out\" r\n",
                  guarded[] = "program guarded\n"
                              "input v : f64[n]\n"
                              "stream_in s : seq(i64)\n"
                              "r = map_seq s (k) {\n"
                              "    picked = generate k (i) {\n"
                              "        if lt i 9 { sqrt (v ! (add (the k) i)) } else { 0.0 }\n"
                              "    }\n"
                              "    sum = fold 0.0 picked (a, x) { add a x }\n"
                              "    yield sum\n"
                              "}\n"
                              "stream_out \"out\" r\n";

/* What is read out of range is looked for by a loop that only checks, so the sum is there once. Behind a condition it need not be read at all. */
static void a_sum_whose_reads_are_checked_is_there_once(void **state) {
    (void)state;
    planned p = plan_of(gathers, false), q = plan_of(guarded, false);
    const char *text = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    assert_int_equal(count(text, "double acc[16]"), 1);
    assert_int_equal(count(text, "for (int64_t from_i ="), 1);
    assert_int_equal(count(kernels_of(&q, WADI_SCHEDULE_INSIDE), "double acc_2[16]"), 1);
    planned_free(&p);
    planned_free(&q);
}

static const char shifted[] = "program shifted\n"
                              "input k : i64\n"
                              "input xs : f32[n]\n"
                              "input zs : f32[m]\n"
                              "ys = imap zs (i, z) { t = xs ! (add i (the k))\n add t z }\n"
                              "output ys\n";

static void a_shift_by_a_number_is_decided_before_the_loop(void **state) {
    (void)state;
    planned p = plan_of(shifted, false), q = plan_of(shifted, true);
    const char *text = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    assert_int_equal(count(text, "WADI_FAULT_INDEX"), 1);
    assert_int_equal(count(text, "WADI_INDEPENDENT"), 1); /* the version without checks */
    assert_int_equal(count(text, "else {"), 1);
    assert_int_equal(count(kernels_of(&q, WADI_SCHEDULE_INSIDE), "WADI_FAULT_INDEX"), 0);
    planned_free(&p);
    planned_free(&q);
}

static void a_gather_is_checked_in_place(void **state) {
    (void)state;
    planned p = plan_of(
        "program g\ninput ix : i64[n]\ninput xs : f32[m]\nys = gather ix xs\noutput ys\n", false);
    const char *text = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    assert_int_equal(count(text, "WADI_FAULT_INDEX"), 1);
    assert_int_equal(count(text, "else"), 0);
    planned_free(&p);
}

static void a_read_behind_its_guard_is_not_checked(void **state) {
    (void)state;
    planned p =
        plan_of("program g\n"
                "input xs : f32[n]\n"
                "input k : i64\n"
                "ys = imap xs (i, x) { if land (ge i 5) (lt i (extent xs 0)) { add x (xs ! (sub i "
                "5)) } else { x } }\n"
                "zs = imap xs (i, x) { if ge i (the k) { add x (xs ! (sub i 5)) } else { x } }\n"
                "output ys\n"
                "output zs\n",
                false);
    /* k says nothing about i - 5 */
    assert_int_equal(count(kernels_of(&p, WADI_SCHEDULE_INSIDE), "WADI_FAULT_INDEX"), 1);
    planned_free(&p);
}

/* A number of the stream is an extent behind a read of another place: there it may be negative, and the remainder is not C's. */
static void an_extent_is_not_negative_behind_its_check_alone(void **state) {
    (void)state;
    planned p = plan_of("program extents\n"
                        "input t : i64[17]\n"
                        "s = stream_in \"in\" : seq(i64[?], i64)\n"
                        "r = map_seq s (v, j) {\n"
                        "    a = map v (x) { add x (t ! (mod (the j) 17)) }\n"
                        "    b = map v (x) { a ! (mod x (max 1 (extent a 0))) }\n"
                        "    c = generate j (x) { add x (mod (the j) 5) }\n"
                        "    d = concat dim=0 a b c\n"
                        "    yield d\n"
                        "}\n"
                        "stream_out \"out\" r\n",
                        false);
    const char *kernels = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    const char *read = strstr(kernels, "wadi_mod_i64(j_2, 17)");
    assert_non_null(read);
    assert_int_equal(count(kernels, "% 17"), 0);
    assert_non_null(strstr(read, "wadi_fault_at(w, WADI_FAULT_EXTENT"));
    assert_int_equal(count(kernels, "j_2 % 5"), 1);
    planned_free(&p);
}

static void a_diamond_is_written_once(void **state) {
    (void)state;
    planned p = plan_of("program d\n"
                        "input xs : f32[n]\n"
                        "a = map xs (x) { add x 1.0f32 }\n"
                        "b = zip_with a a (x, y) { mul x y }\n"
                        "c = zip_with b b (x, y) { mul x y }\n"
                        "d = zip_with c c (x, y) { mul x y }\n"
                        "output d\n",
                        false);
    assert_int_equal(count(kernels_of(&p, WADI_SCHEDULE_INSIDE), "1.0f"), 1);
    planned_free(&p);
}

/* A piece has a bounded number of rounds: the loop over pieces looks at the stop, those within do not. */
static void pieces_are_not_cut_into_strips(void **state) {
    (void)state;
    planned p = plan_of(dotp, false);
    const char *text = kernels_of(&p, WADI_SCHEDULE_FLAT);
    assert_true(count(text, "below_unit = WADI_STRIP(") > 0);
    assert_true(count(text, "+= 16)") > 0);
    assert_int_equal(count(text, "below_g"), 0);
    assert_int_equal(count(text, "below_t"), 0);
    planned_free(&p);
}

static void scalar_bodies_exist_across(void **state) {
    (void)state;
    planned p = plan_of("program s\n"
                        "stream_in s : seq(f32)\n"
                        "r = map_seq s (x) {\n"
                        "    y = map x (v) { mul v 2.0f32 }\n"
                        "    yield y\n"
                        "}\n"
                        "stream_out \"out\" r\n",
                        false);
    assert_true(p.plan->bodies[0].rank0);
    assert_int_equal(count(kernels_of(&p, WADI_SCHEDULE_ACROSS), "WADI_INDEPENDENT"), 1);
    planned_free(&p);
}

static void places_name_operators_and_lines(void **state) {
    (void)state;
    planned p = plan_of(
        "program q\ninput xs : i32[n]\nys = map xs (x) { quot 7i32 x }\noutput ys\n", false);
    bool found = false;
    const wadi_plan_version *v = &p.made[WADI_SCHEDULE_FLAT]->version;
    for (int i = 0; i < v->nplaces; i++) found = found || strcmp(v->places[i].op, "quot") == 0;
    assert_true(found);
    planned_free(&p);
}

/* Each round gives back what it took, or memory would grow with the number of rounds. */
static void rounds_give_their_memory_back(void **state) {
    (void)state;
    static const char *const consumers[] = {
        "r = elements p\n",
        "r = fold_seq p 0 (z, d) {\nt = unit { add (the z) (d ! 0) }\nyield t\n}\n",
        "f = filter_seq p (d) {\nc = unit { gt (d ! 0) 3 }\nyield c\n}\nr = elements f\n",
        "f = map_seq p (d) {\ne = scanl 1 d (x, y) { add x y }\nyield e\n}\nr = elements f\n"};
    for (size_t i = 0; i < sizeof consumers / sizeof *consumers; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "program mem\nstream_in s : seq(i64)\nu = map_seq s (n) {\np = produce n (i) {\n"
                 "b = generate i (j) { add j (the i) }\nd = scanl 0 b (x, y) { add x y }\nyield d\n"
                 "}\n%syield r\n}\nstream_out \"out\" u\n",
                 consumers[i]);
        planned p = plan_of(text, false);
        const char *inside = kernels_of(&p, WADI_SCHEDULE_INSIDE);
        const int marks = count(inside, "w->scratch_mark(w)");
        assert_int_equal(marks, 2); /* of the element, and of the round */
        assert_int_equal(marks, count(inside, "w->scratch_rewind(w, "));
        planned_free(&p);
    }
}

/* Where memory is missing, the message names the operator that wanted it. */
static void memory_is_asked_for_by_its_operator(void **state) {
    (void)state;
    static const char *const ops[] = {"scanl", "scanl1", "permute"};
    planned p = plan_of("program wants\nstream_in s : seq(i64[?])\nu = map_seq s (a) {\n"
                        "b = scanl 0 a (x, y) { add x y }\n"
                        "c = scanl1 b (x, y) { max x y }\n"
                        "d = permute b c (n, o) { add n o } (i) { true, i }\n"
                        "e = reverse dim=0 d\nyield e\n}\nstream_out \"out\" u\n",
                        false);
    const wadi_plan_version *v = &p.made[WADI_SCHEDULE_INSIDE]->version;
    const char *at = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        at = strstr(at, "wadi_scratch_of(w, ");
        assert_non_null(at);
        at += strlen("wadi_scratch_of(w, ");
        const long place = strtol(at, NULL, 10);
        assert_in_range(place, 0, v->nplaces - 1);
        assert_string_equal(v->places[place].op, ops[i]);
    }
    planned_free(&p);
}

/* Values that are computed where they are read are computed by calls within calls: a chain of them is stored now and then. */
static void a_long_chain_is_cut(void **state) {
    (void)state;
    for (int length = 50; length <= 250; length += 200) {
        char text[16384] = "program chain\nstream_in s : seq(i64[?])\nu = map_seq s (x0) {\n",
             line[64];
        for (int i = 0; i < length; i++) {
            snprintf(line, sizeof line, "x%d = map x%d (x) { add x %d }\n", i + 1, i, i % 3 + 1);
            strcat(text, line);
        }
        snprintf(line, sizeof line, "yield x%d\n}\nstream_out \"out\" u\n", length);
        strcat(text, line);
        planned p = plan_of(text, false);
        const int stored = count(kernels_of(&p, WADI_SCHEDULE_INSIDE), "wadi_scratch_of(");
        assert_int_equal(stored, length < 100 ? 0 : 2);
        planned_free(&p);
    }
}

/* ---- what the compiler says ---- */

/* Lines of gcc's vectorisation report for the source. -1: no gcc. */
static int vectorised(const char *source) {
    char path[] = "/tmp/wadi_kernel_XXXXXX", command[1024] = "", version[256];
    wadi_image_builder cc;
    if (wadi_cc_find(wadi_targets, &cc, NULL) != WADI_OK) return -1;
    if (wadi_cc_version(&cc, version, sizeof version, NULL) != WADI_OK) return -1;
    if (strstr(version, "clang")) return -1;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs(source, f);
    fclose(f);
    snprintf(command, sizeof command, "'%s' -x c", cc.path);
    for (const char *const *flag = wadi_cc_flags(false); *flag; flag++) {
        strcat(command, " ");
        strcat(command, *flag);
    }
    strcat(command, " ");
    strcat(command, cc.target->flag);
    strcat(command, " -fopt-info-vec -o /dev/null ");
    strcat(command, path);
    strcat(command, " 2>&1 | grep -c 'loop vectorized\\|vectorized using'");
    FILE *report = popen(command, "r");
    assert_non_null(report);
    int n = 0;
    assert_int_equal(fscanf(report, "%d", &n), 1);
    pclose(report);
    unlink(path);
    return n;
}

static const char pieces[] = "program pieces\n"
                             "stream_in s : seq(i64[?])\n"
                             "r = map_seq s (xs) {\n"
                             "    n = unit { extent xs 0 } : i64\n"
                             "    inner = produce n (j) {\n"
                             "        below = take dim=0 xs j\n"
                             "        t = fold 0 below (a, x) { add a x }\n"
                             "        yield t\n"
                             "    }\n"
                             "    all = elements inner\n"
                             "    z = unit { 0 } : i64\n"
                             "    last = fold_seq inner z (a, t) {\n"
                             "        d = zip_with t a (t, a) { sub t a }\n"
                             "        yield d\n"
                             "    }\n"
                             "    yield all, last\n"
                             "}\n"
                             "stream_out \"out\" r\n";

/* The kernels of schedule flat of one array `ys`, written over the interior of a border: without checks, gathers and strips. */
static void assert_flat_has_interior(const char *ys, const char *interior) {
    char text[600];
    snprintf(text, sizeof text,
             "program clamps\ninput xs : f32[n]\ninput m : f32[r, c]\n"
             "k = unit { extent xs 0 }\n%s\noutput ys\n",
             ys);
    planned p = plan_of(text, false);
    const char *flat = kernels_of(&p, WADI_SCHEDULE_FLAT);
    const bool fits = count(flat, "side++") == 1 && count(flat, "greatest") == 0 &&
                      count(flat, "strip += ") == 0 && count(flat, "wadi_fault_at") == 0 &&
                      count(flat, interior) == 1 + count(flat, "wadi_round = 0");
    if (!fits) print_message("%s", flat);
    assert_true(fits);
    planned_free(&p);
}

/* Clamps that a program writes itself are decided in the interior, as those of a stencil, and proved to be indices in its border. */
static void clamps_by_hand_leave_the_interior(void **state) {
    (void)state;
    assert_flat_has_interior("ys = generate k (i) { xs ! (max (sub i 1) 0) }", "xs[i_2 - 1];");
    assert_flat_has_interior("ys = generate k (i) { xs ! (min (add i 1) (sub (extent xs 0) 1)) }",
                             "xs[i_2 + 1];");
    assert_flat_has_interior("ys = imap xs (i, x) {\n"
                             "    l = xs ! (max (sub i 1) 0)\n"
                             "    add l (xs ! (min (add i 1) (sub (extent xs 0) 1)))\n}",
                             "xs[i_2 - 1] + xs[i_2 + 1];");
    assert_flat_has_interior("ys = backpermute xs k (i) { max (sub i 1) 0 }", "xs[i_2 - 1];");
    assert_flat_has_interior("ys = imap m (i, j, x) {\n"
                             "    t = m ! (max (sub i 1) 0, j)\n"
                             "    b = m ! (min (add i 1) (sub (extent m 0) 1), j)\n"
                             "    l = m ! (i, max (sub j 1) 0)\n"
                             "    r = m ! (i, min (add j 1) (sub (extent m 1) 1))\n"
                             "    add (add t b) (sub l r)\n}",
                             " - 1)] - m[");
}

/* Where extents differ, what the clamp reads is checked in front of the loop, for the rounds of the interior: element -1, which only the border
 * clamps, does not make each row that has one a careful one. */
static void checks_in_front_are_those_of_the_interior(void **state) {
    (void)state;
    planned p = plan_of("program other\ninput m : f32[r, c]\ninput o : f32[k, l]\n"
                        "ys = imap o (i, j, x) { m ! (i, max (sub j 1) 0) }\noutput ys\n",
                        false);
    const char *flat = kernels_of(&p, WADI_SCHEDULE_FLAT);
    const bool fits = count(flat, ", 1)) - 1) >= 0") == 1 && count(flat, "- 1) >= 0") == 1 &&
                      count(flat, "side++") == 1 && count(flat, "strip += ") == 0;
    if (!fits) print_message("%s", flat);
    assert_true(fits);
    planned_free(&p);
}

/* In schedule flat the sums are made in units, for both consumers, and the differences element by element. */
static void a_sequence_within_elements_is_a_level_of_work(void **state) {
    (void)state;
    planned p = plan_of(pieces, false);
    const wadi_plan_version *v = &p.made[WADI_SCHEDULE_FLAT]->version;
    int flat = 0, whole = 0;
    for (int i = 0; i < v->nsteps; i++) {
        flat += v->steps[i].kind == WADI_STEP_FLAT && strstr(v->steps[i].kernel, "produce") != NULL;
        whole +=
            v->steps[i].kind == WADI_STEP_RUN && strstr(v->steps[i].kernel, "fold_seq") != NULL;
    }
    assert_int_equal(flat, 2);
    assert_int_equal(whole, 1);
    planned_free(&p);
}

typedef struct goings {
    int one,
        several; /* steps over units that one worker takes, or several: how often they go through the array */
    int rounds; /* and that find it in a cache, a few units at a time */
} goings;

static goings goings_of(const char *lines) {
    char text[300];
    goings g = {0, 0, 0};
    snprintf(text, sizeof text, "program goings\ninput xs : f64[n]\ninput is : i64[n]\n%s", lines);
    planned p = plan_of(text, false);
    const wadi_plan_version *v = &p.made[WADI_SCHEDULE_FLAT]->version;
    for (int i = 0; i < v->nsteps; i++) {
        if (v->steps[i].kind != WADI_STEP_FLAT || strstr(v->steps[i].kernel, "carries")) continue;
        g.several++;
        g.one += !v->steps[i].several;
        g.rounds += v->steps[i].rounds > 0;
    }
    planned_free(&p);
    return g;
}

/* Siblings are one pass, but for what is carried into the blocks of a scan, which several workers need before. A scan whose bits depend on its order,
 * and one of its own, finds its row in the cache. `wadi explain` says so (tests/transcripts/wadi-explain.txt). */
static void a_scan_beside_a_fold_is_gone_through_before(void **state) {
    (void)state;
    const goings beside = goings_of("s = fold 0 is (a, x) { add a x }\n"
                                    "r = scanl1 is (a, x) { add a x }\noutput s\noutput r\n");
    assert_int_equal(beside.one, 1);
    assert_int_equal(beside.several, 2);
    assert_int_equal(beside.rounds, 0);
    const goings waits = goings_of("s = fold 0.0 xs (a, x) { add a x }\n"
                                   "r = scanl1 xs (a, x) { add a x }\noutput s\noutput r\n");
    assert_int_equal(waits.several, 3);
    assert_int_equal(waits.rounds, 1);
    const goings alone = goings_of("r = scanl1 xs (a, x) { add a x }\noutput r\n");
    assert_int_equal(alone.several, 2);
    assert_int_equal(alone.rounds, 1);
    const goings folds = goings_of("s = fold 0.0 xs (a, x) { add a x }\n"
                                   "t = fold1 xs (a, x) { max a x }\noutput s\noutput t\n");
    assert_int_equal(folds.one, 1);
    assert_int_equal(folds.several, 1);
}

static void assert_vectorises(const char *text, int least) {
    planned p = plan_of(text, false);
    const int n = vectorised(p.made[WADI_SCHEDULE_INSIDE]->source);
    planned_free(&p);
    if (n < 0) skip();
    assert_true(n >= least);
}

static void reductions_in_lanes_vectorise(void **state) {
    (void)state;
    assert_vectorises(dotp, 1);
    assert_vectorises(lags, 1);
}

/* Structs of two parts are taken apart; the lanes of a sum of them are the lanes of its parts. */
static void complex_numbers_vectorise(void **state) {
    (void)state;
    static const char *const nests[] = {
        "a = map xs (x) { mul x 1.5-2.25ic64 }", "a = zip_with xs ys (x, y) { mul x y }",
        "a = fold 0.0+0.0ic64 xs (s, x) { add s x }", "a = zip_with xs ys (x, y) { fdiv x y }",
        "a = map xs (x) { if gt (real x) 0.0f32 { x } else { neg x } }"};
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "program c\ninput xs : c64[n]\ninput ys : c64[n]\n%s\noutput a\n", nests[i]);
        assert_vectorises(text, 1);
    }
}

static void conditionals_with_reads_vectorise(void **state) {
    (void)state;
    assert_vectorises("program c\n"
                      "input xs : i32[n]\n"
                      "input order : i64\n"
                      "m = unit { max 0 (sub (extent xs 0) 4) }\n"
                      "ys = generate m (i) {\n"
                      "    x = xs ! (add i 4)\n"
                      "    if lt i (the order) { x } else {\n"
                      "        p = xs ! (add i 3)\n"
                      "        q = xs ! (add i 2)\n"
                      "        sub x (sub (mul 2i32 p) q)\n"
                      "    }\n"
                      "}\n"
                      "output ys\n",
                      1);
}

static int vectorised_loops(const char *type) {
    char text[200];
    snprintf(text, sizeof text,
             "program c\ninput xs : f32[n]\n"
             "a = map xs (x) { convert %s (min (max x 0.0f32) 99.0f32) }\noutput a\n",
             type);
    planned p = plan_of(text, false);
    const int n = vectorised(p.made[WADI_SCHEDULE_INSIDE]->source);
    planned_free(&p);
    return n;
}

/* Also where the compiler sees that a conversion need not look at how large the number is: no loop less than without a conversion. */
static void conversions_of_clamped_numbers_vectorise(void **state) {
    (void)state;
    const int n = vectorised_loops("f32");
    if (n < 0) skip();
    assert_true(n >= 1);
    assert_in_range(vectorised_loops("i32"), n, n + 9);
    assert_in_range(vectorised_loops("u32"), n, n + 9);
}

/* The rows of arrays whose size the kernel sees may be taken in the order of their lengths, those of a chunk are taken as they come. */
static void short_rows_of_whole_arrays_are_taken_by_length(void **state) {
    (void)state;
    planned whole = plan_of("program whole\n"
                            "input o : i64[m]\n"
                            "input ix : i32[e]\n"
                            "input xs : f64[n]\n"
                            "y = gather ix xs\n"
                            "a = fold_seg 0.0 o y (a, b) { add a b }\n"
                            "output a\n",
                            false);
    planned chunk = plan_of("program chunk\n"
                            "stream_in s : seq(f64[?])\n"
                            "r = map_seq s (row) {\n"
                            "    a = fold 0.0 row (a, b) { add a b }\n"
                            "    yield a\n"
                            "}\n"
                            "stream_out \"out\" r\n",
                            false);
    const char *text = kernels_of(&whole, WADI_SCHEDULE_FLAT);
    assert_int_equal(count(text, "wadi_row_order_rows("), 1);
    assert_int_equal(count(text, "const bool wadi_near = 8 * slot"), 1);
    assert_int_equal(count(kernels_of(&chunk, WADI_SCHEDULE_INSIDE), "wadi_row_order_rows("), 0);
    assert_true(count(kernels_of(&chunk, WADI_SCHEDULE_INSIDE), "goto behind_") > 0);
    planned_free(&whole);
    planned_free(&chunk);
}

/* How often the kernel takes several elements of a short row at a time. */
static int taken_at_once(const char *row, const char *keep) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "program short\n"
                   "input xs : i64[n]\n"
                   "input pairs : f64[n]\n"
                   "s = stream_in \"s\" : seq(i64[?], i16[?])\n"
                   "u = map_seq s (v, halves) {\n"
                   "    n = unit { extent v 0 }\n"
                   "    row = %s\n"
                   "    ones = map row (x) { if %s { 1 } else { 0 } }\n"
                   "    count = fold 0 ones (a, b) { add a b }\n"
                   "    kept = compact count row (x) { %s }\n"
                   "    yield kept\n"
                   "}\n"
                   "stream_out \"out\" u\n",
                   row, keep, keep);
    planned p = plan_of(text, false);
    const char *inside = kernels_of(&p, WADI_SCHEDULE_INSIDE);
    const int times = count(inside, "wadi_take_8(");
    assert_int_equal(times, count(inside, " + wadi_place_front_8("));
    assert_int_equal(times, count(inside, "if (WADI_PLACES_WIDE && ("));
    assert_int_equal(count(inside, "wadi_take_4("), 0);
    planned_free(&p);
    return times;
}

/* A short row that lies in a slot is filtered several elements at a time, if whether they are kept may be asked for all lanes. */
static void short_rows_in_slots_are_filtered_together(void **state) {
    (void)state;
    assert_int_equal(taken_at_once("take dim=0 v n", "gt x 3"), 1);
    assert_int_equal(taken_at_once("reverse dim=0 v", "gt x 3"), 0);
    assert_int_equal(taken_at_once("backpermute xs n (i) { add i (the n) }", "gt x 3"), 1);
    assert_int_equal(taken_at_once("backpermute xs n (i) { add 2 i }", "gt x 3"), 1);
    assert_int_equal(taken_at_once("backpermute xs n (i) { sub 1 i }", "gt x 3"), 0);
    assert_int_equal(taken_at_once("backpermute xs n (i) { add i i }", "gt x 3"), 0);
    assert_int_equal(taken_at_once("backpermute xs n (i) { xs ! i }", "gt x 3"), 0);
    assert_int_equal(taken_at_once("backpermute xs n (i) { add i 2 }", "gt (quot 9 x) 3"), 0);
    assert_int_equal(taken_at_once("backpermute xs n (i) { add i 2 }", "gt (xs ! x) 3"), 0);
    assert_int_equal(taken_at_once("map v (x) { mul (mul x x) (mul x x) }", "gt x 3"), 0);
}

/* What is kept is put behind each other several elements at a time, each field by itself, and counted once. */
static void kept_elements_are_placed_together(void **state) {
    (void)state;
    planned p = plan_of("program kept\n"
                        "input xs : f32[n]\n"
                        "ones = map xs (x) { convert i64 (gt x 0.5f32) }\n"
                        "count = fold 0 ones (a, x) { add a x }\n"
                        "kept = compact count xs (x) { gt x 0.5f32 }\n"
                        "sum = fold 0.0f32 kept (a, x) { add a x }\n"
                        "pairs = map xs (x) { a: x, b: convert f64 x }\n"
                        "ones2 = map pairs (x, y) { convert i64 (gt y 0.5) }\n"
                        "count2 = fold 0 ones2 (a, x) { add a x }\n"
                        "kept2 = compact count2 pairs (x, y) { gt y 0.5 }\n"
                        "zero = unit { a: 0.0f32, b: 0.0 }\n"
                        "sums = fold zero kept2 (a, b, x, y) { a: add a x, b: add b y }\n"
                        "output sum\noutput sums\n",
                        false);
    const char *text = kernels_of(&p, WADI_SCHEDULE_FLAT);
    assert_int_equal(count(text, "wadi_place_4("), 2);
    assert_int_equal(count(text, "(void)wadi_place_4("), 1);
    assert_int_equal(count(text, " + wadi_place_8("), 1);
    planned_free(&p);
    p = plan_of("program stored\ninput xs : f32[n]\ninput count : i64[]\n"
                "kept = compact count xs (x) { gt x 0.5f32 }\noutput kept\n",
                false);
    assert_int_equal(
        count(kernels_of(&p, WADI_SCHEDULE_FLAT), ", value, keep, k_10, k_7 - kept_3)"), 1);
    planned_free(&p);
}

static int streamed(const char *rest) {
    char text[300];
    snprintf(text, sizeof text, "program far\ninput xs : f32[n]\n%s", rest);
    planned p = plan_of(text, false);
    const int n = count(kernels_of(&p, WADI_SCHEDULE_FLAT), "wadi_stream(");
    planned_free(&p);
    return n;
}

/* The results of maps may go past the caches, unless the kernel reads them. A scan's take as long as memory does, and what reads nothing waits for
 * none. Rows begin within lines. */
static void results_of_maps_may_go_past_the_caches(void **state) {
    (void)state;
    assert_int_equal(streamed("a = map xs (x) { mul x x }\noutput a\n"), 1);
    assert_int_equal(streamed("a = map xs (x) { p: x, q: mul x x }\noutput a\n"), 2);
    assert_int_equal(streamed("a = scanl1 xs (x, y) { add x y }\noutput a\n"), 0);
    assert_int_equal(streamed("a = scanl1 xs (x, y) { add x y }\n"
                              "b = map a (x) { mul x x }\noutput b\n"),
                     0); /* b has the memory of a */
    assert_int_equal(streamed("m = unit { extent xs 0 }\n"
                              "a = generate m (i) { convert f32 i }\noutput a\n"),
                     0);
    assert_int_equal(streamed("m = unit { extent xs 0 }\n"
                              "a = generate m 1000 (i, j) { xs ! i }\noutput a\n"),
                     0);
}

/* The last block of a short row begins earlier, unless a round would read what has been written; vectors are long. */
static void the_last_block_of_a_row_begins_earlier(void **state) {
    (void)state;
    planned p = plan_of("program rows\ninput m : f32[r, c]\ninput b : u8[r, c]\n"
                        "x = map m (x) { mul x x }\ny = map b (x) { add x x }\n"
                        "output x\noutput y\n",
                        false);
    const char *text = kernels_of(&p, WADI_SCHEDULE_FLAT);
    assert_int_equal(count(text, "wadi_round < 16;"), 1);
    assert_int_equal(count(text, "wadi_round < 64;"), 1);
    planned_free(&p);
    p = plan_of("program over\ninput m : f32[r, c]\nx = map m (x) { mul x x }\n"
                "y = compute x\nz = map y (x) { sub x 1.0f32 }\noutput z\n",
                false);
    assert_int_equal(count(kernels_of(&p, WADI_SCHEDULE_FLAT), "wadi_round < 16;"), 1);
    planned_free(&p);
    p = plan_of("program vector\ninput v : f32[n]\nx = map v (x) { mul x x }\noutput x\n", false);
    assert_int_equal(count(kernels_of(&p, WADI_SCHEDULE_FLAT), "wadi_round"), 0);
    planned_free(&p);
}

int main(void) {
    (void)unsetenv("WADI_CC"); /* which may name one that optimises less */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dot_product_stores_nothing_but_its_result),
        cmocka_unit_test(proved_reads_are_not_checked),
        cmocka_unit_test(a_sum_whose_reads_are_checked_is_there_once),
        cmocka_unit_test(a_shift_by_a_number_is_decided_before_the_loop),
        cmocka_unit_test(a_gather_is_checked_in_place),
        cmocka_unit_test(a_read_behind_its_guard_is_not_checked),
        cmocka_unit_test(an_extent_is_not_negative_behind_its_check_alone),
        cmocka_unit_test(a_diamond_is_written_once),
        cmocka_unit_test(pieces_are_not_cut_into_strips),
        cmocka_unit_test(scalar_bodies_exist_across),
        cmocka_unit_test(places_name_operators_and_lines),
        cmocka_unit_test(a_sequence_within_elements_is_a_level_of_work),
        cmocka_unit_test(a_scan_beside_a_fold_is_gone_through_before),
        cmocka_unit_test(clamps_by_hand_leave_the_interior),
        cmocka_unit_test(checks_in_front_are_those_of_the_interior),
        cmocka_unit_test(rounds_give_their_memory_back),
        cmocka_unit_test(memory_is_asked_for_by_its_operator),
        cmocka_unit_test(a_long_chain_is_cut),
        cmocka_unit_test(short_rows_of_whole_arrays_are_taken_by_length),
        cmocka_unit_test(short_rows_in_slots_are_filtered_together),
        cmocka_unit_test(kept_elements_are_placed_together),
        cmocka_unit_test(results_of_maps_may_go_past_the_caches),
        cmocka_unit_test(the_last_block_of_a_row_begins_earlier),
        cmocka_unit_test(reductions_in_lanes_vectorise),
        cmocka_unit_test(conditionals_with_reads_vectorise),
        cmocka_unit_test(complex_numbers_vectorise),
        cmocka_unit_test(conversions_of_clamped_numbers_vectorise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
