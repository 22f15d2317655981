/* What tests compare a rewritten module with: the same module before. */
#ifndef TESTS_GRAPH_MODULE_COPY_H
#define TESTS_GRAPH_MODULE_COPY_H

#include "graph/ir/ir.h"

/* A deep copy with the same value numbers; NULL: out of memory. */
wadi_module *module_copy(const wadi_module *m);

#endif
