#include "bench/arrays/peers/matmul.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, BLOCK = 256 };

/* Rows [i, below) of a block of `depth` places: c += a b, by tiles of ROWS x COLUMNS; `packed` is the block of b, column tile after column tile. */
#define KERNELS(T, NAME, COLUMNS)                                                                 \
    static void tile_##NAME(int64_t n, int64_t depth, const T *restrict a,                        \
                            const T *restrict packed, T *restrict c, int rows, int columns) {     \
        T acc[ROWS][COLUMNS] = {{0}};                                                             \
        if (rows == ROWS)                                                                         \
            for (int64_t k = 0; k < depth; k++)                                                   \
                for (int j = 0; j < (COLUMNS); j++)                                               \
                    for (int i = 0; i < ROWS; i++)                                                \
                        acc[i][j] += a[i * n + k] * packed[k * (COLUMNS) + j];                    \
        else                                                                                      \
            for (int64_t k = 0; k < depth; k++)                                                   \
                for (int i = 0; i < rows; i++)                                                    \
                    for (int j = 0; j < (COLUMNS); j++)                                           \
                        acc[i][j] += a[i * n + k] * packed[k * (COLUMNS) + j];                    \
        for (int i = 0; i < rows; i++)                                                            \
            for (int j = 0; j < columns; j++) c[i * n + j] += acc[i][j];                          \
    }                                                                                             \
    static void pack_##NAME(int64_t n, int64_t depth, const T *restrict b, T *restrict packed) {  \
        for (int64_t j = 0; j < n; j += (COLUMNS))                                                \
            for (int64_t k = 0; k < depth; k++)                                                   \
                for (int64_t l = 0; l < (COLUMNS); l++)                                           \
                    packed[j * depth + k * (COLUMNS) + l] = j + l < n ? b[k * n + j + l] : 0;     \
    }                                                                                             \
    void peer_matmul_##NAME(int64_t n, const T *a, const T *b, T *c) {                            \
        const int64_t wide = (n + (COLUMNS)-1) / (COLUMNS) * (COLUMNS);                           \
        T *packed = malloc((size_t)(wide * BLOCK) * sizeof *packed);                              \
        memset(c, 0, (size_t)(n * n) * sizeof *c);                                                \
        for (int64_t k = 0; packed && k < n; k += BLOCK) {                                        \
            const int64_t depth = n - k < BLOCK ? n - k : BLOCK;                                  \
            pack_##NAME(n, depth, b + k * n, packed);                                             \
            _Pragma("omp parallel for schedule(dynamic, 4)") for (int64_t i = 0; i < n;           \
                                                                  i += ROWS) for (int64_t j = 0;  \
                                                                                  j < n;          \
                                                                                  j += (COLUMNS)) \
                tile_##NAME(n, depth, a + i * n + k, packed + j * depth, c + i * n + j,           \
                            (int)(n - i < ROWS ? n - i : ROWS),                                   \
                            (int)(n - j < (COLUMNS) ? n - j : (COLUMNS)));                        \
        }                                                                                         \
        free(packed);                                                                             \
    }                                                                                             \
    void peer_loops_##NAME(int64_t n, const T *restrict a, const T *restrict b, T *restrict c) {  \
        _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < n; i++) {            \
            for (int64_t j = 0; j < n; j++) c[i * n + j] = 0;                                     \
            for (int64_t k = 0; k < n; k++)                                                       \
                for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];      \
        }                                                                                         \
    }
KERNELS(float, f32, 32)
KERNELS(double, f64, 16)
