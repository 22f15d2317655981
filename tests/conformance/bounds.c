#include "tests/conformance/bounds.h"

#include <stdio.h>
#include <string.h>

#include "tests/conformance/bounds_maker.h"

/* ---- blocks ---- */

static void step(bounds_maker *m);

typedef struct scope {
    int arrays, numbers, nmade;
    bool summed;
    bounds_array made[BOUNDS_MADE];
} scope;

static void enter(bounds_maker *m, scope *s) {
    s->arrays = m->arrays;
    s->numbers = m->numbers;
    s->nmade = m->nmade;
    s->summed = m->summed;
    memcpy(s->made, m->made, sizeof s->made);
    m->nmade = 0;
    m->depth++;
}

static void leave(bounds_maker *m, const scope *s) {
    m->arrays = s->arrays;
    m->numbers = s->numbers;
    m->nmade = s->nmade;
    m->summed = s->summed;
    memcpy(m->made, s->made, sizeof m->made);
    m->depth--;
}

/* A vector with all that an array has. */
static void flatten(bounds_maker *m, const bounds_array *a, char *name) {
    char n[BOUNDS_NAME];
    bounds_fresh(m, name);
    if (a->rank == 0) {
        wadi_text_addf(m->out, "%s = generate 1 (x) { add 0 (the %s) }\n", name, a->name);
        return;
    }
    if (m->summed || bounds_below(m, 3) == 0) { /* or their sum, and all extents */
        char sum[BOUNDS_NAME];
        bounds_fresh(m, n);
        bounds_fresh(m, sum);
        wadi_text_addf(m->out, "%s = unit { %s (extent %s 0) (extent %s %d) }\n", n,
                       a->rank == 2 ? "mul" : "max", a->name, a->name, a->rank - 1);
        wadi_text_addf(m->out, "%s = reshape %s %s\n", sum, a->name, n);
        wadi_text_addf(m->out, "%s_ = fold 0 %s (x, y) { add x (mul 3 y) }\n", sum, sum);
        wadi_text_addf(m->out, "%s = generate 1 (x) { add (the %s_) (the %s) }\n", name, sum, n);
        return;
    }
    if (a->rank == 1) {
        memcpy(name, a->name, BOUNDS_NAME);
        return;
    }
    bounds_fresh(m, n);
    wadi_text_addf(m->out, "%s = unit { mul (extent %s 0) (extent %s 1) }\n", n, a->name, a->name);
    wadi_text_addf(m->out, "%s = reshape %s %s\n", name, a->name, n);
}

/* All that the block has made, as one vector; false: nothing. */
static bool deliver(bounds_maker *m, char *name) {
    char parts[BOUNDS_MADE][BOUNDS_NAME];
    if (m->nmade == 0) return false;
    for (int i = 0; i < m->nmade; i++) flatten(m, &m->made[i], parts[i]);
    if (m->nmade == 1) {
        memcpy(name, parts[0], BOUNDS_NAME);
        return true;
    }
    bounds_fresh(m, name);
    wadi_text_addf(m->out, "%s = concat dim=0", name);
    for (int i = 0; i < m->nmade; i++) wadi_text_addf(m->out, " %s", parts[i]);
    wadi_text_add(m->out, "\n");
    return true;
}

/* Some steps, and what they made, which is yielded by the caller. */
static void block(bounds_maker *m, char *result) {
    const int steps = 1 + bounds_below(m, 2);
    for (int i = 0; i < steps; i++) step(m);
    while (!deliver(m, result)) step(m);
}

static void branches(bounds_maker *m, char *name) {
    char p[BOUNDS_NAME], yes[BOUNDS_NAME], no[BOUNDS_NAME];
    scope s;
    bounds_fresh(m, p);
    wadi_text_addf(m->out, "%s = unit { %s (the %s) %d }\n", p, bounds_below(m, 2) ? "lt" : "gt",
                   bounds_any_number(m), bounds_below(m, 4));
    wadi_text_addf(m->out, "%s = acond %s {\n", name, p);
    enter(m, &s);
    block(m, yes);
    leave(m, &s);
    wadi_text_addf(m->out, "yield %s\n} else {\n", yes);
    enter(m, &s);
    block(m, no);
    leave(m, &s);
    wadi_text_addf(m->out, "yield %s\n}\n", no);
    bounds_keep(m, name, 1, false);
}

/* A few turns, or none, over a vector and a number that counts down. */
static void turns(bounds_maker *m, char *name) {
    char n[BOUNDS_NAME], left[BOUNDS_NAME], x[BOUNDS_NAME], k[BOUNDS_NAME], next[BOUNDS_NAME],
        p[BOUNDS_NAME];
    const bounds_array *start = bounds_any_array(m, 1, true);
    scope s;
    bounds_fresh(m, n), bounds_fresh(m, left), bounds_fresh(m, x), bounds_fresh(m, k),
        bounds_fresh(m, p);
    wadi_text_addf(m->out, "%s = unit { rem (the %s) 4 }\n", n, bounds_any_number(m));
    wadi_text_addf(m->out, "%s, %s = awhile %s %s (%s, %s) {\n", name, left, start->name, n, x, k);
    wadi_text_addf(m->out, "%s = unit { gt (the %s) 0 }\nyield %s\n} do (%s, %s) {\n", p, k, p, x,
                   k);
    enter(m, &s);
    m->summed = true;
    bounds_keep(m, x, 1, false);
    bounds_keep_number(m, k);
    block(m, next);
    bounds_fresh(m, p);
    wadi_text_addf(m->out, "%s = unit { sub (the %s) 1 }\n", p, k);
    leave(m, &s);
    wadi_text_addf(m->out, "yield %s, %s\n}\n", next, p);
    bounds_keep(m, name, 1, false);
}

static void sequence(bounds_maker *m, char *name) {
    char s[BOUNDS_NAME], i[BOUNDS_NAME], n[BOUNDS_NAME], result[BOUNDS_NAME];
    scope around;
    bounds_fresh(m, s), bounds_fresh(m, i), bounds_fresh(m, n);
    wadi_text_addf(m->out, "%s = unit { rem (the %s) 5 }\n", n, bounds_any_number(m));
    wadi_text_addf(m->out, "%s = produce %s (%s) {\n", s, n, i);
    enter(m, &around);
    bounds_keep_number(m, i);
    block(m, result);
    leave(m, &around);
    wadi_text_addf(m->out, "yield %s\n}\n%s = elements %s\n", result, name, s);
    bounds_keep(m, name, 1, false);
}

static void step(bounds_maker *m) {
    static void (*const deep[])(bounds_maker *, char *) = {branches, branches, turns, sequence};
    char name[BOUNDS_NAME];
    if (bounds_below(m, 3) == 0 && m->numbers < BOUNDS_NUMBERS) bounds_write_number(m);
    bounds_fresh(m, name);
    if (m->depth < BOUNDS_DEEPEST && bounds_below(m, 3) == 0)
        deep[bounds_below(m, 4)](m, name);
    else
        bounds_write_array(m, name);
}

/* ---- programs ---- */

static void known(bounds_maker *m, const char *name, int rank) {
    bounds_array a = {.rank = rank, .tame = true};
    (void)snprintf(a.name, BOUNDS_NAME, "%s", name);
    m->pool[m->arrays++] = a;
}

/* Each array that was made is a component of the result, or all are one vector. */
static void yield(bounds_maker *m) {
    enum { MOST = 4 };
    char result[BOUNDS_NAME];
    if (m->rows && m->nmade > 0 && m->nmade <= MOST) {
        for (int i = 0; i < m->nmade; i++)
            wadi_text_addf(m->out, "%s%s", i > 0 ? ", " : "yield ", m->made[i].name);
        wadi_text_add(m->out, "\n");
        return;
    }
    while (!deliver(m, result)) step(m);
    wadi_text_addf(m->out, "yield %s\n", result);
}

static void write_stream(bounds_maker *m, int steps) {
    wadi_text_addf(m->out,
                   "program bounds\ninput t : i64[%d]\n"
                   "s = stream_in \"" BOUNDS_STREAM "\" : seq(i64[?], i64, i64)\n"
                   "r = map_seq s (v, k, j) {\n",
                   BOUNDS_TABLE);
    known(m, "v", 1);
    known(m, "t", 1);
    bounds_keep_number(m, "k\0______");
    bounds_keep_number(m, "j\0______");
    for (int i = 0; i < steps; i++) step(m);
    yield(m);
    wadi_text_add(m->out, "}\nstream_out \"out\" r\n");
}

/* Elements behind the first two are stranger. */
static int64_t large_number(bounds_maker *m, int element) {
    static const int64_t large[] = {INT64_C(1) << 44,
                                    (INT64_C(1) << 44) + 1,
                                    INT64_C(1) << 61,
                                    INT64_C(1) << 62,
                                    INT64_MAX,
                                    INT64_MAX - 1,
                                    INT64_MIN,
                                    -(INT64_C(1) << 45),
                                    -1,
                                    -(INT64_C(1) << 62)};
    return element < 2 || bounds_below(m, 3) ? bounds_below(m, 22) - 2 : large[bounds_below(m, 10)];
}

static int64_t any_length(bounds_maker *m) {
    static const int64_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 33, 1000};
    return lengths[bounds_below(m, 9)];
}

/* Numbers of any size. */
static void fill_strange(bounds_maker *m, int e, bounds_input *in, int64_t n) {
    for (int i = 0; i < n; i++)
        in->vector[e][i] = bounds_below(m, 24) - (bounds_below(m, 4) ? 0 : 3);
    in->large[e] = large_number(m, e);
    in->small[e] = bounds_below(m, 20) - (bounds_below(m, 3) ? 0 : 3);
}

/* Numbers that most steps have a result for. All of the row are alike, so that most rows are kept as they are or not at all, or none are. */
static void fill_row(bounds_maker *m, int e, bounds_input *in, int64_t n, bool alike) {
    const int64_t one = bounds_below(m, 8) ? 3 : 23;
    for (int i = 0; i < n; i++) in->vector[e][i] = alike ? one : bounds_below(m, 24);
    in->large[e] = 4 + (alike ? 0 : bounds_below(m, 12));
    in->small[e] = 5 + (alike ? 0 : bounds_below(m, 9));
}

static void fill_stream(bounds_maker *m, bounds_input *in) {
    const bool alike = m->rows && bounds_below(m, 2);
    const int64_t length = 1 + bounds_below(m, 11);
    for (int e = 0; e < BOUNDS_COUNT; e++) {
        int64_t n = m->rows ? bounds_below(m, 12) : any_length(m);
        if (alike) n = length;
        if (m->rows && bounds_below(m, 6) == 0) n = 0;
        if (m->rows)
            fill_row(m, e, in, n, alike);
        else
            fill_strange(m, e, in, n);
        wadi_array *row = &in->element[e * BOUNDS_PARTS];
        row[0] = (wadi_array){
            .rank = 1, .fields = 1, .type = {WADI_I64}, .shape = {n}, .column = {in->vector[e]}};
        row[1] = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {&in->large[e]}};
        row[2] = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {&in->small[e]}};
    }
}

bool bounds_program(uint64_t seed, int steps, wadi_text *out, bounds_input *in) {
    bounds_maker m = {.r = {seed * 2 + 1}, .out = out, .rows = seed / 4 % 3 == 2};
    *in = (bounds_input){.inputs = 1};
    const int most = m.rows ? 1 + bounds_below(&m, 3) : 2 + bounds_below(&m, 5);
    for (int i = 0; i < BOUNDS_TABLE; i++)
        in->table[i] = bounds_below(&m, 20) - (bounds_below(&m, 8) == 0);
    in->input[0] = (wadi_interp_input){"t",
                                       {.rank = 1,
                                        .fields = 1,
                                        .type = {WADI_I64},
                                        .shape = {BOUNDS_TABLE},
                                        .column = {in->table}}};
    fill_stream(&m, in);
    write_stream(&m, steps >= 0 && steps < most ? steps : most);
    return !out->failed;
}
