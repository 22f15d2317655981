/* Goes from one stream of messages to another: every message of the first has lines of two numbers, as CSV, and of the second up to a hundred sums, a line each.
 *
 *     cc -I PREFIX/include messages.c -L PREFIX/lib -lwadi -o messages
 *     ./messages 'nats://127.0.0.1/PAIRS?as=lines&separator=comma' 'nats://127.0.0.1/SUMS?as=lines&batch=100' sums.state
 *
 * If its process is ended, the same command goes on behind the last line, and each sum comes once. */
#include <stdio.h>

#include <wadi/run.h>

static const char text[] = "program sums\n"
                           "stream_in pairs : seq(i64[2])\n"
                           "y = map_seq pairs (b) {\n"
                           "  h = fold 0 b (x, y) { add x y }\n"
                           "  yield h\n"
                           "}\n"
                           "stream_out \"sums\" y\n";

static wadi_status go(wadi_run *run, const char *from, const char *to, wadi_source **source,
                      wadi_sink **sink, wadi_error *err) {
    const int64_t two = 2;
    const wadi_part pair = wadi_part_fixed(WADI_I64, 1, &two);
    wadi_status st = wadi_source_messages(from, 1, &pair, source, err);
    if (st == WADI_OK) st = wadi_sink_messages(to, sink, err);
    if (st == WADI_OK) st = wadi_run_source(run, "pairs", *source, err);
    if (st == WADI_OK) st = wadi_run_sink(run, "sums", *sink, err);
    return st == WADI_OK ? wadi_run_go(run, err) : st;
}

int main(int argc, char **argv) {
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    if (argc != 4) return 2;
    const wadi_run_options options = {.state = argv[3], .guarantee = WADI_GUARANTEE_EXACTLY_ONCE};
    wadi_status st = wadi_compile_text(text, "sums.wadi", NULL, &exe, &err);
    if (st == WADI_OK) st = wadi_run_create(exe, &options, &run, &err);
    if (st == WADI_OK) st = go(run, argv[1], argv[2], &source, &sink, &err);
    if (st != WADI_OK) (void)fprintf(stderr, "%s\n", err.msg);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    return st == WADI_OK ? 0 : 1;
}
