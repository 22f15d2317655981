/* A folder of its own for each test, and files in it. */
#ifndef TESTS_BASE_SUPPORT_H
#define TESTS_BASE_SUPPORT_H

#include <stdbool.h>

/* Setup and teardown of a test: the folder, with a umask of 022. */
extern char folder[];
int fresh_folder(void **state);
int remove_folder(void **state);

/* One of a few paths in turn, so that two may be used at once. */
const char *in(const char *name);
int entries(void); /* without those that begin with a dot */
bool holds(const char *path, const char *text);
unsigned mode_of(const char *path);
/* By base/outfile.h. */
void put(const char *path, const char *text);

/* How a process ends that asks this in the test's place: 0 if it was fine. For what cannot be undone, and for dying. */
int status_of_child(bool (*is_fine)(void *env), void *env);

#endif
