/* How the programs of wadi let themselves be watched. */
#ifndef WADI_SCHED_WATCH_PROGRAM_H
#define WADI_SCHED_WATCH_PROGRAM_H

#include "wadi/watch.h"

/* From now on the process can be watched, unless $WADI_WATCH is "off"; name: the program's. A program goes on as well without, so what fails is for
 * nobody to hear. */
void wadi_watch_program(const char *name);
/* The program ends. */
void wadi_watch_program_end(void);

#endif
