/* Each column gets pages of its own and after them a page without access rights. Pages that are done with wait for a column of the same size: new ones
 * cost a fault each, and tests of many short runs would spend most of their time on these. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/conformance/guarded.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

/* Pages that wait, and where the next ones will. Tests bind arrays in one thread. */
static guarded_pages waiting[32];
static int next;
enum { PLACES = sizeof waiting / sizeof *waiting, LARGEST = 1 << 20 };

static size_t values_of(const wadi_array *a) {
    size_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= (size_t)a->shape[d];
    return n;
}

static void unmap(const guarded_pages *p) {
    if (p->at) (void)munmap(p->at, p->bytes);
}

/* `bytes` with the page that guards. */
static wadi_status take(size_t bytes, size_t page, guarded_pages *out, wadi_error *err) {
    for (int i = 0; i < PLACES; i++)
        if (waiting[i].at && waiting[i].bytes == bytes) {
            *out = waiting[i];
            waiting[i] = (guarded_pages){0};
            return WADI_OK;
        }
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return wadi_fail(err, WADI_MEMORY, "no guarded memory");
    *out = (guarded_pages){at, bytes};
    if (mprotect(at + bytes - page, page, PROT_NONE) != 0)
        return wadi_fail(err, WADI_MEMORY, "memory cannot be guarded");
    return WADI_OK;
}

static void leave(const guarded_pages *p) {
    if (!p->at || p->bytes > LARGEST) {
        unmap(p);
        return;
    }
    unmap(&waiting[next]);
    waiting[next] = *p;
    next = (next + 1) % PLACES;
}

static wadi_status copy_column(guarded *g, int f, size_t bytes, wadi_error *err) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t body = (bytes + page - 1) / page * page;
    WADI_TRY(take(body + page, page, &g->pages[f], err));
    char *column = g->pages[f].at + body - bytes;
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
    for (int f = 0; f < WADI_MAX_FIELDS; f++) leave(&g->pages[f]);
}
