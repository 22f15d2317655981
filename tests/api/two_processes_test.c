/* One pipeline, in one process and split over two: the output is the same, byte for byte. In the split one, one process
 * runs the sources of the stream and the other computes and writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <wadi/wadi.h>

#include "base/file.h"

enum { ELEMENTS = 700 };

/* Element i is i32[i * 7 % 31], a pseudo-random walk. */
static wadi_status tell(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const int64_t shape[] = {index * 7 % 31};
    wadi_array a;
    (void)env;
    if (index == ELEMENTS) return WADI_OK;
    const wadi_status status = wadi_yield_array(yield, 0, shape, &a, err);
    if (status != WADI_OK) return status;
    uint32_t x = (uint32_t)index;
    for (int64_t i = 0; i < shape[0]; i++) {
        x = x * 1664525u + 1013904223u;
        ((int32_t *)a.column[0])[i] = (int32_t)(x >> 20);
    }
    return WADI_OK;
}

static wadi_exp triple(wadi_exp x) {
    return wadi_mul(x, wadi_i32(3));
}

/* Running sums of the tripled walk: as irregular as the stream. */
static wadi_acc sums(wadi_acc a) {
    return wadi_scanl1(wadi_add, wadi_map(triple, a));
}

static wadi_seq walk_in(void) {
    const wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    return wadi_stream_in("in", 1, &c);
}

static wadi_program *computing(void) {
    wadi_program *p = wadi_program_create("computing");
    wadi_stream_out(wadi_map_seq(sums, walk_in()), "out");
    return p;
}

static wadi_program *passing(void) {
    wadi_program *p = wadi_program_create("passing");
    wadi_stream_out(walk_in(), "out");
    return p;
}

static wadi_status run(wadi_program *p, wadi_source *in, wadi_sink *out, int64_t chunk,
                       wadi_error *err) {
    const wadi_run_options options = {.chunk = chunk};
    wadi_exe *exe = NULL;
    wadi_run *r = NULL;
    wadi_status status = wadi_compile(p, NULL, &exe, err);
    if (status == WADI_OK) status = wadi_run_create(exe, &options, &r, err);
    if (status == WADI_OK) status = wadi_run_source(r, "in", in, err);
    if (status == WADI_OK) status = wadi_run_sink(r, "out", out, err);
    if (status == WADI_OK) status = wadi_run_go(r, err);
    wadi_run_destroy(r);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
    return status;
}

static wadi_source *walk(void) {
    const wadi_part part = wadi_part_irregular(WADI_I32, 1);
    wadi_source *in = NULL;
    return wadi_source_callback(1, &part, tell, NULL, &in, NULL) == WADI_OK ? in : NULL;
}

static void run_alone(const char *path) {
    wadi_source *in = walk();
    wadi_sink *out = NULL;
    wadi_error err = {0};
    assert_non_null(in);
    assert_int_equal(wadi_sink_raw(path, &out, &err), WADI_OK);
    const wadi_status status = run(computing(), in, out, 0, &err);
    if (status != WADI_OK) print_error("%s\n", err.msg);
    assert_int_equal(status, WADI_OK);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
}

/* The sourcing process. */
static pid_t start_source(const char *address, int64_t chunk) {
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    wadi_source *in = walk();
    wadi_sink *out = NULL;
    wadi_error err = {0};
    wadi_status status = in == NULL ? WADI_MEMORY : wadi_sink_link(address, NULL, &out, &err);
    if (status == WADI_OK) status = run(passing(), in, out, chunk, &err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    _exit((int)status);
}

/* The computing and writing process: this one. */
static void run_split(const char *address, const char *path, int64_t chunk) {
    const wadi_link_options binds = {.bind = true};
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    wadi_error err = {0};
    int exited = 0;
    const pid_t pid = start_source(address, chunk);
    assert_int_equal(wadi_source_link(address, &binds, &in, &err), WADI_OK);
    assert_int_equal(wadi_sink_raw(path, &out, &err), WADI_OK);
    const wadi_status status = run(computing(), in, out, 50 - chunk, &err);
    if (status != WADI_OK) print_error("%s\n", err.msg);
    assert_int_equal(status, WADI_OK);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    assert_int_equal(waitpid(pid, &exited, 0), pid);
    assert_true(WIFEXITED(exited));
    assert_int_equal(WEXITSTATUS(exited), WADI_OK);
}

static void assert_same_file(const char *a, const char *b) {
    char *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    assert_int_equal(wadi_file_read(a, &x, &nx, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(b, &y, &ny, NULL), WADI_OK);
    assert_true(nx > 0);
    assert_int_equal(nx, ny);
    assert_memory_equal(x, y, nx);
    free(x);
    free(y);
}

static void two_processes_write_what_one_writes(void **state) {
    (void)state;
    char address[128];
    (void)snprintf(address, sizeof address, "ipc:///tmp/wadi-split-%ld", (long)getpid());
    run_alone("alone.bin");
    for (int64_t chunk = 1; chunk < 50; chunk += 16) {
        run_split(address, "split.bin", chunk);
        assert_same_file("alone.bin", "split.bin");
        (void)unlink("split.bin");
    }
    (void)unlink("alone.bin");
    (void)unlink(address + strlen("ipc://"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_processes_write_what_one_writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
