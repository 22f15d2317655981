/* Prints scalar functions. Scalars have no names in the IR: here parameters become x, y, .. (i64: i, j, ..), others t0, t1, ...
 *
 * If an expression is used once, in its own block, it is written where it is used, up to a small depth. Scalar code is pure,
 * so its position in the block does not matter. */
#include "graph/ir/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "graph/ir/literal.h"

enum { MAX_DEPTH = 3, MAX_LINE = 72 };

/* What is known of one scalar. */
typedef struct fact {
    const wadi_sinst *def; /* NULL: a parameter */
    const wadi_sblock *in; /* the block it is defined in */
    const wadi_sblock *used_in;
    int uses;
    int depth; /* of the expression, when written in place */
    bool in_place;
    char name[16];
} fact;

typedef struct body_printer {
    wadi_printer *p;
    const wadi_fun *f;
    fact *facts;
    int named_int, named_other, named_temp;
} body_printer;

/* ---- uses ---- */

static void note_use(body_printer *bp, wadi_sval s, const wadi_sblock *in) {
    bp->facts[s].uses++;
    bp->facts[s].used_in = in;
}

static void note_uses(body_printer *bp, const wadi_sblock *b) {
    for (int k = 0; k < b->ninsts; k++) {
        const wadi_sinst *i = b->insts[k];
        for (int a = 0; a < i->nargs; a++) note_use(bp, i->args[a], b);
        for (int r = 0; r < i->nresults; r++) {
            bp->facts[i->first + (wadi_sval)r].def = i;
            bp->facts[i->first + (wadi_sval)r].in = b;
        }
        for (int r = 0; r < 2; r++)
            if (i->block[r]) note_uses(bp, i->block[r]);
    }
    for (int y = 0; y < b->nyields; y++) note_use(bp, b->yields[y], b);
}

/* Whether scalar `s` may be written inside another expression at all. */
static bool may_stand_in_place(const body_printer *bp, wadi_sval s) {
    const fact *x = &bp->facts[s];
    if (!x->def) return false;
    if (x->def->op == WADI_SOP_CONST) return true;
    if (x->def->nresults != 1 || x->def->block[0] || x->uses != 1 || x->in != x->used_in)
        return false;
    /* an instruction that can fail stands on a line of its own, with its place */
    const bool placed =
        bp->p->places && x->def->loc.file && (wadi_sop_get(x->def->op)->flags & WADI_SOP_FAULTS);
    return !placed;
}

static void choose_places(body_printer *bp, const wadi_sblock *b) {
    for (int k = 0; k < b->ninsts; k++) {
        const wadi_sinst *i = b->insts[k];
        int depth = 0;
        for (int a = 0; a < i->nargs; a++) {
            fact *x = &bp->facts[i->args[a]];
            /* initial states of loops stand in a list, the other arguments in parentheses */
            x->in_place = may_stand_in_place(bp, i->args[a]) && x->depth < MAX_DEPTH;
            if (x->in_place && x->depth > depth) depth = x->depth;
        }
        if (i->nresults == 1) bp->facts[i->first].depth = i->op == WADI_SOP_CONST ? 0 : depth + 1;
        for (int r = 0; r < 2; r++)
            if (i->block[r]) choose_places(bp, i->block[r]);
    }
    for (int y = 0; y < b->nyields; y++)
        bp->facts[b->yields[y]].in_place = may_stand_in_place(bp, b->yields[y]);
}

/* ---- names ---- */

/* The letters one after the other, then the first letter with a number. */
static void set_name(fact *x, const char *letters, int number) {
    if (number < (int)strlen(letters))
        x->name[0] = letters[number];
    else
        (void)snprintf(x->name, sizeof x->name, "%c%d", letters[0], number);
}

static void name_param(body_printer *bp, wadi_sval s) {
    if (bp->f->types[s] == WADI_I64)
        set_name(&bp->facts[s], "ijklmn", bp->named_int++);
    else
        set_name(&bp->facts[s], "xyzw", bp->named_other++);
}

static void name_temp(body_printer *bp, wadi_sval s) {
    (void)snprintf(bp->facts[s].name, sizeof bp->facts[s].name, "t%d", bp->named_temp++);
}

/* ---- expressions ---- */

static void print_inst(body_printer *bp, const wadi_sinst *i, int indent);

/* Without parentheses: for places where a comma or a brace ends the expression. */
static void print_item(body_printer *bp, wadi_sval s, int indent) {
    const fact *x = &bp->facts[s];
    if (x->in_place)
        print_inst(bp, x->def, indent);
    else
        wadi_text_add(bp->p->out, x->name);
}

static void print_atom(body_printer *bp, wadi_sval s, int indent) {
    const fact *x = &bp->facts[s];
    const bool compound = x->in_place && x->def->op != WADI_SOP_CONST;
    if (compound) wadi_text_add(bp->p->out, "(");
    print_item(bp, s, indent);
    if (compound) wadi_text_add(bp->p->out, ")");
}

static void print_list(body_printer *bp, int n, const wadi_sval *list, int indent) {
    for (int k = 0; k < n; k++) {
        if (k > 0) wadi_text_add(bp->p->out, ", ");
        print_item(bp, list[k], indent);
    }
}

static void print_index(body_printer *bp, const wadi_sinst *i, int indent) {
    wadi_print_value(bp->p, i->array);
    wadi_text_add(bp->p->out, " ! ");
    if (i->nargs == 1) {
        print_atom(bp, i->args[0], indent);
        return;
    }
    wadi_text_add(bp->p->out, "(");
    print_list(bp, i->nargs, i->args, indent);
    wadi_text_add(bp->p->out, ")");
}

static void print_sblock(body_printer *bp, const wadi_sblock *b, const char *const *names,
                         int indent);

static void print_params(body_printer *bp, const wadi_sblock *b, bool typed) {
    wadi_text_add(bp->p->out, "(");
    for (int k = 0; k < b->nparams; k++) {
        if (k > 0) wadi_text_add(bp->p->out, ", ");
        wadi_text_add(bp->p->out, bp->facts[b->params[k]].name);
        if (typed) wadi_text_addf(bp->p->out, ": %s", wadi_type_name(bp->f->types[b->params[k]]));
    }
    wadi_text_add(bp->p->out, ") ");
}

static void print_cond(body_printer *bp, const wadi_sinst *i, int indent) {
    wadi_text_add(bp->p->out, "if ");
    print_item(bp, i->args[0], indent); /* the brace ends it */
    wadi_text_add(bp->p->out, " ");
    print_sblock(bp, i->block[0], NULL, indent);
    wadi_text_add(bp->p->out, " else ");
    print_sblock(bp, i->block[1], NULL, indent);
}

static void print_loop(body_printer *bp, const wadi_sinst *i, int indent) {
    const int counted = i->op == WADI_SOP_ITERATE;
    for (int k = 0; k < i->block[0]->nparams; k++) name_param(bp, i->block[0]->params[k]);
    wadi_text_add(bp->p->out, counted ? "iterate " : "while ");
    if (counted) {
        print_atom(bp, i->args[0], indent);
        wadi_text_add(bp->p->out, " ");
    }
    print_params(bp, i->block[0], false);
    print_sblock(bp, i->block[0], NULL, indent);
    if (!counted) {
        /* the state has the same names in the test and in the step */
        const int n = i->block[0]->nparams;
        for (int k = 0; k < n && k < i->block[1]->nparams; k++)
            memcpy(bp->facts[i->block[1]->params[k]].name, bp->facts[i->block[0]->params[k]].name,
                   sizeof bp->facts->name);
        wadi_text_add(bp->p->out, " do ");
        print_sblock(bp, i->block[1], NULL, indent);
    }
    wadi_text_add(bp->p->out, " from ");
    print_list(bp, i->nargs - counted, i->args + counted, indent);
}

static void print_inst(body_printer *bp, const wadi_sinst *i, int indent) {
    wadi_text *out = bp->p->out;
    switch (i->op) {
    case WADI_SOP_CONST:
        wadi_literal_print(i->imm, false, out);
        return;
    case WADI_SOP_INDEX:
        print_index(bp, i, indent);
        return;
    case WADI_SOP_INDEX_LINEAR:
        wadi_print_value(bp->p, i->array);
        wadi_text_add(out, " !! ");
        print_atom(bp, i->args[0], indent);
        return;
    case WADI_SOP_THE:
        wadi_text_add(out, "the ");
        wadi_print_value(bp->p, i->array);
        return;
    case WADI_SOP_EXTENT:
        wadi_text_add(out, "extent ");
        wadi_print_value(bp->p, i->array);
        wadi_text_addf(out, " %d", i->dim);
        return;
    case WADI_SOP_COND:
        print_cond(bp, i, indent);
        return;
    case WADI_SOP_WHILE:
    case WADI_SOP_ITERATE:
        print_loop(bp, i, indent);
        return;
    default:
        break;
    }
    wadi_text_add(out, wadi_sop_get(i->op)->name);
    if (i->op == WADI_SOP_CONVERT || i->op == WADI_SOP_BITCAST)
        wadi_text_addf(out, " %s", wadi_type_name(bp->f->types[i->first]));
    for (int a = 0; a < i->nargs; a++) {
        wadi_text_add(out, " ");
        print_atom(bp, i->args[a], indent);
    }
}

/* ---- blocks ---- */

/* The instruction whose results are exactly the results of the block and are used nowhere else; NULL: none. */
static const wadi_sinst *sole_result(const body_printer *bp, const wadi_sblock *b) {
    if (b->nyields == 0) return NULL;
    const wadi_sinst *i = bp->facts[b->yields[0]].def;
    if (!i || i->nresults != b->nyields || bp->facts[i->first].in != b) return NULL;
    if (i->op == WADI_SOP_CONST) return NULL;
    if (bp->p->places && i->loc.file && (wadi_sop_get(i->op)->flags & WADI_SOP_FAULTS)) return NULL;
    for (int y = 0; y < b->nyields; y++) {
        if (b->yields[y] != i->first + (wadi_sval)y) return NULL;
        if (bp->facts[b->yields[y]].uses != 1) return NULL;
    }
    return i;
}

static bool is_statement(const body_printer *bp, const wadi_sinst *i, const wadi_sinst *sole) {
    if (i == sole || i->nresults == 0 || i->op == WADI_SOP_CONST) return false;
    return i->nresults > 1 || !bp->facts[i->first].in_place;
}

static void print_statement(body_printer *bp, const wadi_sinst *i, int indent) {
    /* the results get their numbers before the expressions on the right do */
    for (int r = 0; r < i->nresults; r++) name_temp(bp, i->first + (wadi_sval)r);
    wadi_text_indent(bp->p->out, indent);
    for (int r = 0; r < i->nresults; r++) {
        if (r > 0) wadi_text_add(bp->p->out, ", ");
        wadi_text_add(bp->p->out, bp->facts[i->first + (wadi_sval)r].name);
    }
    wadi_text_add(bp->p->out, " = ");
    print_inst(bp, i, indent);
    wadi_print_place(bp->p, i->loc);
    wadi_text_add(bp->p->out, "\n");
}

static void print_results(body_printer *bp, const wadi_sblock *b, const char *const *names,
                          const wadi_sinst *sole, int indent) {
    if (sole) {
        print_inst(bp, sole, indent);
        return;
    }
    for (int y = 0; y < b->nyields; y++) {
        if (y > 0) wadi_text_add(bp->p->out, ", ");
        if (names && names[y]) {
            wadi_print_name(bp->p->out, names[y]);
            wadi_text_add(bp->p->out, ": ");
        }
        print_item(bp, b->yields[y], indent);
    }
}

/* A single short expression goes on one line; otherwise each statement has its line. */
static void print_sblock(body_printer *bp, const wadi_sblock *b, const char *const *names,
                         int indent) {
    wadi_text *out = bp->p->out;
    wadi_text inside;
    wadi_text_init(&inside);
    bp->p->out = &inside;
    const wadi_sinst *sole = names ? NULL : sole_result(bp, b);
    int statements = 0;
    for (int k = 0; k < b->ninsts; k++) {
        if (!is_statement(bp, b->insts[k], sole)) continue;
        print_statement(bp, b->insts[k], indent + 1);
        statements++;
    }
    if (statements > 0) wadi_text_indent(&inside, indent + 1);
    print_results(bp, b, names, sole, indent + 1);
    bp->p->out = out;
    if (inside.failed) out->failed = true;
    const char *text = wadi_text_str(&inside);
    if (statements == 0 && inside.n <= MAX_LINE && !strchr(text, '\n')) {
        wadi_text_addf(out, inside.n > 0 ? "{ %s }" : "{%s }", text);
    } else {
        wadi_text_add(out, "{\n");
        if (statements == 0) wadi_text_indent(out, indent + 1);
        wadi_text_add(out, text);
        wadi_text_add(out, "\n");
        wadi_text_indent(out, indent);
        wadi_text_add(out, "}");
    }
    wadi_text_fini(&inside);
}

void wadi_print_fun(wadi_printer *p, const wadi_fun *f, bool typed, int indent) {
    body_printer bp = {.p = p, .f = f, .facts = calloc(f->nvals + 1, sizeof *bp.facts)};
    if (!bp.facts) {
        p->out->failed = true;
        return;
    }
    note_uses(&bp, f->body);
    choose_places(&bp, f->body);
    for (int k = 0; k < f->body->nparams; k++) name_param(&bp, f->body->params[k]);
    if (f->body->nparams > 0) print_params(&bp, f->body, typed);
    print_sblock(&bp, f->body, f->names, indent);
    free(bp.facts);
}
