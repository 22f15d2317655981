/* use: a host array, copied into the program when it is built. Its extents are constants. */
#include "operators/rules.h"

#include <string.h>

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 0, 0, err));
    if (!b->data || b->nresults != 1 || m->values[b->results[0]].type.is_seq)
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "use: needs the type of one array and its numbers; a single number is "
                            "written i64[] [0]");
    const wadi_array_type *t = m->values[b->results[0]].type.array;
    bool fits = t->rank == b->data->rank && t->elem.fields == b->data->fields;
    for (int f = 0; fits && f < t->elem.fields; f++) fits = t->elem.type[f] == b->data->type[f];
    if (fits) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_TYPE, "use: the data is not of the declared type");
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    for (int d = 0; d < b->data->rank; d++)
        cx->set(cx, b->results[0], 0, d, wadi_ext_const(cx->extents, b->data->shape[d]));
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], b->data->rank, b->data->shape, &out));
    wadi_cells_load(b->data, out->cell);
    return WADI_OK;
}

const wadi_op wadi_op_use = {
    .name = "use",
    .form = "x = use : TYPE [1, 2, ..]",
    .types = "-> a[n..]",
    .about = "host data, one list per field",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_NONE,
    .given = WADI_GIVEN_BY_PROGRAM,
    .stored = true,
    .type = type,
    .shape = shape,
    .eval = eval,
};

/* A host array has no names of fields; the fields are called f0, f1, ... */
static wadi_elem_type elem_of(const wadi_array *a) {
    static const char *const names[WADI_MAX_FIELDS] = {"f0",  "f1",  "f2",  "f3", "f4",  "f5",
                                                       "f6",  "f7",  "f8",  "f9", "f10", "f11",
                                                       "f12", "f13", "f14", "f15"};
    wadi_elem_type e = {.fields = a->fields};
    for (int f = 0; f < a->fields && f < WADI_MAX_FIELDS; f++) {
        e.type[f] = a->type[f];
        e.name[f] = a->fields > 1 ? names[f] : NULL;
    }
    return e;
}

wadi_acc wadi_use(const wadi_array *a) {
    wadi_draft d = wadi_draft_begin("use");
    wadi_draft_data(&d, a);
    wadi_array_type *t = wadi_draft_types(&d, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_declare(&d, elem_of(a), a->rank, NULL, t);
    wadi_program *p = wadi_program_current();
    wadi_extent_decl *extent = WADI_NEW_N(p->arena, wadi_extent_decl, (size_t)a->rank);
    if (!extent) wadi_draft_fail(&d, WADI_MEMORY, "out of memory");
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    for (int i = 0; i < a->rank; i++)
        extent[i] = (wadi_extent_decl){.kind = WADI_EXTENT_CONST, .value = a->shape[i]};
    t->extent = a->rank > 0 ? extent : NULL;
    return wadi_draft_acc_types(&d, &wadi_op_use, 1, t);
}
