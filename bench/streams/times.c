/* See times.h. */
#include "bench/streams/times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/streams/program.h"

static void add_line(const char *line, const char *device, bench_times *out) {
    const size_t n = strlen(device);
    double seconds = 0, put = 0, got = 0;
    if (strncmp(line, device, n) != 0 || line[n] != '\t') return;
    if (sscanf(line + n, "%*d %lf %lf %lf", &seconds, &put, &got) != 3) return;
    out->seconds += seconds;
    out->put += put;
    out->got += got;
    out->closings++;
}

static wadi_status add_file(const char *path, const char *device, bench_times *out,
                            wadi_error *err) {
    char line[256];
    FILE *f = fopen(path, "r");
    *out = (bench_times){.seconds = 0};
    while (f != NULL && fgets(line, sizeof line, f) != NULL) add_line(line, device, out);
    if (f != NULL) (void)fclose(f);
    if (out->closings > 0) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "nothing was told of what %s has done", device);
}

wadi_status bench_times_of(const bench_side *side, const char *device, bench_times *out,
                           wadi_error *err) {
    char path[] = "/tmp/bench-times-XXXXXX";
    double unused = -1;
    const int fd = mkstemp(path);
    if (fd < 0) return wadi_fail(err, WADI_IO, "no temporary file for times");
    (void)close(fd);
    (void)setenv("WADI_DEVICE_TIMES", path, 1);
    bench_programs_watch();
    wadi_status status = side->run(side->env, &unused, err);
    bench_programs_rest();
    (void)unsetenv("WADI_DEVICE_TIMES");
    if (status == WADI_OK) status = add_file(path, device, out, err);
    (void)remove(path);
    return status;
}

void bench_times_say(const bench *b, const char *name, const char *device, const bench_times *t) {
    if (t->put + t->got > 0)
        bench_say(b, "%s: %s copies %.4g MB there and %.4g MB back", name, device, 1e-6 * t->put,
                  1e-6 * t->got);
}
