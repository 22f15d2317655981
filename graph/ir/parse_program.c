/* Reads program text (docs/TEXT.md) into a module: its name, its bindings and its outputs. */
#include <string.h>

#include "graph/ir/indexed.h"
#include "graph/ir/parse.h"

typedef WADI_VEC(const char *) name_list;

/* output value [as name] */
static wadi_status parse_output(wadi_parser *p, name_list *names) {
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_val v;
    const char *name;
    if (wadi_parse_sees(p, 0, "="))
        return wadi_parse_fail(p, t, WADI_INVALID,
                               "expected a value (output is a word of the language, no name)");
    WADI_TRY(wadi_parse_value(p, &v));
    if (p->m->values[v].type.is_seq)
        return wadi_parse_fail(p, t, WADI_TYPE,
                               "expected an array, not a sequence (stream_out \"%.*s\" %.*s "
                               "delivers it, tabulate and elements collect it)",
                               (int)t->n, t->at, (int)t->n, t->at);
    if (wadi_parse_accept(p, "as"))
        WADI_TRY(wadi_parse_name(p, &name));
    else if (t->kind == WADI_TOKEN_NAME && p->m->values[v].def != WADI_DEF_CONST)
        name = p->m->values[v].name;
    else
        return wadi_parse_fail(p, t, WADI_INVALID, "expected 'as' and a name for this output");
    const char *known = wadi_intern_add(&p->strings, name);
    if (!known) return wadi_parse_no_memory(p);
    if (wadi_map64_get(&p->outputs, (uint64_t)(uintptr_t)known, NULL))
        return wadi_parse_fail(p, t, WADI_INVALID, "there are two outputs named \"%s\"", name);
    if (!wadi_map64_put(&p->outputs, (uint64_t)(uintptr_t)known, 1) ||
        !wadi_block_yield(p->m, p->m->main, v) || !wadi_vec_push(names, name))
        return wadi_parse_no_memory(p);
    return WADI_OK;
}

static wadi_status keep_outputs(wadi_parser *p, const name_list *names) {
    p->m->outputs = WADI_NEW_N(p->m->arena, const char *, names->n);
    if (!p->m->outputs) return wadi_parse_no_memory(p);
    if (names->n > 0) memcpy(p->m->outputs, names->at, names->n * sizeof *names->at);
    return WADI_OK;
}

static wadi_status parse_program(wadi_parser *p, name_list *outputs) {
    wadi_parse_skip_lines(p);
    if (!wadi_parse_accept(p, "program"))
        return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                               "expected 'program' and its name in the first line");
    WADI_TRY(wadi_parse_name(p, &p->m->name));
    if (wadi_parse_peek(p, 0)->kind == WADI_TOKEN_NAME)
        return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                               "expected the end of the line (a name of several words stands in "
                               "\"quotes\")");
    WADI_TRY(wadi_parse_end_of_line(p));
    while (wadi_parse_peek(p, 0)->kind != WADI_TOKEN_END) {
        if (wadi_parse_accept(p, "output"))
            WADI_TRY(parse_output(p, outputs));
        else
            WADI_TRY(wadi_parse_bind(p, p->m->main));
        WADI_TRY(wadi_parse_end_of_line(p));
        if (wadi_parse_sees(p, 0, "}"))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "no region is open here");
    }
    return keep_outputs(p, outputs);
}

/* What cannot be checked in a single line: for example, marks that contradict each other. */
static wadi_status check_program(const wadi_parser *p) {
    wadi_status st = wadi_ir_verify(p->m, p->err);
    if (st == WADI_OK) st = wadi_ir_verify_order(p->m, p->err);
    if (st == WADI_OK || st == WADI_MEMORY) return st;
    if (p->err) p->err->status = WADI_INVALID;
    return WADI_INVALID;
}

wadi_status wadi_ir_parse(const char *text, const char *file, const wadi_op_table *ops,
                          wadi_module **out_module, wadi_error *err) {
    wadi_parser p = {.file = file, .ops = ops, .err = err};
    name_list outputs = {0};
    WADI_TRY(wadi_lex(text, file, &p.tokens, err));
    p.m = wadi_module_create("program");
    wadi_status st = p.m ? parse_program(&p, &outputs) : wadi_parse_no_memory(&p);
    if (st == WADI_OK) st = check_program(&p);
    if (st == WADI_OK && !wadi_ir_name_indexed(p.m)) st = wadi_parse_no_memory(&p);
    if (st == WADI_OK)
        *out_module = p.m;
    else
        wadi_module_destroy(p.m);
    wadi_vec_free(&outputs);
    wadi_parser_fini(&p);
    return st;
}
