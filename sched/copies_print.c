/* The list of copies as text. */
#include "sched/copies.h"

#include <string.h>

#include "sched/plan/words.h"

typedef enum moment { BEGIN, CHUNK, STREAM_END, RUN_END } moment;

/* How a kind of copy is told. */
static const struct {
    moment when;
    bool to_host;
    const char *what; /* "" or words behind the bytes */
} rules[] = {
    [WADI_COPY_GIVEN] = {BEGIN, false, ""},
    [WADI_COPY_READ] = {CHUNK, false, ""},
    [WADI_COPY_FOLDED] = {CHUNK, false, ""},
    [WADI_COPY_CHANGED] = {CHUNK, true, ", to be changed there for a later stage"},
    [WADI_COPY_STATE] = {CHUNK, true, ", the state behind each element"},
    [WADI_COPY_ENDED] = {CHUNK, true, ""},
    [WADI_COPY_STORED] = {STREAM_END, false, ", as it was collected"},
    [WADI_COPY_RESULT] = {RUN_END, true, ""},
};

static void print_type(const wadi_plan_slot *s, wadi_text *out) {
    int64_t bytes = 0;
    if (s->fields != 1) wadi_text_add(out, "{");
    for (int f = 0; f < s->fields; f++) {
        wadi_text_addf(out, "%s%s", f > 0 ? ", " : "", wadi_type_name(s->type[f]));
        bytes += wadi_type_size(s->type[f]);
    }
    if (s->fields != 1) wadi_text_add(out, "}");
    const char *each = s->rank > 0 ? "a value" : "an element";
    if (s->rank > 0) wadi_text_addf(out, " rank %d", s->rank);
    wadi_text_addf(out, ", %lld byte%s %s", (long long)bytes, bytes == 1 ? "" : "s", each);
}

/* The sink that it goes to: the first of several. */
static void print_sink(const wadi_plan *p, const wadi_column_copy *c, wadi_text *out) {
    if (c->why != WADI_COPY_ENDED) return;
    const wadi_plan_end *e = &p->phases[c->phase].stream.ends[c->end];
    if (e->kind == WADI_END_SINK) {
        wadi_text_add(out, ", for sink ");
        wadi_plan_string_print(e->name, out);
    } else {
        wadi_text_addf(out, ", for %s", wadi_plan_ends[e->kind]);
    }
}

void wadi_copies_print_slot(const wadi_plan *p, int slot, wadi_text *out) {
    wadi_plan_name_print(p->slots[slot].name, out);
    wadi_text_addf(out, ".%d ", slot);
    print_type(&p->slots[slot], out);
}

static void print_copy(const wadi_plan *p, const wadi_column_copy *c, const char *device,
                       wadi_text *out) {
    wadi_text_addf(out, "    to %s: ", rules[c->why].to_host ? "the host" : device);
    wadi_copies_print_slot(p, c->slot, out);
    wadi_text_add(out, rules[c->why].what);
    print_sink(p, c, out);
    wadi_text_add(out, "\n");
}

/* Those of the phase at that time, under the heading if there is one. */
static void print_group(const wadi_plan *p, const wadi_copies *copies, int phase, moment when,
                        const char *device, wadi_text *out) {
    bool headed = false;
    for (size_t i = 0; i < copies->n; i++) {
        const wadi_column_copy *c = &copies->at[i];
        if (c->phase != phase || rules[c->why].when != when) continue;
        if (!headed && when == BEGIN) wadi_text_add(out, "when the run begins\n");
        if (!headed && when == CHUNK) wadi_text_addf(out, "phase %d, with each chunk\n", phase);
        if (!headed && when == STREAM_END)
            wadi_text_addf(out, "when the stream of phase %d has ended\n", phase);
        if (!headed && when == RUN_END) wadi_text_add(out, "when the run has ended\n");
        headed = true;
        print_copy(p, c, device, out);
    }
}

void wadi_copies_print(const wadi_plan *p, const wadi_copies *copies, const char *device,
                       wadi_text *out) {
    wadi_text_addf(out,
                   "%s has memory of its own. Whatever is computed stays there, but for these "
                   "copies:\n",
                   device);
    print_group(p, copies, -1, BEGIN, device, out);
    for (int i = 0; i < p->nphases; i++) {
        print_group(p, copies, i, CHUNK, device, out);
        print_group(p, copies, i, STREAM_END, device, out);
    }
    print_group(p, copies, -1, RUN_END, device, out);
}
