/* The ends of a stream: sinks, collectors and folds. */
#include "base/error.h"
#include "codegen/plan/fold.h"
#include "codegen/plan/phases.h"

/* The kind of end (wadi_end_kind), or -1 if the operator does not end a stream. */
static int kind_of(const wadi_seq_rule *seq) {
    static const wadi_end_kind collected[] = {
        [WADI_COLLECT_VALUES] = WADI_END_ELEMENTS,
        [WADI_COLLECT_TABLE] = WADI_END_TABULATE,
        [WADI_COLLECT_LEAST_TABLE] = WADI_END_TABULATE_MIN,
        [WADI_COLLECT_SEGMENTS] = WADI_END_FROM_SEQ,
    };
    if (seq->form == WADI_SEQ_COLLECT) return (int)collected[seq->collect];
    if (seq->form == WADI_SEQ_FOLD) return WADI_END_FOLD;
    if (seq->form == WADI_SEQ_FOLD_CHUNK) return WADI_END_FOLD_BATCH;
    return seq->form == WADI_SEQ_DELIVER ? (int)WADI_END_SINK : -1;
}

static wadi_status find_kind(wadi_planning *p, const wadi_bind *b, wadi_end_kind *out) {
    const int kind = kind_of(&b->op->seq);
    if (kind < 0)
        return wadi_fail_at(p->y.err, b->loc, WADI_UNSUPPORTED,
                            "%s: not offered as the end of a stream", b->op->name);
    *out = (wadi_end_kind)kind;
    return WADI_OK;
}

/* Makes all components of the sequence inputs of the end. */
static wadi_status all_components(wadi_planning *p, wadi_val seq, wadi_plan_end *e) {
    int *from = wadi_planning_list(p, p->m->values[seq].type.arrays);
    if (!from) return wadi_planning_no_memory(p);
    e->nfrom = p->m->values[seq].type.arrays;
    for (int c = 0; c < e->nfrom; c++) from[c] = wadi_planning_want(p, seq, c);
    e->from = from;
    return WADI_OK;
}

static wadi_status set_results(wadi_planning *p, const wadi_bind *b, wadi_plan_end *e) {
    int *into = wadi_planning_list(p, b->nresults);
    if (!into) return wadi_planning_no_memory(p);
    e->ninto = b->nresults;
    for (int i = 0; i < b->nresults; i++) into[i] = wadi_planning_once(p, b->results[i]);
    e->into = into;
    return WADI_OK;
}

wadi_status wadi_planning_end(wadi_planning *p, const wadi_bind *b) {
    wadi_plan_end e = {.place = wadi_layout_place(&p->y, b->op->name, "", b->loc)};
    WADI_TRY(find_kind(p, b, &e.kind));
    WADI_TRY(wadi_planning_visit(p, b->args[0], -1));
    e.stage = p->stream.stage_of[b->args[0]];
    if (e.kind == WADI_END_FOLD)
        WADI_TRY(wadi_planning_fold(p, b, &e.fold));
    else if (e.kind == WADI_END_FOLD_BATCH)
        WADI_TRY(wadi_planning_fold_chunk(p, b, &e.fold));
    else
        WADI_TRY(all_components(p, b->args[0], &e));
    WADI_TRY(set_results(p, b, &e));
    if (e.kind == WADI_END_SINK) {
        e.unordered = b->op->seq.unordered;
        e.name = wadi_arena_strdup(p->plan->arena, b->name);
        if (!e.name) return wadi_planning_no_memory(p);
    }
    return wadi_vec_push(&p->stream.ends, e) ? WADI_OK : wadi_planning_no_memory(p);
}
