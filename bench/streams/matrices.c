/* Look-alikes of matrices. See matrices.h.
 *
 * Row lengths come first: a weight per row, scaled so that they add up to the entries asked for. Then each row spreads its
 * entries over the columns it may use, in cells of equal width with one run of entries at a random place in each cell, which
 * gives sorted columns without sorting. */
#include "bench/streams/matrices.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

const bench_kind bench_kinds[] = {
    {"pdb1HYS", 36417, 36417, 4344765, BENCH_MESH},
    {"consph", 83334, 83334, 6010480, BENCH_MESH},
    {"cant", 62451, 62451, 4007383, BENCH_MESH},
    {"pwtk", 217918, 217918, 11524432, BENCH_MESH},
    {"rma10", 46835, 46835, 2329092, BENCH_MESH},
    {"shipsec1", 140874, 140874, 3568176, BENCH_MESH},
    {"rail4284", 4284, 1096894, 11284032, BENCH_SKEWED},
    {"TSOPF_FS_b300_c2", 56814, 56814, 8767466, BENCH_BLOCKS},
    {"FullChip", 2987012, 2987012, 26621983, BENCH_SKEWED},
    {"dielFilterV2real", 1157456, 1157456, 48538952, BENCH_MESH},
    {"Flan_1565", 1564794, 1564794, 114165372, BENCH_MESH},
    {"Queen_4147", 4147110, 4147110, 316548962, BENCH_MESH},
    {"nlpkkt240", 27993600, 27993600, 760648352, BENCH_MESH},
    {"HV15R", 2017169, 2017169, 283073458, BENCH_MESH},
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In (0, 1]. */
static double unit(uint64_t *state) {
    return ((double)(next(state) >> 11) + 1) * 0x1p-53;
}

static double weight(bench_pattern pattern, uint64_t *random) {
    const double u = unit(random);
    switch (pattern) {
    case BENCH_MESH:
        return 0.7 + 0.6 * u;
    case BENCH_BLOCKS:
        return u < 0.5 ? 0.05 : 1 + u;
    case BENCH_SKEWED:
        break;
    }
    return 1 / sqrt(u); /* lengths of density ~ length^-3 */
}

/* Offsets of rows whose lengths are proportional to their weights; the rest that rounding leaves goes to the first rows. */
static void spread(const bench_kind *kind, wadi_csr *m) {
    uint64_t random = (uint64_t)kind->entries;
    double total = 0;
    for (int64_t r = 0; r < m->rows; r++) total += weight(kind->pattern, &random);
    random = (uint64_t)kind->entries;
    const int64_t most = m->columns;
    for (int64_t r = 0; r < m->rows; r++) {
        const double share = (double)m->entries * weight(kind->pattern, &random) / total;
        m->offsets[r + 1] = share < (double)most ? (int64_t)share : most;
    }
    int64_t left = m->entries;
    for (int64_t r = 0; r < m->rows; r++) left -= m->offsets[r + 1];
    for (int64_t r = 0; left > 0 && r < m->rows; r++) {
        if (m->offsets[r + 1] == most) continue;
        m->offsets[r + 1]++;
        left--;
    }
    for (int64_t r = 0; r < m->rows; r++) m->offsets[r + 1] += m->offsets[r];
    m->entries = m->offsets[m->rows];
}

/* The columns a row may use: all, or a band around the diagonal that is wide enough; in square skewed matrices long rows reach
 * further. */
static void band(const bench_kind *kind, const wadi_csr *m, int64_t row, int64_t n, int64_t *from,
                 int64_t *width) {
    int64_t w = kind->pattern == BENCH_BLOCKS ? n : m->columns / 50;
    if (kind->pattern == BENCH_SKEWED) w = kind->rows == kind->columns ? 200 * n : m->columns;
    if (w < 3 * n) w = kind->pattern == BENCH_BLOCKS ? n : 3 * n;
    if (w > m->columns) w = m->columns;
    int64_t first = row * m->columns / m->rows - w / 2;
    if (first < 0) first = 0;
    if (first > m->columns - w) first = m->columns - w;
    *from = first;
    *width = w;
}

static void fill_row(const bench_kind *kind, wadi_csr *m, int64_t row, uint64_t *random) {
    const int64_t begin = m->offsets[row], n = m->offsets[row + 1] - begin;
    int32_t *columns = m->index;
    int64_t from = 0, width = 0;
    band(kind, m, row, n, &from, &width);
    const int64_t run = kind->pattern == BENCH_MESH ? 3 : 1;
    for (int64_t i = 0; i < n; i += run) {
        const int64_t k = n - i < run ? n - i : run;
        const int64_t low = from + i * width / n, high = from + (i + k) * width / n;
        const int64_t slack = high - low - k;
        const int64_t at = low + (slack > 0 ? (int64_t)(next(random) % (uint64_t)slack) : 0);
        for (int64_t j = 0; j < k; j++) {
            columns[begin + i + j] = (int32_t)(at + j);
            m->values[begin + i + j] = 2 * unit(random) - 1;
        }
    }
}

static int64_t at_least_one(int64_t n) {
    return n > 0 ? n : 1;
}

wadi_status bench_matrix_make(const bench_kind *kind, int64_t shrink, wadi_csr *out,
                              wadi_error *err) {
    wadi_csr m = {.rows = at_least_one(kind->rows / shrink),
                  .columns = at_least_one(kind->columns / shrink),
                  .entries = kind->entries / shrink,
                  .index_type = WADI_I32,
                  .type = WADI_F64};
    if (m.entries > m.rows * m.columns) m.entries = m.rows * m.columns;
    m.offsets = calloc((size_t)m.rows + 1, sizeof *m.offsets);
    m.index = malloc((size_t)at_least_one(m.entries) * sizeof(int32_t));
    m.values = malloc((size_t)at_least_one(m.entries) * sizeof *m.values);
    if (m.offsets == NULL || m.index == NULL || m.values == NULL) {
        wadi_csr_fini(&m);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", kind->name);
    }
    spread(kind, &m);
    uint64_t random = (uint64_t)kind->rows;
    for (int64_t r = 0; r < m.rows; r++) fill_row(kind, &m, r, &random);
    *out = m;
    return WADI_OK;
}
