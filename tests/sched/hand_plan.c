/* Builds a plan around kernels written by hand. Kernels find their program in a static variable, because tests run one at a time. */
#include "base/text.h"
#include "sched/cpu/code.h"
#include "tests/sched/hand_plan.h"

#include <pthread.h>
#include <string.h>

/* Two threads of a run may load at once. */
static _Atomic(hand_program *) current;

enum {
    IN = 0,
    OUT = 1,
    STATE_IN = 2,
    STATE_OUT = 3,
    INIT = 4,
    ALL = 5,
    COUNT = 6,
    INDEX = 7,
    EVEN = 8,
    PICKED = 9,
    SKIP = 10,
    MOST = 11,
    OUT_2 = 12, /* hand_thrice: of the second and third body */
    PICKED_3 = 13,
    OUT_3 = 14,
    KEY =
        15, /* hand_keyed: of the element; the two states, the next ones, and what comes of them */
    LAST = 16,
    NEXT = 17,
    FIRST = 18,
    SO_FAR = 19,
    PASSED = 20,
    PASSED_COUNT = 21
};

/* ---- kernels ---- */

static int fails(wadi_work *w, int64_t s) {
    if (w->first + s != current->fault_at) return 0;
    w->fault = (wadi_fault){.kind = WADI_FAULT_DIVISION, .place = 0, .element = s, .value = {5, 0}};
    return 1;
}

static int double_slot(wadi_work *w, int64_t begin, int64_t end, int in, int out) {
    for (int64_t s = begin; s < end; s++) {
        const int64_t *shape = w->slot[in].shape + s;
        const int32_t *from = (const int32_t *)w->slot[in].col[0] + w->slot[in].offset[s];
        void *col[1];
        if (!w->emit(w, out, s, shape, col)) return 1;
        for (int64_t i = 0; i < shape[0]; i++) ((int32_t *)col[0])[i] = 2 * from[i];
    }
    return 0;
}

static int double_second(wadi_work *w, int64_t begin, int64_t end) {
    return double_slot(w, begin, end, PICKED, OUT_2);
}

static int double_third(wadi_work *w, int64_t begin, int64_t end) {
    return double_slot(w, begin, end, PICKED_3, OUT_3);
}

static int double_inside(wadi_work *w, int64_t begin, int64_t end) {
    if (current->begins != NULL) current->begins();
    if (current->starve_above > 0 && w->count > current->starve_above) {
        w->fault = (wadi_fault){.kind = WADI_FAULT_MEMORY, .place = -1, .element = begin};
        return 1;
    }
    for (int64_t s = begin; s < end; s++) {
        const int64_t *shape = w->slot[IN].shape + s;
        const int32_t *from = (const int32_t *)w->slot[IN].col[0] + w->slot[IN].offset[s];
        if (fails(w, s)) return 1;
        const int64_t mark = w->scratch_mark(w);
        int32_t *copy = w->scratch(w, shape[0] * (int64_t)sizeof *copy);
        void *col[1];
        if (copy == NULL) return 1;
        if (!w->emit(w, OUT, s, shape, col)) return 1;
        for (int64_t i = 0; i < shape[0]; i++) copy[i] = 2 * from[i];
        for (int64_t i = 0; i < shape[0]; i++) ((int32_t *)col[0])[i] = copy[i];
        w->scratch_rewind(w, mark);
    }
    return 0;
}

static int double_shape(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) w->slot[OUT].shape[s] = w->slot[IN].shape[s];
    return 0;
}

static int double_units(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) w->unit[s] = 1;
    return 0;
}

static int double_flat(wadi_work *w, int64_t begin, int64_t end) {
    int64_t s = 0;
    for (int64_t u = begin; u < end; u++) {
        while (w->unit[s + 1] <= u) s++;
        if (fails(w, s)) return 1;
        const int64_t start = w->slot[IN].offset[s];
        const int32_t *from = (const int32_t *)w->slot[IN].col[0] + start;
        int32_t *to = (int32_t *)w->slot[OUT].col[0] + w->slot[OUT].offset[s];
        for (int64_t i = 0; i < w->slot[IN].shape[s]; i++) to[i] = 2 * from[i];
    }
    return 0;
}

static int fold_inside(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        void *col[1];
        if (!w->emit(w, STATE_OUT, s, NULL, col)) return 1;
        const uint64_t state = *(uint64_t *)w->slot[STATE_IN].col[0];
        *(uint64_t *)col[0] = state * 3 + (uint64_t)w->slot[OUT].shape[s]; /* wraps */
    }
    return 0;
}

static int double_and_test(wadi_work *w, int64_t begin, int64_t end) {
    uint8_t *even = w->slot[EVEN].col[0];
    for (int64_t s = begin; s < end; s++) even[s] = w->slot[IN].shape[s] % 2 == 0;
    return double_inside(w, begin, end);
}

static int double_and_key(wadi_work *w, int64_t begin, int64_t end) {
    int64_t *key = w->slot[KEY].col[0];
    for (int64_t s = begin; s < end; s++) key[s] = w->slot[IN].shape[s] % 3;
    return double_inside(w, begin, end);
}

static int keep_last(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        const int64_t *shape = w->slot[OUT].shape + s;
        const int32_t *from = (const int32_t *)w->slot[OUT].col[0] + w->slot[OUT].offset[s];
        void *array[1], *count[1];
        if (shape[0] > 0 && from[0] == 2 * current->step_fails_at) {
            w->fault = (wadi_fault){
                .kind = WADI_FAULT_DIVISION, .place = 0, .element = s, .value = {5, 0}};
            return 1;
        }
        if (!w->emit(w, NEXT, s, shape, array) || !w->emit(w, STATE_OUT, s, NULL, count)) return 1;
        for (int64_t i = 0; i < shape[0]; i++) ((int32_t *)array[0])[i] = from[i];
        *(int64_t *)count[0] = *(const int64_t *)w->slot[STATE_IN].col[0] + 1;
    }
    return 0;
}

static int count_shape(wadi_work *w, int64_t begin, int64_t end) {
    (void)begin;
    (void)end;
    w->slot[OUT].shape[0] = 3;
    return 0;
}

static int count_run(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) {
        const int64_t index = ((int64_t *)w->slot[INDEX].col[0])[s * w->slot[INDEX].stride];
        int64_t *to = (int64_t *)w->slot[OUT].col[0] + s * w->slot[OUT].stride;
        for (int64_t k = 0; k < 3; k++) to[k] = 10 * index + k;
    }
    return 0;
}

static const struct {
    const char *name;
    wadi_kernel kernel;
} kernels[] = {
    {"double_inside", double_inside},   {"double_shape", double_shape},
    {"double_units", double_units},     {"double_flat", double_flat},
    {"fold_inside", fold_inside},       {"count_shape", count_shape},
    {"count_run", count_run},           {"double_and_test", double_and_test},
    {"double_second", double_second},   {"double_third", double_third},
    {"double_and_key", double_and_key}, {"keep_last", keep_last},
};

static wadi_code find(const char *name) {
    for (size_t i = 0; name != NULL && i < sizeof kernels / sizeof kernels[0]; i++) {
        if (strcmp(kernels[i].name, name) == 0) return wadi_cpu_code(kernels[i].kernel);
    }
    return (wadi_code){0};
}

/* Threads that run the same program may come here at the same time. What is there stays: others read it without the lock. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void fill_in(hand_program *h, int body, wadi_version_key version) {
    wadi_plan_version *v = &h->version[body][version.schedule];
    if (current != h) current = h;
    if (v->places == h->plan.places) return;
    v->nplaces = h->plan.nplaces;
    v->places = h->plan.places;
    for (int i = 0; i < v->nsteps; i++) {
        h->kernels[body][version.schedule][i] = find(v->steps[i].kernel);
        h->units[body][version.schedule][i] = find(v->steps[i].units);
    }
}

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    (void)plan;
    (void)err;
    hand_program *h = self;
    const wadi_plan_version *v = &h->version[body][version.schedule];
    (void)pthread_mutex_lock(&loading);
    fill_in(h, body, version);
    (void)pthread_mutex_unlock(&loading);
    *out =
        (wadi_plan_code){v, h->kernels[body][version.schedule], h->units[body][version.schedule]};
    return WADI_OK;
}

/* Workers have the same program, so nothing of it travels but its name. */
static wadi_status put_name(void *self, wadi_text *out, wadi_error *err) {
    (void)self, (void)err;
    wadi_text_add(out, "hand");
    return WADI_OK;
}

wadi_loader hand_loader(hand_program *h) {
    return (wadi_loader){.load = load, .self = h, .charter = put_name};
}

/* ---- plans ---- */

static const int in_slot[] = {IN}, out_slot[] = {OUT}, state_in[] = {STATE_IN};
static const int state_out[] = {STATE_OUT}, init[] = {INIT}, all[] = {ALL};
static const int zero[] = {0}, one[] = {1}, two[] = {2}, picked[] = {PICKED}, even[] = {EVEN};
static const int tested[] = {OUT, EVEN};

static wadi_plan_slot slot(const char *name, wadi_slot_kind kind, int rank, wadi_type type) {
    return (wadi_plan_slot){.name = name, .kind = kind, .rank = rank, .fields = 1, .type = {type}};
}

static void begin(hand_program *h) {
    memset(h, 0, sizeof *h);
    h->fault_at = h->step_fails_at = -1;
    h->place[0] = (wadi_plan_place){"quot", "", {"hand.c", 12}};
    h->plan = (wadi_plan){.name = "hand",
                          .nslots = HAND_SLOTS,
                          .slots = h->slot,
                          .nbodies = 2,
                          .bodies = h->body,
                          .nphases = 1,
                          .phases = &h->phase,
                          .nplaces = 1,
                          .places = h->place};
    h->slot[IN] = slot("in", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    h->slot[OUT] = slot("doubled", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    h->slot[STATE_IN] = slot("state", WADI_SLOT_ONCE, 0, WADI_I64);
    h->slot[STATE_OUT] = slot("next state", WADI_SLOT_ONCE, 0, WADI_I64);
    h->slot[INIT] = slot("init", WADI_SLOT_ONCE, 0, WADI_I64);
    h->slot[ALL] = slot("all", WADI_SLOT_ONCE, 1, WADI_I32);
    h->slot[COUNT] = slot("n", WADI_SLOT_ONCE, 0, WADI_I64);
    h->slot[INDEX] = slot("index", WADI_SLOT_REGULAR, 0, WADI_I64);
    h->one = 1;
    h->init = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {&h->one}};
    h->slot[INIT].data = &h->init;
    h->body[0] =
        (wadi_plan_body){.name = "double", .index_slot = -1, .nresults = 1, .results = out_slot};
    h->body[1] =
        (wadi_plan_body){.name = "fold", .index_slot = -1, .nresults = 1, .results = state_out};
    h->phase.is_stream = true;
    h->stage[0] = (wadi_plan_stage){.change = WADI_CHANGE_READ,
                                    .nsources = 1,
                                    .sources = &h->source,
                                    .nparts = 1,
                                    .parts = in_slot,
                                    .size = -1,
                                    .first = -1,
                                    .hop = -1,
                                    .test = -1,
                                    .nresults = 1,
                                    .results = out_slot};
    h->end[0] = (wadi_plan_end){.nfrom = 1, .from = zero, .ninto = 1, .into = all};
    h->phase.stream =
        (wadi_plan_stream){.nstages = 1, .stages = h->stage, .nends = 1, .ends = h->end};
    h->plan.noutputs = 1;
    h->plan.outputs = &h->output;
    h->output = (wadi_plan_output){"all", ALL};
}

static void set_version(hand_program *h, int body, wadi_schedule schedule,
                        const wadi_plan_step *steps, int n) {
    h->body[body].offers[schedule] = true;
    h->version[body][schedule] = (wadi_plan_version){.nsteps = n, .steps = steps};
}

void hand_doubling(hand_program *h, wadi_end_kind end) {
    begin(h);
    h->source = (wadi_plan_source){.name = "in", .nslots = 1, .slots = in_slot};
    h->end[0].kind = end;
    h->end[0].name = "out";
    if (end == WADI_END_SINK) h->plan.noutputs = 0;
    if (end == WADI_END_TABULATE) h->slot[ALL].rank = 2;
    if (end == WADI_END_FOLD) {
        h->slot[ALL] = slot("all", WADI_SLOT_ONCE, 0, WADI_I64);
        h->end[0].fold = (wadi_plan_fold){.body = 1,
                                          .nstate = 1,
                                          .init = init,
                                          .state_in = state_in,
                                          .state_out = state_out,
                                          .nparts = 1,
                                          .parts = out_slot,
                                          .from = zero};
    }
    h->step[0][0] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = "double_inside"};
    set_version(h, 0, WADI_SCHEDULE_INSIDE, h->step[0], 1);
    h->step[1][0] = (wadi_plan_step){
        .kind = WADI_STEP_SHAPE, .kernel = "double_shape", .nslots = 1, .slots = out_slot};
    h->step[1][1] = (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = out_slot};
    h->step[1][2] =
        (wadi_plan_step){.kind = WADI_STEP_FLAT, .kernel = "double_flat", .units = "double_units"};
    set_version(h, 0, WADI_SCHEDULE_FLAT, h->step[1], 3);
    h->step[2][0] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = "fold_inside"};
    set_version(h, 1, WADI_SCHEDULE_INSIDE, h->step[2], 1);
}

void hand_counting(hand_program *h) {
    begin(h);
    h->slot[OUT] = slot("row", WADI_SLOT_REGULAR, 1, WADI_I64);
    h->slot[ALL] = slot("table", WADI_SLOT_ONCE, 2, WADI_I64);
    h->output = (wadi_plan_output){"table", ALL};
    h->input = (wadi_plan_input){.name = "n", .slot = COUNT};
    h->plan.ninputs = 1;
    h->plan.inputs = &h->input;
    h->source = (wadi_plan_source){.counter = true, .count_slot = COUNT};
    h->body[0].index_slot = INDEX;
    h->end[0].kind = WADI_END_TABULATE;
    h->stage[0].nparts = 0;
    h->step[0][0] = (wadi_plan_step){
        .kind = WADI_STEP_SHAPE, .kernel = "count_shape", .nslots = 1, .slots = out_slot};
    h->step[0][1] = (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = out_slot};
    h->step[0][2] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = "count_run"};
    set_version(h, 0, WADI_SCHEDULE_INSIDE, h->step[0], 3);
}

static void set_number(hand_program *h, int slot_number, const char *name, int64_t *value,
                       wadi_array *array) {
    h->slot[slot_number] = slot(name, WADI_SLOT_ONCE, 0, WADI_I64);
    *array = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {value}};
    h->slot[slot_number].data = array;
}

static wadi_plan_stage passing(wadi_change_kind change, const int *input, int size) {
    return (wadi_plan_stage){.change = change,
                             .ninputs = 1,
                             .inputs = input,
                             .nparts = 1,
                             .parts = picked,
                             .from = zero,
                             .test = 1,
                             .size = size,
                             .first = -1,
                             .hop = -1,
                             .body = -1,
                             .nresults = 1,
                             .results = picked};
}

void hand_staged(hand_program *h, int64_t skip, int64_t most) {
    hand_doubling(h, WADI_END_SINK);
    h->plan.noutputs = 1;
    h->skip = skip;
    h->most = most;
    set_number(h, SKIP, "skip", &h->skip, &h->skip_array);
    set_number(h, MOST, "most", &h->most, &h->most_array);
    h->slot[EVEN] = slot("even", WADI_SLOT_REGULAR, 0, WADI_BOOL);
    h->slot[PICKED] = slot("picked", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    h->body[0].nresults = h->stage[0].nresults = 2;
    h->body[0].results = h->stage[0].results = tested;
    h->stage[1] = passing(WADI_CHANGE_FILTER, zero, -1);
    h->stage[2] = passing(WADI_CHANGE_DROP, one, SKIP);
    h->stage[3] = passing(WADI_CHANGE_TAKE, two, MOST);
    h->end[0].stage = 3;
    h->end[1] = (wadi_plan_end){
        .kind = WADI_END_ELEMENTS, .stage = 0, .nfrom = 1, .from = zero, .ninto = 1, .into = all};
    h->phase.stream.nstages = 4;
    h->phase.stream.nends = 2;
    h->body[0].offers[WADI_SCHEDULE_FLAT] = false;
    h->step[0][0] = (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = even};
    h->step[0][1] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = "double_and_test"};
    set_version(h, 0, WADI_SCHEDULE_INSIDE, h->step[0], 2);
}

static void set_body(hand_program *h, int body, const char *kernel, const int *result) {
    h->body[body] =
        (wadi_plan_body){.name = kernel, .index_slot = -1, .nresults = 1, .results = result};
    h->step[body + 1][0] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = kernel};
    set_version(h, body, WADI_SCHEDULE_INSIDE, h->step[body + 1], 1);
}

void hand_thrice(hand_program *h, int64_t skip) {
    static const int out_2[] = {OUT_2}, picked_3[] = {PICKED_3}, out_3[] = {OUT_3};
    hand_staged(h, skip, 0);
    h->plan.noutputs = 0;
    h->plan.nbodies = HAND_BODIES;
    h->slot[OUT_2] = slot("again", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    h->slot[PICKED_3] = slot("left", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    h->slot[OUT_3] = slot("once more", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    set_body(h, 2, "double_second", out_2);
    set_body(h, 3, "double_third", out_3);
    h->stage[1].body = 2;
    h->stage[1].results = out_2;
    h->stage[2].body = 3;
    h->stage[2].parts = picked_3;
    h->stage[2].results = out_3;
    h->end[0].stage = 2;
    h->phase.stream.nstages = 3;
    h->phase.stream.nends = 1;
}

void hand_keyed(hand_program *h) {
    static const int keyed[] = {OUT, KEY}, key[] = {KEY}, states[] = {LAST, STATE_IN};
    static const int next[] = {NEXT, STATE_OUT}, first[] = {FIRST, INIT};
    static const int passed[] = {PASSED, PASSED_COUNT}, both[] = {0, 1};
    static const wadi_array none = {.rank = 1, .fields = 1, .type = {WADI_I32}, .shape = {0}};
    hand_doubling(h, WADI_END_SINK);
    h->one = 0;
    h->slot[KEY] = slot("key", WADI_SLOT_REGULAR, 0, WADI_I64);
    h->slot[LAST] = slot("last", WADI_SLOT_ONCE, 1, WADI_I32);
    h->slot[NEXT] = slot("next", WADI_SLOT_ONCE, 1, WADI_I32);
    h->slot[FIRST] = slot("first", WADI_SLOT_ONCE, 1, WADI_I32);
    h->slot[FIRST].data = &none;
    h->slot[PASSED] = slot("passed", WADI_SLOT_IRREGULAR, 1, WADI_I32);
    h->slot[PASSED_COUNT] = slot("count", WADI_SLOT_REGULAR, 0, WADI_I64);
    h->body[0].nresults = h->stage[0].nresults = 2;
    h->body[0].results = h->stage[0].results = keyed;
    h->body[0].offers[WADI_SCHEDULE_FLAT] = false;
    h->step[0][0] = (wadi_plan_step){.kind = WADI_STEP_ALLOC, .nslots = 1, .slots = key};
    h->step[0][1] = (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = "double_and_key"};
    set_version(h, 0, WADI_SCHEDULE_INSIDE, h->step[0], 2);
    set_body(h, 1, "keep_last", next);
    h->body[1].nresults = 2;
    h->stage[1] = passing(WADI_CHANGE_KEYED, zero, -1);
    h->stage[1].nparts = h->stage[1].nresults = 2;
    h->stage[1].parts = h->stage[1].results = passed;
    h->stage[1].from = both;
    h->stage[1].scan = (wadi_plan_fold){.body = 1,
                                        .nstate = 2,
                                        .init = first,
                                        .state_in = states,
                                        .state_out = next,
                                        .nparts = 1,
                                        .parts = out_slot,
                                        .from = zero,
                                        .keyed = true};
    h->end[0].stage = 1;
    h->end[0].nfrom = 2;
    h->end[0].from = both;
    h->phase.stream.nstages = 2;
}
