/* A version of a body as bytes, to be kept beside its kernels. One description of the structs both writes and reads, so the two cannot
 * differ. What is read is trusted as far as kernels are; but counts are checked, so that bytes which were made by something else end in
 * an error. */
#include <string.h>

#include "base/error.h"
#include "sched/plan.h"
#include "sched/state.h"

typedef struct codec {
    wadi_text *out;       /* writing; NULL: reading */
    wadi_state_reader in; /* reading */
    wadi_arena *arena;    /* of what is read */
    wadi_status st;
    wadi_error *err;
} codec;

/* ---- plain values ---- */

static void number(codec *c, int64_t least, int64_t most, int64_t *x) {
    if (c->st != WADI_OK) return;
    if (c->out != NULL)
        wadi_state_put(c->out, *x);
    else
        c->st = wadi_state_take(&c->in, x, c->err);
    if (c->st == WADI_OK && (*x < least || *x > most))
        c->st = wadi_fail(c->err, WADI_INVALID, "saved version: %lld", (long long)*x);
}

static void integer(codec *c, int least, int most, int *x) {
    int64_t wide = *x;
    number(c, least, most, &wide);
    if (c->st == WADI_OK) *x = (int)wide;
}

static void any(codec *c, int *x) {
    integer(c, INT32_MIN, INT32_MAX, x);
}

static void flag(codec *c, bool *x) {
    int wide = *x;
    integer(c, 0, 1, &wide);
    *x = wide != 0;
}

/* How many: no more than there are bytes. */
static void count(codec *c, int *x) {
    const size_t left = c->in.left < INT32_MAX ? c->in.left : INT32_MAX;
    integer(c, 0, c->out != NULL ? INT32_MAX : (int)left, x);
}

static void *room(codec *c, size_t size, int n) {
    if (c->st != WADI_OK) return NULL;
    void *at = wadi_arena_alloc_n(c->arena, size, (size_t)n + 1);
    if (at == NULL) c->st = wadi_fail(c->err, WADI_MEMORY, "saved version: out of memory");
    return at;
}

static void read_text(codec *c, const char **s) {
    wadi_text t = {0};
    c->st = wadi_state_take_text(&c->in, &t, c->err);
    if (c->st == WADI_OK) *s = wadi_arena_strdup(c->arena, wadi_text_str(&t));
    if (c->st == WADI_OK && *s == NULL)
        c->st = wadi_fail(c->err, WADI_MEMORY, "saved version: out of memory");
    wadi_text_fini(&t);
}

static void text(codec *c, const char **s) {
    bool there = *s != NULL;
    flag(c, &there);
    if (!there) *s = NULL;
    if (c->st != WADI_OK || !there) return;
    if (c->out != NULL)
        wadi_state_put_text(c->out, *s);
    else
        read_text(c, s);
}

/* ---- lists: EACH describes one element; what is written is a copy ---- */

#define LIST(c, T, list, n, EACH)                                      \
    do {                                                               \
        T *into = (c)->out == NULL ? room((c), sizeof(T), (n)) : NULL; \
        for (int i = 0; i < (n) && (c)->st == WADI_OK; i++) {          \
            T each = {0};                                              \
            if ((c)->out != NULL) each = (list)[i];                    \
            EACH((c), &each);                                          \
            if (into != NULL) into[i] = each;                          \
        }                                                              \
        if (into != NULL) (list) = into;                               \
    } while (0)

/* A list that may not be there. */
#define OPTIONAL(c, T, list, n, EACH)         \
    do {                                      \
        bool there = (list) != NULL;          \
        flag((c), &there);                    \
        if (!there) (list) = NULL;            \
        if (there) LIST(c, T, list, n, EACH); \
    } while (0)

/* ---- the parts of a version ---- */

static void slot(codec *c, wadi_plan_slot *s) {
    int kind = (int)s->kind;
    text(c, &s->name);
    integer(c, 0, WADI_SLOT_IRREGULAR, &kind);
    s->kind = (wadi_slot_kind)kind;
    any(c, &s->level);
    integer(c, 0, WADI_MAX_RANK, &s->rank);
    integer(c, 0, WADI_MAX_FIELDS, &s->fields);
    for (int f = 0; f < s->fields && c->st == WADI_OK; f++) {
        int type = (int)s->type[f];
        integer(c, 0, WADI_TYPE_COUNT - 1, &type);
        s->type[f] = (wadi_type)type;
        text(c, &s->field[f]);
    }
}

static void level(codec *c, wadi_plan_level *l) {
    any(c, &l->parent);
    any(c, &l->map);
}

static void place(codec *c, wadi_plan_place *p) {
    text(c, &p->op);
    text(c, &p->what);
    text(c, &p->loc.file);
    any(c, &p->loc.line);
    text(c, &p->loc.call);
}

static void part(codec *c, wadi_plan_part *p, int nvalues) {
    any(c, &p->level);
    count(c, &p->nsteps);
    OPTIONAL(c, int, p->yields, nvalues, any);
    OPTIONAL(c, bool, p->moves, nvalues, flag);
}

static void turns(codec *c, wadi_plan_turns *t) {
    count(c, &t->value);
    count(c, &t->step);
    count(c, &t->reach);
}

static void control(codec *c, wadi_plan_control *k) {
    any(c, &k->predicate);
    count(c, &k->nvalues);
    OPTIONAL(c, int, k->results, k->nvalues, any);
    OPTIONAL(c, int, k->init, k->nvalues, any);
    OPTIONAL(c, int, k->state, k->nvalues, any);
    part(c, &k->part[0], k->nvalues);
    part(c, &k->part[1], k->nvalues);
    OPTIONAL(c, wadi_plan_turns, k->turns, 1, turns);
}

static void call(codec *c, wadi_plan_call *k) {
    text(c, &k->routine);
    any(c, &k->dims);
    count(c, &k->nin);
}

static void touch(codec *c, wadi_plan_touch *t) {
    any(c, &t->slot);
    flag(c, &t->reads);
    flag(c, &t->writes);
    number(c, INT64_MIN, INT64_MAX, &t->own);
}

static void touches(codec *c, wadi_plan_touches *t) {
    flag(c, &t->quiet);
    flag(c, &t->of_shapes);
    flag(c, &t->known);
    count(c, &t->n);
    OPTIONAL(c, wadi_plan_touch, t->of, t->n, touch);
    any(c, &t->target);
    number(c, INT64_MIN, INT64_MAX, &t->piece);
}

static void use(codec *c, wadi_plan_use *u) {
    any(c, &u->slot);
    flag(c, &u->reads);
    flag(c, &u->writes);
    flag(c, &u->whole);
    flag(c, &u->by_data);
    count(c, &u->each);
}

static void where(codec *c, wadi_plan_where *w) {
    any(c, &w->slot);
    integer(c, 0, WADI_MAX_RANK, &w->dim);
    number(c, INT64_MIN, INT64_MAX, &w->value);
}

static void work(codec *c, wadi_plan_work *w) {
    any(c, &w->operations);
    flag(c, &w->wide);
    any(c, &w->by);
    integer(c, 0, WADI_MAX_RANK, &w->rank);
    for (int d = 0; d < WADI_MAX_RANK; d++) where(c, &w->extent[d]);
}

/* How many slots the step reads. */
static int read_by(const wadi_plan_step *s) {
    return s->kind == WADI_STEP_FOREIGN ? (s->call != NULL ? s->call->nin : 0) : s->nslots;
}

static void step(codec *c, wadi_plan_step *s) {
    int kind = (int)s->kind;
    integer(c, 0, WADI_STEP_SINGLE, &kind);
    s->kind = (wadi_step_kind)kind;
    text(c, &s->kernel);
    text(c, &s->units);
    count(c, &s->nslots);
    OPTIONAL(c, int, s->slots, s->nslots, any);
    any(c, &s->place);
    flag(c, &s->serial);
    flag(c, &s->several);
    flag(c, &s->apart);
    integer(c, 0, WADI_STEP_ROUNDS, &s->rounds);
    integer(c, 0, WADI_STEP_STRIPS, &s->strips);
    count(c, &s->halo);
    any(c, &s->level);
    OPTIONAL(c, wadi_plan_control, s->control, 1, control);
    OPTIONAL(c, wadi_plan_call, s->call, 1, call);
    if (c->st == WADI_OK) OPTIONAL(c, int, s->reads, read_by(s), any);
    touches(c, &s->touches);
    touches(c, &s->units_touch);
    count(c, &s->nuses);
    LIST(c, wadi_plan_use, s->uses, s->nuses, use);
    text(c, &s->what);
    count(c, &s->nworks);
    OPTIONAL(c, wadi_plan_work, s->works, s->nworks, work);
}

static void version(codec *c, wadi_plan_version *v) {
    count(c, &v->nslots);
    LIST(c, wadi_plan_slot, v->slots, v->nslots, slot);
    count(c, &v->nlevels);
    LIST(c, wadi_plan_level, v->levels, v->nlevels, level);
    flag(c, &v->counts);
    count(c, &v->nplaces);
    LIST(c, wadi_plan_place, v->places, v->nplaces, place);
    count(c, &v->nsteps);
    LIST(c, wadi_plan_step, v->steps, v->nsteps, step);
}

bool wadi_plan_version_save(const wadi_plan_version *v, wadi_text *out) {
    codec c = {.out = out};
    wadi_plan_version copy = *v;
    for (int i = 0; i < v->nslots; i++)
        if (v->slots[i].data != NULL) return false;
    version(&c, &copy);
    return c.st == WADI_OK && !out->failed;
}

wadi_status wadi_plan_version_load(const char *bytes, size_t n, wadi_arena *arena,
                                   wadi_plan_version *out, wadi_error *err) {
    codec c = {.in = {bytes, n}, .arena = arena, .err = err};
    *out = (wadi_plan_version){0};
    version(&c, out);
    if (c.st == WADI_OK && c.in.left > 0)
        return wadi_fail(err, WADI_INVALID, "saved version: %zu bytes too many", c.in.left);
    return c.st;
}
