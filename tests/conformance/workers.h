/* Workers of a run, in threads of this process. */
#ifndef TESTS_CONFORMANCE_WORKERS_H
#define TESTS_CONFORMANCE_WORKERS_H

#include "base/thread.h"
#include "tests/conformance/runner.h"

enum { CONF_MOST_WORKERS = 3 };

/* Of this process alone: others run programs with workers at the same time. */
const char *conf_workers_address(void);

typedef struct conf_workers {
    int n;
    struct conf_one_worker {
        wadi_worker *worker;
        wadi_thread thread;
        wadi_status status;
        wadi_error err;
    } one[CONF_MOST_WORKERS];
} conf_workers;

/* As many as the variant says. */
WADI_NODISCARD wadi_status conf_workers_start(conf_workers *w, const conf_variant *v,
                                              wadi_error *err);
/* They leave, if their run has not ended. A worker that has failed fails the running test. */
void conf_workers_end(conf_workers *w);
/* How many chunks workers have computed, of all that have ended. */
int64_t conf_workers_chunks(void);

#endif
