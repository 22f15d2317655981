/* From a sequence back to its sources: the stages of a stream.
 *
 * A stage is everything with the same number of elements, with one body. map_seqs over one input become one stage: their
 * bindings follow in order, and a parameter that gets another region's yield is an alias of that value. The predicate of a
 * filter and the function of an expansion are further results of the stage that they read. An operator that changes the number
 * of elements begins a stage. The elements of that stage are parts: slots that the runtime fills. An array that is the same for
 * the whole stream is no part; it keeps its slot in all stages.
 *
 * map_seq over several sequences with different numbers of elements begins a stage that zips them. Sources that nobody else
 * reads are zipped where they are read. */
#include "base/error.h"
#include "codegen/plan/fold.h"
#include "codegen/plan/phases.h"

static wadi_status add_region(wadi_planning *p, int stage, const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++)
        if (!wadi_vec_push(&wadi_planning_stage_at(p, stage)->binds, r->binds[i]))
            return wadi_planning_no_memory(p);
    return WADI_OK;
}

/* Makes the region's yields the components of `seq`. */
static wadi_status set_yields(wadi_planning *p, wadi_val seq, int stage, const wadi_block *r) {
    WADI_TRY(wadi_planning_components(p, seq, stage));
    for (int i = 0; i < r->nyields; i++) p->y.components[seq][i] = r->yields[i];
    return WADI_OK;
}

/* ---- sources ---- */

static bool all_declared(const wadi_array_type *t) {
    for (int d = 0; d < t->rank; d++)
        if (!t->extent || t->extent[d].kind == WADI_EXTENT_ANY) return false;
    return true;
}

static wadi_status add_source(wadi_planning *p, int stage, wadi_plan_source source) {
    return wadi_vec_push(&wadi_planning_stage_at(p, stage)->sources, source)
               ? WADI_OK
               : wadi_planning_no_memory(p);
}

static wadi_status stream_in(wadi_planning *p, const wadi_bind *b, int stage) {
    const wadi_val seq = b->results[0];
    const int n = wadi_planning_width(p, seq);
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)n + 1);
    wadi_plan_extent(*extent)[WADI_MAX_RANK] =
        wadi_arena_alloc_n(p->plan->arena, sizeof *extent, (size_t)n + 1);
    wadi_plan_source source = {
        .name = wadi_arena_strdup(p->plan->arena, b->name), .count_slot = -1, .nslots = n};
    if (!slots || !extent || !source.name) return wadi_planning_no_memory(p);
    WADI_TRY(wadi_planning_components(p, seq, stage));
    for (int c = 0; c < n; c++) {
        const wadi_array_type *t = &p->m->values[seq].type.array[c];
        const char *name =
            n > 1 ? wadi_arena_printf(p->plan->arena, "%s_%d", b->name, c) : source.name;
        slots[c] = wadi_planning_typed_slot(
            p, name, all_declared(t) ? WADI_SLOT_REGULAR : WADI_SLOT_IRREGULAR, t);
        p->stream.part_of[seq][c] = slots[c];
        wadi_planning_extents(p, t, extent[c]);
        if (!wadi_vec_push(&wadi_planning_stage_at(p, stage)->parts,
                           (wadi_planned_part){.slot = slots[c]}))
            return wadi_planning_no_memory(p);
    }
    source.slots = slots;
    source.extent = (const wadi_plan_extent(*)[WADI_MAX_RANK])extent;
    return add_source(p, stage, source);
}

static wadi_status produce(wadi_planning *p, const wadi_bind *b, int stage) {
    const wadi_array_type index = {.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
    const wadi_val param = b->blocks[0]->params[0];
    const wadi_plan_source source = {
        .counter = true,
        .count_slot = wadi_planning_once(p, wadi_planning_resolved(p, b->args[0]))};
    int *slot = &wadi_planning_stage_at(p, stage)->index_slot;
    if (*slot < 0) *slot = wadi_planning_typed_slot(p, "index", WADI_SLOT_REGULAR, &index);
    wadi_planning_param_at(p, param, *slot);
    if (!wadi_vec_push(&wadi_planning_stage_at(p, stage)->params, param))
        return wadi_planning_no_memory(p);
    WADI_TRY(add_source(p, stage, source));
    WADI_TRY(add_region(p, stage, b->blocks[0]));
    return set_yields(p, b->results[0], stage, b->blocks[0]);
}

static bool is_source(const wadi_bind *b) {
    return wadi_seq_has(&b->op->seq, WADI_FORM_SOURCE);
}

static wadi_status source(wadi_planning *p, const wadi_bind *b, int into) {
    const int stage = into >= 0 ? into : wadi_planning_new_stage(p, WADI_CHANGE_READ, b);
    if (stage < 0) return wadi_planning_no_memory(p);
    return b->op->seq.form == WADI_SEQ_COUNT ? produce(p, b, stage) : stream_in(p, b, stage);
}

/* ---- stages that change the number of elements ---- */

/* Adds a part to `stage`: component `number` of the results of its input. Returns the part's slot. */
static int add_part(wadi_planning *p, int stage, int input, int number, const char *name,
                    const wadi_array_type *t) {
    const wadi_slot_kind kind = t->rank == 0 ? WADI_SLOT_REGULAR : WADI_SLOT_IRREGULAR;
    const int slot = wadi_planning_typed_slot(p, name, kind, t);
    if (!wadi_vec_push(&wadi_planning_stage_at(p, stage)->parts,
                       (wadi_planned_part){slot, input, number}))
        p->y.failed = true;
    return slot;
}

/* The number of stage `from` among the inputs of `stage`, which is added if it is none. */
static int add_input(wadi_planning *p, int stage, int from) {
    wadi_planned_stage *g = wadi_planning_stage_at(p, stage);
    for (size_t i = 0; i < g->inputs.n; i++)
        if (g->inputs.at[i] == from) return (int)i;
    if (!wadi_vec_push(&g->inputs, from)) p->y.failed = true;
    return (int)g->inputs.n - 1;
}

/* The value of component c if it is one array for the whole stream, else WADI_NONE. */
static wadi_val shared(const wadi_planning *p, wadi_val seq, int c) {
    const wadi_val v = p->y.components[seq][c];
    if (v == WADI_NONE || !wadi_planning_is_once(p, wadi_planning_resolved(p, v))) return WADI_NONE;
    return wadi_planning_resolved(p, v);
}

/* The components of `out` are those of its input `seq`. one_by_one: each element is one of the input's, so that an array that is
 * the same for the whole stream stays the same. */
static wadi_status pass_components(wadi_planning *p, wadi_val seq, wadi_val out, bool one_by_one) {
    const int stage = p->stream.stage_of[out];
    const int input = add_input(p, stage, p->stream.stage_of[seq]);
    for (int c = 0; c < wadi_planning_width(p, seq); c++) {
        if (one_by_one) p->y.components[out][c] = shared(p, seq, c);
        if (p->y.components[out][c] != WADI_NONE) continue;
        p->stream.part_of[out][c] =
            add_part(p, stage, input, wadi_planning_want(p, seq, c), p->m->values[out].name,
                     &p->m->values[out].type.array[c]);
    }
    return p->y.failed ? wadi_planning_no_memory(p) : WADI_OK;
}

/* The elements of an expansion are the slices of what the region yields. */
static wadi_status expand(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    const wadi_val out = b->results[0];
    const int input = add_input(p, stage, input_stage);
    wadi_planning_params(p, b, 0, 0);
    WADI_TRY(add_region(p, input_stage, b->blocks[0]));
    for (int c = 0; c < wadi_planning_width(p, out); c++) {
        const int number = wadi_planning_want_value(p, input_stage, b->blocks[0]->yields[c]);
        p->stream.part_of[out][c] = add_part(p, stage, input, number, p->m->values[out].name,
                                             &p->m->values[out].type.array[c]);
    }
    return p->y.failed ? wadi_planning_no_memory(p) : WADI_OK;
}

static wadi_status filter(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    wadi_planning_params(p, b, 0, 0);
    WADI_TRY(add_region(p, input_stage, b->blocks[0]));
    WADI_TRY(pass_components(p, b->args[0], b->results[0], true));
    wadi_planning_stage_at(p, stage)->plan.test =
        wadi_planning_want_value(p, input_stage, b->blocks[0]->yields[0]);
    return WADI_OK;
}

static wadi_status scan(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    const wadi_val out = b->results[0];
    (void)add_input(p, stage, input_stage);
    wadi_plan_fold fold = {0};
    WADI_TRY(wadi_planning_fold(p, b, &fold));
    wadi_planning_stage_at(p, stage)->plan.scan = fold;
    for (int c = 0; c < wadi_planning_width(p, out); c++)
        p->stream.part_of[out][c] =
            add_part(p, stage, 0, c, p->m->values[out].name, &p->m->values[out].type.array[c]);
    return p->y.failed ? wadi_planning_no_memory(p) : WADI_OK;
}

/* The key goes to the change as a filter's test does. */
static wadi_status scan_by_key(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    WADI_TRY(scan(p, b, stage, input_stage));
    const int key = wadi_planning_want(p, b->args[0], 0);
    wadi_planning_stage_at(p, stage)->plan.test = key;
    return WADI_OK;
}

/* The slot of argument `arg`, a number that the change needs: a size, or a limit. */
static int number(wadi_planning *p, const wadi_bind *b, int arg) {
    return wadi_planning_once(p, wadi_planning_resolved(p, b->args[arg]));
}

static wadi_status pick(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    const wadi_seq_pick pick = b->op->seq.pick;
    wadi_plan_stage *g = &wadi_planning_stage_at(p, stage)->plan;
    WADI_UNUSED(input_stage);
    if (!pick.first && !pick.step) {
        g->change = WADI_CHANGE_TAKE;
        g->size = number(p, b, pick.most);
    } else if (!pick.step && !pick.most) {
        g->change = WADI_CHANGE_DROP;
        g->size = number(p, b, pick.first);
    } else {
        if (pick.first) g->first = number(p, b, pick.first);
        if (pick.step) g->hop = number(p, b, pick.step);
        if (pick.most) g->size = number(p, b, pick.most);
    }
    return pass_components(p, b->args[0], b->results[0], true);
}

static wadi_status batch(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    WADI_UNUSED(input_stage);
    wadi_planning_stage_at(p, stage)->plan.size = number(p, b, 1);
    return pass_components(p, b->args[0], b->results[0], false);
}

static wadi_status windows(wadi_planning *p, const wadi_bind *b, int stage, int input_stage) {
    WADI_UNUSED(input_stage);
    wadi_planning_stage_at(p, stage)->plan.size = number(p, b, 1);
    wadi_planning_stage_at(p, stage)->plan.hop = number(p, b, 2);
    wadi_planning_stage_at(p, stage)->plan.last = (wadi_last_window)b->attrs[0];
    return pass_components(p, b->args[0], b->results[0], false);
}

/* By form, the operators that begin a stage: the change, and the function that fills in the stage. */
static const struct {
    wadi_change_kind change;
    wadi_status (*fill)(wadi_planning *p, const wadi_bind *b, int stage, int input_stage);
} changes[] = {
    [WADI_SEQ_PICK] = {WADI_CHANGE_PICK, pick},
    [WADI_SEQ_FILTER] = {WADI_CHANGE_FILTER, filter},
    [WADI_SEQ_EXPAND] = {WADI_CHANGE_EXPAND, expand},
    [WADI_SEQ_BATCH] = {WADI_CHANGE_BATCH, batch},
    [WADI_SEQ_WINDOWS] = {WADI_CHANGE_WINDOWS, windows},
    [WADI_SEQ_SCAN] = {WADI_CHANGE_SCAN, scan},
    [WADI_SEQ_SCAN_BY_KEY] = {WADI_CHANGE_KEYED, scan_by_key},
    [WADI_SEQ_FOLD_BY_KEY] = {WADI_CHANGE_KEYS, scan_by_key},
};

static bool counts_anew(wadi_seq_form form) {
    return form < sizeof changes / sizeof *changes && changes[form].fill;
}

static wadi_status change(wadi_planning *p, const wadi_bind *b) {
    const wadi_seq_form form = b->op->seq.form;
    WADI_TRY(wadi_planning_visit(p, b->args[0], -1));
    const int input_stage = p->stream.stage_of[b->args[0]];
    const int stage = wadi_planning_new_stage(p, changes[form].change, b);
    if (stage < 0) return wadi_planning_no_memory(p);
    WADI_TRY(wadi_planning_components(p, b->results[0], stage));
    return changes[form].fill(p, b, stage, input_stage);
}

/* ---- one element for each ---- */

/* Whether nobody else reads any sequence on the way from `seq` to its sources, and there are only map_seqs on it. */
static bool is_alone(const wadi_planning *p, wadi_val seq) {
    const wadi_bind *b = p->m->values[seq].bind;
    if (p->stream.readers[p->stream.first[seq]] != 1 || p->stream.stage_of[seq] >= 0) return false;
    if (b->op->seq.form != WADI_SEQ_MAP) return is_source(b);
    for (int a = 0; a < b->nargs; a++)
        if (!is_alone(p, b->args[a])) return false;
    return true;
}

static bool all_alone(const wadi_planning *p, const wadi_bind *b) {
    for (int a = 0; a < b->nargs; a++)
        if (!is_alone(p, b->args[a])) return false;
    return true;
}

static bool count_alike(const wadi_planning *p, const wadi_bind *b) {
    for (int a = 1; a < b->nargs; a++)
        if (p->stream.stage_of[b->args[a]] != p->stream.stage_of[b->args[0]]) return false;
    return true;
}

/* Makes `param`, a parameter in a zipping stage, component c of `seq`. */
static void zip_param(wadi_planning *p, int stage, int input, wadi_val param, wadi_val seq, int c) {
    const wadi_val v = shared(p, seq, c);
    p->y.alias_of[param] = v;
    if (v != WADI_NONE) return;
    const int slot = add_part(p, stage, input, wadi_planning_want(p, seq, c),
                              p->m->values[param].name, &p->m->values[param].type.array[0]);
    wadi_planning_param_at(p, param, slot);
    if (!wadi_vec_push(&wadi_planning_stage_at(p, stage)->params, param)) p->y.failed = true;
}

/* Makes the stage that zips the arguments of b; its parts are ordered by input. */
static int zip(wadi_planning *p, const wadi_bind *b) {
    const int stage = wadi_planning_new_stage(p, WADI_CHANGE_ZIP, b);
    if (stage < 0) return -1;
    for (int a = 0; a < b->nargs; a++) (void)add_input(p, stage, p->stream.stage_of[b->args[a]]);
    for (int i = 0; i < (int)wadi_planning_stage_at(p, stage)->inputs.n; i++) {
        const int from = wadi_planning_stage_at(p, stage)->inputs.at[i];
        for (int a = 0, first = 0; a < b->nargs; first += wadi_planning_width(p, b->args[a++]))
            for (int c = 0; c < wadi_planning_width(p, b->args[a]); c++)
                if (p->stream.stage_of[b->args[a]] == from)
                    zip_param(p, stage, i, b->blocks[0]->params[first + c], b->args[a], c);
    }
    return stage;
}

static wadi_status map(wadi_planning *p, const wadi_bind *b, int into) {
    if (into < 0 && b->nargs > 1 && all_alone(p, b)) {
        into = wadi_planning_new_stage(p, WADI_CHANGE_READ, b);
        if (into < 0) return wadi_planning_no_memory(p);
    }
    for (int a = 0; a < b->nargs; a++) WADI_TRY(wadi_planning_visit(p, b->args[a], into));
    int stage = p->stream.stage_of[b->args[0]];
    if (count_alike(p, b)) {
        for (int a = 0, first = 0; a < b->nargs; first += wadi_planning_width(p, b->args[a++]))
            wadi_planning_params(p, b, a, first);
    } else {
        stage = zip(p, b);
    }
    if (stage < 0 || p->y.failed) return wadi_planning_no_memory(p);
    WADI_TRY(add_region(p, stage, b->blocks[0]));
    return set_yields(p, b->results[0], stage, b->blocks[0]);
}

/* ---- any sequence ---- */

/* A second stream_in of the same name shares the stage of the first. */
static void share(wadi_planning *p, wadi_val seq, wadi_val first) {
    p->y.components[seq] = p->y.components[first];
    p->stream.part_of[seq] = p->stream.part_of[first];
    p->stream.stage_of[seq] = p->stream.stage_of[first];
}

wadi_status wadi_planning_visit(wadi_planning *p, wadi_val seq, int into) {
    const wadi_bind *b = p->m->values[seq].bind;
    const wadi_val first = p->stream.first[seq];
    if (p->stream.stage_of[seq] >= 0) return WADI_OK;
    if (first != seq) {
        WADI_TRY(wadi_planning_visit(p, first, into));
        share(p, seq, first);
        return WADI_OK;
    }
    if (counts_anew(b->op->seq.form)) return change(p, b);
    if (b->op->seq.form == WADI_SEQ_MAP) return map(p, b, into);
    if (is_source(b)) return source(p, b, into);
    return wadi_fail_at(p->y.err, b->loc, WADI_UNSUPPORTED,
                        "%s: not offered as the source of a stream", b->op->name);
}
