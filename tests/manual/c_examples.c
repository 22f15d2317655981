/* The examples of docs/LANGUAGE.md that are C: its blocks, compiled as they stand there, and a function for each row of its tables of
 * calls. examples.awk makes both. */
#include "tests/manual/c_examples.h"

#include <stddef.h>

#include "wadi/wadi.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* blocks are there to be read */
#include "tests/manual/manual_blocks.inc"

#define X(number, value, ...)                \
    static wadi_acc example_##number(void) { \
        return __VA_ARGS__;                  \
    }
#include "tests/manual/manual_table.inc"
#undef X

#define X(number, value, ...) {number, value, #__VA_ARGS__, example_##number},
const c_example c_examples[] = {
#include "tests/manual/manual_table.inc"
    {0, NULL, NULL, NULL}};
#undef X
