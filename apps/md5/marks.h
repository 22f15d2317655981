/* Positions that the reader has passed, with the number of words of each class given out before. A position counts after all
 * of these words have been tried. */
#ifndef APPS_MD5_MARKS_H
#define APPS_MD5_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/md5/hash.h"
#include "apps/md5/reader.h"

enum { MD5_MARKS = 256 };

typedef struct md5_mark {
    md5_place place;
    int64_t given[MD5_CLASSES];
} md5_mark;

/* All zero is empty. */
typedef struct md5_marks {
    md5_mark at[MD5_MARKS]; /* a ring */
    int first, n;
} md5_marks;

/* Adds a mark; places must rise. If there is no room, the last mark is replaced, because the first ones will count soonest. */
void md5_marks_add(md5_marks *m, const md5_mark *mark);
/* Drops the marks that count now, and gives the place of the last of them. False: none counts. */
bool md5_marks_pass(md5_marks *m, const int64_t tried[MD5_CLASSES], md5_place *out);

#endif
