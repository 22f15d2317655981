/* Reads files of small programs, and compares what is reported about each with the file, or records it. */
#include "tests/operators/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "operators/table.h"
#include "tests/spoilt_memory.h"

wadi_module *read_case(const char *program, wadi_text *out) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_ir_parse(program, "t", wadi_operators(), &m, &err);
    if (st == WADI_OK) return m;
    wadi_text_addf(out, "%s: %s\n", wadi_status_name(st), err.msg);
    return NULL;
}

/* Lines that begin with `mark`, and the same without; returns the first line that does not. */
static const char *take_lines(const char *at, const char *mark, wadi_text *out) {
    const size_t skip = strlen(mark);
    while (*at && strncmp(at, mark, skip) == 0) {
        const size_t n = strcspn(at, "\n");
        wadi_text_add_n(out, at + skip, n - skip);
        wadi_text_add(out, "\n");
        at += n + (at[n] == '\n');
    }
    return at;
}

/* Lines up to one that begins with either mark. */
static const char *take_program(const char *at, wadi_text *out) {
    while (*at && *at != '>' && *at != '#') {
        const size_t n = strcspn(at, "\n");
        wadi_text_add_n(out, at, n);
        wadi_text_add(out, "\n");
        at += n + (at[n] == '\n');
    }
    return at;
}

static void add_marked(wadi_text *out, const char *lines) {
    for (const char *at = lines; *at;) {
        const size_t n = strcspn(at, "\n");
        wadi_text_add(out, "> ");
        wadi_text_add_n(out, at, n);
        wadi_text_add(out, "\n");
        at += n + (at[n] == '\n');
    }
}

typedef struct checking {
    tell_case tell;
    const char *file;
    const char *prologue;
    wadi_text recorded;
    int failed;
} checking;

/* The case that begins at `at`, with its title; returns where the next begins. */
static const char *check_case(checking *c, const char *at) {
    wadi_text title, body, want, program, got;
    wadi_text_init(&title);
    wadi_text_init(&body);
    wadi_text_init(&want);
    wadi_text_init(&program);
    wadi_text_init(&got);
    at = take_lines(at, "# ", &title);
    at = take_program(at, &body);
    at = take_lines(at, "> ", &want);
    wadi_text_addf(&program, "%s%s", c->prologue, wadi_text_str(&body));
    c->tell(wadi_text_str(&program), &got);
    if (strcmp(wadi_text_str(&got), wadi_text_str(&want)) != 0) {
        print_error("%s: %s%sis told\n%sexpected\n%s\n", c->file, wadi_text_str(&title),
                    wadi_text_str(&body), wadi_text_str(&got), wadi_text_str(&want));
        c->failed++;
    }
    wadi_text_addf(&c->recorded, "# %s%s", wadi_text_str(&title), wadi_text_str(&body));
    add_marked(&c->recorded, wadi_text_str(&got));
    wadi_text_fini(&title);
    wadi_text_fini(&body);
    wadi_text_fini(&want);
    wadi_text_fini(&program);
    wadi_text_fini(&got);
    return at;
}

static void record(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static char *read_file(const char *name, char *path, size_t size) {
    const char *source = getenv("WADI_SOURCE");
    char *text = NULL;
    size_t length = 0;
    wadi_error err = {0};
    (void)snprintf(path, size, "%s/tests/%s.txt", source ? source : ".", name);
    if (wadi_file_read(path, &text, &length, &err) != WADI_OK) fail_msg("%s", err.msg);
    return text;
}

/* The first line in which two texts differ. */
static int first_difference(const char *a, const char *b) {
    int line = 1;
    for (; *a && *a == *b; a++, b++) line += *a == '\n';
    return line;
}

void check_transcript(const char *name, const wadi_text *told) {
    char path[1024], *want = read_file(name, path, sizeof path);
    const char *got = wadi_text_str(told);
    const int line = first_difference(got, want);
    const bool same = strcmp(got, want) == 0;
    free(want);
    if (!same && getenv("WADI_TEST_RECORD")) record(path, got);
    if (same) return;
    for (int k = 1; k < line; k++) got = strchr(got, '\n') + 1;
    fail_msg("%s, line %d: now told is\n%.*s", path, line, (int)strcspn(got, "\n"), got);
}

void check_cases(const char *name, tell_case tell) {
    spoil_memory();
    char path[1024], *text = read_file(name, path, sizeof path);
    wadi_text prologue;
    wadi_text_init(&prologue);
    checking c = {.tell = tell, .file = name};
    wadi_text_init(&c.recorded);
    const char *at = take_program(text, &prologue);
    c.prologue = wadi_text_str(&prologue);
    wadi_text_add(&c.recorded, c.prologue);
    assert_int_equal(*at, '#');
    while (*at) {
        if (*at != '#') fail_msg("%s: a case begins with #, not %.20s", name, at);
        at = check_case(&c, at);
    }
    if (getenv("WADI_TEST_RECORD")) record(path, wadi_text_str(&c.recorded));
    wadi_text_fini(&c.recorded);
    wadi_text_fini(&prologue);
    free(text);
    if (c.failed > 0) fail_msg("%d cases of %s are told otherwise", c.failed, path);
}

void each_case(const char *name, void (*see)(const char *program, void *env), void *env) {
    spoil_memory();
    char path[1024], *text = read_file(name, path, sizeof path);
    wadi_text prologue, program, rest;
    wadi_text_init(&prologue);
    wadi_text_init(&program);
    wadi_text_init(&rest);
    const char *at = take_program(text, &prologue);
    while (*at) {
        wadi_text_clear(&program);
        wadi_text_clear(&rest);
        wadi_text_add(&program, wadi_text_str(&prologue));
        at = take_lines(at, "# ", &rest);
        at = take_program(at, &program);
        at = take_lines(at, "> ", &rest);
        see(wadi_text_str(&program), env);
    }
    wadi_text_fini(&prologue);
    wadi_text_fini(&program);
    wadi_text_fini(&rest);
    free(text);
}
