/* bench_days: runs that last for days, in a few minutes.
 *
 *     bench_days [--only NAME,...] [--case TEXT] [--quick] [--runs N] [--seconds N] [--minutes N] [--list]
 *
 * What is printed: bench/streams/report.h. It writes beside where it is started: the price of a disk is that of the disk there. */
#include "bench/days/days.h"
#include "bench/streams/command.h"

/* A new benchmark is a file, its prototype in days.h, and a line here. */
static const bench_entry benchmarks[] = {
    {"carry", bench_carry,
     "a shared stage through threads, ZeroMQ and JetStream, by size of items"},
    {"safety", bench_safety, "what it costs to save a run, and a certificate"},
    {"recover", bench_recover, "the silence when a worker, the server or home is killed"},
    {"scale", bench_scale, "1 to 8 workers whose work is waiting"},
    {"slow", bench_slow,
     "four workers of which one is slow, for a sink in order and one in any order"},
    {"share", bench_share, "a stream that 1 to 4 processes share over links"},
    {"soak", bench_soak, "memory and descriptors of home while workers come and go"},
    {NULL, NULL, NULL},
};

static const char usage[] =
    "usage: bench_days [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            little data: checks that everything works, measures nothing\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --seconds N        begin no case after so many seconds, and measure none for long\n"
    "  --minutes N        how long soak lasts; default 0.2\n"
    "  --list             names the benchmarks\n";

static const struct option more[] = {{"minutes", 1, NULL, 'M'}, {NULL, 0, NULL, 0}};

int main(int argc, char **argv) {
    const bench_command command = {"bench_days", usage, benchmarks, more};
    const int done = days_be(argc, argv);
    return done >= 0 ? done : bench_command_run(&command, argc, argv);
}
