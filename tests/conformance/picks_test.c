/* Operators that pick elements by number and are nothing but a row of the operator table. They do what the row says everywhere:
 * between bodies, within an element (in all three forms of code for sequences) and in the interpreter. The language itself only has
 * take_seq and drop_seq; the rows here also have a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "exe/exe.h"
#include "graph/lang/node.h"
#include "operators/rules.h"
#include "tests/conformance/runner.h"

/* ---- the operators ---- */

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 4, err));
    WADI_TRY(wadi_rule_seqs(m, b, 0, 1, err));
    WADI_TRY(wadi_rule_scalars(m, b, 1, b->nargs - 1, WADI_I64, err));
    return wadi_rule_seq_like(m, b, err);
}

static const wadi_op every_row = {.name = "every_seq",
                                  .form = "every_seq s step",
                                  .about = "every so many-th element",
                                  .kind = WADI_OP_SEQUENCE,
                                  .seq = {.form = WADI_SEQ_PICK, .pick = {.step = 1}},
                                  .type = type,
                                  .shape = wadi_rule_seq_shape_like,
                                  .depend = wadi_rule_seq_depend_like};

static const wadi_op part_row = {
    .name = "part_seq",
    .form = "part_seq s first step most",
    .about = "a part of the stream",
    .kind = WADI_OP_SEQUENCE,
    .seq = {.form = WADI_SEQ_PICK, .pick = {.first = 1, .step = 2, .most = 3}},
    .type = type,
    .shape = wadi_rule_seq_shape_like,
    .depend = wadi_rule_seq_depend_like};

static wadi_seq every(wadi_exp step, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("every_seq");
    int parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &parts);
    wadi_draft_int(&d, step);
    return wadi_draft_seq_like(&d, &every_row, parts, t);
}

static wadi_seq part(wadi_exp first, wadi_exp step, wadi_exp most, wadi_seq s) {
    wadi_draft d = wadi_draft_begin("part_seq");
    int parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &parts);
    wadi_draft_int(&d, first);
    wadi_draft_int(&d, step);
    wadi_draft_int(&d, most);
    return wadi_draft_seq_like(&d, &part_row, parts, t);
}

/* ---- between bodies ---- */

enum { N = 57 };

typedef struct numbers {
    int64_t value[N];
    wadi_array row[N];
    wadi_interp_source source;
} numbers;

static wadi_seq numbers_in(numbers *s) {
    for (int i = 0; i < N; i++) {
        s->value[i] = i;
        s->row[i] = conf_scalar(WADI_I64, &s->value[i]);
    }
    s->source = (wadi_interp_source){.name = "s", .n = N, .elements = s->row};
    const wadi_component c = {wadi_scalar_elem(WADI_I64), 0, NULL};
    return wadi_stream_in("s", 1, &c);
}

static wadi_exp is_odd(wadi_exp x) {
    return wadi_eq(wadi_rem(x, wadi_i64(2)), wadi_i64(1));
}

static wadi_acc tripled(wadi_acc x) {
    return wadi_unit(wadi_mul(wadi_the(x), wadi_i64(3)));
}

static wadi_acc odd(wadi_acc x) {
    return wadi_unit(is_odd(wadi_the(x)));
}

/* What the plan's text says is the plan. */
static void assert_plan_reads_back(const wadi_program *p) {
    wadi_exe *exe = NULL;
    wadi_plan *again = NULL;
    wadi_error err = {0};
    wadi_text once, twice;
    wadi_text_init(&once);
    wadi_text_init(&twice);
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_plan_print(exe->plan, &once);
    assert_non_null(strstr(once.at, ": pick "));
    if (wadi_plan_read(once.at, &again, &err) != WADI_OK) fail_msg("%s in\n%s", err.msg, once.at);
    wadi_plan_print(again, &twice);
    assert_string_equal(twice.at, once.at);
    wadi_text_fini(&once);
    wadi_text_fini(&twice);
    wadi_plan_destroy(again);
    wadi_exe_destroy(exe);
}

static void streams_are_picked_between_bodies(void **state) {
    (void)state;
    static const struct {
        int64_t first, step, most;
    } cases[] = {{0, 1, 9}, {3, 4, 5}, {-2, 7, 100}, {50, 5, 2}, {60, 1, 1}, {0, 60, 3}, {5, 3, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        numbers s;
        int64_t want[N], n = 0;
        const int64_t first = cases[k].first < 0 ? 0 : cases[k].first;
        for (int64_t i = first; i < N && n < cases[k].most; i += cases[k].step) want[n++] = 3 * i;
        wadi_program *p = wadi_program_create("between");
        const wadi_seq t = wadi_map_seq(tripled, numbers_in(&s));
        const wadi_seq picked =
            part(wadi_i64(cases[k].first), wadi_i64(cases[k].step), wadi_i64(cases[k].most), t);
        wadi_output("all", wadi_consume(wadi_elements(wadi_map_seq(tripled, picked))));
        wadi_stream_out(every(wadi_i64(cases[k].step), wadi_filter_seq(odd, t)), "out");
        for (int64_t i = 0; i < n; i++) want[i] *= 3;
        const wadi_interp_input out = {"all", conf_vector(WADI_I64, n, want)};
        if (k == 0) assert_plan_reads_back(p);
        conf_assert_agrees(p, &(wadi_interp_io){.sources = &s.source, .nsources = 1}, 1, &out);
    }
}

/* ---- within an element ---- */

static wadi_acc itself(wadi_exp i) {
    return wadi_unit(wadi_add(i, wadi_i64(100)));
}

static wadi_acc sum(wadi_acc a, wadi_acc b) {
    return wadi_unit(wadi_add(wadi_mul(wadi_the(a), wadi_i64(31)), wadi_the(b)));
}

static wadi_acc total(wadi_seq s) {
    return wadi_consume(wadi_fold_seq(sum, wadi_unit(wadi_i64(7)), s));
}

/* First, step and most follow from the element. */
static wadi_seq part_of(wadi_exp x, wadi_seq s) {
    return part(wadi_sub(wadi_rem(x, wadi_i64(6)), wadi_i64(2)),
                wadi_add(wadi_rem(x, wadi_i64(5)), wadi_i64(1)), wadi_rem(x, wadi_i64(11)), s);
}

static wadi_acc inside(wadi_acc element) {
    const wadi_exp x = wadi_the(element), step = wadi_add(wadi_rem(x, wadi_i64(4)), wadi_i64(1));
    const wadi_seq counted = wadi_produce(x, itself), some = wadi_filter_seq(odd, counted);
    const wadi_acc counted_part = wadi_consume(wadi_elements(part_of(x, counted)));
    const wadi_acc given =
        wadi_zip_with(wadi_add, total(every(step, some)), total(part_of(x, some)));
    const wadi_seq other = part_of(x, wadi_filter_seq(odd, counted));
    const wadi_acc asked = total(wadi_zip_with_seq(sum, every(step, some), other));
    const wadi_acc parts[] = {counted_part, given, asked};
    return wadi_tuple(3, parts);
}

static void sequences_within_an_element_are_picked(void **state) {
    (void)state;
    numbers s;
    wadi_program *p = wadi_program_create("within");
    wadi_stream_out(wadi_map_seq(inside, numbers_in(&s)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){.sources = &s.source, .nsources = 1}, 0, NULL);
}

/* ---- a step of no length ---- */

static wadi_acc without_step(wadi_acc element) {
    const wadi_exp x = wadi_the(element);
    return total(every(wadi_sub(wadi_i64(20), x), wadi_produce(x, itself)));
}

static void assert_faults(wadi_program *p, const numbers *s) {
    conf_case c;
    wadi_text why;
    wadi_error err;
    int64_t delivered = 0;
    const conf_variant v = {NULL, WADI_SCHEDULE_AUTO, 1, 0};
    memset(&err, 0, sizeof err);
    wadi_text_init(&why);
    const wadi_interp_io io = {.sources = &s->source, .nsources = 1};
    const bool well = conf_case_init(&c, p, &io, &why);
    if (!well) fail_msg("%s", why.at);
    assert_null(c.want);
    assert_non_null(strstr(c.fault.msg, "the step"));
    wadi_exe *exe = conf_compile(&c, NULL, &why);
    assert_non_null(exe);
    assert_int_equal(conf_go(&c, exe, &v, &delivered, &err), WADI_FAULT);
    if (!conf_told_alike(&c, &err, &why)) fail_msg("%s", why.at);
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    wadi_program_destroy(p);
}

static void a_step_is_at_least_1(void **state) {
    (void)state;
    numbers s;
    wadi_program *p = wadi_program_create("step");
    wadi_stream_out(wadi_map_seq(without_step, numbers_in(&s)), "out");
    assert_faults(p, &s);
    p = wadi_program_create("step");
    wadi_stream_out(every(wadi_i64(0), numbers_in(&s)), "out");
    assert_faults(p, &s);
}

/* ---- a row that forgot its form ---- */

static const wadi_op formless_row = {.name = "formless_seq",
                                     .form = "formless_seq s n",
                                     .about = "nothing that could be computed",
                                     .kind = WADI_OP_SEQUENCE,
                                     .type = type,
                                     .shape = wadi_rule_seq_shape_like,
                                     .depend = wadi_rule_seq_depend_like};

static wadi_seq formless(wadi_seq s) {
    wadi_draft d = wadi_draft_begin("formless_seq");
    int parts = 0;
    const wadi_array_type *t = wadi_draft_seq_arg(&d, s, &parts);
    wadi_draft_int(&d, wadi_i64(1));
    return wadi_draft_seq_like(&d, &formless_row, parts, t);
}

static wadi_acc without_form(wadi_acc element) {
    return total(formless(wadi_filter_seq(odd, wadi_produce(wadi_the(element), itself))));
}

static void assert_refused(wadi_program *p, const numbers *s, const char *compiler_says) {
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    const wadi_interp_io io = {.sources = &s->source, .nsources = 1};
    if (conf_case_init(&c, p, &io, &why)) assert_null(c.want);
    if (!strstr(why.at ? why.at : c.fault.msg, "formless_seq: its row names no form"))
        fail_msg("%s%s", why.at ? why.at : "", c.fault.msg);
    wadi_text_clear(&why);
    wadi_exe *exe = conf_compile(&c, NULL, &why);
    if (exe) { /* kernels are made when they are needed */
        const conf_variant v = {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 0};
        wadi_error err = {0};
        int64_t delivered = 0;
        assert_int_equal(conf_go(&c, exe, &v, &delivered, &err), WADI_UNSUPPORTED);
        wadi_text_add(&why, err.msg);
    }
    if (!strstr(why.at, compiler_says)) fail_msg("%s", why.at);
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    wadi_program_destroy(p);
}

static void a_row_without_a_form_is_refused(void **state) {
    (void)state;
    numbers s;
    wadi_program *p = wadi_program_create("between");
    wadi_stream_out(formless(numbers_in(&s)), "out");
    assert_refused(p, &s, "formless_seq: not offered as the source of a stream");
    p = wadi_program_create("within");
    wadi_stream_out(wadi_map_seq(without_form, numbers_in(&s)), "out");
    assert_refused(p, &s, "formless_seq: not offered inside an element");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_picked_between_bodies),
        cmocka_unit_test(sequences_within_an_element_are_picked),
        cmocka_unit_test(a_step_is_at_least_1),
        cmocka_unit_test(a_row_without_a_form_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
