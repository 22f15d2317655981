/* Prints values of loop IR as expressions. A value that is used once, in its own scope, is written where it is used; any other
 * has a name. */
#include "codegen/emit/c_like/expression.h"

#include "codegen/emit/c_like/comment.h"
#include "codegen/emit/c_like/scalar.h"

static void print_slot(wadi_c_writer *c, int slot) {
    const char *name = c->m->slots[slot].name;
    wadi_text_add(c->out, "slot[");
    wadi_c_number_print(c->numbers, WADI_C_SLOT, slot, c->out);
    if (name) {
        wadi_text_add(c->out, " ");
        wadi_c_comment(c->out, "", name, "");
    }
    wadi_text_add(c->out, "]");
}

const char *wadi_c_stored(const wadi_c_writer *c, wadi_type t) {
    return t == WADI_BOOL ? c->words->stored_bool : wadi_c_type(t);
}

const char *wadi_c_fault(const wadi_linst *i) {
    static const char *const kinds[] = {
        "WADI_FAULT_NONE",     "WADI_FAULT_INDEX",  "WADI_FAULT_DIVISION", "WADI_FAULT_SHAPE",
        "WADI_FAULT_EMPTY",    "WADI_FAULT_EXTENT", "WADI_FAULT_SEGMENT",  "WADI_FAULT_MEMORY",
        "WADI_FAULT_DECLINED", "WADI_FAULT_COUNT",  "WADI_FAULT_CANCELLED"};
    return kinds[i->imm.bits % (sizeof kinds / sizeof *kinds)];
}

/* The value as an operand: in parentheses if an operator around it could bind tighter. */
void wadi_c_operand(wadi_c_writer *c, wadi_lv v) {
    v = wadi_c_strip(c->f, v);
    const wadi_linst *i = wadi_c_inst(c, v);
    const bool compound =
        c->names.at[v].inlined &&
        (i->kind == WADI_L_PRIM || i->kind == WADI_L_SELECT || i->kind == WADI_L_ADVANCE);
    if (compound) wadi_text_add(c->out, "(");
    wadi_c_expression(c, v);
    if (compound) wadi_text_add(c->out, ")");
}

static void write_operand(void *env, wadi_lv v) {
    wadi_c_operand(env, v);
}

static void write_plain(void *env, wadi_lv v) {
    wadi_c_expression(env, v);
}

void wadi_c_indexed(wadi_c_writer *c, const wadi_linst *i) {
    wadi_c_operand(c, i->args[0]);
    wadi_text_add(c->out, "[");
    wadi_c_expression(c, i->args[1]);
    wadi_text_add(c->out, "]");
}

void wadi_c_shape(wadi_c_writer *c, int slot, int dim, wadi_lv s) {
    wadi_text_add(c->out, c->words->numbers[0]);
    print_slot(c, slot);
    const int rank = c->m->slots[slot].rank;
    wadi_text_addf(c->out, ".shape%s[", c->words->numbers[1]);
    if (s != WADI_LV_NONE) {
        wadi_c_operand(c, s);
        if (rank != 1) wadi_text_addf(c->out, " * %d", rank);
        if (dim > 0) wadi_text_addf(c->out, " + %d", dim);
    } else {
        wadi_text_addf(c->out, "%d", dim);
    }
    wadi_text_add(c->out, "]");
}

static void begin_pointer(wadi_c_writer *c, wadi_type t) {
    wadi_text_addf(c->out, "%s%s%s", c->words->pointer[0], wadi_c_stored(c, t),
                   c->words->pointer[1]);
}

static void select_complex(wadi_c_writer *c, const wadi_linst *i) {
    wadi_text_addf(c->out, "wadi_select_%s(", wadi_type_name(i->type));
    for (int a = 0; a < 3; a++) {
        if (a > 0) wadi_text_add(c->out, ", ");
        wadi_c_expression(c, i->args[a]);
    }
    wadi_text_add(c->out, ")");
}

/* Whether `v` is a bool that is read from memory here: WADI_BYTE of codegen/rt/work.h reads it as the number that it is. */
static bool is_byte(const wadi_c_writer *c, wadi_lv v) {
    v = wadi_c_strip(c->f, v);
    const wadi_linst *i = wadi_c_inst(c, v);
    return c->words->language == WADI_C_HOST && i->kind == WADI_L_LOAD && i->type == WADI_BOOL &&
           c->names.at[v].inlined;
}

static bool is_whole(wadi_type t) {
    return t != WADI_BOOL && !wadi_type_is_float(t) && !wadi_type_is_complex(t);
}

static bool widens_byte(const wadi_c_writer *c, const wadi_linst *i) {
    return i->op == WADI_SOP_CONVERT && is_whole(i->type) && is_byte(c, i->args[0]);
}

/* A choice between two constants by such a bool: it counts, mostly. */
static bool counts_byte(const wadi_c_writer *c, const wadi_linst *i) {
    for (int a = 1; a < 3; a++)
        if (wadi_c_inst(c, i->args[a])->kind != WADI_L_CONST) return false;
    return is_whole(i->type) && is_byte(c, i->args[0]);
}

static void write_byte(wadi_c_writer *c, wadi_lv v) {
    wadi_text_add(c->out, "WADI_BYTE(");
    wadi_c_expression(c, v);
    wadi_text_add(c->out, ")");
}

static void constant(wadi_c_writer *c, const wadi_linst *i) {
    const int at = wadi_c_number_find(c->numbers, WADI_C_REAL, (int)i->self);
    if (at < 0)
        wadi_c_constant(c->out, c->words->language, i->imm);
    else
        wadi_text_addf(c->out, "WADI_REAL(%s, %d)", wadi_c_type(i->type), at);
}

static void near_form(wadi_c_writer *c, const wadi_linst *i) {
    const char *type = wadi_type_name(i->type);
    wadi_text_addf(c->out, "wadi_%s_near_%s(", wadi_sop_get(i->op)->name, type);
    wadi_c_expression(c, i->args[0]);
    wadi_text_addf(c->out, ", &wadi_beyond_%s%s)", type, c->beyond);
}

/* The right-hand side that defines the value. */
void wadi_c_definition(wadi_c_writer *c, const wadi_linst *i) {
    const wadi_lv arg = i->nargs > 0 ? i->args[0] : WADI_LV_NONE;
    wadi_text *t = c->out;
    switch (i->kind) {
    case WADI_L_CONST:
        constant(c, i);
        break;
    case WADI_L_PRIM:
        if (widens_byte(c, i)) {
            wadi_text_addf(t, "(%s)", wadi_c_type(i->type));
            write_byte(c, arg);
            break;
        }
        if (c->beyond && wadi_c_has_near(i)) {
            near_form(c, i);
            break;
        }
        wadi_c_prim(t, c->words->language, c->f, i, write_operand, write_plain, c);
        break;
    case WADI_L_SELECT:
        if (wadi_type_is_complex(i->type)) {
            select_complex(c, i);
            break;
        }
        (counts_byte(c, i) ? write_byte : wadi_c_operand)(c, arg);
        wadi_text_add(t, " ? ");
        wadi_c_say_type(t, c->f, i->args[1], i->args[2]);
        wadi_c_operand(c, i->args[1]);
        wadi_text_add(t, " : ");
        wadi_c_operand(c, i->args[2]);
        break;
    case WADI_L_ARG:
        wadi_text_add(t, c->words->arg[i->index]);
        break;
    case WADI_L_SHAPE:
        wadi_c_shape(c, i->slot, i->index, arg);
        break;
    case WADI_L_STRIDE:
        print_slot(c, i->slot);
        wadi_text_add(t, ".stride");
        break;
    case WADI_L_OFFSET:
        wadi_text_add(t, c->words->numbers[0]);
        print_slot(c, i->slot);
        wadi_text_addf(t, ".offset%s[", c->words->numbers[1]);
        wadi_c_expression(c, arg);
        wadi_text_add(t, "]");
        break;
    case WADI_L_UNIT:
        wadi_text_addf(t, "%s[", c->words->unit);
        wadi_c_expression(c, arg);
        wadi_text_add(t, "]");
        break;
    case WADI_L_COLUMN:
        begin_pointer(c, i->type);
        print_slot(c, i->slot);
        wadi_text_addf(t, ".col[%d]%s", i->index, c->words->pointer[2]);
        break;
    case WADI_L_ADVANCE:
        wadi_c_operand(c, arg);
        wadi_text_add(t, " + ");
        wadi_c_operand(c, i->args[1]);
        break;
    case WADI_L_GET:
        wadi_c_expression(c, arg);
        break;
    case WADI_L_LOAD:
    case WADI_L_FRESH:
    case WADI_L_LANE:
        wadi_c_indexed(c, i);
        break;
    case WADI_L_MARK:
        wadi_text_add(t, c->words->scratch_mark);
        break;
    case WADI_L_EMITTED:
        begin_pointer(c, i->type);
        wadi_text_addf(t, "columns_%u[%d]%s", c->last_emit, i->index, c->words->pointer[2]);
        break;
    case WADI_L_SEGMENT:
        wadi_text_add(t, c->words->segment);
        wadi_c_expression(c, arg);
        wadi_text_add(t, ")");
        break;
    default:
        wadi_text_add(t, "0");
        break;
    }
}

void wadi_c_expression(wadi_c_writer *c, wadi_lv v) {
    v = wadi_c_strip(c->f, v);
    if (c->names.at[v].inlined)
        wadi_c_definition(c, wadi_c_inst(c, v));
    else
        wadi_text_add(c->out, c->names.at[v].name);
}
