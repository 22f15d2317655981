/* The rules that a run follows (sched/run/team.c, member.c, fold.c), one line for each array. */
#include "sched/lives.h"

#include <string.h>

#include "sched/change/change.h"
#include "sched/copies.h"

/* ---- what an array is ---- */

static bool has(const int *slots, int n, int slot) {
    for (int i = 0; i < n; i++)
        if (slots[i] == slot) return true;
    return false;
}

static bool is_given(const wadi_plan *p, int slot) {
    for (int i = 0; i < p->ninputs; i++)
        if (p->inputs[i].slot == slot) return true;
    return p->slots[slot].data != NULL;
}

static bool is_result(const wadi_plan *p, int slot) {
    for (int i = 0; i < p->noutputs; i++)
        if (p->outputs[i].slot == slot) return true;
    return false;
}

static bool is_state(const wadi_plan *p, int slot) {
    for (int i = 0; i < p->nphases; i++)
        if (p->phases[i].is_stream && wadi_plan_stream_keeps(&p->phases[i].stream, slot))
            return true;
    return false;
}

/* Whether a fold, if there is one, reads it. */
static bool is_folded(const wadi_plan_fold *f, int per, int slot) {
    return f != NULL && has(f->parts, per * f->nparts, slot);
}

/* What is known of an array of a chunk. */
typedef struct role {
    bool read, changed, folded, made; /* by a source; by a change; for a fold; by a body */
    int phase, stage;                 /* that reads or makes it */
} role;

static void note_stage(const wadi_plan_stage *g, int slot, role *r) {
    for (int i = 0; i < g->nsources; i++)
        r->read = r->read ||
                  (!g->sources[i].counter && has(g->sources[i].slots, g->sources[i].nslots, slot));
    r->changed =
        r->changed || (!wadi_change_about(g->change)->reads && has(g->parts, g->nparts, slot));
    r->folded = r->folded || is_folded(wadi_plan_stage_fold(g), 1, slot);
    r->made = r->made || (g->body >= 0 && has(g->results, g->nresults, slot));
}

static role role_of(const wadi_plan *p, int slot) {
    role r = {.phase = -1, .stage = -1};
    for (int i = 0; i < p->nphases; i++) {
        const wadi_plan_stream *s = &p->phases[i].stream;
        for (int g = 0; p->phases[i].is_stream && g < s->nstages; g++) {
            role here = {.phase = i, .stage = g};
            note_stage(&s->stages[g], slot, &here);
            if (!r.read && !r.changed && !r.folded && !r.made) r = here;
        }
        for (int e = 0; p->phases[i].is_stream && e < s->nends; e++)
            r.folded = r.folded || is_folded(wadi_plan_end_fold(&s->ends[e]),
                                             wadi_plan_fold_slots(s->ends[e].kind), slot);
    }
    return r;
}

/* ---- where it lives ---- */

/* -1: there is none. */
static int last_stream(const wadi_plan *p) {
    int last = -1;
    for (int i = 0; i < p->nphases; i++)
        if (p->phases[i].is_stream) last = i;
    return last;
}

/* The phase that gives a ONCE array; -1: it is there before. */
static int made_in(const wadi_plan *p, int slot) {
    if (is_given(p, slot)) return -1;
    for (int i = 0; i < p->nphases; i++) {
        const wadi_plan_phase *f = &p->phases[i];
        if (!f->is_stream && has(p->bodies[f->body].results, p->bodies[f->body].nresults, slot))
            return i;
        for (int e = 0; f->is_stream && e < f->stream.nends; e++)
            if (has(f->stream.ends[e].into, f->stream.ends[e].ninto, slot)) return i;
    }
    return p->nphases;
}

static void print_once(const wadi_plan *p, int slot, bool several, wadi_text *out) {
    const bool shared = several && last_stream(p) > made_in(p, slot);
    if (is_state(p, slot))
        wadi_text_add(out, "the home, as a state from element to element");
    else if (is_given(p, slot))
        wadi_text_addf(out, "the host; a copy at the home%s",
                       shared ? ", and at each device that shares a stream" : "");
    else
        wadi_text_addf(out, "the home, where it is computed%s%s",
                       shared ? "; a copy at each device that shares a stream after it" : "",
                       is_result(p, slot) ? "; at the end the host" : "");
}

static void print_of_chunk(const role *r, wadi_text *out) {
    if (r->read)
        wadi_text_addf(
            out,
            "the host, as it was read; a copy of its elements where stage %d of phase %d "
            "is computed",
            r->stage, r->phase);
    else if (r->changed)
        wadi_text_addf(out,
                       "the host, where it was changed; a copy of its elements where stage %d of "
                       "phase %d is computed",
                       r->stage, r->phase);
    else if (r->folded)
        wadi_text_add(out, "the home, where it is folded");
    else if (r->made)
        wadi_text_addf(out,
                       "where stage %d of phase %d is computed; if that is not the home, then the "
                       "host",
                       r->stage, r->phase);
    else
        wadi_text_add(out, "where its chunk is computed");
}

static void print_life(const wadi_plan *p, int slot, bool several, wadi_text *out) {
    wadi_text_add(out, "    ");
    wadi_copies_print_slot(p, slot, out);
    wadi_text_add(out, ": ");
    if (p->slots[slot].kind == WADI_SLOT_ONCE) {
        print_once(p, slot, several, out);
    } else {
        const role r = role_of(p, slot);
        print_of_chunk(&r, out);
    }
    wadi_text_add(out, "\n");
}

/* ---- what is shared ---- */

static void print_names(const wadi_lives_device *d, int n, const char *last, wadi_text *out) {
    for (int i = 0; i < n; i++)
        wadi_text_addf(out, "%s%s", i == 0 ? "" : i + 1 == n ? last : ", ", d[i].name);
}

static void print_slots(const wadi_plan *p, const char *when, const int *slots, int n,
                        wadi_text *out) {
    for (int i = 0; i < n; i++) {
        if (has(slots, i, slots[i])) continue;
        wadi_text_addf(out, "        %s: ", when);
        wadi_copies_print_slot(p, slots[i], out);
        wadi_text_add(out, "\n");
    }
}

/* What another device than the home is sent for a stage that it shares, and what it gives. */
static void print_stage(const wadi_plan *p, int phase, int stage, const wadi_lives_device *d, int n,
                        wadi_text *out) {
    const wadi_plan_stage *g = &p->phases[phase].stream.stages[stage];
    wadi_text_addf(out, "    stage %d of phase %d, among ", stage, phase);
    print_names(d, n, " and ", out);
    wadi_text_add(out, "; to another than the home\n");
    for (int i = 0; i < g->nsources; i++)
        if (!g->sources[i].counter)
            print_slots(p, "with its elements", g->sources[i].slots, g->sources[i].nslots, out);
    if (!wadi_change_about(g->change)->reads)
        print_slots(p, "with its elements", g->parts, g->nparts, out);
    print_slots(p, "back with its elements", g->results, g->nresults, out);
}

/* What each device that shares a stream is sent when it is opened. */
static void print_once_copies(const wadi_plan *p, int phase, wadi_text *out) {
    for (int i = 0; i < p->nslots; i++)
        if (p->slots[i].kind == WADI_SLOT_ONCE && !is_state(p, i) && made_in(p, i) < phase)
            print_slots(p, "once, when it is opened", &i, 1, out);
}

static void print_stream(const wadi_plan *p, int phase, const wadi_lives_device *d, int n,
                         wadi_text *out) {
    const wadi_plan_stream *s = &p->phases[phase].stream;
    bool any = false;
    for (int g = 0; g < s->nstages; g++) {
        if (s->stages[g].body < 0) continue;
        print_stage(p, phase, g, d, n, out);
        any = true;
    }
    if (any) print_once_copies(p, phase, out);
    if (!any) wadi_text_addf(out, "    of phase %d nothing: no stage computes\n", phase);
}

static void print_shared(const wadi_plan *p, const wadi_lives_device *d, int n, wadi_text *out) {
    wadi_text_add(out, "what is shared: the body of one stage of a stream, the one that takes the "
                       "most time; its chunks go to whoever is free\n");
    for (int i = 0; i < p->nphases; i++)
        if (p->phases[i].is_stream) print_stream(p, i, d, n, out);
    if (last_stream(p) < 0) wadi_text_add(out, "    nothing: there is no stream\n");
}

/* Those that compute with the same processors as one before them. */
static void print_idle(const wadi_lives_device *d, int n, wadi_text *out) {
    for (int i = 0; i < n; i++)
        if (d[i].idle)
            wadi_text_addf(out,
                           "    %s has the same processors as one before it: it computes only if "
                           "that is lost\n",
                           d[i].name);
}

void wadi_lives_print(const wadi_plan *p, const wadi_lives_device *d, int n, wadi_text *out) {
    wadi_lives_device at_work[WADI_LIVES_MOST] = {0};
    int m = 0;
    for (int i = 0; i < n; i++)
        if (!d[i].idle) at_work[m++] = d[i];
    if (m == 0) return;
    wadi_text_add(
        out,
        "who is home, and so does all that has an order (whole arrays, changes, folds, ends)\n");
    wadi_text_addf(out, "    %s, the first", at_work[0].name);
    if (m > 1) {
        wadi_text_add(out, ", until whole runs have shown that it is slower than ");
        print_names(at_work + 1, m - 1, " or ", out);
        wadi_text_add(out, "; `wadi run --stats` says which it was, and why");
    }
    wadi_text_add(out, "\n");
    print_idle(d, n, out);
    wadi_text_add(
        out,
        "where arrays live (a copy at a device without memory of its own is the array itself)\n");
    for (int i = 0; i < p->nslots; i++) print_life(p, i, m > 1, out);
    if (m > 1) print_shared(p, at_work, m, out);
}
