/* The n-th call of malloc, mmap, open, .. fails. The program ends with its whole output, or with a failing status, a reason and the
 * old output. It never hangs, is never killed by a signal, and leaves no other files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/hostile/hostile.h"

/* What is walked: a program, a kind of call, with kernels at hand or still to be made. */
typedef struct walk {
    const hostile_case *program;
    int kind;
    bool cold;
    long calls, tried, failed;
} walk;

/* What could not be removed, since removing takes calls too, the next run removes that compiles a kernel. */
static bool stays(const walk *w) {
    hostile_forget_kernels();
    const hostile_end again = hostile_run(w->program, NULL);
    return again.hung || again.status != 0 || !hostile_is_clean(w->program, true);
}

static const char *what_is_wrong(const walk *w, hostile_end end) {
    const bool exited = WIFEXITED(end.status), done = exited && WEXITSTATUS(end.status) == 0;
    if (end.hung) return "hangs";
    if (!exited) return "was killed";
    if (!done && !hostile_said_why()) return "says nothing";
    if (!hostile_outputs_are_whole(w->program, done)) return "has a wrong output";
    if (!hostile_is_clean(w->program, done)) return stays(w) ? "leaves litter that stays" : NULL;
    if (done || w->program->state == NULL) return NULL;
    const hostile_end again = hostile_run(w->program, NULL);
    if (again.hung || again.status != 0) return "cannot go on";
    if (!hostile_outputs_are_whole(w->program, true)) return "goes on wrongly";
    return hostile_is_clean(w->program, true) ? NULL : "leaves litter when it has gone on";
}

static bool fail_at(walk *w, long n) {
    char orders[64];
    (void)snprintf(orders, sizeof orders, "%s:%ld:fail", hostile_kinds[w->kind], n);
    hostile_fresh(w->program, w->cold);
    const hostile_end end = hostile_run(w->program, orders);
    const char *wrong = what_is_wrong(w, end);
    w->tried++;
    w->failed += wrong != NULL;
    if (wrong != NULL)
        fprintf(stderr, "FAILED: %s%s, %s %ld of %ld: %s (status %d)\n", w->program->name,
                w->cold ? " (cold)" : "", hostile_kinds[w->kind], n, w->calls, wrong, end.status);
    return wrong == NULL;
}

/* The i-th of the calls to fail, so that few are spread over all, the first and the last among them. */
static long spread(long calls, long i) {
    if (i == 0) return 1;
    if (i == 1) return calls;
    const double golden = 0.6180339887498949 * (double)i;
    return 1 + (long)((golden - (double)(long)golden) * (double)calls);
}

/* An undisturbed run of each program tells how many calls there are. */
static bool count_calls(walk *walks, int n) {
    for (int k = 0; k < n; k++) {
        walk *w = &walks[k];
        if (w->calls >= 0) continue;
        hostile_fresh(w->program, w->cold);
        const hostile_end end = hostile_run(w->program, "malloc:0:fail");
        if (end.hung || end.status != 0 || !hostile_outputs_are_whole(w->program, true))
            return false;
        for (int i = k; i < n; i++)
            if (walks[i].program == w->program && walks[i].cold == w->cold)
                walks[i].calls = end.calls[walks[i].kind];
    }
    return true;
}

/* Few rounds take some of each program, kind and cache. */
static int walk_all(walk *walks, int n, double until) {
    enum { STRIDE = 37 }; /* a prime that does not divide how many there are */
    int wrong = 0;
    const bool every = getenv("WADI_HOSTILE_EVERY") != NULL;
    for (long i = 0; every || hostile_now() < until; i++) {
        int open = 0;
        for (int k = 0; k < n && (every || hostile_now() < until); k++) {
            walk *w = &walks[(k * STRIDE + i) % n];
            if (i >= w->calls) continue;
            open++;
            wrong += !fail_at(w, every ? i + 1 : spread(w->calls, i));
        }
        if (open == 0) break;
    }
    return wrong;
}

/* Only what is said in WADI_HOSTILE_ONLY, if anything: "program" or "program:kind". WADI_HOSTILE_EVERY: every call, however long. */
static bool is_wanted(const walk *w) {
    const char *only = getenv("WADI_HOSTILE_ONLY");
    char name[64], both[64];
    (void)snprintf(name, sizeof name, "%s", w->program->name);
    (void)snprintf(both, sizeof both, "%s:%s", w->program->name, hostile_kinds[w->kind]);
    return only == NULL || strcmp(only, name) == 0 || strcmp(only, both) == 0;
}

int main(void) {
    static walk walks[2 * HOSTILE_CASES * HOSTILE_KINDS];
    int n = 0, wrong = 1;
    long tried = 0;
    const double from = hostile_now();
    if (!hostile_set_up()) {
        hostile_tear_down();
        return 77;
    }
    for (int cold = 0; cold < 2; cold++)
        for (int k = 0; k < HOSTILE_KINDS; k++)
            for (int c = 0; c < HOSTILE_CASES; c++) {
                const walk w = {.program = &hostile_cases[c], .kind = k, .cold = cold, .calls = -1};
                if (is_wanted(&w)) walks[n++] = w;
            }
    if (count_calls(walks, n)) wrong = walk_all(walks, n, from + hostile_seconds());
    for (int i = 0; i < n; i++) {
        tried += walks[i].tried;
        printf("%-7s %-4s %-7s %6ld calls, %5ld failed one by one, %ld wrong\n",
               walks[i].program->name, walks[i].cold ? "cold" : "", hostile_kinds[walks[i].kind],
               walks[i].calls, walks[i].tried, walks[i].failed);
    }
    printf("%ld calls failed, %d wrong, %.1f s\n", tried, wrong, hostile_now() - from);
    hostile_tear_down();
    return wrong == 0 ? 0 : 1;
}
