/* Instructions as statements of device C. What lanes do is written as it is for one of them; what a group does, as what all do
 * alike.
 *
 * WADI_JOIN stands between what lanes did in different ways and the next decision that all take alike. An optimizer may copy that decision into
 * both ways. A compiler that makes loops over lanes of the code between barriers, as PoCL does, then finds a barrier behind each way,
 * and takes the way of the first lane for all. */
#include "codegen/emit/lanes/statement.h"

#include "codegen/emit/c_like/comment.h"
#include "codegen/emit/lanes/update.h"

static const wadi_linst *inst_of(const wadi_c_lanes *c, wadi_lv v) {
    return c->w.f->inst[v];
}

static const char *name_of(const wadi_c_lanes *c, wadi_lv v) {
    return c->w.names.at[v].name;
}

/* Whether all lanes are here and do the same. */
static bool is_common(const wadi_c_lanes *c) {
    return c->grouped && c->lanes == NULL;
}

/* In front of a statement that one lane has to do for all. */
static void first_lane(wadi_c_lanes *c) {
    if (!is_common(c)) return;
    wadi_text_add(c->w.out, "if (w->lane == 0) ");
    c->parted = true;
}

static void barrier(wadi_c_lanes *c, int level) {
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "WADI_BARRIER\n");
    c->barriers++;
    c->parted = false;
}

/* In front of a decision that all lanes take alike. */
static void join(wadi_c_lanes *c, int level) {
    if (!is_common(c)) return;
    if (c->parted && c->joins) {
        wadi_text_indent(c->w.out, level);
        wadi_text_add(c->w.out, "WADI_JOIN\n");
    }
    c->parted = false;
}

/* What stands in a loop or a branch. */
static void inner_scope(wadi_c_lanes *c, const wadi_lscope *s, int level) {
    wadi_c_lanes_scope(c, s, level);
    join(c, level);
}

/* ---- values ---- */

static void assignment(wadi_c_lanes *c, wadi_lv value) {
    wadi_text_add(c->w.out, " = ");
    wadi_c_expression(&c->w, value);
    wadi_text_add(c->w.out, ";\n");
}

static void declare(wadi_c_lanes *c, const wadi_linst *i) {
    if (i->pointer)
        wadi_text_addf(c->w.out, "WADI_GLOBAL %s *const %s = ", wadi_c_stored(&c->w, i->type),
                       name_of(c, i->self));
    else
        wadi_text_addf(c->w.out, "const %s %s = ", wadi_c_type(i->type), name_of(c, i->self));
    wadi_c_definition(&c->w, i);
    wadi_text_add(c->w.out, ";\n");
}

static void variable(wadi_c_lanes *c, const wadi_linst *i) {
    if (i->pointer)
        wadi_text_addf(c->w.out, "WADI_GLOBAL %s *%s", wadi_c_stored(&c->w, i->type),
                       name_of(c, i->self));
    else
        wadi_text_addf(c->w.out, "%s %s", wadi_c_type(i->type), name_of(c, i->self));
    if (i->nargs > 0)
        assignment(c, i->args[0]);
    else
        wadi_text_add(c->w.out, ";\n");
}

static void lane_array(wadi_c_lanes *c, const wadi_linst *i) {
    wadi_text_addf(c->w.out, "%s %s[%d];\n", wadi_c_stored(&c->w, i->type), name_of(c, i->self),
                   i->index);
}

/* const int64_t NAME_NUMBER[] = {..}; there is one number at least. */
static void numbers(wadi_c_lanes *c, const char *name, const wadi_linst *i, int first) {
    wadi_text_addf(c->w.out, "const int64_t %s_%u[] = {", name, i->self);
    for (int a = first; a < i->nargs; a++) {
        if (a > first) wadi_text_add(c->w.out, ", ");
        wadi_c_expression(&c->w, i->args[a]);
    }
    wadi_text_add(c->w.out, i->nargs == first ? "0};\n" : "};\n");
}

/* ---- faults ---- */

/* What a lane, an item or a group does when a fault has been noted. */
static void leave(wadi_c_lanes *c, int level) {
    wadi_text_indent(c->w.out, level);
    if (!c->grouped) {
        wadi_text_add(c->w.out, "return 1;\n");
    } else if (c->lanes == NULL) {
        wadi_text_add(c->w.out, "return;\n");
        c->parted = false; /* whatever follows */
    } else {
        wadi_text_add(c->w.out, "wadi_failed[wadi_turn] = 1;\n");
        wadi_text_indent(c->w.out, level);
        wadi_text_addf(c->w.out, "goto wadi_end_%u;\n", c->lanes->self);
    }
}

static void fault(wadi_c_lanes *c, const wadi_linst *i, int level) {
    enum { VALUES = 2, INDEX = VALUES + WADI_FAULT_VALUES };
    const int rank = i->nargs - INDEX;
    wadi_text *t = c->w.out;
    if (rank > 0) {
        numbers(c, "wadi_index", i, INDEX);
        wadi_text_indent(t, level);
    }
    first_lane(c);
    wadi_text_addf(t, "(void)wadi_fault_at(w, %s, %d", wadi_c_fault(i), i->index);
    for (int a = 0; a < INDEX; a++) {
        wadi_text_add(t, ", ");
        wadi_c_expression(&c->w, i->args[a]);
    }
    if (rank > 0)
        wadi_text_addf(t, ", %d, wadi_index_%u);\n", rank, i->self);
    else
        wadi_text_add(t, ", 0, 0);\n");
    leave(c, level);
}

bool wadi_c_lanes_can_fail(const wadi_lscope *s, bool in_lanes) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        const bool fails =
            i->kind == WADI_L_FAULT || i->kind == WADI_L_SCRATCH || i->kind == WADI_L_EMIT;
        const bool lanes = in_lanes || (i->kind == WADI_L_FOR && i->by == WADI_BY_LANES);
        if (fails && in_lanes) return true;
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL && wadi_c_lanes_can_fail(i->block[b], lanes)) return true;
    }
    return false;
}

/* ---- memory ---- */

/* Each item has scratch memory and emits elements of its own; a group has none that all its lanes would get. */
static void refuse_common(wadi_c_lanes *c) {
    if (is_common(c)) c->wrong = "a group takes memory";
}

static void scratch(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_text *t = c->w.out;
    const char *type = wadi_c_stored(&c->w, i->type);
    refuse_common(c);
    if (i->near) {
        wadi_text_addf(t, "const uint64_t wadi_used_%u = %s;\n", i->self, c->w.words->scratch_mark);
        wadi_text_indent(t, level);
    }
    numbers(c, "wadi_extent", i, 0);
    wadi_text_indent(t, level);
    wadi_text_addf(t,
                   "const uint64_t wadi_at_%u = wadi_scratch_of(w, %d, sizeof(%s), %d, "
                   "wadi_extent_%u);\n",
                   i->self, i->index, type, i->nargs, i->self);
    wadi_text_indent(t, level);
    wadi_text_addf(t, "if (wadi_at_%u == 0) {\n", i->self);
    leave(c, level + 1);
    wadi_text_indent(t, level);
    wadi_text_add(t, "}\n");
    wadi_text_indent(t, level);
    wadi_text_addf(t, "WADI_GLOBAL %s *const %s = WADI_AT(w, %s, wadi_at_%u);\n", type,
                   name_of(c, i->self), type, i->self);
}

/* Scratch lies elsewhere than what is emitted, and is given back then. */
static void copy_near(wadi_c_lanes *c, const wadi_linst *i, int level) {
    const char *type = wadi_c_stored(&c->w, inst_of(c, i->args[2])->type);
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out,
                   "for (int64_t wadi_k = 0; wadi_k < shape_%u[0]; wadi_k++) "
                   "WADI_AT(w, %s, columns_%u[0])[wadi_k] = ",
                   i->self, type, i->self);
    wadi_c_operand(&c->w, i->args[2]);
    wadi_text_add(c->w.out, "[wadi_k];\n");
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out, "w->used = wadi_used_%u;\n", i->args[2]);
}

static void emit(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_linst storage = *i;
    wadi_text *t = c->w.out;
    refuse_common(c);
    c->w.last_emit = i->self;
    if (i->near) storage.nargs = 2;
    wadi_text_addf(t, "uint64_t columns_%u[WADI_GPU_FIELDS];\n", i->self);
    wadi_text_indent(t, level);
    numbers(c, "shape", &storage, 1);
    wadi_text_indent(t, level);
    wadi_text_addf(t, "if (!wadi_emit(w, %d, %d, ", i->index, i->slot);
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(t, ", shape_%u, columns_%u)) {\n", i->self, i->self);
    leave(c, level + 1);
    wadi_text_indent(t, level);
    wadi_text_add(t, "}\n");
    if (i->near) copy_near(c, i, level);
}

static void copy(wadi_c_lanes *c, const wadi_linst *i) {
    first_lane(c);
    wadi_text_add(c->w.out, "for (int64_t wadi_k = 0; wadi_k < ");
    wadi_c_operand(&c->w, i->args[2]);
    wadi_text_add(c->w.out, "; wadi_k++) ");
    wadi_c_operand(&c->w, i->args[0]);
    wadi_text_add(c->w.out, "[wadi_k] = ");
    wadi_c_operand(&c->w, i->args[1]);
    wadi_text_add(c->w.out, "[wadi_k];\n");
}

static void store(wadi_c_lanes *c, const wadi_linst *i, int level) {
    if (i->kind == WADI_L_STORE && i->atomic && inst_of(c, i->args[2])->kind != WADI_L_CONST) {
        first_lane(c);
        wadi_c_update(&c->w, i, level);
        return;
    }
    if (i->kind == WADI_L_STORE) first_lane(c);
    wadi_c_indexed(&c->w, i);
    assignment(c, i->args[2]);
}

static void set_shape(wadi_c_lanes *c, const wadi_linst *i) {
    first_lane(c);
    wadi_c_shape(&c->w, i->slot, i->index, i->nargs > 1 ? i->args[1] : WADI_LV_NONE);
    assignment(c, i->args[0]);
}

static void set_units(wadi_c_lanes *c, const wadi_linst *i) {
    first_lane(c);
    wadi_text_addf(c->w.out, "%s[", c->w.words->unit);
    wadi_c_expression(&c->w, i->args[1]);
    wadi_text_add(c->w.out, "]");
    assignment(c, i->args[0]);
}

/* ---- loops ---- */

enum { MOST_UNROLLED = 16 }; /* rounds */

static int64_t step_of(const wadi_c_lanes *c, const wadi_linst *loop) {
    return (int64_t)inst_of(c, loop->args[2])->imm.bits;
}

static bool is_zero(const wadi_c_lanes *c, wadi_lv v) {
    const wadi_linst *i = inst_of(c, v);
    return i->kind == WADI_L_CONST && i->imm.bits == 0;
}

/* The loop's variable in the first round that this lane or group does. */
static void number_of(wadi_c_lanes *c, const wadi_linst *i, const char *who) {
    if (!is_zero(c, i->args[0])) {
        wadi_c_operand(&c->w, i->args[0]);
        wadi_text_add(c->w.out, " + ");
    }
    wadi_text_add(c->w.out, who);
    if (step_of(c, i) != 1) wadi_text_addf(c->w.out, " * %lld", (long long)step_of(c, i));
}

static void begin_rounds(wadi_c_lanes *c, const wadi_linst *i) {
    const char *name = name_of(c, i->var);
    const long long step = step_of(c, i);
    wadi_text *t = c->w.out;
    wadi_text_addf(t, "for (int64_t %s = ", name);
    if (i->by != WADI_BY_GROUPS)
        wadi_c_expression(&c->w, i->args[0]);
    else
        number_of(c, i, "w->group");
    wadi_text_addf(t, "; %s < ", name);
    wadi_c_operand(&c->w, i->args[1]);
    if (i->by == WADI_BY_GROUPS && step != 1)
        wadi_text_addf(t, "; %s += w->groups * %lld) {\n", name, step);
    else if (i->by == WADI_BY_GROUPS)
        wadi_text_addf(t, "; %s += w->groups) {\n", name);
    else if (step != 1)
        wadi_text_addf(t, "; %s += %lld) {\n", name, step);
    else
        wadi_text_addf(t, "; %s++) {\n", name);
}

/* Whether a compiler might unroll the loop in full, although its rounds are many: they would all want registers at once. */
static bool is_long(const wadi_c_lanes *c, const wadi_linst *i) {
    const wadi_linst *from = inst_of(c, i->args[0]), *below = inst_of(c, i->args[1]);
    if (from->kind != WADI_L_CONST || below->kind != WADI_L_CONST) return false;
    return ((int64_t)below->imm.bits - (int64_t)from->imm.bits) / step_of(c, i) > MOST_UNROLLED;
}

static void rounds(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_c_uses before = wadi_c_order_fork(&c->order);
    if (i->unrolled || is_long(c, i)) {
        wadi_text_addf(c->w.out, "%s\n", i->unrolled ? "WADI_UNROLLED" : "WADI_ROLLED");
        wadi_text_indent(c->w.out, level);
    }
    begin_rounds(c, i);
    inner_scope(c, i->block[0], level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
    wadi_c_order_join(&c->order, &before);
}

/* Whether the loop has a round for every lane, numbered like it. */
static bool takes_all(const wadi_c_lanes *c, const wadi_linst *i) {
    const wadi_linst *below = inst_of(c, i->args[1]);
    return is_zero(c, i->args[0]) && below->kind == WADI_L_CONST &&
           below->imm.bits == WADI_GROUP_LANES && step_of(c, i) == 1;
}

static void end_lanes(wadi_c_lanes *c, const wadi_linst *i, int level) {
    if (!wadi_c_lanes_can_fail(i->block[0], true)) return;
    wadi_text_addf(c->w.out, "wadi_end_%u:\n", i->self);
    barrier(c, level);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "if (wadi_failed[wadi_turn]) return;\n");
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "wadi_turn = 1 - wadi_turn;\n");
    wadi_c_order_waited(&c->order);
}

/* A loop by lanes: each lane does a round. */
static void lanes(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_text *t = c->w.out;
    if (takes_all(c, i)) {
        wadi_text_add(t, "{ /* by lanes */\n");
    } else {
        wadi_text_add(t, "if (");
        number_of(c, i, "w->lane");
        wadi_text_add(t, " < ");
        wadi_c_operand(&c->w, i->args[1]);
        wadi_text_add(t, ") { /* by lanes */\n");
    }
    wadi_text_indent(t, level + 1);
    wadi_text_addf(t, "const int64_t %s = ", name_of(c, i->var));
    number_of(c, i, "w->lane");
    wadi_text_add(t, ";\n");
    c->lanes = i;
    wadi_c_lanes_scope(c, i->block[0], level + 1);
    c->lanes = NULL;
    wadi_text_indent(t, level);
    wadi_text_add(t, "}\n");
    c->parted = true;
    end_lanes(c, i, level);
}

static void branch(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_c_uses other = wadi_c_order_fork(&c->order);
    wadi_text_add(c->w.out, i->placing ? "if (0 && (" : "if (");
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_add(c->w.out, i->placing ? ")) {\n" : ") {\n");
    inner_scope(c, i->block[0], level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_c_order_turn(&c->order, &other);
    if (i->block[1] != NULL && i->block[1]->n > 0) {
        wadi_text_add(c->w.out, "} else {\n");
        inner_scope(c, i->block[1], level + 1);
        wadi_text_indent(c->w.out, level);
    }
    wadi_text_add(c->w.out, "}\n");
    wadi_c_order_join(&c->order, &other);
}

static void repeat(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_c_uses before = wadi_c_order_fork(&c->order);
    wadi_text_add(c->w.out, "for (;;) {\n");
    inner_scope(c, i->block[0], level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
    wadi_c_order_join(&c->order, &before);
}

static void loop(wadi_c_lanes *c, const wadi_linst *i, int level) {
    if (i->by == WADI_BY_LANES)
        lanes(c, i, level);
    else
        rounds(c, i, level);
}

/* ---- statements ---- */

static void statement(wadi_c_lanes *c, const wadi_linst *i, int level) {
    wadi_text *t = c->w.out;
    wadi_text_indent(t, level);
    switch (i->kind) {
    case WADI_L_VAR:
        variable(c, i);
        break;
    case WADI_L_SET:
        wadi_c_expression(&c->w, i->args[0]);
        assignment(c, i->args[1]);
        break;
    case WADI_L_LANES:
        lane_array(c, i);
        break;
    case WADI_L_PUT:
    case WADI_L_STORE:
        store(c, i, level);
        break;
    case WADI_L_COPY:
        copy(c, i);
        break;
    case WADI_L_SETSHAPE:
        set_shape(c, i);
        break;
    case WADI_L_SETUNIT:
        set_units(c, i);
        break;
    case WADI_L_SCRATCH:
        scratch(c, i, level);
        break;
    case WADI_L_EMIT:
        emit(c, i, level);
        break;
    case WADI_L_FOREIGN:
        wadi_text_addf(t, "const bool %s = false; /* no library here */\n", name_of(c, i->self));
        break;
    case WADI_L_REWIND:
        wadi_text_addf(t, "w->used = %s;\n", name_of(c, i->args[0]));
        break;
    case WADI_L_FAULT:
        fault(c, i, level);
        break;
    case WADI_L_NOTE:
        wadi_c_comment(t, "", i->text, "");
        wadi_text_add(t, "\n");
        break;
    case WADI_L_FOR:
        loop(c, i, level);
        break;
    case WADI_L_IF:
        branch(c, i, level);
        break;
    case WADI_L_REPEAT:
        repeat(c, i, level);
        break;
    case WADI_L_LEAVE:
        wadi_text_add(t, "if (!(");
        wadi_c_expression(&c->w, i->args[0]);
        wadi_text_add(t, ")) break;\n");
        break;
    default:
        declare(c, i);
        break;
    }
}

/* Whether all lanes go on in one of several ways. */
static bool decides(const wadi_linst *i) {
    return i->kind == WADI_L_IF || i->kind == WADI_L_REPEAT || i->kind == WADI_L_LEAVE ||
           (i->kind == WADI_L_FOR && i->by != WADI_BY_LANES);
}

void wadi_c_lanes_scope(wadi_c_lanes *c, const wadi_lscope *s, int level) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        if (is_common(c) && wadi_c_order_waits(&c->order, i)) barrier(c, level);
        if (!c->w.names.at[i->self].printed) continue;
        if (i->kind == WADI_L_LANES && wadi_c_order_is_shared(&c->order, i->self)) continue;
        if (decides(i)) join(c, level);
        statement(c, i, level);
    }
}
