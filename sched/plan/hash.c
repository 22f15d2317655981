/* The identity of a plan: a hash of everything that determines what a run computes. That is the program's text, types, shapes, order and
 * the arrays of `use`. Names of slots, places and versions are not in it; which versions exist depends on what has been run.
 *
 * Everything is written to one text, each number followed by a space, each string by its length. */
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sched/change/change.h"
#include "sched/plan.h"
#include "sched/plan/words.h"

static int64_t values_of(const wadi_array *a) {
    int64_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= a->shape[d];
    return n;
}

static void add_number(wadi_text *t, int64_t n) {
    wadi_text_addf(t, "%lld ", (long long)n);
}

static void add_bytes(wadi_text *t, const void *data, size_t n) {
    add_number(t, (int64_t)n);
    wadi_text_add_n(t, data, n);
}

static void add_string(wadi_text *t, const char *s) {
    if (s == NULL) {
        add_number(t, -1);
    } else {
        add_bytes(t, s, strlen(s));
    }
}

static void add_list(wadi_text *t, int n, const int *numbers) {
    add_number(t, n);
    for (int i = 0; i < n; i++) add_number(t, numbers[i]);
}

static void add_extents(wadi_text *t, const wadi_plan_extent *e, int rank) {
    for (int d = 0; d < rank; d++) {
        add_number(t, e[d].value);
        add_string(t, e[d].name);
    }
}

static void add_slot(wadi_text *t, const wadi_plan_slot *s) {
    add_number(t, s->kind);
    add_number(t, s->rank);
    add_number(t, s->fields);
    for (int f = 0; f < s->fields; f++) add_number(t, s->type[f]);
    add_number(t, s->data != NULL);
    if (s->data == NULL) return;
    for (int d = 0; d < s->rank; d++) add_number(t, s->data->shape[d]);
    for (int f = 0; f < s->fields; f++) {
        const int64_t bytes = values_of(s->data) * wadi_type_size(s->type[f]);
        if (bytes > 0) add_bytes(t, s->data->column[f], (size_t)bytes);
    }
}

static void add_source(wadi_text *t, const wadi_plan *p, const wadi_plan_source *from) {
    add_number(t, from->counter);
    if (from->counter) {
        add_number(t, from->count_slot);
        return;
    }
    add_string(t, from->name);
    add_list(t, from->nslots, from->slots);
    for (int k = 0; from->extent != NULL && k < from->nslots; k++) {
        add_extents(t, from->extent[k], p->slots[from->slots[k]].rank);
    }
}

static void add_fold(wadi_text *t, const wadi_plan_fold *f, int slots_of_part) {
    add_number(t, f->body);
    add_list(t, f->nstate, f->init);
    add_list(t, f->nstate, f->state_in);
    add_number(t, f->carried);
    add_list(t, f->nstate, f->state_out);
    for (int i = 0; i < f->nstate; i++) add_number(t, f->take != NULL && f->take[i]);
    if (f->after != NULL) add_list(t, f->nstate, f->after);
    if (f->keyed) add_number(t, f->carried ? f->number : -1);
    add_list(t, slots_of_part * f->nparts, f->parts);
    add_list(t, f->nparts, f->from);
}

static void add_stage(wadi_text *t, const wadi_plan *p, const wadi_plan_stage *g) {
    const wadi_change_facts *about = wadi_change_about(g->change);
    add_number(t, g->change);
    add_number(t, g->nsources);
    for (int i = 0; i < g->nsources; i++) add_source(t, p, &g->sources[i]);
    add_list(t, g->ninputs, g->inputs);
    add_list(t, g->nparts, g->parts);
    add_list(t, about->reads ? 0 : g->nparts, g->from);
    add_number(t, g->first);
    add_number(t, g->size);
    add_number(t, g->hop);
    add_number(t, g->last);
    add_number(t, g->test);
    if (about->folds) add_fold(t, &g->scan, 1);
    add_number(t, g->body);
    add_list(t, g->nresults, g->results);
}

static void add_end(wadi_text *t, const wadi_plan_end *e) {
    add_number(t, e->unordered ? -1 : (int64_t)e->kind);
    add_number(t, e->stage);
    add_string(t, e->kind == WADI_END_SINK ? e->name : NULL);
    add_list(t, e->nfrom, e->from);
    add_list(t, e->ninto, e->into);
    const int slots = wadi_plan_fold_slots(e->kind);
    if (slots > 0) add_fold(t, &e->fold, slots);
}

static void add_stream(wadi_text *t, const wadi_plan *p, const wadi_plan_stream *s) {
    add_number(t, s->nstages);
    for (int i = 0; i < s->nstages; i++) add_stage(t, p, &s->stages[i]);
    add_number(t, s->nends);
    for (int i = 0; i < s->nends; i++) add_end(t, &s->ends[i]);
}

static void add_layout(wadi_text *t, const wadi_plan *p) {
    add_number(t, p->nslots);
    for (int i = 0; i < p->nslots; i++) add_slot(t, &p->slots[i]);
    add_number(t, p->ninputs);
    for (int i = 0; i < p->ninputs; i++) {
        add_string(t, p->inputs[i].name);
        add_number(t, p->inputs[i].slot);
        add_extents(t, p->inputs[i].extent, p->slots[p->inputs[i].slot].rank);
    }
    add_number(t, p->noutputs);
    for (int i = 0; i < p->noutputs; i++) {
        add_string(t, p->outputs[i].name);
        add_number(t, p->outputs[i].slot);
    }
    add_number(t, p->nbodies);
    for (int i = 0; i < p->nbodies; i++) {
        const wadi_plan_body *b = &p->bodies[i];
        add_number(t, b->index_slot);
        add_list(t, b->nresults, b->results);
        for (int k = 0; k < WADI_BODY_VERSIONS; k++)
            add_number(t, wadi_body_offers(b, wadi_version_numbered(k)));
    }
    add_number(t, p->nphases);
    for (int i = 0; i < p->nphases; i++) {
        add_number(t, p->phases[i].is_stream);
        if (p->phases[i].is_stream) {
            add_stream(t, p, &p->phases[i].stream);
        } else {
            add_number(t, p->phases[i].body);
        }
    }
}

/* Takes over the text. The digest stays zero only if memory or the algorithm is missing. */
static void digest(wadi_text *owned_t, uint8_t out[32]) {
    if (owned_t->failed || wadi_blake2b(owned_t->at, owned_t->n, out) != WADI_OK)
        memset(out, 0, 32);
    wadi_text_fini(owned_t);
}

void wadi_plan_hash(const wadi_plan *p, uint8_t out[32]) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add_n(&t, (const char *)p->program, sizeof p->program);
    add_layout(&t, p);
    digest(&t, out);
}

void wadi_plan_layout_hash(const wadi_plan *p, uint8_t out[32]) {
    wadi_text t;
    wadi_text_init(&t);
    add_layout(&t, p);
    digest(&t, out);
}
