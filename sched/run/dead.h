/* Elements at which the program has failed, in a run that goes on without them (the option on_fault): they are counted, and told in a file, a line
 * for each (dead_letter.c). */
#ifndef WADI_SCHED_RUN_DEAD_H
#define WADI_SCHED_RUN_DEAD_H

#include "sched/run/stream.h"

typedef struct wadi_dead wadi_dead;

/* With all bound, before the run begins. Errors: WADI_UNSUPPORTED (the elements of a stage cannot be replaced, or left out), those of opening the file. */
WADI_NODISCARD wadi_status wadi_dead_open(wadi_run *x, wadi_error *err);
/* The run is over: the file gets its name. If it is to go on, all of the file stays under its temporary name (base/outfile.h). Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_dead_close(wadi_run *x, bool goes_on, wadi_error *err);
void wadi_dead_destroy(wadi_run *x);
/* Whether the file, if there is one, can be part of a saved run: devices, pipes and the like cannot. */
bool wadi_dead_lasts(const wadi_run *x);

/* Whether the run goes on without the element at which the crew's last work has failed with `status`. */
bool wadi_dead_takes(const wadi_run *x, const wadi_crew *w, wadi_status status);
/* Element `at` of the chunk, which stage `stage` reads, has failed because of `why`: in this fold or scan of it; NULL: in what the stage computes of
 * each element. Errors: WADI_FAULT (more than the limit), WADI_IO, WADI_MEMORY. Any thread; *err may be *why. */
WADI_NODISCARD wadi_status wadi_dead_put(wadi_stream *s, int stage, const wadi_plan_fold *fold,
                                         wadi_chunk *c, int64_t at, const wadi_error *why,
                                         wadi_error *err);
/* What comes of an element in place of what the stage would have made of it: a chunk of one element. NULL: nothing. */
WADI_NODISCARD wadi_status wadi_dead_instead(wadi_stream *s, int stage, wadi_chunk *in, int64_t at,
                                             wadi_chunk **out, wadi_error *err);
/* wadi_fold_elements of the end of a stage, without elements that fail. */
WADI_NODISCARD wadi_status wadi_dead_fold(wadi_stream *s, int stage, wadi_crew *w,
                                          const wadi_plan_fold *fold, wadi_chunk *c,
                                          wadi_error *err);

/* The run begins again, perhaps with other chunks: what each place has told already it does not tell again. Never after wadi_dead_load. */
void wadi_dead_again(wadi_run *x);
/* Between two chunks: what was told is on the disk. */
WADI_NODISCARD wadi_status wadi_dead_save(wadi_run *x, wadi_text *out, wadi_error *err);
WADI_NODISCARD wadi_status wadi_dead_load(wadi_run *x, wadi_state_reader *from, wadi_error *err);

/* The elements of a chunk behind one that has failed, in pieces of 16, 32, 64 .. elements. So little is computed in vain where many fail. */
typedef struct wadi_dead_pieces {
    int64_t from, n; /* the piece */
    int64_t end, most;
} wadi_dead_pieces;

static inline wadi_dead_pieces wadi_dead_behind(int64_t at, int64_t count) {
    return (wadi_dead_pieces){.from = at + 1, .end = count, .most = 16};
}
/* The next piece; false: there is none. */
static inline bool wadi_dead_next(wadi_dead_pieces *p) {
    p->from += p->n;
    if (p->n > 0) p->most *= 2;
    p->n = p->most < p->end - p->from ? p->most : p->end - p->from;
    return p->n > 0;
}

/* ---- dead_letter.c ---- */

/* Appends a line: a JSON object with the stage, the number of the element in what the stage reads, the reason, and the values of the element, which
 * are on the host: the first 4096 of each array. */
void wadi_dead_letter(wadi_text *out, int phase, int stage, const wadi_chunk *c, int64_t at,
                      const char *reason);

#endif
