/* Prints loop IR for people: one line per instruction, such as `%3 = add %1 %2`, with scopes indented. Nothing reads it back. */
#include "codegen/loop/loop.h"

#include <inttypes.h>

#include "base/text.h"

typedef struct printer {
    const wadi_lmodule *m;
    const wadi_lfun *f;
    wadi_text *out;
} printer;

static const char *const kind_name[] = {
    [WADI_L_CONST] = "const",
    [WADI_L_PRIM] = "prim",
    [WADI_L_SELECT] = "select",
    [WADI_L_ARG] = "arg",
    [WADI_L_SHAPE] = "shape",
    [WADI_L_STRIDE] = "stride",
    [WADI_L_OFFSET] = "offset",
    [WADI_L_UNIT] = "unit",
    [WADI_L_COLUMN] = "column",
    [WADI_L_ADVANCE] = "advance",
    [WADI_L_RANGE] = "range",
    [WADI_L_LOAD] = "load",
    [WADI_L_FRESH] = "load_fresh",
    [WADI_L_LOOPVAR] = "loopvar",
    [WADI_L_GET] = "get",
    [WADI_L_LANE] = "lane",
    [WADI_L_SCRATCH] = "scratch",
    [WADI_L_MARK] = "mark",
    [WADI_L_EMITTED] = "emitted",
    [WADI_L_VAR] = "var",
    [WADI_L_SET] = "set",
    [WADI_L_LANES] = "lanes",
    [WADI_L_PUT] = "put",
    [WADI_L_STORE] = "store",
    [WADI_L_COPY] = "copy",
    [WADI_L_SETSHAPE] = "set_shape",
    [WADI_L_SETUNIT] = "set_unit",
    [WADI_L_EMIT] = "emit",
    [WADI_L_FOREIGN] = "foreign",
    [WADI_L_REWIND] = "rewind",
    [WADI_L_FAULT] = "fault",
    [WADI_L_SEGMENT] = "segment",
    [WADI_L_NOTE] = "note",
    [WADI_L_FOR] = "for",
    [WADI_L_IF] = "if",
    [WADI_L_REPEAT] = "repeat",
    [WADI_L_LEAVE] = "leave_unless",
};

static void value(const printer *p, wadi_lv v) {
    const wadi_linst *i = v == WADI_LV_NONE ? NULL : p->f->inst[v];
    if (!i)
        wadi_text_add(p->out, " _");
    else if (i->kind != WADI_L_CONST)
        wadi_text_addf(p->out, " %%%u", v);
    else if (wadi_type_is_complex(i->type))
        wadi_text_addf(p->out, " 0x%" PRIx64 "+0x%" PRIx64 "i:%s", i->imm.bits, i->imm.im,
                       wadi_type_name(i->type));
    else if (wadi_type_is_float(i->type))
        wadi_text_addf(p->out, " 0x%" PRIx64 ":%s", i->imm.bits, wadi_type_name(i->type));
    else
        wadi_text_addf(p->out, " %" PRId64, (int64_t)i->imm.bits);
}

static void where(const printer *p, const wadi_linst *i) {
    if (i->slot >= 0) wadi_text_addf(p->out, " slot %d", i->slot);
    if (i->slot >= 0 && p->m->slots && p->m->slots[i->slot].name)
        wadi_text_addf(p->out, " (%s)", p->m->slots[i->slot].name);
    if (i->kind == WADI_L_COLUMN || i->kind == WADI_L_SHAPE || i->kind == WADI_L_SETSHAPE ||
        i->kind == WADI_L_LANES || i->kind == WADI_L_ARG || i->kind == WADI_L_EMITTED)
        wadi_text_addf(p->out, " #%d", i->index);
}

static void scope(const printer *p, const wadi_lscope *s, int level);

static void instruction(const printer *p, const wadi_linst *i, int level) {
    wadi_text_indent(p->out, level);
    if (i->kind == WADI_L_NOTE) {
        wadi_text_addf(p->out, "-- %s\n", i->text);
        return;
    }
    if (i->has_value)
        wadi_text_addf(p->out, "%%%u%s%s : %s%s = ", i->self, i->text ? "." : "",
                       i->text ? i->text : "", i->pointer ? "*" : "", wadi_type_name(i->type));
    if (i->kind == WADI_L_FOR) wadi_text_addf(p->out, "%%%u = ", i->var);
    wadi_text_add(p->out, i->kind == WADI_L_PRIM ? wadi_sop_get(i->op)->name : kind_name[i->kind]);
    if (i->kind == WADI_L_FOR && i->independent) wadi_text_add(p->out, " independent");
    if (i->kind == WADI_L_FOR && i->unrolled) wadi_text_add(p->out, " unrolled");
    if (i->placing) wadi_text_add(p->out, " placing");
    if (i->atomic) wadi_text_add(p->out, " atomic");
    if (i->by != WADI_BY_ONE)
        wadi_text_add(p->out, i->by == WADI_BY_GROUPS ? " by groups" : " by lanes");
    if (i->kind == WADI_L_FAULT)
        wadi_text_addf(p->out, " kind %d place %d", (int)i->imm.bits, i->index);
    where(p, i);
    for (int a = 0; a < i->nargs; a++) value(p, i->args[a]);
    wadi_text_add(p->out, "\n");
    if (i->block[0]) scope(p, i->block[0], level + 1);
    if (i->block[1] && i->block[1]->n > 0) {
        wadi_text_indent(p->out, level);
        wadi_text_add(p->out, "else\n");
        scope(p, i->block[1], level + 1);
    }
}

static void scope(const printer *p, const wadi_lscope *s, int level) {
    for (int i = 0; i < s->n; i++) instruction(p, s->inst[i], level);
}

void wadi_lmodule_print(const wadi_lmodule *m, wadi_text *out) {
    for (int i = 0; i < m->nfuns; i++) {
        const printer p = {m, m->funs[i], out};
        wadi_text_addf(out, "kernel %s\n", m->funs[i]->name);
        scope(&p, m->funs[i]->body, 1);
    }
}
