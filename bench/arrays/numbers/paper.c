/* Lines of Table 2 of "Optimising Purely Functional GPU Programs" (McDonell et al., ICFP 2013), with its columns without fusion and without sharing:
 * Black-Scholes, n-body, radix sort. The dot product is in memory.c, sparse products are in matrices.c.
 *
 * Programs as text are what sharing recovery makes of calls. So a program without sharing is written with each use of a value in full, and compiled
 * without the pass that finds equal computations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "bench/arrays/numbers/line.h"
#include "bench/arrays/numbers/texts.h"
#include "bench/arrays/peers/numbers.h"

static void free_inputs(const numbers_line *l) {
    for (int i = 0; i < NUMBERS_INPUTS; i++) free(l->input[i].column[0]);
}

/* low[i] + up to range[i] */
static wadi_status singles(numbers_line *l, int64_t n, int inputs, const float *low,
                           const float *range, wadi_error *err) {
    for (int i = 0; i < inputs; i++) {
        WADI_TRY(numbers_vector(WADI_F32, n, &l->input[i], err));
        float *x = l->input[i].column[0];
        for (int64_t k = 0; k < n; k++) x[k] = low[i] + range[i] * (float)numbers_unit(k, i);
    }
    return WADI_OK;
}

/* ---- Black-Scholes ---- */

enum { OPTIONS = 20000000, QUICK_OPTIONS = 20011 };

static const char prices[] = "program prices\n"
                             "input x : f32[n]\n"
                             "input y : f32[n]\n"
                             "input z : f32[n]\n"
                             "g = zip_with x y z (price, strike, t) {\n" PAPER_PRICES "}\n"
                             "output g\n";

/* The distribution function at `d`, an expression. */
static void add_normal(const char *d, wadi_text *out) {
    static const char *const factors[] = {"0.31938153f32", "-0.356563782f32", "1.781477937f32",
                                          "-1.821255978f32"};
    wadi_text k = {0}, c = {0};
    wadi_text_addf(&k, "(fdiv 1.0f32 (add 1.0f32 (mul 0.2316419f32 (abs %s))))", d);
    const char *kt = wadi_text_str(&k);
    wadi_text_addf(&c, "(mul (mul 0.39894228f32 (exp (mul -0.5f32 (mul %s %s)))) ", d, d);
    for (int i = 0; i < 4; i++) wadi_text_addf(&c, "(mul %s (add %s ", kt, factors[i]);
    wadi_text_addf(&c, "(mul %s 1.330274429f32)))))))))) ", kt);
    const char *ct = wadi_text_str(&c);
    wadi_text_addf(out, "(if gt %s 0.0f32 { sub 1.0f32 %s } else { %s })", d, ct, ct);
    wadi_text_fini(&k);
    wadi_text_fini(&c);
}

static void add_tree(wadi_text *out) {
    static const char d[] =
        "(fdiv (add (log (fdiv price strike)) (mul 0.065f32 t)) (mul 0.3f32 (sqrt t)))";
    static const char later[] = "(mul strike (exp (mul -0.02f32 t)))";
    wadi_text n1 = {0}, n2 = {0};
    char l[128];
    (void)snprintf(l, sizeof l, "(sub %s (mul 0.3f32 (sqrt t)))", d);
    add_normal(d, &n1);
    add_normal(l, &n2);
    const char *a = wadi_text_str(&n1), *b = wadi_text_str(&n2);
    wadi_text_addf(out, "program prices\ninput x : f32[n]\ninput y : f32[n]\ninput z : f32[n]\n");
    wadi_text_addf(out,
                   "g = zip_with x y z (price, strike, t) { call: sub (mul price %s) (mul %s %s), "
                   "put: sub (mul %s (sub 1.0f32 %s)) (mul price (sub 1.0f32 %s)) }\n",
                   a, later, b, later, b, a);
    wadi_text_addf(out, "output g\n");
    wadi_text_fini(&n1);
    wadi_text_fini(&n2);
}

static void c_prices(const numbers_line *l, void *const *out) {
    peer_options(l->input[0].shape[0], l->input[0].column[0], l->input[1].column[0],
                 l->input[2].column[0], out[0], out[1]);
}

wadi_status numbers_prices(bench *b, wadi_error *err) {
    static const float low[] = {10, 10, 0.25F}, range[] = {40, 40, 9};
    const int64_t n = numbers_size(b, OPTIONS, QUICK_OPTIONS);
    wadi_text tree = {0};
    numbers_line l = {.benchmark = "prices",
                      .name = "Black-Scholes, f32, 20 M",
                      .text = prices,
                      .unfused = true,
                      .input_name = {"x", "y", "z"},
                      .output = {"g"},
                      .peer = c_prices,
                      .peer_name = "C OpenMP, vector functions",
                      .task = "prices",
                      .libraries = "numpy jax numba",
                      .bytes = 20 * (double)n,
                      .asked = 1.1,
                      .tolerance = 2e-4};
    if (!bench_wants(b, l.name)) return WADI_OK;
    add_tree(&tree);
    l.tree = wadi_text_str(&tree);
    wadi_status status = singles(&l, n, 3, low, range, err);
    if (status == WADI_OK) status = numbers_compare(b, &l, err);
    free_inputs(&l);
    wadi_text_fini(&tree);
    return status;
}

/* ---- n-body ---- */

enum { BODIES = 32768, QUICK_BODIES = 512 };

#define BODIES_HEAD                                                                            \
    "program bodies\ninput x : f32[n]\ninput y : f32[n]\ninput z : f32[n]\ninput m : f32[n]\n" \
    "k = unit { extent x 0 }\n"
#define BODIES_TAIL                                                               \
    "s = fold none f (a, b, c, u, v, w) { x: add a u, y: add b v, z: add c w }\n" \
    "output s\n"
#define NONE "none = unit { x: 0.0f32, y: 0.0f32, z: 0.0f32 }\n"
#define WAY(V) "(sub (" V " ! j) (" V " ! i))"
#define DISTANCE                                                                                 \
    "(add (add (mul " WAY("x") " " WAY("x") ") (mul " WAY("y") " " WAY("y") ")) (add (mul " WAY( \
        "z") " " WAY("z") ") 0.01f32))"
#define PULL "(fdiv (m ! j) (mul " DISTANCE " (sqrt " DISTANCE ")))"

/* What place j pulls place i by. */
static const char bodies[] =
    BODIES_HEAD "f = generate k k (i, j) {\n"
                "a = sub (x ! j) (x ! i)\nb = sub (y ! j) (y ! i)\nc = sub (z ! j) (z ! i)\n"
                "d = add (add (mul a a) (mul b b)) (add (mul c c) 0.01f32)\n"
                "g = fdiv (m ! j) (mul d (sqrt d))\n"
                "x: mul a g, y: mul b g, z: mul c g\n}\n" NONE BODIES_TAIL;
static const char bodies_tree[] =
    BODIES_HEAD "f = generate k k (i, j) { x: mul " WAY("x") " " PULL ", y: mul " WAY(
        "y") " " PULL ", z: mul " WAY("z") " " PULL " }\n" NONE BODIES_TAIL;

static void c_bodies(const numbers_line *l, void *const *out) {
    peer_bodies(l->input[0].shape[0], l->input[0].column[0], l->input[1].column[0],
                l->input[2].column[0], l->input[3].column[0], out[0], out[1], out[2]);
}

wadi_status numbers_bodies(bench *b, wadi_error *err) {
    static const float low[] = {0, 0, 0, 0.5F}, range[] = {1, 1, 1, 1};
    const int64_t n = numbers_size(b, BODIES, QUICK_BODIES);
    numbers_line l = {.benchmark = "bodies",
                      .name = "n-body, f32, 32 k",
                      .text = bodies,
                      .tree = bodies_tree,
                      .input_name = {"x", "y", "z", "m"},
                      .output = {"s"},
                      .peer = c_bodies,
                      .task = "bodies",
                      .libraries = "jax numba",
                      .operations = 19 * (double)n * (double)n,
                      .asked = 1.1,
                      .tolerance = 1e-3};
    if (!bench_wants(b, l.name)) return WADI_OK;
    wadi_status status = singles(&l, n, 4, low, range, err);
    if (status == WADI_OK) status = numbers_compare(b, &l, err);
    free_inputs(&l);
    return status;
}

/* ---- radix sort ---- */

enum { KEYS = 4194304, QUICK_KEYS = 8192, ROW = 128 /* keys: counts of a row fit 8 bits */ };

/* Rounds of three bits. A word holds eight counters, of which a key sets that of its digit to 1. A scan of each row of words says how many keys of each
 * digit come before it in the row; a scan of the rows' sums, digit after digit, where those of each row and digit begin. */
static const char radix[] =
    "program radix\n"
    "input x : i32[n]\n"
    "rows = unit { quot (extent x 0) 128 }\n"
    "keys = map x (a) { xor (bitcast u32 a) 2147483648u32 }\n"
    "sorted, rounds = awhile keys 0i32 (a, s) {\n"
    "  more = unit { lt (the s) 32i32 }\n"
    "  yield more\n"
    "} do (a, s) {\n"
    "  m = reshape a rows 128\n"
    "  words = map m (k) {\n"
    "    digit = and (shr k (the s)) 7u32\n"
    "    shl 1u64 (mul 8i32 (convert i32 digit))\n"
    "  }\n"
    "  before = scanl 0u64 words (p, q) { add p q }\n"
    "  counts = generate 8 rows (d, r) {\n"
    "    and (shr (before ! (r, 128)) (mul 8i32 (convert i32 d))) 255u64\n"
    "  }\n"
    "  size = unit { mul 8 (the rows) }\n"
    "  flat = reshape counts size\n"
    "  begin = scanl 0u64 flat (p, q) { add p q }\n"
    "  sorted = permute a a a (new, old) { new } (i, k) {\n"
    "    digit = and (shr k (the s)) 7u32\n"
    "    here = shr (before ! (quot i 128, rem i 128)) (mul 8i32 (convert i32 digit))\n"
    "    first = begin ! (add (mul (convert i64 digit) (the rows)) (quot i 128))\n"
    "    true, convert i64 (add (and here 255u64) first)\n"
    "  }\n"
    "  next = unit { add (the s) 3i32 }\n"
    "  yield sorted, next\n"
    "}\n"
    "y = map sorted (a) { bitcast i32 (xor a 2147483648u32) }\n"
    "output y\n";

/* Rounds of eight bits, each a stable order by keys of one byte. The last ones have the sign. */
static const char rounds[] = "program radix\n"
                             "input x : i32[n]\n"
                             "a = sort_by_key x (k) { convert u8 (and k 255i32) }\n"
                             "b = sort_by_key a (k) { convert u8 (and (shr k 8i32) 255i32) }\n"
                             "c = sort_by_key b (k) { convert u8 (and (shr k 16i32) 255i32) }\n"
                             "y = sort_by_key c (k) { convert i8 (shr k 24i32) }\n"
                             "output y\n";

static void c_radix(const numbers_line *l, void *const *out) {
    const int64_t n = l->input[0].shape[0];
    int32_t *room = malloc((size_t)n * sizeof *room);
    if (room != NULL) peer_radix(n, l->input[0].column[0], out[0], room);
    free(room);
}

wadi_status numbers_radix(bench *b, wadi_error *err) {
    const int64_t n = numbers_size(b, KEYS, QUICK_KEYS);
    numbers_line l = {.benchmark = "radix",
                      .name = "radix sort, i32, 4 M",
                      .text = radix,
                      .unfused = true,
                      .input_name = {"x"},
                      .output = {"y"},
                      .peer = c_radix,
                      .task = "sort",
                      .libraries = "numpy jax polars",
                      .asked = 1.1};
    numbers_line by_key = l;
    by_key.name = "radix sort, i32, 4 M, by sort_by_key";
    by_key.text = rounds;
    by_key.unfused = false;
    if (!bench_wants(b, l.name) && !bench_wants(b, by_key.name)) return WADI_OK;
    WADI_TRY(numbers_vector(WADI_I32, n, &l.input[0], err));
    int32_t *x = l.input[0].column[0];
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)(uint32_t)wadi_hash64((uint64_t)i);
    by_key.input[0] = l.input[0];
    wadi_status status = bench_wants(b, l.name) ? numbers_compare(b, &l, err) : WADI_OK;
    if (status == WADI_OK && bench_wants(b, by_key.name)) status = numbers_compare(b, &by_key, err);
    free(x);
    return status;
}
