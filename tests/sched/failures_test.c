/* Streams of several sources and stages, each of which may end or fail anywhere. A model of lists and a loop says what the sinks get
 * and which failure is reported, however the stream is cut. No source is read further than needed, and all memory is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/keep.h"
#include "sched/buffers.h"
#include "sched/run.h"
#include "sched/stream.h"

enum {
    TAPES = 4,
    MOST = 2 * TAPES /* arrays in an element */,
    LANES = 3,
    STAGES = 12,
    NEVER = -1,
    ENDLESS = 1000000
};

static uint64_t state;

static int64_t below(int64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}

/* ---- sources: element i of tape number k is [1000 k + i], or that and [1000 k
 * + i + 500] ---- */

typedef struct tape {
    wadi_source base;
    int64_t number, at, n, fail_at;
    int64_t gives;     /* elements at most in a call; 0: as many as are asked for */
    int64_t wide_at;   /* element whose first array has two values; all others have
                      one */
    int64_t cancel_at; /* ends the run from outside before it gives this element */
    wadi_run *run;
    wadi_status why; /* it was told to give up because of; WADI_OK: it was not */
} tape;

static void tape_destroy(wadi_source *self) {
    (void)self;
}

static wadi_status tape_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    tape *t = (tape *)self;
    if (t->gives > 0 && t->gives < k) k = t->gives;
    for (; b->count < k && t->at < t->n; t->at++) {
        if (t->at == t->cancel_at) wadi_run_cancel(t->run);
        if (t->at == t->fail_at) return wadi_fail(err, WADI_IO, "tape %d is torn", (int)t->number);
        for (int part = 0; part < t->base.parts; part++) {
            const int64_t extent = part == 0 && t->at == t->wide_at ? 2 : 1;
            wadi_array a;
            assert_int_equal(wadi_builder_array(b, part, &extent, &a, err), WADI_OK);
            for (int64_t i = 0; i < extent; i++)
                ((int64_t *)a.column[0])[i] = 1000 * t->number + t->at + 500 * part;
        }
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
    }
    if (t->base.at_hand > 0) t->base.at_hand = t->n - t->at;
    return WADI_OK;
}

static void tape_give_up(wadi_source *self, const wadi_error *why) {
    ((tape *)self)->why = why->status;
}

static tape make_tape(int number, int64_t n, int64_t fail_at) {
    static const wadi_source_ops ops = {tape_destroy, tape_next, tape_give_up};
    tape t = {.number = number, .n = n, .fail_at = fail_at, .wide_at = NEVER, .cancel_at = NEVER};
    t.base.ops = &ops;
    t.base.wake_fd = -1;
    t.base.parts = 1;
    t.base.part[0] = wadi_part_irregular(WADI_I64, 1);
    return t;
}

/* ---- lists: what comes out of a stage ---- */

typedef struct list {
    int64_t n;
    wadi_status status; /* WADI_OK: it ends well */
    char why[64];
    int origin; /* stage that fails */
    int parts, rank;
    bool odd;            /* all parts of an element had two values, and it became two
               elements */
    int64_t first[MOST]; /* element 0; each that follows is one more */
    int64_t wide[MOST];  /* element of two values */
} list;

static void end_there(list *l, int64_t n, wadi_status status, const char *why) {
    l->origin = NEVER; /* the stage that is being made */
    l->n = n;
    l->status = status;
    (void)snprintf(l->why, sizeof l->why, "%s", why);
}

static list of_tape(const tape *t) {
    list l = {.n = t->n, .origin = NEVER, .parts = t->base.parts, .rank = 1};
    for (int i = 0; i < l.parts; i++) {
        l.first[i] = 1000 * t->number + 500 * i;
        l.wide[i] = i == 0 ? t->wide_at : NEVER;
    }
    char why[32];
    (void)snprintf(why, sizeof why, "tape %d is torn", (int)t->number);
    if (t->fail_at >= 0 && t->fail_at < t->n) end_there(&l, t->fail_at, WADI_IO, why);
    return l;
}

static void put_beside(list *l, const list *other) {
    l->odd = l->odd || other->odd;
    for (int i = 0; i < other->parts; i++, l->parts++) {
        l->first[l->parts] = other->first[i];
        l->wide[l->parts] = other->wide[i];
    }
}

/* Sources read side by side: of those that end first, the first one tells how.
 */
static list side_by_side(list a, const list *b) {
    if (b->n < a.n) end_there(&a, b->n, b->status, b->why);
    put_beside(&a, b);
    return a;
}

/* Stages zipped: it ends well if one does, else the earlier stage tells how. */
static list zipped(list a, const list *b) {
    const bool decides = b->status == WADI_OK || (a.status != WADI_OK && b->origin < a.origin);
    if (b->n < a.n || (b->n == a.n && decides)) {
        end_there(&a, b->n, b->status, b->why);
        a.origin = b->origin;
    }
    if (b->rank == 0) a.rank = 0;
    put_beside(&a, b);
    return a;
}

static const char *const names[] = {"a", "b", "c", "d"};

/* Elements of one value are declared. */
static list declared(list l) {
    for (int i = 0; i < l.parts; i++) {
        char why[64];
        if (l.wide[i] < 0 || l.wide[i] >= l.n) continue;
        (void)snprintf(why, sizeof why, "%s: extent 0 is 2, but the program declares 1, element %d",
                       names[l.first[i] / 1000], (int)l.wide[i]);
        end_there(&l, l.wide[i], WADI_SHAPE, why);
    }
    return l;
}

static int64_t extent_of(const list *l, int part, int64_t element) {
    return l->wide[part] == element ? 2 : 1;
}

/* Every value an element: all parts must have as many. */
static list expanded(list l) {
    for (int64_t e = 0; e < l.n; e++) {
        const int64_t want = extent_of(&l, 0, e);
        bool alike = true;
        for (int i = 1; i < l.parts && alike; i++) {
            char why[64];
            alike = extent_of(&l, i, e) == want;
            (void)snprintf(why, sizeof why, "%d and %d differ, element %d",
                           (int)extent_of(&l, i, e), (int)want, (int)e);
            if (!alike) end_there(&l, e, WADI_FAULT, why);
        }
        l.odd = l.odd || (alike && want == 2);
    }
    l.rank = 0;
    return l;
}

static list taken(list l, int64_t most) {
    if (most < 0) most = 0;
    if (most <= l.n) end_there(&l, most, WADI_OK, "");
    return l;
}

static list dropped(list l, int64_t n) {
    if (n < 0) n = 0;
    if (n > l.n) n = l.n;
    l.n -= n;
    for (int i = 0; i < l.parts; i++) {
        l.first[i] += n;
        l.wide[i] = l.wide[i] < n ? NEVER : l.wide[i] - n;
    }
    return l;
}

/* ---- sinks ---- */

typedef struct check {
    wadi_sink base;
    list want;
    int64_t seen;
    int finished, aborted;
} check;

static void check_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status check_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    check *s = (check *)self;
    (void)err;
    assert_int_equal(c->first, s->seen);
    assert_int_equal(c->components, s->want.parts);
    for (int64_t i = 0; i < c->count; i++, s->seen++)
        for (int k = 0; k < c->components; k++) {
            const wadi_array a = wadi_chunk_array(c, k, i);
            assert_int_equal(*(int64_t *)a.column[0], s->want.first[k] + s->seen);
        }
    return WADI_OK;
}

static wadi_status check_finish(wadi_sink *self, wadi_error *err) {
    (void)err;
    ((check *)self)->finished++;
    return WADI_OK;
}

static void check_abort(wadi_sink *self, const wadi_error *why) {
    (void)why;
    ((check *)self)->aborted++;
}

static check make_check(const list *want, bool keeps) {
    static const wadi_sink_ops ops = {check_destroy, check_put, check_finish, check_abort};
    check s = {.want = *want};
    s.base.ops = &ops;
    s.base.wake_fd = -1;
    s.base.keeps = keeps;
    return s;
}

/* ---- a plan without kernels, stage by stage, and the list that each gives
 * ---- */

typedef struct program {
    wadi_plan plan;
    wadi_plan_slot slot[MOST + STAGES];
    wadi_plan_source source[TAPES];
    wadi_plan_stage stage[STAGES];
    int input[STAGES][LANES];
    list gives[STAGES];
    int64_t size[STAGES];
    wadi_array number[STAGES];
    wadi_plan_place place;
    wadi_plan_end end[2];
    wadi_plan_phase phase;
    tape tape[TAPES];
    int tapes, arrays, stages, ends;
} program;

static const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void begin(program *p) {
    memset(p, 0, sizeof *p);
    for (int i = 0; i < MOST; i++)
        p->slot[i] = (wadi_plan_slot){
            .name = "x", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}};
    p->place = (wadi_plan_place){"zip", "", {"test.c", 7}};
}

static int add_stage(program *p, wadi_change_kind change, const list *gives) {
    wadi_plan_stage *g = &p->stage[p->stages];
    *g = (wadi_plan_stage){.change = change,
                           .inputs = p->input[p->stages],
                           .nparts = gives->parts,
                           .parts = numbers,
                           .from = numbers,
                           .size = -1,
                           .first = -1,
                           .hop = -1,
                           .body = -1,
                           .nresults = gives->parts,
                           .results = numbers};
    p->gives[p->stages] = *gives;
    if (gives->origin == NEVER) p->gives[p->stages].origin = p->stages;
    return p->stages++;
}

static int add_lane(program *p, int sources, bool declares) {
    static const wadi_plan_extent single[2][WADI_MAX_RANK] = {{{.value = 1}}, {{.value = 1}}};
    list l = {0};
    const int first = p->tapes, first_array = p->arrays;
    for (int i = 0; i < sources; i++, p->tapes++) {
        const list one = of_tape(&p->tape[p->tapes]);
        l = i == 0 ? one : side_by_side(l, &one);
        p->source[p->tapes] = (wadi_plan_source){.name = names[p->tapes],
                                                 .nslots = one.parts,
                                                 .slots = &numbers[p->arrays],
                                                 .extent = declares ? single : NULL};
        p->arrays += one.parts;
    }
    if (declares) l = declared(l);
    const int s = add_stage(p, WADI_CHANGE_READ, &l);
    p->stage[s].nsources = sources;
    p->stage[s].sources = &p->source[first];
    p->stage[s].parts = p->stage[s].results = &numbers[first_array];
    return s;
}

static int add_count(program *p, wadi_change_kind change, int input, int64_t n) {
    const list l =
        change == WADI_CHANGE_TAKE ? taken(p->gives[input], n) : dropped(p->gives[input], n);
    const int s = add_stage(p, change, &l), slot = MOST + s;
    p->input[s][0] = input;
    p->stage[s].ninputs = 1;
    p->size[s] = n;
    p->number[s] = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {&p->size[s]}};
    p->slot[slot] = (wadi_plan_slot){.name = "n",
                                     .kind = WADI_SLOT_ONCE,
                                     .fields = 1,
                                     .type = {WADI_I64},
                                     .data = &p->number[s]};
    p->stage[s].size = slot;
    return s;
}

static int add_expand(program *p, int input) {
    const list l = expanded(p->gives[input]);
    const int s = add_stage(p, WADI_CHANGE_EXPAND, &l);
    p->input[s][0] = input;
    p->stage[s].ninputs = 1;
    return s;
}

static int add_zip(program *p, int n, const int *inputs) {
    list l = p->gives[inputs[0]];
    for (int i = 1; i < n; i++) l = zipped(l, &p->gives[inputs[i]]);
    const int s = add_stage(p, WADI_CHANGE_ZIP, &l);
    for (int i = 0; i < n; i++) p->input[s][i] = inputs[i];
    p->stage[s].ninputs = n;
    return s;
}

static void add_sink(program *p, int stage) {
    p->end[p->ends] = (wadi_plan_end){.kind = WADI_END_SINK,
                                      .stage = stage,
                                      .nfrom = p->gives[stage].parts,
                                      .from = numbers,
                                      .name = p->ends == 0 ? "out" : "too"};
    p->ends++;
}

/* ---- running it ---- */

/* The pool of buffers the next run will find: that of the run before, if nothing holds memory of it any more. */
static const wadi_buffers *pool_at_hand(void) {
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 0, &b, NULL), WADI_OK);
    wadi_buffers_release(b);
    return b;
}

static wadi_status load_nothing(void *self, const wadi_plan *plan, int body,
                                wadi_version_key version, wadi_plan_code *out, wadi_error *err) {
    (void)self, (void)plan, (void)body, (void)version, (void)out, (void)err;
    return WADI_INTERNAL;
}

static wadi_status go(program *p, check *sinks, const wadi_run_options *options, wadi_error *err) {
    static const wadi_loader no_loader = {.load = load_nothing};
    const wadi_buffers *before = pool_at_hand();
    wadi_run *x = NULL;
    p->phase.is_stream = true;
    p->phase.stream = (wadi_plan_stream){
        .nstages = p->stages, .stages = p->stage, .nends = p->ends, .ends = p->end};
    p->plan = (wadi_plan){.name = "p",
                          .nslots = MOST + STAGES,
                          .slots = p->slot,
                          .nphases = 1,
                          .phases = &p->phase,
                          .nplaces = 1,
                          .places = &p->place};
    assert_int_equal(wadi_run_create_for(&p->plan, &no_loader, options, &x, err), WADI_OK);
    for (int i = 0; i < p->tapes; i++)
        assert_int_equal(wadi_run_source(x, names[i], &p->tape[i].base, err), WADI_OK);
    for (int i = 0; i < p->tapes; i++) p->tape[i].run = x;
    for (int i = 0; i < p->ends; i++)
        assert_int_equal(wadi_run_sink(x, p->end[i].name, &sinks[i].base, err), WADI_OK);
    const wadi_status status = wadi_run_go(x, err);
    wadi_run_destroy(x);
    assert_ptr_equal(pool_at_hand(), before);
    for (int i = 0; i < p->tapes; i++) assert_int_equal(p->tape[i].base.wake_fd, -1);
    for (int i = 0; i < p->ends; i++) {
        assert_int_equal(sinks[i].base.wake_fd, -1);
        assert_int_equal(sinks[i].finished, status == WADI_OK);
        assert_int_equal(sinks[i].aborted, status != WADI_OK);
    }
    return status;
}

/* ---- any stream ---- */

static void make_tapes(program *p) {
    for (int i = 0; i < TAPES; i++) {
        const int64_t n = below(8) == 0 ? 0 : below(30);
        p->tape[i] = make_tape(i, n, below(3) == 0 ? below(n + 1) : NEVER);
        if (p->tape[i].fail_at == NEVER && below(3) == 0) p->tape[i].base.at_hand = n;
        p->tape[i].gives = below(4);
    }
    for (int i = 0; i < TAPES; i++) {
        tape *t = &p->tape[i];
        if (below(2) == 0) t->wide_at = TAPES * below(6) + i; /* no two alike */
        t->base.parts = 1 + (int)below(2);
        t->base.part[1] = t->base.part[0];
        for (int k = 0; k < 2; k++)
            if ((k > 0 || t->wide_at == NEVER) && below(2) == 0)
                t->base.part[k] = wadi_part_fixed(WADI_I64, 1, (const int64_t[]){1});
    }
}

static int maybe_count(program *p, int stage) {
    if (below(3) > 0) return stage;
    return add_count(p, below(2) == 0 ? WADI_CHANGE_TAKE : WADI_CHANGE_DROP, stage, below(20) - 2);
}

static int maybe_expand(program *p, int stage) {
    const list *l = &p->gives[stage];
    return l->parts > 1 && l->rank == 1 && below(2) == 0 ? add_expand(p, stage) : stage;
}

/* Up to three lanes, one of which may have two sources, each perhaps shortened;
 * then all of them zipped, and shortened. */
static int make_stream(program *p) {
    const int lanes = 1 + (int)below(LANES), twice = (int)below(lanes + 1);
    int last[LANES];
    for (int i = 0; i < lanes; i++) last[i] = add_lane(p, i == twice ? 2 : 1, below(3) == 0);
    for (int i = 0; i < lanes; i++) last[i] = maybe_expand(p, maybe_count(p, last[i]));
    const int all = lanes == 1 ? last[0] : add_zip(p, lanes, last);
    return maybe_count(p, maybe_expand(p, all));
}

static void the_sink_gets_what_comes_before_the_first_failure_that_counts(void **unused) {
    (void)unused;
    static const int64_t chunks[] = {0, 1, 2, 3, 7, 100};
    for (int round = 0; round < 600; round++) {
        program p;
        state = (uint64_t)round;
        begin(&p);
        make_tapes(&p);
        const int last = make_stream(&p);
        add_sink(&p, last);
        if (p.gives[last].odd) continue;
        check sink = make_check(&p.gives[last], below(3) == 0);
        const wadi_run_options o = {.chunk = chunks[round % 6], .threads = 1};
        wadi_error err = {0};
        assert_int_equal(go(&p, &sink, &o, &err), sink.want.status);
        assert_non_null(strstr(err.msg, sink.want.why));
        assert_int_equal(sink.seen, sink.want.n);
        for (int i = 0; i < p.tapes; i++) assert_int_equal(p.tape[i].why, sink.want.status);
    }
}

/* A sink of the first lane beside that of all: what another lane ends does not
 * end it. */
static void a_sink_gets_all_though_another_has_enough(void **unused) {
    (void)unused;
    for (int round = 0; round < 200; round++) {
        program p;
        state = (uint64_t)round;
        begin(&p);
        make_tapes(&p);
        const int last = make_stream(&p);
        const list *first = &p.gives[0];
        if (first->status != WADI_OK || p.gives[last].odd)
            continue; /* which failure comes first is open */
        add_sink(&p, last);
        add_sink(&p, 0);
        check sinks[] = {make_check(&p.gives[last], false), make_check(first, below(2) == 0)};
        const wadi_run_options o = {.chunk = 1 + below(12), .threads = 1};
        wadi_error err = {0};
        const wadi_status status = sinks[0].want.status;
        assert_int_equal(go(&p, sinks, &o, &err), status);
        assert_int_equal(sinks[0].seen, sinks[0].want.n);
        if (status == WADI_OK) assert_int_equal(sinks[1].seen, first->n);
    }
}

/* ---- how far sources are read ---- */

static void no_source_is_read_further_than_wanted(void **unused) {
    (void)unused;
    for (int64_t chunk = 1; chunk < 20; chunk += 3) {
        for (int side = 0; side < 2; side++) {
            program p;
            begin(&p);
            for (int i = 0; i < TAPES; i++) p.tape[i] = make_tape(i, ENDLESS, NEVER);
            const int lane[] = {add_lane(&p, 1, false), add_lane(&p, 1 + side, false)};
            const int both[] = {add_count(&p, WADI_CHANGE_DROP, lane[0], 11), lane[1]};
            const int last = add_count(&p, WADI_CHANGE_TAKE, add_zip(&p, 2, both), 17);
            add_sink(&p, last);
            check sink = make_check(&p.gives[last], false);
            const wadi_run_options o = {.chunk = chunk, .threads = 1};
            wadi_error err = {0};
            assert_int_equal(go(&p, &sink, &o, &err), WADI_OK);
            assert_int_equal(sink.seen, 17);
            assert_int_equal(p.tape[0].at, 28);
            for (int i = 1; i < p.tapes; i++) assert_int_equal(p.tape[i].at, 17);
        }
    }
}

/* Sources that never end are left alone when nobody wants more, though how far
 * they would be read is not known before. */
static void sources_stop_when_nobody_wants_more(void **unused) {
    (void)unused;
    for (int64_t chunk = 1; chunk < 30; chunk += 9) {
        program p;
        begin(&p);
        p.tape[0] = make_tape(0, INT64_MAX, NEVER);
        p.tape[1] = make_tape(1, 40, NEVER);
        const int lanes[] = {add_lane(&p, 1, false), add_lane(&p, 1, false)};
        const int last = add_zip(&p, 2, lanes);
        add_sink(&p, last);
        check sink = make_check(&p.gives[last], false);
        const wadi_run_options o = {.chunk = chunk, .threads = 1};
        wadi_error err = {0};
        assert_int_equal(go(&p, &sink, &o, &err), WADI_OK);
        assert_int_equal(sink.seen, 40);
        assert_true(p.tape[0].at < 40 + 8 * chunk);
    }
}

/* The lanes of a zip are read in turn: what waits stays little, however long
 * they are. */
static void lanes_keep_pace_with_each_other(void **unused) {
    (void)unused;
    for (int later = 0; later < 2; later++) {
        program p;
        begin(&p);
        for (int i = 0; i < 2; i++) p.tape[i] = make_tape(i, 100000, NEVER);
        const int read[] = {add_lane(&p, 1, false), add_lane(&p, 1, false)};
        const int lanes[] = {later == 0 ? add_count(&p, WADI_CHANGE_DROP, read[0], 50000) : read[0],
                             later == 1 ? add_count(&p, WADI_CHANGE_DROP, read[1], 50000)
                                        : read[1]};
        const int last = add_zip(&p, 2, lanes);
        add_sink(&p, last);
        check sink = make_check(&p.gives[last], true);
        const wadi_run_options o = {.chunk = 500, .threads = 1, .memory = 64000};
        wadi_error err = {0};
        assert_int_equal(go(&p, &sink, &o, &err), WADI_OK);
        assert_int_equal(sink.seen, 50000);
    }
}

/* Two lanes fail at the same element: that is sure to be wanted once the third
 * has one, however long it is. */
static void a_failure_in_two_lanes_waits_for_no_third(void **unused) {
    (void)unused;
    for (int64_t chunk = 1; chunk < 20; chunk += 6) {
        for (int endless = 0; endless < 3; endless++) {
            program p;
            int lanes[3];
            begin(&p);
            for (int i = 0; i < 3; i++) {
                p.tape[i] = make_tape(i, INT64_MAX, i == endless ? NEVER : 7);
                lanes[i] = add_lane(&p, 1, false);
            }
            const int last = add_zip(&p, 3, lanes);
            add_sink(&p, last);
            check sink = make_check(&p.gives[last], false);
            const wadi_run_options o = {.chunk = chunk, .threads = 1};
            wadi_error err = {0};
            assert_int_equal(go(&p, &sink, &o, &err), WADI_IO);
            assert_string_equal(err.msg, sink.want.why);
            assert_int_equal(sink.seen, 7);
            assert_true(p.tape[endless].at < 7 + 8 * chunk);
        }
    }
}

/* One lane zipped with itself, later: what must wait is more than the memory
 * allowed. */
static void a_sequence_too_far_ahead_of_another_is_told(void **unused) {
    (void)unused;
    for (int64_t n = 0; n < 2; n++) {
        program p;
        begin(&p);
        p.tape[0] = make_tape(0, 30000, NEVER);
        const int read = add_lane(&p, 1, false);
        const int both[] = {read, add_count(&p, WADI_CHANGE_DROP, read, n == 0 ? 100 : 20000)};
        const int last = add_zip(&p, 2, both);
        add_sink(&p, last);
        check sink = make_check(&p.gives[last], true);
        const wadi_run_options o = {.chunk = 100, .threads = 1, .memory = 64000};
        wadi_error err = {0};
        assert_int_equal(go(&p, &sink, &o, &err), n == 0 ? WADI_OK : WADI_MEMORY);
        assert_int_equal(sink.seen, n == 0 ? 29900 : 0);
        if (n == 0) continue;
        assert_non_null(strstr(err.msg, "zip: one sequence is ahead of another by "));
        assert_string_equal(err.at.file, "test.c");
    }
}

/* That somebody has cancelled is no business of those who supply the elements. */
static void nobody_is_told_of_a_cancelled_run(void **unused) {
    (void)unused;
    for (int64_t chunk = 1; chunk < 20; chunk += 6) {
        program p;
        begin(&p);
        for (int i = 0; i < 2; i++) p.tape[i] = make_tape(i, INT64_MAX, NEVER);
        p.tape[1].cancel_at = 20;
        const int lanes[] = {add_lane(&p, 1, false), add_lane(&p, 1, false)};
        add_sink(&p, add_zip(&p, 2, lanes));
        check sink = make_check(&p.gives[2], false);
        const wadi_run_options o = {.chunk = chunk, .threads = 1};
        wadi_error err = {0};
        assert_int_equal(go(&p, &sink, &o, &err), WADI_CANCELLED);
        for (int i = 0; i < 2; i++) assert_int_equal(p.tape[i].why, WADI_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sink_gets_what_comes_before_the_first_failure_that_counts),
        cmocka_unit_test(a_sink_gets_all_though_another_has_enough),
        cmocka_unit_test(no_source_is_read_further_than_wanted),
        cmocka_unit_test(sources_stop_when_nobody_wants_more),
        cmocka_unit_test(lanes_keep_pace_with_each_other),
        cmocka_unit_test(a_failure_in_two_lanes_waits_for_no_third),
        cmocka_unit_test(a_sequence_too_far_ahead_of_another_is_told),
        cmocka_unit_test(nobody_is_told_of_a_cancelled_run),
    };
    wadi_keep_hold();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wadi_keep_drop();
    return failed;
}
