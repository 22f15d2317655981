/* Loop IR as C text, one statement per instruction that is worth a name.
 *
 * A value that is used once, in its own scope, is written where it is used. Any other becomes a constant with the name that it
 * has in the program. Values that nothing needs are left out. The text relies on wrapping integers (-fwrapv). */
#include "codegen/emit/c/c.h"

#include "base/error.h"
#include "codegen/emit/c_like/comment.h"
#include "codegen/emit/c_like/expression.h"
#include "codegen/emit/c/nests.h"
#include "codegen/emit/c/prelude.h"
#include "codegen/emit/c_like/scalar.h"
#include "codegen/emit/c/stop.h"
#include "codegen/emit/c/twins.h"
#include "codegen/emit/c/update.h"

typedef struct writer {
    wadi_c_writer w;
    wadi_c_nests nests;
    bool in_nest; /* a nest is being written */
    const wadi_c_nest *
        rest; /* what takes the rounds that would take a bulky branch, while a loop is written without these; else NULL */
    const char *rest_name;
} writer;

static const wadi_c_words words = {.arg = {"begin", "end", "w->first", "w->workers", "w->count"},
                                   .unit = "w->unit",
                                   .scratch_mark = "w->scratch_mark(w)",
                                   .segment = "wadi_segment(w, ",
                                   .pointer = {"(", " *)", ""},
                                   .numbers = {"", ""},
                                   .stored_bool = "bool"};

/* ---- statements ---- */

static void scope(writer *c, const wadi_lscope *s, int level);

static void declare(writer *c, const wadi_linst *i) {
    const char *type = wadi_c_type(i->type), *name = c->w.names.at[i->self].name;
    if (i->pointer)
        wadi_text_addf(c->w.out, "%s *%sconst %s = ", type, wadi_c_is_apart(i) ? "restrict " : "",
                       name);
    else
        wadi_text_addf(c->w.out, "const %s %s = ", type, name);
    wadi_c_definition(&c->w, i);
    wadi_text_add(c->w.out, ";\n");
}

static void assignment(writer *c, wadi_lv value) {
    wadi_text_add(c->w.out, " = ");
    wadi_c_expression(&c->w, value);
    wadi_text_add(c->w.out, ";\n");
}

/* Whether the value is a bool made by comparing an integer with zero. GCC 12 narrows such a test and then cannot vectorise the
 * integer's computation, so the number 0 or 1 is stored instead. */
static bool is_test_for_zero(const writer *c, wadi_lv value) {
    const wadi_linst *i = c->w.f->inst[value];
    if (i->kind != WADI_L_PRIM || i->op != WADI_SOP_NE) return false;
    const wadi_linst *zero = c->w.f->inst[i->args[1]];
    return zero->kind == WADI_L_CONST && zero->imm.bits == 0 && wadi_type_is_int(zero->type);
}

static void store(writer *c, const wadi_linst *i) {
    if (!is_test_for_zero(c, i->args[2])) {
        wadi_c_indexed(&c->w, i);
        assignment(c, i->args[2]);
        return;
    }
    wadi_text_add(c->w.out, "((uint8_t *)");
    wadi_c_operand(&c->w, i->args[0]);
    wadi_text_add(c->w.out, ")[");
    wadi_c_expression(&c->w, i->args[1]);
    wadi_text_add(c->w.out, "] = (");
    wadi_c_expression(&c->w, i->args[2]);
    wadi_text_add(c->w.out, ") ? 1u : 0u;\n");
}

static void variable(writer *c, const wadi_linst *i) {
    wadi_text_addf(c->w.out, "%s %s%s", wadi_c_type(i->type), i->pointer ? "*" : "",
                   c->w.names.at[i->self].name);
    if (i->nargs > 0)
        assignment(c, i->args[0]);
    else
        wadi_text_add(c->w.out, ";\n");
}

static void scratch(writer *c, const wadi_linst *i, int level) {
    const char *type = wadi_c_type(i->type), *name = c->w.names.at[i->self].name;
    wadi_text_addf(c->w.out, "%s *restrict const %s = wadi_scratch_of(w, ", type, name);
    wadi_c_number_print(c->w.numbers, WADI_C_PLACE, i->index, c->w.out);
    wadi_text_addf(c->w.out, ", %d, %d, (const int64_t[]){", wadi_type_size(i->type), i->nargs);
    for (int d = 0; d < i->nargs; d++) {
        if (d > 0) wadi_text_add(c->w.out, ", ");
        wadi_c_expression(&c->w, i->args[d]);
    }
    wadi_text_add(c->w.out, i->nargs == 0 ? "0});\n" : "});\n");
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out, "if (!%s) return 1;\n", name);
}

static void emit(writer *c, const wadi_linst *i, int level) {
    wadi_text *t = c->w.out;
    c->w.last_emit = i->self;
    wadi_text_addf(t, "void *columns_%u[WADI_KERNEL_FIELDS];\n", i->self);
    wadi_text_indent(t, level);
    wadi_text_addf(t, "const int64_t shape_%u[] = {", i->self);
    for (int d = 1; d < i->nargs; d++) {
        if (d > 1) wadi_text_add(t, ", ");
        wadi_c_expression(&c->w, i->args[d]);
    }
    wadi_text_add(t, i->nargs == 1 ? "0};\n" : "};\n");
    wadi_text_indent(t, level);
    wadi_text_add(t, "if (!w->emit(w, ");
    wadi_c_number_print(c->w.numbers, WADI_C_SLOT, i->slot, t);
    wadi_text_add(t, ", ");
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(t, ", shape_%u, columns_%u)) return wadi_no_room(w, ", i->self, i->self);
    wadi_c_number_print(c->w.numbers, WADI_C_PLACE, i->index, t);
    wadi_text_add(t, ");\n");
}

static void foreign(writer *c, const wadi_linst *i, int level) {
    wadi_text *t = c->w.out;
    const int dims = (int)i->imm.bits, arrays = (i->nargs - 1) / (1 + dims);
    wadi_text_addf(t, "const wadi_call call_%u = {", i->self);
    wadi_c_string(t, i->text);
    wadi_text_add(t, ", ");
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(t, ", %d, %d, {\n", i->index, arrays - i->index);
    for (int a = 0; a < arrays; a++) {
        const wadi_lv *arg = i->args + 1 + a * (1 + dims);
        wadi_text_indent(t, level + 1);
        wadi_text_add(t, "{(void *)");
        wadi_c_operand(&c->w, arg[0]);
        wadi_text_add(t, ", 0, 1");
        for (int d = 0; d < dims; d++) {
            wadi_text_add(t, " * ");
            wadi_c_operand(&c->w, arg[1 + d]);
        }
        wadi_text_addf(t, ", %d, %d, {", (int)wadi_c_inst(&c->w, arg[0])->type, dims);
        for (int d = 0; d < dims; d++) {
            if (d > 0) wadi_text_add(t, ", ");
            wadi_c_expression(&c->w, arg[1 + d]);
        }
        if (dims == 0) wadi_text_add(t, "0");
        wadi_text_add(t, "}},\n");
    }
    wadi_text_indent(t, level);
    wadi_text_add(t, "}};\n");
    wadi_text_indent(t, level);
    wadi_text_addf(t, "const bool %s = w->foreign(w, &call_%u);\n", c->w.names.at[i->self].name,
                   i->self);
}

static void fault(writer *c, const wadi_linst *i) {
    wadi_text_addf(c->w.out, "return wadi_fault_at(w, %s, ", wadi_c_fault(i));
    wadi_c_number_print(c->w.numbers, WADI_C_PLACE, i->index, c->w.out);
    enum { VALUES = 2, INDEX = VALUES + WADI_FAULT_VALUES };
    for (int a = 0; a < INDEX; a++) {
        wadi_text_add(c->w.out, ", ");
        wadi_c_expression(&c->w, i->args[a]);
    }
    wadi_text_addf(c->w.out, ", %d, ", i->nargs - INDEX);
    for (int a = INDEX; a < i->nargs; a++) {
        wadi_text_add(c->w.out, a == INDEX ? "(const int64_t[]){" : ", ");
        wadi_c_expression(&c->w, i->args[a]);
    }
    wadi_text_add(c->w.out, i->nargs > INDEX ? "});\n" : "0);\n");
}

static void copy(writer *c, const wadi_linst *i) {
    wadi_text_add(c->w.out, "__builtin_memcpy(");
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_add(c->w.out, ", ");
    wadi_c_expression(&c->w, i->args[1]);
    wadi_text_add(c->w.out, ", (size_t)");
    wadi_c_operand(&c->w, i->args[2]);
    wadi_text_addf(c->w.out, " * %d);\n", wadi_type_size(wadi_c_inst(&c->w, i->args[0])->type));
}

/* The rounds of the loop from `from` to `below`. If asked, each round checks whether to stop. */
static void rounds(writer *c, const wadi_linst *i, int level, const char *from, const char *below,
                   bool look) {
    const char *name = c->w.names.at[i->var].name;
    const int64_t step = (int64_t)wadi_c_inst(&c->w, i->args[2])->imm.bits;
    if (i->independent) {
        wadi_text_add(c->w.out, "WADI_INDEPENDENT\n");
        wadi_text_indent(c->w.out, level);
    }
    if (i->unrolled) {
        wadi_text_add(c->w.out, "WADI_UNROLLED\n");
        wadi_text_indent(c->w.out, level);
    }
    wadi_text_addf(c->w.out, "for (int64_t %s = ", name);
    if (from)
        wadi_text_add(c->w.out, from);
    else
        wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(c->w.out, "; %s < ", name);
    if (below)
        wadi_text_add(c->w.out, below);
    else
        wadi_c_operand(&c->w, i->args[1]);
    if (step == 1)
        wadi_text_addf(c->w.out, "; %s++) {\n", name);
    else
        wadi_text_addf(c->w.out, "; %s += %lld) {\n", name, (long long)step);
    if (look) {
        wadi_text_indent(c->w.out, level + 1);
        wadi_text_add(c->w.out, "WADI_LOOK\n");
    }
    if (i->brief) {
        wadi_text_indent(c->w.out, level + 1);
        wadi_text_add(c->w.out, "WADI_BRIEF\n");
    }
    scope(c, i->block[0], level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
}

/* The whole loop over a strip, in a function. */
static void rest_body(void *env, const wadi_linst *loop) {
    writer *c = env;
    const char *name = c->w.names.at[loop->var].name;
    const char *from = wadi_arena_printf(c->w.names.arena, "from_%s", name);
    const char *below = wadi_arena_printf(c->w.names.arena, "below_%s", name);
    if (!from || !below)
        c->w.out->failed = true;
    else
        rounds(c, loop, 1, from, below, false);
}

/* The rounds of a strip, without bulky branches if that is worth a form. */
static void rounds_of_strip(writer *c, const wadi_linst *i, int level, const char *from,
                            const char *below) {
    wadi_c_nest rest;
    if (c->nests.many || !wadi_c_has_rest(c->w.f, &c->w.names, i, &rest)) {
        rounds(c, i, level, from, below, false);
        return;
    }
    const char *name = wadi_c_rest_write(&c->w, &c->nests, &rest, rest_body, c);
    if (name) {
        c->rest = &rest;
        c->rest_name = name;
        rounds(c, i, level, from, below, false);
        c->rest = NULL;
        wadi_text_indent(c->w.out, level);
        wadi_text_addf(c->w.out, "behind_%s:;\n", name);
    }
    wadi_c_nest_fini(&rest);
}

/* The loop in strips of `strip` rounds, with a check whether to stop before each strip. */
static void strips(writer *c, const wadi_linst *i, int level, int64_t strip) {
    const char *name = c->w.names.at[i->var].name;
    const char *from = wadi_arena_printf(c->w.names.arena, "from_%s", name);
    const char *below = wadi_arena_printf(c->w.names.arena, "below_%s", name);
    const int64_t length = strip * (int64_t)wadi_c_inst(&c->w, i->args[2])->imm.bits;
    if (!from || !below) {
        c->w.out->failed = true;
        return;
    }
    wadi_text_addf(c->w.out, "for (int64_t %s = ", from);
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(c->w.out, ", %s; %s < ", below, from);
    wadi_c_operand(&c->w, i->args[1]);
    wadi_text_addf(c->w.out, "; %s = %s) {\n", from, below);
    wadi_text_indent(c->w.out, level + 1);
    wadi_text_addf(c->w.out, "WADI_LOOK\n");
    wadi_text_indent(c->w.out, level + 1);
    wadi_text_addf(c->w.out, "%s = WADI_STRIP(%s, %lld, ", below, from, (long long)length);
    wadi_c_expression(&c->w, i->args[1]);
    wadi_text_add(c->w.out, ");\n");
    wadi_text_indent(c->w.out, level + 1);
    rounds_of_strip(c, i, level + 1, from, below);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
}

static void for_loop(writer *c, const wadi_linst *i, int level) {
    const wadi_c_nest *rest = c->rest;
    const char *rest_name = c->rest_name;
    const int64_t strip = wadi_c_strip_of(c->w.f, i);
    c->rest = NULL; /* only branches of the loop itself are left out */
    if (strip > 1)
        strips(c, i, level, strip);
    else
        rounds(c, i, level, NULL, NULL, strip == 1);
    c->rest = rest;
    c->rest_name = rest_name;
}

/* The condition of a branch that only the whole loop takes. */
static void leave_to_rest(writer *c, const wadi_linst *i, int level, bool unless) {
    wadi_text_add(c->w.out, unless ? "if (WADI_SELDOM(!(" : "if (WADI_SELDOM(");
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_add(c->w.out, unless ? "))) {\n" : ")) {\n");
    wadi_c_rest_call(&c->w, c->rest, c->rest_name, level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
}

/* A branch of a loop that is written without bulky branches. False: it is as any other. */
static bool branch_of_brief(writer *c, const wadi_linst *i, int level) {
    const bool unless = wadi_c_guards_bulky(i);
    const wadi_lscope *stays = unless ? i->block[0] : i->block[1];
    if (!c->rest || (!i->bulky && !unless)) return false;
    leave_to_rest(c, i, level, unless);
    if (!stays) return true;
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "{\n");
    scope(c, stays, level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
    return true;
}

static void branch(writer *c, const wadi_linst *i, int level) {
    if (branch_of_brief(c, i, level)) return;
    wadi_text_add(c->w.out, i->seldom ? "if (WADI_SELDOM(" : "if (");
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_add(c->w.out, i->seldom ? ")) {\n" : ") {\n");
    scope(c, i->block[0], level + 1);
    wadi_text_indent(c->w.out, level);
    if (i->block[1] && i->block[1]->n > 0) {
        wadi_text_add(c->w.out, "} else {\n");
        scope(c, i->block[1], level + 1);
        wadi_text_indent(c->w.out, level);
    }
    wadi_text_add(c->w.out, "}\n");
}

static void statement(writer *c, const wadi_linst *i, int level) {
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
        wadi_text_addf(t, "%s %s[%d];\n", wadi_c_type(i->type), c->w.names.at[i->self].name,
                       i->index);
        break;
    case WADI_L_PUT:
    case WADI_L_STORE:
        if (i->atomic && wadi_c_inst(&c->w, i->args[2])->kind != WADI_L_CONST)
            wadi_c_update_in_c(&c->w, i, level);
        else
            store(c, i);
        break;
    case WADI_L_COPY:
        copy(c, i);
        break;
    case WADI_L_SETSHAPE:
        wadi_c_shape(&c->w, i->slot, i->index, i->nargs > 1 ? i->args[1] : WADI_LV_NONE);
        assignment(c, i->args[0]);
        break;
    case WADI_L_SETUNIT:
        wadi_text_add(t, "w->unit[");
        wadi_c_expression(&c->w, i->args[1]);
        wadi_text_add(t, "]");
        assignment(c, i->args[0]);
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
        wadi_text_addf(t, "w->scratch_rewind(w, %s);\n", c->w.names.at[i->args[0]].name);
        break;
    case WADI_L_FAULT:
        fault(c, i);
        break;
    case WADI_L_NOTE:
        wadi_c_comment(t, "", i->text, "");
        wadi_text_add(t, "\n");
        break;
    case WADI_L_FOR:
        for_loop(c, i, level);
        break;
    case WADI_L_IF:
        branch(c, i, level);
        break;
    case WADI_L_REPEAT:
        wadi_text_add(t, "for (;;) {\n");
        wadi_text_indent(t, level + 1);
        wadi_text_add(t, i->brief ? "WADI_BRIEF\n" : "WADI_LOOK\n");
        scope(c, i->block[0], level + 1);
        wadi_text_indent(t, level);
        wadi_text_add(t, "}\n");
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

/* ---- nests as functions ---- */

static void nest_body(void *env, const wadi_linst *head) {
    writer *c = env;
    c->in_nest = true;
    if (head->kind == WADI_L_FOR)
        for_loop(c, head, 1);
    else
        branch(c, head, 1);
    c->in_nest = false;
}

/* The next statement of the scope, or NULL. */
static const wadi_linst *next_printed(const writer *c, const wadi_lscope *s, int *at) {
    while (++*at < s->n)
        if (c->w.names.at[s->inst[*at]->self].printed) return s->inst[*at];
    return NULL;
}

/* Declares a variable. If the next statement sets it, that value is its initial value. Returns the position of the last statement
 * written. */
static int start_variable(writer *c, const wadi_lscope *s, int at, int level) {
    const wadi_linst *var = s->inst[at];
    int next_at = at;
    const wadi_linst *next = next_printed(c, s, &next_at);
    if (var->kind != WADI_L_VAR || var->nargs > 0 || !next || next->kind != WADI_L_SET ||
        next->args[0] != var->self)
        return at;
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out, "%s %s%s", wadi_c_type(var->type), var->pointer ? "*" : "",
                   c->w.names.at[var->self].name);
    assignment(c, next->args[1]);
    return next_at;
}

static void scope(writer *c, const wadi_lscope *s, int level) {
    for (int i = 0; i < s->n; i++) {
        wadi_c_nest nest;
        if (!c->w.names.at[s->inst[i]->self].printed) continue;
        const int written = start_variable(c, s, i, level);
        if (written > i) {
            i = written;
            continue;
        }
        if (!c->in_nest && wadi_c_outline(c->w.f, &c->w.names, s, i, c->nests.many, &nest)) {
            wadi_c_nest_write(&c->w, &c->nests, &nest, level, nest_body, c);
            wadi_c_nest_fini(&nest);
        } else {
            statement(c, s->inst[i], level);
        }
    }
}

/* ---- functions and modules ---- */

/* How a function is declared that kernels share: hidden, so that calling it costs no lookup. */
#define SHARED(name)                                                                        \
    "__attribute__((visibility(\"hidden\"))) " name "_shared(wadi_work *w, int64_t begin, " \
    "int64_t end, const int32_t *const of)"

/* The function of a kernel, or of several, which pass `of`. Its nests are functions in front of it, or in `apart` if there are many. */
static bool function(const wadi_lmodule *m, const wadi_lfun *f, const wadi_c_numbers *numbers,
                     wadi_text *apart, wadi_text *out) {
    wadi_text body;
    wadi_text_init(&body);
    writer c = {.w = {.words = &words, .m = m, .f = f, .out = &body, .numbers = numbers},
                .nests = {.many = wadi_c_has_many_nests(f)}};
    const bool named = wadi_c_names_init(&c.w.names, f, NULL);
    if (named) {
        if (numbers != NULL)
            wadi_text_addf(&body, "int " SHARED("%s") " {\n", f->name);
        else
            wadi_text_addf(&body, "int %s(wadi_work *w, int64_t begin, int64_t end) {\n", f->name);
        wadi_text_add(&body, "    const wadi_slot *const slot = w->slot;\n");
        scope(&c, f->body, 1);
        wadi_text_add(c.nests.many ? apart : out, wadi_text_str(&c.nests.functions));
        wadi_text_add(out, wadi_text_str(&c.nests.declarations));
        wadi_text_add(out, wadi_text_str(&body));
        wadi_text_add(out, "    return 0;\n}\n");
    }
    const bool ok = named && !body.failed && !wadi_c_nests_failed(&c.nests);
    wadi_c_names_fini(&c.w.names);
    wadi_c_nests_fini(&c.nests);
    wadi_text_fini(&body);
    return ok;
}

static void notes(const wadi_lscope *s, wadi_text *out) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        if (i->kind == WADI_L_NOTE) {
            wadi_c_comment(out, "", i->text, "");
            wadi_text_add(out, "\n");
        }
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL) notes(i->block[b], out);
    }
}

/* A kernel that calls the function of its model. The function may be in another part of the text when it is compiled. */
static void call_of(const wadi_lmodule *m, const wadi_lfun *f, const wadi_lfun *model,
                    const wadi_c_numbers *numbers, wadi_text *out) {
    notes(f->body, out);
    wadi_text_addf(out, "WADI_TWIN(%s, %s_shared, ", f->name, model->name);
    wadi_c_twins_table(m, f, numbers, out);
    wadi_text_add(out, ")\n");
}

static bool kernel(const wadi_lmodule *m, const wadi_c_twin *twins, int k, wadi_text *out) {
    const wadi_lfun *f = m->funs[k];
    const wadi_c_twin *t = &twins[k];
    wadi_text own = {0};
    bool ok = true;
    if (t->model == k || t->model < 0)
        ok = function(m, f, t->model == k ? &t->numbers : NULL, out, &own);
    wadi_text_addf(out, WADI_C_KERNEL_BEGINS "%s ---- */\n", f->name);
    if (t->model == k)
        wadi_text_addf(out, "/* ---- for %d kernels; names are those of this one ---- */\n",
                       t->sharers);
    wadi_text_add(out, wadi_text_str(&own));
    if (t->model >= 0) call_of(m, f, m->funs[t->model], &t->numbers, out);
    wadi_text_addf(out, "/* ---- end of %s ---- */\n\n", f->name);
    ok = ok && !own.failed;
    wadi_text_fini(&own);
    return ok;
}

static wadi_status write_kernels(const wadi_lmodule *m, wadi_text *out, wadi_error *err) {
    wadi_c_twin *twins = wadi_c_twins_find(m);
    bool ok = twins != NULL;
    for (int k = 0; ok && k < m->nfuns; k++) ok = kernel(m, twins, k, out);
    wadi_c_twins_free(twins, m);
    return ok && !out->failed ? WADI_OK
                              : wadi_fail(err, WADI_MEMORY, "out of memory while writing kernels");
}

/* GCC would unroll an outer loop into its inner loop and then keep the lanes of reductions in memory, which is half as fast. This
 * is no compiler flag, because clang does not know it. */
static const char options[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                              "#pragma GCC optimize(\"no-loop-unroll-and-jam\")\n"
                              "#endif\n";

/* GCC would join selections by one bool to a branch (it threads jumps), and write what a lane in step changes by masked stores: on processors without
 * AVX-512 that takes seven times as long as a selection, and with it the state does not stay in registers. */
static const char in_step[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                              "#pragma GCC optimize(\"no-thread-jumps\")\n"
                              "#endif\n";

static bool has_lanes_in_step(const wadi_lmodule *m) {
    for (int k = 0; k < m->nfuns; k++)
        for (uint32_t v = 0; v < m->funs[k]->n; v++)
            if (m->funs[k]->inst[v]->in_step) return true;
    return false;
}

#define FUSED(T, N, suffix, name)                                                              \
    "static inline __attribute__((always_inline)) " T " wadi_fused_" N "(" T " a, " T " b, " T \
    " c) {\n"                                                                                  \
    "    __asm__(\"vfmadd231" suffix " %2, %1, %0\" : \"+x\"(c) : \"x\"(a), \"x\"(b));\n"      \
    "    return c;\n}\n"                                                                       \
    "#define __builtin_" name " wadi_fused_" N "\n"
/* GCC 12 before 12.3 (its bug 107647) makes fused multiply-adds (fmaddsub) of the products of complex numbers, whatever
 * -ffp-contract says. So those versions compile kernels with complex numbers without these instructions. Where an operation is a fused
 * multiply-add, the instruction is named. */
static const char uncontracted[] =
    "#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && __GNUC__ == 12 && "
    "__GNUC_MINOR__ < 3\n"
    "#if defined(__FMA__)\n"
    "#define WADI_HAS_FMA\n"
    "#endif\n"
    "#pragma GCC target(\"no-fma,no-fma4,no-avx512f\")\n"
    "#if defined(WADI_HAS_FMA)\n" FUSED("double", "f64", "sd", "fma")
        FUSED("float", "f32", "ss", "fmaf") "#endif\n"
                                            "#endif\n";

static bool uses_complex(const wadi_lmodule *m) {
    for (int k = 0; k < m->nfuns; k++)
        for (uint32_t v = 0; v < m->funs[k]->n; v++)
            if (wadi_type_is_complex(m->funs[k]->inst[v]->type)) return true;
    return false;
}

wadi_status wadi_emit_c(const wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                        wadi_error *err) {
    wadi_text kernels;
    wadi_text_init(&kernels);
    wadi_status st = write_kernels(m, &kernels, err);
    wadi_c_comment(out, "Kernels of ", m->name, ", made by wadi.");
    wadi_text_add(out, "\n\n");
    wadi_text_add(out, options);
    if (has_lanes_in_step(m)) wadi_text_add(out, in_step);
    if (uses_complex(m)) wadi_text_add(out, uncontracted);
    if (st == WADI_OK && !wadi_c_prelude(wadi_text_str(&kernels), uses_complex(m), out))
        st = wadi_fail(err, WADI_MEMORY, "out of memory while writing kernels");
    *out_kernels = out->n;
    wadi_text_add(out, wadi_text_str(&kernels));
    wadi_text_fini(&kernels);
    return st;
}
