/* A plan from its text, as wadi_plan_print (print.c) writes it: the same plan, so that it prints the same and has the same hash.
 *
 *     plan NAME                                               then, if it is known: program HASH
 *     slot NAME.0: KIND TYPE rank 2 level 1 = SHAPE VALUES    shape and values only for `use`
 *     input "NAME": SLOT [EXTENT, ..]
 *     body NAME -> SLOTS from index SLOT, of scalars, made for chunks
 *         inner: SLOTS                                        if there are any
 *         reads: SLOTS                                        if there are any
 *         offered: VERSION VERSION
 *     phase 0: BODY                                           or
 *     phase 1: stream
 *         stage 0: CHANGE SLOT every SLOT from SLOT, last WORD by N of stage N, N: SLOTS from N, N at place N
 *             source "NAME": SLOT [EXTENT, ..]                or: count to SLOT
 *             BODY -> SLOTS                                   or: unchanged -> SLOTS
 *         END of stage N: N, N -> SLOTS at place N
 *     output "NAME" = SLOT
 *     place 0: "OPERATOR" "WHAT" "CALL" "FILE":LINE
 *
 * A change or an end that runs a body has ` by BODY from SLOTS over N, N` in its line, and two lines follow it:
 *
 *             state SLOT in place, SLOT -> SLOT, taken
 *             reads SLOTS, carried, after each SLOTS
 *
 * The text is not trusted. Every number must name something that exists, stages must read earlier ones, and lists that belong together must
 * be equally long. Kernels are not part of the text. A worker that is sent a plan is also sent the text of the program, and makes its
 * kernels from that. */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "sched/change/change.h"
#include "sched/chunk.h"
#include "sched/plan/reader.h"
#include "sched/plan/words.h"

/* ---- arrays ---- */

static bool type(wadi_plan_reader *r, wadi_type *out) {
    const size_t n = wadi_plan_name_length(r->at);
    for (int t = 0; t < WADI_TYPE_COUNT; t++) {
        const char *called = wadi_type_name((wadi_type)t);
        if (strlen(called) != n || !wadi_plan_sees(r, called)) continue;
        r->at += n;
        *out = (wadi_type)t;
        return true;
    }
    return wadi_plan_fails(r, "expected a type");
}

/* One field of a type, with or without a name before it. */
static bool field(wadi_plan_reader *r, wadi_plan_slot *s) {
    const int f = s->fields++;
    const size_t n = wadi_plan_name_length(r->at);
    if (f >= WADI_MAX_FIELDS) return wadi_plan_fails(r, "too many fields");
    if (n > 0 && strncmp(r->at + n, ": ", 2) == 0 &&
        (!wadi_plan_name(r, &s->field[f]) || !wadi_plan_expects(r, ": ")))
        return false;
    return type(r, &s->type[f]);
}

static bool fields(wadi_plan_reader *r, wadi_plan_slot *s) {
    if (!wadi_plan_takes(r, "{")) return field(r, s);
    if (wadi_plan_takes(r, "}")) return true;
    do
        if (!field(r, s)) return false;
    while (wadi_plan_takes(r, ", "));
    return wadi_plan_expects(r, "}");
}

/* The n values of one field. */
static bool values(wadi_plan_reader *r, wadi_type t, int64_t n, void **out) {
    WADI_VEC(char) bytes = {0};
    const size_t size = (size_t)wadi_type_size(t);
    int64_t have = 0;
    bool fine = wadi_plan_expects(r, " [");
    while (fine && have < n) {
        char value[16];
        if (have > 0 && !wadi_plan_expects(r, ", ")) break;
        const char *end = wadi_plan_value_read(t, r->at, value);
        if (end == NULL) break;
        r->at = end;
        fine = wadi_vec_reserve(&bytes, bytes.n + size) || wadi_plan_lacks_memory(r);
        if (fine) memcpy(bytes.at + bytes.n, value, size);
        bytes.n += size;
        have++;
    }
    fine = fine && (have == n || wadi_plan_fails(r, "expected a value")) &&
           wadi_plan_expects(r, "]") && WADI_PLAN_KEEP(r, &bytes, out);
    wadi_vec_free(&bytes);
    return fine;
}

/* The array of `use`, which follows " =". */
static bool data(wadi_plan_reader *r, wadi_plan_slot *s) {
    wadi_array *a = WADI_NEW(r->plan->arena, wadi_array);
    if (a == NULL) return wadi_plan_lacks_memory(r);
    *a = (wadi_array){.rank = s->rank, .fields = s->fields};
    memcpy(a->type, s->type, sizeof a->type);
    for (int d = 0; d < s->rank; d++)
        if (!wadi_plan_expects(r, d == 0 ? " [" : ", ") || !wadi_plan_number(r, &a->shape[d]))
            return false;
    if (s->rank > 0 && !wadi_plan_expects(r, "]")) return false;
    const int64_t n = wadi_shape_values(s->rank, a->shape);
    if (n < 0) return wadi_plan_fails(r, "no shape of an array");
    for (int f = 0; f < s->fields; f++)
        if (!values(r, s->type[f], n, &a->column[f])) return false;
    s->data = a;
    return true;
}

static bool read_slot(wadi_plan_reader *r) {
    wadi_plan_slot s = {.name = NULL};
    int number_of = 0, kind = 0;
    if (!wadi_plan_name(r, &s.name) || !wadi_plan_expects(r, ".") ||
        !wadi_plan_index(r, INT_MAX, "expected the next number", &number_of))
        return false;
    if ((size_t)number_of != r->slots.n)
        return wadi_plan_fails(r, "slots are numbered one after the other");
    if (!wadi_plan_expects(r, ": ") ||
        !wadi_plan_word(r, wadi_plan_kinds, "expected a kind of slot", &kind) ||
        !wadi_plan_expects(r, " ") || !fields(r, &s))
        return false;
    s.kind = (wadi_slot_kind)kind;
    if (wadi_plan_takes(r, " rank ") &&
        !wadi_plan_index(r, WADI_MAX_RANK + 1, "too many dimensions", &s.rank))
        return false;
    if (wadi_plan_takes(r, " level ") && !wadi_plan_index(r, INT_MAX, "expected a level", &s.level))
        return false;
    if (wadi_plan_takes(r, " =") && !data(r, &s)) return false;
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->slots, s) || wadi_plan_lacks_memory(r));
}

/* ---- inputs and outputs ---- */

static bool extent(wadi_plan_reader *r, wadi_plan_extent *out) {
    *out = (wadi_plan_extent){.value = -1};
    if (wadi_plan_takes(r, "?")) return true;
    if (!wadi_plan_sees_digit(r->at)) return wadi_plan_name(r, &out->name);
    return wadi_plan_number(r, &out->value) &&
           (out->value >= 0 || wadi_plan_fails(r, "expected an extent"));
}

static bool extents(wadi_plan_reader *r, int rank, wadi_plan_extent *out) {
    for (int d = 0; d < rank; d++)
        if (!wadi_plan_expects(r, d == 0 ? " [" : ", ") || !extent(r, &out[d])) return false;
    return rank == 0 || wadi_plan_expects(r, "]");
}

static bool read_input(wadi_plan_reader *r) {
    wadi_plan_input in = {.name = NULL};
    if (!wadi_plan_string(r, &in.name) || !wadi_plan_expects(r, ": ") ||
        !wadi_plan_slot_of(r, &in.slot) || !extents(r, r->slots.at[in.slot].rank, in.extent))
        return false;
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->inputs, in) || wadi_plan_lacks_memory(r));
}

static bool read_output(wadi_plan_reader *r) {
    wadi_plan_output out = {.name = NULL};
    if (!wadi_plan_string(r, &out.name) || !wadi_plan_expects(r, " = ") ||
        !wadi_plan_slot_of(r, &out.slot))
        return false;
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->outputs, out) || wadi_plan_lacks_memory(r));
}

static bool read_place(wadi_plan_reader *r) {
    wadi_plan_place p = {.op = NULL};
    int number_of = 0;
    if (!wadi_plan_index(r, INT_MAX, "expected a number", &number_of)) return false;
    if ((size_t)number_of != r->places.n)
        return wadi_plan_fails(r, "places are numbered one after the other");
    if (!wadi_plan_expects(r, ": ") || !wadi_plan_string(r, &p.op) || !wadi_plan_expects(r, " ") ||
        !wadi_plan_string(r, &p.what) || !wadi_plan_expects(r, " ") ||
        !wadi_plan_string(r, &p.loc.call) || !wadi_plan_expects(r, " ") ||
        !wadi_plan_string(r, &p.loc.file) || !wadi_plan_expects(r, ":") ||
        !wadi_plan_index(r, INT_MAX, "expected a line", &p.loc.line))
        return false;
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->places, p) || wadi_plan_lacks_memory(r));
}

/* ---- bodies ---- */

static bool body(wadi_plan_reader *r, int *out) {
    const char *called = NULL;
    if (!wadi_plan_name(r, &called)) return false;
    for (size_t i = 0; i < r->bodies.n; i++) {
        *out = (int)i;
        if (wadi_plan_same(called, r->bodies.at[i].name)) return true;
    }
    return wadi_plan_fails(r, "there is no such body");
}

static bool version(wadi_plan_reader *r, wadi_plan_body *b) {
    const size_t n = wadi_plan_name_length(r->at);
    for (int k = 0; k < WADI_BODY_VERSIONS; k++) {
        const wadi_version_key v = wadi_version_numbered(k);
        const char *called = wadi_version_name(v);
        if (strlen(called) != n || !wadi_plan_sees(r, called)) continue;
        r->at += n;
        if (v.pure)
            b->routines = true;
        else
            b->offers[v.schedule] = true;
        return true;
    }
    return wadi_plan_fails(r, "expected a version");
}

/* Some of the results. */
static bool inner(wadi_plan_reader *r, wadi_plan_body *b) {
    const int *slots = NULL;
    int n = 0;
    bool *of = WADI_NEW_N(r->plan->arena, bool, (size_t)b->nresults + 1);
    if (of == NULL) return wadi_plan_lacks_memory(r);
    if (!wadi_plan_slots(r, &slots, &n)) return false;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < b->nresults && b->results[k] != slots[i]) k++;
        if (k == b->nresults) return wadi_plan_fails(r, "it is no result of the body");
        of[k] = true;
    }
    b->inner = of;
    return wadi_plan_ends_line(r);
}

static bool read_body(wadi_plan_reader *r) {
    wadi_plan_body b = {.index_slot = -1};
    if (!wadi_plan_name(r, &b.name)) return false;
    for (size_t i = 0; i < r->bodies.n; i++)
        if (wadi_plan_same(b.name, r->bodies.at[i].name))
            return wadi_plan_fails(r, "two bodies have one name");
    if (!wadi_plan_expects(r, " -> ") || !wadi_plan_slots(r, &b.results, &b.nresults)) return false;
    if (wadi_plan_takes(r, " from index ") && !wadi_plan_slot_of(r, &b.index_slot)) return false;
    b.rank0 = wadi_plan_takes(r, ", of scalars");
    b.lifted = wadi_plan_takes(r, ", made for chunks");
    if (!wadi_plan_ends_line(r)) return false;
    if (wadi_plan_takes(r, "    inner: ") && !inner(r, &b)) return false;
    if (wadi_plan_takes(r, "    reads: ") &&
        !(wadi_plan_slots(r, &b.reads, &b.nreads) && wadi_plan_ends_line(r)))
        return false;
    if (!wadi_plan_expects(r, "    offered:")) return false;
    while (wadi_plan_takes(r, " "))
        if (!version(r, &b)) return false;
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->bodies, b) || wadi_plan_lacks_memory(r));
}

/* ---- streams ---- */

static bool place(wadi_plan_reader *r, int *out) {
    if (!wadi_plan_expects(r, " at place ") ||
        !wadi_plan_index(r, INT_MAX, "expected a place", out))
        return false;
    if (*out >= r->places_named) r->places_named = *out + 1;
    return wadi_plan_ends_line(r);
}

/* The slots of a source. Extents must be given for all slots that have dimensions, or for none. */
static bool source_slots(wadi_plan_reader *r, wadi_plan_source *s) {
    wadi_plan_ints v = {0};
    WADI_VEC(wadi_plan_extent) all = {0};
    bool said = false, unsaid = false, fine = true;
    do {
        int n = 0;
        fine = wadi_plan_expects(r, v.n == 0 ? " " : ", ") && wadi_plan_slot_of(r, &n) &&
               wadi_plan_push(r, &v, n);
        fine = fine && (wadi_vec_reserve(&all, all.n + WADI_MAX_RANK) || wadi_plan_lacks_memory(r));
        if (!fine) break;
        wadi_plan_extent *e = all.at + all.n;
        const int rank = r->slots.at[n].rank;
        memset(e, 0, WADI_MAX_RANK * sizeof *e);
        all.n += WADI_MAX_RANK;
        if (wadi_plan_sees(r, " ["))
            fine = rank > 0 ? extents(r, rank, e) : wadi_plan_fails(r, "it has no extents");
        else
            unsaid = unsaid || rank > 0;
        said = said || rank > 0;
        if (fine && said && unsaid && r->at[-1] == ']')
            fine = wadi_plan_fails(r, "extents of all, or of none");
    } while (fine && wadi_plan_sees(r, ", "));
    fine = fine && WADI_PLAN_KEEP(r, &v, &s->slots);
    if (fine && !unsaid) fine = WADI_PLAN_KEEP(r, &all, &s->extent);
    s->nslots = (int)v.n;
    wadi_vec_free(&v);
    wadi_vec_free(&all);
    return fine;
}

/* Reads a line with a source or a counter. False without a failure: this is another kind of line. */
static bool read_source(wadi_plan_reader *r) {
    wadi_plan_source s = {.name = NULL};
    if (wadi_plan_takes(r, "        count to ")) {
        s.counter = true;
        if (!wadi_plan_slot_of(r, &s.count_slot)) return false;
    } else if (wadi_plan_takes(r, "        source ")) {
        if (!wadi_plan_string(r, &s.name) || !wadi_plan_expects(r, ":")) return false;
        if (!wadi_plan_sees(r, "\n") && !source_slots(r, &s)) return false;
    } else {
        return false;
    }
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->sources, s) || wadi_plan_lacks_memory(r));
}

static bool fold(wadi_plan_reader *r, wadi_plan_fold *f) {
    return wadi_plan_expects(r, " by ") && body(r, &f->body) && wadi_plan_expects(r, " from ") &&
           wadi_plan_slots(r, &f->init, &f->nstate) && wadi_plan_expects(r, " over ") &&
           wadi_plan_numbers(r, "expected a component", &f->from, &f->nparts);
}

/* One array of the state. */
static bool state(wadi_plan_reader *r, wadi_plan_ints *in, wadi_plan_ints *out, bool *taken) {
    int from = 0, to = 0;
    if (!wadi_plan_slot_of(r, &from)) return false;
    to = from;
    if (!wadi_plan_takes(r, " in place") &&
        (!wadi_plan_expects(r, " -> ") || !wadi_plan_slot_of(r, &to)))
        return false;
    if (!wadi_plan_push(r, in, from) || !wadi_plan_push(r, out, to)) return false;
    *taken = wadi_plan_sees(r, ", taken") && r->at[strlen(", taken")] != '.';
    if (*taken) r->at += strlen(", taken");
    return true;
}

static bool states(wadi_plan_reader *r, wadi_plan_fold *f) {
    wadi_plan_ints in = {0}, out = {0};
    bool *take = WADI_NEW_N(r->plan->arena, bool, (size_t)f->nstate + 1), any = false;
    bool fine = take != NULL || wadi_plan_lacks_memory(r);
    for (int i = 0; fine && i < f->nstate; i++) {
        fine = (i == 0 || wadi_plan_expects(r, ", ")) && state(r, &in, &out, &take[i]);
        any = any || (fine && take[i]);
    }
    fine = fine && WADI_PLAN_KEEP(r, &in, &f->state_in) && WADI_PLAN_KEEP(r, &out, &f->state_out);
    f->take = any ? take : NULL;
    wadi_vec_free(&in);
    wadi_vec_free(&out);
    return fine && wadi_plan_ends_line(r);
}

static bool fold_slots(wadi_plan_reader *r, wadi_plan_fold *f, int slots_of_part) {
    int n = 0;
    if (!wadi_plan_expects(r, "        state ") || !states(r, f) ||
        !wadi_plan_expects(r, "        reads ") || !wadi_plan_slots(r, &f->parts, &n))
        return false;
    if (n != slots_of_part * f->nparts)
        return wadi_plan_fails(r, "as many slots as components are read");
    f->carried = wadi_plan_takes(r, ", carried");
    if (f->carried && f->keyed &&
        (!wadi_plan_expects(r, " by ") || !wadi_plan_slot_of(r, &f->number)))
        return false;
    if (wadi_plan_takes(r, ", after each ")) {
        if (!wadi_plan_slots(r, &f->after, &n)) return false;
        if (n != f->nstate) return wadi_plan_fails(r, "as many slots as the state has arrays");
    }
    return wadi_plan_ends_line(r);
}

static bool change_kind(wadi_plan_reader *r, wadi_change_kind *out) {
    const size_t n = wadi_plan_name_length(r->at);
    for (int k = 0; k < WADI_CHANGE_COUNT; k++) {
        const char *called = wadi_change_about((wadi_change_kind)k)->name;
        if (strlen(called) != n || !wadi_plan_sees(r, called)) continue;
        r->at += n;
        *out = (wadi_change_kind)k;
        return true;
    }
    return wadi_plan_fails(r, "expected a change");
}

/* Reads a word and the slot behind it, if both stand here. */
static bool optional_slot(wadi_plan_reader *r, const char *in_front, int *out) {
    wadi_plan_reader ahead = *r;
    *out = -1;
    if (!wadi_plan_takes(&ahead, in_front) || !wadi_plan_sees_slot(&ahead)) return true;
    r->at = ahead.at;
    return wadi_plan_slot_of(r, out);
}

static bool change(wadi_plan_reader *r, wadi_plan_stage *g) {
    int last = 0;
    if (!change_kind(r, &g->change) || !optional_slot(r, " ", &g->size) ||
        !optional_slot(r, " every ", &g->hop) || !optional_slot(r, " from ", &g->first))
        return false;
    if (wadi_plan_takes(r, ", last ") &&
        !wadi_plan_word(r, wadi_plan_lasts, "expected drop, pad or keep", &last))
        return false;
    g->last = (wadi_last_window)last;
    g->test = -1;
    if (wadi_plan_sees(r, " by ") && wadi_plan_sees_digit(r->at + 4)) {
        r->at += 4;
        if (!wadi_plan_index(r, INT_MAX, "expected a component", &g->test)) return false;
    }
    return !wadi_change_about(g->change)->folds || fold(r, &g->scan);
}

static bool inputs(wadi_plan_reader *r, wadi_plan_stage *g) {
    if (wadi_plan_takes(r, " of stage ") &&
        !wadi_plan_numbers(r, "expected a stage", &g->inputs, &g->ninputs))
        return false;
    if ((g->ninputs == 0) != wadi_change_about(g->change)->reads)
        return wadi_plan_fails(r, "all changes but read have inputs");
    for (int i = 0; i < g->ninputs; i++)
        if ((size_t)g->inputs[i] >= r->stages.n)
            return wadi_plan_fails(r, "a stage reads earlier ones");
    return true;
}

static bool parts(wadi_plan_reader *r, wadi_plan_stage *g) {
    int n = 0;
    if (!wadi_plan_takes(r, ": ")) return true;
    if (wadi_change_about(g->change)->reads)
        return wadi_plan_fails(r, "parts are those of the sources");
    if (!wadi_plan_slots(r, &g->parts, &g->nparts) || !wadi_plan_expects(r, " from ") ||
        !wadi_plan_numbers(r, "expected a component", &g->from, &n))
        return false;
    return n == g->nparts || wadi_plan_fails(r, "as many components as parts");
}

/* Checks the numbers of components. They count the components of all inputs in order; for a scan, those of its state. */
static bool check_parts(wadi_plan_reader *r, const wadi_plan_stage *g) {
    const bool folds = wadi_change_about(g->change)->folds;
    int there = 0;
    for (int i = 0; i < g->ninputs; i++) there += r->stages.at[g->inputs[i]].nresults;
    if (wadi_change_about(g->change)->keys && g->test < 0)
        return wadi_plan_fails(r, "a key is a component of the input");
    if (g->ninputs > 0 && g->test >= there)
        return wadi_plan_fails(r, "the inputs have no such component");
    const int most = folds ? g->scan.nstate + wadi_change_about(g->change)->last : there;
    for (int i = 0; i < g->nparts; i++)
        if (g->from[i] >= most) return wadi_plan_fails(r, "the inputs have no such component");
    for (int i = 0; folds && i < g->scan.nparts; i++)
        if (g->scan.from[i] >= there)
            return wadi_plan_fails(r, "the inputs have no such component");
    return true;
}

/* The parts of a READ are the slots of its sources, in order. */
static bool parts_of_sources(wadi_plan_reader *r, wadi_plan_stage *g) {
    wadi_plan_ints v = {0};
    bool fine = true;
    for (int i = 0; i < g->nsources; i++)
        for (int k = 0; fine && k < g->sources[i].nslots; k++)
            fine = wadi_plan_push(r, &v, g->sources[i].slots[k]);
    fine = fine && WADI_PLAN_KEEP(r, &v, &g->parts);
    g->nparts = (int)v.n;
    wadi_vec_free(&v);
    return fine;
}

static bool read_stage(wadi_plan_reader *r) {
    wadi_plan_stage g = {.body = -1};
    int number_of = 0;
    if (!wadi_plan_index(r, INT_MAX, "expected a number", &number_of) ||
        !wadi_plan_expects(r, ": "))
        return false;
    if ((size_t)number_of != r->stages.n)
        return wadi_plan_fails(r, "stages are numbered one after the other");
    if (!change(r, &g) || !inputs(r, &g) || !parts(r, &g) || !check_parts(r, &g) ||
        !place(r, &g.place))
        return false;
    const wadi_change_facts *about = wadi_change_about(g.change);
    wadi_vec_clear(&r->sources);
    while (about->reads && read_source(r)) {
    }
    if (r->status != WADI_OK) return false;
    g.nsources = (int)r->sources.n;
    if (!WADI_PLAN_KEEP(r, &r->sources, &g.sources)) return false;
    if (about->reads && !parts_of_sources(r, &g)) return false;
    g.scan.keyed = about->keys;
    if (about->folds && !fold_slots(r, &g.scan, 1)) return false;
    if (!wadi_plan_expects(r, "        ")) return false;
    if (!wadi_plan_takes(r, "unchanged") && !body(r, &g.body)) return false;
    if (!wadi_plan_expects(r, " -> ") || !wadi_plan_slots(r, &g.results, &g.nresults)) return false;
    return wadi_plan_ends_line(r) && (wadi_vec_push(&r->stages, g) || wadi_plan_lacks_memory(r));
}

static bool check_components(wadi_plan_reader *r, int stage, const int *from, int n) {
    for (int i = 0; i < n; i++)
        if (from[i] >= r->stages.at[stage].nresults)
            return wadi_plan_fails(r, "the stage has no such component");
    return true;
}

static bool read_end(wadi_plan_reader *r) {
    wadi_plan_end e = {.kind = WADI_END_SINK};
    int kind = 0;
    if (!wadi_plan_word(r, wadi_plan_ends, "expected a stage or an end", &kind)) return false;
    e.kind = (wadi_end_kind)kind;
    const int slots = wadi_plan_fold_slots(e.kind);
    if (e.kind == WADI_END_SINK && (!wadi_plan_expects(r, " ") || !wadi_plan_string(r, &e.name)))
        return false;
    e.unordered = e.kind == WADI_END_SINK && wadi_plan_takes(r, " unordered");
    if (!wadi_plan_expects(r, " of stage ") ||
        !wadi_plan_index(r, (int64_t)r->stages.n, "there is no such stage", &e.stage))
        return false;
    if (slots > 0 && !fold(r, &e.fold)) return false;
    if (wadi_plan_takes(r, ": ") &&
        !wadi_plan_numbers(r, "expected a component", &e.from, &e.nfrom))
        return false;
    if (wadi_plan_takes(r, " -> ") && !wadi_plan_slots(r, &e.into, &e.ninto)) return false;
    if (!check_components(r, e.stage, e.from, e.nfrom) ||
        (slots > 0 && !check_components(r, e.stage, e.fold.from, e.fold.nparts)))
        return false;
    if (!place(r, &e.place) || (slots > 0 && !fold_slots(r, &e.fold, slots))) return false;
    return wadi_vec_push(&r->ends, e) || wadi_plan_lacks_memory(r);
}

static bool read_stream(wadi_plan_reader *r, wadi_plan_stream *s) {
    wadi_vec_clear(&r->stages);
    wadi_vec_clear(&r->ends);
    while (wadi_plan_takes(r, "    stage "))
        if (!read_stage(r)) return false;
    while (wadi_plan_takes(r, "    "))
        if (!read_end(r)) return false;
    s->nstages = (int)r->stages.n;
    s->nends = (int)r->ends.n;
    return WADI_PLAN_KEEP(r, &r->stages, &s->stages) && WADI_PLAN_KEEP(r, &r->ends, &s->ends);
}

static bool read_phase(wadi_plan_reader *r) {
    wadi_plan_phase p = {.is_stream = false};
    int number_of = 0;
    if (!wadi_plan_index(r, INT_MAX, "expected a number", &number_of) ||
        !wadi_plan_expects(r, ": "))
        return false;
    if ((size_t)number_of != r->phases.n)
        return wadi_plan_fails(r, "phases are numbered one after the other");
    p.is_stream = wadi_plan_takes(r, "stream\n");
    if (p.is_stream) {
        r->line++;
        if (!read_stream(r, &p.stream)) return false;
    } else if (!body(r, &p.body) || !wadi_plan_ends_line(r)) {
        return false;
    }
    return wadi_vec_push(&r->phases, p) || wadi_plan_lacks_memory(r);
}

/* ---- the whole ---- */

static bool read_head(wadi_plan_reader *r) {
    if (!wadi_plan_expects(r, "plan ") || !wadi_plan_name(r, &r->plan->name) ||
        !wadi_plan_ends_line(r))
        return false;
    if (!wadi_plan_takes(r, "program ")) return true;
    for (size_t i = 0; i < sizeof r->plan->program; i++) {
        const int high = wadi_plan_digit(r->at[0]), low = high < 0 ? -1 : wadi_plan_digit(r->at[1]);
        if (low < 0) return wadi_plan_fails(r, "expected 64 digits");
        r->plan->program[i] = (uint8_t)(high * 16 + low);
        r->at += 2;
    }
    return wadi_plan_ends_line(r);
}

static bool read_lines(wadi_plan_reader *r) {
    static const struct {
        const char *begins;
        bool (*read)(wadi_plan_reader *r);
    } kinds[] = {{"slot ", read_slot},   {"input ", read_input},   {"body ", read_body},
                 {"phase ", read_phase}, {"output ", read_output}, {"place ", read_place}};
    const size_t n = sizeof kinds / sizeof *kinds;
    size_t k = 0;
    while (*r->at != '\0') {
        if (wadi_plan_takes(r, "\n")) {
            r->line++;
            continue;
        }
        while (k < n && !wadi_plan_sees(r, kinds[k].begins)) k++; /* they come in this order */
        if (k == n)
            return wadi_plan_fails(
                r, "expected a slot, input, body, phase, output or place, in order");
        r->at += strlen(kinds[k].begins);
        if (!kinds[k].read(r)) return false;
    }
    return (size_t)r->places_named <= r->places.n ||
           wadi_plan_fails(r, "a place that is named is missing");
}

static bool keep_all(wadi_plan_reader *r) {
    wadi_plan *p = r->plan;
    p->nslots = (int)r->slots.n;
    p->ninputs = (int)r->inputs.n;
    p->nbodies = (int)r->bodies.n;
    p->nphases = (int)r->phases.n;
    p->noutputs = (int)r->outputs.n;
    p->nplaces = (int)r->places.n;
    return WADI_PLAN_KEEP(r, &r->slots, &p->slots) && WADI_PLAN_KEEP(r, &r->inputs, &p->inputs) &&
           WADI_PLAN_KEEP(r, &r->bodies, &p->bodies) && WADI_PLAN_KEEP(r, &r->phases, &p->phases) &&
           WADI_PLAN_KEEP(r, &r->outputs, &p->outputs) && WADI_PLAN_KEEP(r, &r->places, &p->places);
}

static void fini(wadi_plan_reader *r) {
    wadi_vec_free(&r->slots);
    wadi_vec_free(&r->inputs);
    wadi_vec_free(&r->bodies);
    wadi_vec_free(&r->phases);
    wadi_vec_free(&r->stages);
    wadi_vec_free(&r->ends);
    wadi_vec_free(&r->sources);
    wadi_vec_free(&r->outputs);
    wadi_vec_free(&r->places);
}

wadi_status wadi_plan_read(const char *text, wadi_plan **out, wadi_error *err) {
    wadi_arena *arena = wadi_arena_create();
    wadi_plan *p = arena != NULL ? WADI_NEW(arena, wadi_plan) : NULL;
    wadi_plan_reader r = {.at = text, .line = 1, .plan = p, .err = err};
    if (p == NULL) {
        wadi_arena_destroy(arena);
        return wadi_fail(err, WADI_MEMORY, "plan: out of memory");
    }
    p->arena = arena;
    if (read_head(&r) && read_lines(&r) && keep_all(&r))
        *out = p;
    else
        wadi_arena_destroy(arena);
    fini(&r);
    return r.status;
}
