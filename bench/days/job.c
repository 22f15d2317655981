/* Runs whose stage may be shared with workers. */
#include <stdlib.h>

#include "base/error.h"
#include "bench/days/days.h"

enum { FEW = 8 };

static const char sums[] =
    "program sums\nstream_in s : seq(u32[16])\n"
    "t = map_seq s (x) {\n    h = fold 1u32 x (a, b) { xor (mul a 16777619u32) b }\n    yield "
    "h\n}\n"
    "r = fold_seq t 0u32 (n, y) {\n    m = unit { xor (the n) (the y) }\n    yield m\n}\noutput "
    "r\n";

const char days_hash_text[] =
    "program hash\nstream_in s : seq(u32[16])\n"
    "t = map_seq s (x) {\n    h = fold 1u32 x (a, b) { xor (mul a 16777619u32) b }\n"
    "    y = unit { iterate 64 (k, a) { add (mul a 1664525u32) (xor a 1013904223u32) } from (the "
    "h) }\n    yield y\n}\n"
    "r = fold_seq t 0u32 (n, y) {\n    m = unit { add (mul (the n) 31u32) (the y) }\n    yield "
    "m\n}\noutput r\n";

/* Records that are all in memory, from 0 on. */
static wadi_status records_of(int64_t records, wadi_array *out, wadi_error *err) {
    static uint32_t *words;
    static int64_t made;
    if (records > made) {
        uint32_t *more = realloc(words, (size_t)records * DAYS_RECORD);
        if (more == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory for records");
        words = more;
        for (int64_t i = made * DAYS_WORDS; i < records * DAYS_WORDS; i++)
            words[i] = (uint32_t)i * 2654435761u;
        made = records;
    }
    *out = (wadi_array){.rank = 2,
                        .fields = 1,
                        .type = {WADI_U32},
                        .shape = {records, DAYS_WORDS},
                        .column = {words}};
    return WADI_OK;
}

static wadi_status bind(const days_job *j, wadi_run *run, wadi_source **owned, wadi_error *err) {
    wadi_array data;
    WADI_TRY(records_of(j->records, &data, err));
    WADI_TRY(wadi_source_memory(&data, owned, err));
    return wadi_run_source(run, "s", *owned, err);
}

static wadi_status result_of(wadi_run *run, uint32_t *out, wadi_error *err) {
    wadi_array a;
    if (out == NULL) return WADI_OK;
    WADI_TRY(wadi_run_result(run, "r", &a, err));
    *out = *(const uint32_t *)a.column[0];
    return WADI_OK;
}

static wadi_status run_once(const days_job *j, double *out_s, uint32_t *out_result,
                            wadi_error *err) {
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *owned = NULL;
    wadi_run_stats stats = {0};
    wadi_status st = wadi_compile_text(j->text != NULL ? j->text : sums, "days", NULL, &exe, err);
    if (st == WADI_OK) st = wadi_run_create(exe, &j->options, &run, err);
    if (st == WADI_OK) st = bind(j, run, &owned, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = result_of(run, out_result, err);
    if (st == WADI_OK) wadi_run_stats_get(run, &stats);
    *out_s = stats.elapsed_s;
    wadi_run_destroy(run);
    wadi_source_destroy(owned);
    wadi_exe_destroy(exe);
    return st;
}

wadi_status days_run_net(const days_job *j, double *out_s, uint32_t *out_result, wadi_error *err) {
    days_job few = *j;
    double start_s = 0;
    few.records = j->records < FEW ? j->records : FEW;
    few.options.chunk = 1;
    few.options.state = few.options.certificate = NULL;
    WADI_TRY(run_once(&few, &start_s, NULL, err));
    WADI_TRY(run_once(j, out_s, out_result, err));
    *out_s = *out_s > start_s ? *out_s - start_s : 1e-9;
    return WADI_OK;
}
