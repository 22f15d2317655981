/* How many turns points of the plane take to escape, up to 255, in f32. */
#include "bench/arrays/images/images.h"

enum { HIGH = 1024, WIDE = 2048 };

typedef struct point {
    wadi_exp re, im;
    bool anew;
} point;

static wadi_exp part(wadi_exp s, const char *name) {
    return wadi_get(s, name);
}

static wadi_exp square(wadi_exp x) {
    return wadi_mul(x, x);
}

/* The state is p + q i after k turns; with it go the squares of p and q, which are used twice, unless they are computed anew. */
static wadi_exp state(const point *c, wadi_exp p, wadi_exp q, wadi_exp k) {
    const char *const names[] = {"p", "q", "k", "pp", "qq"};
    const wadi_exp values[] = {p, q, k, square(p), square(q)};
    return wadi_rec(c->anew ? 3 : 5, names, values);
}

static wadi_exp pp(const point *c, wadi_exp s) {
    return c->anew ? square(part(s, "p")) : part(s, "pp");
}

static wadi_exp qq(const point *c, wadi_exp s) {
    return c->anew ? square(part(s, "q")) : part(s, "qq");
}

static wadi_exp stays(void *env, wadi_exp s) {
    const point *c = env;
    return wadi_land(wadi_lt(part(s, "k"), wadi_i32(MANDELBROT_MOST)),
                     wadi_le(wadi_add(pp(c, s), qq(c, s)), wadi_f32(4)));
}

static wadi_exp step(void *env, wadi_exp s) {
    const point *c = env;
    const wadi_exp p = part(s, "p"), q = part(s, "q");
    return state(c, wadi_add(wadi_sub(pp(c, s), qq(c, s)), c->re),
                 wadi_add(wadi_mul(wadi_f32(2), wadi_mul(p, q)), c->im),
                 wadi_add(part(s, "k"), wadi_i32(1)));
}

/* From place i of n to a number between `from` and from + width. */
static wadi_exp place(wadi_exp i, int64_t n, float from, float width) {
    return wadi_add(wadi_mul(wadi_convert(WADI_F32, i), wadi_f32(width / (float)n)),
                    wadi_f32(from));
}

typedef struct plane {
    int64_t high, wide;
    bool anew;
} plane;

static point point_of(const plane *e, wadi_ix ix) {
    return (point){place(ix.at[1], e->wide, -2, 3), place(ix.at[0], e->high, -1, 2), e->anew};
}

static wadi_exp start(const point *c) {
    return state(c, wadi_f32(0), wadi_f32(0), wadi_i32(0));
}

static wadi_exp turns(void *env, wadi_ix ix) {
    point c = point_of(env, ix);
    return part(wadi_while_env(stays, step, &c, start(&c)), "k");
}

/* ---- without fusion: each turn is an operation on whole arrays ---- */

static wadi_exp first(void *env, wadi_ix ix) {
    const point c = point_of(env, ix);
    return start(&c);
}

static wadi_exp once(void *env, wadi_ix ix, wadi_exp s) {
    point c = point_of(env, ix);
    const wadi_exp next = step(&c, s), stay = stays(&c, s);
    const wadi_exp p = wadi_cond(stay, part(next, "p"), part(s, "p"));
    const wadi_exp q = wadi_cond(stay, part(next, "q"), part(s, "q"));
    return state(&c, p, q, wadi_cond(stay, part(next, "k"), part(s, "k")));
}

static wadi_exp count_of(wadi_exp s) {
    return part(s, "k");
}

static wadi_acc goes_on(void *env, wadi_acc all) {
    (void)env;
    return wadi_unit(wadi_lt(wadi_the(wadi_tuple_get(all, 1)), wadi_i64(MANDELBROT_MOST)));
}

static wadi_acc next(void *env, wadi_acc all) {
    return wadi_tuple2(wadi_imap_env(once, env, wadi_tuple_get(all, 0)),
                       wadi_unit(wadi_add(wadi_the(wadi_tuple_get(all, 1)), wadi_i64(1))));
}

static wadi_acc build(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    plane e = {shape[0], shape[1], how->anew};
    const wadi_ix all_points = wadi_ix2(wadi_i64(e.high), wadi_i64(e.wide));
    (void)in;
    if (!how->unfused) return wadi_generate_env(all_points, turns, &e);
    const wadi_acc all =
        wadi_tuple2(wadi_generate_env(all_points, first, &e), wadi_unit(wadi_i64(0)));
    return wadi_map(count_of, wadi_tuple_get(wadi_awhile_env(goes_on, next, &e, all), 0));
}

wadi_status images_mandelbrot(bench *b, wadi_error *err) {
    static const image_line line = {.benchmark = "mandelbrot",
                                    .name = "2 M points, 255 turns",
                                    .task = "mandelbrot",
                                    .rank = 2,
                                    .shape = {HIGH, WIDE},
                                    .out = WADI_I32,
                                    .build = build,
                                    .peer = peer_mandelbrot,
                                    .libraries = "halide numba jax",
                                    .columns = true,
                                    .tolerance = 0,
                                    .differ =
                                        1e-2}; /* near the border of the set a rounding decides */
    return image_compare(b, &line, err);
}
