/* bench_days: runs that last for days, in a few minutes.
 *
 *     bench_days [--only NAME,...] [--case TEXT] [--quick] [--runs N] [--seconds N] [--list]
 *
 * What is printed: bench/streams/report.h. It writes beside where it is started: the price of a disk is that of the disk there. */
#include "bench/days/days.h"
#include "bench/streams/command.h"

/* A new benchmark is a file, its prototype in days.h, and a line here. */
static const bench_entry benchmarks[] = {
    {"carry", bench_carry,
     "a shared stage through threads, ZeroMQ and JetStream, by size of items"},
    {NULL, NULL, NULL},
};

static const char usage[] =
    "usage: bench_days [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            little data: checks that everything works, measures nothing\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --seconds N        begin no case after so many seconds, and measure none for long\n"
    "  --list             names the benchmarks\n";

int main(int argc, char **argv) {
    const bench_command command = {"bench_days", usage, benchmarks, NULL};
    const int done = days_be(argc, argv);
    return done >= 0 ? done : bench_command_run(&command, argc, argv);
}
