/* Files that a test program leaves open: its first test counts what is open, its last one finds no more. */
#ifndef WADI_TESTS_OPEN_FILES_H
#define WADI_TESTS_OPEN_FILES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int open_at_first;

/* Those of the counting itself included; 0: this system does not tell. */
static inline int count_open_files(void) {
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    if (d == NULL) return 0;
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

static inline void open_files_are_counted(void **state) {
    (void)state;
    open_at_first = count_open_files();
    if (open_at_first == 0) skip();
}

static inline void no_file_is_left_open(void **state) {
    (void)state;
    assert_int_equal(count_open_files(), open_at_first);
}

#endif
