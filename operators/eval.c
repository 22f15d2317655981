/* Reading, walking through an index space, and reporting faults, for the operators' reference interpretations. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "base/words.h"
#include "graph/ir/indexed.h"
#include "operators/rules.h"

/* "quot: division of 7 by zero, element 3, index [1, 2], at prog.c:12" */
static wadi_status fault(wadi_eval_cx *cx, const char *op, wadi_loc at, const char *format,
                         va_list args) {
    char what[256];
    wadi_format_list(what, sizeof what, format, args);
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "%s: %s", at.call ? at.call : op, what);
    if (cx->element >= 0) wadi_text_addf(&t, ", element %lld", (long long)cx->element);
    for (int d = 0; d < cx->index_rank; d++)
        wadi_text_addf(&t, d == 0 ? ", index [%lld" : ", %lld", (long long)cx->index[d]);
    if (cx->index_rank > 0) wadi_text_add(&t, "]");
    if (at.file) wadi_text_addf(&t, ", at %s:%d", at.file, at.line);
    const wadi_status st = wadi_fail_at(cx->err, at, WADI_FAULT, "%s", wadi_text_str(&t));
    wadi_text_fini(&t);
    return st;
}

wadi_status wadi_eval_fault(wadi_eval_cx *cx, const wadi_bind *b, wadi_loc loc, const char *format,
                            ...) {
    va_list args;
    va_start(args, format);
    const wadi_status st = fault(cx, b->op->name, loc.file ? loc : b->loc, format, args);
    va_end(args);
    return st;
}

wadi_status wadi_eval_fault_of(wadi_eval_cx *cx, const char *op, wadi_loc loc, const char *format,
                               ...) {
    va_list args;
    va_start(args, format);
    const wadi_status st = fault(cx, op, loc, format, args);
    va_end(args);
    return st;
}

wadi_status wadi_eval_out_of_range(wadi_eval_cx *cx, const char *op, wadi_loc loc, int64_t index,
                                   int64_t extent, int dim) {
    char where[WADI_WHERE_ROOM];
    if (extent == 0)
        return wadi_eval_fault_of(cx, op, loc, WADI_SAID_NO_ELEMENTS " %s", (long long)index,
                                  wadi_ir_where(where, dim, loc));
    return wadi_eval_fault_of(cx, op, loc, "index %lld out of range 0..%lld %s", (long long)index,
                              (long long)extent - 1, wadi_ir_where(where, dim, loc));
}

wadi_status wadi_eval_differ(wadi_eval_cx *cx, const wadi_bind *b, const char *what, int dim,
                             int64_t x, int64_t y) {
    char in[32] = "";
    if (dim >= 0) (void)snprintf(in, sizeof in, " in dimension %d", dim);
    return wadi_eval_fault(cx, b, b->loc, "%s%s: " WADI_SAID_DIFFER, what, in, (long long)x,
                           (long long)y);
}

int64_t wadi_eval_i64(wadi_eval_cx *cx, wadi_val v) {
    const wadi_iarray *a = cx->array(cx, v);
    const wadi_scalar x = {a->elem.type[0], a->cell[0]};
    wadi_scalar out = {WADI_I64, 0};
    if (!wadi_scalar_eval(WADI_SOP_CONVERT, WADI_I64, &x, &out)) return 0;
    return (int64_t)out.bits;
}

void wadi_eval_args(wadi_eval_cx *cx, const wadi_bind *b, int from, int n, int64_t *out) {
    for (int i = 0; i < n; i++) out[i] = wadi_eval_i64(cx, b->args[from + i]);
}

int64_t wadi_eval_clamp(int64_t n, int64_t extent) {
    return n < 0 ? 0 : n > extent ? extent : n;
}

int64_t wadi_eval_linear(int rank, const int64_t *shape, const int64_t *ix) {
    int64_t linear = 0;
    for (int d = 0; d < rank; d++) linear = linear * shape[d] + ix[d];
    return linear;
}

const uint64_t *wadi_eval_get(const wadi_iarray *a, const int64_t *ix) {
    return a->cell + wadi_eval_linear(a->rank, a->shape, ix) * a->cells;
}

uint64_t *wadi_eval_put(const wadi_iarray *a, const uint64_t *cells, uint64_t *to) {
    memcpy(to, cells, (size_t)a->cells * sizeof *to);
    return to + a->cells;
}

wadi_status wadi_eval_read(wadi_eval_cx *cx, const wadi_bind *b, wadi_loc loc, const wadi_iarray *a,
                           const int64_t *ix, const uint64_t **out_cells) {
    for (int d = 0; d < a->rank; d++)
        if (ix[d] < 0 || ix[d] >= a->shape[d])
            return wadi_eval_out_of_range(cx, b->op->name, loc.file ? loc : b->loc, ix[d],
                                          a->shape[d], d);
    *out_cells = wadi_eval_get(a, ix);
    return WADI_OK;
}

bool wadi_eval_size(int rank, const int64_t *shape, int64_t *out) {
    int64_t size = 1;
    bool empty = false, huge = false;
    for (int d = 0; d < rank; d++) {
        if (shape[d] < 0) return false;
        if (shape[d] == 0)
            empty = true;
        else if (size > INT64_MAX / shape[d])
            huge = true;
        else
            size *= shape[d];
    }
    *out = empty ? 0 : size;
    return empty || !huge;
}

wadi_rows wadi_eval_rows(const wadi_iarray *a) {
    wadi_rows r = {.rank = a->rank - 1, .count = 1, .length = a->shape[a->rank - 1]};
    for (int d = 0; d < r.rank; d++) r.count *= a->shape[d];
    return r;
}

bool wadi_eval_next(int rank, const int64_t *shape, int64_t *ix) {
    for (int d = rank - 1; d >= 0; d--) {
        if (++ix[d] < shape[d]) return true;
        ix[d] = 0;
    }
    return false;
}

void wadi_eval_here(wadi_eval_cx *cx, int rank, const int64_t *ix) {
    cx->index_rank = rank;
    for (int d = 0; d < rank; d++) cx->index[d] = ix[d];
}

wadi_status wadi_eval_each(wadi_eval_cx *cx, const wadi_bind *b, int rank, const int64_t *shape,
                           wadi_eval_elem elem) {
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], rank, shape, &out));
    int64_t ix[WADI_MAX_RANK] = {0};
    for (int64_t i = 0; i < out->size; i++) {
        wadi_eval_here(cx, rank, ix);
        uint64_t *to = out->cell + i * out->cells;
        const wadi_status st = elem(cx, b, ix, to);
        if (st == WADI_FAULT && cx->instead)
            cx->instead(cx, to, out->cells);
        else
            WADI_TRY(st);
        wadi_eval_next(rank, shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

/* ---- host arrays ---- */

int64_t wadi_array_size(const wadi_array *a) {
    int64_t size = 0;
    return wadi_eval_size(a->rank, a->shape, &size) ? size : -1;
}

static int array_cells(const wadi_array *a) {
    int cells = 0;
    for (int f = 0; f < a->fields; f++) cells += wadi_type_cells(a->type[f]);
    return cells;
}

/* Elements one after the other, their fields one after the other: cell `first` of each group is field f's first. */
void wadi_cells_load(const wadi_array *from, uint64_t *cells) {
    const int64_t n = wadi_array_size(from);
    const int each = array_cells(from);
    for (int f = 0, first = 0; f < from->fields; first += wadi_type_cells(from->type[f++])) {
        const unsigned char *column = from->column[f];
        const int bytes = wadi_type_size(from->type[f]);
        for (int64_t i = 0; i < n; i++) {
            const wadi_scalar x = wadi_scalar_load(from->type[f], column + i * bytes);
            cells[i * each + first] = x.bits;
            if (wadi_type_is_complex(x.type)) cells[i * each + first + 1] = x.im;
        }
    }
}

void wadi_cells_store(const uint64_t *cells, const wadi_array *to) {
    const int64_t n = wadi_array_size(to);
    const int each = array_cells(to);
    for (int f = 0, first = 0; f < to->fields; first += wadi_type_cells(to->type[f++])) {
        unsigned char *column = to->column[f];
        const int bytes = wadi_type_size(to->type[f]);
        for (int64_t i = 0; i < n; i++) {
            wadi_scalar x = {to->type[f], cells[i * each + first]};
            if (wadi_type_is_complex(x.type)) x.im = cells[i * each + first + 1];
            wadi_scalar_store(x, column + i * bytes);
        }
    }
}
