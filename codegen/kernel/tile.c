/* Each row of a tile has room for one element more than it uses. So the same column of neighbouring rows is in different banks of the
 * group's memory. */
#include "codegen/kernel/tile.h"

#include "base/error.h"
#include "base/type.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/lanes.h"

enum { LANES = WADI_GROUP_LANES, MOST = 16, BYTES = 256 };

/* How many elements of a row a tile of such elements has. */
static int columns_of(int fields, const wadi_type *type) {
    const int bytes = wadi_fields_size(type, fields);
    int columns = MOST;
    while (columns > 2 && columns * bytes > BYTES) columns /= 2;
    return columns;
}

void wadi_tile_declare_of(wadi_lower *l, int rows, int columns, int fields, const wadi_type *type,
                          wadi_tile *out) {
    *out = (wadi_tile){.fields = fields, .rows = rows, .columns = columns, .type = type};
    for (int f = 0; f < fields; f++)
        out->array[f] = wadi_lb_lanes(&l->b, type[f], rows * (columns + 1), "tile");
}

void wadi_tile_declare_rows(wadi_lower *l, int rows, int fields, const wadi_type *type,
                            wadi_tile *out) {
    wadi_tile_declare_of(l, rows, columns_of(fields, type) * (LANES / rows), fields, type, out);
}

void wadi_tile_declare(wadi_lower *l, int fields, const wadi_type *type, wadi_tile *out) {
    wadi_tile_declare_rows(l, LANES, fields, type, out);
}

wadi_lv wadi_tile_place(wadi_lower *l, const wadi_tile *t, wadi_lv row, wadi_lv column) {
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, row, num(l, t->columns + 1)), column);
}

/* How often each lane has an element. */
static int rounds_of(const wadi_tile *t) {
    return t->rows * t->columns / LANES;
}

/* The lane's element of round k. */
static wadi_lv element_of(wadi_lower *l, const wadi_tile *t, wadi_lv lane, wadi_lv k,
                          wadi_lv *out_row) {
    const wadi_lv columns = num(l, t->columns), rows = num(l, LANES / t->columns);
    const wadi_lv high = bin(l, WADI_SOP_QUOT, lane, columns);
    *out_row = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, rows), high);
    return bin(l, WADI_SOP_REM, lane, columns);
}

void wadi_tile_each(wadi_lower *l, const wadi_tile *t, bool at_once, wadi_tile_body body,
                    void *env) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    wadi_lv k = WADI_LV_NONE, row;
    if (!at_once) k = wadi_lb_for(b, num(l, 0), num(l, rounds_of(t)), 1, "k");
    const wadi_lv lane = wadi_lanes_all(l, &open);
    if (at_once) k = wadi_lb_for(b, num(l, 0), num(l, rounds_of(t)), 1, "k");
    const wadi_lv column = element_of(l, t, lane, k, &row);
    body(l, env, row, column, wadi_tile_place(l, t, row, column));
    if (at_once) wadi_lb_end(b);
    wadi_lanes_end(l, &open);
    if (!at_once) wadi_lb_end(b);
}

void wadi_tile_fill(wadi_lower *l, const wadi_tile *t, wadi_tile_value value, void *env) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], read[WADI_MAX_FIELDS], row;
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    for (int f = 0; f < t->fields; f++)
        read[f] = wadi_lb_lanes(b, t->type[f], rounds_of(t), "read");
    wadi_lv k = wadi_lb_for(b, num(l, 0), num(l, rounds_of(t)), 1, "k");
    wadi_lv column = element_of(l, t, lane, k, &row);
    value(l, env, row, column, x);
    to_lane(l, t->fields, read, k, x);
    wadi_lb_end(b);
    k = wadi_lb_for(b, num(l, 0), num(l, rounds_of(t)), 1, "k");
    column = element_of(l, t, lane, k, &row);
    of_lane(l, t->fields, read, k, x);
    to_lane(l, t->fields, t->array, wadi_tile_place(l, t, row, column), x);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void greater(wadi_lower *l, const void *env, const wadi_lv *x, const wadi_lv *y,
                    wadi_lv *out) {
    WADI_UNUSED(env);
    *out = bin(l, WADI_SOP_MAX, *x, *y);
}

wadi_lv wadi_tile_longest(wadi_lower *l, wadi_lv counts) {
    static const wadi_type type = WADI_I64;
    wadi_lv most;
    wadi_lanes open;
    const wadi_lv zero = num(l, 0);
    const wadi_taking take = {1, &type, &zero, greater, NULL};
    wadi_taking_declare(l, &take, "most", &most);
    const wadi_lv lane = wadi_lanes_all(l, &open);
    wadi_lb_put(&l->b, most, lane, wadi_lb_lane(&l->b, counts, lane));
    wadi_lanes_end(l, &open);
    wadi_taking_join(l, &take, &most);
    return wadi_lb_lane(&l->b, most, zero);
}

/* ---- one value for each lane ---- */

void wadi_taking_declare(wadi_lower *l, const wadi_taking *t, const char *name, wadi_lv *out) {
    for (int f = 0; f < t->fields; f++) out[f] = wadi_lb_lanes(&l->b, t->type[f], LANES, name);
}

static void variables(wadi_lower *l, const wadi_taking *t, const wadi_lv *init, const char *name,
                      wadi_lv *out) {
    for (int f = 0; f < t->fields; f++)
        out[f] = wadi_lb_var(&l->b, t->type[f], false, init[f], name);
}

/* to[lane] = from[lane - step] and from[lane], combined */
static void scan_step(wadi_lower *l, const wadi_taking *t, const wadi_lv *from, const wadi_lv *to,
                      int64_t step) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], before[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    of_lane(l, t->fields, from, lane, x);
    to_lane(l, t->fields, to, lane, x);
    wadi_lb_if(b, bin(l, WADI_SOP_GE, lane, num(l, step)));
    of_lane(l, t->fields, from, bin(l, WADI_SOP_SUB, lane, num(l, step)), before);
    t->combine(l, t->env, before, x, all);
    to_lane(l, t->fields, to, lane, all);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

void wadi_taking_scan(wadi_lower *l, const wadi_taking *t, const wadi_lv *array,
                      const wadi_lv *spare) {
    for (int64_t step = 1; step < LANES; step *= 4) {
        scan_step(l, t, array, spare, step);
        scan_step(l, t, spare, array, 2 * step);
    }
}

void wadi_taking_join(wadi_lower *l, const wadi_taking *t, const wadi_lv *array) {
    wadi_lv x[WADI_MAX_FIELDS], other[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    for (int64_t half = LANES / 2; half > 0; half /= 2) {
        wadi_lanes open;
        const wadi_lv lane = wadi_lanes_first(l, num(l, half), &open);
        of_lane(l, t->fields, array, lane, x);
        of_lane(l, t->fields, array, bin(l, WADI_SOP_ADD, lane, num(l, half)), other);
        t->combine(l, t->env, x, other, all);
        to_lane(l, t->fields, array, lane, all);
        wadi_lanes_end(l, &open);
    }
}

void wadi_taking_scan_memory(wadi_lower *l, const wadi_taking *t, const wadi_lv *pointer,
                             wadi_lv first, wadi_lv n) {
    wadi_lb *b = &l->b;
    wadi_lv array[WADI_MAX_FIELDS], spare[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS],
        x[WADI_MAX_FIELDS], before[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    wadi_lanes open;
    wadi_taking_declare(l, t, "sum", array);
    wadi_taking_declare(l, t, "spare", spare);
    variables(l, t, t->nothing, "carry", carry);
    const wadi_lv from = wadi_lb_for(b, num(l, 0), n, LANES, "from");
    wadi_lv lane = wadi_lanes_all(l, &open), i = bin(l, WADI_SOP_ADD, from, lane);
    to_lane(l, t->fields, array, lane, t->nothing);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, n));
    for (int f = 0; f < t->fields; f++)
        x[f] = wadi_lb_fresh(b, pointer[f], bin(l, WADI_SOP_ADD, first, i));
    to_lane(l, t->fields, array, lane, x);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
    wadi_taking_scan(l, t, array, spare);
    for (int f = 0; f < t->fields; f++) before[f] = wadi_lb_get(b, carry[f]);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, n, from);
    lane = wadi_lanes_first(l, bin(l, WADI_SOP_MIN, rest, num(l, LANES)), &open);
    i = bin(l, WADI_SOP_ADD, from, lane);
    of_lane(l, t->fields, array, lane, x);
    t->combine(l, t->env, before, x, all);
    for (int f = 0; f < t->fields; f++)
        wadi_lb_store(b, pointer[f], bin(l, WADI_SOP_ADD, first, i), all[f]);
    wadi_lanes_end(l, &open);
    of_lane(l, t->fields, array, num(l, LANES - 1), x);
    t->combine(l, t->env, before, x, all);
    for (int f = 0; f < t->fields; f++) wadi_lb_set(b, carry[f], all[f]);
    wadi_lb_end(b);
}
