/* Makes versions from the layout that a body had when it was planned. Later bodies give values other slots and other names, so
 * tables indexed by value are copied. Slots are only ever added, so all bodies share the plan's table of slots. Lowering appends
 * the temporaries and places of a version. */
#include "codegen/versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codegen/schedules.h"
#include "codegen/targets.h"
#include "codegen/uses.h"

typedef struct recipe {
    wadi_body body;
    wadi_layout
        y; /* the tables belong to this recipe; vectors, arenas and err are set when a version is made */
    const bool *known;
} recipe;

struct wadi_versions {
    wadi_arena *arena;
    const wadi_plan *plan;
    WADI_VEC(recipe) recipes;
    bool loops; /* whether versions keep their loops as text */
};

wadi_versions *wadi_versions_create(void) {
    wadi_versions *v = calloc(1, sizeof *v);
    if (v) v->arena = wadi_arena_create();
    if (v && v->arena) return v;
    free(v);
    return NULL;
}

wadi_arena *wadi_versions_arena(wadi_versions *v) {
    return v->arena;
}

void wadi_versions_destroy(wadi_versions *v) {
    if (!v) return;
    wadi_vec_free(&v->recipes);
    wadi_arena_destroy(v->arena);
    free(v);
}

static void *copied(wadi_arena *a, const void *from, size_t size, size_t n) {
    void *to = wadi_arena_alloc_n(a, size, n + 1);
    if (to && n > 0) memcpy(to, from, n * size);
    return to;
}

wadi_status wadi_versions_add(wadi_versions *v, const wadi_layout *y, const wadi_body *body,
                              const bool *known) {
    const size_t n = y->m->nvalues;
    recipe r = {.body = *body, .y = *y};
    r.known = copied(v->arena, known, sizeof *known, n);
    r.y.slot_of = copied(v->arena, y->slot_of, sizeof *y->slot_of, n);
    r.y.apart = copied(v->arena, y->apart, sizeof *y->apart, n);
    r.y.alias_of = copied(v->arena, y->alias_of, sizeof *y->alias_of, n);
    r.y.components = copied(v->arena, y->components, sizeof *y->components, n);
    if (!r.known || !r.y.slot_of || !r.y.apart || !r.y.alias_of || !r.y.components ||
        !wadi_vec_push(&v->recipes, r))
        return wadi_fail(y->err, WADI_MEMORY, "out of memory while planning '%s'", y->m->name);
    return WADI_OK;
}

void wadi_versions_keep_loops(wadi_versions *v) {
    v->loops = true;
}

void wadi_versions_freeze(wadi_versions *v, const wadi_plan *plan) {
    v->plan = plan;
}

/* ---- making one ---- */

typedef struct making {
    const wadi_plan *plan;
    const recipe *from;
    wadi_layout y;
    int body;
    wadi_version_key version;
    const wadi_lowering *lowering;
    wadi_made *made;
    bool loops; /* whether the loops are wanted as text */
} making;

static wadi_status no_memory(const making *k) {
    return wadi_fail(k->y.err, WADI_MEMORY, "out of memory while making kernels");
}

static const char *kept(making *k, const char *s) {
    if (!s) return NULL;
    const char *copy = wadi_arena_strdup(k->made->arena, s);
    if (!copy) k->y.failed = true;
    return copy;
}

/* Copies to the version what lowering has appended to the plan's tables. */
static wadi_status keep_tables(making *k) {
    wadi_plan_version *v = &k->made->version;
    const size_t before = (size_t)k->plan->nslots, own = k->y.slots.n - before;
    wadi_plan_slot *slots = copied(k->made->arena, k->y.slots.at + before, sizeof *slots, own);
    wadi_plan_place *places = copied(k->made->arena, k->y.places.at, sizeof *places, k->y.places.n);
    wadi_plan_level *levels = copied(k->made->arena, k->y.levels.at, sizeof *levels, k->y.levels.n);
    if (!slots || !places || !levels) return no_memory(k);
    for (size_t i = 0; i < own; i++) {
        slots[i].name = kept(k, slots[i].name);
        for (int f = 0; f < slots[i].fields; f++) slots[i].field[f] = kept(k, slots[i].field[f]);
    }
    for (size_t i = 0; i < k->y.places.n; i++) {
        places[i].op = kept(k, places[i].op);
        places[i].what = kept(k, places[i].what);
        places[i].loc.file = kept(k, places[i].loc.file);
    }
    v->nslots = (int)own;
    v->slots = slots;
    v->nplaces = (int)k->y.places.n;
    v->places = places;
    v->nlevels = (int)k->y.levels.n;
    v->levels = levels;
    return k->y.failed ? no_memory(k) : WADI_OK;
}

static wadi_status print_loops(making *k, const wadi_lmodule *lm) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_lmodule_print(lm, &t);
    if (!t.failed) k->made->loops = kept(k, wadi_text_str(&t));
    wadi_text_fini(&t);
    return k->made->loops ? WADI_OK : no_memory(k);
}

static wadi_status emit(making *k, wadi_lmodule *lm) {
    wadi_text t;
    lm->slots = k->y.slots.at;
    if (k->loops) WADI_TRY(print_loops(k, lm));
    wadi_text_init(&t);
    size_t kernels = 0;
    wadi_status st = k->made->target->language->emit(lm, &t, &kernels, k->y.err);
    if (!st) {
        k->made->source = wadi_arena_strdup(k->made->arena, wadi_text_str(&t));
        if (!k->made->source) st = no_memory(k);
        if (!st) k->made->kernels = k->made->source + kernels;
    }
    wadi_text_fini(&t);
    return st;
}

/* The slot of stream indices if the version does not need it, because only its own kernels would read it; else -1. */
static int countable(const making *k) {
    const wadi_plan_body *body = &k->plan->bodies[k->body];
    if (!k->lowering->counts) return -1;
    for (int i = 0; i < body->nresults; i++)
        if (body->results[i] == body->index_slot) return -1;
    return body->index_slot;
}

static wadi_status lower(making *k) {
    const wadi_body *body = &k->from->body;
    wadi_plan_version *v = &k->made->version;
    wadi_lmodule lm = {.name = wadi_arena_printf(k->y.arena, "%s, schedule %s", body->name,
                                                 wadi_version_name(k->version))};
    k->y.slot_of = copied(k->y.arena, k->from->y.slot_of, sizeof *k->y.slot_of, k->y.m->nvalues);
    if (!lm.name || !k->y.slot_of) return no_memory(k);
    for (int i = 0; i < k->plan->nslots; i++)
        if (!wadi_vec_push(&k->y.slots, k->plan->slots[i])) return no_memory(k);
    k->y.counted = countable(k);
    v->counts = k->y.counted >= 0;
    WADI_TRY(k->lowering->lower(&k->y, body, k->from->known, &lm, v));
    if (!wadi_uses_note(&lm, v, k->made->arena)) return no_memory(k);
    WADI_TRY(emit(k, &lm));
    return keep_tables(k);
}

static void prepare_layout(making *k, wadi_error *err) {
    k->y = k->from->y;
    k->y.err = err;
    k->y.failed = false;
    memset(&k->y.slots, 0, sizeof k->y.slots);
    memset(&k->y.places, 0, sizeof k->y.places);
    memset(&k->y.levels, 0, sizeof k->y.levels);
    k->y.keep = k->made->arena;
    k->y.pure = k->version.pure;
    k->y.grouped = false;
    k->y.tiled = k->made->target->language->tiles;
}

wadi_status wadi_versions_make(wadi_versions *v, int body, wadi_version_key version,
                               const wadi_target *target, wadi_made **out, wadi_error *err) {
    if (target == NULL) WADI_TRY(wadi_target_find(NULL, &target, err));
    wadi_arena *scratch = wadi_arena_create(), *arena = wadi_arena_create();
    making k = {v->plan, &v->recipes.at[body], .body = body, .version = version, .loops = v->loops};
    k.lowering = wadi_lowerings[version.schedule];
    *out = NULL;
    k.made = arena ? WADI_NEW(arena, wadi_made) : NULL;
    if (!scratch || !k.made) {
        wadi_arena_destroy(scratch);
        wadi_arena_destroy(arena);
        return wadi_fail(err, WADI_MEMORY, "out of memory while making kernels");
    }
    k.made->arena = arena;
    k.made->target = target;
    prepare_layout(&k, err);
    k.y.arena = scratch;
    const wadi_status st = lower(&k);
    wadi_vec_free(&k.y.slots);
    wadi_vec_free(&k.y.places);
    wadi_vec_free(&k.y.levels);
    wadi_arena_destroy(scratch);
    if (st)
        wadi_made_destroy(k.made);
    else
        *out = k.made;
    return st;
}

void wadi_made_destroy(wadi_made *made) {
    if (made) wadi_arena_destroy(made->arena);
}
