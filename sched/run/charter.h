/* The charter of stages that workers elsewhere compute, and its items.
 *
 * The charter has all that a worker needs before its first item: which program, which stages, and the values that do not change from chunk to
 * chunk. An item is a chunk for the first stage of a stretch. Its answer has, of each stage of the stretch, how many elements came of it, and
 * the results that home needs, but for those that home has itself: what passes through the first stage, and what does not change. Of a keyed stretch an item has the states of its
 * keys in front, in the order in which the keys first come, and so has its answer.
 * Numbers are little-endian, chunks in the wire form, whose checksums are checked. */
#ifndef WADI_SCHED_RUN_CHARTER_H
#define WADI_SCHED_RUN_CHARTER_H

#include "base/text.h"
#include "sched/chunk.h"
#include "sched/plan.h"
#include "sched/run/stretch.h"
#include "sched/slots.h"
#include "sched/state.h"

enum { WADI_CHARTER_HASH = 32 };

/* What each answer begins with (report.h). */
typedef enum wadi_reports {
    WADI_REPORTS_NONE,
    WADI_REPORTS_TIMES, /* who has computed the item, and how long it took: for a trace */
    WADI_REPORTS_KINDS  /* that, and what computes there: for a certificate */
} wadi_reports;

typedef struct wadi_charter {
    wadi_state_reader program;       /* what the loader of home has written (wadi_loader) */
    uint8_t hash[WADI_CHARTER_HASH]; /* of the plan */
    int phase;
    wadi_stretch_list stretches; /* items name them by number. Not checked against the plan */
    wadi_reports reports;
    wadi_state_reader values; /* what follows */
} wadi_charter;

/* once: the values that do not change, in host memory. Errors: WADI_MEMORY, WADI_UNSUPPORTED (the program cannot travel; it is said why). */
WADI_NODISCARD wadi_status wadi_charter_write(const wadi_plan *plan, const wadi_loader *loader,
                                              int phase, const wadi_stretch_list *stretches,
                                              wadi_reports reports, wadi_slots *once,
                                              wadi_buffers *buffers, wadi_text *out,
                                              wadi_error *err);
/* Borrows the bytes. Errors: WADI_IO (it is damaged, or no charter), WADI_UNSUPPORTED (home is another version of wadi), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_charter_read(const void *bytes, int64_t n, wadi_charter *out,
                                             wadi_error *err);
/* Puts the values into the slots, which refer to *out_held until it is released. The plan is that of the hash. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_charter_values(const wadi_charter *c, const wadi_plan *plan,
                                               wadi_slots *slots, wadi_buffers *buffers,
                                               wadi_chunk **out_held, wadi_error *err);

/* The results of a stage that travel. */
typedef struct wadi_travel {
    int n;
    int slot[2 * WADI_MAX_PARTS], at[2 * WADI_MAX_PARTS]; /* at: which result it is */
    bool passes[2 * WADI_MAX_PARTS]; /* a part of the stage's elements, stored as it comes */
} wadi_travel;

/* Those of stage number i of the stretch: none if nobody else reads the stage. once: the values that home has. */
void wadi_charter_travel(const wadi_plan *plan, const wadi_plan_stream *s, const wadi_stretch *t,
                         int i, const wadi_slots *once, wadi_travel *out);

/* ---- items ---- */

/* Whether the component is an array like those of the slot. */
bool wadi_item_is_like(const wadi_chunk_component *c, const wadi_plan_slot *p);

/* Kinds of workers, by digest, that home has heard of and will know until the charter is over: not all of them, but those whose workers may not know that (report.h). */
enum { WADI_KNOWN = 8 };
typedef struct wadi_known {
    int n;
    int64_t digest[WADI_KNOWN];
} wadi_known;

/* A chunk for that stretch. states: of a keyed one; else NULL. Errors: WADI_MEMORY, WADI_UNSUPPORTED. */
WADI_NODISCARD wadi_status wadi_item_write(int stretch, const wadi_known *known, wadi_chunk *states,
                                           wadi_chunk *c, wadi_text *out, wadi_error *err);
/* Which stretch of `stretches` the item is for, and what home knew; *rest: its chunk. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_item_head(const void *bytes, int64_t n, int stretches, int *out,
                                          wadi_known *known, wadi_state_reader *rest,
                                          wadi_error *err);
/* The states in front of the chunk, or of the answer: the fold's. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_item_take_states(wadi_state_reader *from, const wadi_plan *plan,
                                                 const wadi_plan_fold *fold, wadi_buffers *buffers,
                                                 wadi_chunk **out, wadi_error *err);
/* The slots that the chunk of a keyed stretch is like: what its fold reads, and the key. out: [WADI_MAX_PARTS + 1]. Returns how many. */
int wadi_item_keyed_slots(const wadi_plan_stream *s, const wadi_plan_stage *p, int *out);
/* Reads the chunk, which must have components like these slots. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_item_read(wadi_state_reader from, const wadi_plan *plan, int nslots,
                                          const int *slots, wadi_buffers *buffers, wadi_chunk **out,
                                          wadi_error *err);

/* What came of an item in one stage. */
typedef struct wadi_answer {
    int64_t count, bytes; /* elements, and bytes of all results */
    wadi_chunk *out;      /* those that travel; NULL: none do, or there is no element */
} wadi_answer;

/* answer, travel: of the n stages of a stretch. Errors: WADI_MEMORY, WADI_UNSUPPORTED. */
WADI_NODISCARD wadi_status wadi_answer_write(const wadi_answer *answer, int n, wadi_text *out,
                                             wadi_error *err);
/* from: all that is left of an answer. The caller gives the chunks back, whatever comes of it (wadi_answer_fini). Errors: WADI_IO (not an answer to an item of `count`
 * elements), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_answer_read(wadi_state_reader from, const wadi_plan *plan,
                                            const wadi_travel *travel, int n, int64_t count,
                                            wadi_buffers *buffers, wadi_answer *out,
                                            wadi_error *err);
void wadi_answer_fini(wadi_answer *answer, int n);

#endif
