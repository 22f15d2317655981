/* Loop IR as C text, one statement per instruction that is worth a name.
 *
 * A value that is used once, in its own scope, is written where it is used. Any other becomes a constant with the name that it
 * has in the program. Values that nothing needs are left out. The text relies on wrapping integers (-fwrapv). */
#include "codegen/emit/c/c.h"

#include <string.h>

#include "base/error.h"
#include "codegen/emit/c_like/comment.h"
#include "codegen/emit/c_like/expression.h"
#include "codegen/emit/c/nests.h"
#include "codegen/emit/c/options.h"
#include "codegen/emit/c/blocks.h"
#include "codegen/emit/c/by_length.h"
#include "codegen/emit/c/far.h"
#include "codegen/emit/c/placing.h"
#include "codegen/emit/c/prelude.h"
#include "codegen/emit/c_like/scalar.h"
#include "codegen/emit/c/statement.h"
#include "codegen/emit/c/stop.h"
#include "codegen/emit/c/twice.h"
#include "codegen/emit/c/twins.h"
#include "codegen/rt/order.h"

typedef struct writer {
    wadi_c_writer w;
    wadi_c_nests nests;
    bool in_nest; /* a nest is being written */
    bool streams; /* a loop has been written that may store past the caches */
    const wadi_c_nest *
        rest; /* what takes the rounds that would take a bulky branch, while a loop is written without these; else NULL */
    const char *rest_name;
    const wadi_c_twice *
        twice; /* the loop that is being written with near forms (codegen/emit/c/twice.h); else NULL */
    const char *
        disorder; /* while a loop takes rows by their lengths: the label where a fault or a bulky branch leads to; else NULL */
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

/* What the rounds of a loop do, and its end. */
static void body_of(writer *c, const wadi_linst *i, int level) {
    scope(c, i->block[0], level + 1);
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, "}\n");
}

static void rounds_once(writer *c, const wadi_linst *i, int level, const char *from,
                        const char *below, bool look) {
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
    if (c->twice) c->w.beyond = wadi_c_twice_place(&c->w, c->twice, i);
    body_of(c, i, level);
    c->w.beyond = NULL;
}

/* The rounds of the loop from `from` to `below`. If asked, each round checks whether to stop. */
static void rounds(writer *c, const wadi_linst *i, int level, const char *from, const char *below,
                   bool look) {
    wadi_c_twice twice;
    if (look || c->twice || c->nests.many || !wadi_c_twice_find(&c->w, i, &twice)) {
        rounds_once(c, i, level, from, below, look);
        return;
    }
    wadi_c_twice_open(&c->w, &twice, from, below, level);
    c->twice = &twice;
    rounds_once(c, i, level + 2, from, below, false);
    c->twice = NULL;
    wadi_c_twice_again(&c->w, &twice, level);
    rounds_once(c, i, level + 2, from, below, false);
    wadi_c_twice_close(&c->w, level);
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

/* The bounds of strips, as text. */
typedef struct bounds {
    const char *var, *from, *below; /* the variable of the loop; of a strip */
    const char *first, *last;       /* of all strips; NULL: those of the loop */
} bounds;

static void line(writer *c, int level, const char *text) {
    wadi_text_indent(c->w.out, level);
    wadi_text_add(c->w.out, text);
}

/* Opens the loop over strips of `length`. Each begins with a check whether to stop. */
static void open_strips(writer *c, const wadi_linst *i, int level, int64_t length,
                        const bounds *b) {
    wadi_text_addf(c->w.out, "for (int64_t %s = ", b->from);
    if (b->first)
        wadi_text_add(c->w.out, b->first);
    else
        wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(c->w.out, ", %s; %s < ", b->below, b->from);
    if (b->last)
        wadi_text_add(c->w.out, b->last);
    else
        wadi_c_operand(&c->w, i->args[1]);
    wadi_text_addf(c->w.out, "; %s = %s) {\n", b->from, b->below);
    line(c, level + 1, "WADI_LOOK\n");
    wadi_text_indent(c->w.out, level + 1);
    wadi_text_addf(c->w.out, "%s = WADI_STRIP(%s, %lld, ", b->below, b->from, (long long)length);
    if (b->last)
        wadi_text_add(c->w.out, b->last);
    else
        wadi_c_expression(&c->w, i->args[1]);
    wadi_text_add(c->w.out, ");\n");
}

/* Strips whose rounds are taken as they come. Those without bulky branches, if there is c->rest, end where they leave to it. */
static void strips_in_turn(writer *c, const wadi_linst *i, int level, int64_t length,
                           const bounds *b) {
    open_strips(c, i, level, length, b);
    wadi_text_indent(c->w.out, level + 1);
    rounds(c, i, level + 1, b->from, b->below, false);
    if (c->rest) {
        wadi_text_indent(c->w.out, level + 1);
        wadi_text_addf(c->w.out, "behind_%s:;\n", c->rest_name);
    }
    line(c, level, "}\n");
}

/* Notes the length of each row of a strip. One that has a fault counts as long. */
static void lengths(writer *c, const wadi_linst *i, int level, const wadi_c_by_length *o,
                    const bounds *b) {
    const wadi_lscope *s = i->block[0];
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out, "for (int64_t %s = %s; %s < %s; %s++) {\n", b->var, b->from, b->var,
                   b->below, b->var);
    for (int p = 0; p <= o->made; p++) {
        const wadi_linst *x = s->inst[p];
        if (!c->w.names.at[x->self].printed || x->kind == WADI_L_NOTE) continue;
        wadi_text_indent(c->w.out, level + 1);
        if (x->kind != WADI_L_IF) {
            wadi_c_declare(&c->w, x);
            continue;
        }
        wadi_text_add(c->w.out, "if (WADI_SELDOM(");
        wadi_c_expression(&c->w, x->args[0]);
        wadi_text_add(c->w.out, ")) {\n");
        wadi_text_indent(c->w.out, level + 2);
        wadi_text_addf(c->w.out, "wadi_by.length[%s - %s] = WADI_ORDER_LONG;\n", b->var, b->from);
        line(c, level + 2, "continue;\n");
        line(c, level + 1, "}\n");
    }
    wadi_text_indent(c->w.out, level + 1);
    wadi_text_addf(c->w.out, "wadi_by.length[%s - %s] = wadi_row_order_length(", b->var, b->from);
    wadi_c_expression(&c->w, o->length);
    wadi_text_add(c->w.out, ");\n");
    line(c, level, "}\n");
}

/* The loop over the rows at places `first`, .. of a strip's order. */
static void open_places(writer *c, int level, const char *first, const char *below,
                        const bounds *b) {
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out, "for (int64_t wadi_at = %s; wadi_at < %s; wadi_at++) {\n", first,
                   below);
    wadi_text_indent(c->w.out, level + 1);
    wadi_text_addf(c->w.out, "const int64_t %s = %s + wadi_by.place[wadi_at];\n", b->var, b->from);
}

/* A strip in the order of lengths: short rows, then long ones, which a function takes. Faults of long rows are told as they come; all else that a
 * short row would be left for begins the strip anew, with the rounds as they come. */
static void strip_by_length(writer *c, const wadi_linst *i, int level, const wadi_c_by_length *o,
                            const bounds *b) {
    wadi_text_indent(c->w.out, level);
    wadi_text_addf(c->w.out, "const int64_t wadi_rows = %s - %s;\n", b->below, b->from);
    line(c, level, "if (wadi_near && wadi_row_order_begins(&wadi_by, wadi_rows)) {\n");
    lengths(c, i, level + 1, o, b);
    line(c, level + 1, "const int64_t wadi_few = wadi_row_order_rows(&wadi_by, wadi_rows);\n");
    line(c, level + 1, "if (wadi_few >= 0) {\n");
    open_places(c, level + 2, "0", "wadi_few", b);
    body_of(c, i, level + 2);
    open_places(c, level + 2, "wadi_few", "wadi_rows", b);
    wadi_c_nest_call(&c->w, c->rest, c->rest_name, "1 + ", level + 3);
    line(c, level + 2, "}\n");
    line(c, level + 2, "continue;\n");
    line(c, level + 1, "}\n");
    line(c, level, "}\n");
}

/* The loop in strips of rows that are ordered where that helps. */
static void strips_by_length(writer *c, const wadi_linst *i, int level, int64_t length,
                             const wadi_c_by_length *o, const bounds *b) {
    wadi_arena *a = c->w.names.arena;
    const bounds all = {.var = b->var,
                        .from = wadi_arena_printf(a, "wadi_from_%s", b->var),
                        .below = wadi_arena_printf(a, "wadi_below_%s", b->var)};
    const bounds inner = {b->var, b->from, b->below, all.from, all.below};
    const char *disorder = wadi_arena_printf(a, "disorder_%s", c->rest_name);
    if (!all.from || !all.below || !disorder) {
        c->w.out->failed = true;
        return;
    }
    wadi_text_add(c->w.out, "{\n");
    line(c, level + 1, "const bool wadi_near = ");
    wadi_c_by_length_bytes(&c->w, o);
    wadi_text_add(c->w.out, " <= WADI_ORDER_NEAR;\n");
    line(c, level + 1, "wadi_row_order wadi_by;\n");
    line(c, level + 1, "wadi_by.wait = 0;\n");
    wadi_text_indent(c->w.out, level + 1);
    open_strips(c, i, level + 1, WADI_ORDER_ROWS, &all);
    c->disorder = disorder;
    strip_by_length(c, i, level + 2, o, &all);
    c->disorder = NULL;
    wadi_text_indent(c->w.out, level + 2);
    wadi_text_addf(c->w.out, "%s:\n", disorder);
    wadi_text_indent(c->w.out, level + 2);
    strips_in_turn(c, i, level + 2, length, &inner);
    line(c, level + 1, "}\n");
    line(c, level, "}\n");
}

/* The strips of a loop that is worth a form without its bulky branches. */
static void strips_with_rest(writer *c, const wadi_linst *i, int level, int64_t length,
                             const bounds *b, const wadi_c_nest *rest) {
    wadi_c_by_length order;
    c->rest_name = wadi_c_rest_write(&c->w, &c->nests, rest, rest_body, c);
    if (!c->rest_name) return;
    c->rest = rest;
    if (wadi_c_by_length_find(&c->w, i, &order)) {
        strips_by_length(c, i, level, length, &order, b);
        wadi_c_by_length_fini(&order);
    } else {
        strips_in_turn(c, i, level, length, b);
    }
    c->rest = NULL;
}

/* The loop in strips of `strip` rounds. */
static void strips(writer *c, const wadi_linst *i, int level, int64_t strip) {
    wadi_c_nest rest;
    const char *name = c->w.names.at[i->var].name;
    const bounds b = {.var = name,
                      .from = wadi_arena_printf(c->w.names.arena, "from_%s", name),
                      .below = wadi_arena_printf(c->w.names.arena, "below_%s", name)};
    const int64_t length = strip * (int64_t)wadi_c_inst(&c->w, i->args[2])->imm.bits;
    if (!b.from || !b.below) {
        c->w.out->failed = true;
        return;
    }
    if (c->nests.many || !wadi_c_has_rest(c->w.f, &c->w.names, i, &rest)) {
        strips_in_turn(c, i, level, length, &b);
        return;
    }
    strips_with_rest(c, i, level, length, &b, &rest);
    wadi_c_nest_fini(&rest);
}

/* A loop whose results go past the caches if the arrays are too large for these: in short strips then, whose results wait in room of their own. */
static void far_strips(writer *c, const wadi_linst *i, int level, wadi_c_far *far, bool look) {
    wadi_text *t = c->w.out;
    const char *name = c->w.names.at[i->var].name;
    const char *below = wadi_arena_printf(c->w.names.arena, "below_%s", name);
    far->from = wadi_arena_printf(c->w.names.arena, "from_%s", name);
    if (!far->from || !below) {
        t->failed = true;
        return;
    }
    wadi_text_add(t, "{\n");
    line(c, level + 1, "const bool wadi_far = wadi_is_far(");
    wadi_c_far_bytes(&c->w, far);
    wadi_text_add(t, ", w->far);\n");
    wadi_text_indent(t, level + 1);
    wadi_text_addf(t, "for (int64_t %s = ", far->from);
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_addf(t, ", %s; %s < ", below, far->from);
    wadi_c_operand(&c->w, i->args[1]);
    wadi_text_addf(t, "; %s = %s) {\n", far->from, below);
    if (look) line(c, level + 2, "WADI_LOOK\n");
    wadi_text_indent(t, level + 2);
    wadi_text_addf(t, "%s = WADI_STRIP(%s, wadi_far ? %d : 65536, ", below, far->from,
                   WADI_C_FAR_ROUNDS);
    wadi_c_operand(&c->w, i->args[1]);
    wadi_text_add(t, ");\n");
    wadi_c_far_open(&c->w, far, level + 2);
    c->w.far = far;
    c->streams = true;
    wadi_text_indent(t, level + 2);
    rounds(c, i, level + 2, far->from, below, false);
    c->w.far = NULL;
    wadi_c_far_close(&c->w, far, below, level + 2);
    line(c, level + 1, "}\n");
    line(c, level, "}\n");
}

/* The loop in blocks of n rounds, the last of which ends where the loop does; or as it is, if it has fewer rounds, or many more. */
static void in_blocks(writer *c, const wadi_linst *i, int level, int n) {
    wadi_c_block_open(&c->w, i, n, level);
    body_of(c, i, level + 2);
    line(c, level + 1, "}\n");
    line(c, level, "} else {\n");
    wadi_text_indent(c->w.out, level + 1);
    rounds(c, i, level + 1, NULL, NULL, false);
    line(c, level, "}\n");
}

static void for_loop(writer *c, const wadi_linst *i, int level) {
    wadi_c_far far;
    const wadi_c_nest *rest = c->rest;
    const char *rest_name = c->rest_name;
    const int64_t strip = wadi_c_strip_of(c->w.f, i);
    const int block = strip > 0 || c->nests.many ? 0 : wadi_c_block_of(&c->w, i);
    if (i->placing && wadi_c_placing(&c->w, i, level)) return;
    c->rest = NULL; /* only branches of the loop itself are left out */
    if (!c->nests.many && wadi_c_far_find(&c->w, i, &far))
        far_strips(c, i, level, &far, strip > 0);
    else if (strip > 1)
        strips(c, i, level, strip);
    else if (block > 0)
        in_blocks(c, i, level, block);
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
    if (c->disorder) {
        wadi_text_indent(c->w.out, level + 1);
        wadi_text_addf(c->w.out, "goto %s;\n", c->disorder);
    } else {
        wadi_c_nest_call(&c->w, c->rest, c->rest_name, "below_", level + 1);
        wadi_text_indent(c->w.out, level + 1);
        wadi_text_addf(c->w.out, "goto behind_%s;\n", c->rest_name);
    }
    line(c, level, "}\n");
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
    const char *head = i->placing ? "if (WADI_PLACES_WIDE && (" : "if (";
    wadi_text_add(c->w.out, i->seldom ? "if (WADI_SELDOM(" : head);
    wadi_c_expression(&c->w, i->args[0]);
    wadi_text_add(c->w.out, i->seldom || i->placing ? ")) {\n" : ") {\n");
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
    case WADI_L_FAULT:
        if (c->disorder)
            wadi_text_addf(t, "goto %s;\n", c->disorder);
        else
            wadi_c_statement(&c->w, i, level);
        break;
    default:
        wadi_c_statement(&c->w, i, level);
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
    wadi_c_assign(&c->w, next->args[1]);
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
        scope(&c, f->body, 1);
        wadi_text_add(c.nests.many ? apart : out, wadi_text_str(&c.nests.functions));
        wadi_text_add(out, wadi_text_str(&c.nests.declarations));
        if (numbers != NULL)
            wadi_text_addf(out, "int " SHARED("%s") " {\n", f->name);
        else
            wadi_text_addf(out, "int %s(wadi_work *w, int64_t begin, int64_t end) {\n", f->name);
        if (c.streams) wadi_text_add(out, "    WADI_STREAMS\n");
        wadi_text_add(out, "    const wadi_slot *const slot = w->slot;\n");
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

wadi_status wadi_emit_c(const wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                        wadi_error *err) {
    wadi_text kernels;
    wadi_text_init(&kernels);
    wadi_status st = write_kernels(m, &kernels, err);
    wadi_c_comment(out, "Kernels of ", m->name, ", made by wadi.");
    wadi_text_add(out, "\n\n");
    wadi_c_options(m, out);
    if (st == WADI_OK && !wadi_c_prelude(wadi_text_str(&kernels), wadi_c_has_complex(m), out))
        st = wadi_fail(err, WADI_MEMORY, "out of memory while writing kernels");
    *out_kernels = out->n;
    wadi_text_add(out, wadi_text_str(&kernels));
    wadi_text_fini(&kernels);
    return st;
}
