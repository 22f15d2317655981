/* Programs killed at the n-th write (after half of it), fsync or rename. The file under the final name is complete, old or new. Run
 * once more, the program gives its whole output, and nothing of the killed run is left. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/hostile.h"

static bool kill_at(const hostile_case *c, bool cold, long n, long *calls) {
    char orders[64];
    (void)snprintf(orders, sizeof orders, "disk:%ld:kill", n);
    hostile_fresh(c, cold);
    const hostile_end end = hostile_run(c, orders);
    if (n == 0) *calls = end.disk;
    const bool killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL && !end.hung;
    /* What a receiver had of the stream is the user's to keep or to remove. */
    if (killed && c->peer[0] != NULL) (void)unlink(hostile_in("run/out.fits.partial"));
    bool right = killed ? hostile_outputs_are_whole(c, false)
                        : end.status == 0 && hostile_outputs_are_whole(c, true);
    const hostile_end again = killed || c->state == NULL ? hostile_run(c, NULL) : end;
    right = !again.hung && again.status == 0 && right;
    right = hostile_outputs_are_whole(c, true) && hostile_is_clean(c, true) && right;
    if (!right)
        fprintf(stderr, "FAILED: %s%s, killed at %ld of %ld (status %d, then %d)\n", c->name,
                cold ? " (cold)" : "", n, *calls, end.status, again.status);
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
    for (int k = 0; k < 2 * HOSTILE_CASES && (k < HOSTILE_CASES || hostile_now() < until); k++) {
        const hostile_case *c = &hostile_cases[k % HOSTILE_CASES];
        const double share = (until - hostile_now()) / (2 * HOSTILE_CASES - k),
                     end = hostile_now() + share;
        long calls = 0, here = 0;
        wrong += !kill_at(c, k >= HOSTILE_CASES, 0, &calls);
        /* the last first: that is where names change */
        for (long n = calls; n > 0 && (hostile_now() < end || here < 1); n--, here++)
            wrong += !kill_at(c, k >= HOSTILE_CASES, n, &calls);
        printf("%-7s %-4s %ld of %ld calls\n", c->name, k >= HOSTILE_CASES ? "cold" : "", here,
               calls);
        tried += here;
    }
    printf("killed %ld times, %d wrong, %.1f s\n", tried, wrong, hostile_now() - from);
    hostile_tear_down();
    return wrong == 0 ? 0 : 1;
}
