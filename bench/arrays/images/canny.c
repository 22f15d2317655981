/* Canny's edges of an image of bytes, as OpenCV's GaussianBlur and Canny compute them, so that results are equal: five weights along each axis, slopes
 * by Sobel, sizes |dx| + |dy|, the greatest along the slope, two thresholds, and hysteresis by labels, which awhile spreads along chains of places. */
#include "bench/arrays/images/images.h"

enum { SIDE = 4096 };

/* ---- Gaussian: whole numbers, of which only the sum is rounded ---- */

static wadi_exp five(const wadi_exp *x) {
    const wadi_exp ends = wadi_add(x[0], x[4]), near = wadi_add(x[1], x[3]);
    return wadi_add(wadi_add(ends, wadi_mul(near, wadi_literal(WADI_U16, 4))),
                    wadi_mul(x[2], wadi_literal(WADI_U16, 6)));
}

static wadi_exp across(wadi_window *w) {
    wadi_exp x[5];
    for (int k = 0; k < 5; k++) x[k] = wadi_convert(WADI_U16, wadi_near2(w, 0, k - 2));
    return five(x);
}

static wadi_exp down(wadi_window *w) {
    wadi_exp x[5];
    for (int k = 0; k < 5; k++) x[k] = wadi_near2(w, k - 2, 0);
    const wadi_exp rounded = wadi_add(five(x), wadi_literal(WADI_U16, 128));
    return wadi_convert(WADI_U8, wadi_shr(rounded, wadi_literal(WADI_U16, 8)));
}

/* ---- slopes ---- */

static wadi_exp weighed(wadi_exp a, wadi_exp b, wadi_exp c) {
    return wadi_add(wadi_add(a, c), wadi_add(b, b));
}

static wadi_exp at(wadi_window *w, int dy, int dx) {
    return wadi_convert(WADI_I16, wadi_near2(w, dy, dx));
}

static wadi_exp slope_x(wadi_window *w) {
    return wadi_sub(weighed(at(w, -1, 1), at(w, 0, 1), at(w, 1, 1)),
                    weighed(at(w, -1, -1), at(w, 0, -1), at(w, 1, -1)));
}

static wadi_exp slope_y(wadi_window *w) {
    return wadi_sub(weighed(at(w, 1, -1), at(w, 1, 0), at(w, 1, 1)),
                    weighed(at(w, -1, -1), at(w, -1, 0), at(w, -1, 1)));
}

/* A slope that is used several times: the one that was kept, or another one. */
typedef struct slopes {
    bool anew;
    wadi_window *w;
    wadi_exp x, y;
} slopes;

static wadi_exp x_of(const slopes *s) {
    return s->anew ? slope_x(s->w) : s->x;
}

static wadi_exp y_of(const slopes *s) {
    return s->anew ? slope_y(s->w) : s->y;
}

/* 0: the slope goes across, 1: down, 2: down to the right, 3: down to the left. The tangent of 22.5 degrees is 13573 / 2^15. */
static wadi_exp direction(const slopes *s) {
    const wadi_exp x = wadi_convert(WADI_I32, wadi_abs(x_of(s)));
    const wadi_exp y = wadi_mul(wadi_convert(WADI_I32, wadi_abs(y_of(s))), wadi_i32(1 << 15));
    const wadi_exp low = wadi_mul(x, wadi_i32(13573));
    const wadi_exp high = wadi_add(low, wadi_mul(x, wadi_i32(1 << 16)));
    const wadi_exp against = wadi_lt(wadi_xor(x_of(s), y_of(s)), wadi_i16(0));
    const wadi_exp aslant = wadi_cond(against, wadi_u8(3), wadi_u8(2));
    return wadi_cond(wadi_lt(y, low), wadi_u8(0), wadi_cond(wadi_gt(y, high), wadi_u8(1), aslant));
}

static wadi_exp gradient(void *env, wadi_window *w) {
    const image_build *how = env;
    const slopes s = {how->anew, w, slope_x(w), slope_y(w)};
    return wadi_rec2("size", wadi_add(wadi_abs(x_of(&s)), wadi_abs(y_of(&s))), "way",
                     direction(&s));
}

/* ---- the greatest, and thresholds: 2 is an edge, 1 may become one ---- */

static wadi_exp size(wadi_window *w, int dy, int dx) {
    return wadi_get(wadi_near2(w, dy, dx), "size");
}

static wadi_exp thinned(wadi_window *w) {
    const wadi_exp m = size(w, 0, 0), way = wadi_get(wadi_near2(w, 0, 0), "way");
    const wadi_exp across = wadi_land(wadi_gt(m, size(w, 0, -1)), wadi_ge(m, size(w, 0, 1)));
    const wadi_exp down = wadi_land(wadi_gt(m, size(w, -1, 0)), wadi_ge(m, size(w, 1, 0)));
    const wadi_exp right = wadi_land(wadi_gt(m, size(w, -1, -1)), wadi_gt(m, size(w, 1, 1)));
    const wadi_exp left = wadi_land(wadi_gt(m, size(w, -1, 1)), wadi_gt(m, size(w, 1, -1)));
    const wadi_exp level = wadi_cond(wadi_eq(way, wadi_u8(0)), across, down);
    const wadi_exp slant = wadi_cond(wadi_eq(way, wadi_u8(2)), right, left);
    const wadi_exp greatest = wadi_cond(wadi_lt(way, wadi_u8(2)), level, slant);
    const wadi_exp mark = wadi_cond(wadi_gt(m, wadi_i16(CANNY_HIGH)), wadi_u8(2), wadi_u8(1));
    return wadi_cond(wadi_land(greatest, wadi_gt(m, wadi_i16(CANNY_LOW))), mark, wadi_u8(0));
}

/* ---- hysteresis: what may be an edge is one if a chain of such places leads to one ----
 *
 * The places that may be edges are numbered from 2. Number 1 stands for all edges and has the label 0; number 0 stands for all other places and has the
 * greatest label, so it may be asked like any other: no choice, all labels are read in SIMD code. Each place that may be an edge starts with
 * the least label of its own number and those around it. Then labels become the least of those around, the place that a label names gets that one, too, and labels follow those of the places that they
 * name several times, which costs little beside the rest of a turn, until none changes: so chains of any length take few turns. What has label 0 then is an
 * edge.
 *
 * What is around a place is looked up in a picture of bytes, of which the caches hold four times as many places as of whole numbers: a number is the sum of
 * its byte and of how many places lie in front of its block of neighbouring places. */

enum { AROUND = 8, FOLLOWED = 4, BLOCK = 128, BLOCK_BITS = 7 };

static const char *const around_names[AROUND] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* Row and column of neighbour k, from -1 to 1. */
static int row_of(int k) {
    return (k < 4 ? k : k + 1) / 3 - 1;
}

static int column_of(int k) {
    return (k < 4 ? k : k + 1) % 3 - 1;
}

typedef struct picture {
    int64_t high, wide;
    wadi_acc marks;
    wadi_acc bytes; /* 1: an edge, 2 and more: may become one, 0: nothing */
    wadi_acc
        first; /* of each block: how many places lie in front of it; if it has none, anything */
} picture;

static wadi_exp may_be(void *env, int n, const wadi_exp *x) {
    (void)env, (void)n;
    return wadi_eq(x[1], wadi_u8(1));
}

static wadi_exp block_of(wadi_exp at) {
    return wadi_shr(at, wadi_i32(BLOCK_BITS));
}

static wadi_ix lies_in(void *env, wadi_ix ix) {
    const wadi_acc *places = env;
    return wadi_ix1(wadi_convert(WADI_I64, block_of(wadi_index(*places, ix))));
}

/* How many places lie in front of a block is the number of its first one. */
static wadi_exp former(void *env, wadi_exp a, wadi_exp b) {
    (void)env;
    return wadi_min(a, b);
}

static wadi_exp newer(void *env, wadi_exp a, wadi_exp b) {
    (void)env, (void)b;
    return a;
}

/* The byte of a place. */
static wadi_exp within(void *env, wadi_ix ix, wadi_exp at) {
    const picture *p = env;
    const wadi_exp first = wadi_index1(p->first, wadi_convert(WADI_I64, block_of(at)));
    const wadi_exp number = wadi_add(wadi_convert(WADI_I32, ix.at[0]), wadi_i32(2));
    return wadi_convert(WADI_U8, wadi_sub(number, first));
}

/* The number of neighbour k of place `at`; of one outside the nearest. */
static wadi_exp beside(const picture *p, wadi_exp at, int k) {
    const wadi_exp i = wadi_quot(at, wadi_i32((int32_t)p->wide)),
                   j = wadi_rem(at, wadi_i32((int32_t)p->wide));
    const wadi_exp y = wadi_add(i, wadi_i32(row_of(k))), x = wadi_add(j, wadi_i32(column_of(k)));
    const wadi_exp last_y = wadi_i32((int32_t)p->high - 1), last_x = wadi_i32((int32_t)p->wide - 1);
    const wadi_exp near_y = wadi_min(wadi_max(y, wadi_i32(0)), last_y);
    const wadi_exp near_x = wadi_min(wadi_max(x, wadi_i32(0)), last_x);
    const wadi_exp place = wadi_add(wadi_mul(near_y, wadi_i32((int32_t)p->wide)), near_x);
    const wadi_exp last = wadi_i32((int32_t)((p->high * p->wide - 1) / BLOCK));
    const wadi_exp block = wadi_min(wadi_max(block_of(place), wadi_i32(0)), last);
    const wadi_exp byte =
        wadi_convert(WADI_I32, wadi_index2(p->bytes, wadi_convert(WADI_I64, near_y),
                                           wadi_convert(WADI_I64, near_x)));
    const wadi_exp first = wadi_index1(p->first, wadi_convert(WADI_I64, block));
    const wadi_exp counts = wadi_convert(WADI_I32, wadi_gt(byte, wadi_i32(1)));
    return wadi_add(byte, wadi_and(first, wadi_neg(counts)));
}

/* Numbers 0 and 1 have no place. Nothing is around them. */
static wadi_exp neighbours(void *env, wadi_exp at) {
    wadi_exp values[AROUND];
    const picture *p = env;
    const wadi_exp most = wadi_cond(wadi_lt(at, wadi_i32(0)), wadi_i32(0), wadi_i32(INT32_MAX));
    for (int k = 0; k < AROUND; k++) values[k] = wadi_min(beside(p, at, k), most);
    return wadi_rec(AROUND, around_names, values);
}

/* The label that a number starts with. */
static wadi_exp own_label(wadi_exp n, wadi_exp greatest) {
    const wadi_exp edge = wadi_cond(wadi_eq(n, wadi_i32(1)), wadi_i32(0), n);
    return wadi_cond(wadi_eq(n, wadi_i32(0)), greatest, edge);
}

/* The least of the labels that a place and those around it start with. */
static wadi_exp first_label(void *env, wadi_ix ix, wadi_exp around) {
    const wadi_exp *greatest = env;
    wadi_exp label = own_label(wadi_convert(WADI_I32, ix.at[0]), *greatest);
    for (int k = 0; k < AROUND; k++)
        label = wadi_min(label, own_label(wadi_get(around, around_names[k]), *greatest));
    return label;
}

static wadi_exp label_of(wadi_acc labels, wadi_exp n) {
    return wadi_index1(labels, wadi_convert(WADI_I64, n));
}

static wadi_exp least_around(void *env, wadi_exp label, wadi_exp around) {
    const wadi_acc *labels = env;
    for (int k = 0; k < AROUND; k++)
        label = wadi_min(label, label_of(*labels, wadi_get(around, around_names[k])));
    return label;
}

typedef struct hooking {
    wadi_acc before, least;
} hooking;

/* The place that a label names gets the least label around those that have it, if that is another one. */
static wadi_ix named(void *env, wadi_ix ix) {
    const hooking *h = env;
    const wadi_exp label = wadi_index(h->before, ix);
    const wadi_exp less = wadi_lt(wadi_index(h->least, ix), label);
    return wadi_keep_if(less, wadi_ix1(wadi_convert(WADI_I64, label)));
}

static wadi_exp least_of(void *env, wadi_exp a, wadi_exp b) {
    (void)env;
    return wadi_min(a, b);
}

/* Number 0 names itself. */
static wadi_exp follow(void *env, wadi_ix ix, wadi_exp label) {
    const wadi_acc *labels = env;
    const wadi_exp least =
        wadi_cond(wadi_eq(ix.at[0], wadi_i64(0)), wadi_i32(INT32_MAX), wadi_i32(0));
    return wadi_min(label, wadi_max(label_of(*labels, label), least));
}

static wadi_acc followed(wadi_acc labels) {
    for (int k = 0; k < FOLLOWED; k++) {
        wadi_acc nearer = wadi_compute(labels);
        labels = wadi_imap_env(follow, &nearer, nearer);
    }
    return labels;
}

static wadi_acc goes_on(void *env, wadi_acc state) {
    (void)env;
    return wadi_tuple_get(state, 1);
}

static wadi_acc spread(void *env, wadi_acc state) {
    const wadi_acc *around = env;
    wadi_acc before = wadi_tuple_get(state, 0);
    const wadi_acc least = wadi_compute(wadi_zip_with_env(least_around, &before, before, *around));
    hooking h = {before, least};
    const wadi_acc hooked = wadi_permute_env(least_of, before, named, &h, least);
    const wadi_acc labels = followed(wadi_zip_with(wadi_min, hooked, least));
    return wadi_tuple2(labels, wadi_any_of(wadi_zip_with(wadi_ne, before, labels)));
}

static wadi_exp is_edge(wadi_exp label, wadi_exp place) {
    return wadi_land(wadi_eq(label, wadi_i32(0)), wadi_ge(place, wadi_i32(0)));
}

static wadi_exp edge_byte(wadi_exp mark) {
    return wadi_cond(wadi_eq(mark, wadi_u8(2)), wadi_u8(1), wadi_u8(0));
}

static wadi_exp shown(wadi_exp mark) {
    return wadi_cond(wadi_eq(mark, wadi_u8(2)), wadi_u8(255), wadi_u8(0));
}

typedef struct drawing {
    int64_t wide;
    wadi_acc places;
} drawing;

/* Where in the picture the edge with number `ix` lies. */
static wadi_ix drawn(void *env, wadi_ix ix) {
    const drawing *d = env;
    const wadi_exp at = wadi_index(d->places, ix), wide = wadi_i32((int32_t)d->wide);
    return wadi_ix2(wadi_convert(WADI_I64, wadi_quot(at, wide)),
                    wadi_convert(WADI_I64, wadi_rem(at, wide)));
}

static wadi_exp white(wadi_exp at) {
    (void)at;
    return wadi_u8(255);
}

static wadi_acc connected(picture p) {
    const wadi_exp size = wadi_i64(p.high * p.wide);
    const wadi_acc flat = wadi_flatten(p.marks);
    const wadi_acc marked[] = {wadi_iota(WADI_I32, size), flat};
    wadi_acc places = wadi_tuple_get(wadi_filter_by_env(may_be, NULL, 2, marked), 0);
    const wadi_exp blocks = wadi_i64((p.high * p.wide + BLOCK - 1) / BLOCK);
    p.first = wadi_permute_env(former, wadi_fill(wadi_ix1(blocks), wadi_i32(INT32_MAX)), lies_in,
                               &places, wadi_iota(WADI_I32, wadi_extent(places, 0)));
    p.bytes = wadi_reshape(wadi_shape_of(p.marks), wadi_scatter(places, wadi_map(edge_byte, flat),
                                                                wadi_imap_env(within, &p, places)));
    const wadi_acc numbered =
        wadi_compute(wadi_concat(wadi_fill(wadi_ix1(wadi_i64(2)), wadi_i32(-1)), places));
    wadi_exp greatest = wadi_convert(WADI_I32, wadi_add(wadi_extent(places, 0), wadi_i64(1)));
    wadi_acc around = wadi_compute(wadi_map_env(neighbours, &p, numbered));
    const wadi_acc start = wadi_tuple2(followed(wadi_imap_env(first_label, &greatest, around)),
                                       wadi_unit(wadi_bool(true)));
    const wadi_acc labels = wadi_tuple_get(wadi_awhile_env(goes_on, spread, &around, start), 0);
    const wadi_acc edges =
        wadi_tuple_get(wadi_compact(wadi_zip_with(is_edge, labels, numbered), numbered), 0);
    drawing d = {p.wide, edges};
    return wadi_permute_env(newer, wadi_map(shown, p.marks), drawn, &d, wadi_map(white, edges));
}

static wadi_acc build(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    image_build own = *how;
    const wadi_acc row = wadi_stencil(2, across, wadi_edge_mirror(), in[0]);
    const wadi_acc blurred = wadi_stencil(2, down, wadi_edge_mirror(), row);
    const wadi_acc slope = wadi_stencil_env(2, gradient, &own, wadi_edge_clamp(), blurred);
    const wadi_exp none = wadi_rec2("size", wadi_i16(0), "way", wadi_u8(0));
    const wadi_acc marks = wadi_stencil(2, thinned, wadi_edge_constant(none), slope);
    return connected((picture){.high = shape[0], .wide = shape[1], .marks = wadi_compute(marks)});
}

/* ---- a picture: overlapping discs of different brightness, a slope of light, and noise ---- */

enum { DISCS = 400 };

static uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
}

static void fill(int64_t n, int input, void *to) {
    uint8_t *pixel = to;
    int64_t side = 1;
    (void)input;
    while (side * side < n) side++;
    for (int64_t i = 0; i < n; i++)
        pixel[i] = (uint8_t)(90 + (i % side + i / side) * 60 / side + mixed((uint32_t)i) % 12);
    for (uint32_t d = 0; d < DISCS; d++) {
        const int64_t radius = 1 + (int64_t)mixed(4 * d) % (side / 12), x = mixed(4 * d + 1) % side,
                      y = mixed(4 * d + 2) % side;
        const int add = (int)(mixed(4 * d + 3) % 96) - 48;
        for (int64_t i = y - radius < 0 ? 0 : y - radius; i < side && i <= y + radius; i++)
            for (int64_t j = x - radius < 0 ? 0 : x - radius; j < side && j <= x + radius; j++) {
                if ((i - y) * (i - y) + (j - x) * (j - x) > radius * radius) continue;
                const int bright = pixel[i * side + j] + add;
                pixel[i * side + j] = (uint8_t)(bright < 0 ? 0 : bright > 255 ? 255 : bright);
            }
    }
}

wadi_status images_canny(bench *b, wadi_error *err) {
    static const image_line line = {.benchmark = "canny",
                                    .name = "16 M pixels",
                                    .task = "canny",
                                    .rank = 2,
                                    .inputs = 1,
                                    .shape = {SIDE, SIDE},
                                    .in = WADI_U8,
                                    .out = WADI_U8,
                                    .fill = fill,
                                    .build = build,
                                    .peer = peer_canny,
                                    .rooms = 2,
                                    .libraries = "opencv numba",
                                    .columns = true,
                                    .bytes = 2};
    return image_compare(b, &line, err);
}
