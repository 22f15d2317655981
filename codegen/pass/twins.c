/* Stages that read one sequence become one body, so that what both read of an element can be read once.
 *
 * Law: (map_seq f s, map_seq g s) = (map_seq fst t, map_seq snd t) with t = map_seq (\x -> (f x, g x)) s. The plan has one body for both
 * anyway (codegen/plan/visit.c), and hands components through for nothing. With one block, the passes behind this one see consumers of one
 * element beside each other, whichever stage they belong to: equal computations become one, and folds, maps and scans are siblings.
 *
 * Two stages are twins if they have one argument, the same, of which both read an array, and if all else that the second reads is there before
 * the first one. Bodies run in the order in which sinks and ends ask for their results, which decides the fault that is told. So one body
 * follows another only if it did, or cannot fault. In a program that goes through a stream and uses the result in another way through it, no stages are joined: they would be
 * computed as often as either is needed. */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/vec.h"
#include "codegen/harmless.h"
#include "codegen/rewrite.h"

enum { NOT_HERE = -1, MOST = 16 /* stages that become one */ };

typedef WADI_VEC(wadi_bind *) bindings;

typedef struct joining {
    wadi_module *m;
    wadi_pass_cx *cx;
    int *at;       /* [value] the binding of the main block that makes it, or NOT_HERE */
    bool *ended;   /* [value] computed from what a whole sequence gives */
    bool *is_read; /* [value] as an array, by the stages at hand */
    int *
        turn; /* [value] a sequence's, in the order in which they are asked for, from 1; 0: nobody does */
    int turns;
    uint32_t known;
    bool failed;
} joining;

/* ---- ways through streams ---- */

typedef struct asking {
    const joining *s;
    bool ended; /* something that is read comes from the end of a sequence */
} asking;

static void ask(void *env, const wadi_read *r) {
    asking *a = env;
    a->ended = a->ended || a->s->ended[*r->at];
}

/* Whether some sequence needs what the end of another gives. */
static bool goes_twice(joining *s) {
    const wadi_block *main = s->m->main;
    for (int i = 0; i < main->nbinds; i++) {
        wadi_bind *b = main->binds[i];
        const bool streams = b->op->kind == WADI_OP_SEQUENCE;
        asking a = {s, false};
        wadi_reads_deep(s->m->main, b, ask, &a);
        if (streams && a.ended) return true;
        for (int r = 0; r < b->nresults; r++)
            s->ended[b->results[r]] =
                a.ended || (streams && !s->m->values[b->results[r]].type.is_seq);
    }
    return false;
}

/* ---- the order of bodies ---- */

static void take_turn(joining *s, wadi_val seq) {
    const wadi_value *v = &s->m->values[seq];
    if (!v->type.is_seq || v->def != WADI_DEF_BIND || s->turn[seq] > 0) return;
    for (int i = 0; i < v->bind->nargs; i++) take_turn(s, v->bind->args[i]);
    s->turn[seq] = ++s->turns;
}

/* What takes a sequence and gives none asks for it. */
static void take_turns(joining *s) {
    const wadi_block *main = s->m->main;
    for (int i = 0; i < main->nbinds; i++) {
        const wadi_bind *b = main->binds[i];
        if (b->nresults > 0 && s->m->values[b->results[0]].type.is_seq) continue;
        for (int a = 0; a < b->nargs; a++) take_turn(s, b->args[a]);
    }
}

static int turn_of(const joining *s, const wadi_bind *stage) {
    return s->turn[stage->results[0]];
}

static bool cannot_fault(const joining *s, const wadi_bind *stage) {
    const wadi_block *r = stage->blocks[0];
    for (int i = 0; i < r->nbinds; i++)
        if (!r->binds[i]->op->faultless || r->binds[i]->nblocks > 0 ||
            !wadi_is_harmless(s->cx->shapes, r->binds[i]))
            return false;
    return true;
}

/* Puts the stages into their order. Returns how many of them, from the first, become one: the others are left out. */
static int in_order(const joining *s, int n, wadi_bind **stage) {
    int kept = 1;
    for (int i = 1; i < n; i++) {
        wadi_bind *b = stage[i];
        int k = i;
        for (; k > 0 && turn_of(s, stage[k - 1]) > turn_of(s, b); k--) stage[k] = stage[k - 1];
        stage[k] = b;
    }
    for (int i = 1, last = turn_of(s, stage[0]); i < n; i++) {
        const bool next = turn_of(s, stage[i]) == last + 1;
        if (next) last++;
        if (next || cannot_fault(s, stage[i])) stage[kept++] = stage[i];
    }
    return kept;
}

/* ---- twins ---- */

static bool is_stage(const wadi_bind *b) {
    return b->op->kind == WADI_OP_SEQUENCE && b->op->seq.form == WADI_SEQ_MAP && b->nargs == 1 &&
           b->nblocks == 1 && b->nresults == 1;
}

typedef struct reading {
    const joining *s;
    wadi_val seq;
    int last; /* binding of the main block that is read from, but for the sequence */
} reading;

static void note_last(void *env, const wadi_read *r) {
    reading *w = env;
    const wadi_val v = *r->at;
    if (v != w->seq && w->s->at[v] > w->last) w->last = w->s->at[v];
}

static void note_array(void *env, const wadi_read *r) {
    if (r->kind != WADI_READ_YIELD && r->kind != WADI_READ_EXTENT) ((bool *)env)[*r->at] = true;
}

static void note_params(const joining *s, wadi_block *region) {
    for (int k = 0; k < region->nparams; k++) s->is_read[region->params[k]] = false;
    wadi_reads_block(region, note_array, s->is_read);
}

static bool share_an_array(const joining *s, wadi_bind *a, wadi_bind *b) {
    wadi_block *x = a->blocks[0], *y = b->blocks[0];
    note_params(s, x);
    note_params(s, y);
    for (int p = 0; p < x->nparams; p++)
        if (s->is_read[x->params[p]] && s->is_read[y->params[p]] &&
            s->m->values[x->params[p]].type.array[0].rank > 0)
            return true;
    return false;
}

static bool are_twins(const joining *s, wadi_bind *a, int at, wadi_bind *b) {
    if (!is_stage(b) || b->op != a->op || b->args[0] != a->args[0]) return false;
    reading w = {s, b->args[0], NOT_HERE};
    wadi_reads_deep(s->m->main, b, note_last, &w);
    return w.last < at && turn_of(s, a) > 0 && turn_of(s, b) > 0 && share_an_array(s, a, b);
}

/* ---- one body ---- */

/* Moves the body of `b` behind that of `into`. */
static bool take_body(joining *s, wadi_block *into, wadi_bind *b) {
    wadi_subst subst;
    wadi_block *from = b->blocks[0];
    if (!wadi_subst_init(&subst, s->cx->scratch, s->m)) return false;
    for (int p = 0; p < from->nparams; p++)
        wadi_subst_put(&subst, from->params[p], into->params[p]);
    wadi_subst_block(&subst, from);
    for (int i = 0; i < from->nbinds; i++) {
        wadi_rewrite_moved(from->binds[i], into);
        if (!wadi_block_append(s->m, into, from->binds[i])) return false;
    }
    for (int y = 0; y < from->nyields; y++)
        if (!wadi_block_yield(s->m, into, from->yields[y])) return false;
    return true;
}

/* Makes `b` the stage that picks n components of `seq` from `first` on. */
static bool pick(const joining *s, wadi_bind *b, wadi_val seq, int first, int n) {
    const wadi_val_type *t = &s->m->values[seq].type;
    wadi_block *r = wadi_block_new(s->m, s->m->main);
    for (int c = 0; r && c < t->arrays; c++) {
        const wadi_val_type of = wadi_array_val_type(s->m, t->array[c].rank, t->array[c].elem);
        if (!of.array || wadi_block_param(s->m, r, of) == WADI_NONE) return false;
    }
    for (int c = first; r && c < first + n; c++)
        if (!wadi_block_yield(s->m, r, r->params[c])) return false;
    b->blocks[0] = r;
    b->args[0] = seq;
    return r != NULL;
}

static const char *name_of(const joining *s, const wadi_bind *a, const wadi_bind *b) {
    const char *x = s->m->values[a->results[0]].name, *y = s->m->values[b->results[0]].name;
    return x && y ? wadi_arena_printf(s->m->arena, "%s_%s", x, y) : NULL;
}

static wadi_val result_of(const joining *s, const char *name, wadi_bind *all) {
    const wadi_block *r = all->blocks[0];
    wadi_array_type *types = WADI_NEW_N(s->m->arena, wadi_array_type, (size_t)r->nyields + 1);
    for (int y = 0; types && y < r->nyields; y++)
        types[y] = (wadi_array_type){.rank = s->m->values[r->yields[y]].type.array[0].rank,
                                     .elem = s->m->values[r->yields[y]].type.array[0].elem};
    if (!types) return WADI_NONE;
    const wadi_val_type t = wadi_seq_val_type(s->m, r->nyields, types);
    const wadi_val v = t.array ? wadi_bind_result(s->m, all, t) : WADI_NONE;
    if (v != WADI_NONE) s->m->values[v].name = name;
    return v;
}

/* A stage with the bodies of all, in front of the first; NULL: out of memory. */
static wadi_bind *join(joining *s, int n, wadi_bind *const *stage) {
    wadi_bind *all = wadi_bind_new(s->m, stage[0]->op, 1, 0, 1, 0);
    int width[MOST];
    if (!all) return NULL;
    all->args[0] = stage[0]->args[0];
    all->blocks[0] = stage[0]->blocks[0];
    all->loc = stage[0]->loc;
    for (int k = 0; k < n; k++) width[k] = stage[k]->blocks[0]->nyields;
    for (int k = 1; k < n; k++)
        if (!take_body(s, all->blocks[0], stage[k])) return NULL;
    const wadi_val seq = result_of(s, name_of(s, stage[0], stage[n - 1]), all);
    if (seq == WADI_NONE) return NULL;
    for (int k = 0, first = 0; k < n; first += width[k++]) {
        if (!pick(s, stage[k], seq, first, width[k])) return NULL;
        if (k > 0)
            wadi_diag_note(s->cx->diag, WADI_NOTE_SEQ_FUSED, stage[k]->results[0],
                           stage[0]->results[0], "both read an array of one sequence: one body");
    }
    return all;
}

/* Writes the stage of each set of twins in front of the first of them. */
static void walk(joining *s, wadi_block *main, bindings *out) {
    for (int i = 0; i < main->nbinds && !s->failed; i++) {
        wadi_bind *b = main->binds[i], *stage[MOST] = {b};
        int n = 1;
        const bool first =
            is_stage(b) && b->args[0] < s->known; /* one that picks is done already */
        for (int k = i + 1; first && k < main->nbinds && n < MOST; k++)
            if (are_twins(s, b, i, main->binds[k])) stage[n++] = main->binds[k];
        if (n > 1) n = in_order(s, n, stage);
        wadi_bind *all = n > 1 ? join(s, n, stage) : NULL;
        s->failed = (n > 1 && !all) || (all && !wadi_vec_push(out, all)) || !wadi_vec_push(out, b);
    }
}

wadi_status wadi_pass_twins(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    const size_t n = (size_t)m->nvalues + 1;
    joining s = {.m = m,
                 .cx = cx,
                 .at = WADI_NEW_N(cx->scratch, int, n),
                 .ended = WADI_NEW_N(cx->scratch, bool, n),
                 .is_read = WADI_NEW_N(cx->scratch, bool, n),
                 .turn = WADI_NEW_N(cx->scratch, int, n),
                 .known = m->nvalues};
    bindings out = {0};
    if (!s.at || !s.ended || !s.is_read || !s.turn)
        return wadi_fail(err, WADI_MEMORY, "twins: out of memory");
    if (goes_twice(&s)) return WADI_OK;
    for (uint32_t v = 0; v < m->nvalues; v++) s.at[v] = NOT_HERE;
    for (int i = 0; i < m->main->nbinds; i++)
        for (int r = 0; r < m->main->binds[i]->nresults; r++)
            s.at[m->main->binds[i]->results[r]] = i;
    take_turns(&s);
    walk(&s, m->main, &out);
    if (!s.failed && (int)out.n > m->main->nbinds)
        s.failed = !wadi_rewrite_set_block(m, m->main, (int)out.n, out.at);
    wadi_vec_free(&out);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "twins: out of memory") : WADI_OK;
}
