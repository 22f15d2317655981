/* The documents of the language say what is true: every block and every row of docs/LANGUAGE.md and docs/TEXT.md that holds an example
 * is run by the interpreter and compared, and every operator, scalar operation and function has its entry.
 *
 * A block that begins with ```wadi is a program. Comments in it bind and expect:
 *     #< xs = 1,2,3            an input, as `wadi run` takes it; the elements of a stream have `;` between them
 *     #> total = i64 6         a result, as `wadi run` prints it; of a stream that goes out, elements with `;` between them
 *     #> fault: an empty row   a part of the message of a fault
 * A block that begins with ```form is what `wadi ops` prints of an operator. ```grammar is not run; ```c is compiled (c_examples.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/values.h"
#include "graph/lang/node.h"
#include "operators/interp/interp.h"
#include "operators/table.h"
#include "tests/manual/c_examples.h"

enum { MOST = 16 }; /* bindings and expectations of an example */

static int failures;

#define COMPLAIN(...)             \
    do {                          \
        failures++;               \
        print_error(__VA_ARGS__); \
        print_error("\n");        \
    } while (0)

/* ---- an example: a program, what is bound, what is expected ---- */

typedef struct example {
    const char *document;
    int line;
    wadi_text program;
    struct {
        char name[64], value[512];
    } bound[MOST], want[MOST];
    int nbound, nwant;
    const char *fault; /* borrowed; NULL: none is expected */
} example;

static void print_values(const wadi_module *m, const wadi_interp_results *r, const char *name,
                         wadi_text *out) {
    for (int i = 0; i < r->noutputs; i++)
        if (strcmp(r->outputs[i].name, name) == 0)
            wadi_cli_array_print(&r->outputs[i].array,
                                 &m->values[m->main->yields[i]].type.array[0].elem, out);
    const wadi_interp_sink *sink = wadi_interp_sink_get(r, name);
    for (int64_t i = 0; sink && i < sink->n * sink->components; i++) {
        if (i > 0) wadi_text_add(out, "; ");
        wadi_cli_array_print(&sink->elements[i], NULL, out);
    }
}

static void compare(const example *e, const wadi_module *m, const wadi_interp_results *r) {
    for (int i = 0; i < e->nwant; i++) {
        wadi_text said;
        wadi_text_init(&said);
        print_values(m, r, e->want[i].name, &said);
        if (strcmp(wadi_text_str(&said), e->want[i].value) != 0)
            COMPLAIN("%s:%d: %s is %s, not %s", e->document, e->line, e->want[i].name,
                     wadi_text_str(&said), e->want[i].value);
        wadi_text_fini(&said);
    }
}

/* What is bound to the input or stream of binding `b`: the elements, one after the other. */
static int read_bound(const example *e, const wadi_module *m, const wadi_bind *b, wadi_array *out) {
    wadi_error err = {0};
    for (int i = 0; i < e->nbound; i++) {
        if (strcmp(e->bound[i].name, b->name) != 0) continue;
        char values[sizeof e->bound[i].value];
        strcpy(values, e->bound[i].value);
        int n = 0;
        for (char *rest = NULL, *at = strtok_r(values, ";", &rest); at && n < MOST;
             at = strtok_r(NULL, ";", &rest)) {
            wadi_cli_value v;
            wadi_status st = wadi_cli_value_split(at + strspn(at, " "), &v, &err);
            if (st == WADI_OK)
                st =
                    wadi_cli_array_read(&v, &m->values[b->results[0]].type.array[0], &out[n], &err);
            if (st != WADI_OK)
                COMPLAIN("%s:%d: %s: %s", e->document, e->line, b->name, err.msg);
            else
                n++;
        }
        return n;
    }
    return 0;
}

static void interpret(const example *e, const wadi_module *m) {
    wadi_array arrays[MOST][MOST] = {0};
    int counts[MOST] = {0}, n = 0;
    wadi_interp_input inputs[MOST];
    wadi_interp_source sources[MOST];
    wadi_interp_io io = {.inputs = inputs, .sources = sources};
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        const bool is_input = strcmp(b->op->name, "input") == 0;
        if ((!is_input && strcmp(b->op->name, "stream_in") != 0) || n == MOST) continue;
        counts[n] = read_bound(e, m, b, arrays[n]);
        if (is_input && counts[n] == 1)
            inputs[io.ninputs++] = (wadi_interp_input){b->name, arrays[n][0]};
        else if (!is_input)
            sources[io.nsources++] =
                (wadi_interp_source){.name = b->name, .n = counts[n], .elements = arrays[n]};
        n++;
    }
    wadi_error err = {0};
    wadi_interp_results *r = NULL;
    const wadi_status st = wadi_interp_run(m, &io, &r, &err);
    if (e->fault ? st != WADI_FAULT || !strstr(err.msg, e->fault) : st != WADI_OK)
        COMPLAIN("%s:%d: \"%s\" (%s), expected %s", e->document, e->line, err.msg,
                 wadi_status_name(st), e->fault ? e->fault : "no fault");
    else if (st == WADI_OK)
        compare(e, m, r);
    wadi_interp_results_destroy(r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < counts[i]; j++) wadi_cli_array_free(&arrays[i][j]);
}

static void run_example(example *e) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    wadi_status st =
        wadi_ir_parse(wadi_text_str(&e->program), "example", wadi_operators(), &m, &err);
    if (st == WADI_OK) st = wadi_ir_verify(m, &err);
    if (st != WADI_OK)
        COMPLAIN("%s:%d: %s\n%s", e->document, e->line, err.msg, wadi_text_str(&e->program));
    else
        interpret(e, m);
    wadi_module_destroy(m);
}

static void example_begin(example *e, const char *document, int line) {
    *e = (example){.document = document, .line = line};
    wadi_text_init(&e->program);
}

/* ---- documents ---- */

typedef struct document {
    char name[32], *text;
    char **line; /* [n], into text */
    int n;
} document;

static void document_read(document *d, const char *name) {
    char path[4096];
    const char *source = getenv("WADI_SOURCE");
    size_t size;
    wadi_error err = {0};
    *d = (document){.n = 0};
    snprintf(d->name, sizeof d->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    if (wadi_file_read(path, &d->text, &size, &err) != WADI_OK) fail_msg("%s", err.msg);
    for (size_t i = 0; i < size; i++) d->n += d->text[i] == '\n';
    d->line = calloc((size_t)d->n + 1, sizeof *d->line);
    assert_non_null(d->line);
    char *at = d->text;
    for (int i = 0; i < d->n; i++) {
        d->line[i] = at;
        at = strchr(at, '\n');
        *at++ = '\0';
    }
}

static void document_free(document *d) {
    free(d->line);
    free(d->text);
}

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* "NAME = VALUE" */
static void split(const char *text, char *name, size_t name_size, char *value, size_t value_size) {
    const char *sign = strstr(text, " = ");
    if (!sign) {
        COMPLAIN("\"%s\" is not NAME = VALUE", text);
        return;
    }
    snprintf(name, name_size, "%.*s", (int)(sign - text), text);
    snprintf(value, value_size, "%s", sign + 3);
}

static void add_line(example *e, const char *line) {
    if (begins(line, "#> fault: ")) {
        e->fault = line + strlen("#> fault: ");
    } else if (begins(line, "#> ") && e->nwant < MOST) {
        split(line + 3, e->want[e->nwant].name, sizeof e->want[0].name, e->want[e->nwant].value,
              sizeof e->want[0].value);
        e->nwant++;
    } else if (begins(line, "#< ") && e->nbound < MOST) {
        split(line + 3, e->bound[e->nbound].name, sizeof e->bound[0].name,
              e->bound[e->nbound].value, sizeof e->bound[0].value);
        e->nbound++;
    } else {
        wadi_text_addf(&e->program, "%s\n", line);
    }
}

/* What is expected and neither put out by the program nor by a stream. */
static void add_outputs(example *e) {
    for (int i = 0; i < e->nwant; i++) {
        char said[128], stream[128], unordered[128];
        snprintf(said, sizeof said, "output %s\n", e->want[i].name);
        snprintf(stream, sizeof stream, "stream_out \"%s\"", e->want[i].name);
        snprintf(unordered, sizeof unordered, "stream_out_unordered \"%s\"", e->want[i].name);
        const char *text = wadi_text_str(&e->program);
        if (!strstr(text, said) && !strstr(text, stream) && !strstr(text, unordered))
            wadi_text_add(&e->program, said);
    }
}

/* Runs the block whose first line is line `at`; returns its last line. */
static int run_block(const document *d, int at) {
    example e;
    example_begin(&e, d->name, at + 1);
    int end = at + 1;
    if (!begins(d->line[end], "program ")) wadi_text_add(&e.program, "program example\n");
    for (; end < d->n && !begins(d->line[end], "```"); end++) add_line(&e, d->line[end]);
    if (e.nwant == 0 && !e.fault) COMPLAIN("%s:%d: a program without a result", d->name, at + 1);
    add_outputs(&e);
    run_example(&e);
    wadi_text_fini(&e.program);
    return end;
}

static void check_blocks(const char *name) {
    document d;
    int ran = 0;
    document_read(&d, name);
    for (int i = 0; i < d.n; i++) {
        const char *line = d.line[i];
        if (begins(line, "    ") && (i == 0 || d.line[i - 1][0] == '\0'))
            COMPLAIN("%s:%d: a block without a kind", name, i + 1);
        if (!begins(line, "```")) continue;
        if (strcmp(line, "```wadi") == 0) {
            i = run_block(&d, i);
            ran++;
            continue;
        }
        if (strcmp(line, "```c") != 0 && strcmp(line, "```form") != 0 &&
            strcmp(line, "```grammar") != 0)
            COMPLAIN("%s:%d: no kind of block: %s", name, i + 1, line);
        do i++;
        while (i < d.n && strcmp(d.line[i], "```") != 0);
    }
    assert_true(ran > 0);
    document_free(&d);
}

static void blocks_run(void **state) {
    (void)state;
    failures = 0;
    check_blocks("docs/LANGUAGE.md");
    check_blocks("docs/TEXT.md");
    assert_int_equal(failures, 0);
}

/* ---- operators ---- */

static int find_line(const document *d, int from, const char *line) {
    for (int i = from; i < d->n; i++)
        if (strcmp(d->line[i], line) == 0) return i;
    return -1;
}

/* The entry has the form, the types and the kind that `wadi ops` prints, and an example with the operator. */
static void check_operator(const document *d, const wadi_op *op) {
    static const char *const kinds[] = {[WADI_OP_PRODUCER] = "    producer",
                                        [WADI_OP_CONSUMER] = "    consumer",
                                        [WADI_OP_STRUCTURAL] = "    structural",
                                        [WADI_OP_SEQUENCE] = "    sequence"};
    char heading[64], types[1024], use[64];
    snprintf(heading, sizeof heading, "### %s", op->name);
    snprintf(types, sizeof types, "    %s", op->types ? op->types : "");
    snprintf(use, sizeof use, "%s ", op->name);
    const int at = find_line(d, 0, heading);
    if (at < 0) {
        COMPLAIN("%s: no entry \"%s\"", d->name, heading);
        return;
    }
    if (at + 6 >= d->n || strcmp(d->line[at + 2], "```form") != 0 ||
        strcmp(d->line[at + 3], op->form) != 0 || strcmp(d->line[at + 4], types) != 0 ||
        strcmp(d->line[at + 5], kinds[op->kind]) != 0)
        COMPLAIN("%s:%d: expected a block of kind form with\n%s\n%s\n%s", d->name, at + 1, op->form,
                 types, kinds[op->kind]);
    bool shown = false, in_program = false;
    for (int i = at + 1; i < d->n && !begins(d->line[i], "##"); i++) {
        if (begins(d->line[i], "```")) in_program = strcmp(d->line[i], "```wadi") == 0;
        shown = shown || (in_program && strstr(d->line[i], use));
    }
    if (!shown) COMPLAIN("%s:%d: %s has no example", d->name, at + 1, op->name);
}

static void operators_have_entries(void **state) {
    (void)state;
    document d;
    document_read(&d, "docs/LANGUAGE.md");
    failures = 0;
    for (int i = 0; i < wadi_operators()->n; i++) check_operator(&d, wadi_operators()->ops[i]);
    document_free(&d);
    assert_int_equal(failures, 0);
}

/* ---- scalar operations: | `form` | types | meaning | `example`, .. | `result`, .. | ---- */

enum { CELLS = 5 };

/* Takes a row apart, in place. False: it has another number of cells. */
static bool cells(char *line, char **cell) {
    int n = 0;
    for (char *at = line; at && n <= CELLS; n++) {
        at += strspn(at, "| ");
        if (!*at) break;
        if (n == CELLS) return false;
        cell[n] = at;
        at = strstr(at, " |");
        if (at) *at++ = '\0';
    }
    return n == CELLS;
}

/* The next text between backticks of *at, or NULL. */
static char *quoted(char **at) {
    char *first = strchr(*at, '`'), *last = first ? strchr(first + 1, '`') : NULL;
    if (!last) return NULL;
    *last = '\0';
    *at = last + 1;
    return first + 1;
}

static void run_scalar(const char *where, int line, const char *code, const char *want) {
    example e;
    example_begin(&e, where, line);
    wadi_text_addf(&e.program, "program example\nr = unit { %s }\noutput r\n", code);
    if (begins(want, "fault: ")) {
        e.fault = want + strlen("fault: ");
    } else {
        strcpy(e.want[0].name, "r");
        snprintf(e.want[0].value, sizeof e.want[0].value, "%s", want);
        e.nwant = 1;
    }
    run_example(&e);
    wadi_text_fini(&e.program);
}

static void check_scalar(const document *d, const wadi_sop_info *s) {
    char form[64], *cell[CELLS];
    int n = snprintf(form, sizeof form, "| `%s", s->name);
    for (int i = 0; i < s->arity; i++)
        n += snprintf(form + n, sizeof form - (size_t)n, " %c", 'a' + i);
    snprintf(form + n, sizeof form - (size_t)n, "` |");
    int at = 0;
    while (at < d->n && !begins(d->line[at], form)) at++;
    if (at == d->n || !cells(d->line[at], cell)) {
        COMPLAIN("%s: no row of five cells begins with %s", d->name, form);
        return;
    }
    if (strcmp(cell[1], wadi_sop_class_text(s->cls)) != 0)
        COMPLAIN("%s:%d: %s: expected the types \"%s\"", d->name, at + 1, s->name,
                 wadi_sop_class_text(s->cls));
    int examples = 0;
    for (char *code, *want; (code = quoted(&cell[3])); examples++) {
        want = quoted(&cell[4]);
        if (!want) COMPLAIN("%s:%d: %s has no result", d->name, at + 1, code);
        if (!begins(code, s->name)) COMPLAIN("%s:%d: %s is no %s", d->name, at + 1, code, s->name);
        if (want) run_scalar(d->name, at + 1, code, want);
    }
    if (examples == 0) COMPLAIN("%s:%d: %s has no example", d->name, at + 1, s->name);
}

static void scalar_operations_have_entries(void **state) {
    (void)state;
    document d;
    document_read(&d, "docs/LANGUAGE.md");
    failures = 0;
    for (int i = 0; i < WADI_SOP_PRIM_COUNT; i++) check_scalar(&d, wadi_sop_get((wadi_sop)i));
    document_free(&d);
    assert_int_equal(failures, 0);
}

/* ---- derived functions: | `form` | `types` | meaning |, and a program that has one ---- */

static void check_derived(const document *d, const wadi_derived *row) {
    char begin[512], call[64];
    snprintf(begin, sizeof begin, "| `%s` | `%s` | ", row->form, row->types);
    snprintf(call, sizeof call, "%s ", row->name);
    int at = 0, shown = 0;
    while (at < d->n && !begins(d->line[at], begin)) at++;
    if (at == d->n) COMPLAIN("%s: no row begins with %s", d->name, begin);
    bool in_program = false;
    for (int i = 0; i < d->n; i++) {
        if (begins(d->line[i], "```")) in_program = strcmp(d->line[i], "```wadi") == 0;
        const char *found = in_program ? strstr(d->line[i], call) : NULL;
        shown += found && found > d->line[i] && found[-1] == ' ';
    }
    if (shown == 0) COMPLAIN("%s: %s has no example", d->name, row->name);
}

static void derived_functions_have_entries(void **state) {
    (void)state;
    document d;
    document_read(&d, "docs/LANGUAGE.md");
    failures = 0;
    for (int i = 0; wadi_operators()->derived(i); i++)
        check_derived(&d, wadi_operators()->derived(i));
    document_free(&d);
    assert_int_equal(failures, 0);
}

/* ---- C ---- */

static void run_c(const c_example *c) {
    example e;
    example_begin(&e, "docs/LANGUAGE.md", c->line);
    if (begins(c->want, "fault: ")) e.fault = c->want + strlen("fault: ");
    wadi_error err = {0};
    wadi_module *m = NULL;
    wadi_program *p = wadi_program_create("example");
    assert_non_null(p);
    wadi_output("r", c->build());
    wadi_status st = wadi_program_check(p, &err);
    if (st == WADI_OK) st = wadi_program_lower(p, wadi_operators(), &m, &err);
    if (st == WADI_OK) st = wadi_ir_verify(m, &err);
    if (st != WADI_OK) COMPLAIN("%s:%d: %s: %s", e.document, c->line, c->text, err.msg);
    wadi_interp_results *r = NULL;
    if (st == WADI_OK) st = wadi_interp_run(m, &(wadi_interp_io){0}, &r, &err);
    wadi_text said;
    wadi_text_init(&said);
    for (int i = 0; st == WADI_OK && i < r->noutputs; i++) {
        if (i > 0) wadi_text_add(&said, "; ");
        print_values(m, r, r->outputs[i].name, &said);
    }
    if (e.fault ? st != WADI_FAULT || !strstr(err.msg, e.fault)
                : m && strcmp(wadi_text_str(&said), c->want) != 0)
        COMPLAIN("%s:%d: %s is %s%s, not %s", e.document, c->line, c->text, wadi_text_str(&said),
                 err.msg, c->want);
    wadi_text_fini(&said);
    wadi_text_fini(&e.program);
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

static void c_examples_run(void **state) {
    (void)state;
    failures = 0;
    int n = 0;
    for (; c_examples[n].text; n++) run_c(&c_examples[n]);
    assert_true(n > 0);
    assert_int_equal(failures, 0);
}

/* Whether text has other names for it: an operator, a scalar operation. */
static bool is_operation(const char *name) {
    if (wadi_op_find(wadi_operators(), name)) return true;
    for (int i = 0; i < WADI_SOP_PRIM_COUNT; i++)
        if (strcmp(wadi_sop_get((wadi_sop)i)->name, name) == 0) return true;
    return false;
}

/* Every function of a header that makes arrays or sequences, but the variants with an environment, is an operation or has a row. */
static void check_header(const document *language, const char *name) {
    document h;
    document_read(&h, name);
    for (int i = 0; i < h.n; i++) {
        const char *line = h.line[i], *call = strstr(line, " wadi_");
        if (!call ||
            !(begins(line, "wadi_acc ") || begins(line, "wadi_seq ") || begins(line, "wadi_eat ")))
            continue;
        char function[64], row[80];
        snprintf(function, sizeof function, "%.*s", (int)strcspn(call + 1, "("), call + 1);
        const size_t n = strlen(function);
        if ((n > 4 && strcmp(function + n - 4, "_env") == 0) || strstr(function, "_here") ||
            strcmp(function, "wadi_input_rec") == 0 || /* needs a binding: see the entry of input */
            is_operation(function + strlen("wadi_")))
            continue;
        snprintf(row, sizeof row, "| `%s(", function);
        int at = 0;
        while (at < language->n && !begins(language->line[at], row)) at++;
        if (at == language->n) COMPLAIN("%s: no row of %s", language->name, function);
    }
    document_free(&h);
}

static void functions_have_rows(void **state) {
    (void)state;
    document d;
    document_read(&d, "docs/LANGUAGE.md");
    failures = 0;
    check_header(&d, "include/wadi/lang.h");
    check_header(&d, "include/wadi/lang_arrays.h");
    check_header(&d, "include/wadi/lang_stencil.h");
    check_header(&d, "include/wadi/lang_order.h");
    check_header(&d, "include/wadi/lang_random.h");
    check_header(&d, "include/wadi/lang_seq.h");
    check_header(&d, "include/wadi/lang_fft.h");
    document_free(&d);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_run),
        cmocka_unit_test(operators_have_entries),
        cmocka_unit_test(scalar_operations_have_entries),
        cmocka_unit_test(derived_functions_have_entries),
        cmocka_unit_test(c_examples_run),
        cmocka_unit_test(functions_have_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
