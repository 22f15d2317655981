/* Makes a fresh folder for a test and removes it; writes, reads and finds files in it. */
#include "tests/base/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/outfile.h"

char folder[] = "base_test_XXXXXX";
static mode_t mask;

int fresh_folder(void **state) {
    (void)state;
    memcpy(folder, "base_test_XXXXXX", sizeof folder);
    mask = umask(022);
    return mkdtemp(folder) == NULL;
}

int remove_folder(void **state) {
    char command[64];
    (void)state;
    umask(mask);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* One of a few names in turn, so that two may be used at once. */
const char *in(const char *name) {
    static char paths[4][128];
    static int turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

int entries(void) {
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

bool holds(const char *path, const char *text) {
    char *got = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &got, &n, NULL), WADI_OK);
    const bool same = n == strlen(text) && memcmp(got, text, n) == 0;
    free(got);
    return same;
}

unsigned mode_of(const char *path) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return (unsigned)about.st_mode & 07777;
}

void put(const char *path, const char *text) {
    wadi_error err = {0};
    if (wadi_outfile_put(path, text, strlen(text), NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
}

int status_of_child(bool (*is_fine)(void *env), void *env) {
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(is_fine(env) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}
