/* Sequential model of the analysis. It is written to be obviously right, not fast: all samples are 64 bits wide, and every
 * candidate's residual is computed in full and priced by the same function. */
#include "tests/apps/flac_model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_N = 16384,
    MAX_PARTITIONS = 64,
    MIN_PARTITION = 16, /* samples; longer than any prediction order used */
    MIN_LPC_N = 64,
    INVALID = -1,
    CUT_ORDER = 8,
    CUT_MARGIN = 600
};

typedef struct candidate {
    int kind, order, precision, shift, partition_order;
    int32_t coefficient[FLAC_MAX_ORDER];
    int32_t rice[MAX_PARTITIONS];
    int64_t cost; /* bits, or INVALID */
    int64_t residual[MAX_N];
} candidate;

struct flac_model {
    flac_recipe recipe;
    int32_t head[FLAC_HEAD_SIZE];
    int32_t sub[FLAC_MAX_CHANNELS * FLAC_SUB_SIZE];
    int32_t rice[FLAC_MAX_CHANNELS * MAX_PARTITIONS];
    int64_t rice_n;
    int32_t *resid32;
    int64_t *resid64;
    int64_t *channel; /* [channels, MAX_N] as they will be coded */
    double window[MAX_N];
    candidate best, next;
};

flac_model *flac_model_create(const flac_recipe *recipe) {
    flac_model *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    const size_t samples = (size_t)recipe->channels * MAX_N;
    m->recipe = *recipe;
    m->resid32 = calloc(samples, sizeof *m->resid32);
    m->resid64 = calloc(samples, sizeof *m->resid64);
    m->channel = calloc(samples, sizeof *m->channel);
    if (m->resid32 != NULL && m->resid64 != NULL && m->channel != NULL) return m;
    flac_model_destroy(m);
    return NULL;
}

void flac_model_destroy(flac_model *m) {
    if (m == NULL) return;
    free(m->resid32);
    free(m->resid64);
    free(m->channel);
    free(m);
}

/* ---- fixed predictors ---- */

static const int32_t binomial[5][4] = {{0}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};

/* Arithmetic shift of a sum of products of a linear predictor. */
static int64_t predict(const int64_t *x, const int32_t *coefficient, int order, int shift) {
    int64_t sum = 0;
    for (int j = 0; j < order; j++) sum += coefficient[j] * x[-1 - j];
    return sum >> shift;
}

/* sums[o]: absolute residuals of fixed order o over the samples that every order can predict. */
static int fixed_sums(const int64_t *x, int64_t n, int64_t sums[5]) {
    int best = 0;
    for (int o = 0; o <= 4; o++) {
        sums[o] = 0;
        for (int64_t i = 4; i < n; i++) sums[o] += llabs(x[i] - predict(x + i, binomial[o], o, 0));
        if (sums[o] < sums[best]) best = o;
    }
    return best;
}

/* ---- linear prediction ---- */

/* A trapezoid, as good as a Tukey window and without cosines, over part `which` of so many equally long ones. */
static void make_window(flac_model *m, int64_t n, int parts, int which, int tapers) {
    const int64_t part = n / parts, lo = which * part;
    const int64_t least = n / tapers < part / 2 ? n / tapers : part / 2;
    const double slope = least > 0 ? 1.0 / (double)least : 2; /* 2: no taper at all */
    for (int64_t i = 0; i < n; i++) {
        const double rise = ((double)(i - lo) + 0.5) * slope;
        const double fall = ((double)(lo + part - i) - 0.5) * slope;
        m->window[i] = i < lo || i >= lo + part ? 0 : fmin(1, fmin(rise, fall));
    }
}

/* How much of a block the windows of the predictors rise and fall on. */
static int tapers(const flac_model *m) {
    return m->recipe.windows == 1 ? 4 : 8;
}

static void autocorrelation(const flac_model *m, const int64_t *x, int64_t n, int order,
                            double *out) {
    for (int l = 0; l <= order; l++) {
        out[l] = 0;
        for (int64_t i = l; i < n; i++) {
            out[l] += (double)x[i] * m->window[i] * ((double)x[i - l] * m->window[i - l]);
        }
    }
}

/* Takes the autocorrelation of a third of the block from that of the whole. */
static void punch_out(flac_model *m, const int64_t *x, int64_t n, int third, int order,
                      double *io) {
    double part[FLAC_MAX_ORDER + 1];
    make_window(m, n, 3, third, tapers(m));
    autocorrelation(m, x, n, order, part);
    for (int l = 0; l <= order; l++) io[l] -= part[l];
}

/* Levinson-Durbin. error[o - 1] is what order o leaves. Orders from `stop` on get reflection 0: the coefficients that come out
 * are those of order `stop`. */
static void levinson(const double *r, int order, int stop, double *a, double *error) {
    double e = r[0];
    for (int i = 0; i < order; i++) {
        double num = r[i + 1];
        for (int j = 0; j < i; j++) num -= a[j] * r[i - j];
        const double g = e > 0 && i < stop ? num / e : 0;
        double next[FLAC_MAX_ORDER];
        for (int j = 0; j < i; j++) next[j] = a[j] - g * a[i - 1 - j];
        memcpy(a, next, (size_t)i * sizeof *a);
        a[i] = g;
        e = fmax(0, e * (1 - g * g));
        error[i] = e;
    }
}

static int bit_length(int64_t v) {
    int n = 0;
    for (; v > 0; v >>= 1) n++;
    return n;
}

/* 32-bit decoders must not overflow on input of 16 bits, nor must 32-bit arithmetic here. */
static int choose_precision(int bits, int order) {
    if (bits > 17) return 14;
    if (bits < 16) return bits / 2 + 5 < 13 ? bits / 2 + 5 : 13;
    const int limit = 32 - bits - (bit_length(order) - 1);
    return limit < 13 ? limit : 13;
}

/* The order expected to take the fewest bits, and those. */
static int choose_order(const double *error, int max_order, int64_t n, int bits, double *out_bits) {
    int best = 1;
    *out_bits = HUGE_VAL;
    for (int o = 1; o <= max_order; o++) {
        const double each = fmax(0, 0.5 * log2(0.5 * error[o - 1] / (double)n));
        const double cost =
            each * (double)(n - o) + (double)(o * (bits + choose_precision(bits, o)));
        if (cost < *out_bits) {
            *out_bits = cost;
            best = o;
        }
    }
    return best;
}

/* Bits that linear prediction is expected to take for what the window shows of x. */
static double expected_bits(const flac_model *m, const int64_t *x, int64_t n, int64_t part,
                            int order, int bits) {
    double r[FLAC_MAX_ORDER + 1], a[FLAC_MAX_ORDER], error[FLAC_MAX_ORDER], least;
    autocorrelation(m, x, n, order, r);
    levinson(r, order, order, a, error);
    (void)choose_order(error, order, part, bits, &least);
    return least;
}

/* ---- stereo ---- */

/* Bits of row k of left, right, mid and side, about: less what is the same for all. A mean residual of m costs log2(m) + 2.5 bits
 * a sample (Laplace's distribution), and no sample costs more than its plain bits. */
static double coded_bits(flac_model *m, const int64_t *x, int64_t n, int k) {
    const int bits = m->recipe.bits + (k == 3); /* of the side channel one more */
    if (m->recipe.stereo == FLAC_STEREO_BY_LINEAR) {
        make_window(m, n, 1, 0, tapers(m));
        const double coded = expected_bits(m, x, n, n, m->recipe.max_order, m->recipe.bits);
        return fmin(coded, (double)n * (bits - 2.5));
    }
    int64_t sums[5];
    const double mean = (double)sums[fixed_sums(x, n, sums)] / (double)n + 0.25;
    return (double)n * fmin(log2(mean), bits - 2.5);
}

/* Bits that are zero in all samples take none. */
static double row_bits(flac_model *m, const int64_t *x, int64_t n, int k) {
    int64_t any = 0;
    for (int64_t i = 0; i < n; i++) any |= x[i];
    int wasted = 0;
    while (any != 0 && (any >> wasted & 1) == 0) wasted++;
    return coded_bits(m, x, n, k) - (double)n * wasted;
}

/* Splits the input into channels; two channels become the pair that leaves least. */
static int choose_stereo(flac_model *m, const int32_t *in, int64_t n) {
    const int channels = m->recipe.channels;
    for (int c = 0; c < channels; c++) {
        for (int64_t i = 0; i < n; i++) m->channel[c * MAX_N + i] = in[i * channels + c];
    }
    if (m->recipe.stereo == FLAC_STEREO_OFF) return FLAC_INDEPENDENT;
    int64_t *left = m->channel, *right = m->channel + MAX_N;
    int64_t *mid = m->best.residual, *side = m->next.residual; /* free for now */
    for (int64_t i = 0; i < n; i++) {
        mid[i] = (left[i] + right[i]) >> 1;
        side[i] = left[i] - right[i];
    }
    const int64_t *each[4] = {left, right, mid, side};
    double bits[4];
    for (int k = 0; k < 4; k++) bits[k] = row_bits(m, each[k], n, k);
    const double cost[4] = {bits[0] + bits[1], bits[0] + bits[3], bits[3] + bits[1],
                            bits[2] + bits[3]};
    int mode = 0;
    for (int k = 1; k < 4; k++) {
        if (cost[k] < cost[mode]) mode = k;
    }
    const size_t bytes = (size_t)n * sizeof *left;
    if (mode == FLAC_MID_SIDE) memcpy(left, mid, bytes);
    if (mode == FLAC_LEFT_SIDE || mode == FLAC_MID_SIDE) memcpy(right, side, bytes);
    if (mode == FLAC_SIDE_RIGHT) memcpy(left, side, bytes);
    return mode;
}

/* ---- cuts ---- */

int flac_model_cut(flac_model *m, const int32_t *samples, int64_t n) {
    const int channels = m->recipe.channels;
    const int order = m->recipe.max_order < CUT_ORDER ? m->recipe.max_order : CUT_ORDER;
    int64_t *mixed = m->best.residual; /* free for now */
    if (n != m->recipe.block) return 1;
    for (int64_t i = 0; i < n; i++) {
        mixed[i] = 0;
        for (int c = 0; c < channels; c++) mixed[i] += samples[i * channels + c];
    }
    int best = 0;
    double least = HUGE_VAL;
    for (int cut = 0; cut <= m->recipe.cuts; cut++) {
        const int parts = 1 << cut;
        double bits = (parts - 1) * CUT_MARGIN;
        for (int part = 0; part < parts; part++) {
            make_window(m, n, parts, part, 8 << cut);
            bits += expected_bits(m, mixed, n, n / parts, order, m->recipe.bits);
        }
        if (bits >= least) continue;
        least = bits;
        best = cut;
    }
    return 1 << best;
}

/* ---- cost of a residual ---- */

/* The Rice parameter for `n` residuals whose absolute values sum to `sum`, and the bits they then take, about. */
static int64_t partition_cost(int64_t sum, int64_t n, int limit, int32_t *out_k) {
    int k = sum < 2 || n == 0 ? 0 : bit_length((sum - 1) / n);
    if (k > limit) k = limit;
    *out_k = k;
    return 4 + (1 + k) * n + (k > 0 ? sum >> (k - 1) : 2 * sum) - (n >> 1);
}

/* Fills in partition order, parameters and cost; extra: bits beside the residual. */
static void judge(const flac_model *m, candidate *c, int64_t n, int64_t extra) {
    const int limit = m->recipe.bits <= 16 ? 14 : 30;
    int top = 0;
    while (top < m->recipe.max_partition && n % (INT64_C(2) << top) == 0 &&
           n >> (top + 1) >= MIN_PARTITION) {
        top++;
    }
    int64_t sums[MAX_PARTITIONS] = {0};
    for (int64_t i = c->order; i < n; i++) {
        if (llabs(c->residual[i]) > INT32_MAX) {
            c->cost = INVALID;
            return;
        }
        sums[i / (n >> top)] += llabs(c->residual[i]);
    }
    c->cost = INT64_MAX;
    for (int p = top; p >= 0; p--) {
        int32_t rice[MAX_PARTITIONS];
        int64_t total = 6 + extra;
        for (int j = 0; j < 1 << p; j++) {
            total += partition_cost(sums[j], (n >> p) - (j == 0 ? c->order : 0), limit, &rice[j]);
        }
        if (total < c->cost) {
            c->cost = total;
            c->partition_order = p;
            memcpy(c->rice, rice, sizeof rice);
        }
        for (int j = 0; j < 1 << p >> 1; j++) sums[j] = sums[2 * j] + sums[2 * j + 1];
    }
}

static void make_residual(candidate *c, const int64_t *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        c->residual[i] =
            i < c->order ? x[i] : x[i] - predict(x + i, c->coefficient, c->order, c->shift);
    }
}

/* ---- predictors ---- */

/* Rounds running sums and takes differences: the rounding error of each coefficient is made good by the next. */
static void quantise(const double *a, candidate *c) {
    double largest = 0;
    for (int j = 0; j < c->order; j++) largest = fmax(largest, fabs(a[j]));
    const int exponent = largest > 0 ? (int)floor(log2(largest)) : 0;
    const int shift = c->precision - 2 - exponent;
    c->shift = shift < 0 ? 0 : shift > 15 ? 15 : shift;
    const int32_t top = 1 << (c->precision - 1);
    double sum = 0;
    double before = 0;
    for (int j = 0; j < c->order; j++) {
        sum += a[j] * (double)(1 << c->shift);
        const double rounded = floor(fmax(-0x1p30, fmin(sum, 0x1p30)) + 0.5);
        c->coefficient[j] = (int32_t)fmax(-top, fmin(rounded - before, top - 1));
        before = rounded;
    }
}

static void try_fixed(flac_model *m, candidate *c, const int64_t *x, int64_t n, int bits) {
    int64_t sums[5];
    c->kind = FLAC_FIXED;
    c->order = fixed_sums(x, n, sums);
    c->precision = 0;
    c->shift = 0;
    for (int j = 0; j < c->order; j++) c->coefficient[j] = binomial[c->order][j];
    make_residual(c, x, n);
    judge(m, c, n, (int64_t)c->order * bits);
}

static void try_lpc(flac_model *m, candidate *c, int which, const int64_t *x, int64_t n, int bits) {
    const int max = m->recipe.max_order;
    double r[FLAC_MAX_ORDER + 1], a[FLAC_MAX_ORDER], error[FLAC_MAX_ORDER];
    const bool half = which > 0 && which < FLAC_WINDOWS_HALVES;
    make_window(m, n, half ? 2 : 1, half ? which - 1 : 0, tapers(m));
    autocorrelation(m, x, n, max, r);
    if (which >= FLAC_WINDOWS_HALVES) punch_out(m, x, n, which - FLAC_WINDOWS_HALVES, max, r);
    levinson(r, max, max, a, error);
    c->kind = FLAC_LPC;
    double expected;
    c->order = choose_order(error, max, n, bits, &expected);
    c->precision = choose_precision(bits, c->order);
    levinson(r, max, c->order, a, error);
    quantise(a, c);
    make_residual(c, x, n);
    judge(m, c, n, (int64_t)c->order * (bits + c->precision) + 9);
}

/* ---- one subframe ---- */

static void put_best(flac_model *m, int channel, int32_t *sub) {
    const candidate *b = &m->best;
    sub[FLAC_SUB_KIND] = b->kind;
    sub[FLAC_SUB_ORDER] = b->order;
    sub[FLAC_SUB_PRECISION] = b->precision;
    sub[FLAC_SUB_SHIFT] = b->shift;
    sub[FLAC_SUB_PARTITION_ORDER] = b->partition_order;
    for (int j = 0; b->kind == FLAC_LPC && j < b->order; j++) {
        sub[FLAC_SUB_COEFFICIENTS + j] = b->coefficient[j];
    }
    for (int j = 0; j < 1 << b->partition_order; j++) {
        if (b->rice[j] > 14) sub[FLAC_SUB_RICE_METHOD] = 1;
        m->rice[m->rice_n++] = b->rice[j];
    }
    memcpy(m->channel + (size_t)channel * MAX_N, b->residual, sizeof b->residual);
}

static void code_channel(flac_model *m, int channel, int64_t n, int bits) {
    int64_t *x = m->channel + (size_t)channel * MAX_N;
    int32_t *sub = m->sub + channel * FLAC_SUB_SIZE;
    bool constant = true;
    int64_t any = 0;
    for (int64_t i = 0; i < n; i++) {
        constant &= x[i] == x[0];
        any |= x[i];
    }
    int wasted = 0;
    while (!constant && (any >> wasted & 1) == 0) wasted++;
    for (int64_t i = 0; i < n; i++) x[i] >>= wasted;
    sub[FLAC_SUB_WASTED] = wasted;
    sub[FLAC_SUB_BITS] = bits - wasted;
    sub[FLAC_SUB_KIND] = constant ? FLAC_CONSTANT : FLAC_VERBATIM;
    if (constant) return;
    try_fixed(m, &m->best, x, n, bits - wasted);
    for (int k = 0; k < m->recipe.windows && n >= MIN_LPC_N; k++) {
        try_lpc(m, &m->next, k, x, n, bits - wasted);
        if (m->next.cost == INVALID) continue;
        if (m->best.cost == INVALID || m->next.cost < m->best.cost) m->best = m->next;
    }
    if (m->best.cost != INVALID && m->best.cost < n * (bits - wasted)) put_best(m, channel, sub);
}

void flac_model_analyse(flac_model *m, const int32_t *samples, int64_t n, flac_frame *out) {
    const int channels = m->recipe.channels;
    memset(m->sub, 0, sizeof m->sub);
    m->rice_n = 0;
    const int mode = choose_stereo(m, samples, n);
    m->head[0] = mode;
    for (int c = 0; c < channels; c++) {
        const bool side = (mode == FLAC_SIDE_RIGHT && c == 0) ||
                          ((mode == FLAC_LEFT_SIDE || mode == FLAC_MID_SIDE) && c == 1);
        code_channel(m, c, n, m->recipe.bits + side);
    }
    const bool wide = m->recipe.bits == 32;
    for (int c = 0; c < channels; c++) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t v = m->channel[c * MAX_N + i];
            m->resid64[c * n + i] = v;
            if (!wide) m->resid32[c * n + i] = (int32_t)v;
        }
    }
    *out = (flac_frame){
        .channels = channels,
        .n = n,
        .head = m->head,
        .sub = m->sub,
        .rice = m->rice,
        .rice_n = m->rice_n,
        .resid32 = wide ? NULL : m->resid32,
        .resid64 = wide ? m->resid64 : NULL,
    };
}
