/* Making graphs. Lists of links become rows by a counting sort on the target. */
#include "bench/streams/graphs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

typedef struct link {
    int32_t from, to;
} link;

static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static wadi_status to_rows(const link *links, int64_t n, int64_t nodes, wadi_csr *out,
                           wadi_error *err) {
    wadi_csr m = {
        .rows = nodes, .columns = nodes, .entries = n, .index_type = WADI_I32, .type = WADI_F64};
    m.offsets = calloc((size_t)nodes + 2, sizeof *m.offsets);
    m.index = malloc(((size_t)n + 1) * sizeof(int32_t));
    if (m.offsets == NULL || m.index == NULL) {
        wadi_csr_fini(&m);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    /* one place further than in the end: writing advances each row's start to its end */
    int64_t *start = m.offsets + 1;
    for (int64_t i = 0; i < n; i++) start[links[i].to + 1]++;
    for (int64_t v = 0; v < nodes; v++) start[v + 1] += start[v];
    for (int64_t i = 0; i < n; i++) ((int32_t *)m.index)[start[links[i].to]++] = links[i].from;
    *out = m;
    return WADI_OK;
}

/* A bijection of the numbers below 2^scale. */
static uint64_t shuffled(uint64_t v, int scale) {
    const uint64_t mask = (UINT64_C(1) << scale) - 1;
    v = (v * UINT64_C(0x9e3779b1)) & mask;
    v ^= v >> (scale / 2 + 1);
    return (v * UINT64_C(0x85ebca6b)) & mask;
}

/* Descends through the quarters of the matrix; 16 random bits choose one. */
static link rmat_link(int scale, uint64_t number) {
    const uint64_t a = 37356, ab = a + 12452, abc = ab + 12452; /* 0.57, 0.19, 0.19 of 2^16 */
    uint64_t from = 0, to = 0, bits = 0;
    for (int level = 0; level < scale; level++) {
        if (level % 4 == 0) {
            bits = mixed((number * 8 + (uint64_t)level / 4 + 1) * UINT64_C(0x9e3779b97f4a7c15));
        }
        const uint64_t u = bits & 0xffff;
        bits >>= 16;
        from = 2 * from + (u >= ab);
        to = 2 * to + ((u >= a && u < ab) || u >= abc);
    }
    return (link){(int32_t)shuffled(from, scale), (int32_t)shuffled(to, scale)};
}

wadi_status bench_graph_rmat(int scale, int64_t edges, wadi_csr *out, wadi_error *err) {
    link *links = malloc((size_t)edges * sizeof *links);
    if (links == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (int64_t i = 0; i < edges; i++) links[i] = rmat_link(scale, (uint64_t)i);
    const wadi_status status = to_rows(links, edges, INT64_C(1) << scale, out, err);
    free(links);
    return status;
}

typedef struct link_list {
    WADI_VEC(link) links;
    int64_t nodes;
} link_list;

static wadi_status read_links(FILE *f, const char *path, link_list *list, wadi_error *err) {
    char line[256];
    for (long long number = 1; fgets(line, sizeof line, f) != NULL; number++) {
        long long from = -1, to = -1;
        if (line[0] == '#') continue;
        if (sscanf(line, "%lld %lld", &from, &to) != 2 || from < 0 || to < 0 || from > INT32_MAX ||
            to > INT32_MAX) {
            return wadi_fail(err, WADI_INVALID, "%s, line %lld: two node numbers are expected",
                             path, number);
        }
        if (!wadi_vec_push(&list->links, (link){(int32_t)from, (int32_t)to})) {
            return wadi_fail(err, WADI_MEMORY, "out of memory");
        }
        const int64_t most = from > to ? from : to;
        if (most >= list->nodes) list->nodes = most + 1;
    }
    return WADI_OK;
}

wadi_status bench_graph_read(const char *path, wadi_csr *out, wadi_error *err) {
    char command[4200];
    if (strchr(path, '\'') != NULL) return wadi_fail(err, WADI_INVALID, "%s: odd name", path);
    (void)snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *f = popen(command, "r");
    if (f == NULL) return wadi_fail(err, WADI_IO, "gzip: %s", strerror(errno));
    link_list list = {0};
    wadi_status status = read_links(f, path, &list, err);
    const bool ended = pclose(f) == 0;
    if (status == WADI_OK && !ended) status = wadi_fail(err, WADI_IO, "%s: gzip fails", path);
    if (status == WADI_OK) {
        status = to_rows(list.links.at, (int64_t)list.links.n, list.nodes, out, err);
    }
    wadi_vec_free(&list.links);
    return status;
}
