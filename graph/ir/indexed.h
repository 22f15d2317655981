/* Which array an index out of range was for. */
#ifndef WADI_GRAPH_INDEXED_H
#define WADI_GRAPH_INDEXED_H

#include "graph/ir/ir.h"

/** Notes in the place of every binding and instruction that may fault by an index which array is indexed: the user's name for it, or
 *  else the name that printed text gives it. To be called once, when the module is complete and no pass has changed it. false: out of memory. */
bool wadi_ir_name_indexed(wadi_module *m);

enum { WADI_WHERE_ROOM = 96 };
/** "in dimension 1 of xs", or for dim = -1 "of the elements of xs in order". Without a name in `loc` the array is left out. Returns `out`. */
const char *wadi_ir_where(char out[WADI_WHERE_ROOM], int dim, wadi_loc loc);

#endif
