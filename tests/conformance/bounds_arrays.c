/* Operations on arrays. */
#include <string.h>

#include "tests/conformance/bounds_maker.h"

void bounds_keep(bounds_maker *m, const char *name, int rank, bool tame) {
    bounds_array a = {.rank = rank, .tame = tame};
    memcpy(a.name, name, BOUNDS_NAME);
    if (m->arrays < BOUNDS_ARRAYS) m->pool[m->arrays++] = a;
    if (m->nmade < BOUNDS_MADE) m->made[m->nmade++] = a;
}

void bounds_keep_result(bounds_maker *m, const char *name, int rank) {
    const int arrays = m->arrays;
    bounds_keep(m, name, rank, false);
    m->arrays = arrays;
}

static void generate(bounds_maker *m, char *name) {
    wadi_text_addf(m->out, "%s = generate %s", name, bounds_any_number(m));
    bounds_begin_function(m, 1);
    bounds_add_element(m);
    bounds_end_function(m);
    bounds_keep(m, name, 1, false);
}

/* Of an array without values an extent is below 2^44 (docs/LANGUAGE.md), and kernels that are not optimised go through rows without elements. */
static void limited(bounds_maker *m, const char *most, char *name) {
    bounds_fresh(m, name);
    wadi_text_addf(m->out, "%s = unit { min (the %s) %s }\n", name, bounds_any_number(m), most);
}

static void generate_rows(bounds_maker *m, char *name) {
    static const char *const few[] = {"0", "1", "2", "3", "5"};
    const bool last = bounds_below(m, 2);
    const char *n = BOUNDS_ONE_OF(m, few);
    char number[BOUNDS_NAME];
    memcpy(number, bounds_any_number(m), BOUNDS_NAME);
    if (n == few[0]) limited(m, last ? "65537" : "1099511627776", number);
    wadi_text_addf(m->out, "%s = generate %s %s", name, last ? number : n, last ? n : number);
    bounds_begin_function(m, 2);
    bounds_add_element(m);
    bounds_end_function(m);
    bounds_keep(m, name, 2, false);
}

/* Arrays without values, whose other extent may be any. */
static void generate_nothing(bounds_maker *m, char *name) {
    static const char *const rows[] = {"1", "65535", "65536", "65537"};
    static const char *const wide[] = {"2147483647", "2147483648", "4294967295",
                                       "4294967296", "4294967297", "1099511627776"};
    char flat[BOUNDS_NAME];
    bounds_fresh(m, flat);
    if (bounds_below(m, 2))
        wadi_text_addf(m->out, "%s = generate 0 %s", name, BOUNDS_ONE_OF(m, wide));
    else
        wadi_text_addf(m->out, "%s = generate %s 0", name, BOUNDS_ONE_OF(m, rows));
    bounds_begin_function(m, 2);
    bounds_add_element(m);
    bounds_end_function(m);
    wadi_text_addf(m->out, "%s = reshape %s %s\n", flat, name,
                   bounds_below(m, 3) ? "0" : bounds_any_number(m));
    bounds_keep(m, flat, 1, false);
}

static void map(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false);
    wadi_text_addf(m->out, "%s = map %s", name, a->name);
    bounds_begin_function(m, 1);
    bounds_add_element(m);
    bounds_end_function(m);
    bounds_keep(m, name, 1, false);
}

static void zip(bounds_maker *m, char *name) {
    const int rank = bounds_below(m, 5) == 0 && bounds_any_array(m, 2, false) ? 2 : 1;
    const bounds_array *a = bounds_any_array(m, rank, false), *b = bounds_any_array(m, rank, true);
    if (!b) b = a;
    wadi_text_addf(m->out, "%s = zip_with %s %s", name, a->name, b->name);
    bounds_begin_function(m, 2);
    bounds_add_element(m);
    bounds_end_function(m);
    bounds_keep(m, name, rank, false);
}

/* What is left out may not fault. */
static void cut(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true);
    wadi_text_addf(m->out, "%s = %s dim=0 %s %s\n", name, bounds_below(m, 2) ? "take" : "drop",
                   a->name, bounds_any_number(m));
    bounds_keep(m, name, 1, true);
}

static void turn(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false);
    wadi_text_addf(m->out, "%s = reverse dim=0 %s\n", name, a->name);
    bounds_keep(m, name, 1, a->tame);
}

static void gather(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true), *i = bounds_any_array(m, 1, false);
    wadi_text_addf(m->out, "%s = gather %s %s\n", name, i->name, a->name);
    bounds_keep(m, name, 1, false);
}

static void backpermute(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true);
    wadi_text_addf(m->out, "%s = backpermute %s %s", name, a->name, bounds_any_number(m));
    bounds_begin_function(m, 1);
    bounds_add_index(m, a);
    bounds_end_function(m);
    bounds_keep(m, name, 1, false);
}

static void permute(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true), *d = bounds_any_array(m, 1, false);
    wadi_text_addf(m->out, "%s = permute %s %s %s (x, y) { %s x y }", name, d->name, a->name,
                   a->name, bounds_below(m, 2) ? "add" : "max");
    bounds_begin_function(m, 2);
    wadi_text_add(m->out, "lt x 900, ");
    bounds_add_index(m, d);
    bounds_end_function(m);
    bounds_keep(m, name, 1, false);
}

static void scan(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false);
    wadi_text_addf(m->out, "%s = scanl %d %s (x, y) { add x y }\n", name, bounds_below(m, 3),
                   a->name);
    bounds_keep(m, name, 1, a->tame);
}

static void fold(bounds_maker *m, char *name) {
    static const char *const how[] = {"add x y", "max x y", "sub y (mul 3 x)"};
    const bounds_array *a = bounds_any_array(m, 1, false);
    char number[BOUNDS_NAME];
    if (bounds_below(m, 3))
        wadi_text_addf(m->out, "%s = fold 1 %s (x, y) { %s }\n", name, a->name,
                       BOUNDS_ONE_OF(m, how));
    else
        wadi_text_addf(m->out, "%s = fold1 %s (x, y) { %s }\n", name, a->name,
                       BOUNDS_ONE_OF(m, how));
    bounds_keep_result(m, name, 0);
    bounds_fresh(m, number);
    wadi_text_addf(m->out, "%s = unit { rem (the %s) 40 }\n", number, name);
    bounds_keep_number(m, number);
}

static void fold_rows(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 2, false);
    if (!a) {
        generate_rows(m, name);
        return;
    }
    wadi_text_addf(m->out, "%s = fold 1 %s (x, y) { add x y }\n", name, a->name);
    bounds_keep(m, name, 1, a->tame);
}

static void filter(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true);
    const char *limit = bounds_any_number(m);
    const bool stored = bounds_below(m, 2); /* what decides, beside the vector */
    char flag[BOUNDS_NAME], one[BOUNDS_NAME], n[BOUNDS_NAME];
    bounds_fresh(m, flag);
    bounds_fresh(m, one);
    bounds_fresh(m, n);
    if (stored) wadi_text_addf(m->out, "%s = map %s (x) { lt x (the %s) }\n", flag, a->name, limit);
    if (stored)
        wadi_text_addf(m->out, "%s = map %s (f) { if f { 1 } else { 0 } }\n", one, flag);
    else
        wadi_text_addf(m->out, "%s = map %s (x) { if lt x (the %s) { 1 } else { 0 } }\n", one,
                       a->name, limit);
    wadi_text_addf(m->out, "%s = fold 0 %s (x, y) { add x y }\n", n, one);
    if (stored)
        wadi_text_addf(m->out, "%s = compact %s %s %s (x, f) { f }\n", name, n, a->name, flag);
    else
        wadi_text_addf(m->out, "%s = compact %s %s (x) { lt x (the %s) }\n", name, n, a->name,
                       limit);
    bounds_keep_number(m, n);
    bounds_keep(m, name, 1, true);
}

/* Lengths or offsets from data. */
static void segments(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false), *o = bounds_any_array(m, 1, false);
    char offsets[BOUNDS_NAME];
    bounds_fresh(m, offsets);
    if (bounds_below(m, 2))
        wadi_text_addf(m->out, "%s = scanl 0 %s (x, y) { add x (max 0 (rem y 20)) }\n", offsets,
                       o->name);
    else
        wadi_text_addf(m->out, "%s = map %s (x) { min (extent %s 0) (max 0 x) }\n", offsets,
                       o->name, a->name);
    const int form = bounds_below(m, 3);
    wadi_text_addf(m->out, "%s = ", name);
    wadi_text_addf(m->out,
                   form == 0   ? "fold_seg 1 %s %s (x, y) { add x y }\n"
                   : form == 1 ? "scanl_seg whole=1 2 %s %s (x, y) { add x y }\n"
                               : "scanl1_seg %s %s (x, y) { add x y }\n",
                   bounds_below(m, 4) ? offsets : o->name, a->name);
    bounds_keep(m, name, 1, false);
}

static void reshape(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false);
    char half[BOUNDS_NAME];
    const int n = 1 + bounds_below(m, 3);
    bounds_fresh(m, half);
    wadi_text_addf(m->out, "%s = unit { quot (extent %s 0) %d }\n", half, a->name, n);
    if (bounds_below(m, 2))
        wadi_text_addf(m->out, "%s = reshape %s %s %d\n", name, a->name,
                       bounds_below(m, 3) ? half : bounds_any_number(m), n);
    else
        wadi_text_addf(m->out, "%s = reshape %s %d %s\n", name, a->name, n,
                       bounds_below(m, 3) ? half : bounds_any_number(m));
    bounds_keep(m, name, 2, a->tame);
}

static void order(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true), *b = bounds_any_array(m, 1, true);
    char sorted[BOUNDS_NAME];
    bounds_fresh(m, sorted);
    switch (bounds_below(m, 6)) {
    case 0:
        wadi_text_addf(m->out, "%s = sort %s\n", name, a->name);
        break;
    case 1:
        wadi_text_addf(m->out, "%s = argsort %s\n", name, a->name);
        break;
    case 2:
        wadi_text_addf(m->out, "%s = sort_by down=0,1 %s (x) { rem x 3 } (x) { x }\n", name,
                       a->name);
        break;
    case 3:
        wadi_text_addf(m->out, "%s = sort %s\n%s = %s_bound %s %s\n", sorted, a->name, name,
                       bounds_below(m, 2) ? "lower" : "upper", sorted, b->name);
        break;
    case 4:
        wadi_text_addf(m->out, "%s, %s = %s %s %s\n", name, sorted,
                       bounds_below(m, 2) ? "largest" : "smallest", a->name, bounds_any_number(m));
        break;
    default:
        if (bounds_below(m, 2))
            wadi_text_addf(m->out, "%s = group_ids %s\n", name, a->name);
        else
            wadi_text_addf(m->out, "%s, %s, %s_ = unique %s\n", name, sorted, sorted, a->name);
    }
    bounds_keep(m, name, 1, true);
}

static void stencil(bounds_maker *m, char *name) {
    const int edge = 1 + bounds_below(m, 4),
              rank = bounds_below(m, 3) == 0 && bounds_any_array(m, 2, false) ? 2 : 1;
    const bounds_array *a = bounds_any_array(m, rank, false);
    const int far = 1 + bounds_below(m, 3);
    if (rank == 1)
        wadi_text_addf(m->out, "%s = stencil dims=1 edge=%d near=3,%d,0,%d %s", name, edge, -far,
                       1 + bounds_below(m, 2), a->name);
    else
        wadi_text_addf(m->out, "%s = stencil dims=2 edge=%d near=3,%d,0,0,%d,1,0 %s", name, edge,
                       -far, bounds_below(m, 3), a->name);
    wadi_text_add(m->out, " (x, y, z) { add x (sub y (mul 2 z)) }");
    if (edge == 4) {
        bounds_begin_function(m, rank);
        bounds_add_element(m);
        bounds_end_function(m);
    } else
        wadi_text_add(m->out, "\n");
    bounds_keep(m, name, rank, false);
}

static void join(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false), *b = bounds_any_array(m, 1, false);
    wadi_text_addf(m->out, "%s = concat dim=0 %s %s\n", name, a->name, b->name);
    bounds_keep(m, name, 1, a->tame && b->tame);
}

static void slices(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, false);
    char rows[BOUNDS_NAME], row[BOUNDS_NAME];
    bounds_fresh(m, rows);
    bounds_fresh(m, row);
    wadi_text_addf(m->out, "%s = replicate new=1,0 %s %d\n", rows, a->name, 1 + bounds_below(m, 3));
    bounds_keep_result(m, rows, 2);
    wadi_text_addf(m->out, "%s = slice dropped=1,0 %s %s\n", name, rows,
                   bounds_below(m, 2) ? "0" : bounds_any_number(m));
    bounds_keep(m, name, 1, false);
}

static void expand(bounds_maker *m, char *name) {
    const bounds_array *a = bounds_any_array(m, 1, true);
    char count[BOUNDS_NAME], all[BOUNDS_NAME], offsets[BOUNDS_NAME];
    bounds_fresh(m, count);
    bounds_fresh(m, all);
    bounds_fresh(m, offsets);
    wadi_text_addf(m->out, "%s = map %s (x) { max 0 (rem x 4) }\n", count, a->name);
    wadi_text_addf(m->out, "%s = fold 0 %s (x, y) { add x y }\n", all, count);
    wadi_text_addf(m->out, "%s = scanl 0 %s (x, y) { add x y }\n", offsets, count);
    wadi_text_addf(m->out, "%s = expand %s %s %s", name, all, offsets, a->name);
    bounds_begin_function(m, 2);
    bounds_add_element(m);
    bounds_end_function(m);
    bounds_keep(m, name, 1, false);
}

void bounds_write_array(bounds_maker *m, char *name) {
    static void (*const steps[])(bounds_maker *, char *) = {
        generate, generate,  generate, generate_rows, generate_nothing, map,     map,
        zip,      cut,       turn,     gather,        backpermute,      permute, scan,
        fold,     fold_rows, filter,   segments,      reshape,          order,   order,
        stencil,  join,      slices,   expand};
    if (m->rows && bounds_below(m, 2)) {
        filter(m, name);
        return;
    }
    steps[bounds_below(m, (int)(sizeof steps / sizeof *steps))](m, name);
}
