/* Who waits is known from the links and from the register of waits (base/wait.h). The cause is whoever waits for nobody in the run: it is looked for
 * from the ends of the stream towards its sources, because what waits for room waits for those behind it. */
#include "sched/watch/why.h"

#include <string.h>

#include "sched/watch/words.h"

static const double LONG_S = 1; /* a shorter wait is part of going on */

static const wadi_view_node *node(const wadi_view *v, int i) {
    return &v->nodes.at[i];
}

/* The wait of `owner` that is about `name`, or the longest other one: what it waits for itself. NULL: there is none. */
static const wadi_wait_seen *find_wait(const wadi_view *v, const char *owner, const char *name,
                                       bool other) {
    const wadi_wait_seen *best = NULL;
    for (int i = 0; i < v->nwaits; i++) {
        const wadi_wait_seen *w = &v->waits[i];
        if (strcmp(w->owner, owner) != 0 || (strcmp(w->name, name) == 0) == other) continue;
        if (best == NULL || w->ns > best->ns) best = w;
    }
    return best;
}

static void name_node(const wadi_view_node *n, wadi_text *out) {
    wadi_text_addf(out, "the %s \"",
                   n->kind == WADI_VIEW_END ? "sink" : wadi_view_kind_name(n->kind));
    wadi_watch_plain(out, n->name);
    wadi_text_addf(out, "\" (%s)", n->what);
}

static void tell_amount(const wadi_view_node *n, wadi_text *out) {
    wadi_text_addf(out, "%s in %s elements", wadi_watch_bytes((double)n->bytes).at,
                   wadi_watch_count((double)(n->elements - n->began)).at);
    if (n->total >= 0)
        wadi_text_addf(out, ", up to element %lld of %lld", (long long)n->elements,
                       (long long)n->total);
}

/* "it waits for bytes (in.raw)" */
static void tell_detail(const wadi_wait_seen *w, wadi_text *out) {
    if (w == NULL || w->works) return;
    wadi_text_addf(out, "; it waits for %s", w->what);
    if (w->name[0] == '\0') return;
    wadi_text_add(out, " (");
    wadi_watch_plain(out, w->name);
    wadi_text_add(out, ")");
}

/* ---- causes, each told by a function that returns whether it is so ---- */

static bool tell_state(const wadi_view *v, wadi_text *out) {
    if (v->state == WADI_VIEW_OVER)
        wadi_text_add(out, "the run is over");
    else if (v->id == 0)
        wadi_text_add(out, "the run has not begun");
    else if (v->state == WADI_VIEW_PAUSED)
        wadi_text_add(out, "the run is paused, until somebody lets it go on");
    else
        return false;
    return true;
}

/* Something slow that is no stream: compilers, other threads that compile, devices. */
static bool tell_wait_of(const wadi_view *v, const char *owner, wadi_text *out) {
    for (int i = 0; i < v->nwaits; i++) {
        const wadi_wait_seen *w = &v->waits[i];
        const bool of_link = strcmp(w->what, "chunk") == 0 ||
                             strcmp(w->what, "room for chunk") == 0 ||
                             strcmp(w->what, "confirmation of chunks below") == 0;
        if (strcmp(w->owner, owner) != 0 || w->works || of_link || (double)w->ns < LONG_S * 1e9)
            continue;
        wadi_text_addf(out, "%s waits for %s", owner, w->what);
        if (w->name[0] != '\0') {
            wadi_text_add(out, " (");
            wadi_watch_plain(out, w->name);
            wadi_text_add(out, ")");
        }
        wadi_text_addf(out, ", for %s", wadi_watch_seconds((double)w->ns / 1e9).at);
        return true;
    }
    return false;
}

static bool tell_sink(const wadi_view *v, wadi_text *out) {
    for (size_t i = 0; i < v->edges.n; i++) {
        const wadi_view_edge *e = &v->edges.at[i];
        const wadi_view_node *n = node(v, e->to);
        if (n->kind != WADI_VIEW_END || (double)e->from_ns < LONG_S * 1e9) continue;
        const wadi_wait_seen *at_it = find_wait(v, "sink", n->name, false);
        wadi_text_add(out, "compute waits for ");
        name_node(n, out);
        wadi_text_add(out, ", which has taken ");
        tell_amount(n, out);
        if (at_it != NULL && at_it->works)
            wadi_text_addf(out, " and has been at work on %s %lld for %s", at_it->what,
                           (long long)at_it->number,
                           wadi_watch_seconds((double)at_it->ns / 1e9).at);
        tell_detail(find_wait(v, "sink", n->name, true), out);
        return true;
    }
    return false;
}

static const wadi_wait_seen *find_what(const wadi_view *v, const char *owner, const char *what) {
    for (int i = 0; i < v->nwaits; i++)
        if (strcmp(v->waits[i].owner, owner) == 0 && strcmp(v->waits[i].what, what) == 0)
            return &v->waits[i];
    return NULL;
}

static void put_workers(int n, wadi_text *out) {
    wadi_text_addf(out, "%d worker%s", n, n == 1 ? "" : "s");
}

static void tell_coming(const wadi_view_elsewhere *e, const wadi_wait_seen *w, wadi_text *out) {
    wadi_text_add(out, "compute waits for ");
    put_workers(e->wanted, out);
    wadi_text_add(out, " to come to ");
    wadi_watch_plain(out, e->address);
    wadi_text_addf(out, ", for %s; %d %s there", wadi_watch_seconds((double)w->ns / 1e9).at,
                   e->workers, e->workers == 1 ? "is" : "are");
}

/* Waits for answers are part of going on where workers do the work: also a short one says who sets the pace. */
static void tell_answers(const wadi_view_elsewhere *e, const wadi_wait_seen *w, wadi_text *out) {
    wadi_text_add(out, "compute waits for ");
    put_workers(e->workers, out);
    wadi_text_addf(out, " elsewhere, which %s %lld item%s", e->workers == 1 ? "has" : "have",
                   (long long)e->items, e->items == 1 ? "" : "s");
    if (e->items > 0) wadi_text_addf(out, " (%s)", wadi_watch_bytes((double)e->bytes).at);
    if ((double)w->ns >= LONG_S * 1e9)
        wadi_text_addf(out, "; the next in turn has not come for %s",
                       wadi_watch_seconds((double)w->ns / 1e9).at);
    else
        wadi_text_addf(out, "; %s answers/s come", wadi_watch_count(e->per_second).at);
}

/* A server that takes no items, so that workers have nothing to do. */
static void tell_stuck(const wadi_view_elsewhere *e, wadi_text *out) {
    wadi_text_add(out, "the server of ");
    wadi_watch_plain(out, e->address);
    wadi_text_addf(out, e->away ? " has been away for %s" : " has taken nothing for %s",
                   wadi_watch_seconds((double)e->stuck_ns / 1e9).at);
    if (e->said[0] != '\0') {
        wadi_text_add(out, " (");
        wadi_watch_plain(out, e->said);
        wadi_text_add(out, ")");
    }
    wadi_text_addf(out, ", and %lld item%s for it", (long long)e->stuck,
                   e->stuck == 1 ? " waits" : "s wait");
}

static bool tell_elsewhere(const wadi_view *v, wadi_text *out) {
    const wadi_view_elsewhere *e = &v->elsewhere;
    const wadi_wait_seen *coming = find_what(v, "compute", "worker"),
                         *answer = find_what(v, "compute", "elements from a worker");
    if (!e->used) return false;
    if (!e->lost && e->stuck > 0 && (double)e->stuck_ns >= LONG_S * 1e9)
        tell_stuck(e, out);
    else if (e->held && e->unsent > 0)
        wadi_text_addf(out,
                       "no items go to workers elsewhere until `wadi job resume`, and %lld "
                       "wait%s here",
                       (long long)e->unsent, e->unsent == 1 ? "s" : "");
    else if (coming != NULL)
        tell_coming(e, coming, out);
    else if (answer != NULL)
        tell_answers(e, answer, out);
    else
        return false;
    return true;
}

/* Why home computes what is for workers. */
static void tell_alone(const wadi_view *v, wadi_text *out) {
    const wadi_view_elsewhere *e = &v->elsewhere;
    if (!e->used || v->nodes.n == 0 || (e->workers > 0 && !e->lost)) return;
    wadi_text_add(out, e->lost ? "; workers at " : "; no worker is at ");
    wadi_watch_plain(out, e->address);
    wadi_text_add(out, e->lost ? " get nothing any more, and all is computed here"
                               : ", and all is computed here");
}

static bool tell_source(const wadi_view *v, wadi_text *out) {
    for (size_t i = 0; i < v->edges.n; i++) {
        const wadi_view_edge *e = &v->edges.at[i];
        const wadi_view_node *n = node(v, e->from);
        if (n->kind != WADI_VIEW_SOURCE || (double)e->to_ns < LONG_S * 1e9) continue;
        const wadi_wait_seen *reads = find_wait(v, "source", n->name, false);
        if (reads == NULL && v->edges.n > 1)
            continue; /* another source of the same stage is read */
        const double s = (double)(reads != NULL ? reads->ns : e->to_ns) / 1e9;
        wadi_text_add(out, "compute waits for ");
        name_node(n, out);
        wadi_text_add(out, ", which has read ");
        tell_amount(n, out);
        wadi_text_addf(out, "; nothing has come for %s", wadi_watch_seconds(s).at);
        tell_detail(find_wait(v, "source", n->name, true), out);
        return true;
    }
    return false;
}

/* Nobody stands still: who is busiest? */
static void tell_pace(const wadi_view *v, wadi_text *out) {
    const wadi_run_stats *s = &v->stats;
    const struct {
        const char *who;
        double busy_s;
    } of[] = {{"reading", s->source_s},
              {"computing", s->compute_s},
              {"computing apart", s->apart_s},
              {"writing", s->sink_s}};
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (of[i].busy_s > of[most].busy_s) most = i;
    if (!(s->elapsed_s > 0) || !(of[most].busy_s > 0)) {
        wadi_text_add(out, "nobody waits: the program computes outside of its streams");
        return;
    }
    wadi_text_addf(out, "nothing stands still: %s sets the pace, at %.0f %% of the time",
                   of[most].who, 100 * of[most].busy_s / s->elapsed_s);
    for (int i = 0; i < 4; i++)
        if (i != most && of[i].busy_s > 0)
            wadi_text_addf(out, ", %s %.0f %%", of[i].who, 100 * of[i].busy_s / s->elapsed_s);
}

void wadi_watch_why(const wadi_view *v, wadi_text *out) {
    if (tell_state(v, out)) return;
    if (v->state == WADI_VIEW_DRAINS) wadi_text_add(out, "the run is being saved, and will end; ");
    if (tell_sink(v, out) || tell_elsewhere(v, out) || tell_wait_of(v, "compute", out) ||
        tell_wait_of(v, "apart", out) || tell_source(v, out))
        return;
    tell_pace(v, out);
    tell_alone(v, out);
}
