/* Sequence fusion: adjacent stages become one.
 *
 * Law: map_seq f . map_seq g = map_seq (f . g), and so for produce and for several sequences side by side (Coutts, Leshchinskiy,
 * Stewart 2007; Clifton-Everest et al. 2017, section 6.1). The composed body is the bindings of g followed by those of f,
 * with f's parameters replaced by what g yields, so that array fusion sees both. Also here: a stage that hands its elements
 * through unchanged is dropped, and a sequence zipped with itself is read once.
 *
 * A sequence that somebody else reads as well is not fused: its elements would be computed once for each reader.
 */
#include "codegen/pass.h"

#include <string.h>

#include "base/error.h"
#include "codegen/rewrite.h"

typedef struct fusing {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_subst subst;
    int *readers; /* [value] of sequences */
    bool failed;
} fusing;

static bool is(const wadi_bind *b, const char *op) {
    return strcmp(b->op->name, op) == 0;
}

static wadi_bind *stage_of(const fusing *s, wadi_val seq) {
    const wadi_value *v = &s->m->values[seq];
    if (v->def != WADI_DEF_BIND || v->bind->op->kind != WADI_OP_SEQUENCE) return NULL;
    return is(v->bind, "map_seq") || is(v->bind, "produce") ? v->bind : NULL;
}

static int arrays_of(const fusing *s, wadi_val seq) {
    return s->m->values[seq].type.arrays;
}

static void count_reader(void *env, const wadi_read *r) {
    fusing *s = env;
    if (s->m->values[*r->at].type.is_seq) s->readers[*r->at]++;
}

/* ---- new lists of arguments and parameters ---- */

typedef WADI_VEC(uint32_t) numbers;

static void put(fusing *s, numbers *list, uint32_t v) {
    if (!wadi_vec_push(list, v)) s->failed = true;
}

static uint32_t *kept(fusing *s, const numbers *list) {
    uint32_t *to = WADI_NEW_N(s->m->arena, uint32_t, list->n);
    if (!to)
        s->failed = true;
    else if (list->n > 0)
        memcpy(to, list->at, list->n * sizeof *to);
    return to;
}

static void set_params(fusing *s, wadi_block *b, const numbers *params) {
    b->params = kept(s, params);
    b->nparams = (int)params->n;
    for (int i = 0; !s->failed && i < b->nparams; i++) {
        s->m->values[b->params[i]].block = b;
        s->m->values[b->params[i]].number = i;
    }
}

static void set_args(fusing *s, wadi_bind *b, const numbers *args) {
    b->args = kept(s, args);
    b->nargs = (int)args->n;
}

/* ---- one sequence read twice by one stage ---- */

static int earlier_arg(const wadi_bind *b, int i) {
    for (int j = 0; j < i; j++)
        if (b->args[j] == b->args[i]) return j;
    return -1;
}

static int first_param(const fusing *s, const wadi_bind *b, int arg) {
    int p = 0;
    for (int i = 0; i < arg; i++) p += arrays_of(s, b->args[i]);
    return p;
}

static void read_once(fusing *s, wadi_bind *b) {
    wadi_block *body = b->blocks[0];
    numbers args = {0}, params = {0};
    for (int i = 0; i < b->nargs; i++) {
        const int same = earlier_arg(b, i);
        const wadi_val *own = body->params + first_param(s, b, i);
        for (int c = 0; c < arrays_of(s, b->args[i]); c++) {
            if (same < 0)
                put(s, &params, own[c]);
            else
                wadi_subst_put(&s->subst, own[c], body->params[first_param(s, b, same) + c]);
        }
        if (same < 0) put(s, &args, b->args[i]);
        if (same >= 0) s->readers[b->args[i]]--;
    }
    if (args.n < (size_t)b->nargs) {
        set_params(s, body, &params);
        set_args(s, b, &args);
    }
    wadi_vec_free(&args);
    wadi_vec_free(&params);
}

/* ---- composing bodies ---- */

/* Why the stage of argument `i` cannot become part of `b`; NULL: it can. */
static const char *obstacle(const fusing *s, const wadi_bind *b, int i) {
    const wadi_bind *from = stage_of(s, b->args[i]);
    if (s->readers[b->args[i]] > 1)
        return "several stages read it: fused, its elements would be computed once for each";
    if (is(from, "produce") && b->nargs > 1)
        return "it is zipped with another sequence, which may be shorter than it counts";
    return NULL;
}

static void tell(const fusing *s, wadi_note_kind kind, const wadi_bind *b, int i, const char *why) {
    const wadi_val reader = b->nresults > 0 ? b->results[0] : WADI_NONE;
    wadi_diag_note(s->cx->diag, kind, b->args[i], reader, "%s", why);
}

/* The bindings of `from`'s body, then those of `b`'s; parameters of argument `i` become what `from` yields. */
static void join_bodies(fusing *s, wadi_bind *b, int i, wadi_bind *from) {
    wadi_block *body = b->blocks[0], *inner = from->blocks[0];
    const int at = first_param(s, b, i), n = arrays_of(s, b->args[i]);
    numbers params = {0};
    for (int p = 0; p < at; p++) put(s, &params, body->params[p]);
    for (int p = 0; p < inner->nparams; p++) put(s, &params, inner->params[p]);
    for (int p = at + n; p < body->nparams; p++) put(s, &params, body->params[p]);
    wadi_subst_block(&s->subst, inner);
    for (int c = 0; c < n; c++) wadi_subst_put(&s->subst, body->params[at + c], inner->yields[c]);

    const int total = inner->nbinds + body->nbinds;
    wadi_bind **binds = WADI_NEW_N(s->m->arena, wadi_bind *, (size_t)total);
    if (!binds) s->failed = true;
    for (int k = 0; !s->failed && k < total; k++) {
        binds[k] = k < inner->nbinds ? inner->binds[k] : body->binds[k - inner->nbinds];
        wadi_bind_moved(binds[k], body);
    }
    body->binds = binds;
    body->nbinds = body->capacity = total;
    set_params(s, body, &params);
    wadi_vec_free(&params);
}

static void join_args(fusing *s, wadi_bind *b, int i, const wadi_bind *from) {
    numbers args = {0};
    for (int a = 0; a < b->nargs; a++) {
        for (int k = 0; a == i && k < from->nargs; k++) put(s, &args, from->args[k]);
        if (a != i) put(s, &args, b->args[a]);
    }
    set_args(s, b, &args);
    wadi_vec_free(&args);
}

/* The stage of argument `i` becomes part of `b`, which becomes a produce when that was one. */
static void fuse_arg(fusing *s, wadi_bind *b, int i, wadi_bind *from) {
    tell(s, WADI_NOTE_SEQ_FUSED, b, i, "adjacent stages: map_seq f . map_seq g = map_seq (f . g)");
    join_bodies(s, b, i, from);
    join_args(s, b, i, from);
    b->op = from->op; /* both map_seq, or produce takes over */
}

static void fuse_stage(fusing *s, wadi_bind *b) {
    read_once(s, b);
    for (int i = 0; i < b->nargs && !s->failed;) {
        wadi_bind *from = stage_of(s, b->args[i]);
        const char *why = from ? obstacle(s, b, i) : NULL;
        if (why) tell(s, WADI_NOTE_SEQ_KEPT, b, i, why);
        if (from && !why)
            fuse_arg(s, b, i, from); /* what took its place is looked at next */
        else
            i++;
        if (is(b, "produce")) break;
    }
}

/* ---- stages that change nothing ---- */

static bool hands_through(const fusing *s, const wadi_bind *b) {
    const wadi_block *body = b->blocks[0];
    if (b->nargs != 1 || body->nbinds > 0 || body->nyields != body->nparams) return false;
    for (int i = 0; i < body->nyields; i++)
        if (wadi_subst_get(&s->subst, body->yields[i]) != body->params[i]) return false;
    return true;
}

static void walk_block(fusing *s, wadi_block *block) {
    int left = 0;
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        wadi_bind *b = block->binds[i];
        wadi_subst_own(&s->subst, block, b);
        if (is(b, "map_seq") && hands_through(s, b)) {
            wadi_diag_note(s->cx->diag, WADI_NOTE_SEQ_FUSED, b->results[0], WADI_NONE,
                           "hands its elements through unchanged");
            s->readers[b->args[0]] += s->readers[b->results[0]] - 1;
            wadi_subst_put(&s->subst, b->results[0], b->args[0]);
            continue;
        }
        if (is(b, "map_seq")) fuse_stage(s, b);
        for (int k = 0; k < b->nblocks; k++) wadi_subst_block(&s->subst, b->blocks[k]);
        block->binds[left++] = b;
    }
    if (!s->failed) block->nbinds = left;
    wadi_subst_yields(&s->subst, block);
}

/* Stages that became part of another one have no reader left. */
static void drop_fused(fusing *s, wadi_block *block) {
    memset(s->readers, 0, s->m->nvalues * sizeof *s->readers);
    wadi_reads_block(block, count_reader, s);
    int left = 0;
    for (int i = 0; i < block->nbinds; i++) {
        wadi_bind *b = block->binds[i];
        const bool fused =
            b->nresults == 1 && stage_of(s, b->results[0]) && s->readers[b->results[0]] == 0;
        if (!fused) block->binds[left++] = b;
    }
    block->nbinds = left;
}

wadi_status wadi_pass_seqfuse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    fusing s = {.m = m, .cx = cx};
    s.readers = WADI_NEW_N(cx->scratch, int, m->nvalues);
    s.failed = !s.readers || !wadi_subst_init(&s.subst, cx->scratch, m);
    if (!s.failed) wadi_reads_block(m->main, count_reader, &s);
    if (!s.failed) walk_block(&s, m->main);
    if (!s.failed) drop_fused(&s, m->main);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "seqfuse: out of memory") : WADI_OK;
}
