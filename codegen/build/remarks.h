/* What C compilers say about loops that they have vectorised, and about those they have not: `-fopt-info-vec` of GCC, `-Rpass` of clang. */
#ifndef WADI_CODEGEN_BUILD_REMARKS_H
#define WADI_CODEGEN_BUILD_REMARKS_H

#include "base/vec.h"

typedef enum wadi_remark_kind {
    WADI_REMARK_LOOP, /* the loop that begins at `line` uses vectors */
    WADI_REMARK_PART, /* statements near `line`, which do not loop or do so no longer, use vectors */
    WADI_REMARK_NOT   /* the loop that begins at `line` uses none */
} wadi_remark_kind;

typedef struct wadi_remark {
    wadi_remark_kind kind;
    int line;
    int bytes, lanes; /* of a vector; 0: not told */
    const char *
        why; /* the compiler's words for NOT, `n` bytes inside what it said; n is 0 if it gave none */
    int n;
} wadi_remark;

typedef WADI_VEC(wadi_remark) wadi_remarks;

/* The flags that make a compiler say it, ended by NULL. clang: whether it is clang, not GCC. */
const char *const *wadi_remarks_flags(bool clang);
/* Appends the remarks about the file `path`. The remarks point into `said`. All other lines are passed over. False: out of memory. The caller
 * frees the remarks. */
bool wadi_remarks_read(const char *said, const char *path, wadi_remarks *out);

#endif
