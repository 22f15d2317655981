/* Building the programs of wstack.
 *
 * A plane is made in two steps, so that nothing as large as a grid is ever traversed across its rows:
 *
 *   lines   For each plane and each tile of its rows, the entries that reach it are spread over the tile, which is transformed along u
 *           and cut to the wanted columns, all while it is in a cache.
 *   image   For each block of columns, plane after plane is transformed along v, cut to the wanted rows, and added to the image. Before
 *           each plane, the image is rotated by the distance between two planes (Horner's rule in exp(2 pi i step (n - 1 - middle))).
 *
 * The image is kept column by column until it is finished. Transforms are forward, so grid coordinates run against u and v.
 * The grid's centre is in its middle, which gives neighbouring pixels opposite signs; `finish` corrects them. */
#include "apps/gridding/wstack_program.h"

#include "apps/gridding/wstack_sort.h"

typedef struct context {
    const wstack_plan *p;
    wadi_type real, complex;
    es_pieces pieces_uv, pieces_w;
    wadi_acc table_uv, table_w; /* r[degree + 1, support] */
    /* inputs */
    wadi_acc u, v, w, vis, weight, entry;
    wadi_acc value, row, column, first, behind, spread, offset, firsts, low, count, image, turn;
    /* made of them */
    wadi_acc behind_u, behind_v, weighted, lines, transformed;
    wadi_exp begin, plane, top_row, left; /* of the element at hand */
} context;

static wadi_exp num(int64_t x) {
    return wadi_i64(x);
}

static wadi_exp wide(wadi_exp x) {
    return wadi_convert(WADI_I64, x);
}

static wadi_acc vector_of(const char *name, wadi_type t, const char *extent) {
    return wadi_input(name, t, 1, &extent);
}

static void set_up(context *c, const wstack_plan *p) {
    *c = (context){.p = p,
                   .real = p->single ? WADI_F32 : WADI_F64,
                   .complex = p->single ? WADI_C64 : WADI_C128};
    es_pieces_fit(&p->uv, 0.05 * p->epsilon / p->uv.gain, &c->pieces_uv);
    if (!p->flat) es_pieces_fit(&p->w, 0.05 * p->epsilon / p->w.gain, &c->pieces_w);
}

/* ---- kernels ---- */

/* Between `beside` columns of zeros on either side. */
static wadi_acc table_of(const context *c, const es_pieces *s, int beside) {
    float narrow[(ES_DEGREE_MOST + 1) * 3 * ES_SUPPORT_MOST] = {0};
    double full[sizeof narrow / sizeof *narrow] = {0};
    const int columns = s->support + 2 * beside;
    for (int d = 0; d <= s->degree; d++) {
        for (int j = 0; j < s->support; j++) {
            const int at = d * columns + beside + j;
            full[at] = s->c[d * s->support + j];
            narrow[at] = (float)full[at];
        }
    }
    const wadi_array a = {.rank = 2,
                          .fields = 1,
                          .type = {c->real},
                          .shape = {s->degree + 1, columns},
                          .column = {c->p->single ? (void *)narrow : (void *)full}};
    return wadi_use(&a);
}

/* The weight of column j of the table for a kernel whose first point lies W/2 - behind before the sample. */
static wadi_exp piece(const context *c, const es_pieces *s, wadi_acc table, wadi_exp j,
                      wadi_exp behind) {
    const wadi_exp t = wadi_sub(wadi_add(behind, behind), wadi_literal(c->real, 1));
    wadi_exp sum = wadi_index2(table, num(s->degree), j);
    for (int d = s->degree - 1; d >= 0; d--)
        sum = wadi_add(wadi_mul(sum, t), wadi_index2(table, num(d), j));
    return sum;
}

/* ---- prepare ---- */

static wadi_exp visibility_of(wadi_exp entry) {
    return wadi_quot(entry, num(WSTACK_VIEWS));
}

static wadi_exp is_flipped(wadi_exp entry) {
    return wadi_eq(wadi_and(entry, num(WSTACK_OPPOSITE)), num(WSTACK_OPPOSITE));
}

/* How far a view is shifted: `bit` is WSTACK_COLUMNS or WSTACK_ROWS. */
static wadi_exp shift_of(const context *c, wadi_exp entry, int bit) {
    const wadi_exp shift = wadi_and(wadi_quot(entry, num(bit)), num(WSTACK_SHIFTS - 1));
    const wadi_exp back = wadi_cond(wadi_eq(shift, num(2)), num(-c->p->grid), num(0));
    return wadi_cond(wadi_eq(shift, num(1)), num(c->p->grid), back);
}

static wadi_exp coordinate(wadi_acc of, wadi_exp entry) {
    const wadi_exp x = wadi_index1(of, visibility_of(entry));
    return wadi_cond(is_flipped(entry), wadi_neg(x), x);
}

static wadi_exp first_point(wadi_exp at, int support) {
    return wadi_ceil(wadi_sub(at, wadi_f64(0.5 * support)));
}

/* The first row or column of a view's kernel. */
static wadi_exp first_cell(const context *c, wadi_exp at, wadi_exp entry, int bit) {
    const wadi_exp first = wide(first_point(at, c->p->uv.support));
    return wadi_convert(WADI_I32, wadi_add(first, shift_of(c, entry, bit)));
}

static wadi_exp behind_of(const context *c, wadi_exp at, int support) {
    const wadi_exp from = wadi_sub(at, wadi_f64(0.5 * support));
    return wadi_convert(c->real, wadi_sub(first_point(at, support), from));
}

static wadi_exp on_grid(const context *c, wadi_acc of, wadi_exp entry) {
    const double grid = (double)c->p->grid;
    const wadi_exp cells = wadi_mul(coordinate(of, entry), wadi_f64(c->p->scale * grid));
    return wadi_sub(wadi_f64((double)(c->p->grid / 2)), cells);
}

static wadi_exp on_planes(const context *c, wadi_exp entry) {
    const wadi_exp at = wadi_div(coordinate(c->w, entry), wadi_f64(c->p->step));
    return wadi_sub(at, wadi_f64(0.5));
}

const char *const wstack_spot[WSTACK_SPOT] = {"column",   "row",   "behind_u",
                                              "behind_v", "first", "behind"};

/* Where an entry's kernels begin, and how far their first points are behind at - W/2. */
static wadi_exp spot_of(void *env, wadi_exp entry) {
    const context *c = env;
    const int support = c->p->uv.support, fields = c->p->flat ? WSTACK_FLAT_SPOT : WSTACK_SPOT;
    const wadi_exp at_u = on_grid(c, c->u, entry), at_v = on_grid(c, c->v, entry);
    wadi_exp value[WSTACK_SPOT];
    value[0] = first_cell(c, at_u, entry, WSTACK_COLUMNS);
    value[1] = first_cell(c, at_v, entry, WSTACK_ROWS);
    value[2] = behind_of(c, at_u, support);
    value[3] = behind_of(c, at_v, support);
    if (!c->p->flat) {
        const wadi_exp at_w = on_planes(c, entry);
        value[4] = wadi_convert(WADI_I32, first_point(at_w, c->p->w.support));
        value[5] = behind_of(c, at_w, c->p->w.support);
    }
    return wadi_rec(fields, wstack_spot, value);
}

/* Visibility k, weighted and turned by the middle of n - 1. */
static wadi_exp turned(void *env, wadi_ix ix) {
    const context *c = env;
    const wadi_exp k = ix.at[0], full = wadi_f64(2 * 3.14159265358979323846);
    const wadi_exp angle = wadi_mul(full, wadi_mul(wadi_index1(c->w, k), wadi_f64(c->p->middle)));
    const wadi_exp weight = wadi_index1(c->weight, k);
    const wadi_exp by =
        wadi_complex(wadi_mul(weight, wadi_cos(angle)), wadi_mul(weight, wadi_sin(angle)));
    return wadi_convert(c->complex, wadi_mul(wadi_index1(c->vis, k), by));
}

static wadi_exp value_of(void *env, wadi_exp entry) {
    const context *c = env;
    const wadi_exp z = wadi_index1(c->value, visibility_of(entry));
    return wadi_cond(is_flipped(entry), wadi_conj(z), z);
}

wadi_program *wstack_prepare(const wstack_plan *p) {
    context c;
    wadi_program *program = wadi_program_create("wstack_prepare");
    if (!program) return NULL;
    set_up(&c, p);
    c.u = vector_of("u", WADI_F64, "n");
    c.v = vector_of("v", WADI_F64, "n");
    c.w = vector_of("w", WADI_F64, "n");
    c.vis = vector_of("vis", WADI_C128, "n");
    c.weight = vector_of("weight", WADI_F64, "n");
    c.entry = vector_of("entry", WADI_I64, "m");
    c.value = wadi_compute(wadi_generate_env(wadi_ix1(wadi_extent(c.vis, 0)), turned, &c));
    wadi_output("value", wadi_map_env(value_of, &c, c.entry));
    wadi_output("spots", wadi_map_env(spot_of, &c, c.entry));
    return program;
}

/* ---- lines ---- */

/* Value k of the range, times its weight in this plane. */
static wadi_exp in_plane(void *env, wadi_ix ix) {
    const context *c = env;
    const wadi_exp k = wadi_add(c->begin, ix.at[0]), z = wadi_index1(c->value, k);
    if (c->p->flat) return z;
    const wadi_exp j = wadi_sub(c->plane, wide(wadi_index1(c->first, k)));
    const wadi_exp weight = piece(c, &c->pieces_w, c->table_w, j, wadi_index1(c->behind, k));
    return wadi_complex(wadi_mul(wadi_real(z), weight), wadi_mul(wadi_imag(z), weight));
}

/* A kernel that reaches over the border in u is written where it ends there: only its part on the grid is not zero. */
static wadi_exp column_of(const context *c, wadi_exp k) {
    const wadi_exp first = wide(wadi_index1(c->column, k));
    return wadi_max(wadi_min(first, num(c->p->grid - c->p->uv.support)), num(0));
}

/* Kernels of the range, [n, 2, W]: along v, along u. */
static wadi_exp spread_of(void *env, wadi_ix ix) {
    const context *c = env;
    const wadi_exp k = wadi_add(c->begin, ix.at[0]), down = wadi_eq(ix.at[1], num(0));
    const wadi_exp behind =
        wadi_cond(down, wadi_index1(c->behind_v, k), wadi_index1(c->behind_u, k));
    const wadi_exp over = wadi_sub(column_of(c, k), wide(wadi_index1(c->column, k)));
    const wadi_exp beside = wadi_add(num(c->p->uv.support), wadi_cond(down, num(0), over));
    return piece(c, &c->pieces_uv, c->table_uv, wadi_add(beside, ix.at[2]), behind);
}

static wadi_exp contribution(void *env, wadi_ix ix) {
    const context *c = env;
    const wadi_exp z = wadi_index1(c->weighted, ix.at[0]);
    const wadi_exp across = wadi_index3(c->spread, ix.at[0], num(0), ix.at[1]);
    const wadi_exp along = wadi_index3(c->spread, ix.at[0], num(1), ix.at[2]);
    const wadi_exp re = wadi_mul(wadi_real(z), across), im = wadi_mul(wadi_imag(z), across);
    return wadi_complex(wadi_mul(re, along), wadi_mul(im, along));
}

static wadi_ix target(void *env, wadi_ix ix) {
    const context *c = env;
    const wadi_exp k = wadi_add(c->begin, ix.at[0]);
    const wadi_exp row = wadi_add(wadi_sub(wide(wadi_index1(c->row, k)), c->top_row), ix.at[1]);
    const wadi_exp column = wadi_add(column_of(c, k), ix.at[2]);
    const wadi_exp inside = wadi_land(wadi_ge(row, num(0)), wadi_lt(row, num(c->p->tile)));
    return wadi_keep_if(inside, wadi_ix2(row, column));
}

static wadi_exp plus(void *env, wadi_exp x, wadi_exp old) {
    (void)env;
    return wadi_add(old, x);
}

/* Where pixel x of a line of pixels is among the grid's frequencies: those below the centre are at the end. */
static wadi_exp frequency_of(const wstack_plan *p, wadi_exp x) {
    return wadi_cond(wadi_lt(x, num(p->size / 2)), wadi_add(x, num(p->grid - p->size / 2)),
                     wadi_sub(x, num(p->size / 2)));
}

static wadi_ix wanted_column(void *env, wadi_ix ix) {
    const context *c = env;
    return wadi_ix2(ix.at[1], frequency_of(c->p, ix.at[0]));
}

/* Of plane c->plane. */
static wadi_acc lines_of_plane(void *env, wadi_exp tile) {
    context *c = env;
    const wstack_plan *p = c->p;
    const int near = p->flat ? 1 : p->w.support;
    c->top_row = wadi_mul(tile, num(p->tile));
    const wadi_exp slot = wadi_add(wadi_mul(tile, wadi_the(c->firsts)), c->plane);
    c->begin = wadi_index1(c->offset, slot);
    const wadi_exp end = wadi_index1(c->offset, wadi_add(slot, num(near)));
    const wadi_exp n = wadi_sub(end, c->begin);
    c->weighted = wadi_compute(wadi_generate_env(wadi_ix1(n), in_plane, c));
    c->spread =
        wadi_compute(wadi_generate_env(wadi_ix3(n, num(2), num(p->uv.support)), spread_of, c));
    const wadi_acc all =
        wadi_generate_env(wadi_ix3(n, num(p->uv.support), num(p->uv.support)), contribution, c);
    const wadi_acc empty =
        wadi_fill(wadi_ix2(num(p->tile), num(p->grid)), wadi_literal(c->complex, 0));
    const wadi_acc grid = wadi_permute_env(plus, empty, target, c, all);
    const wadi_acc along = wadi_fft(wadi_named("tile", grid));
    return wadi_backpermute_env(wadi_ix2(num(p->columns), num(p->tile)), wanted_column, c, along);
}

static wadi_acc lines_of_tile(void *env, wadi_exp element) {
    context *c = env;
    const wadi_exp tiles = num(c->p->tiles), above = wadi_quot(element, tiles);
    c->plane = wadi_sub(wadi_add(wadi_the(c->low), wadi_the(c->count)), wadi_add(above, num(1)));
    return lines_of_plane(c, wadi_rem(element, tiles));
}

/* ---- image ----
 * A line of pixels is taken in two halves, so that both it and its frequencies are read one after the other. */

static wadi_exp pixel_of(const context *c, wadi_ix ix) {
    return wadi_add(wadi_mul(ix.at[1], num(c->p->size / 2)), ix.at[2]);
}

static wadi_exp of_block(const context *c, wadi_acc a, wadi_ix ix) {
    return wadi_index2(a, wadi_add(c->left, ix.at[0]), pixel_of(c, ix));
}

static wadi_exp image_at(void *env, wadi_ix ix) {
    const context *c = env;
    return of_block(c, c->image, ix);
}

/* Column, tile, row of the tile: a column's part of a tile is in one piece. */
static wadi_exp line_at(void *env, wadi_ix ix) {
    const context *c = env;
    const wadi_exp tile = wadi_add(wadi_mul(c->plane, num(c->p->tiles)), ix.at[1]);
    return wadi_index3(c->lines, tile, wadi_add(c->left, ix.at[0]), ix.at[2]);
}

static wadi_acc columns_of_plane(void *env, wadi_exp plane) {
    context *c = env;
    const wstack_plan *p = c->p;
    c->plane = plane;
    const wadi_acc parts =
        wadi_generate_env(wadi_ix3(num(p->block), num(p->tiles), num(p->tile)), line_at, c);
    return wadi_fft(wadi_reshape(wadi_ix2(num(p->block), num(p->grid)), wadi_compute(parts)));
}

static wadi_exp turned_and_added(void *env, wadi_ix ix, wadi_exp state) {
    const context *c = env;
    const wadi_exp turned = wadi_mul(state, of_block(c, c->turn, ix));
    const wadi_exp below = wadi_sub(num(1), ix.at[1]); /* half 0 is at the end */
    const wadi_exp at = wadi_add(wadi_mul(below, num(c->p->grid - c->p->size / 2)), ix.at[2]);
    return wadi_add(turned, wadi_index2(c->transformed, ix.at[0], at));
}

static wadi_acc next_plane(void *env, wadi_acc state, wadi_acc transformed) {
    context *c = env;
    c->transformed = transformed;
    return wadi_imap_env(turned_and_added, c, state);
}

static wadi_acc image_of_block(void *env, wadi_exp block) {
    context *c = env;
    const wadi_ix shape = wadi_ix3(num(c->p->block), num(2), num(c->p->size / 2));
    c->left = wadi_mul(block, num(c->p->block));
    const wadi_acc before = wadi_generate_env(shape, image_at, c);
    const wadi_seq planes = wadi_produce_env(wadi_the(c->count), columns_of_plane, c);
    return wadi_assert_shape(shape, wadi_consume(wadi_fold_seq_env(next_plane, c, before, planes)));
}

static void make_tables(context *c) {
    c->table_uv = table_of(c, &c->pieces_uv, c->pieces_uv.support);
    c->table_w = c->p->flat ? (wadi_acc){0} : table_of(c, &c->pieces_w, 0);
}

static void declare_planes(context *c) {
    const wstack_plan *p = c->p;
    static const char *const any[] = {"?", "?"};
    make_tables(c);
    c->value = vector_of("value", c->complex, "m");
    c->row = vector_of("row", WADI_I32, "m");
    c->column = vector_of("column", WADI_I32, "m");
    if (!p->flat) {
        c->first = vector_of("first", WADI_I32, "m");
        c->behind = vector_of("behind", c->real, "m");
    }
    c->behind_u = vector_of("behind_u", c->real, "m");
    c->behind_v = vector_of("behind_v", c->real, "m");
    c->offset = vector_of("offset", WADI_I64, "k");
    c->firsts = wadi_input("firsts", WADI_I64, 0, NULL);
    c->low = wadi_input("low", WADI_I64, 0, NULL);
    c->count = wadi_input("count", WADI_I64, 0, NULL);
    c->image = wadi_input("image", c->complex, 2, any);
    c->turn = wadi_input("turn", c->complex, 2, any);
}

wadi_program *wstack_planes(const wstack_plan *p) {
    context c;
    wadi_program *program = wadi_program_create("wstack_planes");
    if (!program) return NULL;
    set_up(&c, p);
    declare_planes(&c);
    const wadi_exp parts = wadi_the(wadi_input("parts", WADI_I64, 0, NULL));
    c.lines = wadi_consume(wadi_tabulate(wadi_produce_env(parts, lines_of_tile, &c)));
    wadi_output("lines", c.lines); /* so that they are made before the blocks, not for each */
    const wadi_seq blocks = wadi_produce_env(num(p->columns / p->block), image_of_block, &c);
    wadi_output("image", wadi_consume(wadi_tabulate(blocks)));
    return program;
}

/* ---- a part ----
 * The planes above as the body of a stream, one after the other: so a part is made by one thread, and needs the memory of one plane. */

void wstack_part_columns(const wstack_plan *p, wstack_column out[WSTACK_PART]) {
    const wadi_type real = p->single ? WADI_F32 : WADI_F64;
    int n = 0;
    out[n++] = (wstack_column){"value", p->single ? WADI_C64 : WADI_C128, 1};
    for (int f = 0; f < WSTACK_SPOT; f++) {
        const bool cell = f == 0 || f == 1 || f == 4;
        out[n++] = (wstack_column){wstack_spot[f], cell ? WADI_I32 : real, 1};
    }
    out[n++] = (wstack_column){"offset", WADI_I64, 1};
    out[n] = (wstack_column){"planes", WADI_I64, 0};
}

/* Tile, column, row of the tile. */
static wadi_acc plane_lines(void *env, wadi_exp below) {
    context *c = env;
    c->plane = wadi_sub(wadi_the(c->count), wadi_add(below, num(1)));
    return wadi_consume(wadi_tabulate(wadi_produce_env(num(c->p->tiles), lines_of_plane, c)));
}

static wadi_acc block_of_plane(void *env, wadi_exp block) {
    context *c = env;
    const wadi_ix shape = wadi_ix3(num(c->p->block), num(2), num(c->p->size / 2));
    c->left = wadi_mul(block, num(c->p->block));
    c->transformed = columns_of_plane(c, num(0));
    const wadi_acc before = wadi_generate_env(shape, image_at, c);
    return wadi_assert_shape(shape, wadi_imap_env(turned_and_added, c, before));
}

static wadi_acc whole_plane(void *env, wadi_acc image, wadi_acc lines) {
    context *c = env;
    const wstack_plan *p = c->p;
    const wadi_ix shape = wadi_ix2(num(p->columns), num(p->size));
    c->image = image;
    c->lines = lines;
    const wadi_seq blocks = wadi_produce_env(num(p->columns / p->block), block_of_plane, c);
    return wadi_reshape(shape, wadi_consume(wadi_tabulate(blocks)));
}

/* 0, in words that depend on the part: an image that does not would be sent to each worker. */
static wadi_exp nothing(void *env, wadi_ix ix) {
    const context *c = env;
    (void)ix;
    return wadi_cond(wadi_ge(wadi_the(c->count), num(0)), wadi_literal(c->complex, 0),
                     wadi_literal(c->complex, 1));
}

static wadi_acc image_of_part(void *env, wadi_acc part) {
    context *c = env;
    wadi_acc *const in[WSTACK_PART] = {&c->value,    &c->column,   &c->row,
                                       &c->behind_u, &c->behind_v, &c->first,
                                       &c->behind,   &c->offset,   &c->count};
    for (int i = 0; i < WSTACK_PART; i++) *in[i] = wadi_tuple_get(part, i);
    const wadi_exp slots = wadi_sub(wadi_extent(c->offset, 0), num(1));
    c->firsts = wadi_unit(wadi_quot(slots, num(c->p->tiles)));
    const wadi_acc empty =
        wadi_generate_env(wadi_ix2(num(c->p->columns), num(c->p->size)), nothing, c);
    const wadi_seq planes = wadi_produce_env(wadi_the(c->count), plane_lines, c);
    return wadi_consume(wadi_fold_seq_env(whole_plane, c, empty, planes));
}

wadi_program *wstack_part(const wstack_plan *p) {
    static const char *const any[] = {"?", "?"};
    context c;
    wstack_column column[WSTACK_PART];
    wadi_component part[WSTACK_PART];
    wadi_program *program = wadi_program_create("wstack_part");
    if (!program) return NULL;
    set_up(&c, p);
    make_tables(&c);
    c.turn = wadi_input("turn", c.complex, 2, any);
    wstack_part_columns(p, column);
    for (int i = 0; i < WSTACK_PART; i++)
        part[i] = (wadi_component){wadi_scalar_elem(column[i].type), column[i].rank, any};
    const wadi_seq parts = wadi_stream_in("parts", WSTACK_PART, part);
    wadi_stream_out(wadi_map_seq_env(image_of_part, &c, parts), "images");
    return program;
}

/* ---- finish ---- */

static wadi_exp distance(wadi_exp x, int64_t centre) {
    return wadi_abs(wadi_sub(x, num(centre)));
}

typedef struct finishing {
    const wstack_plan *p;
    wadi_acc image, finish;
} finishing;

static wadi_exp finished(void *env, wadi_ix ix, wadi_exp sum) {
    const finishing *f = env;
    const int64_t half = f->p->size / 2;
    const wadi_exp y = ix.at[0], x = ix.at[1];
    const wadi_exp z = wadi_convert(WADI_C128, wadi_index2(f->image, x, y));
    const wadi_exp by = wadi_index2(f->finish, distance(x, half), distance(y, half));
    const wadi_exp re =
        wadi_sub(wadi_mul(wadi_real(z), wadi_real(by)), wadi_mul(wadi_imag(z), wadi_imag(by)));
    return wadi_add(sum, re);
}

wadi_program *wstack_finish(const wstack_plan *p) {
    static const char *const any[] = {"?", "?"}, *const square[] = {"n", "n"};
    wadi_program *program = wadi_program_create("wstack_finish");
    if (!program) return NULL;
    finishing f = {.p = p};
    f.image = wadi_input("image", p->single ? WADI_C64 : WADI_C128, 2, any);
    f.finish = wadi_input("finish", WADI_C128, 2, any);
    wadi_output("sum", wadi_imap_env(finished, &f, wadi_input("sum", WADI_F64, 2, square)));
    return program;
}
