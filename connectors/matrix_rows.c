/* Rows from entries: a counting sort by row, then a sort of each row by column, unless it is in order already, as in most files.
 * Both keep the order of the file among entries of one place, so sums are the same on every machine. */
#include "connectors/matrix_rows.h"

#include <stdlib.h>
#include <string.h>

bool wadi_entries_append(wadi_entries *e, int64_t row, int64_t column, const double value[2]) {
    const wadi_matrix_place place = {row, column};
    return wadi_vec_push(&e->places, place) && wadi_vec_push(&e->values, value[0]) &&
           (!e->is_complex || wadi_vec_push(&e->values, value[1]));
}

void wadi_entries_fini(wadi_entries *e) {
    wadi_vec_free(&e->places);
    wadi_vec_free(&e->values);
}

void wadi_csr_fini(wadi_csr *m) {
    if (m == NULL) return;
    free(m->offsets);
    free(m->index);
    free(m->values);
    *m = (wadi_csr){0};
}

typedef struct key {
    int64_t column;
    size_t entry; /* its number in the file */
} key;

static int by_column(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void sort_row(key *from, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (from[i].column >= from[i - 1].column) continue;
        qsort(from, n, sizeof *from, by_column);
        return;
    }
}

/* Writes the keys row by row. first[r] becomes the number of the first key of row r. */
static void distribute(const wadi_entries *e, int64_t rows, int64_t *first, key *keys) {
    for (size_t i = 0; i < e->places.n; i++) first[e->places.at[i].row + 1]++;
    for (int64_t r = 0; r < rows; r++) first[r + 1] += first[r];
    for (size_t i = 0; i < e->places.n; i++) {
        const wadi_matrix_place *p = &e->places.at[i];
        keys[first[p->row]++] = (key){p->column, i};
    }
    for (int64_t r = rows; r > 0; r--) first[r] = first[r - 1];
    first[0] = 0;
}

static void set_index(const wadi_csr *m, int64_t at, int64_t column) {
    if (m->index_type == WADI_I32)
        ((int32_t *)m->index)[at] = (int32_t)column;
    else
        ((int64_t *)m->index)[at] = column;
}

/* Writes one row of the matrix: entries of one column are added up. */
static void write_row(const wadi_entries *e, const key *keys, size_t n, wadi_csr *m) {
    const size_t parts = e->is_complex ? 2 : 1;
    for (size_t i = 0; i < n; i++) {
        const double *from = e->values.at + parts * keys[i].entry;
        const bool again = i > 0 && keys[i].column == keys[i - 1].column;
        if (!again) set_index(m, m->entries++, keys[i].column);
        double *to = m->values + parts * (size_t)(m->entries - 1);
        for (size_t k = 0; k < parts; k++) to[k] = again ? to[k] + from[k] : from[k];
    }
}

/* Allocates room for at least one object, so NULL always means out of memory. */
static void *room(size_t n, size_t size) {
    return calloc(n > 0 ? n : 1, size);
}

wadi_status wadi_entries_to_rows(const wadi_entries *e, int64_t rows, int64_t columns,
                                 wadi_csr *out) {
    const bool narrow = columns <= INT32_MAX;
    wadi_csr m = {.rows = rows,
                  .columns = columns,
                  .index_type = narrow ? WADI_I32 : WADI_I64,
                  .type = e->is_complex ? WADI_C128 : WADI_F64};
    int64_t *first = room((size_t)rows + 1, sizeof *first);
    key *keys = room(e->places.n, sizeof *keys);
    m.offsets = room((size_t)rows + 1, sizeof *m.offsets);
    m.index = room(e->places.n, narrow ? sizeof(int32_t) : sizeof(int64_t));
    m.values = room(e->values.n, sizeof *m.values);
    const bool fine = first && keys && m.offsets && m.index && m.values;
    if (fine) {
        distribute(e, rows, first, keys);
        for (int64_t r = 0; r < rows; r++) {
            const size_t n = (size_t)(first[r + 1] - first[r]);
            sort_row(keys + first[r], n);
            write_row(e, keys + first[r], n, &m);
            m.offsets[r + 1] = m.entries;
        }
        *out = m;
    } else {
        wadi_csr_fini(&m);
    }
    free(first);
    free(keys);
    return fine ? WADI_OK : WADI_MEMORY;
}
