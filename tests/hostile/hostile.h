/* Programs in a hostile world: each runs with one failing call, or is killed or stopped at a call. Its outputs are compared with
 * those of an undisturbed run. */
#ifndef TESTS_HOSTILE_HOSTILE_H
#define TESTS_HOSTILE_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tests/hostile/system.h"

enum { HOSTILE_CASES = 11, HOSTILE_OUTPUTS = 2, HOSTILE_ARGUMENTS = 16 };

typedef struct hostile_case {
    const char *name;
    const char *argument[HOSTILE_ARGUMENTS]; /* the program first, within the build folder */
    const char *peer[HOSTILE_ARGUMENTS]; /* what runs undisturbed at the other end of its link */
    const char *output[HOSTILE_OUTPUTS]; /* in the folder of the run; "got" is standard output */
    bool grows;        /* outputs that are not complete hold the beginning of what they should */
    const char *spare; /* a module it can do without, with other roundings in its outputs */
    const char
        *state; /* what it goes on from when it is run again, once its run is complete gone */
} hostile_case;

extern const hostile_case hostile_cases[HOSTILE_CASES];

typedef struct hostile_process {
    pid_t pid, peer; /* peer 0: none */
    hostile_system system;
} hostile_process;

typedef struct hostile_end {
    bool hung, stopped;
    int status;                /* as waitpid says; the peer's if only that one failed */
    long calls[HOSTILE_KINDS]; /* malloc, thread, dlopen: 0 if main did not get to its end */
    long disk;                 /* writes, fsyncs and renames */
} hostile_end;

/* Makes the folders, the inputs and the reference outputs. False: this build or machine cannot do so; it has been said why. */
bool hostile_set_up(void);
void hostile_tear_down(void);

/* Empties the folder of runs and puts old outputs there; with `cold` the cache of kernels is emptied as well. */
void hostile_fresh(const hostile_case *c, bool cold);
/* Takes away what is in the cache of kernels but for litter. */
void hostile_forget_kernels(void);
/* Starts the case with these orders (calls/interpose.c; NULL: none). */
hostile_process hostile_start(const hostile_case *c, const char *orders);
/* Waits until it has ended or stopped; one that does neither is killed. */
hostile_end hostile_wait(hostile_process *p);
/* Both. */
hostile_end hostile_run(const hostile_case *c, const char *orders);

/* Are all outputs whole: new ones, or, unless `must_be_new`, old ones, none or what has grown so far? Says which is not. */
bool hostile_outputs_are_whole(const hostile_case *c, bool must_be_new);
/* Is there nothing but outputs, in no folder, or, unless `done`, its state? Says what there is. */
bool hostile_is_clean(const hostile_case *c, bool done);
/* Has the program said something on standard error? */
bool hostile_said_why(void);

/* Seconds this test may take: WADI_HOSTILE_SECONDS, else many in full tests (WADI_TEST_ALL) and few in others. */
double hostile_seconds(void);
double hostile_now(void);

/* For inputs.c: a path in the folder of the test, good for the next three calls; a file made there; all of them. */
const char *hostile_in(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool hostile_put(const char *path, const void *data, size_t n);
bool hostile_put_inputs(void);

#endif
