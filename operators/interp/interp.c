/* Runs a module: values, memory, blocks, inputs and results.
 *
 * The arrays that a run makes are kept in a list, in the order in which they were made. At its end, a region or an element of a
 * stream gives back all arrays made since it began, except its results. */
#include "base/words.h"
#include "operators/interp/interp.h"

#include <stdlib.h>
#include <string.h>

#include "operators/interp/stream.h"

/* ---- what sequence operators mean, by form ---- */

/* For an operator whose row says that it works on sequences, but names no form. */
static wadi_status run_formless(wadi_interp *in, const wadi_bind *b) {
    return wadi_fail_at(in->cx.err, b->loc, WADI_INTERNAL,
                        "%s: its row names no form of sequence operators", b->op->name);
}

static wadi_status start_formless(wadi_interp *in, wadi_cursor *c) {
    return run_formless(in, c->bind);
}

static const wadi_seq_meaning formless = {.start = start_formless, .run = run_formless};

static const wadi_seq_meaning *const meanings[] = {
    [WADI_SEQ_NONE] = &formless,
#define WADI_SEQ_FORM(NAME, name, traits) [WADI_SEQ_##NAME] = &wadi_meaning_##name,
#include "graph/seq.def"
#undef WADI_SEQ_FORM
};

/* ---- what the rules may ask for ---- */

static wadi_interp *self(wadi_eval_cx *cx) {
    return (wadi_interp *)cx;
}

static const wadi_iarray *get_array(wadi_eval_cx *cx, wadi_val v) {
    return self(cx)->value[v];
}

static wadi_status make_result(wadi_eval_cx *cx, wadi_val v, int rank, const int64_t *shape,
                               wadi_iarray **out) {
    wadi_interp *in = self(cx);
    const wadi_value *value = &in->m->values[v];
    for (int d = 0; d < rank; d++)
        if (shape[d] < 0)
            return wadi_eval_fault(cx, value->bind, value->bind->loc, WADI_SAID_EXTENT,
                                   (long long)shape[d], (long long)d);
    int64_t size = 0;
    if (!wadi_eval_size(rank, shape, &size)) return wadi_interp_no_memory(in);
    wadi_iarray *a = wadi_iarray_create(rank, &value->type.array->elem, shape, size);
    if (!a) return wadi_interp_no_memory(in);
    if (!wadi_vec_push(&in->heap, a)) {
        wadi_iarray_destroy(a);
        return wadi_interp_no_memory(in);
    }
    in->value[v] = *out = a;
    return WADI_OK;
}

static wadi_status make_alias(wadi_eval_cx *cx, wadi_val v, const wadi_iarray *a) {
    self(cx)->value[v] = a;
    return WADI_OK;
}

static wadi_status apply(wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f,
                         const uint64_t *args, uint64_t *results) {
    return wadi_interp_apply(self(cx), b, f, args, results);
}

static const wadi_iarray *get_input(wadi_eval_cx *cx, const char *name) {
    const wadi_interp *in = self(cx);
    for (size_t i = 0; i < in->bound.n; i++)
        if (strcmp(in->bound.at[i].name, name) == 0) return in->bound.at[i].array;
    return NULL;
}

static size_t heap_mark(wadi_eval_cx *cx) {
    return self(cx)->heap.n;
}

static void heap_release(wadi_eval_cx *cx, size_t mark, int n, const wadi_iarray *const *keep) {
    wadi_interp *in = self(cx);
    size_t kept = mark;
    for (size_t i = mark; i < in->heap.n; i++) {
        bool wanted = false;
        for (int k = 0; k < n; k++) wanted = wanted || keep[k] == in->heap.at[i];
        if (wanted)
            in->heap.at[kept++] = in->heap.at[i];
        else
            wadi_iarray_destroy(in->heap.at[i]);
    }
    in->heap.n = kept;
}

static wadi_status run_block(wadi_interp *in, const wadi_block *b);

static wadi_status run_region(wadi_eval_cx *cx, const wadi_block *r, const wadi_iarray *const *args,
                              const wadi_iarray **out_yields) {
    wadi_interp *in = self(cx);
    const size_t mark = heap_mark(cx);
    for (int p = 0; p < r->nparams; p++) in->value[r->params[p]] = args[p];
    in->depth++;
    const wadi_status st = run_block(in, r);
    in->depth--;
    WADI_TRY(st);
    for (int y = 0; y < r->nyields; y++) out_yields[y] = in->value[r->yields[y]];
    heap_release(cx, mark, r->nyields, out_yields);
    return WADI_OK;
}

/* An operator that gives a sequence does nothing until it is consumed. */
static wadi_status run_bind(wadi_interp *in, const wadi_bind *b) {
    if (b->op->kind != WADI_OP_SEQUENCE) return b->op->eval(&in->cx, b);
    const wadi_seq_meaning *meaning = in->meanings[b->op->seq.form];
    return meaning->run ? meaning->run(in, b) : WADI_OK;
}

static wadi_status run_block(wadi_interp *in, const wadi_block *b) {
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        if (!wadi_interp_can_run(in, bind)) continue;
        WADI_TRY(wadi_interp_ran(in, bind, run_bind(in, bind)));
    }
    return wadi_interp_complete(in, b);
}

/* ---- what comes in ---- */

static wadi_status bind_input(wadi_interp *in, const wadi_bind *b) {
    const wadi_array_type *t = in->m->values[b->results[0]].type.array;
    for (int i = 0; i < in->io->ninputs; i++) {
        if (strcmp(in->io->inputs[i].name, b->name) != 0) continue;
        wadi_iarray *a;
        WADI_TRY(wadi_interp_bind(in, "input", b->name, b->loc, t, &in->io->inputs[i].array, &a));
        if (wadi_vec_push(&in->bound, (wadi_bound_input){b->name, a})) return WADI_OK;
        wadi_iarray_destroy(a);
        return wadi_interp_no_memory(in);
    }
    return wadi_fail_at(in->cx.err, b->loc, WADI_INVALID, "input: nothing is bound to '%s'",
                        b->name);
}

static wadi_status bind_inputs(wadi_interp *in, const wadi_block *b) {
    for (int i = 0; i < b->nbinds; i++) {
        if (b->binds[i]->op->given == WADI_GIVEN_BY_RUN) WADI_TRY(bind_input(in, b->binds[i]));
        for (int r = 0; r < b->binds[i]->nblocks; r++)
            WADI_TRY(bind_inputs(in, b->binds[i]->blocks[r]));
    }
    return WADI_OK;
}

/* Literals have no binding: they are arrays from the start. */
static wadi_status make_constants(wadi_interp *in) {
    for (wadi_val v = 0; v < in->m->nvalues; v++) {
        const wadi_value *value = &in->m->values[v];
        if (value->def != WADI_DEF_CONST) continue;
        wadi_iarray *a = wadi_iarray_create(0, &value->type.array->elem, NULL, 1);
        if (!a || !wadi_vec_push(&in->constants, a)) {
            wadi_iarray_destroy(a);
            return wadi_interp_no_memory(in);
        }
        a->cell[0] = value->imm.bits;
        if (a->cells > 1) a->cell[1] = value->imm.im;
        in->value[v] = a;
    }
    return WADI_OK;
}

/* ---- what goes out ---- */

static wadi_status give_outputs(wadi_interp *in) {
    wadi_interp_results *r = in->results;
    r->noutputs = in->m->main->nyields;
    r->outputs = WADI_NEW_N(r->arena, wadi_interp_output, (size_t)r->noutputs);
    if (!r->outputs) return wadi_interp_no_memory(in);
    for (int i = 0; i < r->noutputs; i++) {
        const char *name = in->m->outputs ? in->m->outputs[i] : "";
        r->outputs[i].name = wadi_arena_strdup(r->arena, name);
        if (!r->outputs[i].name) return wadi_interp_no_memory(in);
        WADI_TRY(wadi_interp_give(in, in->value[in->m->main->yields[i]], &r->outputs[i].array));
    }
    return WADI_OK;
}

static wadi_status give_sinks(wadi_interp *in) {
    wadi_interp_results *r = in->results;
    r->nsinks = (int)in->sunk.n;
    r->sinks = WADI_NEW_N(r->arena, wadi_interp_sink, in->sunk.n);
    if (!r->sinks) return wadi_interp_no_memory(in);
    for (size_t i = 0; i < in->sunk.n; i++) {
        const wadi_sunk *from = &in->sunk.at[i];
        wadi_array *elements = WADI_NEW_N(r->arena, wadi_array, from->arrays.n);
        const char *name = wadi_arena_strdup(r->arena, from->bind->name);
        if (!elements || !name) return wadi_interp_no_memory(in);
        if (from->arrays.n > 0)
            memcpy(elements, from->arrays.at, from->arrays.n * sizeof *elements);
        r->sinks[i] = (wadi_interp_sink){
            .name = name,
            .components = in->m->values[from->bind->args[0]].type.arrays,
            .n = from->n,
            .elements = elements,
        };
    }
    return WADI_OK;
}

/* ---- a run ---- */

static wadi_interp_results *results_create(void) {
    wadi_arena *arena = wadi_arena_create();
    wadi_interp_results *r = arena ? WADI_NEW(arena, wadi_interp_results) : NULL;
    if (r)
        r->arena = arena;
    else
        wadi_arena_destroy(arena);
    return r;
}

void wadi_interp_results_destroy(wadi_interp_results *r) {
    if (r) wadi_arena_destroy(r->arena);
}

static wadi_status start(wadi_interp *in) {
    in->value = calloc((size_t)in->m->nvalues + 1, sizeof *in->value);
    in->missing = calloc((size_t)in->m->nvalues + 1, sizeof *in->missing);
    in->source = calloc((size_t)in->io->nsources + 1, sizeof *in->source);
    in->results = results_create();
    if (!in->value || !in->missing || !in->source || !in->results) return wadi_interp_no_memory(in);
    for (int i = 0; i < in->io->nsources; i++) in->source[i].from = &in->io->sources[i];
    WADI_TRY(make_constants(in));
    return bind_inputs(in, in->m->main);
}

static wadi_status run(wadi_interp *in) {
    WADI_TRY(start(in));
    WADI_TRY(run_block(in, in->m->main));
    WADI_TRY(give_outputs(in));
    return give_sinks(in);
}

static void stop(wadi_interp *in) {
    for (size_t i = 0; i < in->heap.n; i++) wadi_iarray_destroy(in->heap.at[i]);
    for (size_t i = 0; i < in->constants.n; i++) wadi_iarray_destroy(in->constants.at[i]);
    for (size_t i = 0; i < in->bound.n; i++) wadi_iarray_destroy(in->bound.at[i].array);
    for (int i = 0; in->source && i < in->io->nsources; i++) {
        for (size_t k = 0; k < in->source[i].arrays.n; k++)
            wadi_iarray_destroy(in->source[i].arrays.at[k]);
        wadi_vec_free(&in->source[i].arrays);
    }
    for (size_t i = 0; i < in->sunk.n; i++) wadi_vec_free(&in->sunk.at[i].arrays);
    wadi_vec_free(&in->heap);
    wadi_vec_free(&in->constants);
    wadi_vec_free(&in->bound);
    wadi_vec_free(&in->known);
    wadi_vec_free(&in->sunk);
    free(in->value);
    free(in->missing);
    free(in->source);
    free(in->row);
}

wadi_status wadi_interp_run(const wadi_module *m, const wadi_interp_io *io,
                            wadi_interp_results **out, wadi_error *err) {
    static const wadi_interp_io nothing = {0};
    wadi_interp in = {
        .cx = {.module = (wadi_module *)m, /* rules read it */
               .err = err,
               .array = get_array,
               .result = make_result,
               .alias = make_alias,
               .apply = apply,
               .region = run_region,
               .input = get_input,
               .mark = heap_mark,
               .release = heap_release,
               .instead = io && io->told ? wadi_interp_instead_cells : NULL,
               .element = -1,
               .index_rank = -1},
        .m = m,
        .io = io ? io : &nothing,
        .meanings = meanings,
    };
    const wadi_status st = run(&in);
    stop(&in);
    if (st == WADI_OK)
        *out = in.results;
    else
        wadi_interp_results_destroy(in.results);
    return st;
}

const wadi_array *wadi_interp_output_get(const wadi_interp_results *r, const char *name) {
    for (int i = 0; i < r->noutputs; i++)
        if (strcmp(r->outputs[i].name, name) == 0) return &r->outputs[i].array;
    return NULL;
}

const wadi_interp_sink *wadi_interp_sink_get(const wadi_interp_results *r, const char *name) {
    for (int i = 0; i < r->nsinks; i++)
        if (strcmp(r->sinks[i].name, name) == 0) return &r->sinks[i];
    return NULL;
}
