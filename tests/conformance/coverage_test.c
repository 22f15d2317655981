/* Random programs leave out nothing: they use every scalar operation on every type that it takes, every operator, element type,
 * rank, depth, kind of stream and input, and every function of the language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/lang/node.h"
#include "operators/table.h"
#include "tests/conformance/generator.h"
#include "tests/conformance/maker.h"
#include "tests/conformance/trial.h"

enum { ENOUGH_SEEDS = 2500, DEEPEST = 5 };

/* [operation][type of its first argument] */
typedef bool seen_table[WADI_SOP_COUNT][WADI_TYPE_COUNT];

static void note_block(seen_table seen, const wadi_fun *f, const wadi_sblock *b) {
    for (int i = 0; b && i < b->ninsts; i++) {
        const wadi_sinst *s = b->insts[i];
        if (s->nargs > 0) seen[s->op][f->types[s->args[0]]] = true;
        for (int k = 0; k < 2; k++) note_block(seen, f, s->block[k]);
    }
}

static void note_binds(seen_table seen, const wadi_block *b) {
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        for (int k = 0; k < bind->nfuns; k++) note_block(seen, bind->funs[k], bind->funs[k]->body);
        for (int k = 0; k < bind->nblocks; k++) note_binds(seen, bind->blocks[k]);
    }
}

static void note_program(seen_table seen, uint64_t seed) {
    gen_outside outside;
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_program *p = gen_program(seed, 12, &outside);
    assert_non_null(p);
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    note_binds(seen, m->main);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

static bool is_generated(wadi_type t) {
    return t == WADI_BOOL || gen_has_type(t);
}

static bool takes(wadi_sop op, wadi_type t) {
    const wadi_type second = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT ? WADI_I32 : t;
    wadi_type result;
    return wadi_sop_type(op, (const wadi_type[]){t, second, t}, &result);
}

/* Comparisons of bools and the order of their bits are left to scalars_test.c. */
static bool is_left_out(wadi_sop op, wadi_type t) {
    const wadi_sop_class cls = wadi_sop_get(op)->cls;
    return t == WADI_BOOL && (cls == WADI_CLASS_ORDER || op == WADI_SOP_EQ);
}

static void random_programs_have_every_operation_on_every_type(void **state) {
    (void)state;
    static seen_table seen;
    int missing = 0;
    for (uint64_t seed = 0; seed < ENOUGH_SEEDS; seed++) note_program(seen, seed);
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++)
        for (int t = 0; t < WADI_TYPE_COUNT; t++) {
            const bool wanted = is_generated((wadi_type)t) && takes((wadi_sop)op, (wadi_type)t) &&
                                !is_left_out((wadi_sop)op, (wadi_type)t);
            if (!wanted || seen[op][t]) continue;
            print_error("%s of %s\n", wadi_sop_get((wadi_sop)op)->name,
                        wadi_type_name((wadi_type)t));
            missing++;
        }
    assert_int_equal(missing, 0);
}

/* ---- what the programs have that are always compiled ---- */

typedef struct features {
    bool op[64], type[WADI_TYPE_COUNT], rank[WADI_MAX_RANK + 1], depth[64];
    int records[3]; /* arrays of them that come in by a stream, leave by one, are an input */
    int zipped;     /* two streams from outside, side by side */
    int stencil[3]; /* of four arrays and more, of records, of rank 4 */
    int twins;      /* stages that read what another one reads */
    int alone, inputs, lengthy;
} features;

static int number_of(const wadi_op *op) {
    const wadi_op_table *t = wadi_operators();
    for (int i = 0; i < t->n; i++)
        if (t->ops[i] == op) return i;
    return -1;
}

/* Streams from outside that `v` is made of. */
static int streams_in(const wadi_module *m, wadi_val v) {
    const wadi_value *value = &m->values[v];
    if (value->def != WADI_DEF_BIND || !value->type.is_seq) return 0;
    int n = value->bind->op == wadi_op_find(wadi_operators(), "stream_in");
    for (int i = 0; i < value->bind->nargs; i++) n += streams_in(m, value->bind->args[i]);
    return n;
}

static bool has_records(const wadi_val_type *t) {
    for (int i = 0; i < t->arrays; i++)
        if (t->array[i].elem.fields > 1) return true;
    return false;
}

static void note_value(features *f, const wadi_val_type *t) {
    for (int i = 0; i < t->arrays; i++) {
        f->rank[t->array[i].rank] = true;
        for (int k = 0; k < t->array[i].elem.fields; k++) f->type[t->array[i].elem.type[k]] = true;
    }
}

static bool has_twin(const wadi_block *b, int i) {
    const wadi_op *map = wadi_op_find(wadi_operators(), "map_seq");
    for (int k = 0; k < i; k++)
        if (b->binds[k]->op == map && b->binds[i]->op == map &&
            b->binds[k]->args[0] == b->binds[i]->args[0])
            return true;
    return false;
}

static void note_stencil(features *f, const wadi_module *m, const wadi_bind *b) {
    const wadi_array_type *a = m->values[b->args[0]].type.array;
    f->stencil[0] += b->nargs > 3;
    f->stencil[1] += a->elem.fields > 1;
    f->stencil[2] += a->rank == 4;
}

static void note_features(features *f, const wadi_module *m, const wadi_block *b, int depth) {
    f->depth[depth] = true;
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        const char *name = bind->op->name;
        f->op[number_of(bind->op)] = true;
        for (int k = 0; k < bind->nresults; k++) note_value(f, &m->values[bind->results[k]].type);
        for (int k = 0; k < bind->nblocks; k++) note_features(f, m, bind->blocks[k], depth + 1);
        if (strcmp(name, "stencil") == 0) note_stencil(f, m, bind);
        f->twins += depth == 0 && has_twin(b, i);
        if (strcmp(name, "stream_in") == 0)
            f->records[0] += has_records(&m->values[bind->results[0]].type);
        if (strcmp(name, "stream_out") == 0) {
            f->records[1] += has_records(&m->values[bind->args[0]].type);
            f->zipped += streams_in(m, bind->args[0]) > 1;
        }
        if (strcmp(name, "input") == 0)
            f->records[2] += has_records(&m->values[bind->results[0]].type);
    }
}

static void note_seed(features *f, uint64_t seed) {
    gen_outside outside;
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_program *p = gen_program(seed, trial_size(seed), &outside);
    assert_non_null(p);
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    note_features(f, m, m->main, 0);
    f->alone += outside.streams > 1;
    f->inputs += outside.inputs > 1;
    f->lengthy += gen_is_lengthy(seed);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

static int missing(const char *what, const bool *seen, int n, const char *(*name)(int)) {
    int wanting = 0;
    for (int i = 0; i < n; i++) {
        if (seen[i]) continue;
        print_error("no %s %s\n", what, name(i));
        wanting++;
    }
    return wanting;
}

static const char *op_name(int i) {
    return wadi_operators()->ops[i]->name;
}

static const char *type_name(int i) {
    return wadi_type_name((wadi_type)i);
}

static const char *number_name(int i) {
    static char text[16];
    (void)snprintf(text, sizeof text, "%d", i);
    return text;
}

static void
the_compiled_seeds_have_every_operator_type_rank_depth_and_kind_of_stream(void **state) {
    (void)state;
    static features f;
    for (uint64_t seed = 0; seed < TRIAL_SEEDS; seed++) note_seed(&f, seed);
    int wanting = missing("operator", f.op, wadi_operators()->n, op_name);
    wanting += missing("element type", f.type, WADI_TYPE_COUNT, type_name);
    wanting += missing("array of rank", f.rank, WADI_MAX_RANK + 1, number_name);
    wanting += missing("region at depth", f.depth, DEEPEST + 1, number_name);
    assert_int_equal(wanting, 0);
    for (int i = 0; i < 3; i++) assert_true(f.records[i] > 1);
    for (int i = 0; i < 3; i++) assert_true(f.stencil[i] > 1);
    assert_true(f.zipped > 1 && f.alone > 1 && f.inputs > 1 && f.lengthy > 0 && f.twins > 1);
}

/* ---- calls ---- */

/* The text of a file in the folder that environment variable `root` names. */
static char *text_of(const char *root, const char *path) {
    char full[512];
    (void)snprintf(full, sizeof full, "%s/%s", getenv(root), path);
    FILE *file = fopen(full, "rb");
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    if (!file) fail_msg("%s cannot be read", full);
    assert_true(fread(text, 1, (1 << 18) - 1, file) < (1 << 18) - 1);
    fclose(file);
    return text;
}

/* Calls of one scalar operation: these are chosen by their number. */
static bool is_scalar(const char *call) {
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++) {
        const char *name = wadi_sop_get((wadi_sop)op)->name;
        if (strncmp(call, name, strlen(name)) == 0 && strcmp(call + strlen(name), "_") <= 0)
            return true;
    }
    for (int t = 0; t < WADI_TYPE_COUNT; t++)
        if (strcmp(call, wadi_type_name((wadi_type)t)) == 0) return true;
    return false;
}

static bool is_called(const char *const *texts, const char *call) {
    const size_t n = strlen(call);
    for (; *texts; texts++)
        for (const char *at = *texts; (at = strstr(at, call)) != NULL; at += n)
            if (strncmp(at - 5, "wadi_", 5) == 0 &&
                (strncmp(at + n, "_env(", 5) == 0 || strchr("(,};\n", at[n])))
                return true;
    return false;
}

static void random_programs_make_every_call_of_the_language(void **state) {
    static const char *const files[] = {"",         "_arrays", "_control", "_derived", "_orders",
                                        "_outside", "_pairs",  "_perils",  "_ragged",  "_random",
                                        "_records", "_scalar", "_seq",     "_stencils"};
    enum { FILES = sizeof files / sizeof *files };
    char *texts[FILES + 1] = {0}, path[128];
    int wanting = 0;
    (void)state;
    if (!getenv("WADI_SOURCE")) skip();
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(path, sizeof path, "tests/conformance/generator%s.c", files[i]);
        texts[i] = text_of("WADI_SOURCE", path);
    }
    char *calls = text_of("WADI_BUILD", "generated/wadi/lang_places.h");
    for (char *at = calls; (at = strstr(at, "#define wadi_")) != NULL;) {
        char *call = at += strlen("#define wadi_");
        char *end = strchr(call, '(');
        assert_non_null(end);
        *end = '\0';
        at = end + 1;
        if (end - call > 4 && strcmp(end - 4, "_env") == 0) continue;
        if (is_scalar(call) || is_called((const char *const *)texts, call)) continue;
        print_error("nothing calls wadi_%s\n", call);
        wanting++;
    }
    for (int i = 0; i < FILES; i++) free(texts[i]);
    free(calls);
    assert_int_equal(wanting, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_compiled_seeds_have_every_operator_type_rank_depth_and_kind_of_stream),
        cmocka_unit_test(random_programs_make_every_call_of_the_language),
        cmocka_unit_test(random_programs_have_every_operation_on_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
