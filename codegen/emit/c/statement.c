/* Statements of one line or a few: values, variables, stores, memory, faults. */
#include "codegen/emit/c/statement.h"

#include "codegen/emit/c/far.h"
#include "codegen/emit/c/nests.h"
#include "codegen/emit/c/update.h"
#include "codegen/emit/c_like/comment.h"

void wadi_c_declare(wadi_c_writer *c, const wadi_linst *i) {
    const char *type = wadi_c_type(i->type), *name = c->names.at[i->self].name;
    if (i->pointer)
        wadi_text_addf(c->out, "%s *%sconst %s = ", type, wadi_c_is_apart(i) ? "restrict " : "",
                       name);
    else
        wadi_text_addf(c->out, "const %s %s = ", type, name);
    wadi_c_definition(c, i);
    wadi_text_add(c->out, ";\n");
}

void wadi_c_assign(wadi_c_writer *c, wadi_lv value) {
    wadi_text_add(c->out, " = ");
    wadi_c_expression(c, value);
    wadi_text_add(c->out, ";\n");
}

/* Whether the value is a bool made by comparing an integer with zero. GCC 12 narrows such a test and then cannot vectorise the
 * integer's computation, so the number 0 or 1 is stored instead. */
static bool is_test_for_zero(const wadi_c_writer *c, wadi_lv value) {
    const wadi_linst *i = c->f->inst[value];
    if (i->kind != WADI_L_PRIM || i->op != WADI_SOP_NE) return false;
    const wadi_linst *zero = c->f->inst[i->args[1]];
    return zero->kind == WADI_L_CONST && zero->imm.bits == 0 && wadi_type_is_int(zero->type);
}

static void store(wadi_c_writer *c, const wadi_linst *i) {
    if (wadi_c_far_place(c, i)) {
        wadi_c_assign(c, i->args[2]);
        return;
    }
    if (!is_test_for_zero(c, i->args[2])) {
        wadi_c_indexed(c, i);
        wadi_c_assign(c, i->args[2]);
        return;
    }
    wadi_text_add(c->out, "((uint8_t *)");
    wadi_c_operand(c, i->args[0]);
    wadi_text_add(c->out, ")[");
    wadi_c_expression(c, i->args[1]);
    wadi_text_add(c->out, "] = (");
    wadi_c_expression(c, i->args[2]);
    wadi_text_add(c->out, ") ? 1u : 0u;\n");
}

static void variable(wadi_c_writer *c, const wadi_linst *i) {
    wadi_text_addf(c->out, "%s %s%s", wadi_c_type(i->type), i->pointer ? "*" : "",
                   c->names.at[i->self].name);
    if (i->nargs > 0)
        wadi_c_assign(c, i->args[0]);
    else
        wadi_text_add(c->out, ";\n");
}

/* The emitted vector lies in the same memory, so the pointer is not one that others keep away from. */
static void near_scratch(wadi_c_writer *c, const wadi_linst *i, int level) {
    const char *type = wadi_c_type(i->type), *name = c->names.at[i->self].name;
    wadi_text_addf(c->out, "%s *const %s = wadi_near_room(w, ", type, name);
    wadi_c_number_print(c->numbers, WADI_C_PLACE, i->index, c->out);
    wadi_text_addf(c->out, ", %d * ", wadi_type_size(i->type));
    wadi_c_operand(c, i->args[0]);
    wadi_text_add(c->out, ");\n");
    wadi_text_indent(c->out, level);
    wadi_text_addf(c->out, "if (!%s) return 1;\n", name);
}

static void scratch(wadi_c_writer *c, const wadi_linst *i, int level) {
    const char *type = wadi_c_type(i->type), *name = c->names.at[i->self].name;
    if (i->near) {
        near_scratch(c, i, level);
        return;
    }
    wadi_text_addf(c->out, "%s *restrict const %s = wadi_scratch_of(w, ", type, name);
    wadi_c_number_print(c->numbers, WADI_C_PLACE, i->index, c->out);
    wadi_text_addf(c->out, ", %d, %d, (const int64_t[]){", wadi_type_size(i->type), i->nargs);
    for (int d = 0; d < i->nargs; d++) {
        if (d > 0) wadi_text_add(c->out, ", ");
        wadi_c_expression(c, i->args[d]);
    }
    wadi_text_add(c->out, i->nargs == 0 ? "0});\n" : "});\n");
    wadi_text_indent(c->out, level);
    wadi_text_addf(c->out, "if (!%s) return 1;\n", name);
}

/* What is in scratch already is copied if it must lie elsewhere. */
static void move_near(wadi_c_writer *c, const wadi_linst *i, int level) {
    wadi_text *t = c->out;
    wadi_text_indent(t, level);
    wadi_text_addf(t, "if (columns_%u[0] != ", i->self);
    wadi_c_expression(c, i->args[2]);
    wadi_text_addf(t, ") __builtin_memcpy(columns_%u[0], ", i->self);
    wadi_c_expression(c, i->args[2]);
    wadi_text_addf(t, ", (size_t)shape_%u[0] * %d);\n", i->self,
                   wadi_type_size(wadi_c_inst(c, i->args[2])->type));
}

static void emit(wadi_c_writer *c, const wadi_linst *i, int level) {
    wadi_text *t = c->out;
    const int nargs = i->near ? 2 : i->nargs;
    c->last_emit = i->self;
    wadi_text_addf(t, "void *columns_%u[WADI_KERNEL_FIELDS];\n", i->self);
    wadi_text_indent(t, level);
    wadi_text_addf(t, "const int64_t shape_%u[] = {", i->self);
    for (int d = 1; d < nargs; d++) {
        if (d > 1) wadi_text_add(t, ", ");
        wadi_c_expression(c, i->args[d]);
    }
    wadi_text_add(t, nargs == 1 ? "0};\n" : "};\n");
    wadi_text_indent(t, level);
    wadi_text_add(t, nargs == 2 ? "if (!wadi_emit_vector(w, " : "if (!w->emit(w, ");
    wadi_c_number_print(c->numbers, WADI_C_SLOT, i->slot, t);
    wadi_text_add(t, ", ");
    wadi_c_expression(c, i->args[0]);
    wadi_text_addf(t, ", shape_%u, columns_%u)) return wadi_no_room(w, ", i->self, i->self);
    wadi_c_number_print(c->numbers, WADI_C_PLACE, i->index, t);
    wadi_text_add(t, ");\n");
    if (i->near) move_near(c, i, level);
}

static void foreign(wadi_c_writer *c, const wadi_linst *i, int level) {
    wadi_text *t = c->out;
    const int dims = (int)i->imm.bits, arrays = (i->nargs - 1) / (1 + dims);
    wadi_text_addf(t, "const wadi_call call_%u = {", i->self);
    wadi_c_string(t, i->text);
    wadi_text_add(t, ", ");
    wadi_c_expression(c, i->args[0]);
    wadi_text_addf(t, ", %d, %d, {\n", i->index, arrays - i->index);
    for (int a = 0; a < arrays; a++) {
        const wadi_lv *arg = i->args + 1 + a * (1 + dims);
        wadi_text_indent(t, level + 1);
        wadi_text_add(t, "{(void *)");
        wadi_c_operand(c, arg[0]);
        wadi_text_add(t, ", 0, 1");
        for (int d = 0; d < dims; d++) {
            wadi_text_add(t, " * ");
            wadi_c_operand(c, arg[1 + d]);
        }
        wadi_text_addf(t, ", %d, %d, {", (int)wadi_c_inst(c, arg[0])->type, dims);
        for (int d = 0; d < dims; d++) {
            if (d > 0) wadi_text_add(t, ", ");
            wadi_c_expression(c, arg[1 + d]);
        }
        if (dims == 0) wadi_text_add(t, "0");
        wadi_text_add(t, "}},\n");
    }
    wadi_text_indent(t, level);
    wadi_text_add(t, "}};\n");
    wadi_text_indent(t, level);
    wadi_text_addf(t, "const bool %s = w->foreign(w, &call_%u);\n", c->names.at[i->self].name,
                   i->self);
}

static void fault(wadi_c_writer *c, const wadi_linst *i) {
    wadi_text_addf(c->out, "return wadi_fault_at(w, %s, ", wadi_c_fault(i));
    wadi_c_number_print(c->numbers, WADI_C_PLACE, i->index, c->out);
    enum { VALUES = 2, INDEX = VALUES + WADI_FAULT_VALUES };
    for (int a = 0; a < INDEX; a++) {
        wadi_text_add(c->out, ", ");
        wadi_c_expression(c, i->args[a]);
    }
    wadi_text_addf(c->out, ", %d, ", i->nargs - INDEX);
    for (int a = INDEX; a < i->nargs; a++) {
        wadi_text_add(c->out, a == INDEX ? "(const int64_t[]){" : ", ");
        wadi_c_expression(c, i->args[a]);
    }
    wadi_text_add(c->out, i->nargs > INDEX ? "});\n" : "0);\n");
}

static void copy(wadi_c_writer *c, const wadi_linst *i) {
    wadi_text_add(c->out, "__builtin_memcpy(");
    wadi_c_expression(c, i->args[0]);
    wadi_text_add(c->out, ", ");
    wadi_c_expression(c, i->args[1]);
    wadi_text_add(c->out, ", (size_t)");
    wadi_c_operand(c, i->args[2]);
    wadi_text_addf(c->out, " * %d);\n", wadi_type_size(wadi_c_inst(c, i->args[0])->type));
}

void wadi_c_statement(wadi_c_writer *c, const wadi_linst *i, int level) {
    wadi_text *t = c->out;
    switch (i->kind) {
    case WADI_L_VAR:
        variable(c, i);
        break;
    case WADI_L_SET:
        wadi_c_expression(c, i->args[0]);
        wadi_c_assign(c, i->args[1]);
        break;
    case WADI_L_LANES:
        wadi_text_addf(t, "%s %s[%d];\n", wadi_c_type(i->type), c->names.at[i->self].name,
                       i->index);
        break;
    case WADI_L_PUT:
    case WADI_L_STORE:
        if (i->atomic && wadi_c_inst(c, i->args[2])->kind != WADI_L_CONST)
            wadi_c_update_in_c(c, i, level);
        else
            store(c, i);
        break;
    case WADI_L_COPY:
        copy(c, i);
        break;
    case WADI_L_SETSHAPE:
        wadi_c_shape(c, i->slot, i->index, i->nargs > 1 ? i->args[1] : WADI_LV_NONE);
        wadi_c_assign(c, i->args[0]);
        break;
    case WADI_L_SETUNIT:
        wadi_text_add(t, "w->unit[");
        wadi_c_expression(c, i->args[1]);
        wadi_text_add(t, "]");
        wadi_c_assign(c, i->args[0]);
        break;
    case WADI_L_SCRATCH:
        scratch(c, i, level);
        break;
    case WADI_L_EMIT:
        emit(c, i, level);
        break;
    case WADI_L_FOREIGN:
        foreign(c, i, level);
        break;
    case WADI_L_REWIND:
        wadi_text_addf(t, "w->scratch_rewind(w, %s);\n", c->names.at[i->args[0]].name);
        break;
    case WADI_L_FAULT:
        fault(c, i);
        break;
    case WADI_L_NOTE:
        wadi_c_comment(t, "", i->text, "");
        wadi_text_add(t, "\n");
        break;
    case WADI_L_LEAVE:
        wadi_text_add(t, "if (!(");
        wadi_c_expression(c, i->args[0]);
        wadi_text_add(t, ")) break;\n");
        break;
    default:
        wadi_c_declare(c, i);
        break;
    }
}
