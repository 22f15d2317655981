/* spread: a loop nest over the records; each is computed once and its fields go to their places along the new dimension. */
#include "codegen/kernel/lower.h"

typedef struct spreading {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
} spreading;

static void put_record(wadi_lower *l, void *env, const wadi_lv *ix) {
    const spreading *s = env;
    const int dim = (int)s->bind->attrs[0];
    const wadi_array_type *t = wadi_type_of(l, s->bind->args[0]);
    wadi_lv x[WADI_MAX_FIELDS], to[WADI_MAX_RANK];
    wadi_lower_read(l, s->bind->args[0], ix, x);
    for (int d = 0; d < t->rank; d++) to[d < dim ? d : d + 1] = ix[d];
    for (int f = 0; f < t->elem.fields; f++) {
        to[dim] = wadi_lb_i64(&l->b, f);
        wadi_lb_store(&l->b, s->pointer[0], wadi_lower_linear(l, t->rank + 1, s->extent, to), x[f]);
    }
}

/* Extents of the records from those of the result. */
static int record_extents(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                          wadi_lv *out) {
    const int rank = wadi_type_of(l, bind->args[0])->rank, dim = (int)bind->attrs[0];
    for (int d = 0; d < rank; d++) out[d] = extent[d < dim ? d : d + 1];
    return rank;
}

void wadi_lower_spread(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                       const wadi_lv *pointer) {
    wadi_lv records[WADI_MAX_RANK];
    spreading s = {bind, extent, pointer};
    const int rank = record_extents(l, bind, extent, records);
    wadi_lower_nest(l, rank, records, put_record, &s);
}

/* Rows of records in [from, below), counted over all outer dimensions. */
void wadi_lower_spread_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, wadi_lv from, wadi_lv below) {
    wadi_lv records[WADI_MAX_RANK], ix[WADI_MAX_RANK];
    spreading s = {bind, extent, pointer};
    const int rank = record_extents(l, bind, extent, records);
    if (rank == 0) {
        put_record(l, &s, NULL);
        return;
    }
    const wadi_lv row = wadi_lb_for(&l->b, from, below, 1, "row");
    wadi_lower_row_index(l, row, rank - 1, records, ix);
    wadi_lower_nest_row(l, rank, records, ix, put_record, &s);
    wadi_lb_end(&l->b);
}
