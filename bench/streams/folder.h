/* A temporary folder, in which peers in other processes find arrays as files, and leave results. */
#ifndef WADI_BENCH_STREAMS_FOLDER_H
#define WADI_BENCH_STREAMS_FOLDER_H

#include <stddef.h>

#include "wadi/status.h"

enum { BENCH_PATH = 128 };

typedef struct bench_folder {
    char path[64]; /* empty: there is none */
} bench_folder;

/* In memory where the system has a folder for that. program: part of its name. Errors: WADI_IO. */
WADI_NODISCARD wadi_status bench_folder_make(const char *program, bench_folder *out,
                                             wadi_error *err);
/* The path of one of its files. */
void bench_folder_path(const bench_folder *f, const char *file, char out[BENCH_PATH]);
/* Writes a whole file. Errors: WADI_IO. */
WADI_NODISCARD wadi_status bench_folder_put(const bench_folder *f, const char *file,
                                            const void *data, size_t bytes, wadi_error *err);
/* Reads a file, which must have so many bytes. Errors: WADI_IO. */
WADI_NODISCARD wadi_status bench_folder_get(const bench_folder *f, const char *file, void *out,
                                            size_t bytes, wadi_error *err);
/* With the files in it. */
void bench_folder_remove(bench_folder *f);

#endif
