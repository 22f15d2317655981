/* An array takes memory from the pass that computes it to the last pass that reads it (sched/steps/last_uses.c). To the end stay results, what a
 * stream, a branch or a loop reads or gives, and single values. The greatest sum over all passes may depend on extents; then all sums
 * that no other one exceeds are told, or, if they are too many, the sum of all arrays, which none exceeds. */
#include "codegen/cost_peak.h"

#include "codegen/amounts.h"
#include "codegen/rewrite.h"

typedef struct peaks {
    const wadi_named *x;
    wadi_block *main;
    int *made, *last; /* [value] position in the block; made -1: it takes no memory */
    wadi_val *of;     /* [value] the array in whose memory it is */
    int at;           /* the position that reads now */
} peaks;

enum { SUMS = 4 };

/* ---- lives ---- */

static void see(void *env, const wadi_read *r) {
    peaks *p = env;
    const wadi_val v = *r->at;
    if (r->kind == WADI_READ_EXTENT) return;
    if (wadi_amount_is_delayed(p->x, v)) {
        wadi_reads_own(r->block, p->x->m->values[v].bind, see, p);
    } else if (p->last[p->of[v]] < p->at) {
        p->last[p->of[v]] = p->at;
    }
}

/* Where the pass of binding i is: siblings are where the first of them is. */
static int position(const peaks *p, int i) {
    const int number = p->x->m->values[p->main->binds[i]->results[0]].siblings;
    for (int k = 0; number > 0 && k < i; k++) {
        const wadi_bind *b = p->main->binds[k];
        if (wadi_amount_has_pass(p->x, b) && p->x->m->values[b->results[0]].siblings == number)
            return k;
    }
    return i;
}

static void make(peaks *p, const wadi_bind *b, int at, bool stays) {
    for (int r = 0; r < b->nresults; r++) {
        const wadi_val v = b->results[r];
        const wadi_val_type *t = &p->x->m->values[v].type;
        if (t->is_seq || wadi_amount_is_delayed(p->x, v)) continue;
        p->made[v] = p->last[p->of[v]] = at;
        if (stays || t->array[0].rank == 0) p->last[v] = p->main->nbinds;
    }
}

static void follow(peaks *p, int i) {
    wadi_bind *b = p->main->binds[i];
    const bool passes = wadi_amount_has_pass(p->x, b) || b->op->routine;
    if (b->nresults > 0 && wadi_amount_is_delayed(p->x, b->results[0])) return;
    if (wadi_amount_is_given(b) || (b->nresults > 0 && b->op->scalar)) return;
    p->at = passes ? position(p, i) : p->main->nbinds;
    make(p, b, passes ? p->at : i, !passes);
    if (passes)
        wadi_reads_own(p->main, b, see, p);
    else
        wadi_reads_deep(p->main, b, see, p);
}

static void follow_all(peaks *p) {
    for (int i = 0; i < p->main->nbinds; i++) follow(p, i);
    p->at = p->main->nbinds;
    for (int i = 0; i < p->main->nyields; i++)
        see(p,
            &(wadi_read){
                .kind = WADI_READ_YIELD, .block = p->main, .number = i, .at = &p->main->yields[i]});
}

/* ---- sums ---- */

typedef struct sums {
    int n;
    bool too_many;
    wadi_ext of[SUMS];
    wadi_val in[SUMS]; /* what is computed then */
} sums;

static wadi_ext sum_at(const peaks *p, int at) {
    wadi_ext sum = wadi_amount_zero(p->x);
    for (wadi_val v = 0; v < p->x->m->nvalues; v++)
        if (p->of[v] == v && p->made[v] >= 0 && p->made[v] <= at && at <= p->last[v])
            sum = wadi_amount_add(p->x, sum, v);
    return sum;
}

/* Whether a is at least b, whatever the extents. */
static bool covers(const wadi_named *x, wadi_ext a, wadi_ext b) {
    int64_t m = 0, n = 0;
    if (wadi_named_number(x, a, &m) && wadi_named_number(x, b, &n)) return m >= n;
    const wadi_ext_node *d =
        wadi_ext_get(x->shapes->extents, wadi_ext_sub(x->shapes->extents, a, b));
    if (d->kind == WADI_EXT_CONST) return d->value >= 0;
    if (d->kind != WADI_EXT_SUM) return true; /* an extent */
    bool fine = d->value >= 0;
    for (int i = 0; i < d->n; i++) fine = fine && d->coef[i] >= 0;
    return fine;
}

static void add(const wadi_named *x, sums *s, wadi_ext e, wadi_val in) {
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (covers(x, s->of[i], e)) return;
    for (int i = 0; i < s->n; i++) {
        if (covers(x, e, s->of[i])) continue;
        s->of[n] = s->of[i];
        s->in[n++] = s->in[i];
    }
    s->n = n;
    s->too_many = s->too_many || s->n == SUMS;
    if (s->too_many) return;
    s->of[s->n] = e;
    s->in[s->n++] = in;
}

static wadi_ext sum_of_all(const peaks *p) {
    wadi_ext sum = wadi_amount_zero(p->x);
    for (wadi_val v = 0; v < p->x->m->nvalues; v++)
        if (p->of[v] == v && p->made[v] >= 0) sum = wadi_amount_add(p->x, sum, v);
    return sum;
}

/* False: something is not known. */
static bool add_all(const peaks *p, sums *s) {
    for (int i = 0; i < p->main->nbinds; i++) {
        const wadi_bind *b = p->main->binds[i];
        if (b->nresults == 0 || p->made[b->results[0]] != i) continue;
        const wadi_ext e = sum_at(p, i);
        if (e == WADI_EXT_NONE) return false;
        add(p->x, s, e, b->results[0]);
    }
    return true;
}

static void print(const wadi_named *x, const sums *s, wadi_ext all) {
    if (s->too_many) {
        wadi_amount_print(x, all, "bytes at a time, as any pass may need most; ");
        return;
    }
    for (int i = 0; i < s->n; i++) {
        if (i > 0) wadi_text_add(x->out, " or ");
        wadi_amount_print(x, s->of[i], "bytes at a time, in computing ");
        wadi_named_value(x, s->in[i]);
    }
    if (s->n == 0) wadi_text_add(x->out, "0 bytes at a time");
    wadi_text_add(x->out, "; ");
}

/* The first of the arrays that share the memory of v. */
static wadi_val memory_of(const wadi_diag *d, wadi_val v) {
    const wadi_note *n = wadi_diag_find(d, WADI_NOTE_PLACED, v);
    for (; n; n = wadi_diag_find(d, WADI_NOTE_PLACED, v)) v = n->reader;
    return v;
}

void wadi_cost_peak_explain(const wadi_named *x, const wadi_diag *d, wadi_block *main,
                            wadi_arena *scratch) {
    const uint32_t n = x->m->nvalues;
    peaks p = {.x = x,
               .main = main,
               .made = WADI_NEW_N(scratch, int, (size_t)n + 1),
               .last = WADI_NEW_N(scratch, int, (size_t)n + 1),
               .of = WADI_NEW_N(scratch, wadi_val, (size_t)n + 1)};
    sums s = {.n = 0};
    if (!p.made || !p.last || !p.of) {
        x->out->failed = true;
        return;
    }
    for (wadi_val v = 0; v < n; v++) {
        p.made[v] = p.last[v] = -1;
        p.of[v] = memory_of(d, v);
    }
    follow_all(&p);
    if (add_all(&p, &s))
        print(x, &s, sum_of_all(&p));
    else
        wadi_text_add(x->out, "? bytes at a time; ");
    wadi_amount_print(x, sum_of_all(&p), "bytes stored in all");
}
