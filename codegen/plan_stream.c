/* Planning one stream: from its consumer back to the sources.
 *
 * All map_seqs and produces on the way become one body: their bindings in order, where a parameter that gets another
 * region's yield is that value under a second name. A component of a stream_in is the first parameter it flows into. */
#include <string.h>

#include "base/error.h"
#include "codegen/plan_internal.h"

/* ---- kinds of slots ---- */

/* Extents that hang on the result of a branch or loop inside the stream exist only when it has run; whatever else they hang
 * on can be computed in front of the body. */
static bool is_late(wadi_planning *p, wadi_val v);

static bool extent_is_late(wadi_planning *p, wadi_val v, int dim);

static bool atom_is_late(void *env, const wadi_ext_node *atom) {
    wadi_planning *p = env;
    if (atom->kind == WADI_EXT_SYMBOL || p->m->values[atom->val].type.is_seq) return false;
    return atom->kind == WADI_EXT_DIM ? extent_is_late(p, atom->val, atom->dim)
                                      : is_late(p, atom->val);
}

static bool is_structured(const wadi_value *v) {
    if (v->def != WADI_DEF_BIND) return false;
    return v->bind->op->skeleton == WADI_SKEL_COND || v->bind->op->skeleton == WADI_SKEL_LOOP;
}

static bool extent_is_late(wadi_planning *p, wadi_val v, int dim) {
    if (p->y.alias_of[v] != WADI_NONE) return extent_is_late(p, p->y.alias_of[v], dim);
    if (p->known[v]) return false;
    const wadi_ext e = wadi_shapes_extent(p->y.shapes, v, 0, dim);
    const wadi_ext_node *n = e == WADI_EXT_NONE ? NULL : wadi_ext_get(p->y.shapes->extents, e);
    if (!n || (n->kind == WADI_EXT_DIM && n->val == v))
        return is_structured(&p->m->values[v]); /* its own alone */
    return wadi_ext_any_atom(p->y.shapes->extents, e, atom_is_late, p);
}

static bool extents_are_late(wadi_planning *p, wadi_val v) {
    for (int d = 0; d < p->m->values[v].type.array[0].rank; d++)
        if (extent_is_late(p, v, d)) return true;
    return false;
}

static bool reads_late(wadi_planning *p, const wadi_sblock *b) {
    for (int i = 0; i < b->ninsts; i++) {
        if (b->insts[i]->array != WADI_NONE && is_late(p, b->insts[i]->array)) return true;
        for (int k = 0; k < 2; k++)
            if (b->insts[i]->block[k] && reads_late(p, b->insts[i]->block[k])) return true;
    }
    return false;
}

static bool finds_late(wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (p->y.alias_of[v] != WADI_NONE) return is_late(p, p->y.alias_of[v]);
    if (p->known[v] || value->def != WADI_DEF_BIND || value->type.is_seq) return false;
    const wadi_bind *b = value->bind;
    if (is_structured(value)) return true;
    for (int a = 0; a < b->nargs; a++)
        if (is_late(p, b->args[a])) return true;
    for (int f = 0; f < b->nfuns; f++)
        if (reads_late(p, b->funs[f]->body)) return true;
    return extents_are_late(p, v);
}

static bool is_late(wadi_planning *p, wadi_val v) {
    enum { EARLY = 1, LATE = 2 };
    if (p->late[v] == 0) {
        p->late[v] = EARLY;
        if (finds_late(p, v)) p->late[v] = LATE;
    }
    return p->late[v] == LATE;
}

static wadi_slot_kind kind_of(wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (value->type.array[0].rank == 0) return WADI_SLOT_REGULAR;
    if (value->rep == WADI_REP_IRREGULAR || value->rep == WADI_REP_NONE) return WADI_SLOT_IRREGULAR;
    return extents_are_late(p, v) ? WADI_SLOT_IRREGULAR : WADI_SLOT_REGULAR;
}

static bool all_declared(const wadi_array_type *t) {
    for (int d = 0; d < t->rank; d++)
        if (!t->extent || t->extent[d].kind == WADI_EXTENT_ANY) return false;
    return true;
}

static wadi_val resolved(const wadi_planning *p, wadi_val v) {
    while (p->y.alias_of[v] != WADI_NONE) v = p->y.alias_of[v];
    return v;
}

/* ---- sources and regions ---- */

static wadi_status visit(wadi_planning *p, wadi_val seq);

/* The components of sequence `seq` as array values: WADI_NONE until they have one. */
static wadi_val *components(wadi_planning *p, wadi_val seq) {
    const int n = p->m->values[seq].type.arrays;
    wadi_val *c = WADI_NEW_N(p->y.arena, wadi_val, (size_t)n + 1);
    for (int i = 0; c && i < n; i++) c[i] = WADI_NONE;
    return p->y.components[seq] = c;
}

static wadi_status stream_in(wadi_planning *p, const wadi_bind *b) {
    const wadi_val seq = b->results[0];
    const int n = p->m->values[seq].type.arrays;
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1);
    wadi_plan_extent(*extent)[WADI_MAX_RANK] =
        wadi_arena_alloc_n(p->plan->arena, sizeof *extent, (size_t)n + 1);
    wadi_plan_source source = {
        .name = wadi_arena_strdup(p->plan->arena, b->name), .count_slot = -1, .nslots = n};
    if (!components(p, seq) || !slots || !extent || !source.name) return wadi_planning_no_memory(p);
    for (int c = 0; c < n; c++) {
        const wadi_array_type *t = &p->m->values[seq].type.array[c];
        const char *name =
            n > 1 ? wadi_arena_printf(p->plan->arena, "%s_%d", b->name, c) : source.name;
        slots[c] = wadi_planning_typed_slot(
            p, name, all_declared(t) ? WADI_SLOT_REGULAR : WADI_SLOT_IRREGULAR, t);
        wadi_planning_extents(p, t, extent[c]);
    }
    source.slots = slots;
    source.extent = (const wadi_plan_extent(*)[WADI_MAX_RANK])extent;
    return wadi_vec_push(&p->stream.sources, source) ? WADI_OK : wadi_planning_no_memory(p);
}

/* Slot of component `c` of a stream_in. */
static int source_slot(const wadi_planning *p, const wadi_bind *b, int c) {
    for (size_t i = 0; i < p->stream.sources.n; i++) {
        const wadi_plan_source *s = &p->stream.sources.at[i];
        if (s->name && strcmp(s->name, b->name) == 0) return s->slots[c];
    }
    return -1;
}

static wadi_status add_region(wadi_planning *p, wadi_val seq, const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++)
        if (!wadi_vec_push(&p->stream.binds, r->binds[i])) return wadi_planning_no_memory(p);
    wadi_val *c = components(p, seq);
    if (!c) return wadi_planning_no_memory(p);
    for (int i = 0; i < r->nyields; i++) c[i] = r->yields[i];
    return WADI_OK;
}

static wadi_status produce(wadi_planning *p, const wadi_bind *b) {
    const wadi_array_type index = {.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
    const wadi_val param = b->blocks[0]->params[0];
    const wadi_plan_source source = {.counter = true,
                                     .count_slot = wadi_planning_once(p, resolved(p, b->args[0]))};
    if (p->stream.index_slot < 0)
        p->stream.index_slot = wadi_planning_typed_slot(p, "index", WADI_SLOT_REGULAR, &index);
    p->y.slot_of[param] = p->stream.index_slot;
    p->known[param] = true;
    if (!wadi_vec_push(&p->stream.sources, source)) return wadi_planning_no_memory(p);
    return add_region(p, b->results[0], b->blocks[0]);
}

/* Gives the parameters from number `first` on the components of the sequences among args[from..]. */
static void bind_params(wadi_planning *p, const wadi_bind *b, int from, int to, int first) {
    const wadi_block *r = b->blocks[0];
    for (int a = from; a < to; a++) {
        const wadi_val seq = b->args[a];
        for (int c = 0; c < p->m->values[seq].type.arrays; c++, first++) {
            const wadi_val param = r->params[first];
            wadi_val *component = &p->y.components[seq][c];
            p->y.alias_of[param] = WADI_NONE;
            if (*component == WADI_NONE) {
                *component = param;
                p->y.slot_of[param] = source_slot(p, p->m->values[seq].bind, c);
                p->known[param] = true;
            } else if (*component != param) {
                p->y.alias_of[param] = *component;
            }
        }
    }
}

static wadi_status visit(wadi_planning *p, wadi_val seq) {
    const wadi_bind *b = p->m->values[seq].bind;
    if (p->y.components[seq]) return WADI_OK;
    if (strcmp(b->op->name, "stream_in") == 0) return stream_in(p, b);
    if (strcmp(b->op->name, "produce") == 0) return produce(p, b);
    if (strcmp(b->op->name, "map_seq") != 0)
        return wadi_fail_at(p->y.err, b->loc, WADI_UNSUPPORTED,
                            "%s: not offered as the source of a stream", b->op->name);
    for (int i = 0; i < b->nargs; i++) WADI_TRY(visit(p, b->args[i]));
    bind_params(p, b, 0, b->nargs, 0);
    return add_region(p, seq, b->blocks[0]);
}

/* ---- the body ---- */

/* Slots for what the body stores: temporaries of schedule flat, and results. */
static void body_slots(wadi_planning *p) {
    for (size_t i = 0; i < p->stream.binds.n; i++) {
        const wadi_bind *b = p->stream.binds.at[i];
        for (int r = 0; r < b->nresults; r++) {
            const wadi_val v = b->results[r];
            const wadi_value *value = &p->m->values[v];
            if (value->type.is_seq || !wadi_is_stored(&p->y, v)) continue;
            p->known[v] = false;
            p->y.slot_of[v] =
                wadi_planning_typed_slot(p, value->name, kind_of(p, v), &value->type.array[0]);
        }
    }
}

/* The slots of the stream's components, and which of them the body computes. */
static wadi_status stream_results(wadi_planning *p, wadi_val seq, wadi_body *body,
                                  int **out_slots) {
    const wadi_bind *b = p->m->values[seq].bind;
    const int n = p->m->values[seq].type.arrays;
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1);
    wadi_val *values = WADI_NEW_N(p->y.arena, wadi_val, (size_t)n + 1);
    if (!slots || !values) return wadi_planning_no_memory(p);
    for (int c = 0; c < n; c++) {
        wadi_val v = p->y.components[seq][c];
        if (v == WADI_NONE) {
            slots[c] = source_slot(p, b, c);
            continue;
        }
        v = resolved(p, v);
        slots[c] = wadi_planning_once(p, v); /* a body's value has its slot already */
        bool seen = p->known[v] || p->m->values[v].def == WADI_DEF_CONST;
        for (int i = 0; i < body->nresults; i++) seen = seen || values[i] == v;
        if (!seen) values[body->nresults++] = v;
    }
    body->results = values;
    *out_slots = slots;
    return WADI_OK;
}

static wadi_status stream_body(wadi_planning *p, wadi_val seq, wadi_plan_stream *out) {
    wadi_body body = {.stream = true, .nbinds = (int)p->stream.binds.n};
    int *slots = NULL;
    body.name = wadi_arena_printf(p->plan->arena, "stream_%d", (int)p->bodies.n);
    body.binds = WADI_NEW_N(p->y.arena, const wadi_bind *, p->stream.binds.n + 1);
    if (!body.name || !body.binds) return wadi_planning_no_memory(p);
    if (body.nbinds > 0)
        memcpy(body.binds, p->stream.binds.at, (size_t)body.nbinds * sizeof *body.binds);
    body_slots(p);
    WADI_TRY(stream_results(p, seq, &body, &slots));
    out->nresults = p->m->values[seq].type.arrays;
    out->results = slots;
    out->body = -1;
    if (body.nbinds == 0 && p->stream.index_slot < 0) return WADI_OK;
    return wadi_planning_body(p, &body, p->stream.index_slot, out->nresults, slots, false,
                              &out->body);
}

/* ---- ends ---- */

static int *result_slots(wadi_planning *p, const wadi_bind *b) {
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)b->nresults + 1);
    for (int i = 0; slots && i < b->nresults; i++) {
        slots[i] = wadi_planning_once(p, b->results[i]);
        p->known[b->results[i]] = true;
    }
    return slots;
}

/* The state's slots, the body that computes the next state, and its start. */
static wadi_status fold_end(wadi_planning *p, const wadi_bind *b, wadi_plan_stream *out) {
    const wadi_block *r = b->blocks[0];
    const int n = b->nargs - 1;
    int *init = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1),
        *in = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1),
        *next = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1);
    struct wadi_copy *copies = WADI_NEW_N(p->y.arena, struct wadi_copy, (size_t)n + 1);
    wadi_body body = {.stream = true,
                      .nbinds = r->nbinds,
                      .binds = (const wadi_bind **)r->binds,
                      .ncopies = n,
                      .copies = copies};
    body.name = wadi_arena_printf(p->plan->arena, "fold_%d", (int)p->bodies.n);
    if (!init || !in || !next || !copies || !body.name) return wadi_planning_no_memory(p);
    bind_params(p, b, 0, 1, n);
    for (int i = 0; i < n; i++) {
        const wadi_array_type *t = &p->m->values[b->args[1 + i]].type.array[0];
        init[i] = wadi_planning_once(p, b->args[1 + i]);
        in[i] = wadi_planning_typed_slot(p, "state", WADI_SLOT_ONCE, t);
        next[i] = wadi_planning_typed_slot(p, "next_state", WADI_SLOT_ONCE, t);
        p->y.slot_of[r->params[i]] = in[i];
        p->known[r->params[i]] = true;
        copies[i] = (struct wadi_copy){r->yields[i], next[i]};
    }
    for (int c = 0; c < p->m->values[b->args[0]].type.arrays;
         c++) { /* the stream's body has computed these */
        const wadi_val v = p->y.components[b->args[0]][c];
        if (v == WADI_NONE) continue;
        p->known[resolved(p, v)] = true;
        p->y.apart[resolved(p, v)] = true;
    }
    out->nstate = n;
    out->init = init;
    out->state_in = in;
    out->state_out = next;
    return wadi_planning_body(p, &body, -1, n, next, true, &out->fold);
}

static wadi_status forget(wadi_planning *p) {
    for (uint32_t v = 0; v < p->m->nvalues; v++) {
        p->y.components[v] = NULL;
        p->late[v] = 0;
        p->y.apart[v] = false;
    }
    wadi_vec_clear(&p->stream.binds);
    wadi_vec_clear(&p->stream.sources);
    p->stream.index_slot = -1;
    return WADI_OK;
}

static wadi_status end_of(wadi_planning *p, const wadi_bind *b, wadi_plan_stream *out) {
    const char *op = b->op->name;
    if (strcmp(op, "stream_out") == 0) {
        out->end = WADI_END_SINK;
        out->name = wadi_arena_strdup(p->plan->arena, b->name);
        return out->name ? WADI_OK : wadi_planning_no_memory(p);
    }
    if (strcmp(op, "fold_seq") == 0) {
        out->end = WADI_END_FOLD;
        WADI_TRY(fold_end(p, b, out));
    } else if (strcmp(op, "elements") == 0) {
        out->end = WADI_END_ELEMENTS;
    } else if (strcmp(op, "tabulate") == 0) {
        out->end = WADI_END_TABULATE;
    } else {
        return wadi_fail_at(p->y.err, b->loc, WADI_UNSUPPORTED,
                            "%s: not offered as the end of a stream", op);
    }
    out->ninto = b->nresults;
    out->into = result_slots(p, b);
    return out->into ? WADI_OK : wadi_planning_no_memory(p);
}

wadi_status wadi_planning_stream(wadi_planning *p, const wadi_bind *b) {
    wadi_plan_phase phase = {.is_stream = true, .body = -1};
    wadi_plan_stream *s = &phase.stream;
    WADI_TRY(forget(p));
    WADI_TRY(visit(p, b->args[0]));
    *s = (wadi_plan_stream){.fold = -1, .place = wadi_layout_place(&p->y, b->op->name, "", b->loc)};
    WADI_TRY(stream_body(p, b->args[0], s));
    WADI_TRY(end_of(p, b, s));
    const size_t n = p->stream.sources.n;
    wadi_plan_source *sources = WADI_NEW_N(p->plan->arena, wadi_plan_source, n + 1);
    if (!sources || p->y.failed) return wadi_planning_no_memory(p);
    if (n > 0) memcpy(sources, p->stream.sources.at, n * sizeof *sources);
    s->nsources = (int)n;
    s->sources = sources;
    return wadi_vec_push(&p->phases, phase) ? WADI_OK : wadi_planning_no_memory(p);
}
