/* Two writers of one name. One is stopped at each of its writes, fsyncs and renames; meanwhile the other runs to its end or is
 * killed; then the first goes on. The output is complete at every moment, the last complete one remains, and no other file is
 * left. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/hostile/hostile.h"

/* Both write the same name but not the same bytes where they could be told apart by their lengths: the second is killed in
 * the middle of its output in every other round. */
static bool stop_at(const hostile_case *c, long n, bool kill_second, long *calls) {
    char orders[64];
    (void)snprintf(orders, sizeof orders, "disk:%ld:stop", n);
    hostile_fresh(c, false);
    hostile_process first = hostile_start(c, orders);
    hostile_end end = hostile_wait(&first);
    bool right = !end.hung;
    if (end.stopped) {
        right = hostile_outputs_are_whole(c, false) && right;
        const hostile_end second = hostile_run(c, kill_second ? "disk:2:kill" : NULL);
        right = !second.hung && (kill_second || second.status == 0) && right;
        right = hostile_outputs_are_whole(c, !kill_second) && right;
        (void)kill(first.pid, SIGCONT);
        end = hostile_wait(&first);
    } else if (n == 0) {
        *calls = end.disk;
    }
    right = !end.hung && end.status == 0 && hostile_outputs_are_whole(c, true) && right;
    if (kill_second) { /* what it left goes with the next */
        const hostile_end third = hostile_run(c, NULL);
        right = !third.hung && third.status == 0 && right;
    }
    right = hostile_is_clean(c, true) && right;
    if (!right)
        fprintf(stderr, "FAILED: %s, stopped at %ld of %ld, the other %s (status %d)\n", c->name, n,
                *calls, kill_second ? "killed" : "whole", end.status);
    return right;
}

int main(void) {
    int wrong = 0;
    long tried = 0;
    const double from = hostile_now();
    if (!hostile_set_up()) {
        hostile_tear_down();
        return 77;
    }
    const double until = from + hostile_seconds();
    for (int k = 0; k < HOSTILE_CASES; k++) {
        const hostile_case *c = &hostile_cases[k];
        const double end = hostile_now() + (until - hostile_now()) / (HOSTILE_CASES - k);
        long calls = 0, here = 0;
        /* Standard output has no name to share; a session, a saved run and a link have one owner. */
        if (c->grows || c->state != NULL || c->peer[0] != NULL) continue;
        wrong += !stop_at(c, 0, false, &calls);
        for (long n = calls; n > 0 && (hostile_now() < end || here < 1); n--)
            for (int killed = 0; killed < 2; killed++, here++)
                wrong += !stop_at(c, n, killed, &calls);
        printf("%-7s %ld rounds at %ld calls\n", c->name, here, calls);
        tried += here;
    }
    printf("%ld rounds, %d wrong, %.1f s\n", tried, wrong, hostile_now() - from);
    hostile_tear_down();
    return wrong == 0 ? 0 : 1;
}
