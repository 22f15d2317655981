/* Each column gets pages of its own and after them a page without access rights. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/conformance/guarded.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

static size_t values_of(const wadi_array *a) {
    size_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= (size_t)a->shape[d];
    return n;
}

static wadi_status copy_column(guarded *g, int f, size_t bytes, wadi_error *err) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t body = (bytes + page - 1) / page * page;
    char *at = mmap(NULL, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return wadi_fail(err, WADI_MEMORY, "no guarded memory");
    g->mapping[f].at = at;
    g->mapping[f].bytes = body + page;
    if (mprotect(at + body, page, PROT_NONE) != 0)
        return wadi_fail(err, WADI_MEMORY, "memory cannot be guarded");
    char *column = at + body - bytes;
    if (bytes > 0) memcpy(column, g->array.column[f], bytes);
    g->array.column[f] = column;
    return WADI_OK;
}

wadi_status guarded_init(guarded *g, const wadi_array *a, wadi_error *err) {
    const size_t n = values_of(a);
    *g = (guarded){.array = *a};
    for (int f = 0; f < a->fields; f++)
        WADI_TRY(copy_column(g, f, n * (size_t)wadi_type_size(a->type[f]), err));
    return WADI_OK;
}

void guarded_fini(guarded *g) {
    for (int f = 0; f < WADI_MAX_FIELDS; f++)
        if (g->mapping[f].at) (void)munmap(g->mapping[f].at, g->mapping[f].bytes);
}
