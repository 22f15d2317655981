/* Types of values and elements: making and comparing them. */
#include "graph/ir/ir.h"

#include <string.h>

#include "base/error.h"

wadi_elem wadi_elem_scalar(wadi_type t) {
    return (wadi_elem){.fields = 1, .type = {t}};
}

static bool same_name(const char *a, const char *b) {
    if (!a || !b) return a == b;
    return strcmp(a, b) == 0;
}

bool wadi_elem_equal(const wadi_elem *a, const wadi_elem *b) {
    if (a->fields != b->fields) return false;
    for (int f = 0; f < a->fields; f++)
        if (a->type[f] != b->type[f] || !same_name(a->name[f], b->name[f])) return false;
    return true;
}

bool wadi_val_type_equal(const wadi_val_type *a, const wadi_val_type *b) {
    if (a->is_seq != b->is_seq || a->arrays != b->arrays) return false;
    for (int i = 0; i < a->arrays; i++)
        if (a->array[i].rank != b->array[i].rank ||
            !wadi_elem_equal(&a->array[i].elem, &b->array[i].elem))
            return false;
    return true;
}

wadi_val_type wadi_array_val_type(wadi_module *m, int rank, wadi_elem elem) {
    wadi_array_type *t = WADI_NEW(m->arena, wadi_array_type);
    if (t) *t = (wadi_array_type){.rank = rank, .elem = elem};
    return (wadi_val_type){.is_seq = false, .arrays = 1, .array = t};
}

wadi_val_type wadi_seq_val_type(wadi_module *m, int arrays, const wadi_array_type *types) {
    wadi_array_type *t = WADI_NEW_N(m->arena, wadi_array_type, (size_t)arrays);
    if (t && arrays > 0) memcpy(t, types, (size_t)arrays * sizeof *t);
    return (wadi_val_type){.is_seq = true, .arrays = arrays, .array = t};
}

bool wadi_type_is_float(wadi_type t) {
    return t == WADI_F32 || t == WADI_F64;
}

bool wadi_type_is_complex(wadi_type t) {
    return t == WADI_C64 || t == WADI_C128;
}

bool wadi_type_rounds(wadi_type t) {
    return wadi_type_is_float(t) || wadi_type_is_complex(t);
}

wadi_type wadi_type_part(wadi_type t) {
    return t == WADI_C64 ? WADI_F32 : t == WADI_C128 ? WADI_F64 : t;
}

int wadi_type_cells(wadi_type t) {
    return wadi_type_is_complex(t) ? 2 : 1;
}

int wadi_elem_cells(const wadi_elem *e) {
    int cells = 0;
    for (int f = 0; f < e->fields; f++) cells += wadi_type_cells(e->type[f]);
    return cells;
}

bool wadi_type_is_int(wadi_type t) {
    return t >= WADI_I8 && t <= WADI_U64;
}

bool wadi_type_is_unsigned(wadi_type t) {
    return t >= WADI_U8 && t <= WADI_U64;
}

bool wadi_type_is_signed(wadi_type t) {
    return (t >= WADI_I8 && t <= WADI_I64) || wadi_type_is_float(t);
}
