/* Sequence fusion: adjacent stages become one.
 *
 * Law: map_seq f . map_seq g = map_seq (f . g), and so for produce and for several sequences side by side (Coutts, Leshchinskiy,
 * Stewart 2007; Clifton-Everest et al. 2017, section 6.1). The composed body is the bindings of g followed by those of f, with
 * f's parameters replaced by what g yields, so that array fusion sees both. Two more rules: a stage that returns its elements
 * unchanged is dropped, and a sequence zipped with itself is read once.
 *
 * Several sequences that count from 0 become one that counts to the least end: zip_with_seq f (produce n g) (produce m h)
 * = produce (min n m) (i -> f (g i) (h i)).
 *
 * take_seq n (produce m f) = produce (min n m) f; take_seq n . map_seq f = map_seq f . take_seq n. The second holds for drop_seq
 * as well and for several sequences side by side. So elements that are left out are never computed, and the stages before and
 * after take_seq become adjacent.
 *
 * A sequence that somebody else reads as well is not fused: its elements would be computed once for each reader.
 */
#include "codegen/pass.h"

#include <string.h>

#include "base/error.h"
#include "codegen/rewrite.h"
#include "operators/table.h"

typedef WADI_VEC(wadi_bind *) bindings;

typedef struct fusing {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_subst subst;
    int *readers; /* [nvalues] readers of each sequence; values made by this pass have one reader */
    uint32_t nvalues;
    bool failed;
} fusing;

static bool has_form(const wadi_bind *b, wadi_seq_form form) {
    return b->op->seq.form == form;
}

static wadi_bind *stage_of(const fusing *s, wadi_val seq) {
    const wadi_value *v = &s->m->values[seq];
    if (v->def != WADI_DEF_BIND || v->bind->op->kind != WADI_OP_SEQUENCE) return NULL;
    return has_form(v->bind, WADI_SEQ_MAP) || has_form(v->bind, WADI_SEQ_COUNT) ? v->bind : NULL;
}

static int arrays_of(const fusing *s, wadi_val seq) {
    return s->m->values[seq].type.arrays;
}

static int readers_of(const fusing *s, wadi_val seq) {
    return seq < s->nvalues ? s->readers[seq] : 1;
}

static void add_readers(fusing *s, wadi_val seq, int n) {
    if (seq < s->nvalues) s->readers[seq] += n;
}

static void count_reader(void *env, const wadi_read *r) {
    fusing *s = env;
    if (s->m->values[*r->at].type.is_seq) add_readers(s, *r->at, 1);
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
        if (same >= 0) add_readers(s, b->args[i], -1);
    }
    if (args.n < (size_t)b->nargs) {
        set_params(s, body, &params);
        set_args(s, b, &args);
    }
    wadi_vec_free(&args);
    wadi_vec_free(&params);
}

/* ---- composing bodies ---- */

static bool counts(const fusing *s, const wadi_bind *b, int i) {
    const wadi_bind *from = stage_of(s, b->args[i]);
    return from && has_form(from, WADI_SEQ_COUNT) && readers_of(s, b->args[i]) == 1;
}

static bool all_count(const fusing *s, const wadi_bind *b) {
    for (int i = 0; i < b->nargs; i++)
        if (!counts(s, b, i)) return false;
    return true;
}

/* Why the stage of argument `i` cannot become part of `b`; NULL: it can. */
static const char *obstacle(const fusing *s, const wadi_bind *b, int i) {
    const wadi_bind *from = stage_of(s, b->args[i]);
    if (readers_of(s, b->args[i]) > 1)
        return "several stages read it: fused, its elements would be computed once for each";
    if (has_form(from, WADI_SEQ_COUNT) && !all_count(s, b))
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
        wadi_rewrite_moved(binds[k], body);
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

/* Makes the stage of argument `i` part of `b`. */
static void fuse_arg(fusing *s, wadi_bind *b, int i, wadi_bind *from) {
    tell(s, WADI_NOTE_SEQ_FUSED, b, i, "adjacent stages: map_seq f . map_seq g = map_seq (f . g)");
    join_bodies(s, b, i, from);
    join_args(s, b, i, from);
}

/* Makes the map stages that `b` reads part of `b`. The arguments of such a stage take its place among the arguments of `b`. They
 * are tried next, and may be arguments of `b` already. */
static void fuse_maps(fusing *s, wadi_bind *b) {
    read_once(s, b);
    for (int i = 0; i < b->nargs && !s->failed;) {
        wadi_bind *from = stage_of(s, b->args[i]);
        const bool fused = from && has_form(from, WADI_SEQ_MAP) && !obstacle(s, b, i);
        if (fused) {
            fuse_arg(s, b, i, from);
            read_once(s, b);
        }
        i = fused ? 0 : i + 1;
    }
}

/* ---- counting sequences side by side ---- */

/* unit { min (min (the n) (the m)) .. } */
static wadi_bind *least_of(fusing *s, int n, const wadi_val *number, wadi_loc loc) {
    wadi_module *m = s->m;
    wadi_bind *unit = wadi_bind_new(m, wadi_op_scalar(wadi_operators()), 0, 1, 0, 0);
    wadi_fun *f = wadi_fun_new(m);
    const wadi_type i64 = WADI_I64;
    wadi_sval least = WADI_NONE;
    for (int i = 0; unit && f && i < n; i++) {
        const wadi_value *v = &m->values[number[i]];
        const bool known = v->def == WADI_DEF_CONST;
        wadi_sinst *the = wadi_sinst_new(m, known ? WADI_SOP_CONST : WADI_SOP_THE, 0);
        wadi_sinst *min = i > 0 ? wadi_sinst_new(m, WADI_SOP_MIN, 2) : NULL;
        if (!the || (i > 0 && !min)) return NULL;
        if (known)
            the->imm = v->imm;
        else
            the->array = number[i];
        const wadi_sval x = wadi_sinst_results(m, f, the, 1, &i64);
        if (!wadi_sblock_append(m, f->body, the)) return NULL;
        if (min) {
            min->args[0] = least;
            min->args[1] = x;
            least = wadi_sinst_results(m, f, min, 1, &i64);
            if (!wadi_sblock_append(m, f->body, min)) return NULL;
        } else {
            least = x;
        }
    }
    if (!unit || !f || !wadi_sblock_yield(m, f->body, least)) return NULL;
    unit->funs[0] = f;
    unit->loc = loc;
    const wadi_val_type t = wadi_array_val_type(m, 0, wadi_elem_scalar(i64));
    return t.array && wadi_bind_result(m, unit, t) != WADI_NONE ? unit : NULL;
}

/* If all arguments of `b` count from 0, `b` becomes such a sequence itself, with one index for all bodies. */
static void fuse_counters(fusing *s, wadi_bind *b, bindings *out) {
    const wadi_op *produce = stage_of(s, b->args[0])->op;
    for (int i = 0; i < b->nargs && !s->failed; i++) fuse_arg(s, b, i, stage_of(s, b->args[i]));
    wadi_block *body = b->blocks[0];
    for (int p = 1; p < body->nparams; p++)
        wadi_subst_put(&s->subst, body->params[p], body->params[0]);
    bool same = true;
    for (int i = 1; i < b->nargs; i++) same = same && b->args[i] == b->args[0];
    if (!same) {
        wadi_bind *least = least_of(s, b->nargs, b->args, b->loc);
        if (!least || !wadi_vec_push(out, least))
            s->failed = true;
        else
            b->args[0] = least->results[0];
    }
    b->op = produce;
    b->nargs = body->nparams = 1;
}

static void fuse_stage(fusing *s, wadi_bind *b, bindings *out) {
    fuse_maps(s, b);
    for (int i = 0; i < b->nargs && !s->failed; i++) {
        const char *why = stage_of(s, b->args[i]) ? obstacle(s, b, i) : NULL;
        if (why) tell(s, WADI_NOTE_SEQ_KEPT, b, i, why);
    }
    if (!s->failed && all_count(s, b)) fuse_counters(s, b, out);
}

/* ---- stages that change nothing ---- */

static bool hands_through(const fusing *s, const wadi_bind *b) {
    const wadi_block *body = b->blocks[0];
    if (b->nargs != 1 || body->nbinds > 0 || body->nyields != body->nparams) return false;
    for (int i = 0; i < body->nyields; i++)
        if (wadi_subst_get(&s->subst, body->yields[i]) != body->params[i]) return false;
    return true;
}

/* ---- leaving elements out before they are computed ---- */

/* A binding like `b` of another sequence. */
static wadi_bind *cut_of(fusing *s, const wadi_bind *b, wadi_val seq) {
    wadi_bind *cut = wadi_bind_new(s->m, b->op, b->nargs, 0, 0, 0);
    const wadi_val_type *t = &s->m->values[seq].type;
    wadi_array_type *types = WADI_NEW_N(s->m->arena, wadi_array_type, (size_t)t->arrays);
    s->failed = s->failed || !cut || !types;
    if (s->failed) return NULL;
    for (int c = 0; c < t->arrays; c++)
        types[c] = (wadi_array_type){.rank = t->array[c].rank, .elem = t->array[c].elem};
    cut->args[0] = seq;
    for (int i = 1; i < b->nargs; i++) cut->args[i] = b->args[i];
    cut->loc = b->loc;
    s->failed = wadi_bind_result(s->m, cut, wadi_seq_val_type(s->m, t->arrays, types)) == WADI_NONE;
    return s->failed ? NULL : cut;
}

static void take_out(bindings *list, const wadi_bind *b) {
    size_t left = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] != b) list->at[left++] = list->at[i];
    list->n = left;
}

/* Whether `b` only limits the number of elements. */
static bool is_limit(const wadi_bind *b) {
    return !b->op->seq.pick.first && !b->op->seq.pick.step;
}

/* take_seq n (produce m f) = produce (min n m) f */
static wadi_val count_less(fusing *s, const wadi_bind *b, wadi_bind *produce, bindings *out) {
    const wadi_val counts_to[2] = {produce->args[0], b->args[b->op->seq.pick.most]};
    wadi_bind *least = least_of(s, 2, counts_to, b->loc);
    take_out(out, produce);
    if (!least || !wadi_vec_push(out, least) || !wadi_vec_push(out, produce))
        s->failed = true;
    else
        produce->args[0] = least->results[0];
    return produce->results[0];
}

/* Appends `b`, which picks elements, to the block. If it picks from a map stage, it picks from that stage's arguments instead,
 * and the stage comes after it. Returns the value that replaces the result of `b`. */
static wadi_val append_cut(fusing *s, wadi_bind *b, bindings *out) {
    wadi_bind *map = stage_of(s, b->args[0]);
    if (map && has_form(map, WADI_SEQ_COUNT) && is_limit(b) && readers_of(s, b->args[0]) == 1)
        return count_less(s, b, map, out);
    if (!map || !has_form(map, WADI_SEQ_MAP) || readers_of(s, b->args[0]) != 1) {
        if (!wadi_vec_push(out, b)) s->failed = true;
        return b->results[0];
    }
    wadi_diag_note(s->cx->diag, WADI_NOTE_SEQ_FUSED, map->results[0], WADI_NONE,
                   "what %s leaves out is not computed", b->op->name);
    take_out(out, map);
    for (int i = 0; i < map->nargs && !s->failed; i++) {
        wadi_bind *cut = cut_of(s, b, map->args[i]);
        if (cut) map->args[i] = append_cut(s, cut, out);
    }
    if (!wadi_vec_push(out, map)) s->failed = true;
    return map->results[0];
}

/* ---- the walk ---- */

static void hand_through(fusing *s, const wadi_bind *b) {
    wadi_diag_note(s->cx->diag, WADI_NOTE_SEQ_FUSED, b->results[0], WADI_NONE,
                   "hands its elements through unchanged");
    add_readers(s, b->args[0], readers_of(s, b->results[0]) - 1);
    wadi_subst_put(&s->subst, b->results[0], b->args[0]);
}

static void walk_cut(fusing *s, wadi_bind *b, bindings *out) {
    const wadi_val v = b->results[0], now = append_cut(s, b, out);
    if (now == v) return;
    if (now < s->nvalues) s->readers[now] = readers_of(s, v);
    wadi_subst_put(&s->subst, v, now);
}

static void walk_block(fusing *s, wadi_block *block) {
    bindings out = {0};
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        wadi_bind *b = block->binds[i];
        wadi_subst_own(&s->subst, block, b);
        if (has_form(b, WADI_SEQ_PICK)) {
            walk_cut(s, b, &out);
        } else if (has_form(b, WADI_SEQ_MAP) && hands_through(s, b)) {
            hand_through(s, b);
        } else {
            if (has_form(b, WADI_SEQ_MAP)) fuse_stage(s, b, &out);
            for (int k = 0; k < b->nblocks; k++) walk_block(s, b->blocks[k]);
            if (!wadi_vec_push(&out, b)) s->failed = true;
        }
    }
    if (!s->failed && !wadi_rewrite_set_block(s->m, block, (int)out.n, out.at)) s->failed = true;
    wadi_vec_free(&out);
    wadi_subst_yields(&s->subst, block);
}

/* Drops stages that have become part of another one: they have no reader left. The sequences that they read may then have none
 * either. The walk goes backwards, so all readers of a stage are counted before it is visited. */
static void drop_fused(fusing *s, wadi_block *block) {
    int left = block->nbinds;
    for (int i = block->nbinds; i-- > 0;) {
        wadi_bind *b = block->binds[i];
        const bool fused =
            b->nresults == 1 && stage_of(s, b->results[0]) && readers_of(s, b->results[0]) == 0;
        if (fused) continue;
        for (int k = b->nblocks; k-- > 0;) drop_fused(s, b->blocks[k]);
        wadi_reads_own(block, b, count_reader, s);
        block->binds[--left] = b;
    }
    block->nbinds -= left;
    memmove(block->binds, block->binds + left, (size_t)block->nbinds * sizeof(block->binds[0]));
}

wadi_status wadi_pass_seqfuse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    fusing s = {.m = m, .cx = cx, .nvalues = m->nvalues};
    s.readers = WADI_NEW_N(cx->scratch, int, m->nvalues);
    s.failed = !s.readers || !wadi_subst_init(&s.subst, cx->scratch, m);
    if (!s.failed) wadi_reads_block(m->main, count_reader, &s);
    if (!s.failed) walk_block(&s, m->main);
    if (!s.failed) {
        memset(s.readers, 0, s.nvalues * sizeof *s.readers);
        drop_fused(&s, m->main);
    }
    return s.failed ? wadi_fail(err, WADI_MEMORY, "seqfuse: out of memory") : WADI_OK;
}
