#include "tests/api/counted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 600 };

static char place[] = "/tmp/wadi_counted_XXXXXX";

static void in_place(char *out, size_t room, const char *name) {
    (void)snprintf(out, room, "%s/%s", place, name);
}

void counted_compiler(const char *first, const char *later) {
    char path[64];
    in_place(path, sizeof path, "compiler");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho one >>%s/count\n", place);
    fprintf(f, "if mkdir %s/begun 2>/dev/null; then\n%s\nelse\n%s\nfi\nexec cc \"$@\"\n", place,
            first, later);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(setenv("WADI_CC", path, 1), 0);
}

int counted_compilations(void) {
    char path[64];
    int n = 0;
    in_place(path, sizeof path, "count");
    FILE *f = fopen(path, "r");
    for (int c = f ? fgetc(f) : EOF; c != EOF; c = fgetc(f)) n += c == '\n';
    if (f) (void)fclose(f);
    return n;
}

int counted_set_up(void **state) {
    char path[64];
    (void)state;
    strcpy(place + strlen(place) - 6, "XXXXXX");
    if (!mkdtemp(place)) return -1;
    in_place(path, sizeof path, "cache");
    counted_compiler("true", "true");
    (void)alarm(PATIENCE_S);
    return setenv("WADI_CACHE_DIR", path, 1);
}

int counted_tear_down(void **state) {
    char command[64];
    (void)state;
    (void)alarm(0);
    (void)snprintf(command, sizeof command, "rm -r %s", place);
    return system(command);
}
