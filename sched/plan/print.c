/* Plans as text: for people, and for wadi_plan_read, which makes the same plan from it. read.c shows the lines of the text and their
 * order. The steps of a version are printed only for people. */
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sched/change/change.h"
#include "sched/plan.h"
#include "sched/plan/words.h"

enum { FEW = 16 }; /* values that are shown whatever they are for */

/* ---- names and lists ---- */

static const char *name_of(const wadi_plan *p, int slot) {
    return slot >= 0 && slot < p->nslots ? p->slots[slot].name : NULL;
}

static void print_slot(const wadi_plan *p, int slot, wadi_text *out) {
    wadi_plan_name_print(name_of(p, slot), out);
    wadi_text_addf(out, ".%d", slot);
}

static void print_slots(const wadi_plan *p, int n, const int *slots, wadi_text *out) {
    for (int i = 0; i < n; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        print_slot(p, slots[i], out);
    }
}

static void print_numbers(int n, const int *numbers, wadi_text *out) {
    for (int i = 0; i < n; i++) wadi_text_addf(out, "%s%d", i > 0 ? ", " : "", numbers[i]);
}

/* ---- arrays ---- */

static void print_type(const wadi_plan_slot *s, wadi_text *out) {
    if (s->fields != 1) wadi_text_add(out, "{");
    for (int f = 0; f < s->fields; f++) {
        if (f > 0) wadi_text_add(out, ", ");
        if (s->field[f] != NULL) {
            wadi_plan_name_print(s->field[f], out);
            wadi_text_add(out, ": ");
        }
        wadi_text_add(out, wadi_type_name(s->type[f]));
    }
    if (s->fields != 1) wadi_text_add(out, "}");
    if (s->rank > 0) wadi_text_addf(out, " rank %d", s->rank);
    if (s->level > 0) wadi_text_addf(out, " level %d", s->level);
}

/* The shape, unless the rank is 0, and the values of each field: "[..]" where there are more than `most`. */
static void print_data(const wadi_array *a, int64_t most, wadi_text *out) {
    const int64_t n = wadi_shape_values(a->rank, a->shape);
    wadi_text_add(out, " =");
    for (int d = 0; d < a->rank; d++)
        wadi_text_addf(out, "%s%lld%s", d == 0 ? " [" : ", ", (long long)a->shape[d],
                       d + 1 == a->rank ? "]" : "");
    for (int f = 0; f < a->fields; f++) {
        const int64_t size = wadi_type_size(a->type[f]);
        wadi_text_add(out, n > most ? " [.." : " [");
        for (int64_t i = 0; i < n && n <= most; i++) {
            if (i > 0) wadi_text_add(out, ", ");
            wadi_plan_value_print(a->type[f], (const char *)a->column[f] + i * size, out);
        }
        wadi_text_add(out, "]");
    }
}

static void print_extents(const wadi_plan_extent *e, int rank, wadi_text *out) {
    for (int d = 0; d < rank; d++) {
        wadi_text_add(out, d == 0 ? " [" : ", ");
        if (e[d].name != NULL) {
            wadi_plan_name_print(e[d].name, out);
        } else if (e[d].value >= 0) {
            wadi_text_addf(out, "%lld", (long long)e[d].value);
        } else {
            wadi_text_add(out, "?");
        }
    }
    if (rank > 0) wadi_text_add(out, "]");
}

/* ---- versions ---- */

static void print_control(const wadi_plan *p, const wadi_plan_step *s, wadi_text *out) {
    const wadi_plan_control *c = s->control;
    wadi_text_addf(out, " if slot %d -> ", c->predicate);
    print_slots(p, c->nvalues, c->results, out);
    for (int i = 0; i < 2; i++) {
        wadi_text_addf(out, "; part %d: %d steps, level %d", i, c->part[i].nsteps,
                       c->part[i].level);
    }
    if (c->turns != NULL)
        wadi_text_addf(out, "; turns of slot %d in strips of rows, %d more on both sides",
                       c->state[c->turns->value], c->turns->reach);
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
    if (s->strips > 0)
        wadi_text_addf(out, ", not where the %d flat steps below run in strips", s->strips);
    if (s->halo > 0) wadi_text_addf(out, ", %d more on both sides", s->halo);
    wadi_text_add(out, s->serial ? " (serial)\n" : "\n");
}

void wadi_plan_version_print(const wadi_plan *p, const wadi_plan_version *v, wadi_text *out) {
    for (int i = 0; i < v->nsteps; i++) print_step(p, &v->steps[i], out);
}

/* ---- bodies ---- */

/* A name that could be taken for a word of the text is quoted. */
static void print_body_name(const wadi_plan *p, int body, wadi_text *out) {
    const char *name = p->bodies[body].name;
    if (name != NULL && (strcmp(name, "stream") == 0 || strcmp(name, "unchanged") == 0))
        wadi_plan_string_print(name, out);
    else
        wadi_plan_name_print(name, out);
}

static void print_inner(const wadi_plan *p, const wadi_plan_body *b, wadi_text *out) {
    bool any = false;
    for (int i = 0; b->inner != NULL && i < b->nresults; i++) {
        if (!b->inner[i]) continue;
        wadi_text_add(out, any ? ", " : "\n    inner: ");
        print_slot(p, b->results[i], out);
        any = true;
    }
}

static void print_reads(const wadi_plan *p, const wadi_plan_body *b, wadi_text *out) {
    if (b->nreads == 0) return;
    wadi_text_add(out, "\n    reads: ");
    print_slots(p, b->nreads, b->reads, out);
}

static void print_body(const wadi_plan *p, const wadi_plan_body *b, wadi_text *out) {
    wadi_text_add(out, "\nbody ");
    wadi_plan_name_print(b->name, out);
    wadi_text_add(out, " -> ");
    print_slots(p, b->nresults, b->results, out);
    if (b->index_slot >= 0) {
        wadi_text_add(out, " from index ");
        print_slot(p, b->index_slot, out);
    }
    if (b->rank0) wadi_text_add(out, ", of scalars");
    if (b->lifted) wadi_text_add(out, ", made for chunks");
    print_inner(p, b, out);
    print_reads(p, b, out);
    wadi_text_add(out, "\n    offered:");
    for (int k = 0; k < WADI_BODY_VERSIONS; k++) {
        const wadi_version_key v = wadi_version_numbered(k);
        if (wadi_body_offers(b, v)) wadi_text_addf(out, " %s", wadi_version_name(v));
    }
    wadi_text_add(out, "\n");
}

/* ---- streams ---- */

static void print_source(const wadi_plan *p, const wadi_plan_source *s, wadi_text *out) {
    wadi_text_indent(out, 2);
    if (s->counter) {
        wadi_text_add(out, "count to ");
        print_slot(p, s->count_slot, out);
    } else {
        wadi_text_add(out, "source ");
        wadi_plan_string_print(s->name, out);
        wadi_text_add(out, ":");
    }
    for (int i = 0; !s->counter && i < s->nslots; i++) {
        wadi_text_add(out, i > 0 ? ", " : " ");
        print_slot(p, s->slots[i], out);
        if (s->extent != NULL) print_extents(s->extent[i], p->slots[s->slots[i]].rank, out);
    }
    wadi_text_add(out, "\n");
}

static void print_fold(const wadi_plan *p, const wadi_plan_fold *f, wadi_text *out) {
    wadi_text_add(out, " by ");
    print_body_name(p, f->body, out);
    wadi_text_add(out, " from ");
    print_slots(p, f->nstate, f->init, out);
    wadi_text_add(out, " over ");
    print_numbers(f->nparts, f->from, out);
}

/* Prints, in separate lines, what the body reads and where its state is. */
static void print_fold_slots(const wadi_plan *p, const wadi_plan_fold *f, int slots_of_part,
                             wadi_text *out) {
    wadi_text_indent(out, 2);
    wadi_text_add(out, "state ");
    for (int i = 0; i < f->nstate; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        print_slot(p, f->state_in[i], out);
        if (f->state_out[i] == f->state_in[i]) {
            wadi_text_add(out, " in place");
        } else {
            wadi_text_add(out, " -> ");
            print_slot(p, f->state_out[i], out);
        }
        if (f->take != NULL && f->take[i]) wadi_text_add(out, ", taken");
    }
    wadi_text_add(out, "\n");
    wadi_text_indent(out, 2);
    wadi_text_add(out, "reads ");
    print_slots(p, slots_of_part * f->nparts, f->parts, out);
    if (f->carried) wadi_text_add(out, ", carried");
    if (f->carried && f->keyed) {
        wadi_text_add(out, " by ");
        print_slot(p, f->number, out);
    }
    if (f->after != NULL) {
        wadi_text_add(out, ", after each ");
        print_slots(p, f->nstate, f->after, out);
    }
    wadi_text_add(out, "\n");
}

static void print_change(const wadi_plan *p, const wadi_plan_stage *g, wadi_text *out) {
    const wadi_change_facts *about = wadi_change_about(g->change);
    const int numbers[] = {g->size, g->hop, g->first};
    static const char *const words[] = {" ", " every ", " from "};
    wadi_text_add(out, about->name);
    for (int i = 0; i < 3; i++) {
        if (numbers[i] < 0) continue;
        wadi_text_add(out, words[i]);
        print_slot(p, numbers[i], out);
    }
    if (about->lasts || g->last != WADI_LAST_WINDOW_DROP)
        wadi_text_addf(out, ", last %s", wadi_plan_lasts[g->last]);
    if (about->tests || g->test >= 0) wadi_text_addf(out, " by %d", g->test);
    if (about->folds) print_fold(p, &g->scan, out);
    if (g->ninputs > 0) wadi_text_add(out, " of stage ");
    print_numbers(g->ninputs, g->inputs, out);
    if (g->nparts > 0 && !about->reads) {
        wadi_text_add(out, ": ");
        print_slots(p, g->nparts, g->parts, out);
        wadi_text_add(out, " from ");
        print_numbers(g->nparts, g->from, out);
    }
    wadi_text_addf(out, " at place %d\n", g->place);
}

static void print_stage(const wadi_plan *p, int number, const wadi_plan_stage *g, wadi_text *out) {
    wadi_text_addf(out, "    stage %d: ", number);
    print_change(p, g, out);
    for (int i = 0; i < g->nsources; i++) print_source(p, &g->sources[i], out);
    if (wadi_change_about(g->change)->folds) print_fold_slots(p, &g->scan, 1, out);
    wadi_text_indent(out, 2);
    if (g->body >= 0)
        print_body_name(p, g->body, out);
    else
        wadi_text_add(out, "unchanged");
    wadi_text_add(out, " -> ");
    print_slots(p, g->nresults, g->results, out);
    wadi_text_add(out, "\n");
}

static void print_end(const wadi_plan *p, const wadi_plan_end *e, wadi_text *out) {
    const int slots = wadi_plan_fold_slots(e->kind);
    wadi_text_indent(out, 1);
    wadi_text_add(out, wadi_plan_ends[e->kind]);
    if (e->kind == WADI_END_SINK) {
        wadi_text_add(out, " ");
        wadi_plan_string_print(e->name, out);
        if (e->unordered) wadi_text_add(out, " unordered");
    }
    wadi_text_addf(out, " of stage %d", e->stage);
    if (slots > 0) print_fold(p, &e->fold, out);
    if (slots == 0 || e->nfrom > 0) wadi_text_add(out, ": ");
    print_numbers(e->nfrom, e->from, out);
    if (e->kind != WADI_END_SINK || e->ninto > 0) wadi_text_add(out, " -> ");
    print_slots(p, e->ninto, e->into, out);
    wadi_text_addf(out, " at place %d\n", e->place);
    if (slots > 0) print_fold_slots(p, &e->fold, slots, out);
}

static void print_phase(const wadi_plan *p, int number, wadi_text *out) {
    const wadi_plan_phase *phase = &p->phases[number];
    const wadi_plan_stream *s = &phase->stream;
    wadi_text_addf(out, "\nphase %d: ", number);
    if (!phase->is_stream) {
        print_body_name(p, phase->body, out);
        wadi_text_add(out, "\n");
        return;
    }
    wadi_text_add(out, "stream\n");
    for (int i = 0; i < s->nstages; i++) print_stage(p, i, &s->stages[i], out);
    for (int i = 0; i < s->nends; i++) print_end(p, &s->ends[i], out);
}

/* ---- the plan ---- */

static void print_head(const wadi_plan *p, wadi_text *out) {
    static const uint8_t unknown[sizeof p->program];
    char digits[2 * sizeof p->program + 1];
    wadi_text_add(out, "plan ");
    wadi_plan_name_print(p->name, out);
    if (memcmp(p->program, unknown, sizeof unknown) != 0) {
        wadi_hex(p->program, sizeof p->program, digits);
        wadi_text_addf(out, "\nprogram %s", digits);
    }
    wadi_text_add(out, "\n\n");
}

static void print_place(const wadi_plan_place *place, int number, wadi_text *out) {
    const char *const texts[] = {place->op, place->what, place->loc.call, place->loc.file};
    wadi_text_addf(out, "%splace %d:", number == 0 ? "\n" : "", number);
    for (int i = 0; i < 4; i++) {
        wadi_text_add(out, " ");
        wadi_plan_string_print(texts[i], out);
    }
    wadi_text_addf(out, ":%d\n", place->loc.line);
}

static void print_plan(const wadi_plan *p, int64_t most, wadi_text *out) {
    print_head(p, out);
    for (int i = 0; i < p->nslots; i++) {
        wadi_text_add(out, "slot ");
        print_slot(p, i, out);
        wadi_text_addf(out, ": %s ", wadi_plan_kinds[p->slots[i].kind]);
        print_type(&p->slots[i], out);
        if (p->slots[i].data != NULL) print_data(p->slots[i].data, most, out);
        wadi_text_add(out, "\n");
    }
    for (int i = 0; i < p->ninputs; i++) {
        wadi_text_add(out, "input ");
        wadi_plan_string_print(p->inputs[i].name, out);
        wadi_text_add(out, ": ");
        print_slot(p, p->inputs[i].slot, out);
        print_extents(p->inputs[i].extent, p->slots[p->inputs[i].slot].rank, out);
        wadi_text_add(out, "\n");
    }
    for (int i = 0; i < p->nbodies; i++) print_body(p, &p->bodies[i], out);
    for (int i = 0; i < p->nphases; i++) print_phase(p, i, out);
    for (int i = 0; i < p->noutputs; i++) {
        wadi_text_add(out, i == 0 ? "\noutput " : "output ");
        wadi_plan_string_print(p->outputs[i].name, out);
        wadi_text_add(out, " = ");
        print_slot(p, p->outputs[i].slot, out);
        wadi_text_add(out, "\n");
    }
    for (int i = 0; i < p->nplaces; i++) print_place(&p->places[i], i, out);
}

void wadi_plan_print(const wadi_plan *p, wadi_text *out) {
    print_plan(p, INT64_MAX, out);
}

void wadi_plan_print_short(const wadi_plan *p, wadi_text *out) {
    print_plan(p, FEW, out);
}
