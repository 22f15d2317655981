/* Autocorrelations of parts of a block, each under a window of its own.
 *
 * The window is a trapezoid: the flat top of a Tukey window with straight tapers. Every part is an array of its own, so its work is
 * proportional to its length. Zeros, tapers and top have separate loops, so that the top costs only a conversion. Sums are f64: with
 * f32, files of band-limited music, whose systems are ill-conditioned, are 1 to 6 % larger.
 */
#include "apps/audio/analysis_parts.h"

#include "base/error.h"

typedef struct cut {
    wadi_acc x;     /* [rows, PAD + n] */
    wadi_exp part;  /* i64: samples of a part */
    wadi_exp taper; /* i64: samples on which the window rises, and falls */
    wadi_exp slope; /* f64: of the tapers, per sample */
    wadi_exp from;  /* i64: first sample of the piece being built, from the part's first */
    wadi_acc v;     /* f64[rows, parts, PAD + part]: windowed samples */
} cut;

static wadi_exp f64_of(wadi_exp e) {
    return wadi_convert(WADI_F64, e);
}

/* Sample ix[2] of the piece. */
static wadi_exp top(void *env, wadi_ix ix) {
    const cut *c = env;
    const wadi_exp first = wadi_add(wadi_mul(ix.at[1], c->part), c->from);
    const wadi_exp i = wadi_add(wadi_add(first, wadi_i64(FLAC_PAD)), ix.at[2]);
    return f64_of(wadi_index2(c->x, ix.at[0], i));
}

/* (i + 1/2) slope. A position fits 32 bits, and processors convert several such numbers at once. */
static wadi_exp weight(const cut *c, wadi_exp i) {
    return wadi_mul(wadi_add(f64_of(wadi_convert(WADI_I32, i)), wadi_f64(0.5)), c->slope);
}

static wadi_exp rise(void *env, wadi_ix ix) {
    return wadi_mul(weight(env, ix.at[2]), top(env, ix));
}

static wadi_exp fall(void *env, wadi_ix ix) {
    const cut *c = env;
    const wadi_exp left = wadi_sub(wadi_sub(c->taper, wadi_i64(1)), ix.at[2]);
    return wadi_mul(weight(c, left), top(env, ix));
}

static wadi_exp zero(void *env, wadi_ix ix) {
    const wadi_type *type = env;
    WADI_UNUSED(ix);
    return wadi_literal(*type, 0);
}

wadi_acc flac_padded(wadi_type type, wadi_acc x) {
    const wadi_ix shape = wadi_ix2(wadi_extent(x, 0), wadi_i64(FLAC_PAD));
    const wadi_acc parts[2] = {wadi_generate_env(shape, zero, &type), x};
    return wadi_concat_n(1, 2, parts);
}

static wadi_acc windowed(cut *c, wadi_exp parts) {
    wadi_type type = WADI_F64;
    const wadi_exp rows = wadi_extent(c->x, 0);
    const wadi_exp flat = wadi_sub(c->part, wadi_mul(wadi_i64(2), c->taper));
    const wadi_ix tapered = wadi_ix3(rows, parts, c->taper);
    wadi_acc piece[4];
    piece[0] = wadi_generate_env(wadi_ix3(rows, parts, wadi_i64(FLAC_PAD)), zero, &type);
    c->from = wadi_i64(0);
    piece[1] = wadi_generate_env(tapered, rise, c);
    c->from = c->taper;
    piece[2] = wadi_generate_env(wadi_ix3(rows, parts, flat), top, c);
    c->from = wadi_add(c->taper, flat);
    piece[3] = wadi_generate_env(tapered, fall, c);
    return wadi_concat_n(2, 4, piece);
}

static wadi_exp lag_product(void *env, wadi_ix ix) {
    const cut *c = env;
    const wadi_exp i = wadi_add(ix.at[3], wadi_i64(FLAC_PAD));
    return wadi_mul(wadi_index3(c->v, ix.at[0], ix.at[1], i),
                    wadi_index3(c->v, ix.at[0], ix.at[1], wadi_sub(i, ix.at[2])));
}

wadi_acc flac_autocorrelation(const flac_parts *p) {
    const wadi_exp n = wadi_sub(wadi_extent(p->x, 1), wadi_i64(FLAC_PAD));
    const wadi_exp parts = wadi_i64(p->parts);
    cut c = {.x = p->x, .part = wadi_quot(n, parts)};
    c.taper = wadi_min(wadi_quot(n, wadi_i64(p->tapers)), wadi_quot(c.part, wadi_i64(2)));
    c.slope = wadi_div(wadi_f64(1), f64_of(wadi_max(c.taper, wadi_i64(1))));
    c.v = wadi_named(p->windowed, windowed(&c, parts));
    const wadi_ix lags = wadi_ix4(wadi_extent(p->x, 0), parts, wadi_i64(p->order + 1), c.part);
    const wadi_acc r = wadi_fold(wadi_add, wadi_f64(0), wadi_generate_env(lags, lag_product, &c));
    return wadi_named(p->autocorrelation, r);
}

wadi_acc flac_autocorrelation_of(const flac_recipe *recipe, wadi_acc x, int parts,
                                 const char *windowed, const char *autocorrelation) {
    const flac_parts p = {.x = x,
                          .parts = parts,
                          .tapers = recipe->windows == 1 ? 4 : 8,
                          .order = recipe->max_order,
                          .windowed = windowed,
                          .autocorrelation = autocorrelation};
    return flac_autocorrelation(&p);
}
