/* A compiler for tests: it counts its calls and can be told to do something before it compiles. Its cache of kernels is empty at
 * first. */
#ifndef TESTS_API_COUNTED_H
#define TESTS_API_COUNTED_H

/* Before and after each test: the folder, with a compiler that only counts. A test that waits for ever is killed. */
int counted_set_up(void **state);
int counted_tear_down(void **state);

/* first, later: shell commands before the first compilation and before those that follow; "$@" is what the compiler is given. */
void counted_compiler(const char *first, const char *later);
/* How many compilations have begun. */
int counted_compilations(void);

#endif
