/* A clock for tests that advances a second at a time, many times faster than real time. */
#ifndef TESTS_SCHED_STEPPED_CLOCK_H
#define TESTS_SCHED_STEPPED_CLOCK_H

void stepped_clock_start(void);
void stepped_clock_end(void);

#endif
