/* A program that uses the library: host IN OUT doubles the f64 of a raw file. Status 0, or 1 with a message. */
#include <stdio.h>

#include "wadi/wadi.h"

static wadi_exp twice(wadi_exp x) {
    return wadi_mul(x, wadi_f64(2));
}

static wadi_acc each(wadi_acc a) {
    return wadi_map(twice, a);
}

static wadi_status go(const char *in, const char *out, wadi_error *err) {
    static const int64_t shape[] = {100};
    const wadi_part part = wadi_part_fixed(WADI_F64, 1, shape);
    const wadi_component rows = {.elem = wadi_scalar_elem(WADI_F64), .rank = 1};
    wadi_program *p = wadi_program_create("host");
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_status st = WADI_MEMORY;
    if (p != NULL) {
        wadi_stream_out(wadi_map_seq(each, wadi_stream_in("in", 1, &rows)), "out");
        st = wadi_compile(p, NULL, &exe, err);
    }
    if (st == WADI_OK) st = wadi_source_raw(in, &part, &source, err);
    if (st == WADI_OK) st = wadi_sink_raw(out, &sink, err);
    if (st == WADI_OK) st = wadi_run_create(exe, NULL, &run, err);
    if (st == WADI_OK) st = wadi_run_source(run, "in", source, err);
    if (st == WADI_OK) st = wadi_run_sink(run, "out", sink, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
    return st;
}

int main(int argc, char **argv) {
    wadi_error err = {.status = WADI_OK};
    if (argc != 3) return 2;
    const wadi_status st = go(argv[1], argv[2], &err);
    if (st != WADI_OK)
        fprintf(stderr, "host: %s\n", st == WADI_MEMORY && !err.msg[0] ? "out of memory" : err.msg);
    return st == WADI_OK ? 0 : 1;
}
