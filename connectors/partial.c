/* See the header. */
#include "connectors/partial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

wadi_status wadi_partial_init(wadi_partial *p, const char *path, wadi_error *err) {
    const size_t n = strlen(path) + sizeof ".partial";
    struct stat about;
    p->path = strdup(path);
    p->temporary = malloc(n);
    if (p->path == NULL || p->temporary == NULL)
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    (void)snprintf(p->temporary, n, "%s.partial", path);
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return wadi_fail(err, WADI_IO, "%s: exists and is no regular file", path);
    if (unlink(p->temporary) != 0 && errno != ENOENT)
        return wadi_fail(err, WADI_IO, "%s: %s", p->temporary, strerror(errno));
    return WADI_OK;
}

wadi_status wadi_partial_keep(wadi_partial *p, wadi_error *err) {
    if (rename(p->temporary, p->path) == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", p->path, strerror(errno));
}

void wadi_partial_discard(wadi_partial *p) {
    if (p->temporary != NULL) (void)unlink(p->temporary);
}

void wadi_partial_fini(wadi_partial *p) {
    free(p->path);
    free(p->temporary);
    *p = (wadi_partial){0};
}
