/* A loop that places stores elements t of lane arrays, and counts them by another lane array. One that takes loads elements from memory into a lane array. */
#include "codegen/emit/c/placing.h"

typedef struct placing {
    const wadi_c_writer *w;
    const wadi_linst *loop;
    wadi_lv var, keep; /* where the next one goes; the lane array that says which are kept */
    wadi_lv limit;     /* places from this one on are not stored to; NONE: there are enough */
    int n;
    const wadi_linst *store[WADI_MAX_FIELDS];
} placing;

static const wadi_linst *maker(const placing *p, wadi_lv v) {
    return wadi_c_inst(p->w, wadi_c_strip(p->w->f, v));
}

static bool is_op(const wadi_linst *i, wadi_sop op) {
    return i->kind == WADI_L_PRIM && i->op == op;
}

/* Whether the value is that of the variable in this round. */
static bool is_next(const placing *p, wadi_lv v) {
    const wadi_linst *i = maker(p, v);
    return i->kind == WADI_L_GET && i->args[0] == p->var;
}

/* What is added to the next place; false: the place is another one. *out is NONE if it is the next one itself. */
static bool is_behind(const placing *p, wadi_lv at, wadi_lv *out) {
    const wadi_linst *i = maker(p, at);
    *out = WADI_LV_NONE;
    if (is_next(p, at)) return true;
    if (!is_op(i, WADI_SOP_ADD) || !is_next(p, i->args[0])) return false;
    *out = i->args[1];
    return maker(p, i->args[1])->kind == WADI_L_CONST;
}

/* Element t of a lane array. */
static bool is_of_round(const placing *p, const wadi_linst *i) {
    return i->kind == WADI_L_LANE && wadi_c_strip(p->w->f, i->args[1]) == p->loop->var;
}

static bool add_store(placing *p, const wadi_linst *store) {
    const wadi_linst *x = maker(p, store->args[2]);
    wadi_lv more;
    if (store->atomic || p->n == WADI_MAX_FIELDS || !is_of_round(p, x) ||
        !is_behind(p, store->args[1], &more) || wadi_c_inst(p->w, store->args[0])->type != x->type)
        return false;
    p->store[p->n++] = store;
    return true;
}

/* var = var + whether it is kept */
static bool add_count(placing *p, const wadi_linst *set) {
    const wadi_linst *sum = maker(p, set->args[1]);
    if (set->args[0] != p->var || !is_op(sum, WADI_SOP_ADD) || !is_next(p, sum->args[0]))
        return false;
    const wadi_linst *one = maker(p, sum->args[1]);
    const wadi_linst *keep = is_op(one, WADI_SOP_CONVERT) ? maker(p, one->args[0]) : one;
    p->keep = keep->args[0];
    return is_of_round(p, keep) && keep->type == WADI_U8;
}

/* if (var < limit) followed by nothing but stores; the limit is from outside of the loop */
static bool add_limited(placing *p, const wadi_linst *branch) {
    const wadi_linst *c = maker(p, branch->args[0]);
    if (branch->block[1] != NULL || p->n > 0 || !is_op(c, WADI_SOP_LT) || !is_next(p, c->args[0]))
        return false;
    p->limit = wadi_c_strip(p->w->f, c->args[1]);
    const wadi_linst *limit = wadi_c_inst(p->w, p->limit);
    const wadi_lscope *s = branch->block[0];
    if (limit->kind != WADI_L_CONST &&
        wadi_l_merged(limit->scope) == wadi_l_merged(p->loop->block[0]))
        return false;
    for (int k = 0; k < s->n; k++)
        if (s->inst[k]->kind == WADI_L_STORE ? !add_store(p, s->inst[k])
                                             : s->inst[k]->kind != WADI_L_LANE)
            return false;
    return p->n > 0;
}

static bool add(placing *p, const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_GET:
        if (p->var == WADI_LV_NONE) p->var = i->args[0];
        return i->args[0] == p->var;
    case WADI_L_STORE:
        return p->limit == WADI_LV_NONE && add_store(p, i);
    case WADI_L_IF:
        return add_limited(p, i);
    case WADI_L_SET:
        return p->keep == WADI_LV_NONE && add_count(p, i);
    default:
        return i->kind == WADI_L_LANE || i->kind == WADI_L_PRIM || i->kind == WADI_L_RANGE;
    }
}

static bool is_number(const placing *p, wadi_lv v, uint64_t number) {
    const wadi_linst *i = wadi_c_inst(p->w, v);
    return i->kind == WADI_L_CONST && i->imm.bits == number;
}

static bool find(placing *p) {
    const wadi_lscope *s = p->loop->block[0];
    if (!is_number(p, p->loop->args[0], 0) || !is_number(p, p->loop->args[2], 1)) return false;
    for (int k = 0; k < s->n; k++)
        if (!add(p, s->inst[k])) return false;
    return p->n > 0 && p->keep != WADI_LV_NONE;
}

/* The call for one of the stores. */
static void call(wadi_c_writer *w, const placing *p, const wadi_linst *store) {
    const char *next = w->names.at[p->var].name;
    wadi_lv more;
    (void)is_behind(p, store->args[1], &more);
    wadi_text_addf(w->out, p->loop->brief ? "wadi_place_front_%d(" : "wadi_place_%d(",
                   wadi_type_size(maker(p, store->args[2])->type));
    wadi_c_operand(w, store->args[0]);
    wadi_text_addf(w->out, more != WADI_LV_NONE ? " + (%s + " : " + %s", next);
    if (more != WADI_LV_NONE) {
        wadi_c_operand(w, more);
        wadi_text_add(w->out, ")");
    }
    wadi_text_addf(w->out, ", %s, %s, ", w->names.at[maker(p, store->args[2])->args[0]].name,
                   w->names.at[p->keep].name);
    wadi_c_operand(w, p->loop->args[1]);
    if (p->loop->brief) {
        wadi_text_add(w->out, ");\n");
        return;
    }
    wadi_text_add(w->out, ", ");
    wadi_c_operand(w, p->limit != WADI_LV_NONE ? p->limit : p->loop->args[1]);
    wadi_text_addf(w->out, p->limit != WADI_LV_NONE ? " - %s);\n" : ");\n", next);
}

/* lanes[t] = pointer[t] and nothing else: the instruction that does it; NULL: it is something else. */
static const wadi_linst *find_put(const placing *p) {
    const wadi_lscope *s = p->loop->block[0];
    const wadi_linst *put = NULL;
    if (!p->loop->brief || !is_number(p, p->loop->args[0], 0)) return NULL;
    for (int k = 0; k < s->n; k++) {
        if (s->inst[k]->kind == WADI_L_LOAD) continue;
        if (s->inst[k]->kind != WADI_L_PUT || put != NULL) return NULL;
        put = s->inst[k];
    }
    const wadi_linst *load = put ? maker(p, put->args[2]) : NULL;
    const bool is = load && load->kind == WADI_L_LOAD &&
                    wadi_c_strip(p->w->f, put->args[1]) == p->loop->var &&
                    wadi_c_strip(p->w->f, load->args[1]) == p->loop->var;
    return is ? put : NULL;
}

static bool take(wadi_c_writer *w, const placing *p) {
    const wadi_linst *put = find_put(p);
    if (!put) return false;
    const wadi_linst *load = maker(p, put->args[2]);
    wadi_text_addf(w->out, "wadi_take_%d(%s, ", wadi_type_size(load->type),
                   w->names.at[put->args[0]].name);
    wadi_c_operand(w, load->args[0]);
    wadi_text_add(w->out, ", ");
    wadi_c_operand(w, p->loop->args[1]);
    wadi_text_add(w->out, ");\n");
    return true;
}

bool wadi_c_placing(wadi_c_writer *w, const wadi_linst *loop, int level) {
    placing p = {
        .w = w, .loop = loop, .var = WADI_LV_NONE, .keep = WADI_LV_NONE, .limit = WADI_LV_NONE};
    if (take(w, &p)) return true;
    if (!find(&p)) return false;
    for (int k = 0; k + 1 < p.n; k++) {
        wadi_text_add(w->out, "(void)");
        call(w, &p, p.store[k]);
        wadi_text_indent(w->out, level);
    }
    const char *next = w->names.at[p.var].name;
    wadi_text_addf(w->out, "%s = %s + ", next, next);
    call(w, &p, p.store[p.n - 1]);
    return true;
}
