/* The programs that exist, by number: a handle's number is looked up here, whichever thread holds it. Internal to graph/lang. */
#ifndef WADI_GRAPH_LANG_LIVE_H
#define WADI_GRAPH_LANG_LIVE_H

#include "graph/lang/node.h"

/** Gives the program its number, which is never 0, and enters it. */
void wadi_live_add(wadi_program *p);
void wadi_live_remove(wadi_program *p);
/** The program of that number, or NULL. */
wadi_program *wadi_live_find(uint32_t number);
/** How many programs have been removed so far. While this number stays the same, a program that was found still exists. */
uint32_t wadi_live_removed(void);

/** The program's name, cut to `room`; false if there is no such program any more. */
bool wadi_live_name(uint32_t number, char *name, size_t room);

/** Notes that a handle of program `number` was used where another program was current. The first such mistake is kept. */
void wadi_live_stray(uint32_t number, const wadi_error *e);
/** Gives that mistake its place, if it has none yet. */
void wadi_live_place_stray(uint32_t number, wadi_loc loc);
/** The mistake; its status is WADI_OK if there is none. */
wadi_error wadi_live_get_stray(const wadi_program *p);

#endif
