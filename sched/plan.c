/* Plans as text for people, and as a hash. The hash covers everything that decides what a run computes: the program's
 * text, types, shapes, order and the arrays of `use`, but neither places nor versions: which of them exist depends on
 * what has been run. */
#include "sched/plan.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sched/change/change.h"

static const char *const kinds[] = {"once", "regular", "irregular"};
static const char *const ends[] = {"sink",     "elements", "tabulate",  "tabulate_min",
                                   "from_seq", "fold",     "fold_batch"};
static const char *const lasts[] = {"drop", "pad", "keep"};

static int64_t values_of(const wadi_array *a) {
    int64_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= a->shape[d];
    return n;
}

/* ---- printing ---- */

static const char *name_of(const wadi_plan *p, int slot) {
    return slot >= 0 && slot < p->nslots && p->slots[slot].name != NULL ? p->slots[slot].name : "_";
}

static void print_slots(const wadi_plan *p, int n, const int *slots, wadi_text *out) {
    for (int i = 0; i < n; i++) {
        wadi_text_addf(out, "%s%s.%d", i > 0 ? ", " : "", name_of(p, slots[i]), slots[i]);
    }
}

static void print_type(const wadi_plan_slot *s, wadi_text *out) {
    if (s->fields != 1) wadi_text_add(out, "{");
    for (int f = 0; f < s->fields; f++) {
        if (f > 0) wadi_text_add(out, ", ");
        if (s->field[f] != NULL) wadi_text_addf(out, "%s: ", s->field[f]);
        wadi_text_add(out, wadi_type_name(s->type[f]));
    }
    if (s->fields != 1) wadi_text_add(out, "}");
    if (s->rank > 0) wadi_text_addf(out, " rank %d", s->rank);
}

static void print_extents(const wadi_plan_extent *e, int rank, wadi_text *out) {
    for (int d = 0; d < rank; d++) {
        wadi_text_add(out, d == 0 ? " [" : ", ");
        if (e[d].name != NULL) {
            wadi_text_add(out, e[d].name);
        } else if (e[d].value >= 0) {
            wadi_text_addf(out, "%lld", (long long)e[d].value);
        } else {
            wadi_text_add(out, "?");
        }
    }
    if (rank > 0) wadi_text_add(out, "]");
}

static void print_control(const wadi_plan *p, const wadi_plan_step *s, wadi_text *out) {
    const wadi_plan_control *c = s->control;
    wadi_text_addf(out, " if slot %d -> ", c->predicate);
    print_slots(p, c->nvalues, c->results, out);
    for (int i = 0; i < 2; i++) {
        wadi_text_addf(out, "; part %d: %d steps, level %d", i, c->part[i].nsteps,
                       c->part[i].level);
    }
}

static void print_step(const wadi_plan *p, const wadi_plan_step *s, wadi_text *out) {
    static const char *const verbs[] = {"shape", "alloc",   "run",  "flat",  "cond",
                                        "loop",  "foreign", "many", "single"};
    wadi_text_indent(out, 1);
    if (s->level > 0) wadi_text_addf(out, "[%d] ", s->level);
    wadi_text_add(out, verbs[s->kind]);
    if (s->kernel != NULL) wadi_text_addf(out, " %s", s->kernel);
    if (s->units != NULL) wadi_text_addf(out, " over %s", s->units);
    if (s->nslots > 0) wadi_text_add(out, " -> ");
    print_slots(p, s->nslots, s->slots, out);
    if (s->control != NULL) print_control(p, s, out);
    wadi_text_add(out, s->serial ? " (serial)\n" : "\n");
}

static void print_body(const wadi_plan *p, const wadi_plan_body *b, wadi_text *out) {
    wadi_text_addf(out, "body %s -> ", b->name);
    print_slots(p, b->nresults, b->results, out);
    if (b->index_slot >= 0) wadi_text_addf(out, " from index %s", name_of(p, b->index_slot));
    wadi_text_add(out, "\n");
    wadi_text_indent(out, 1);
    wadi_text_add(out, "offered:");
    for (int k = 0; k < WADI_BODY_VERSIONS; k++) {
        const wadi_version_key v = wadi_version_numbered(k);
        if (wadi_body_offers(b, v)) wadi_text_addf(out, " %s", wadi_version_name(v));
    }
    wadi_text_add(out, "\n");
}

void wadi_plan_version_print(const wadi_plan *p, const wadi_plan_version *v, wadi_text *out) {
    for (int i = 0; i < v->nsteps; i++) print_step(p, &v->steps[i], out);
}

static void print_source(const wadi_plan *p, const wadi_plan_source *s, wadi_text *out) {
    wadi_text_indent(out, 2);
    if (s->counter) {
        wadi_text_addf(out, "count to %s\n", name_of(p, s->count_slot));
        return;
    }
    wadi_text_addf(out, "source \"%s\":", s->name);
    for (int i = 0; i < s->nslots; i++) {
        wadi_text_addf(out, "%s %s", i > 0 ? "," : "", name_of(p, s->slots[i]));
        if (s->extent != NULL) print_extents(s->extent[i], p->slots[s->slots[i]].rank, out);
    }
    wadi_text_add(out, "\n");
}

static void print_numbers(int n, const int *numbers, wadi_text *out) {
    for (int i = 0; i < n; i++) wadi_text_addf(out, "%s%d", i > 0 ? ", " : "", numbers[i]);
}

static void print_fold(const wadi_plan *p, const wadi_plan_fold *f, wadi_text *out) {
    wadi_text_addf(out, " by %s from ", p->bodies[f->body].name);
    print_slots(p, f->nstate, f->init, out);
    wadi_text_add(out, " over ");
    print_numbers(f->nparts, f->from, out);
    for (int i = 0; i < f->nstate; i++) {
        if (p->slots[f->state_in[i]].rank > 0 && f->state_out[i] == f->state_in[i])
            wadi_text_addf(out, ", state %d in place", i);
    }
}

static void print_change(const wadi_plan *p, const wadi_plan_stage *g, wadi_text *out) {
    const wadi_change_facts *about = wadi_change_about(g->change);
    wadi_text_addf(out, "%s", about->name);
    if (g->size >= 0) wadi_text_addf(out, " %s", name_of(p, g->size));
    if (g->hop >= 0) wadi_text_addf(out, " every %s", name_of(p, g->hop));
    if (g->first >= 0) wadi_text_addf(out, " from %s", name_of(p, g->first));
    if (about->lasts) wadi_text_addf(out, ", last %s", lasts[g->last]);
    if (about->tests) wadi_text_addf(out, " by %d", g->test);
    if (g->change == WADI_CHANGE_SCAN) print_fold(p, &g->scan, out);
    if (g->ninputs > 0) wadi_text_add(out, " of stage ");
    print_numbers(g->ninputs, g->inputs, out);
    if (g->nparts > 0 && g->ninputs > 0) {
        wadi_text_add(out, ": ");
        print_slots(p, g->nparts, g->parts, out);
    }
    wadi_text_add(out, "\n");
}

static void print_stage(const wadi_plan *p, int number, const wadi_plan_stage *g, wadi_text *out) {
    wadi_text_indent(out, 1);
    wadi_text_addf(out, "stage %d: ", number);
    print_change(p, g, out);
    for (int i = 0; i < g->nsources; i++) print_source(p, &g->sources[i], out);
    wadi_text_indent(out, 2);
    wadi_text_addf(out, "%s -> ", g->body >= 0 ? p->bodies[g->body].name : "unchanged");
    print_slots(p, g->nresults, g->results, out);
    wadi_text_add(out, "\n");
}

static void print_end(const wadi_plan *p, const wadi_plan_end *e, wadi_text *out) {
    wadi_text_indent(out, 1);
    wadi_text_add(out, ends[e->kind]);
    if (e->kind == WADI_END_SINK) wadi_text_addf(out, " \"%s\"", e->name);
    wadi_text_addf(out, " of stage %d", e->stage);
    if (e->kind == WADI_END_FOLD || e->kind == WADI_END_FOLD_BATCH) {
        print_fold(p, &e->fold, out);
    } else {
        wadi_text_add(out, ": ");
        print_numbers(e->nfrom, e->from, out);
    }
    if (e->kind != WADI_END_SINK) {
        wadi_text_add(out, " -> ");
        print_slots(p, e->ninto, e->into, out);
    }
    wadi_text_add(out, "\n");
}

static void print_stream(const wadi_plan *p, const wadi_plan_stream *s, wadi_text *out) {
    wadi_text_add(out, "stream\n");
    for (int i = 0; i < s->nstages; i++) print_stage(p, i, &s->stages[i], out);
    for (int i = 0; i < s->nends; i++) print_end(p, &s->ends[i], out);
}

void wadi_plan_print(const wadi_plan *p, wadi_text *out) {
    wadi_text_addf(out, "plan %s\n\n", p->name != NULL ? p->name : "");
    for (int i = 0; i < p->nslots; i++) {
        wadi_text_addf(out, "slot %s.%d: %s ", name_of(p, i), i, kinds[p->slots[i].kind]);
        print_type(&p->slots[i], out);
        wadi_text_add(out, p->slots[i].data != NULL ? " = host data\n" : "\n");
    }
    for (int i = 0; i < p->ninputs; i++) {
        wadi_text_addf(out, "input \"%s\": %s", p->inputs[i].name, name_of(p, p->inputs[i].slot));
        print_extents(p->inputs[i].extent, p->slots[p->inputs[i].slot].rank, out);
        wadi_text_add(out, "\n");
    }
    for (int i = 0; i < p->nbodies; i++) {
        wadi_text_add(out, "\n");
        print_body(p, &p->bodies[i], out);
    }
    for (int i = 0; i < p->nphases; i++) {
        wadi_text_addf(out, "\nphase %d: ", i);
        if (p->phases[i].is_stream) {
            print_stream(p, &p->phases[i].stream, out);
        } else {
            wadi_text_addf(out, "%s\n", p->bodies[p->phases[i].body].name);
        }
    }
    if (p->noutputs > 0) wadi_text_add(out, "\n");
    for (int i = 0; i < p->noutputs; i++) {
        wadi_text_addf(out, "output \"%s\" = %s.%d\n", p->outputs[i].name,
                       name_of(p, p->outputs[i].slot), p->outputs[i].slot);
    }
}

/* ---- hashing: everything is written to one text, each number followed by a space, each string by its length ---- */

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
    add_list(t, slots_of_part * f->nparts, f->parts);
    add_list(t, f->nparts, f->from);
}

static void add_stage(wadi_text *t, const wadi_plan *p, const wadi_plan_stage *g) {
    add_number(t, g->change);
    add_number(t, g->nsources);
    for (int i = 0; i < g->nsources; i++) add_source(t, p, &g->sources[i]);
    add_list(t, g->ninputs, g->inputs);
    add_list(t, g->nparts, g->parts);
    add_list(t, g->change == WADI_CHANGE_READ ? 0 : g->nparts, g->from);
    add_number(t, g->first);
    add_number(t, g->size);
    add_number(t, g->hop);
    add_number(t, g->last);
    add_number(t, g->test);
    if (g->change == WADI_CHANGE_SCAN) add_fold(t, &g->scan, 1);
    add_number(t, g->body);
    add_list(t, g->nresults, g->results);
}

static void add_end(wadi_text *t, const wadi_plan_end *e) {
    add_number(t, e->kind);
    add_number(t, e->stage);
    add_string(t, e->kind == WADI_END_SINK ? e->name : NULL);
    add_list(t, e->nfrom, e->from);
    add_list(t, e->ninto, e->into);
    if (e->kind == WADI_END_FOLD) add_fold(t, &e->fold, 1);
    if (e->kind == WADI_END_FOLD_BATCH) add_fold(t, &e->fold, 2);
}

static void add_stream(wadi_text *t, const wadi_plan *p, const wadi_plan_stream *s) {
    add_number(t, s->nstages);
    for (int i = 0; i < s->nstages; i++) add_stage(t, p, &s->stages[i]);
    add_number(t, s->nends);
    for (int i = 0; i < s->nends; i++) add_end(t, &s->ends[i]);
}

void wadi_plan_hash(const wadi_plan *p, uint8_t out[32]) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add_n(&t, (const char *)p->program, sizeof p->program);
    add_number(&t, p->nslots);
    for (int i = 0; i < p->nslots; i++) add_slot(&t, &p->slots[i]);
    add_number(&t, p->ninputs);
    for (int i = 0; i < p->ninputs; i++) {
        add_string(&t, p->inputs[i].name);
        add_number(&t, p->inputs[i].slot);
        add_extents(&t, p->inputs[i].extent, p->slots[p->inputs[i].slot].rank);
    }
    add_number(&t, p->noutputs);
    for (int i = 0; i < p->noutputs; i++) {
        add_string(&t, p->outputs[i].name);
        add_number(&t, p->outputs[i].slot);
    }
    add_number(&t, p->nbodies);
    for (int i = 0; i < p->nbodies; i++) {
        const wadi_plan_body *b = &p->bodies[i];
        add_number(&t, b->index_slot);
        add_list(&t, b->nresults, b->results);
        for (int k = 0; k < WADI_BODY_VERSIONS; k++)
            add_number(&t, wadi_body_offers(b, wadi_version_numbered(k)));
    }
    add_number(&t, p->nphases);
    for (int i = 0; i < p->nphases; i++) {
        add_number(&t, p->phases[i].is_stream);
        if (p->phases[i].is_stream) {
            add_stream(&t, p, &p->phases[i].stream);
        } else {
            add_number(&t, p->phases[i].body);
        }
    }
    memset(out, 0, 32); /* all zero only when memory or the digest is missing */
    if (t.failed || wadi_blake2b(t.at, t.n, out) != WADI_OK) memset(out, 0, 32);
    wadi_text_fini(&t);
}
