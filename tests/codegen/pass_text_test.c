/* Each tests/ir/<pass>_<what>.ir holds a program, a line of dashes, and the program that <pass> makes of it. The second
 * must come out word for word, and both must mean the same. After simplify, dce is run too, which removes values without readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/codegen/programs.h"
#include "tests/graph/module_copy.h"

enum { MAX_CASES = 128 };

static char directory[512];

static char *read_case(const char *name, char **out_after) {
    char path[1024];
    char *text = NULL;
    size_t size = 0;
    wadi_error err = {.status = WADI_OK};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (wadi_file_read(path, &text, &size, &err) != WADI_OK) fail_msg("%s", err.msg);
    char *line = strstr(text, "\n----");
    if (!line) {
        fail_msg("%s has no line of dashes", name);
        return text;
    }
    *line++ = 0;
    *out_after = line + strspn(line, "-");
    return text;
}

static void pass_of(const char *name, char *out, size_t size) {
    const size_t n = strcspn(name, "_.");
    snprintf(out, size, "%.*s", (int)n, name);
}

static void run_case(void **state) {
    const char *name = *state;
    char pass[64], *after = NULL;
    char *text = read_case(name, &after);
    pass_of(name, pass, sizeof pass);

    wadi_error err = {.status = WADI_OK};
    wadi_module *m = program(text), *original = module_copy(m), *expected = program(after);
    if (wadi_pipeline_pass(m, pass, NULL, &err) != WADI_OK) fail_msg("%s: %s", name, err.msg);
    /* simplify leaves what lost its readers to dce */
    if (strcmp(pass, "simplify") == 0 && wadi_pipeline_pass(m, "dce", NULL, &err) != WADI_OK)
        fail_msg("%s: %s", name, err.msg);
    char *got = text_of(m), *want = text_of(expected);
    if (strcmp(got, want) != 0) fail_msg("%s: got\n%s\nexpected\n%s", name, got, want);
    assert_same_meaning(original, m);

    free(got);
    free(want);
    free(text);
    wadi_module_destroy(m);
    wadi_module_destroy(original);
    wadi_module_destroy(expected);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

int main(void) {
    static char names[MAX_CASES][64];
    struct CMUnitTest tests[MAX_CASES];
    size_t n = 0;
    const char *source = getenv("WADI_SOURCE");
    snprintf(directory, sizeof directory, "%s/tests/ir", source ? source : ".");
    DIR *d = opendir(directory);
    if (!d) {
        printf("%s is missing\n", directory);
        return 1;
    }
    for (const struct dirent *e; (e = readdir(d)) != NULL && n < MAX_CASES;) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".ir") != 0 || strlen(e->d_name) >= sizeof *names) continue;
        strcpy(names[n], e->d_name);
        tests[n] = (struct CMUnitTest){names[n], run_case, NULL, NULL, names[n]};
        n++;
    }
    closedir(d);
    if (n == 0) return 1;
    qsort(tests, n, sizeof *tests, by_name);
    return _cmocka_run_group_tests("pass texts", tests, n, NULL, NULL);
}
