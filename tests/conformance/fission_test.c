/* Fission: launches that several devices share, each a part, give the bits of one device, wherever they are cut.
 *
 * The first tests are the rules of Figure 3 of "Converting Data to Task-Parallelism by Rewrites" (Newton, Holk, McDonell), one for each operator; the
 * next are the laws of its Figure 4, with both sides computed. Every program runs over arrays of many sizes, 0 and 1 among them. It runs once
 * for each point k: every launch of n elements or units is cut at k modulo n + 1, so that each is cut everywhere, before its first and
 * behind its last unit as well. The combinations are not associative, so that any other order gives other bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "tests/conformance/told.h"
#include "tests/conformance/trial.h"

/* ---- cutting ---- */

/* Where the launches of a run are cut, and what they were. */
typedef struct knife {
    int64_t k, most;  /* most: the longest launch */
    uint64_t lengths; /* a bit for each length below 64 */
    int64_t cut;      /* launches in which several parts had something to do */
} knife;

static void cut_at(void *env, int64_t n, int parts, int64_t *at) {
    knife *c = env;
    int busy = 0;
    at[1] = c->k % (n + 1);
    for (int p = 2; p < parts; p++) at[p] = at[p - 1] + (c->k / p) % (n + 1 - at[p - 1]);
    for (int p = 0; p < parts; p++) busy += at[p + 1] > at[p];
    if (n > c->most) c->most = n;
    if (n < 64) c->lengths |= UINT64_C(1) << n;
    c->cut += busy > 1;
}

/* All launches of this program. */
static int64_t all_cut;

/* ---- programs ---- */

typedef struct size {
    int64_t rows, columns, n,
        at; /* of the matrices, of the vectors, and a place to split them at */
} size;

enum { ROWS = 9, LONG = 9001, MOST = 60000 };

static const size sizes[] = {{0, 0, 0, 0}, {0, 3, 1, 0},      {1, 1, 2, 1},    {2, 0, 3, 1},
                             {2, 5, 5, 0}, {5, 1, 7, 1},      {9, 2, 4096, 4}, {4, 17, 4097, 3},
                             {6, 3, 9, 6}, {3, LONG, MOST, 2}};

typedef struct numbers {
    float m[ROWS * LONG], w[ROWS * LONG];
    double v[MOST];
    int64_t keys[MOST], at;
    wadi_interp_input in[5];
    wadi_interp_io io;
} numbers;

static void describe(numbers *x, const size *s) {
    const int64_t shape[] = {s->rows, s->columns};
    x->at = s->at;
    x->in[0] = (wadi_interp_input){"m", conf_array(WADI_F32, 2, shape, x->m)};
    x->in[1] = (wadi_interp_input){"w", conf_array(WADI_F32, 2, shape, x->w)};
    x->in[2] = (wadi_interp_input){"v", conf_vector(WADI_F64, s->n, x->v)};
    x->in[3] = (wadi_interp_input){"keys", conf_vector(WADI_I64, s->n, x->keys)};
    x->in[4] = (wadi_interp_input){"at", conf_scalar(WADI_I64, &x->at)};
    x->io = (wadi_interp_io){x->in, 5, NULL, 0};
}

static numbers *make_numbers(void) {
    numbers *x = calloc(1, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < ROWS * LONG; i++) {
        x->m[i] = (float)(i * 7919 % 10007) / 7;
        x->w[i] = (float)(i % 5003 * 4729 % 5003) / 11 - 100;
    }
    for (int i = 0; i < MOST; i++) {
        x->v[i] = (double)(i * 31 % 9973) / 13;
        x->keys[i] = (i * 37 + i / 11) % 10;
    }
    return x;
}

typedef struct law {
    const char *name, *text;
    int sides; /* pairs of outputs left0, right0, .. that are the same */
    /* Units that a launch of schedule flat has at least, and that one has exactly; 0: not asked. So the program is cut as it is meant to be. */
    int longest, among;
} law;

#define INPUTS              \
    "program fission\n"     \
    "input m : f32[r, c]\n" \
    "input w : f32[r, c]\n" \
    "input v : f64[n]\n"    \
    "input keys : i64[n]\n" \
    "input at : i64\n"

/* Units of the largest size: pieces of 4096 of each row. */
enum { IN_ROWS = 3 * 3, IN_VECTOR = 15, ELEMENTS = 13, MANY = 20000 };
/* Shares of rows for two workers, who only share if there are many patches (codegen/kernel/share.c). */
enum { SHARES = 4 };

/* A grid, and where patches of 9 by 10 go in it. */
#define PLACES                                                          \
    "ds = generate 70 51 (i, j) { fdiv (convert f64 (add i j)) 3.0 }\n" \
    "rows = generate 500 (k) { mul (rem k 7) 9 }\n"                     \
    "columns = generate 500 (k) { mul (rem k 11) 3 }\n"                 \
    "row = compute rows\n"                                              \
    "column = compute columns\n"

static const law laws[] = {
    {"Figure 3: fold, blocks of a tree that is not associative",
     INPUTS "y = fold 0.25f32 m (a, x) { add (mul a 0.75f32) x }\n"
            "z = fold 0.5f32 w (a, x) { add a x }\n"
            "t = fold 1.5 v (a, x) { sub x (mul a 0.5) }\n"
            "output y\noutput z\noutput t\n",
     0, IN_VECTOR},
    {"Figure 3: map", INPUTS "y = map m (x) { fdiv (add x 1.0f32) 3.0f32 }\noutput y\n", 0,
     IN_ROWS},
    {"Figure 3: generate",
     INPUTS "n = unit { extent m 0 }\nk = unit { extent m 1 }\n"
            "y = generate n k (i, j) { fdiv (convert f64 (add (mul i 1000) j)) 7.0 }\noutput y\n",
     0, IN_ROWS},
    {"Figure 3: reshape",
     INPUTS "n = unit { extent m 0 }\nk = unit { extent m 1 }\n"
            "a = map m (x) { mul x 0.3f32 }\n"
            "b = compute a\n"
            "c = reshape b k n\n"
            "y = map c (x) { add x 1.0f32 }\n"
            "output y\n",
     0, LONG},
    {"Figure 3: slice",
     INPUTS
     "n = unit { add (extent m 0) 1 }\nk = unit { extent m 1 }\n"
     "a = generate n k 2 (i, j, l) { fdiv (convert f32 (add (mul i 100) (add j l))) 9.0f32 }\n"
     "b = compute a\n"
     "y = slice dropped=0,0,1 b 1\n"
     "z = slice dropped=1,0,0 b at\n"
     "output y\noutput z\n",
     0, IN_ROWS},
    {"Figure 3: replicate",
     INPUTS "a = map v (x) { mul x 0.7 }\n"
            "b = compute a\n"
            "y = replicate new=1,0 b 5\n"
            "z = replicate new=0,1 b 2\n"
            "output y\noutput z\n",
     0, 5 * IN_VECTOR},
    {"Figure 3: permute, tables in any order and defaults once",
     INPUTS "ds = generate 10 (i) { add (mul i 1000) 7 }\n"
            "xs = map v (x) { convert i64 x }\n"
            "y = permute ds xs keys (new, old) { add new old } (i, k) { true, k }\n"
            "z = permute ds xs keys (new, old) { max new old } (i, k) { ne k 3, k }\n"
            "output y\noutput z\n",
     0, 14},
    {"Figure 3: permute, in the order of the source",
     INPUTS "ds = generate 10 (i) { fdiv (convert f64 i) 3.0 }\n"
            "y = permute ds v keys (new, old) { sub new (mul old 0.25) } (i, k) { true, k }\n"
            "z = permute ds v keys (new, old) { old } (i, k) { true, k }\n"
            "output y\noutput z\n",
     0, 1},
    {"Figure 3: permute, rows shared",
     INPUTS PLACES
     "n = unit { min (extent v 0) 500 }\n"
     "ps = generate n 9 10 (k, i, j) { fdiv (convert f64 (add (mul k 100) (add i j))) 7.0 }\n"
     "y = permute ds ps (new, old) { sub new (mul old 0.25) } (k, i, j) {\n"
     "    true, add (row ! k) i, add (column ! k) j\n"
     "}\n"
     "output y\n",
     0, 70, SHARES},
    {"Figure 3: zipWith", INPUTS "y = zip_with m w (a, b) { sub (mul a 0.5f32) b }\noutput y\n", 0,
     IN_ROWS},
    {"Figure 3: backpermute",
     INPUTS "n = unit { extent m 0 }\nk = unit { extent m 1 }\n"
            "y = backpermute m k n (i, j) { j, i }\n"
            "z = backpermute m n k (i, j) { sub (sub (extent m 0) 1) i, j }\n"
            "output y\noutput z\n",
     0, LONG},
    {"Figure 3: use",
     INPUTS "u = use : f32[6, 2] [1.5, 2.5, -3.5, 0.1, 0.2, 0.3, 7.0, 8.0, 9.0, -0.0, 11.0, 12.0]\n"
            "y = map u (x) { fdiv x 3.0f32 }\n"
            "output u\noutput y\n",
     0, 6},
    {"scans, by blocks that carry",
     INPUTS "y = scanl1 m (a, x) { add (mul a 0.75f32) x }\n"
            "z = scanl 0.5 v (a, x) { add a x }\n"
            "output y\noutput z\n",
     0, IN_ROWS, (IN_VECTOR + 3) / 4}, /* a unit of the vector is four blocks */
    {"elements of streams, of one shape and of several",
     INPUTS "s = produce 13 (i) {\n"
            "    x = generate 3 (j) { fdiv (convert f64 (add (mul (the i) 100) j)) 7.0 }\n"
            "    k = unit { rem (mul (the i) 5) 4 }\n"
            "    y = generate k (j) { fdiv (convert f64 (add (mul (the i) 10) j)) 3.0 }\n"
            "    yield x, y\n"
            "}\n"
            "t = map_seq s (x, y) { a = fold 0.5 y (a, b) { sub b (mul a 0.5) }\n"
            "    z = map x (b) { add b (the a) }\n"
            "    yield z\n"
            "}\n"
            "e = elements t\noutput e\nstream_out \"s\" s\n",
     0, ELEMENTS},
    {"a state that takes elements in order",
     INPUTS "s = produce 20000 (i) {\n"
            "    x = unit { fdiv (convert f64 (add (mul (the i) 100) 1)) 7.0 }\n"
            "    yield x\n"
            "}\n"
            "y = fold_seq s 0.5 (a, x) {\n"
            "    b = unit { sub (the x) (mul (the a) 0.5) }\n"
            "    yield b\n"
            "}\n"
            "output y\n",
     0, MANY},
    {"a state that gets patches, rows shared",
     INPUTS PLACES
     "s = produce 500 (k) {\n"
     "    p = generate 9 10 (i, j) { fdiv (convert f64 (add (mul (the k) 100) (add i j))) 7.0 }\n"
     "    yield p, k\n"
     "}\n"
     "y = fold_seq s ds (g, p, k) {\n"
     "    h = permute g p (new, old) { sub new (mul old 0.25) } (i, j) {\n"
     "        true, add (row ! (the k)) i, add (column ! (the k)) j\n"
     "    }\n"
     "    yield h\n"
     "}\n"
     "output y\n",
     0, 70, SHARES},
    {"Figure 4: concat of split",
     INPUTS "a = take dim=0 m at\nb = drop dim=0 m at\n"
            "left0 = concat dim=0 a b\nright0 = compute m\n"
            "c = take dim=1 w at\nd = drop dim=1 w at\n"
            "left1 = concat dim=1 c d\nright1 = compute w\n"
            "output left0\noutput right0\noutput left1\noutput right1\n",
     2, IN_ROWS},
    {"Figure 4: split of concat",
     INPUTS "n = unit { extent m 0 }\nk = unit { extent m 1 }\n"
            "a = concat dim=0 m w\nb = concat dim=1 m w\n"
            "left0 = take dim=0 a n\nright0 = compute m\n"
            "left1 = drop dim=0 a n\nright1 = compute w\n"
            "left2 = take dim=1 b k\nright2 = map m (x) { x }\n"
            "left3 = drop dim=1 b k\nright3 = map w (x) { x }\n"
            "output left0\noutput right0\noutput left1\noutput right1\n"
            "output left2\noutput right2\noutput left3\noutput right3\n",
     4, IN_ROWS},
    {"Figure 4: map of map",
     INPUTS "a = map m (x) { mul x 0.3f32 }\nleft0 = map a (x) { add x 0.7f32 }\n"
            "right0 = map m (x) { add (mul x 0.3f32) 0.7f32 }\n"
            "output left0\noutput right0\n",
     1, IN_ROWS},
    {"Figure 4: map of zipWith",
     INPUTS "a = zip_with m w (x, y) { mul x y }\nleft0 = map a (x) { add x 0.7f32 }\n"
            "right0 = zip_with m w (x, y) { add (mul x y) 0.7f32 }\n"
            "output left0\noutput right0\n",
     1, IN_ROWS},
    {"Figure 4: zipWith of a map and an array",
     INPUTS "a = map m (x) { mul x 0.3f32 }\nleft0 = zip_with a w (x, y) { sub x y }\n"
            "right0 = zip_with m w (x, y) { sub (mul x 0.3f32) y }\n"
            "output left0\noutput right0\n",
     1, IN_ROWS},
    {"Figure 4: zipWith of an array and a map",
     INPUTS "a = map w (x) { mul x 0.3f32 }\nleft0 = zip_with m a (x, y) { sub x y }\n"
            "right0 = zip_with m w (x, y) { sub x (mul y 0.3f32) }\n"
            "output left0\noutput right0\n",
     1, IN_ROWS},
    {"Figure 4: zipWith of an array with itself",
     INPUTS "left0 = zip_with m m (x, y) { sub (mul x y) x }\n"
            "right0 = map m (x) { sub (mul x x) x }\n"
            "output left0\noutput right0\n",
     1, IN_ROWS},
    {"Figure 4: map of generate",
     INPUTS "n = unit { extent m 0 }\nk = unit { extent m 1 }\n"
            "a = generate n k (i, j) { fdiv (convert f32 (add i j)) 3.0f32 }\n"
            "left0 = map a (x) { mul x 0.1f32 }\n"
            "right0 = generate n k (i, j) { mul (fdiv (convert f32 (add i j)) 3.0f32) 0.1f32 }\n"
            "output left0\noutput right0\n",
     1, IN_ROWS},
    {"Figure 4: map of replicate",
     INPUTS "a = replicate new=1,0 v 5\nleft0 = map a (x) { mul x 0.1 }\n"
            "b = map v (x) { mul x 0.1 }\nright0 = replicate new=1,0 b 5\n"
            "output left0\noutput right0\n",
     1, 5 * IN_VECTOR},
};

enum { LAWS = sizeof laws / sizeof laws[0] };

/* ---- running ---- */

enum { CHUNK = MANY }; /* elements of streams at a time: the same in every run */

static const wadi_schedule_option schedules[] = {
    WADI_SCHEDULE_FORCE_FLAT, WADI_SCHEDULE_FORCE_GROUP, WADI_SCHEDULE_FORCE_INSIDE};
enum {
    SCHEDULES = sizeof schedules / sizeof schedules[0],
    APART = 2 /* cut where memory is apart */
};

/* The points at which launches of up to `most` are cut: all, or both ends and some between them. */
static int64_t next_point(int64_t k, int64_t most) {
    enum { ALL = 90, ENDS = 4 };
    if (most <= ALL || k < ENDS || k >= most - ENDS) return k + 1;
    const int64_t next = k + most / 10;
    return next < most - ENDS ? next : most - ENDS;
}

/* Both ends and one between them. */
static int64_t few(int64_t k, int64_t most) {
    const int64_t points[] = {1, most / 2, most};
    for (int i = 0; i < 3; i++)
        if (points[i] > k) return points[i];
    return most + 1;
}

/* Sanitizers see how launches are shared, which few points show. */
static bool everywhere(void) {
    const char *with = getenv("WADI_SANITIZE");
    return with == NULL || *with == '\0' || getenv("WADI_TEST_ALL") != NULL;
}

/* all: at all points, but for sanitizers; at full length always. */
static void cut_everywhere(const conf_case *c, const wadi_exe *exe, wadi_schedule_option schedule,
                           int parts, bool apart, bool all, knife *out) {
    wadi_text why = {0};
    wadi_split_copies count = {0};
    *out = (knife){.k = 0};
    if (!everywhere()) all = false;
    if (getenv("WADI_TEST_ALL") != NULL) all = true;
    for (int64_t k = 0; k <= out->most; k = all ? next_point(k, out->most) : few(k, out->most)) {
        out->k = k;
        const conf_parts of = {parts, {cut_at, out}, apart, &count};
        const conf_variant v = {
            NULL,        schedule, 1 + (int)(k % 2), CHUNK, .device = apart ? "null" : "cpu",
            .parts = &of};
        wadi_text_clear(&why);
        if (conf_run(c, exe, &v, &why)) continue;
        wadi_text_addf(&why, "\ncut at %lld of %lld at most: ", (long long)k, (long long)out->most);
        conf_variant_print(&v, &why);
        fail_msg("%s", wadi_text_str(&why));
    }
    wadi_text_fini(&why);
    all_cut += out->cut;
}

static void both_sides_agree(const conf_case *c, int pair) {
    char left[24], right[24];
    wadi_text why = {0};
    snprintf(left, sizeof left, "left%d", pair);
    snprintf(right, sizeof right, "right%d", pair);
    const wadi_array *a = wadi_interp_output_get(c->want, left),
                     *b = wadi_interp_output_get(c->want, right);
    assert_true(a != NULL && b != NULL);
    if (!conf_same_array(a, b, &why)) fail_msg("%s, %s: %s", left, right, wadi_text_str(&why));
    wadi_text_fini(&why);
}

/* *all: what has been seen in schedule flat. */
static void in_this_size(const law *l, numbers *x, const size *s, wadi_exe **exe, knife *all) {
    conf_case c;
    wadi_text why = {0};
    describe(x, s);
    if (!conf_case_text(&c, l->text, &x->io, &why) || c.want == NULL)
        fail_msg("%s%s", why.at != NULL ? why.at : "", c.fault.msg);
    for (int i = 0; i < l->sides; i++) both_sides_agree(&c, i);
    for (int e = 0; e < 2; e++) {
        if (exe[e] == NULL) exe[e] = conf_compile(&c, e == 0 ? NULL : "all", &why);
        if (exe[e] == NULL) fail_msg("%s", wadi_text_str(&why));
        for (int i = 0; i < SCHEDULES; i++) {
            knife seen;
            cut_everywhere(&c, exe[e], schedules[i], 2, false, e == 0, &seen);
            if (i == 0 && seen.most > all->most) all->most = seen.most;
            if (i == 0) all->lengths |= seen.lengths;
            if (e == 0) cut_everywhere(&c, exe[e], schedules[i], 3, false, false, &seen);
            if (e == 0 && i < APART)
                cut_everywhere(&c, exe[e], schedules[i], 2, true, false, &seen);
        }
    }
    wadi_text_fini(&why);
    conf_case_fini(&c);
}

static void holds_wherever_it_is_cut(void **state) {
    const law *l = *state;
    numbers *x = make_numbers();
    wadi_exe *exe[2] = {NULL, NULL};
    knife all = {.most = 0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        in_this_size(l, x, &sizes[i], exe, &all);
    if (all.most < l->longest)
        fail_msg("the longest launch had %lld units, expected %d", (long long)all.most, l->longest);
    if (l->among > 0 && (all.lengths >> l->among & 1) == 0)
        fail_msg("no launch had %d units", l->among);
    for (int e = 0; e < 2; e++) wadi_exe_destroy(exe[e]);
    free(x);
}

/* ---- faults ---- */

/* The first of several faults is told, whichever part it is in. */
static void the_first_fault_is_told_wherever_it_is_cut(void **state) {
    (void)state;
    static const char *const texts[] = {
        INPUTS "y = map keys (k) { v ! (mul k 8000) }\noutput y\n",
        INPUTS "y = generate 9 4 (i, j) { quot 7 (sub (mul i j) 6) }\noutput y\n",
        INPUTS
        "ds = generate 70 51 (i, j) { 0.0 }\n"
        "ps = generate 500 9 10 (k, i, j) { 1.0 }\n"
        "y = permute ds ps (new, old) { add new old } (k, i, j) { true, add (sub 490 k) i, j }\n"
        "output y\n"};
    numbers *x = make_numbers();
    describe(x, &(size){3, LONG, MOST, 2});
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        conf_case c;
        wadi_text why = {0};
        assert_true(conf_case_text(&c, texts[t], &x->io, &why) && c.want == NULL);
        wadi_exe *exe = conf_compile(&c, NULL, &why);
        assert_non_null(exe);
        for (int i = 0; i < SCHEDULES; i++) {
            knife seen = {.k = 0};
            for (; seen.k <= seen.most; seen.k++) {
                const conf_parts parts = {2, {cut_at, &seen}};
                const conf_variant v = {NULL, schedules[i], 2, 0, .device = "cpu", .parts = &parts};
                wadi_error err = {.status = WADI_OK};
                int64_t delivered = 0;
                assert_int_equal(conf_go(&c, exe, &v, &delivered, &err), WADI_FAULT);
                if (!conf_told_alike(&c, &err, &why))
                    fail_msg("cut at %lld: %s", (long long)seen.k, wadi_text_str(&why));
            }
        }
        wadi_exe_destroy(exe);
        conf_case_fini(&c);
        wadi_text_fini(&why);
    }
    free(x);
}

/* ---- random programs ---- */

static void cut_anywhere(void *env, int64_t n, int parts, int64_t *at) {
    gen_random *r = env;
    for (int p = 1; p < parts; p++) {
        const int64_t left = n - at[p - 1];
        at[p] = at[p - 1] + gen_below(r, (int)left + 1);
    }
}

static bool holds(const trial *t, const wadi_exe *exe, const conf_variant *v, wadi_text *why) {
    int64_t delivered = 0;
    wadi_error err = {.status = WADI_OK};
    if (conf_run(&t->c, exe, v, why)) return true;
    return conf_go(&t->c, exe, v, &delivered, &err) == WADI_FAULT &&
           told_of_nothing(&t->c, err.msg);
}

static void random_programs_hold(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 2, 7, 1000};
    uint64_t from, to;
    trial_seeds(TRIAL_SEEDS, &from, &to);
    for (uint64_t seed = from; seed < to; seed++) {
        trial t;
        wadi_text why = {0};
        assert_true(trial_init(&t, seed, trial_size(seed), 0, -1, &why));
        wadi_exe *exe = conf_compile(&t.c, NULL, &why);
        if (exe == NULL) fail_msg("seed %llu: %s", (unsigned long long)seed, wadi_text_str(&why));
        gen_random r = {seed + 1};
        for (int i = 0; i < 12; i++) {
            const bool apart = i >= 9; /* one of each schedule */
            const conf_parts parts = {2 + i % 3, {cut_anywhere, &r}, apart, NULL};
            const conf_variant v = {NULL,
                                    schedules[i % SCHEDULES],
                                    1 + i % 2,
                                    chunks[gen_below(&r, 5)],
                                    .device = apart ? "null" : "cpu",
                                    .cut = i % 4 == 3 ? 1 + (int)gen_below(&r, 4) : 0,
                                    .parts = &parts};
            if (holds(&t, exe, &v, &why)) continue;
            conf_variant_print(&v, &why);
            fail_msg("seed %llu: %s", (unsigned long long)seed, wadi_text_str(&why));
        }
        wadi_exe_destroy(exe);
        trial_fini(&t);
        wadi_text_fini(&why);
    }
}

static void many_launches_have_been_cut(void **state) {
    (void)state;
    print_message("%lld launches were cut into parts that had something to do\n",
                  (long long)all_cut);
    assert_true(all_cut > (everywhere() ? 10000 : 5000));
}

int main(void) {
    struct CMUnitTest tests[LAWS + 3];
    for (int i = 0; i < LAWS; i++)
        tests[i] = (struct CMUnitTest){.name = laws[i].name,
                                       .test_func = holds_wherever_it_is_cut,
                                       .initial_state = (void *)(uintptr_t)&laws[i]};
    tests[LAWS] = (struct CMUnitTest)cmocka_unit_test(the_first_fault_is_told_wherever_it_is_cut);
    tests[LAWS + 1] = (struct CMUnitTest)cmocka_unit_test(random_programs_hold);
    tests[LAWS + 2] = (struct CMUnitTest)cmocka_unit_test(many_launches_have_been_cut);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
