/* Going on without elements that fail. */
#include "sched/run/dead.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/outfile.h"
#include "base/vec.h"

/* A stage, a fold or a scan, whose elements come in their order however the stream is cut. */
typedef struct dead_place {
    const void *of; /* in the plan */
    int64_t told,
        again; /* elements; those of them by which this run, which has begun again, comes once more */
} dead_place;

struct wadi_dead {
    wadi_mutex lock; /* stages may run in two threads */
    bool locks;
    wadi_outfile *file; /* NULL: none */
    int64_t count;      /* elements that were told */
    int64_t seen;       /* elements by which the run has come since it began, the last time */
    WADI_VEC(dead_place) places;
};

/* ---- opening and closing ---- */

static bool is_part(const wadi_plan_stage *g, int slot) {
    for (int i = 0; i < g->nparts; i++)
        if (g->parts[i] == slot) return true;
    return false;
}

/* Where elements of several sequences meet by their numbers, one that is missing would bring all behind it out of step. */
static wadi_status check_skipped(const wadi_run *x, const wadi_plan_stage *g, wadi_error *err) {
    if (g->change != WADI_CHANGE_ZIP) return WADI_OK;
    const wadi_plan_place *p = &x->plan->places[g->place];
    return wadi_fail_at(err, p->loc, WADI_UNSUPPORTED,
                        "%s: elements that fail cannot be left out, because sequences are paired "
                        "by the numbers of their elements",
                        p->op);
}

/* Only scalars have a shape before they are computed. */
static wadi_status check_replaced(const wadi_run *x, const wadi_plan_stage *g, wadi_error *err) {
    for (int i = 0; i < g->nresults && g->body >= 0; i++) {
        const wadi_plan_slot *p = &x->plan->slots[g->results[i]];
        if (p->rank == 0 || is_part(g, g->results[i])) continue;
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "replacing elements that fail: \"%s\" is an array of rank %d, and only "
                         "scalars can be replaced",
                         p->name != NULL ? p->name : "a result", p->rank);
    }
    return WADI_OK;
}

static wadi_status check_stages(const wadi_run *x, wadi_error *err) {
    const bool skips = x->options.on_fault == WADI_ON_FAULT_SKIP;
    for (int i = 0; i < x->plan->nphases; i++) {
        const wadi_plan_phase *p = &x->plan->phases[i];
        for (int g = 0; p->is_stream && g < p->stream.nstages; g++)
            WADI_TRY((skips ? check_skipped : check_replaced)(x, &p->stream.stages[g], err));
    }
    return WADI_OK;
}

wadi_status wadi_dead_open(wadi_run *x, wadi_error *err) {
    const wadi_run_options *o = &x->options;
    if (o->on_fault == WADI_ON_FAULT_FAIL) return WADI_OK;
    WADI_TRY(check_stages(x, err));
    wadi_dead *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    x->dead = d;
    WADI_TRY(wadi_mutex_init(&d->lock, err));
    d->locks = true;
    if (o->dead == NULL) return WADI_OK;
    return wadi_outfile_open(o->dead, &(wadi_outfile_options){.lasts = o->state != NULL}, &d->file,
                             err);
}

wadi_status wadi_dead_close(wadi_run *x, bool goes_on, wadi_error *err) {
    wadi_dead *d = x->dead;
    if (d == NULL || d->file == NULL) return WADI_OK;
    if (!goes_on) return wadi_outfile_finish(&d->file, x->options.state != NULL, err);
    /* All that was told stays: also that which a run that goes on writes anew, for it says why this one has ended. */
    const wadi_status status =
        wadi_outfile_bytes(d->file) > 0 ? wadi_outfile_save(d->file, err) : WADI_OK;
    wadi_outfile_give_up(&d->file);
    return status;
}

void wadi_dead_destroy(wadi_run *x) {
    wadi_dead *d = x->dead;
    if (d == NULL) return;
    wadi_outfile_give_up(&d->file);
    wadi_vec_free(&d->places);
    if (d->locks) wadi_mutex_fini(&d->lock);
    free(d);
    x->dead = NULL;
}

bool wadi_dead_lasts(const wadi_run *x) {
    const char *path = x->options.dead;
    struct stat there;
    if (path == NULL) return true;
    if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return false;
    return stat(path, &there) != 0 || S_ISREG(there.st_mode);
}

/* ---- elements ---- */

/* An element whose extents are not as declared has nothing to stand for it: other stages and ends read the element itself, and trust what is
 * declared. */
bool wadi_dead_takes(const wadi_run *x, const wadi_crew *w, wadi_status status) {
    if (x->dead == NULL || !w->at_element) return false;
    return status == WADI_FAULT ||
           (status == WADI_SHAPE && x->options.on_fault == WADI_ON_FAULT_SKIP);
}

static wadi_status tell(wadi_stream *s, int stage, wadi_chunk *c, int64_t at, const char *reason,
                        wadi_error *err) {
    wadi_dead *d = s->x->dead;
    wadi_chunk *one = NULL;
    wadi_text line = {0};
    if (d->file == NULL) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(c, at, 1, &one, err));
    wadi_status status = wadi_chunk_at_host(one, err);
    if (status == WADI_OK) wadi_dead_letter(&line, wadi_run_phase_of(s), stage, one, 0, reason);
    if (status == WADI_OK)
        status = line.failed ? wadi_fail(err, WADI_MEMORY, "elements that fail: out of memory")
                             : wadi_outfile_write(d->file, line.at, line.n, err);
    wadi_text_fini(&line);
    wadi_chunk_release(one);
    return status;
}

/* NULL: no memory. */
static dead_place *place_of(wadi_dead *d, const void *of) {
    for (size_t i = 0; i < d->places.n; i++)
        if (d->places.at[i].of == of) return &d->places.at[i];
    if (!wadi_vec_push(&d->places, ((dead_place){.of = of}))) return NULL;
    return &d->places.at[d->places.n - 1];
}

static void count_seen(wadi_run *x, int64_t seen) {
    x->dead->seen = seen;
    wadi_mutex_lock(&x->lock);
    x->stats.dead = seen;
    wadi_mutex_unlock(&x->lock);
}

static wadi_status put(wadi_stream *s, int stage, const void *of, wadi_chunk *c, int64_t at,
                       const char *reason, wadi_error *err) {
    wadi_dead *d = s->x->dead;
    const int64_t most = s->x->options.dead_limit;
    if (s->comes_before_saved) return WADI_OK; /* told by the process that came by first */
    dead_place *place = place_of(d, of);
    if (place == NULL) return wadi_fail(err, WADI_MEMORY, "elements that fail: out of memory");
    if (place->again > 0) {
        place->again--;
        count_seen(s->x, d->seen + 1);
        return WADI_OK;
    }
    if (most > 0 && d->count >= most)
        return wadi_fail(err, WADI_FAULT,
                         "%.400s; the limit of elements that may fail, %lld, is reached", reason,
                         (long long)most);
    WADI_TRY(tell(s, stage, c, at, reason, err));
    d->count++;
    place->told++;
    count_seen(s->x, d->seen + 1);
    return WADI_OK;
}

wadi_status wadi_dead_put(wadi_stream *s, int stage, const wadi_plan_fold *fold, wadi_chunk *c,
                          int64_t at, const wadi_error *why, wadi_error *err) {
    const wadi_error reason = *why;
    const void *of = fold != NULL ? (const void *)fold : &s->plan->stages[stage];
    wadi_mutex_lock(&s->x->dead->lock);
    const wadi_status status = put(s, stage, of, c, at, reason.msg, err);
    wadi_mutex_unlock(&s->x->dead->lock);
    return status;
}

/* ---- replacing ---- */

#define SET(type) *(type *)to = (type)x

static void set_real(wadi_type t, void *to, double x) {
    switch (t) {
    case WADI_F32:
        SET(float);
        return;
    case WADI_F64:
        SET(double);
        return;
    case WADI_C64:
        SET(float);
        ((float *)to)[1] = 0;
        return;
    case WADI_C128:
        SET(double);
        ((double *)to)[1] = 0;
        return;
    default:
        return;
    }
}

#define NEAREST(type, least, most) \
    *(type *)to = (type)(x >= (double)(most) ? (most) : x <= (double)(least) ? (least) : (type)(x))

/* The fraction is cut off. A number that the type cannot have becomes the nearest one that it can, and what is no number becomes 0. */
static void set_whole(wadi_type t, void *to, double v) {
    const double x = v == v ? v : 0;
    switch (t) {
    case WADI_BOOL:
        *(uint8_t *)to = x <= -1 || x >= 1;
        return;
    case WADI_I8:
        NEAREST(int8_t, INT8_MIN, INT8_MAX);
        return;
    case WADI_I16:
        NEAREST(int16_t, INT16_MIN, INT16_MAX);
        return;
    case WADI_I32:
        NEAREST(int32_t, INT32_MIN, INT32_MAX);
        return;
    case WADI_I64:
        NEAREST(int64_t, INT64_MIN, INT64_MAX);
        return;
    case WADI_U8:
        NEAREST(uint8_t, 0, UINT8_MAX);
        return;
    case WADI_U16:
        NEAREST(uint16_t, 0, UINT16_MAX);
        return;
    case WADI_U32:
        NEAREST(uint32_t, 0, UINT32_MAX);
        return;
    case WADI_U64:
        NEAREST(uint64_t, 0, UINT64_MAX);
        return;
    default:
        return;
    }
}

static wadi_status set_scalar(wadi_chunk *c, int i, const wadi_plan_slot *p, double value,
                              wadi_error *err) {
    wadi_chunk_component *to = &c->component[i];
    *to = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR, .fields = p->fields, .values = 1};
    memcpy(to->type, p->type, sizeof to->type);
    for (int f = 0; f < p->fields; f++) {
        to->column[f] = wadi_chunk_alloc(c, 16);
        if (to->column[f] == NULL) return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
        set_real(p->type[f], to->column[f], value);
        set_whole(p->type[f], to->column[f], value);
    }
    return WADI_OK;
}

static wadi_status fill(wadi_stream *s, const wadi_plan_stage *g, const wadi_chunk *one,
                        wadi_chunk *c, wadi_error *err) {
    for (int i = 0; i < g->nresults; i++) {
        int part = 0;
        while (part < g->nparts && g->parts[part] != g->results[i]) part++;
        if (part < g->nparts)
            c->component[i] = one->component[part];
        else
            WADI_TRY(set_scalar(c, i, &s->x->plan->slots[g->results[i]], s->x->options.replacement,
                                err));
    }
    return WADI_OK;
}

wadi_status wadi_dead_instead(wadi_stream *s, int stage, wadi_chunk *in, int64_t at,
                              wadi_chunk **out, wadi_error *err) {
    const wadi_plan_stage *g = &s->plan->stages[stage];
    wadi_chunk *one = NULL, *c = NULL;
    *out = NULL;
    if (s->x->options.on_fault != WADI_ON_FAULT_REPLACE) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(in, at, 1, &one, err));
    wadi_status status = wadi_chunk_create(s->x->buffers, g->nresults, &c, err);
    if (status == WADI_OK) {
        wadi_chunk_hold(c, one);
        c->first = one->first;
        c->count = 1;
        status = fill(s, g, one, c, err);
    }
    wadi_chunk_release(one);
    if (status == WADI_OK)
        *out = c;
    else
        wadi_chunk_release(c);
    return status;
}

/* ---- folds ---- */

static wadi_status fold_part(wadi_stream *s, int stage, wadi_crew *w, const wadi_plan_fold *fold,
                             wadi_chunk *c, int64_t begin, int64_t count, wadi_error *err) {
    wadi_chunk *part = NULL;
    if (count == 0) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(c, begin, count, &part, err));
    const wadi_status status = wadi_dead_fold(s, stage, w, fold, part, err);
    wadi_chunk_release(part);
    return status;
}

static wadi_status fold_behind(wadi_stream *s, int stage, wadi_crew *w, const wadi_plan_fold *fold,
                               wadi_chunk *c, int64_t at, wadi_error *err) {
    for (wadi_dead_pieces p = wadi_dead_behind(at, c->count); wadi_dead_next(&p);)
        WADI_TRY(fold_part(s, stage, w, fold, c, p.from, p.n, err));
    return WADI_OK;
}

wadi_status wadi_dead_fold(wadi_stream *s, int stage, wadi_crew *w, const wadi_plan_fold *fold,
                           wadi_chunk *c, wadi_error *err) {
    const bool fragile = s->x->dead != NULL && wadi_fold_is_fragile(w, fold);
    wadi_text before = {0};
    int64_t done = 0;
    wadi_status status = fragile ? wadi_fold_save(w, fold, &before, err) : WADI_OK;
    if (status == WADI_OK) status = wadi_fold_elements(w, fold, c, NULL, NULL, &done, err);
    if (status != WADI_OK && wadi_dead_takes(s->x, w, status)) {
        wadi_state_reader from = {before.at, before.n};
        status = wadi_dead_put(s, stage, fold, c, done, err, err);
        if (status == WADI_OK && fragile) status = wadi_fold_load(w, fold, &from, err);
        if (status == WADI_OK && (fragile || fold->carried))
            status = fold_part(s, stage, w, fold, c, 0, done, err);
        if (status == WADI_OK) status = fold_behind(s, stage, w, fold, c, done, err);
    }
    wadi_text_fini(&before);
    return status;
}

/* ---- runs that begin again, or go on ---- */

void wadi_dead_again(wadi_run *x) {
    wadi_dead *d = x->dead;
    if (d == NULL) return;
    d->seen = 0;
    for (size_t i = 0; i < d->places.n; i++) d->places.at[i].again = d->places.at[i].told;
}

wadi_status wadi_dead_save(wadi_run *x, wadi_text *out, wadi_error *err) {
    wadi_dead *d = x->dead;
    const bool lasts = d != NULL && d->file != NULL && x->options.state != NULL;
    if (lasts) WADI_TRY(wadi_outfile_save(d->file, err));
    wadi_state_put(out, d != NULL ? d->count : 0);
    wadi_state_put(out, lasts ? wadi_outfile_bytes(d->file) : 0);
    return WADI_OK;
}

wadi_status wadi_dead_load(wadi_run *x, wadi_state_reader *from, wadi_error *err) {
    wadi_dead *d = x->dead;
    int64_t count = 0, bytes = 0;
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &count, err));
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &bytes, err));
    if (bytes > 0 && (d == NULL || d->file == NULL))
        return wadi_fail(err, WADI_INVALID,
                         "%s: what is saved there has a file for elements that fail, and this run "
                         "has none",
                         x->options.state != NULL ? x->options.state : "saved state");
    if (d == NULL) return WADI_OK;
    d->count = count;
    count_seen(x, count);
    if (d->file == NULL || x->options.state == NULL) return WADI_OK;
    return wadi_outfile_go_on(d->file, bytes, true, err);
}
