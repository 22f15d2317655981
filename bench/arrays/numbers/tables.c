/* Lines that write to small tables: histograms, and a round of k-means. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "bench/arrays/numbers/line.h"
#include "bench/arrays/peers/numbers.h"

/* ---- histograms ---- */

enum { COUNTED = 20000000, QUICK_COUNTED = 20011 };

static void c_histogram(const numbers_line *l, void *const *out) {
    peer_histogram(l->input[0].shape[0], l->input[0].column[0], l->extra, out[0]);
}

static wadi_status histogram_of(bench *b, int64_t bins, wadi_error *err) {
    const int64_t n = numbers_size(b, COUNTED, QUICK_COUNTED);
    char name[48], text[256];
    numbers_line l = {.benchmark = "histogram",
                      .name = name,
                      .text = text,
                      .input_name = {"x"},
                      .output = {"counts"},
                      .peer = c_histogram,
                      .task = "histogram",
                      .libraries = "numpy jax numba",
                      .extra = bins,
                      .bytes = 4 * (double)n,
                      .asked = 1.1};
    (void)snprintf(name, sizeof name, "20 M in %lld bins", (long long)bins);
    (void)snprintf(text, sizeof text,
                   "program histogram\n"
                   "input x : i32[n]\n"
                   "none = generate %lld (b) { 0 }\n"
                   "one = map x (a) { 1 }\n"
                   "counts = permute none one x (new, old) { add new old } (i, a) { true, convert "
                   "i64 a }\n"
                   "output counts\n",
                   (long long)bins);
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(numbers_vector(WADI_I32, n, &l.input[0], err));
    int32_t *x = l.input[0].column[0];
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)(numbers_unit(i, 0) * (double)bins);
    const wadi_status status = numbers_compare(b, &l, err);
    free(x);
    return status;
}

wadi_status numbers_histogram(bench *b, wadi_error *err) {
    WADI_TRY(histogram_of(b, 256, err));
    return histogram_of(b, 65536, err);
}

/* ---- k-means ---- */

enum { POINTS = 4000000, QUICK_POINTS = 4001, CENTRES = 16 };

/* The nearest of the centres, written out for each, as a loop of the host program would. */
static void add_centres(wadi_text *t) {
    for (int j = 0; j < CENTRES; j++) {
        wadi_text_addf(t, "    u%d = sub p (c ! %d)\n    v%d = sub q (c ! %d)\n", j, 3 * j, j,
                       3 * j + 1);
        wadi_text_addf(t, "    w%d = sub r (c ! %d)\n", j, 3 * j + 2);
        wadi_text_addf(t, "    d%d = add (add (mul u%d u%d) (mul v%d v%d)) (mul w%d w%d)\n", j, j,
                       j, j, j, j, j);
        if (j == 0) continue;
        char best[16], at[16];
        (void)snprintf(best, sizeof best, j == 1 ? "d0" : "best%d", j - 1);
        (void)snprintf(at, sizeof at, j == 1 ? "0i32" : "at%d", j - 1);
        wadi_text_addf(t, "    near%d = lt d%d %s\n", j, j, best);
        wadi_text_addf(t, "    best%d = if near%d { d%d } else { %s }\n", j, j, j, best);
        wadi_text_addf(t, "    at%d = if near%d { %di32 } else { %s }\n", j, j, j, at);
    }
}

/* The points are cut into 64 pieces, which workers share; a table of sums is made of each piece, and one of all tables. */
static const char kmeans_head[] =
    "program kmeans\n"
    "input x : f32[n]\n"
    "input y : f32[n]\n"
    "input z : f32[n]\n"
    "input c : f32[m]\n"
    "all = unit { extent x 0 }\n"
    "zero = unit { x: 0.0, y: 0.0, z: 0.0, n: 0 }\n"
    "none = generate 16 (i) { x: 0.0, y: 0.0, z: 0.0, n: 0 }\n"
    "pieces = produce 64 (b) {\n"
    "  first = unit { quot (mul (the b) (the all)) 64 }\n"
    "  size = unit { sub (quot (mul (add (the b) 1) (the all)) 64) (the first) }\n"
    "  label = generate size (i) {\n"
    "    p = x ! (add (the first) i)\n"
    "    q = y ! (add (the first) i)\n"
    "    r = z ! (add (the first) i)\n";
static const char kmeans_tail[] = "    at15\n"
                                  "  }\n"
                                  "  labels = compute label\n"
                                  "  point = generate size (i) {\n"
                                  "    at = add (the first) i\n"
                                  "    x: convert f64 (x ! at), y: convert f64 (y ! at), z: "
                                  "convert f64 (z ! at), n: 1\n"
                                  "  }\n"
                                  "  sums = permute none point labels (a, b, e, k, p, q, r, l) "
                                  "{ x: add a p, y: add b q, z: add "
                                  "e r, n: add k l } (i, g) { true, convert i64 g }\n"
                                  "  yield sums\n"
                                  "}\n"
                                  "tables = tabulate pieces\n"
                                  "turned = transpose perm=1,0 tables\n"
                                  "sums = fold zero turned (a, b, e, k, p, q, r, l) { x: add a "
                                  "p, y: add b q, z: add e r, n: add "
                                  "k l }\n"
                                  "mx = map sums (p, q, r, k) { fdiv p (convert f64 k) }\n"
                                  "my = map sums (p, q, r, k) { fdiv q (convert f64 k) }\n"
                                  "mz = map sums (p, q, r, k) { fdiv r (convert f64 k) }\n"
                                  "count = map sums (p, q, r, k) { k }\n"
                                  "output mx\noutput my\noutput mz\noutput count\n";

static void c_kmeans(const numbers_line *l, void *const *out) {
    peer_kmeans(l->input[0].shape[0], l->input[0].column[0], l->input[1].column[0],
                l->input[2].column[0], CENTRES, l->input[3].column[0], out[0], out[1], out[2],
                out[3]);
}

wadi_status numbers_kmeans(bench *b, wadi_error *err) {
    const int64_t n = numbers_size(b, POINTS, QUICK_POINTS);
    numbers_line l = {.benchmark = "kmeans",
                      .name = "4 M points, 16 centres",
                      .input_name = {"x", "y", "z", "c"},
                      .output = {"mx", "my", "mz", "count"},
                      .peer = c_kmeans,
                      .task = "kmeans",
                      .libraries = "numpy jax numba",
                      .operations = 8.0 * CENTRES * (double)n,
                      .asked = 1.1,
                      .tolerance = 1e-4};
    if (!bench_wants(b, l.name)) return WADI_OK;
    wadi_text text = {0};
    wadi_text_addf(&text, "%s", kmeans_head);
    add_centres(&text);
    wadi_text_addf(&text, "%s", kmeans_tail);
    l.text = wadi_text_str(&text);
    wadi_status status = WADI_OK;
    for (int i = 0; i < 4 && status == WADI_OK; i++) {
        const int64_t length = i < 3 ? n : 3 * CENTRES;
        status = numbers_vector(WADI_F32, length, &l.input[i], err);
        for (int64_t k = 0; status == WADI_OK && k < length; k++)
            ((float *)l.input[i].column[0])[k] = (float)numbers_unit(k, i);
    }
    if (status == WADI_OK) status = numbers_compare(b, &l, err);
    for (int i = 0; i < 4; i++) free(l.input[i].column[0]);
    wadi_text_fini(&text);
    return status;
}
