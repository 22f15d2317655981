/* Takes a program through all passes and finds its one stage. */
#include "tests/structure/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/lang/node.h"
#include "operators/table.h"

wadi_program *stage_stream(wadi_acc_fn1 body, int rank, const char *const *extents) {
    wadi_program *p = wadi_program_create("stage");
    const wadi_component c = {wadi_scalar_elem(WADI_C128), rank, extents};
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
    return p;
}

stage stage_of(wadi_program *p) {
    stage s = {0};
    wadi_error err = {0};
    if (wadi_program_lower(p, wadi_operators(), &s.m, &err) != WADI_OK ||
        wadi_pipeline_run(s.m, NULL, NULL, &s.facts, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    for (int i = 0; i < s.m->main->nbinds; i++)
        if (s.m->main->binds[i]->op->kind == WADI_OP_SEQUENCE && s.m->main->binds[i]->nblocks == 1)
            s.body = s.m->main->binds[i]->blocks[0];
    assert_non_null(s.body);
    return s;
}

void stage_fini(stage *s) {
    wadi_facts_fini(&s->facts);
    wadi_module_destroy(s->m);
}

static int irregular_in(const wadi_module *m, const wadi_block *b, int *out_values) {
    int found = 0;
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        for (int r = 0; r < bind->nresults; r++) {
            ++*out_values;
            if (m->values[bind->results[r]].rep == WADI_REP_REGULAR) continue;
            found++;
            print_message("%s %u is not regular\n", bind->op->name, bind->results[r]);
        }
        for (int k = 0; k < bind->nblocks; k++)
            found += irregular_in(m, bind->blocks[k], out_values);
    }
    return found;
}

int stage_count_irregular(const stage *s, int *out_values) {
    return irregular_in(s->m, s->body, out_values);
}
