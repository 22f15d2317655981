/* A queue of positions, each with the number of words that must be tried before it counts. */
#include "apps/md5/marks.h"

void md5_marks_add(md5_marks *m, const md5_mark *mark) {
    if (m->n < MD5_MARKS) m->n++;
    m->at[(m->first + m->n - 1) % MD5_MARKS] = *mark;
}

static bool counts(const md5_mark *mark, const int64_t tried[MD5_CLASSES]) {
    for (int c = 0; c < MD5_CLASSES; c++)
        if (tried[c] < mark->given[c]) return false;
    return true;
}

bool md5_marks_pass(md5_marks *m, const int64_t tried[MD5_CLASSES], md5_place *out) {
    bool any = false;
    while (m->n > 0 && counts(&m->at[m->first], tried)) {
        *out = m->at[m->first].place;
        any = true;
        m->first = (m->first + 1) % MD5_MARKS;
        m->n--;
    }
    return any;
}
