/* Reads types, and the numbers of host data, which follow a type. */
#include <string.h>

#include "graph/ir/parse.h"

/* ---- types ---- */

static wadi_status parse_elem(wadi_parser *p, wadi_elem *out) {
    wadi_type t;
    if (!wadi_parse_accept(p, "{")) {
        WADI_TRY(wadi_parse_scalar_type(p, &t));
        *out = wadi_elem_scalar(t);
        return WADI_OK;
    }
    *out = (wadi_elem){.fields = 0};
    do {
        if (out->fields == WADI_MAX_FIELDS)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "expected at most %d fields", WADI_MAX_FIELDS);
        const wadi_token *field = wadi_parse_peek(p, 0);
        WADI_TRY(wadi_parse_name(p, &out->name[out->fields]));
        WADI_TRY(wadi_parse_apart(p, field, out->fields, out->name));
        WADI_TRY(wadi_parse_expect(p, ":"));
        WADI_TRY(wadi_parse_scalar_type(p, &out->type[out->fields++]));
    } while (wadi_parse_accept(p, ","));
    return wadi_parse_expect(p, "}");
}

static wadi_status parse_extent(wadi_parser *p, wadi_extent_decl *out) {
    *out = (wadi_extent_decl){.kind = WADI_EXTENT_ANY};
    if (wadi_parse_accept(p, "?")) return WADI_OK;
    if (wadi_parse_peek(p, 0)->kind == WADI_TOKEN_NUMBER) {
        out->kind = WADI_EXTENT_CONST;
        return wadi_parse_integer(p, 0, INT64_MAX, &out->value);
    }
    out->kind = WADI_EXTENT_NAMED;
    return wadi_parse_name(p, &out->name);
}

static wadi_status parse_array_type(wadi_parser *p, wadi_array_type *out) {
    wadi_extent_decl extent[WADI_MAX_RANK];
    *out = (wadi_array_type){.rank = 0};
    WADI_TRY(parse_elem(p, &out->elem));
    if (!wadi_parse_accept(p, "[")) return WADI_OK;
    if (wadi_parse_accept(p, "]")) return WADI_OK; /* rank 0, and a list of numbers may follow */
    bool any = false;
    do {
        if (out->rank == WADI_MAX_RANK)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_SHAPE,
                                   "expected at most %d dimensions", WADI_MAX_RANK);
        WADI_TRY(parse_extent(p, &extent[out->rank]));
        any = any || extent[out->rank].kind != WADI_EXTENT_ANY;
        out->rank++;
    } while (wadi_parse_accept(p, ","));
    WADI_TRY(wadi_parse_expect(p, "]"));
    if (!any) return WADI_OK;
    out->extent = WADI_NEW_N(p->m->arena, wadi_extent_decl, (size_t)out->rank);
    if (!out->extent) return wadi_parse_no_memory(p);
    memcpy(out->extent, extent, (size_t)out->rank * sizeof *extent);
    return WADI_OK;
}

typedef WADI_VEC(wadi_array_type) type_list;

/* The types between the parentheses of seq( .. ). There are none if a body yields nothing. */
static wadi_status parse_components(wadi_parser *p, type_list *out) {
    WADI_TRY(wadi_parse_expect(p, "("));
    while (!wadi_parse_sees(p, 0, ")")) {
        wadi_array_type t;
        WADI_TRY(parse_array_type(p, &t));
        if (!wadi_vec_push(out, t)) return wadi_parse_no_memory(p);
        if (!wadi_parse_accept(p, ",")) break;
    }
    return wadi_parse_expect(p, ")");
}

wadi_status wadi_parse_type(wadi_parser *p, wadi_val_type *out) {
    if (wadi_parse_accept(p, "seq")) {
        type_list list = {0};
        const wadi_status st = parse_components(p, &list);
        *out = wadi_seq_val_type(p->m, (int)list.n, list.at);
        wadi_vec_free(&list);
        if (st != WADI_OK) return st;
    } else {
        wadi_array_type t;
        WADI_TRY(parse_array_type(p, &t));
        *out = wadi_seq_val_type(p->m, 1, &t);
        out->is_seq = false;
    }
    return out->array ? WADI_OK : wadi_parse_no_memory(p);
}

/* ---- host data ---- */

static wadi_status parse_column(wadi_parser *p, wadi_type type, size_t n, char *column) {
    const wadi_token *open = wadi_parse_peek(p, 0);
    size_t found = 0;
    WADI_TRY(wadi_parse_expect(p, "["));
    wadi_parse_skip_lines(p);
    while (!wadi_parse_sees(p, 0, "]")) {
        wadi_scalar v;
        WADI_TRY(wadi_parse_literal(p, &type, &v));
        if (found < n) wadi_scalar_store(v, column + found * (size_t)wadi_type_size(type));
        found++;
        if (!wadi_parse_accept(p, ",")) break;
        wadi_parse_skip_lines(p);
    }
    if (found != n || !wadi_parse_sees(p, 0, "]"))
        return wadi_parse_fail(p, open, WADI_SHAPE, "expected a list of %zu numbers", n);
    return wadi_parse_expect(p, "]");
}

/* How many elements the type has; false if an extent is no number, or if the text is too short for so many values. */
static bool count_elements(const wadi_parser *p, const wadi_array_type *t, wadi_array *out,
                           size_t *out_n) {
    size_t n = 1;
    for (int d = 0; d < t->rank; d++) {
        if (!t->extent || t->extent[d].kind != WADI_EXTENT_CONST) return false;
        out->shape[d] = t->extent[d].value;
    }
    for (int d = 0; d < t->rank; d++)
        if (out->shape[d] == 0) n = 0;
    for (int d = 0; d < t->rank && n > 0; d++) {
        if ((uint64_t)out->shape[d] > p->tokens.n / n) return false;
        n *= (size_t)out->shape[d];
    }
    *out_n = n;
    return true;
}

wadi_status wadi_parse_data(wadi_parser *p, const wadi_val_type *t, const wadi_array **out) {
    const wadi_token *open = wadi_parse_peek(p, 0);
    wadi_array *a = WADI_NEW(p->m->arena, wadi_array);
    if (!a) return wadi_parse_no_memory(p);
    size_t n = 0;
    if (t->is_seq || !count_elements(p, t->array, a, &n))
        return wadi_parse_fail(p, open, WADI_SHAPE,
                               "host data needs numbers as extents, and as many values");
    a->rank = t->array->rank;
    a->fields = t->array->elem.fields;
    for (int f = 0; f < a->fields; f++) {
        a->type[f] = t->array->elem.type[f];
        char *column = wadi_arena_alloc_n(p->m->arena, (size_t)wadi_type_size(a->type[f]), n);
        if (!column) return wadi_parse_no_memory(p);
        WADI_TRY(parse_column(p, a->type[f], n, column));
        a->column[f] = column;
    }
    *out = a;
    return WADI_OK;
}
