/* When a run is saved, and where. */
#include "sched/run/checkpoint.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/kept_folder.h"
#include "sched/traits.h"

static const double EVERY_S = 5;
static const char title[] = "wadi state 2";

struct wadi_checkpoint {
    wadi_run *x;
    wadi_kept_folder *folder; /* NULL: not open */
    wadi_text head;           /* what the run is of */
    char *found;              /* what an earlier process has left; NULL: nothing */
    int64_t every_ns, last_ns;
};

/* ---- saving ---- */

/* What the world has made fail is tried again, if the run was told so. */
static wadi_status write_state(wadi_checkpoint *c, const wadi_text *t, wadi_error *err) {
    wadi_retry retry = wadi_run_retry(c->x);
    wadi_error why = {.status = WADI_OK};
    wadi_status status = WADI_OK;
    do {
        status = wadi_kept_folder_write(c->folder, t, &why);
    } while (status == WADI_IO && wadi_retry_wait(&retry, "saving the run", why.msg));
    if (status != WADI_OK && err != NULL) *err = why;
    return status;
}

static wadi_status save(wadi_checkpoint *c, wadi_stream *s, wadi_error *err) {
    wadi_text t = {0};
    wadi_text_add_n(&t, c->head.at, c->head.n);
    wadi_status status = wadi_run_save(s, &t, err);
    if (status == WADI_OK) status = write_state(c, &t, err);
    wadi_text_fini(&t);
    return status;
}

/* A stream that has failed is not saved: the failure may be of an element that another run never sees. Then the saving before stays, also
 * for a run that is to end. */
static wadi_status between(void *env, wadi_stream *s, bool last, wadi_error *err) {
    wadi_checkpoint *c = env;
    const bool drains = atomic_load(&c->x->drains);
    const int64_t now = wadi_clock_ns();
    if (!last && !drains && now - c->last_ns < c->every_ns) return WADI_OK;
    bool can = false;
    WADI_TRY(wadi_run_can_save(s, &can, err));
    if (can) WADI_TRY(save(c, s, err));
    c->last_ns = wadi_clock_ns();
    if (!drains || last) return WADI_OK;
    return wadi_fail(err, WADI_CANCELLED,
                     wadi_checkpoint_exists(c->x)
                         ? "the run is saved, and goes on when it is started again"
                         : "the run was ended before it could be saved");
}

wadi_status wadi_checkpoint_create(wadi_run *x, wadi_error *err) {
    const double every_s = x->options.save_every_s > 0 ? x->options.save_every_s : EVERY_S;
    wadi_checkpoint *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    *c = (wadi_checkpoint){.x = x, .every_ns = (int64_t)(every_s * 1e9)};
    x->checkpoint = c;
    x->saver = (wadi_run_saver){between, c};
    return WADI_OK;
}

/* ---- going on ---- */

static wadi_status find(wadi_checkpoint *c, wadi_error *err) {
    wadi_state_reader from = {0};
    const wadi_state_reader own = {c->head.at, c->head.n};
    WADI_TRY(wadi_kept_folder_read(c->folder, &c->found, &from.left, err));
    if (c->found == NULL) return WADI_OK;
    from.at = c->found;
    WADI_TRY(
        wadi_traits_compare(c->x->options.state, c->x->options.accept_change, own, &from, err));
    c->x->saved = from;
    return WADI_OK;
}

/* What sinks have must last, or they may get it again. */
static wadi_status prepare_sinks(wadi_run *x, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_sink *s = x->bindings.at[i].sink;
        if (s == NULL || s->gives == WADI_GUARANTEE_AT_LEAST_ONCE) continue;
        if (s->ops->last == NULL)
            return wadi_fail(err, WADI_UNSUPPORTED,
                             "\"%s\": a %s sink cannot go on after its process was ended",
                             x->bindings.at[i].name, s->kind);
        s->sync = true;
        WADI_TRY(s->ops->last(s, err));
    }
    return WADI_OK;
}

wadi_status wadi_checkpoint_open(wadi_run *x, wadi_error *err) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return WADI_OK;
    WADI_TRY(wadi_kept_folder_open(x->options.state, title, &c->folder, err));
    WADI_TRY(wadi_checkpoint_describe(x, &c->head, err));
    WADI_TRY(find(c, err));
    c->last_ns = wadi_clock_ns();
    WADI_TRY(prepare_sinks(x, err));
    return wadi_kept_folder_check(c->folder, err);
}

bool wadi_checkpoint_exists(const wadi_run *x) {
    return x->checkpoint != NULL && wadi_kept_folder_has(x->checkpoint->folder);
}

void wadi_checkpoint_close(wadi_run *x, bool well) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return;
    wadi_kept_folder_close(c->folder, well);
    c->folder = NULL;
}

void wadi_checkpoint_destroy(wadi_run *x) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return;
    wadi_checkpoint_close(x, false);
    wadi_text_fini(&c->head);
    free(c->found);
    free(c);
    x->checkpoint = NULL;
}
