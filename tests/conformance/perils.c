#include "tests/conformance/perils.h"

#include <stdio.h>
#include <string.h>

enum { ATOMS = 12, DEEPEST = 3 };

typedef struct maker {
    gen_random r;
    wadi_acc table, v;
    wadi_exp
        atom[ATOMS]; /* what a term may be made of; those of inner functions behind the others */
    int atoms, depth, places;
    bool lazy;
    bool tame; /* one faulting operation in a program is enough: the others stay in range */
    wadi_acc state;
} maker;

static int below(maker *m, int n) {
    return gen_below(&m->r, n);
}

/* ---- numbers ---- */

static wadi_exp constant(maker *m) {
    static const int64_t values[] = {0,
                                     1,
                                     2,
                                     3,
                                     -1,
                                     -3,
                                     4,
                                     7,
                                     15,
                                     16,
                                     17,
                                     INT64_C(1) << 31,
                                     3037000500,
                                     INT64_C(1) << 62,
                                     INT64_C(6148914691236517205),
                                     INT64_MIN,
                                     INT64_MAX};
    const int near = below(m, 4) ? 11 : (int)(sizeof values / sizeof *values);
    return wadi_i64(values[below(m, near)]);
}

static wadi_exp atom(maker *m) {
    return below(m, 4) ? m->atom[below(m, m->atoms)] : constant(m);
}

static wadi_exp narrowed(maker *m, wadi_exp x) {
    static const wadi_type types[] = {WADI_I8,  WADI_U8,  WADI_I16, WADI_U16,
                                      WADI_I32, WADI_U32, WADI_U64};
    return wadi_convert(WADI_I64, wadi_convert(types[below(m, 7)], x));
}

/* A divisor that is not 0, mostly the same in several places. */
static wadi_exp divisor(maker *m) {
    static const int64_t values[] = {3, 3, 3, 7, 2, -2, 16, 1};
    return wadi_i64(values[below(m, 8)]);
}

static wadi_exp some_term(maker *m, int depth);

/* (x quot d) * e + x rem f */
static wadi_exp position(maker *m) {
    const wadi_exp x = atom(m), d = divisor(m), e = divisor(m), f = divisor(m);
    return wadi_add(wadi_mul(wadi_quot(x, d), e), wadi_rem(x, f));
}

static wadi_exp some_term(maker *m, int depth) {
    if (depth <= 0) return atom(m);
    const wadi_exp x = some_term(m, depth - 1), y = some_term(m, depth - 1);
    switch (below(m, 13)) {
    case 0:
    case 1:
        return wadi_add(x, y);
    case 2:
    case 3:
        return wadi_sub(x, y);
    case 4:
    case 5:
        return wadi_mul(x, y);
    case 6:
        return wadi_min(x, y);
    case 7:
        return wadi_max(x, y);
    case 8:
        return wadi_quot(x, divisor(m));
    case 9:
        return wadi_mod(x, divisor(m));
    case 10:
        return narrowed(m, x);
    case 11:
        return position(m);
    default:
        return wadi_sub(wadi_add(x, y), below(m, 2) ? x : y);
    }
}

static wadi_exp term(maker *m) {
    return some_term(m, 1 + below(m, 2));
}

/* A number from 0 below n, whatever happens. */
static wadi_exp within(maker *m, int64_t n) {
    return wadi_mod(term(m), wadi_i64(n));
}

static wadi_exp index_of(maker *m, int64_t n) {
    return m->tame || below(m, 4) == 0 ? within(m, n) : term(m);
}

/* A length: small, or less than nothing. */
static wadi_exp length(maker *m) {
    switch (below(m, 5)) {
    case 0:
        return wadi_i64(below(m, 4));
    case 1:
        return wadi_mod(term(m), wadi_i64(3));
    case 2:
        return wadi_max(wadi_sub(wadi_extent(m->v, 0), wadi_i64(1 + below(m, 3))), wadi_i64(0));
    case 3:
        return wadi_extent(m->v, 0);
    default:
        return m->tame ? wadi_i64(2) : wadi_sub(wadi_mod(term(m), wadi_i64(6)), wadi_i64(1));
    }
}

/* ---- what may fault ---- */

static wadi_exp read_of_v(maker *m) {
    const wadi_exp n = wadi_extent(m->v, 0), i = term(m);
    if (!m->tame) return below(m, 2) ? wadi_index1(m->v, i) : wadi_linear(m->v, i);
    return wadi_cond(wadi_gt(n, wadi_i64(0)),
                     wadi_index1(m->v, wadi_mod(i, wadi_max(n, wadi_i64(1)))), wadi_i64(0));
}

static wadi_exp read_of_rows(maker *m) {
    const wadi_acc rows = wadi_reshape(wadi_ix2(wadi_i64(4), wadi_i64(PERIL_TABLE / 4)), m->table);
    const wadi_exp i = index_of(m, 4), j = index_of(m, 4);
    if (below(m, 3) == 0) return wadi_linear(rows, index_of(m, PERIL_TABLE));
    return wadi_index2(rows, i, j);
}

static wadi_exp divided(maker *m) {
    const wadi_exp x = term(m), y = m->tame ? divisor(m) : term(m);
    switch (below(m, 4)) {
    case 0:
        return wadi_quot(x, y);
    case 1:
        return wadi_rem(x, y);
    case 2:
        return wadi_div(x, y);
    default:
        return wadi_mod(x, y);
    }
}

/* Each is added up, never multiplied or compared away. */
static wadi_exp risk(maker *m) {
    switch (below(m, 5)) {
    case 0:
        return divided(m);
    case 1:
        return read_of_v(m);
    case 2:
        return read_of_rows(m);
    default:
        return wadi_index1(m->table, index_of(m, PERIL_TABLE));
    }
}

/* ---- scalar code around it ---- */

static wadi_exp risk_in_loop(void *env, wadi_exp i, wadi_exp state) {
    maker *m = env;
    const int atoms = m->atoms;
    m->atom[m->atoms++] = i;
    const wadi_exp x = wadi_add(state, risk(m));
    m->atoms = atoms;
    return x;
}

static wadi_exp not_yet(void *env, wadi_exp state) {
    (void)env;
    return wadi_lt(wadi_get(state, "round"), wadi_get(state, "rounds"));
}

static wadi_exp next_round(void *env, wadi_exp state) {
    maker *m = env;
    const wadi_exp round = wadi_get(state, "round");
    const wadi_exp sum = risk_in_loop(m, round, wadi_get(state, "sum"));
    return wadi_rec3("sum", sum, "round", wadi_add(round, wadi_i64(1)), "rounds",
                     wadi_get(state, "rounds"));
}

static wadi_exp scalar(maker *m) {
    const wadi_exp rounds = wadi_mod(term(m), wadi_i64(3)), x = term(m);
    switch (below(m, 6)) {
    case 0: {
        const wadi_exp yes = risk(m), no = risk(m);
        return wadi_cond(wadi_lt(x, term(m)), yes, no);
    }
    case 1:
        return wadi_iterate_env(rounds, risk_in_loop, m, x);
    case 2:
        return wadi_get(wadi_while_env(not_yet, next_round, m,
                                       wadi_rec3("sum", x, "round", wadi_i64(0), "rounds", rounds)),
                        "sum");
    default:
        return risk(m);
    }
}

/* ---- arrays ---- */

static wadi_acc place(maker *m);

static wadi_exp at_index(void *env, wadi_ix ix) {
    maker *m = env;
    const int atoms = m->atoms;
    for (int d = 0; d < ix.rank; d++) m->atom[m->atoms++] = ix.at[d];
    const wadi_exp x = scalar(m);
    m->atoms = atoms;
    return x;
}

static wadi_exp at_element(void *env, wadi_exp x) {
    return at_index(env, wadi_ix1(x));
}

static wadi_exp at_both(void *env, wadi_exp x, wadi_exp y) {
    return at_index(env, wadi_ix2(x, y));
}

static wadi_exp index_alone(void *env, wadi_ix ix) {
    maker *m = env;
    const int atoms = m->atoms;
    m->atom[m->atoms++] = ix.at[0];
    const wadi_exp i = index_of(m, 4);
    m->atoms = atoms;
    return i;
}

static wadi_ix target(void *env, wadi_ix ix) {
    return wadi_ix1(index_alone(env, ix));
}

static wadi_acc generated(maker *m) {
    if (below(m, 3)) return wadi_generate_env(wadi_ix1(length(m)), at_index, m);
    return wadi_flatten(wadi_generate_env(wadi_ix2(length(m), length(m)), at_index, m));
}

static wadi_acc mapped(maker *m) {
    return wadi_map_env(at_element, m, m->v);
}

static wadi_acc zipped(maker *m) {
    const wadi_acc other = m->tame ? m->v : wadi_generate_env(wadi_ix1(length(m)), at_index, m);
    return wadi_zip_with_env(at_both, m, m->v, other);
}

static wadi_acc folded(maker *m) {
    const wadi_acc a = generated(m);
    if (!m->tame && below(m, 2)) return wadi_fold1(wadi_max, a);
    return wadi_fold(wadi_add, term(m), a);
}

static wadi_acc scanned(maker *m) {
    return wadi_scanl(wadi_add, term(m), generated(m));
}

/* Indices are data here: the table's values and those of v. */
static wadi_acc gathered(maker *m) {
    return wadi_gather(wadi_generate_env(wadi_ix1(length(m)), index_alone, m),
                       below(m, 2) ? m->table : m->v);
}

static wadi_acc permuted(maker *m) {
    const wadi_acc zero = wadi_fill(wadi_ix1(wadi_i64(4 + below(m, 2))), wadi_i64(0));
    return wadi_permute_env((wadi_fn2_env)at_both, zero, target, m, generated(m));
}

static wadi_acc segments(maker *m) {
    const wadi_acc numbers = wadi_generate_env(wadi_ix1(wadi_i64(below(m, 4))), index_alone, m);
    if (m->tame) return numbers;
    return below(m, 2) ? wadi_fold_offsets(wadi_add, wadi_i64(1), numbers, m->table)
                       : wadi_fold_seg(wadi_add, wadi_i64(1), numbers, m->v);
}

static wadi_acc shaped(maker *m) {
    if (m->tame) return m->v;
    return below(m, 2) ? wadi_assert_shape(wadi_ix1(length(m)), m->v)
                       : wadi_flatten(wadi_reshape(wadi_ix2(length(m), wadi_i64(2)), m->v));
}

/* ---- control ---- */

static wadi_acc branches(maker *m) {
    const wadi_exp x = term(m), y = term(m);
    const wadi_acc yes = wadi_flatten(place(m)), no = wadi_flatten(place(m));
    return wadi_acond(wadi_lt(x, y), yes, no);
}

static wadi_acc some_left(void *env, wadi_acc state) {
    (void)env;
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(0)));
}

static wadi_exp behind_the_first(void *env, wadi_ix ix, wadi_exp x) {
    return wadi_cond(wadi_gt(ix.at[0], wadi_i64(0)), at_element(env, x), wadi_i64(0));
}

/* Without the first element, whose fault nobody has to tell. */
static wadi_acc shrunk(maker *m, wadi_acc a) {
    return wadi_tail(m->lazy ? wadi_imap_env(behind_the_first, m, a)
                             : wadi_map_env(at_element, m, a));
}

/* The state shrinks, or is made anew. */
static wadi_acc round_of(void *env, wadi_acc state) {
    maker *m = env;
    const wadi_acc old = wadi_tuple_get(state, 0), v = m->v;
    m->v = old;
    const wadi_acc next = below(m, 2) ? shrunk(m, old) : wadi_flatten(place(m));
    m->v = v;
    return wadi_tuple2(next, wadi_unit(wadi_sub(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(1))));
}

static wadi_acc rounds(maker *m) {
    const wadi_acc turns = wadi_unit(wadi_mod(term(m), wadi_i64(3)));
    return wadi_tuple_get(wadi_awhile_env(some_left, round_of, m, wadi_tuple2(m->v, turns)), 0);
}

/* ---- a sequence of its own ---- */

static wadi_acc of_number(void *env, wadi_exp i) {
    maker *m = env;
    const int atoms = m->atoms;
    m->atom[m->atoms++] = i;
    const wadi_acc a = wadi_unit(scalar(m));
    m->atoms = atoms;
    return a;
}

static wadi_acc of_piece(void *env, wadi_acc piece) {
    maker *m = env;
    const wadi_acc v = m->v;
    m->v = piece;
    const wadi_acc a = wadi_flatten(place(m));
    m->v = v;
    return a;
}

/* In front of what faults: elements that are left out are not computed. */
static wadi_seq cut(maker *m, wadi_seq s) {
    static const int64_t counts[] = {0, 1, 1, 2, 5};
    for (int k = below(m, 3); k > 0; k--) {
        const wadi_exp n = wadi_i64(counts[below(m, 5)]);
        s = below(m, 3) ? wadi_take_seq(n, s) : wadi_drop_seq(n, s);
    }
    return s;
}

static wadi_acc number_itself(wadi_exp i) {
    return wadi_unit(i);
}

static wadi_acc of_scalar(void *env, wadi_acc i) {
    return of_number(env, wadi_the(i));
}

static wadi_acc added(wadi_acc sum, wadi_acc x) {
    return wadi_zip_with(wadi_add, sum, x);
}

static wadi_acc counted(maker *m) {
    const wadi_exp n = below(m, 2) ? length(m) : wadi_mod(term(m), wadi_i64(4));
    wadi_seq s = wadi_produce(n, number_itself);
    s = wadi_map_seq_env(of_scalar, m, cut(m, s));
    switch (below(m, 3)) {
    case 0:
        return wadi_consume(wadi_fold_seq(added, wadi_unit(term(m)), s));
    case 1:
        return wadi_consume(wadi_tabulate(s));
    default:
        return wadi_consume(wadi_elements(s));
    }
}

static wadi_acc pieces(maker *m) {
    const wadi_exp size = wadi_i64(1 + below(m, 3)), hop = wadi_i64(1 + below(m, 3));
    wadi_seq s = below(m, 2) ? wadi_subarrays(wadi_ix1(size), m->v)
                             : wadi_windows(size, hop, (wadi_last)below(m, 3), wadi_to_seq(m->v));
    s = wadi_map_seq_env(of_piece, m, cut(m, s));
    return wadi_consume(m->tame || below(m, 2) ? wadi_elements(s) : wadi_tabulate(s));
}

static wadi_acc place(maker *m) {
    static wadi_acc (*const flat[])(maker *) = {generated, mapped,   zipped,   folded, scanned,
                                                gathered,  permuted, segments, shaped},
                                          (*const deep[])(maker *) = {branches, rounds, counted,
                                                                      pieces};
    if (m->depth < DEEPEST && below(m, 2)) {
        m->depth++;
        const wadi_acc a = deep[below(m, 4)](m);
        m->depth--;
        return a;
    }
    return flat[below(m, 9)](m);
}

/* ---- programs ---- */

static wadi_acc body(maker *m, wadi_acc v, wadi_exp k) {
    wadi_acc out[3];
    m->v = v;
    m->atoms = 0;
    m->atom[m->atoms++] = k;
    m->atom[m->atoms++] = wadi_extent(v, 0);
    const int risky = below(m, m->places);
    for (int i = 0; i < m->places; i++) {
        m->tame = i != risky;
        out[i] = place(m);
    }
    return m->places == 1 ? out[0] : wadi_tuple(m->places, out);
}

static wadi_acc of_pair(void *env, wadi_acc element) {
    return body(env, wadi_tuple_get(element, 0), wadi_the(wadi_tuple_get(element, 1)));
}

static wadi_acc of_window(void *env, wadi_acc window) {
    return body(env, window, wadi_add(wadi_index1(window, wadi_i64(0)), wadi_i64(0)));
}

/* Elements behind the first ones are stranger: the run is under way when one of them faults. */
static int64_t number_of(maker *m, int element) {
    static const int64_t odd[] = {
        -1,        -2,       -3, -40, 5, 9, 259, 3037000500, INT64_C(1) << 31, INT64_C(1) << 62,
        INT64_MIN, INT64_MAX};
    return element < 3 || below(m, 2) ? below(m, 4) : odd[below(m, 12)];
}

static void fill(maker *m, peril_input *in, int64_t constant_length) {
    static const int64_t lengths[] = {0, 1, 2, 3, 5, 16, 17, 33};
    for (int i = 0; i < PERIL_TABLE; i++) in->table[i] = below(m, 6);
    in->table_array = (wadi_array){
        .rank = 1, .fields = 1, .type = {WADI_I64}, .shape = {PERIL_TABLE}, .column = {in->table}};
    for (int e = 0; e < PERIL_COUNT; e++) {
        const int64_t n = constant_length >= 0 ? constant_length : lengths[below(m, e < 2 ? 4 : 8)];
        for (int i = 0; i < PERIL_LENGTH; i++) in->vector[e][i] = below(m, 5);
        in->number[e] = number_of(m, e);
        wadi_array *row = &in->element[e * in->parts];
        const wadi_array number = {.fields = 1, .type = {WADI_I64}, .column = {&in->number[e]}};
        if (in->parts == 2)
            row[0] = (wadi_array){.rank = 1,
                                  .fields = 1,
                                  .type = {WADI_I64},
                                  .shape = {n},
                                  .column = {in->vector[e]}};
        row[in->parts - 1] = number;
    }
}

static wadi_seq stream(maker *m, const peril_input *in, const char *const *extent) {
    static const char *const none[] = {NULL};
    const wadi_component both[] = {{wadi_scalar_elem(WADI_I64), 1, extent},
                                   {wadi_scalar_elem(WADI_I64), 0, none}};
    if (in->parts == 2) return wadi_map_seq_env(of_pair, m, wadi_stream_in(PERIL_STREAM, 2, both));
    const wadi_seq s = wadi_stream_in(PERIL_STREAM, 1, both + 1);
    return wadi_map_seq_env(
        of_window, m,
        wadi_windows(wadi_i64(2 + below(m, 3)), wadi_i64(1 + below(m, 2)), WADI_LAST_DROP, s));
}

wadi_program *peril_program(const peril_order *order, peril_input *out) {
    static const int64_t fixed[] = {1, 2, 3, 16, 17, 18, 33};
    static const char *const table_extent[] = {"16"};
    maker m = {.r = {order->seed * 2 + 1}, .places = order->places, .lazy = order->lazy};
    const int64_t length = below(&m, 3) == 0 ? fixed[below(&m, 7)] : -1;
    char text[24];
    const char *extent[1] = {text};
    snprintf(text, sizeof text, "%lld", (long long)length);
    *out = (peril_input){.parts = below(&m, 4) ? 2 : 1};
    fill(&m, out, length);
    wadi_program *p = wadi_program_create("perils");
    if (!p) return NULL;
    m.table = wadi_input(PERIL_INPUT, WADI_I64, 1, table_extent);
    wadi_seq s = stream(&m, out, length >= 0 ? extent : NULL);
    if (order->most >= 0) s = wadi_take_seq(wadi_i64(order->most), s);
    wadi_stream_out(s, PERIL_SINK);
    return p;
}
