/* When a run is saved, and where. */
#include "sched/run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/kept_folder.h"
#include "base/log.h"
#include "base/task.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sched/run/beginning.h"
#include "sched/traits.h"

static const double EVERY_S = 5;
static const char title[] = "wadi state 5";
static const char confirmed_word[] = "confirmed";

/* Where something outside the run stands in a saving. */
typedef struct place {
    wadi_source *source; /* or: */
    wadi_sink *sink;
    wadi_position at;
} place;

/* A saving that is made. It is of use only when the other ends of links have what it says: until then it waits to be written. */
typedef struct saving {
    wadi_text text; /* empty: there is none */
    WADI_VEC(place) places;
    bool failed;
} saving;

/* All that it got is with whoever has this name. */
typedef struct confirmed_sink {
    const wadi_sink *sink;
    uint64_t by;
} confirmed_sink;

struct wadi_checkpoint {
    wadi_run *x;
    wadi_kept_folder *folder; /* NULL: not open */
    wadi_text head;           /* what the run is of */
    size_t older;             /* bytes of it that states of earlier versions have as well */
    wadi_text beginning;      /* empty: no sink needs it */
    char *found;              /* what an earlier process has left; NULL: nothing */
    WADI_VEC(place) were;     /* the sinks that meet somebody, as it was found */
    saving made;
    int64_t every_ns, last_ns;
    wadi_mutex
        lock; /* of the folder, and of what follows: sinks say from threads of their own what is confirmed */
    WADI_VEC(confirmed_sink) confirmed;
};

/* ---- places ---- */

static void forget(saving *m) {
    wadi_text_clear(&m->text);
    m->places.n = 0;
    m->failed = false;
}

static bool meets(const wadi_sink *s) {
    return s != NULL && s->ops->meet != NULL;
}

static void add_source(void *env, wadi_source *source, wadi_position at) {
    saving *m = env;
    if (source->ops->keep == NULL) return;
    if (!wadi_vec_push(&m->places, (place){.source = source, .at = at})) m->failed = true;
}

static wadi_status put_meetings(wadi_run *x, saving *m, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        place p = {.sink = x->bindings.at[i].sink};
        if (!meets(p.sink)) continue;
        WADI_TRY(wadi_sink_have(p.sink, &p.at, err));
        if (!wadi_vec_push(&m->places, p)) m->failed = true;
        wadi_state_put_text(&m->text, x->bindings.at[i].name);
        wadi_state_put(&m->text, p.at.element);
    }
    wadi_state_put_text(&m->text, "");
    return WADI_OK;
}

/* Who is at the other end of a link may yet ask for what it has not saved itself. */
static bool is_certain(const saving *m) {
    for (size_t i = 0; i < m->places.n; i++) {
        const place *p = &m->places.at[i];
        if (p->sink != NULL && p->sink->ops->certain(p->sink) < p->at.element) return false;
    }
    return true;
}

static bool is_strict(const saving *m) {
    for (size_t i = 0; i < m->places.n; i++)
        if (m->places.at[i].sink != NULL && m->places.at[i].sink->strict) return true;
    return false;
}

/* ---- what is confirmed ---- */

static const confirmed_sink *find_confirmed(const wadi_checkpoint *c, const wadi_sink *s) {
    for (size_t i = 0; i < c->confirmed.n; i++)
        if (c->confirmed.at[i].sink == s) return &c->confirmed.at[i];
    return NULL;
}

static bool set_confirmed(wadi_checkpoint *c, const wadi_sink *s, bool all, uint64_t by) {
    size_t n = 0;
    for (size_t i = 0; i < c->confirmed.n; i++)
        if (c->confirmed.at[i].sink != s) c->confirmed.at[n++] = c->confirmed.at[i];
    c->confirmed.n = n;
    return !all || wadi_vec_push(&c->confirmed, (confirmed_sink){s, by});
}

static wadi_status take_name(wadi_checkpoint *c, const wadi_text *name, uint64_t by,
                             wadi_error *err) {
    for (size_t i = 0; i < c->x->bindings.n; i++) {
        const wadi_binding *b = &c->x->bindings.at[i];
        if (b->sink == NULL || strcmp(b->name, wadi_text_str(name)) != 0) continue;
        if (!set_confirmed(c, b->sink, true, by))
            return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    }
    return WADI_OK;
}

/* Where a state says so. */
static wadi_status take_confirmed(wadi_checkpoint *c, wadi_state_reader *from, wadi_error *err) {
    wadi_state_reader at = *from;
    wadi_text word = {0};
    int64_t by = 0;
    wadi_status status = wadi_state_take_text(&at, &word, err);
    const bool some = status == WADI_OK && strcmp(wadi_text_str(&word), confirmed_word) == 0;
    while (some && status == WADI_OK && word.n > 0) {
        wadi_text_clear(&word);
        status = wadi_state_take_text(&at, &word, err);
        if (status != WADI_OK || word.n == 0) continue;
        status = wadi_state_take(&at, &by, err);
        if (status == WADI_OK) status = take_name(c, &word, (uint64_t)by, err);
    }
    if (some) *from = at;
    wadi_text_fini(&word);
    return status;
}

/* ---- saving ---- */

/* What is confirmed stands in front of all others. By the lock. */
static wadi_status store(wadi_checkpoint *c, const wadi_text *t, wadi_error *err) {
    if (c->confirmed.n == 0) return wadi_kept_folder_write(c->folder, t, err);
    wadi_text all = {0};
    wadi_state_put_text(&all, confirmed_word);
    for (size_t i = 0; i < c->x->bindings.n; i++) {
        const confirmed_sink *is = find_confirmed(c, c->x->bindings.at[i].sink);
        if (is == NULL) continue;
        wadi_state_put_text(&all, c->x->bindings.at[i].name);
        wadi_state_put(&all, (int64_t)is->by);
    }
    wadi_state_put_text(&all, "");
    wadi_text_add_n(&all, t->at, t->n);
    all.failed = all.failed || t->failed;
    const wadi_status status = wadi_kept_folder_write(c->folder, &all, err);
    wadi_text_fini(&all);
    return status;
}

static wadi_status store_locked(wadi_checkpoint *c, const wadi_text *t, wadi_error *err) {
    wadi_mutex_lock(&c->lock);
    const wadi_status status = store(c, t, err);
    wadi_mutex_unlock(&c->lock);
    return status;
}

/* What the world has made fail is tried again, if the run was told so. */
static wadi_status write_state(wadi_checkpoint *c, const wadi_text *t, wadi_error *err) {
    wadi_retry retry = wadi_run_retry(c->x);
    wadi_error why = {.status = WADI_OK};
    wadi_status status = WADI_OK;
    do {
        status = store_locked(c, t, &why);
    } while (status == WADI_IO && wadi_retry_wait(&retry, "saving the run", why.msg));
    if (status != WADI_OK && err != NULL) *err = why;
    return status;
}

/* What stands in front of the states: all of it that a run has which has only begun. */
static wadi_status make_front(wadi_checkpoint *c, wadi_error *err) {
    saving *m = &c->made;
    forget(m);
    wadi_text_add_n(&m->text, c->head.at, c->head.n);
    wadi_text_add_n(&m->text, c->beginning.at, c->beginning.n);
    return put_meetings(c->x, m, err);
}

static wadi_status make(wadi_checkpoint *c, wadi_stream *s, wadi_error *err) {
    saving *m = &c->made;
    WADI_TRY(make_front(c, err));
    WADI_TRY(wadi_run_save(s, &m->text, err));
    for (int i = 0; i < s->nlanes; i++) wadi_lane_places(&s->lanes[i], add_source, m);
    return m->failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory") : WADI_OK;
}

/* What sinks have stored is of use only with a state. */
static void tell_sinks(const wadi_checkpoint *c) {
    const bool saved = wadi_kept_folder_has(c->folder);
    for (size_t i = 0; i < c->x->bindings.n; i++) {
        wadi_sink *s = c->x->bindings.at[i].sink;
        if (s != NULL) atomic_store(&s->saved, saved);
    }
}

static wadi_status write_made(wadi_checkpoint *c, wadi_error *err) {
    saving *m = &c->made;
    const wadi_status status = write_state(c, &m->text, err);
    tell_sinks(c);
    for (size_t i = 0; i < m->places.n && status == WADI_OK; i++) {
        const place *p = &m->places.at[i];
        if (p->source != NULL) p->source->ops->keep(p->source, p->at, false);
    }
    forget(m);
    return status;
}

/* A stream that has failed is not saved: the failure may be of an element that another run never sees. Then the saving before stays, also
 * for a run that is to end. The last saving, and that of a run that is to end, do not wait for others. */
static wadi_status between(void *env, wadi_stream *s, bool last, wadi_error *err) {
    wadi_checkpoint *c = env;
    const bool drains = atomic_load(&c->x->drains), must = last || drains;
    const bool waits = c->made.text.n > 0;
    const int64_t now = wadi_clock_ns();
    if (waits && !must) return is_certain(&c->made) ? write_made(c, err) : WADI_OK;
    if (!must && now - c->last_ns < c->every_ns) return WADI_OK;
    bool can = false;
    WADI_TRY(wadi_run_can_save(s, &can, err));
    if (waits && is_strict(&c->made) && is_certain(&c->made)) WADI_TRY(write_made(c, err));
    if (can) WADI_TRY(make(c, s, err));
    if (can && ((must && !is_strict(&c->made)) || is_certain(&c->made)))
        WADI_TRY(write_made(c, err));
    c->last_ns = wadi_clock_ns();
    if (!drains || last) return WADI_OK;
    return wadi_fail(err, WADI_CANCELLED,
                     wadi_checkpoint_exists(c->x)
                         ? "the run is saved, and goes on when it is started again"
                         : "the run was ended before it could be saved");
}

/* All of what a run has saved that has saved nothing. */
static void put_nothing(const wadi_checkpoint *c, wadi_text *out) {
    wadi_text_add_n(out, c->head.at, c->head.n);
    wadi_text_add_n(out, c->beginning.at, c->beginning.n);
    for (size_t i = 0; i < c->x->bindings.n; i++) {
        if (!meets(c->x->bindings.at[i].sink)) continue;
        wadi_state_put_text(out, c->x->bindings.at[i].name);
        wadi_state_put(out, 0);
    }
    wadi_state_put_text(out, "");
}

/* The state that is there, with what is confirmed now. By the lock. */
static wadi_status store_again(wadi_checkpoint *c, wadi_error *err) {
    char *bytes = NULL;
    wadi_text state = {0};
    wadi_state_reader at = {0};
    wadi_checkpoint was = {.x = c->x}; /* what it says is confirmed counts no more */
    WADI_TRY(wadi_kept_folder_read(c->folder, &bytes, &at.left, err));
    at.at = bytes;
    wadi_status status = bytes != NULL ? take_confirmed(&was, &at, err) : WADI_OK;
    if (bytes != NULL)
        wadi_text_add_n(&state, at.at, at.left);
    else
        put_nothing(c, &state);
    if (status == WADI_OK) status = store(c, &state, err);
    wadi_vec_free(&was.confirmed);
    wadi_text_fini(&state);
    free(bytes);
    return status;
}

/* Without it, a process that goes on may wait for those who have gone. That is no reason to fail now. */
static void note_confirmed(void *env, wadi_sink *sink, bool all, uint64_t by) {
    wadi_checkpoint *c = env;
    wadi_error why = {.status = WADI_OK};
    wadi_mutex_lock(&c->lock);
    const confirmed_sink *was = find_confirmed(c, sink);
    if (c->folder != NULL && (was != NULL ? !all || was->by != by : all)) {
        if (!set_confirmed(c, sink, all, by))
            (void)wadi_fail(&why, WADI_MEMORY, "saving a run: out of memory");
        else
            (void)!store_again(c, &why);
    }
    wadi_mutex_unlock(&c->lock);
    if (why.status != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "that a stream has been sent cannot be saved: %s", why.msg);
}

wadi_status wadi_checkpoint_create(wadi_run *x, wadi_error *err) {
    const double every_s = x->options.save_every_s > 0 ? x->options.save_every_s : EVERY_S;
    wadi_checkpoint *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    *c = (wadi_checkpoint){.x = x, .every_ns = (int64_t)(every_s * 1e9)};
    const wadi_status status = wadi_mutex_init(&c->lock, err);
    if (status != WADI_OK) {
        free(c);
        return status;
    }
    x->checkpoint = c;
    x->saver = (wadi_run_saver){between, c};
    return WADI_OK;
}

/* ---- going on ---- */

static wadi_status take_meetings(wadi_checkpoint *c, wadi_state_reader *from, wadi_error *err) {
    const wadi_run *x = c->x;
    for (size_t i = 0; i < x->bindings.n; i++) {
        place p = {.sink = x->bindings.at[i].sink};
        if (!meets(p.sink)) continue;
        WADI_TRY(wadi_state_expect_text(from, x->bindings.at[i].name, err));
        WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &p.at.element, err));
        if (!wadi_vec_push(&c->were, p)) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    }
    return wadi_state_expect_text(from, "", err);
}

static wadi_status load_beginning(wadi_checkpoint *c, wadi_state_reader *from, wadi_error *err) {
    wadi_state_reader bytes = {0};
    WADI_TRY(wadi_beginning_load(c->x, from, &bytes, err));
    wadi_text_add_n(&c->beginning, bytes.at, bytes.left);
    return c->beginning.failed ? wadi_fail(err, WADI_MEMORY, "run: out of memory") : WADI_OK;
}

static wadi_status find(wadi_checkpoint *c, wadi_error *err) {
    wadi_state_reader from = {0};
    const wadi_state_reader own = {c->head.at, c->head.n};
    WADI_TRY(wadi_kept_folder_read(c->folder, &c->found, &from.left, err));
    if (c->found == NULL) return WADI_OK;
    from.at = c->found;
    WADI_TRY(take_confirmed(c, &from, err));
    const char *const head = from.at;
    WADI_TRY(wadi_traits_compare_older(c->x->options.state, c->x->options.accept_change, own,
                                       c->older, &from, err));
    const bool same = (size_t)(from.at - head) == own.left && memcmp(head, own.at, own.left) == 0;
    if (!same) c->confirmed.n = 0; /* that was another stream */
    if (wadi_beginning_is_needed(c->x)) WADI_TRY(load_beginning(c, &from, err));
    WADI_TRY(take_meetings(c, &from, err));
    if (from.left > 0) c->x->saved = from; /* it has not only begun */
    return WADI_OK;
}

/* The same for the same run and sink, below 2^63, and not 0. Whatever the form of the sinks: those who know it from a state without that go on, too. */
static wadi_status stream_of(const wadi_checkpoint *c, const char *sink, uint64_t *out,
                             wadi_error *err) {
    wadi_text head = {0};
    wadi_text_add_n(&head, c->head.at, c->older);
    wadi_traits_end(&head);
    const uint64_t of = head.failed ? 0 : wadi_hash_bytes(head.at, head.n);
    const wadi_status status =
        head.failed ? wadi_fail(err, WADI_MEMORY, "run: out of memory") : WADI_OK;
    wadi_text_fini(&head);
    *out = (wadi_hash64(of ^ wadi_hash64(wadi_hash_bytes(sink, strlen(sink)))) >> 1) | 1;
    return status;
}

bool wadi_checkpoint_suits(const wadi_binding *b) {
    return b->unordered == NULL || !meets(b->sink);
}

/* What sinks have must last, or they may get it again. */
static wadi_status prepare_sinks(wadi_run *x, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_sink *s = x->bindings.at[i].sink;
        if (!wadi_checkpoint_suits(&x->bindings.at[i]))
            return wadi_fail(
                err, WADI_UNSUPPORTED,
                "\"%s\": a %s sink of a run that is saved needs its elements in order, "
                "and it gets them in any: use stream_out, or leave out the state",
                x->bindings.at[i].name, s->kind);
        if (s == NULL || s->gives == WADI_GUARANTEE_AT_LEAST_ONCE) continue;
        if (s->ops->last == NULL)
            return wadi_fail(err, WADI_UNSUPPORTED,
                             "\"%s\": a %s sink cannot go on after its process was ended",
                             x->bindings.at[i].name, s->kind);
        s->sync = true;
        WADI_TRY(stream_of(x->checkpoint, x->bindings.at[i].name, &s->stream, err));
        WADI_TRY(s->ops->last(s, err));
    }
    return WADI_OK;
}

/* Where the other end of a link lacks elements that come before the saving, the run begins anew: it gives the same, and what others have is not
 * put again. */
static wadi_status meet_sinks(wadi_checkpoint *c, wadi_error *err) {
    wadi_run *x = c->x;
    size_t met = 0;
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_sink *s = x->bindings.at[i].sink;
        if (!meets(s)) continue;
        const int64_t was = met < c->were.n ? c->were.at[met++].at.element : 0;
        int64_t has = was;
        const confirmed_sink *is = find_confirmed(c, s);
        s->confirmed = is != NULL;
        s->confirmed_by = is != NULL ? is->by : 0;
        s->note_confirmed = note_confirmed;
        s->note_env = c;
        WADI_TRY(s->ops->meet(s, &has, err));
        if (x->saved.at == NULL || has >= was) continue;
        wadi_logf(WADI_LOG_WARNING,
                  "\"%s\": the other end has %lld elements, and the run was saved behind %lld: it "
                  "begins anew, and leaves out those that are there",
                  x->bindings.at[i].name, (long long)has, (long long)was);
        x->saved = (wadi_state_reader){0};
    }
    return WADI_OK;
}

/* Before the first element may be seen by others. A run that begins anew, since nothing but that was saved, does so where it began. */
static wadi_status begin(wadi_checkpoint *c, wadi_error *err) {
    if (!wadi_beginning_is_needed(c->x)) return WADI_OK;
    if (c->found != NULL) {
        const wadi_state_reader from = {c->beginning.at, c->beginning.n};
        return c->x->saved.at == NULL ? wadi_beginning_go_back(c->x, from, err) : WADI_OK;
    }
    WADI_TRY(wadi_beginning_save(c->x, &c->beginning, err));
    WADI_TRY(make_front(c, err));
    return c->made.failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory")
                          : write_made(c, err);
}

wadi_status wadi_checkpoint_open(wadi_run *x, wadi_error *err) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return WADI_OK;
    WADI_TRY(wadi_kept_folder_open(x->options.state, title, &c->folder, err));
    const wadi_task before = wadi_task_begin((wadi_task){.name = "compute", .stop = &x->stop});
    wadi_status status = wadi_checkpoint_describe(x, &c->head, &c->older, err);
    if (status == WADI_OK) status = wadi_beginning_new(x, err);
    if (status == WADI_OK) status = find(c, err);
    if (status == WADI_OK) status = prepare_sinks(x, err);
    tell_sinks(c);
    if (status == WADI_OK) status = meet_sinks(c, err);
    if (status == WADI_OK) status = wadi_kept_folder_check(c->folder, err);
    if (status == WADI_OK) status = begin(c, err);
    wadi_task_end(before);
    c->last_ns = wadi_clock_ns();
    return status;
}

bool wadi_checkpoint_exists(const wadi_run *x) {
    return x->checkpoint != NULL && wadi_kept_folder_has(x->checkpoint->folder);
}

void wadi_checkpoint_close(wadi_run *x, bool well) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL || c->folder == NULL) return;
    wadi_mutex_lock(&c->lock);
    wadi_kept_folder_close(c->folder, well);
    c->folder = NULL;
    wadi_mutex_unlock(&c->lock);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "compute", .stop = &x->stop});
    for (size_t i = 0; i < x->bindings.n && well; i++) {
        wadi_source *s = x->bindings.at[i].source;
        if (s != NULL && s->ops->keep != NULL) s->ops->keep(s, (wadi_position){0}, true);
    }
    wadi_task_end(before);
}

void wadi_checkpoint_destroy(wadi_run *x) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return;
    wadi_checkpoint_close(x, false);
    wadi_text_fini(&c->head);
    wadi_text_fini(&c->beginning);
    wadi_text_fini(&c->made.text);
    wadi_vec_free(&c->made.places);
    wadi_vec_free(&c->were);
    wadi_vec_free(&c->confirmed);
    wadi_mutex_fini(&c->lock);
    free(c->found);
    free(c);
    x->checkpoint = NULL;
}
