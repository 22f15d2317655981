/* A plan that has everything a plan can have: its whole text, and its hash. The hash must depend on every number that decides what a
 * run computes, and on no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sched/plan.h"

enum { SLOTS = 14 };

/* Slots by number: 0 x, 1 y, 2 kept, 3 state, 4 next, 5 first, 6 n, 7 hop, 8 m, 9 out, 10 no name, 11 index, 12 shapes, 13 s. */
typedef struct whole {
    wadi_plan plan;
    wadi_plan_slot slot[SLOTS];
    wadi_plan_body body[2];
    wadi_plan_phase phase[2];
    wadi_plan_stage stage[6];
    wadi_plan_source source[2];
    wadi_plan_extent extent[2][WADI_MAX_RANK];
    wadi_plan_end end[6];
    wadi_plan_input input[2];
    wadi_plan_output output[2];
    wadi_plan_place place[1];
    int results[4], reads[2], inputs[2], parts[2], from[2], picked[2];
    int init[2], in[2], out[2], after[2], fold_parts[4], fold_from[2], into[4];
    bool take[2];
    int64_t data[6];
    double other[6];
    wadi_array array;
} whole;

static wadi_plan_slot slot(const char *name, wadi_slot_kind kind, int rank, wadi_type type) {
    return (wadi_plan_slot){.name = name, .kind = kind, .rank = rank, .fields = 1, .type = {type}};
}

static wadi_plan_stage stage(const whole *w, wadi_change_kind change, int ninputs) {
    return (wadi_plan_stage){.change = change,
                             .ninputs = ninputs,
                             .inputs = w->inputs,
                             .nparts = 2,
                             .parts = w->parts,
                             .from = w->from,
                             .size = -1,
                             .first = -1,
                             .hop = -1,
                             .test = -1,
                             .body = -1,
                             .nresults = 2,
                             .results = w->picked};
}

static wadi_plan_fold fold(const whole *w) {
    return (wadi_plan_fold){.body = 1,
                            .nstate = 2,
                            .init = w->init,
                            .take = w->take,
                            .state_in = w->in,
                            .state_out = w->out,
                            .nparts = 2,
                            .parts = w->fold_parts,
                            .from = w->fold_from,
                            .carried = true,
                            .after = w->after};
}

static void make(whole *w) {
    static const char *const names[] = {"x",   "y", "kept", "state", "next",  "first",  "n",
                                        "hop", "m", "out",  NULL,    "index", "shapes", "s"};
    *w = (whole){.results = {2, 10, 9, 0},
                 .reads = {0, 1},
                 .inputs = {0, 1},
                 .parts = {2, 10},
                 .from = {1, 0},
                 .picked = {2, 0},
                 .init = {5, 6},
                 .in = {3, 13},
                 .out = {3, 4},
                 .after = {2, 10},
                 .fold_parts = {2, 0, 1, 8},
                 .fold_from = {0, 1},
                 .into = {9, 8, 12, 5},
                 .take = {true, false},
                 .data = {3, 1, 4, 1, 5, 9},
                 .other = {1, 2, 3, 4, 5, 6}};
    for (int i = 0; i < SLOTS; i++) w->slot[i] = slot(names[i], WADI_SLOT_ONCE, 0, WADI_I64);
    w->slot[0] = slot("x", WADI_SLOT_IRREGULAR, 2, WADI_F32);
    w->slot[1] = slot("y", WADI_SLOT_REGULAR, 1, WADI_U8);
    w->slot[3].rank = 1;
    w->slot[9] = (wadi_plan_slot){.name = "out",
                                  .rank = 2,
                                  .fields = 2,
                                  .type = {WADI_I64, WADI_F64},
                                  .field = {"count", NULL}};
    w->array = (wadi_array){.rank = 2,
                            .shape = {2, 3},
                            .fields = 2,
                            .type = {WADI_I64, WADI_F64},
                            .column = {w->data, w->other}};
    w->slot[9].data = &w->array;
    w->body[0] = (wadi_plan_body){.name = "map",
                                  .index_slot = 11,
                                  .nresults = 3,
                                  .results = w->results,
                                  .offers = {true, false, true},
                                  .nreads = 2,
                                  .reads = w->reads,
                                  .routines = true};
    w->body[1] = (wadi_plan_body){.name = "add",
                                  .index_slot = -1,
                                  .nresults = 2,
                                  .results = w->out,
                                  .offers = {false, true, false}};
    w->extent[0][0] = (wadi_plan_extent){-1, "rows"};
    w->extent[0][1] = (wadi_plan_extent){-1, NULL};
    w->extent[1][0] = (wadi_plan_extent){0, NULL};
    w->source[0] =
        (wadi_plan_source){.name = "in",
                           .nslots = 2,
                           .slots = w->reads,
                           .extent = (const wadi_plan_extent(*)[WADI_MAX_RANK])w->extent};
    w->source[1] = (wadi_plan_source){.counter = true, .count_slot = 6};
    w->stage[0] = (wadi_plan_stage){.change = WADI_CHANGE_READ,
                                    .nsources = 2,
                                    .sources = w->source,
                                    .nparts = 2,
                                    .parts = w->reads,
                                    .from = w->from, /* of no meaning here */
                                    .size = -1,
                                    .first = -1,
                                    .hop = -1,
                                    .test = -1,
                                    .nresults = 3,
                                    .results = w->results};
    w->stage[1] = stage(w, WADI_CHANGE_FILTER, 1);
    w->stage[1].test = 2;
    w->stage[2] = stage(w, WADI_CHANGE_WINDOWS, 1);
    w->stage[2].size = 6;
    w->stage[2].hop = 7;
    w->stage[2].last = WADI_LAST_WINDOW_PAD;
    w->stage[3] = stage(w, WADI_CHANGE_ZIP, 2);
    w->stage[4] = stage(w, WADI_CHANGE_SCAN, 1);
    w->stage[4].scan = fold(w);
    w->stage[5] = stage(w, WADI_CHANGE_TAKE, 1);
    w->stage[5].size = 0;
    w->stage[5].nparts = 0;
    static const wadi_end_kind ends[] = {WADI_END_SINK,         WADI_END_ELEMENTS,
                                         WADI_END_TABULATE_MIN, WADI_END_FROM_SEQ,
                                         WADI_END_FOLD,         WADI_END_FOLD_BATCH};
    for (int i = 0; i < 6; i++)
        w->end[i] = (wadi_plan_end){.kind = ends[i],
                                    .stage = 5 - i,
                                    .nfrom = 2,
                                    .from = w->from,
                                    .name = "disk",
                                    .unordered = i == 0,
                                    .ninto = i == 3 ? 4 : 2,
                                    .into = w->into,
                                    .fold = fold(w)};
    w->phase[0].body = 1;
    w->phase[1] =
        (wadi_plan_phase){.is_stream = true,
                          .stream = {.nstages = 6, .stages = w->stage, .nends = 6, .ends = w->end}};
    w->input[0] = (wadi_plan_input){.name = "size", .slot = 6};
    w->input[1] =
        (wadi_plan_input){.name = "table", .slot = 0, .extent = {{-1, "rows"}, {12, NULL}}};
    w->output[0] = (wadi_plan_output){"result", 9};
    w->output[1] = (wadi_plan_output){"more", 10};
    w->plan = (wadi_plan){.name = "whole",
                          .program = {1, 2, 3},
                          .nslots = SLOTS,
                          .slots = w->slot,
                          .ninputs = 2,
                          .inputs = w->input,
                          .noutputs = 2,
                          .outputs = w->output,
                          .nbodies = 2,
                          .bodies = w->body,
                          .nphases = 2,
                          .phases = w->phase,
                          .nplaces = 1,
                          .places = w->place};
}

static const char text[] =
    "plan whole\n"
    "program 0102030000000000000000000000000000000000000000000000000000000000\n"
    "\n"
    "slot x.0: irregular f32 rank 2\n"
    "slot y.1: regular u8 rank 1\n"
    "slot kept.2: once i64\n"
    "slot state.3: once i64 rank 1\n"
    "slot next.4: once i64\n"
    "slot first.5: once i64\n"
    "slot n.6: once i64\n"
    "slot hop.7: once i64\n"
    "slot m.8: once i64\n"
    "slot out.9: once {count: i64, f64} rank 2 = [2, 3] [3, 1, 4, 1, 5, 9] [1, 2, 3, 4, 5, 6]\n"
    "slot _.10: once i64\n"
    "slot index.11: once i64\n"
    "slot shapes.12: once i64\n"
    "slot s.13: once i64\n"
    "input \"size\": n.6\n"
    "input \"table\": x.0 [rows, 12]\n"
    "\n"
    "body map -> kept.2, _.10, out.9 from index index.11\n"
    "    reads: x.0, y.1\n"
    "    offered: inside across pure\n"
    "\n"
    "body add -> state.3, next.4\n"
    "    offered: flat\n"
    "\n"
    "phase 0: add\n"
    "\n"
    "phase 1: stream\n"
    "    stage 0: read at place 0\n"
    "        source \"in\": x.0 [rows, ?], y.1 [0]\n"
    "        count to n.6\n"
    "        map -> kept.2, _.10, out.9\n"
    "    stage 1: filter by 2 of stage 0: kept.2, _.10 from 1, 0 at place 0\n"
    "        unchanged -> kept.2, x.0\n"
    "    stage 2: windows n.6 every hop.7, last pad of stage 0: kept.2, _.10 from 1, 0 at place 0\n"
    "        unchanged -> kept.2, x.0\n"
    "    stage 3: zip of stage 0, 1: kept.2, _.10 from 1, 0 at place 0\n"
    "        unchanged -> kept.2, x.0\n"
    "    stage 4: scan by add from first.5, n.6 over 0, 1 of stage 0: kept.2, _.10 from 1, 0 at "
    "place 0\n"
    "        state state.3 in place, taken, s.13 -> next.4\n"
    "        reads kept.2, x.0, carried, after each kept.2, _.10\n"
    "        unchanged -> kept.2, x.0\n"
    "    stage 5: take x.0 of stage 0 at place 0\n"
    "        unchanged -> kept.2, x.0\n"
    "    sink \"disk\" unordered of stage 5: 1, 0 -> out.9, m.8 at place 0\n"
    "    elements of stage 4: 1, 0 -> out.9, m.8 at place 0\n"
    "    tabulate_min of stage 3: 1, 0 -> out.9, m.8 at place 0\n"
    "    from_seq of stage 2: 1, 0 -> out.9, m.8, shapes.12, first.5 at place 0\n"
    "    fold of stage 1 by add from first.5, n.6 over 0, 1: 1, 0 -> out.9, m.8 at place 0\n"
    "        state state.3 in place, taken, s.13 -> next.4\n"
    "        reads kept.2, x.0, carried, after each kept.2, _.10\n"
    "    fold_batch of stage 0 by add from first.5, n.6 over 0, 1: 1, 0 -> out.9, m.8 at place 0\n"
    "        state state.3 in place, taken, s.13 -> next.4\n"
    "        reads kept.2, x.0, y.1, m.8, carried, after each kept.2, _.10\n"
    "\n"
    "output \"result\" = out.9\n"
    "output \"more\" = _.10\n"
    "\n"
    "place 0: - - - -:0\n";

static void all_of_it_is_printed(void **state) {
    (void)state;
    static whole w;
    wadi_text t;
    make(&w);
    wadi_text_init(&t);
    wadi_plan_print(&w.plan, &t);
    assert_string_equal(wadi_text_str(&t), text);
    wadi_text_fini(&t);
}

static void what_is_printed_reads_back(void **state) {
    (void)state;
    static whole w;
    wadi_plan *p = NULL;
    uint8_t before[32], after[32];
    wadi_error err = {.status = WADI_OK};
    wadi_text t;
    make(&w);
    if (wadi_plan_read(text, &p, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_text_init(&t);
    wadi_plan_print(p, &t);
    assert_string_equal(wadi_text_str(&t), text);
    wadi_plan_hash(&w.plan, before);
    wadi_plan_hash(p, after);
    assert_memory_equal(before, after, 32);
    wadi_text_fini(&t);
    wadi_arena_destroy(p->arena);
}

/* Each kind of step, with and without what a step may have. */
static void steps_are_printed(void **state) {
    (void)state;
    static whole w;
    static const int slots[] = {9, 10}, results[] = {2, -1};
    static const wadi_plan_control control = {
        .predicate = 13,
        .nvalues = 2,
        .results = results,
        .part = {{.level = 1, .nsteps = 3}, {.level = 2, .nsteps = 0}}};
    static const wadi_plan_step steps[] = {
        {.kind = WADI_STEP_SHAPE, .kernel = "a", .nslots = 1, .slots = slots},
        {.kind = WADI_STEP_ALLOC, .nslots = 2, .slots = slots},
        {.kind = WADI_STEP_RUN, .kernel = "b", .serial = true},
        {.kind = WADI_STEP_FLAT, .kernel = "c", .units = "d", .level = 2},
        {.kind = WADI_STEP_COND, .control = &control},
        {.kind = WADI_STEP_LOOP, .control = &control, .level = 1},
        {.kind = WADI_STEP_FOREIGN, .nslots = 1, .slots = slots},
        {.kind = WADI_STEP_MANY, .nslots = 1, .slots = slots},
        {.kind = WADI_STEP_SINGLE, .nslots = 1, .slots = slots}};
    const wadi_plan_version v = {.nsteps = 9, .steps = steps};
    wadi_text t;
    make(&w);
    wadi_text_init(&t);
    wadi_plan_version_print(&w.plan, &v, &t);
    assert_string_equal(
        wadi_text_str(&t),
        "    shape a -> out.9\n"
        "    alloc -> out.9, _.10\n"
        "    run b (serial)\n"
        "    [2] flat c over d\n"
        "    cond if slot 13 -> kept.2, _.-1; part 0: 3 steps, level 1; part 1: 0 steps, level 2\n"
        "    [1] loop if slot 13 -> kept.2, _.-1; part 0: 3 steps, level 1; part 1: 0 steps, level "
        "2\n"
        "    foreign -> out.9\n"
        "    many -> out.9\n"
        "    single -> out.9\n");
    wadi_text_fini(&t);
}

/* ---- the hash ---- */

static void hash(const whole *w, uint8_t out[32]) {
    wadi_plan_hash(&w->plan, out);
}

typedef struct numbers {
    int n;
    struct {
        void *at;
        size_t bytes;
        const char *name;
    } row[400];
} numbers;

static void list(numbers *l, void *at, size_t bytes, const char *name) {
    assert_true(l->n < 400);
    l->row[l->n].at = at;
    l->row[l->n].bytes = bytes;
    l->row[l->n++].name = name;
}

#define NUMBER(l, x) list(l, &(x), sizeof(x), #x)
#define ALL(l, x) \
    for (size_t i_ = 0; i_ < sizeof(x) / sizeof *(x); i_++) list(l, &(x)[i_], sizeof *(x), #x)

static void list_fold(numbers *l, wadi_plan_fold *f) {
    NUMBER(l, f->body);
    NUMBER(l, f->carried);
}

/* Numbers of slots, bodies, stages: whichever they are. Lists and their lengths are one matter, so lengths are left alone here. */
static void list_all(whole *w, numbers *l) {
    l->n = 0;
    ALL(l, w->plan.program);
    for (int i = 0; i < SLOTS; i++) {
        NUMBER(l, w->slot[i].kind);
        NUMBER(l, w->slot[i].type[0]);
    }
    NUMBER(l, w->slot[9].type[1]);
    NUMBER(l, w->slot[3].rank); /* has no data */
    ALL(l, w->data);
    ALL(l, w->other);
    for (int i = 0; i < 2; i++) {
        NUMBER(l, w->input[i].slot);
        NUMBER(l, w->output[i].slot);
        NUMBER(l, w->body[i].index_slot);
        ALL(l, w->body[i].offers);
        NUMBER(l, w->body[i].routines);
        NUMBER(l, w->phase[i].is_stream);
    }
    NUMBER(l, w->phase[0].body);
    NUMBER(l, w->input[1].extent[1].value);
    NUMBER(l, w->input[1].extent[0].value);
    NUMBER(l, w->extent[0][0].value);
    NUMBER(l, w->extent[0][1].value);
    NUMBER(l, w->extent[1][0].value);
    NUMBER(l, w->source[1].count_slot);
    NUMBER(l, w->source[0].counter);
    NUMBER(l, w->source[1].counter);
    for (int i = 0; i < 6; i++) {
        NUMBER(l, w->stage[i].change);
        NUMBER(l, w->stage[i].size);
        NUMBER(l, w->stage[i].hop);
        NUMBER(l, w->stage[i].last);
        NUMBER(l, w->stage[i].test);
        NUMBER(l, w->stage[i].body);
        NUMBER(l, w->end[i].kind);
        NUMBER(l, w->end[i].stage);
    }
    list_fold(l, &w->stage[4].scan);
    list_fold(l, &w->end[4].fold);
    list_fold(l, &w->end[5].fold);
    for (int i = 0; i < 3; i++) NUMBER(l, w->results[i]);
    ALL(l, w->reads);
    ALL(l, w->inputs);
    ALL(l, w->parts);
    ALL(l, w->from);
    NUMBER(l, w->picked[0]);
    ALL(l, w->init);
    ALL(l, w->in);
    ALL(l, w->out);
    ALL(l, w->after);
    ALL(l, w->fold_parts);
    ALL(l, w->fold_from);
    ALL(l, w->into);
    ALL(l, w->take);
}

static void every_number_of_it_counts(void **state) {
    (void)state;
    static whole w;
    static numbers l;
    uint8_t before[32], after[32];
    make(&w);
    list_all(&w, &l);
    hash(&w, before);
    for (int i = 0; i < l.n; i++) {
        *(uint8_t *)l.row[i].at ^=
            1; /* of a number the lowest bit, on either end; of a bool the other one */
        hash(&w, after);
        *(uint8_t *)l.row[i].at ^= 1;
        if (memcmp(before, after, 32) == 0) fail_msg("%s (number %d)", l.row[i].name, i);
    }
    hash(&w, after);
    assert_memory_equal(before, after, 32);
}

static void every_name_of_it_counts(void **state) {
    (void)state;
    static whole w;
    uint8_t before[32], after[32];
    make(&w);
    const char **const names[] = {&w.input[0].name,           &w.input[1].name,
                                  &w.output[0].name,          &w.output[1].name,
                                  &w.source[0].name,          &w.end[0].name,
                                  &w.extent[0][0].name,       &w.extent[0][1].name,
                                  &w.input[1].extent[0].name, &w.input[1].extent[1].name};
    hash(&w, before);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *was = *names[i];
        *names[i] = "other";
        hash(&w, after);
        *names[i] = was;
        if (memcmp(before, after, 32) == 0) fail_msg("name %d", (int)i);
    }
}

/* Parts that are left out, each from the end of its list. */
static void every_length_counts(void **state) {
    (void)state;
    static whole w;
    uint8_t before[32], after[32];
    make(&w);
    int *const lengths[] = {&w.plan.nslots,           &w.plan.ninputs,
                            &w.plan.noutputs,         &w.plan.nbodies,
                            &w.plan.nphases,          &w.body[0].nresults,
                            &w.body[1].nresults,      &w.source[0].nslots,
                            &w.stage[0].nsources,     &w.stage[0].nparts,
                            &w.stage[1].nparts,       &w.stage[3].ninputs,
                            &w.stage[1].nresults,     &w.phase[1].stream.nstages,
                            &w.phase[1].stream.nends, &w.end[0].nfrom,
                            &w.end[0].ninto,          &w.end[3].ninto,
                            &w.stage[4].scan.nstate,  &w.stage[4].scan.nparts,
                            &w.end[4].fold.nparts,    &w.end[5].fold.nstate,
                            &w.slot[9].fields};
    hash(&w, before);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        --*lengths[i];
        hash(&w, after);
        ++*lengths[i];
        if (memcmp(before, after, 32) == 0) fail_msg("length %d", (int)i);
    }
    w.stage[4].scan.after = NULL;
    hash(&w, after);
    assert_memory_not_equal(before, after, 32);
    w.stage[4].scan.after = w.after;
    w.stage[4].scan.take = NULL;
    hash(&w, after);
    assert_memory_not_equal(before, after, 32);
    w.stage[4].scan.take = w.take;
    w.slot[9].data = NULL;
    hash(&w, after);
    assert_memory_not_equal(before, after, 32);
    w.slot[9].data = &w.array;
    w.array.shape[0] = 3; /* the same values in another shape */
    w.array.shape[1] = 2;
    hash(&w, after);
    assert_memory_not_equal(before, after, 32);
}

/* How things are called where nobody binds them, where they stand in the text, and what only decides how fast it is. */
static void other_things_do_not_count(void **state) {
    (void)state;
    static whole w;
    uint8_t before[32], after[32];
    make(&w);
    hash(&w, before);
    w.plan.name = "another";
    for (int i = 0; i < SLOTS; i++) w.slot[i].name = "slot";
    w.slot[9].field[0] = "first";
    w.body[0].name = w.body[1].name = "body";
    w.body[0].rank0 = w.body[0].lifted = true;
    w.place[0] = (wadi_plan_place){"op", "what", {"file", 1}};
    w.stage[0].place = w.end[0].place = 1;
    w.end[1].name = "no sink";
    hash(&w, after);
    assert_memory_equal(before, after, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_printed),      cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(steps_are_printed),         cmocka_unit_test(every_number_of_it_counts),
        cmocka_unit_test(every_name_of_it_counts),   cmocka_unit_test(every_length_counts),
        cmocka_unit_test(other_things_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
