/* The versions of a plan's bodies, made one at a time when they are needed.
 *
 * Lowering and printing all schedules of all bodies would cost more than running a short program. A run uses one of them,
 * rarely two. */
#ifndef WADI_CODEGEN_VERSIONS_H
#define WADI_CODEGEN_VERSIONS_H

#include "codegen/build/target.h"
#include "codegen/kernel/layout.h"

typedef struct wadi_versions wadi_versions;

/* A version and the text of the module with its kernels. Owns everything that it points to except names in the plan. */
typedef struct wadi_made {
    wadi_arena *arena;
    wadi_plan_version version;
    const wadi_target *target;
    const char *source;
    const char *kernels; /* where the version's own kernels begin in the text, after the prelude */
    const char *loops; /* the loop IR they were written from, as text; NULL: it was not asked for */
} wadi_made;

/** Makes later versions keep their loop IR as text. */
void wadi_versions_keep_loops(wadi_versions *v);

/** Lowers a version that the plan's body `body` offers, and writes it in the language of the target (NULL: the default target).
 *  The caller destroys *out. One thread at a time.
 *  Errors: WADI_UNSUPPORTED naming the place, WADI_MEMORY, WADI_INTERNAL. */
WADI_NODISCARD wadi_status wadi_versions_make(wadi_versions *v, int body, wadi_version_key version,
                                              const wadi_target *target, wadi_made **out,
                                              wadi_error *err);
/** NULL is fine. */
void wadi_made_destroy(wadi_made *owned_made);
void wadi_versions_destroy(wadi_versions *owned_v);

/* ---- for codegen/plan/plan.c ---- */

/** NULL when out of memory. */
wadi_versions *wadi_versions_create(void);
/** The arena that bodies are planned in; it lives as long as the versions. */
wadi_arena *wadi_versions_arena(wadi_versions *v);
/** Adds the next body. Its versions are made from the layout as it is now. */
WADI_NODISCARD wadi_status wadi_versions_add(wadi_versions *v, const wadi_layout *y,
                                             const wadi_body *body, const bool *known);
/** To be called when all bodies have been added and all slots are in `plan`, which is borrowed. */
void wadi_versions_freeze(wadi_versions *v, const wadi_plan *plan);

#endif
