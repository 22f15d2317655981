/* Derived array functions against plain C: over vectors and segments of many shapes, each function is compared with a loop that
 * follows its description and uses no operator. */
#include <stdlib.h>

#include "tests/operators/support.h"

enum { MOST = 24 };

/* ---- two associative functions: a sum, and one that is not commutative ---- */

static wadi_exp later(wadi_exp a, wadi_exp b) {
    return wadi_cond(wadi_ne(b, wadi_i64(0)), b, a);
}

static int64_t c_add(int64_t a, int64_t b) {
    return a + b;
}

static int64_t c_later(int64_t a, int64_t b) {
    return b != 0 ? b : a;
}

typedef struct associative {
    wadi_fn2 f;
    int64_t (*c)(int64_t, int64_t);
} associative;

static const associative functions[2] = {{wadi_add, c_add}, {later, c_later}};
static const int64_t Z = 1000; /* no identity of either: it must count once */

/* ---- a case: values, and segments of them ---- */

typedef struct layout {
    int64_t n;
    int64_t segments, length[6];
} layout;

/* Lengths may sum to less than the extent; what is left lies in no segment. */
static const layout layouts[] = {
    {0, 0, {0}},
    {0, 1, {0}},
    {1, 0, {0}},
    {1, 1, {1}},
    {1, 2, {0, 1}},
    {5, 1, {5}},
    {5, 3, {0, 0, 0}},
    {6, 3, {2, 0, 3}},
    {7, 4, {0, 3, 0, 4}},
    {9, 3, {1, 1, 1}},
    {12, 2, {6, 6}},
    {13, 5, {3, 0, 1, 5, 0}},
    {20, 6, {1, 2, 3, 4, 5, 4}},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static int64_t values[MOST];

static void fill_values(int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = (i * 7 + 3) % 5 == 0 ? 0 : (i * 37) % 11 - 4;
}

static wadi_acc the_values(const layout *l) {
    return vector(l->n, values);
}

static wadi_acc the_lengths(const layout *l) {
    return vector(l->segments, l->length);
}

static int64_t begin_of(const layout *l, int64_t segment) {
    int64_t at = 0;
    for (int64_t i = 0; i < segment; i++) at += l->length[i];
    return at;
}

/* f over values[from..to), with z in front (-1), behind (1) or not at all (0). */
static int64_t over(const associative *g, int64_t from, int64_t to, int z) {
    bool any = z < 0;
    int64_t sum = Z;
    for (int64_t i = from; i < to; i++) {
        sum = any ? g->c(sum, values[i]) : values[i];
        any = true;
    }
    if (z > 0) sum = any ? g->c(sum, Z) : Z;
    return sum;
}

/* ---- scans of a vector ---- */

static void scans_of_a_vector(void **state) {
    (void)state;
    for (int l = 0; l < LAYOUTS; l++)
        for (int k = 0; k < 2; k++) {
            const associative *g = &functions[k];
            const int64_t n = layouts[l].n;
            int64_t left[MOST], right[MOST], left1[MOST], right1[MOST];
            fill_values(n);
            for (int64_t i = 0; i <= n; i++) {
                left[i] = over(g, 0, i, -1);
                right[i] = over(g, i, n, 1);
            }
            for (int64_t i = 0; i < n; i++) {
                left1[i] = over(g, 0, i + 1, 0);
                right1[i] = over(g, i, n, 0);
            }
            begin();
            const wadi_acc v = the_values(&layouts[l]);
            const wadi_exp z = wadi_i64(Z);
            wadi_output("scanl", wadi_scanl(g->f, z, v));
            wadi_output("scanl1", wadi_scanl1(g->f, v));
            wadi_output("scanr", wadi_scanr(g->f, z, v));
            wadi_output("scanr1", wadi_scanr1(g->f, v));
            wadi_output("prescanl", wadi_prescanl(g->f, z, v));
            wadi_output("postscanl", wadi_postscanl(g->f, z, v));
            wadi_output("prescanr", wadi_prescanr(g->f, z, v));
            wadi_output("postscanr", wadi_postscanr(g->f, z, v));
            wadi_output("totall", wadi_scanl_total(g->f, z, v));
            wadi_output("totalr", wadi_scanr_total(g->f, z, v));
            wadi_output("fold", wadi_fold(g->f, z, v));
            wadi_output("fold_all", wadi_fold_all(g->f, z, v));
            run();
            expect_ints("scanl", n + 1, left);
            expect_ints("scanl1", n, left1);
            expect_ints("scanr", n + 1, right);
            expect_ints("scanr1", n, right1);
            expect_ints("prescanl", n, left);
            expect_ints("postscanl", n, left + 1);
            expect_ints("prescanr", n, right + 1);
            expect_ints("postscanr", n, right);
            expect_ints("totall.0", n, left);
            expect_ints("totall.1", 1, &left[n]);
            expect_ints("totalr.0", n, right + 1);
            expect_ints("totalr.1", 1, &right[0]);
            expect_ints("fold", 1, &left[n]);
            expect_ints("fold_all", 1, &left[n]);
            end();
        }
}

/* ---- scans of segments ---- */

/* What a scan of segments has at a place, given the place in its segment's values. */
typedef int64_t (*at_place)(const associative *g, int64_t from, int64_t i, int64_t to);

static int64_t scanl1_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)to;
    return over(g, from, i + 1, 0);
}
static int64_t scanr1_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)from;
    return over(g, i, to, 0);
}
static int64_t prescanl_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)to;
    return over(g, from, i, -1);
}
static int64_t postscanl_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)to;
    return over(g, from, i + 1, -1);
}
static int64_t prescanr_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)from;
    return over(g, i + 1, to, 1);
}
static int64_t postscanr_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)from;
    return over(g, i, to, 1);
}
static int64_t scanl_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)to;
    return over(g, from, i, -1);
}
static int64_t scanr_at(const associative *g, int64_t from, int64_t i, int64_t to) {
    (void)from;
    return over(g, i, to, 1);
}

/* Output `name` has `more` places per segment beside its values; where no segment is, zeros. */
static void expect_scan(const char *name, const layout *l, const associative *g, int more,
                        at_place at) {
    int64_t want[MOST + 8] = {0};
    for (int64_t j = 0; j < l->segments; j++) {
        const int64_t from = begin_of(l, j), to = from + l->length[j];
        for (int64_t i = from; i < to + more; i++) want[i + j * more] = at(g, from, i, to);
    }
    expect_ints(name, l->n + l->segments * more, want);
}

static void segments_outputs(const layout *l, const associative *g) {
    const wadi_acc v = the_values(l), n = the_lengths(l);
    const wadi_acc o = wadi_scanl(wadi_add, wadi_i64(0), n);
    const wadi_exp z = wadi_i64(Z);
    wadi_output("scanl", wadi_scanl_seg(g->f, z, n, v));
    wadi_output("scanl1", wadi_scanl1_seg(g->f, n, v));
    wadi_output("scanr", wadi_scanr_seg(g->f, z, n, v));
    wadi_output("scanr1", wadi_scanr1_seg(g->f, n, v));
    wadi_output("prescanl", wadi_prescanl_seg(g->f, z, n, v));
    wadi_output("postscanl", wadi_postscanl_seg(g->f, z, n, v));
    wadi_output("prescanr", wadi_prescanr_seg(g->f, z, n, v));
    wadi_output("postscanr", wadi_postscanr_seg(g->f, z, n, v));
    wadi_output("total", wadi_scanl_total_seg(g->f, z, n, v));
    wadi_output("scanl_o", wadi_scanl_offsets(g->f, z, o, v));
    wadi_output("scanl1_o", wadi_scanl1_offsets(g->f, o, v));
    wadi_output("prescanl_o", wadi_prescanl_offsets(g->f, z, o, v));
    wadi_output("fold", wadi_fold_seg(g->f, z, n, v));
    wadi_output("fold_o", wadi_fold_offsets(g->f, z, o, v));
}

static void scans_and_folds_of_segments(void **state) {
    (void)state;
    for (int k = 0; k < LAYOUTS; k++)
        for (int j = 0; j < 2; j++) {
            const layout *l = &layouts[k];
            const associative *g = &functions[j];
            fill_values(l->n);
            begin();
            segments_outputs(l, g);
            run();
            expect_scan("scanl", l, g, 1, scanl_at);
            expect_scan("scanl_o", l, g, 1, scanl_at);
            expect_scan("scanr", l, g, 1, scanr_at);
            expect_scan("scanl1", l, g, 0, scanl1_at);
            expect_scan("scanl1_o", l, g, 0, scanl1_at);
            expect_scan("scanr1", l, g, 0, scanr1_at);
            expect_scan("prescanl", l, g, 0, prescanl_at);
            expect_scan("prescanl_o", l, g, 0, prescanl_at);
            expect_scan("postscanl", l, g, 0, postscanl_at);
            expect_scan("prescanr", l, g, 0, prescanr_at);
            expect_scan("postscanr", l, g, 0, postscanr_at);
            expect_scan("total.0", l, g, 0, prescanl_at);
            int64_t totals[6];
            for (int64_t s = 0; s < l->segments; s++)
                totals[s] = over(g, begin_of(l, s), begin_of(l, s) + l->length[s], -1);
            expect_ints("total.1", l->segments, totals);
            expect_ints("fold", l->segments, totals);
            expect_ints("fold_o", l->segments, totals);
            end();
        }
}

/* Every row of a matrix is scanned alike, and what is behind the segments is zero in each. */
static void segments_of_every_row(void **state) {
    (void)state;
    begin();
    const wadi_acc m = matrix(2, 4, I64S(1, 2, 3, 4, 5, 6, 7, 8)), n = vector(2, I64S(2, 1));
    wadi_output("l", wadi_postscanl_seg(wadi_add, wadi_i64(10), n, m));
    wadi_output("r", wadi_postscanr_seg(wadi_add, wadi_i64(10), n, m));
    run();
    expect_ints("l", 8, I64S(11, 13, 13, 0, 15, 21, 17, 0));
    expect_ints("r", 8, I64S(13, 12, 13, 0, 21, 16, 17, 0));
    end();
}

/* ---- by index ---- */

static int64_t index_at(int64_t i, int64_t n) {
    return (i * i + 2 * i) % n;
}

static void scatters_and_gathers(void **state) {
    (void)state;
    for (int64_t n = 0; n <= 20; n += n < 3 ? 1 : 5)
        for (int64_t places = 1; places <= 9; places += 4) {
            int64_t to[MOST], scattered[MOST], chosen[MOST], picked[MOST], flag[MOST];
            fill_values(n);
            for (int64_t p = 0; p < places; p++) scattered[p] = chosen[p] = -p;
            for (int64_t i = 0; i < n; i++) {
                to[i] = index_at(i, places);
                flag[i] = i % 3 != 1;
                scattered[to[i]] = values[i];
                if (flag[i]) chosen[to[i]] = values[i];
            }
            for (int64_t i = 0; i < n; i++) picked[i] = flag[i] ? -to[i] : values[i];
            begin();
            const wadi_acc v = vector(n, values), ix = vector(n, to);
            const wadi_acc flags = wadi_zip_with(wadi_ne, vector(n, flag),
                                                 wadi_fill(wadi_ix1(wadi_i64(n)), wadi_i64(0)));
            const wadi_acc start = wadi_map(wadi_neg, wadi_iota(WADI_I64, wadi_i64(places)));
            wadi_output("scatter", wadi_scatter(ix, start, v));
            wadi_output("scatter_if", wadi_scatter_if(flags, ix, start, v));
            wadi_output("gather_if", wadi_gather_if(flags, ix, v, start));
            wadi_output("gather", wadi_gather(ix, start));
            run();
            expect_ints("scatter", places, scattered);
            expect_ints("scatter_if", places, chosen);
            expect_ints("gather_if", n, picked);
            for (int64_t i = 0; i < n; i++) picked[i] = -to[i];
            expect_ints("gather", n, picked);
            end();
        }
}

static wadi_exp three_times_and(wadi_exp element, wadi_exp so_far) {
    return wadi_add(wadi_mul(so_far, wadi_i64(3)), element);
}

static void histograms_combine_in_the_order_of_the_source(void **state) {
    (void)state;
    for (int64_t n = 0; n <= 15; n++) {
        int64_t to[MOST], hist[4] = {Z, Z, Z, Z};
        fill_values(n);
        for (int64_t i = 0; i < n; i++) {
            to[i] = index_at(i, 4);
            hist[to[i]] = hist[to[i]] * 3 + values[i];
        }
        begin();
        wadi_output("h", wadi_histogram(three_times_and, wadi_i64(4), wadi_i64(Z), vector(n, to),
                                        vector(n, values)));
        run();
        expect_ints("h", 4, hist);
        end();
    }
}

/* ---- filters, partitions, expansions, orders ---- */

static wadi_exp is_odd(wadi_exp x) {
    return wadi_ne(wadi_and(x, wadi_i64(1)), wadi_i64(0));
}

static wadi_exp size_of(wadi_exp x) {
    return wadi_and(x, wadi_i64(3));
}

static wadi_exp nth_of(wadi_exp x, wadi_exp i) {
    return wadi_add(wadi_mul(x, wadi_i64(10)), i);
}

static wadi_exp key_of(wadi_exp x) {
    return wadi_convert(WADI_U8, wadi_and(x, wadi_i64(3)));
}

static int by_value(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Stable: insertion. */
static void sort_by_low_bits(int64_t n, int64_t *v) {
    for (int64_t i = 1; i < n; i++)
        for (int64_t k = i; k > 0 && (v[k - 1] & 3) > (v[k] & 3); k--) {
            const int64_t x = v[k];
            v[k] = v[k - 1];
            v[k - 1] = x;
        }
}

static void filters_and_orders(void **state) {
    (void)state;
    for (int64_t n = 0; n <= 20; n += n < 4 ? 1 : 4) {
        int64_t odd[MOST], parted[MOST], sorted[MOST], keyed[MOST], many[MOST * 3], nodd = 0,
                                                                                    nmany = 0;
        fill_values(n);
        for (int64_t i = 0; i < n; i++)
            if (values[i] & 1) odd[nodd++] = values[i];
        int64_t at = 0;
        for (int64_t i = 0; i < nodd; i++) parted[at++] = odd[i];
        for (int64_t i = 0; i < n; i++) {
            if (!(values[i] & 1)) parted[at++] = values[i];
            sorted[i] = keyed[i] = values[i];
            for (int64_t k = 0; k < (values[i] & 3); k++) many[nmany++] = values[i] * 10 + k;
        }
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        sort_by_low_bits(n, keyed);
        begin();
        const wadi_acc v = vector(n, values);
        wadi_output("filter", wadi_filter(is_odd, v));
        wadi_output("compact", wadi_compact(wadi_map(is_odd, v), v));
        wadi_output("partition", wadi_partition(is_odd, v));
        wadi_output("expand", wadi_expand(size_of, nth_of, v));
        wadi_output("sort", wadi_sort(v));
        wadi_output("by_key", wadi_sort_by_key(key_of, v));
        run();
        expect_ints("filter.0", nodd, odd);
        expect_ints("filter.1", 1, &nodd);
        expect_ints("compact.0", nodd, odd);
        expect_ints("partition.0", n, parted);
        expect_ints("partition.1", 1, &nodd);
        expect_ints("expand", nmany, many);
        expect_ints("sort", n, sorted);
        expect_ints("by_key", n, keyed);
        end();
    }
}

/* ---- parts ---- */

static int64_t clamp(int64_t x, int64_t most) {
    return x < 0 ? 0 : x > most ? most : x;
}

static void parts_of_a_vector(void **state) {
    (void)state;
    for (int64_t n = 0; n <= 6; n++)
        for (int64_t k = -2; k <= 8; k++) {
            fill_values(n);
            begin();
            const wadi_acc v = vector(n, values);
            wadi_output("take", wadi_take(wadi_i64(k), v));
            wadi_output("drop", wadi_drop(wadi_i64(k), v));
            wadi_output("slit", wadi_slit(wadi_i64(1), wadi_i64(k), v));
            wadi_output("init", wadi_init(v));
            wadi_output("tail", wadi_tail(v));
            wadi_output("both", wadi_concat(v, wadi_reverse(v)));
            wadi_output("min", wadi_zip_with_min(wadi_sub, v, wadi_iota(WADI_I64, wadi_i64(3))));
            run();
            const int64_t taken = clamp(k, n), one = clamp(1, n);
            int64_t both[MOST], min[3];
            for (int64_t i = 0; i < n; i++) both[i] = both[2 * n - 1 - i] = values[i];
            for (int64_t i = 0; i < clamp(n, 3); i++) min[i] = values[i] - i;
            expect_ints("take", taken, values);
            expect_ints("drop", n - taken, values + taken);
            expect_ints("slit", clamp(k, n - one), values + one);
            expect_ints("init", n - one, values);
            expect_ints("tail", n - one, values + one);
            expect_ints("both", 2 * n, both);
            expect_ints("min", clamp(n, 3), min);
            end();
        }
}

static void extremes_and_truths(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 20; n += 3) {
        int64_t least = 0, greatest = 0, sum = 0, product = 1, all = 1, any = 0;
        fill_values(n);
        for (int64_t i = 0; i < n; i++) {
            if (values[i] < values[least]) least = i;
            if (values[i] > values[greatest]) greatest = i;
            sum += values[i];
            product *= values[i];
            all &= values[i] & 1;
            any |= values[i] & 1;
        }
        begin();
        const wadi_acc v = vector(n, values), odd = wadi_map(is_odd, v);
        wadi_output("argmin", wadi_argmin(v));
        wadi_output("argmax", wadi_argmax(v));
        wadi_output("minimum", wadi_minimum(v));
        wadi_output("maximum", wadi_maximum(v));
        wadi_output("sum", wadi_sum(v));
        wadi_output("product", wadi_product(v));
        wadi_output("all", wadi_all_of(odd));
        wadi_output("any", wadi_any_of(odd));
        run();
        expect_ints("argmin", 1, &least);
        expect_ints("argmax", 1, &greatest);
        expect_ints("minimum", 1, &values[least]);
        expect_ints("maximum", 1, &values[greatest]);
        expect_ints("sum", 1, &sum);
        expect_ints("product", 1, &product);
        expect_ints("all", 1, &all);
        expect_ints("any", 1, &any);
        end();
    }
}

/* ---- pieces of an array as a stream ---- */

static void expect_stream(const char *name, int64_t n, const int64_t *lengths,
                          const int64_t *elements) {
    const wadi_interp_sink *s = wadi_interp_sink_get(results(), name);
    assert_non_null(s);
    assert_int_equal(s->n, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t size = 1;
        for (int d = 0; d < s->elements[i].rank; d++) size *= s->elements[i].shape[d];
        assert_int_equal(size, lengths[i]);
        expect_array_ints(&s->elements[i], 0, size, elements);
        elements += size;
    }
}

static void segments_as_streams(void **state) {
    (void)state;
    for (int k = 0; k < LAYOUTS; k++) {
        const layout *l = &layouts[k];
        int64_t offsets[7];
        fill_values(l->n);
        for (int64_t j = 0; j <= l->segments; j++) offsets[j] = begin_of(l, j);
        begin();
        const wadi_acc v = the_values(l), shapes = matrix(l->segments, 1, l->length);
        wadi_stream_out(wadi_from_offsets(vector(l->segments + 1, offsets), v), "offsets");
        wadi_stream_out(wadi_from_shapes(shapes, v), "shapes");
        wadi_stream_out(wadi_from_segs(vector(l->segments, offsets), shapes, v), "segs");
        wadi_stream_out(wadi_to_seq(v), "scalars");
        run();
        expect_stream("offsets", l->segments, l->length, values);
        expect_stream("shapes", l->segments, l->length, values);
        expect_stream("segs", l->segments, l->length, values);
        int64_t ones[MOST];
        for (int64_t i = 0; i < l->n; i++) ones[i] = 1;
        expect_stream("scalars", l->n, ones, values);
        end();
    }
}

static void tiles_are_ragged_at_the_far_ends(void **state) {
    (void)state;
    for (int64_t rows = 0; rows <= 5; rows++)
        for (int64_t columns = 0; columns <= 4; columns++)
            for (int64_t b = 0; b <= 3; b++) { /* 0 counts as 1 */
                const int64_t high = b < 1 ? 1 : b, wide = 2;
                int64_t sizes[32], elements[32], tiles = 0, at = 0, cells[32];
                for (int64_t i = 0; i < rows * columns; i++) cells[i] = i;
                for (int64_t r = 0; r < rows; r += high)
                    for (int64_t c = 0; c < columns; c += wide) {
                        const int64_t before = at;
                        for (int64_t i = r; i < r + high && i < rows; i++)
                            for (int64_t j = c; j < c + wide && j < columns; j++)
                                elements[at++] = cells[i * columns + j];
                        sizes[tiles++] = at - before;
                    }
                begin();
                const wadi_acc m = matrix(rows, columns, cells);
                wadi_stream_out(wadi_subarrays(wadi_ix2(wadi_i64(b), wadi_i64(wide)), m), "tiles");
                run();
                expect_stream("tiles", tiles, sizes, elements);
                end();
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_of_a_vector),
        cmocka_unit_test(scans_and_folds_of_segments),
        cmocka_unit_test(segments_of_every_row),
        cmocka_unit_test(scatters_and_gathers),
        cmocka_unit_test(histograms_combine_in_the_order_of_the_source),
        cmocka_unit_test(filters_and_orders),
        cmocka_unit_test(parts_of_a_vector),
        cmocka_unit_test(extremes_and_truths),
        cmocka_unit_test(segments_as_streams),
        cmocka_unit_test(tiles_are_ragged_at_the_far_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
