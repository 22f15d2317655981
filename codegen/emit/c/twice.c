/* Loops whose functions look for far arguments behind the loop.
 *
 * A call in a loop takes all vector registers from it, even if it does nothing but look at its argument. A near form (codegen/rt/lanes.h, graph/elementary/trigonometric.h) notes in bits that
 * an argument may have been far. If one was, the loop runs again with the whole functions: it may store the same places once more, and lane arrays become what they were. So nothing
 * that is stored may be read, and nothing else may pass from one round to another. */
#include "codegen/emit/c/twice.h"

#include "codegen/emit/c/blocks.h"

enum {
    MOST_LANES = 64,
    LOOKS = 200, /* values of which a place is made that are looked at */
    LEAST = 128  /* numbers: a loop of fewer does not pay for what stands around it */
};

static bool is_const(const wadi_c_writer *w, wadi_lv v, int64_t *out) {
    const wadi_linst *i = wadi_c_inst(w, v);
    *out = (int64_t)i->imm.bits;
    return i->kind == WADI_L_CONST;
}

/* The lanes of a loop over all of a vector; 0: it is another loop. */
static int lanes_of(const wadi_c_writer *w, const wadi_linst *loop) {
    int64_t from = 0, below = 0, step = 0;
    if (loop->kind != WADI_L_FOR || !is_const(w, loop->args[0], &from) ||
        !is_const(w, loop->args[1], &below) || !is_const(w, loop->args[2], &step))
        return 0;
    return from == 0 && step == 1 && below <= MOST_LANES ? (int)below : 0;
}

static bool is_known(const wadi_c_twice *o, wadi_lv array) {
    for (int k = 0; k < o->n; k++)
        if (o->changed[k] == array) return true;
    return false;
}

static bool add_changed(wadi_c_twice *o, const wadi_linst *put) {
    if (is_known(o, put->args[0])) return true;
    if (o->n == WADI_C_TWICE_ARRAYS) return false;
    o->changed[o->n++] = put->args[0];
    return true;
}

/* A call in one side of a choice would note what is not so, and keep C compilers from making vectors. */
static bool add_call(const wadi_c_writer *w, wadi_c_twice *o, const wadi_linst *i) {
    if (w->names.at[i->self].guarded) return false;
    o->f64 = o->f64 || i->type == WADI_F64;
    o->f32 = o->f32 || i->type == WADI_F32;
    return true;
}

/* Whether it stores into an array that was emitted, and loads are from elsewhere: columns, other arrays and scratch memory lie apart from that (C text says so, too), unless it is that of a short vector. */
static bool is_emitted(const wadi_c_writer *w, const wadi_lscope *s, const wadi_linst *store) {
    if (store->kind != WADI_L_STORE || store->atomic) return false;
    const wadi_linst *stored = wadi_l_root(w->f, store->args[0]);
    if (stored->kind != WADI_L_EMITTED) return false;
    for (int p = 0; p < s->n; p++) {
        if (s->inst[p]->kind != WADI_L_LOAD) continue;
        const wadi_linst *root = wadi_l_root(w->f, s->inst[p]->args[0]);
        const bool other = (root->kind == WADI_L_EMITTED && root != stored) ||
                           (root->kind == WADI_L_COLUMN && root->slot != stored->slot) ||
                           (root->kind == WADI_L_SCRATCH && !root->near);
        if (!other) return false;
    }
    return true;
}

/* What a round does, or an inner loop. Calls count where vectors are made: in inner loops, if there are any. */
static bool take(const wadi_c_writer *w, wadi_c_twice *o, const wadi_lscope *s, bool calls) {
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (i->kind == WADI_L_FOR && lanes_of(w, i) > 0) continue;
        if (i->kind == WADI_L_PUT ? !add_changed(o, i)
                                  : !is_emitted(w, s, i) && !wadi_c_may_repeat(w, s, i))
            return false;
        if (i->kind == WADI_L_STORE && o->lanes > 0) return false;
        if (calls && wadi_c_has_near(i) && !add_call(w, o, i)) return false;
    }
    return true;
}

static int most_lanes(const wadi_c_writer *w, const wadi_lscope *s) {
    int most = 0;
    for (int p = 0; p < s->n; p++)
        if (lanes_of(w, s->inst[p]) > most) most = lanes_of(w, s->inst[p]);
    return most;
}

/* Inner loops have no loops in them: nothing in them is skipped. */
static bool take_lanes(const wadi_c_writer *w, wadi_c_twice *o, const wadi_lscope *s) {
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (lanes_of(w, i) == 0) continue;
        if (most_lanes(w, i->block[0]) > 0 || !take(w, o, i->block[0], true)) return false;
    }
    return true;
}

/* Whether v may be wrong while near forms are in use. What is loaded is not: its place is asked for itself. Gives up, and says so, after `looks` values. */
static bool may_be_wrong(const wadi_c_writer *w, const wadi_c_twice *o, wadi_lv v, int *looks) {
    if (v == WADI_LV_NONE) return false;
    const wadi_linst *i = wadi_c_inst(w, v);
    if (wadi_c_has_near(i) || --*looks < 0) return true;
    if (i->kind == WADI_L_LANE) return is_known(o, i->args[0]);
    if (i->kind >= WADI_L_LOAD) return false;
    for (int a = 0; a < i->nargs; a++)
        if (may_be_wrong(w, o, i->args[a], looks)) return true;
    return false;
}

/* The arguments of an instruction that say where it reads or writes: from *first on, below what is returned. */
static int places_of(const wadi_linst *i, int *first) {
    const bool lane = i->kind == WADI_L_LANE || i->kind == WADI_L_PUT;
    const bool reads = i->kind == WADI_L_SHAPE || i->kind == WADI_L_OFFSET ||
                       i->kind == WADI_L_UNIT || i->kind == WADI_L_LOAD;
    *first = lane ? 1 : 0;
    if (lane || i->kind == WADI_L_STORE) return 2;
    return reads ? i->nargs : 0;
}

/* Whether a place at which a round or an inner loop reads or writes may be wrong. */
static bool strays(const wadi_c_writer *w, const wadi_c_twice *o, const wadi_lscope *s) {
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        int first = 0;
        const int below = places_of(i, &first);
        for (int a = first; a < below; a++)
            if (may_be_wrong(w, o, i->args[a], &(int){LOOKS})) return true;
        if (i->block[0] && strays(w, o, i->block[0])) return true;
    }
    return false;
}

bool wadi_c_twice_find(const wadi_c_writer *w, const wadi_linst *loop, wadi_c_twice *out) {
    const wadi_lscope *s = loop->block[0];
    *out = (wadi_c_twice){.loop = loop, .lanes = most_lanes(w, s)};
    if (w->numbers != NULL || loop->brief || loop->unrolled || loop->by != WADI_BY_ONE ||
        lanes_of(w, loop) > 0 || (out->lanes == 0 && !loop->independent))
        return false;
    return take(w, out, s, out->lanes == 0) && take_lanes(w, out, s) && (out->f64 || out->f32) &&
           (out->lanes > 0 || out->n == 0) && !strays(w, out, s);
}

static void bound(wadi_c_writer *w, const char *text, wadi_lv v) {
    if (text)
        wadi_text_add(w->out, text);
    else
        wadi_c_operand(w, v);
}

static void start_line(wadi_c_writer *w, int level, const char *text) {
    wadi_text_indent(w->out, level);
    wadi_text_add(w->out, text);
}

static void declare(wadi_c_writer *w, const wadi_c_twice *o, const char *bits, const char *type,
                    int level) {
    wadi_text_indent(w->out, level);
    if (o->lanes > 0)
        wadi_text_addf(w->out, "%s wadi_beyond_%s[%d] = {0};\n", bits, type, o->lanes);
    else
        wadi_text_addf(w->out, "%s wadi_beyond_%s = 0;\n", bits, type);
}

/* Copies lane arrays to what they were, or from it. */
static void copies(wadi_c_writer *w, const wadi_c_twice *o, bool back, int level) {
    for (int k = 0; k < o->n; k++) {
        const wadi_linst *a = wadi_c_inst(w, o->changed[k]);
        const char *name = w->names.at[a->self].name;
        wadi_text_indent(w->out, level);
        wadi_text_addf(w->out, "for (int wadi_lane = 0; wadi_lane < %d; wadi_lane++) ", a->index);
        if (back)
            wadi_text_addf(w->out, "%s[wadi_lane] = wadi_was_%d[wadi_lane];\n", name, k);
        else
            wadi_text_addf(w->out, "wadi_was_%d[wadi_lane] = %s[wadi_lane];\n", k, name);
    }
}

void wadi_c_twice_open(wadi_c_writer *w, const wadi_c_twice *o, const char *from, const char *below,
                       int level) {
    wadi_text_add(w->out, "{\n");
    start_line(w, level + 1, "bool wadi_again = true;\n");
    start_line(w, level + 1, "if (");
    bound(w, below, o->loop->args[1]);
    wadi_text_add(w->out, " - ");
    bound(w, from, o->loop->args[0]);
    wadi_text_addf(w->out, " >= %d) {\n", LEAST);
    for (int k = 0; k < o->n; k++) {
        const wadi_linst *a = wadi_c_inst(w, o->changed[k]);
        wadi_text_indent(w->out, level + 2);
        wadi_text_addf(w->out, "%s wadi_was_%d[%d];\n", wadi_c_type(a->type), k, a->index);
    }
    copies(w, o, false, level + 2);
    if (o->f64) declare(w, o, "uint64_t", "f64", level + 2);
    if (o->f32) declare(w, o, "uint32_t", "f32", level + 2);
    wadi_text_indent(w->out, level + 2);
}

/* Joins what the lanes have noted. */
static void join(wadi_c_writer *w, const wadi_c_twice *o, const char *bits, const char *type,
                 int level) {
    if (o->lanes == 0) return;
    wadi_text_indent(w->out, level);
    wadi_text_addf(w->out, "%s wadi_any_%s = 0;\n", bits, type);
    wadi_text_indent(w->out, level);
    wadi_text_addf(w->out,
                   "for (int wadi_lane = 0; wadi_lane < %d; wadi_lane++) wadi_any_%s |= "
                   "wadi_beyond_%s[wadi_lane];\n",
                   o->lanes, type, type);
}

void wadi_c_twice_again(wadi_c_writer *w, const wadi_c_twice *o, int level) {
    const char *name = o->lanes > 0 ? "any" : "beyond";
    if (o->f64) join(w, o, "uint64_t", "f64", level + 2);
    if (o->f32) join(w, o, "uint32_t", "f32", level + 2);
    start_line(w, level + 2, "wadi_again = ");
    if (o->f64) wadi_text_addf(w->out, "wadi_%s_f64 >> 26 != 0", name);
    if (o->f64 && o->f32) wadi_text_add(w->out, " || ");
    if (o->f32) wadi_text_addf(w->out, "wadi_%s_f32 >> 17 != 0", name);
    wadi_text_add(w->out, ";\n");
    if (o->n > 0) {
        start_line(w, level + 2, "if (wadi_again) {\n");
        copies(w, o, true, level + 3);
        start_line(w, level + 2, "}\n");
    }
    start_line(w, level + 1, "}\n");
    start_line(w, level + 1, "if (wadi_again) {\n");
    wadi_text_indent(w->out, level + 2);
}

void wadi_c_twice_close(wadi_c_writer *w, int level) {
    start_line(w, level + 1, "}\n");
    start_line(w, level, "}\n");
}

const char *wadi_c_twice_place(wadi_c_writer *w, const wadi_c_twice *o, const wadi_linst *loop) {
    if (o->lanes == 0) return "";
    if (loop == o->loop) return NULL;
    const char *place = wadi_arena_printf(w->names.arena, "[%s]", w->names.at[loop->var].name);
    if (!place) w->out->failed = true;
    return place;
}
