/* One number after the other, unless the whole build is for a processor that has more. */
#include "tests/codegen/keeping_table.h"

const keeping keeping_plain = KEEPING_TABLE("plain");
