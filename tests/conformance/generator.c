/* Programs grow in a pool of arrays: each step picks an operation whose arguments the pool can supply, and adds its
 * result. A program is one or two stages over a stream, or over several side by side, sometimes another stage over the same one, and sometimes
 * a second sequence that it makes itself. */
#include "tests/conformance/generator.h"

#include <stdlib.h>
#include <string.h>

#include "tests/conformance/maker.h"

uint64_t gen_next(gen_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int gen_below(gen_random *r, int n) {
    return (int)(gen_next(r) % (uint64_t)n);
}

/* ---- programs ---- */

/* What stands outside of the stage. */
static void keep_outer(maker *m) {
    const int base = m->classes;
    m->classes += m->more_classes;
    gen_keep(m, m->outer, 1, WADI_I64, gen_fresh_class(m));
    for (int i = 0; i < m->nmore; i++)
        gen_keep(m, m->more[i].a, m->more[i].rank, m->more[i].type, base + m->more[i].shape);
}

/* Steps take arrays of at most three dimensions. */
static void keep_part(maker *m, item it) {
    if (it.rank > 3) {
        it.a = wadi_flatten(it.a);
        it.rank = 1;
        it.shape = gen_fresh_class(m);
    }
    if (!it.record) {
        gen_keep(m, it.a, it.rank, it.type, it.shape);
        return;
    }
    if (it.rank == 1 && gen_below(&m->r, 2)) {
        if (!m->lengthy) it.a = wadi_take(wadi_i64(60), it.a);
        it.a = gen_changed_records(m, &it);
        it.shape = gen_fresh_class(m);
    }
    gen_keep_fields(m, it);
}

/* What the body gives: what it computed last, something from before, records of it, or a part of the element as it came. */
static item given(maker *m, int i, const item *part) {
    const item it = i == 0 ? m->pool[m->n - 1] : gen_pick(m);
    const int choice = gen_below(&m->r, 8);
    if (choice == 0 && !m->lengthy) return part[gen_below(&m->r, m->parts)];
    return choice == 1 ? gen_recorded(m, it) : it;
}

static wadi_acc body(void *env, wadi_acc element) {
    maker *m = env;
    item part[GEN_ELEMENT];
    m->n = 0;
    keep_outer(m);
    const int shared = m->classes;
    for (int p = 0; p < m->parts; p++) {
        part[p] = m->part[p];
        part[p].a = m->parts == 1 ? element : wadi_tuple_get(element, p);
        part[p].shape += shared;
        if (m->classes <= part[p].shape) m->classes = part[p].shape + 1;
    }
    for (int p = 0; p < m->parts; p++) keep_part(m, part[p]);
    for (int i = 0; i < m->size; i++)
        if (!m->lengthy && gen_below(&m->r, 14) == 0)
            gen_inner(m);
        else
            gen_step(m);
    gen_stencil_beside(m);
    wadi_acc out[GEN_MAX_OUT];
    m->outs = 1 + gen_below(&m->r, GEN_MAX_OUT);
    for (int i = 0; i < m->outs; i++) {
        m->out[i] = given(m, i, part);
        out[i] = m->out[i].a;
    }
    return m->outs == 1 ? out[0] : wadi_tuple(m->outs, out);
}

/* The next body works on what the last one gave; its arrays may have any shapes. */
static void chain(maker *m) {
    m->parts = m->outs;
    m->alike = false;
    for (int p = 0; p < m->outs; p++) {
        m->part[p] = m->out[p];
        m->part[p].shape = p;
    }
}

static wadi_exp doubled(wadi_exp x) {
    const wadi_exp y = wadi_convert(WADI_I64, x);
    return wadi_add(y, y);
}

/* ---- streams from outside ---- */

static wadi_seq read_stream(maker *m, const gen_outside *o, int stream) {
    const gen_stream *s = &o->stream[stream];
    m->parts = s->parts;
    m->alike = true;
    for (int p = 0; p < s->parts; p++) {
        const gen_array *a = &s->part[p];
        m->part[p] = (item){.rank = a->rank,
                            .type = a->type[0],
                            .shape = s->shared ? 0 : p,
                            .record = a->fields > 1,
                            .second = a->type[1]};
        m->alike = m->alike && a->fixed;
    }
    return gen_stream_in(o, stream);
}

typedef struct pairing {
    int first, second; /* parts of the elements */
} pairing;

static wadi_acc joined(void *env, wadi_acc a, wadi_acc b) {
    const pairing *n = env;
    wadi_acc all[GEN_ELEMENT];
    for (int p = 0; p < n->first; p++) all[p] = n->first == 1 ? a : wadi_tuple_get(a, p);
    for (int p = 0; p < n->second; p++)
        all[n->first + p] = n->second == 1 ? b : wadi_tuple_get(b, p);
    return wadi_tuple(n->first + n->second, all);
}

/* `s`, whose elements m->part tells, with what `next` says beside it. */
static wadi_seq beside(maker *m, wadi_seq s, const maker *next, wadi_seq t) {
    pairing n = {m->parts, next->parts};
    const int classes = 1 + GEN_ELEMENT;
    for (int p = 0; p < next->parts; p++) {
        m->part[n.first + p] = next->part[p];
        m->part[n.first + p].shape += classes * n.first;
    }
    m->parts = n.first + n.second;
    m->alike = m->alike && next->alike;
    return wadi_zip_with_seq_env(joined, &n, s, t);
}

/* Another stream beside `s`: from outside, pieces that the program makes, or what is left of `first`, which has been read once already. */
static wadi_seq with_another(maker *m, wadi_seq s, const gen_outside *o, int stream) {
    maker next = *m;
    wadi_seq t;
    if (stream < o->streams)
        t = read_stream(&next, o, stream);
    else
        t = gen_pieces(&next);
    if (gen_below(&next.r, 2)) t = gen_transduced(&next, t);
    m->r = next.r;
    return beside(m, s, &next, t);
}

/* ---- a second sequence, which the program makes itself ---- */

static wadi_acc counted(void *env, wadi_exp i) {
    return body(env, wadi_unit(wadi_convert(WADI_I64, i)));
}

static wadi_acc first_of(maker *m, wadi_acc element) {
    const wadi_acc a = m->outs == 1 ? element : wadi_tuple_get(element, 0);
    return m->out[0].record ? gen_first_field(a) : a;
}

static wadi_acc total(void *env, wadi_acc element) {
    maker *m = env;
    return wadi_fold_all(gen_associative(m, m->out[0].type), gen_literal(m, m->out[0].type),
                         first_of(m, element));
}

static wadi_acc gather_up(void *env, wadi_acc state, wadi_acc element) {
    maker *m = env;
    const wadi_acc sum = total(env, element);
    m->given[0] = m->given[1] = m->want = m->out[0].type;
    return wadi_zip_with_env(gen_fn2, m, state, sum);
}

static wadi_seq numbers(maker *m) {
    static const int64_t counts[] = {0, 1, 5, 12};
    m->parts = 1;
    m->part[0] = (item){.rank = 0, .type = WADI_I64};
    const wadi_exp n = wadi_i64(counts[gen_below(&m->r, 4)]);
    if (gen_below(&m->r, 3)) return wadi_produce_env(n, counted, m);
    return wadi_take_seq(n, wadi_produce_env(wadi_forever(), counted, m));
}

static wadi_acc both(void *env, wadi_acc a, wadi_acc b) {
    return body(env, wadi_tuple2(a, b));
}

/* Two sequences side by side. */
static wadi_seq pair(maker *m) {
    const wadi_seq a = gen_pieces(m);
    const item first = m->part[0];
    const wadi_seq b = gen_pieces(m);
    m->parts = 2;
    m->part[1] = m->part[0];
    m->part[0] = first;
    m->part[1].shape = 1;
    return wadi_zip_with_seq_env(both, m, a, b);
}

static void second_sequence(maker *m) {
    const int source = gen_below(&m->r, 4);
    wadi_seq s = source == 0   ? pair(m)
                 : source == 1 ? wadi_map_seq_env(body, m, gen_transduced(m, gen_pieces(m)))
                               : numbers(m);
    wadi_eat e;
    switch (gen_below(&m->r, 5)) {
    case 0:
        e = wadi_elements(s);
        break;
    case 1:
        e = wadi_tabulate(wadi_map_seq_env(total, m, s));
        break;
    case 2:
        e = wadi_fold_seq_env(gather_up, m, wadi_unit(gen_literal(m, m->out[0].type)), s);
        break;
    default:
        chain(m);
        s = gen_transduced(m, s);
        e = gen_consumed(m, s);
        break;
    }
    wadi_output("produced", wadi_consume(e));
}

static void read_inputs(maker *m, const gen_outside *o) {
    static const char *const table_extent[] = {"7"};
    m->table = wadi_input(GEN_INPUT, WADI_I32, 1, table_extent);
    m->outer = wadi_scanl(wadi_add, wadi_i64(1), wadi_map(doubled, m->table));
    for (int k = 0; k < o->inputs; k++) {
        const gen_array *a = &o->input[k];
        const bool alike = a->rank == 1 && a->named; /* inputs that have one extent, by name */
        item it = {.a = gen_input_in(o, k), .rank = a->rank, .type = a->type[0]};
        it.shape = alike ? 0 : 1 + k;
        if (a->rank > 3) {
            it.a = wadi_flatten(it.a);
            it.rank = 1;
        }
        if (a->fields > 1) {
            const wadi_acc whole = it.a;
            gen_keep_fields(m, (item){whole, it.rank, a->type[0], it.shape, true, a->type[1]});
            for (int f = 1; f <= 2; f++) m->more[m->nmore++] = m->pool[m->n - f];
        } else
            m->more[m->nmore++] = it;
    }
    m->more_classes = 1 + GEN_MAX_INPUTS;
}

/* Streams that do not stand beside the first: delivered or consumed on their own. */
static void read_alone(maker *m, const gen_outside *o, int stream) {
    const wadi_seq s = wadi_map_seq_env(body, m, read_stream(m, o, stream));
    if (gen_below(&m->r, 2)) {
        wadi_stream_out(s, stream == 1 ? "out1" : "out2");
        return;
    }
    chain(m);
    wadi_output(stream == 1 ? "alone1" : "alone2", wadi_consume(gen_consumed(m, s)));
}

/* Another stage over what the first one reads, with steps of its own. */
static void read_again(maker *m, wadi_seq in) {
    const wadi_seq t = wadi_map_seq_env(body, m, in);
    const int how = gen_below(&m->r, 3);
    if (how == 1)
        wadi_stream_out_unordered(t, "again"); /* in order: the first sink has the same stage */
    else if (how == 2)
        wadi_stream_out(t, "again");
    if (how > 0) return;
    chain(m);
    wadi_output("again", wadi_consume(gen_consumed(m, t)));
}

/* The first stream, and others beside it; which are left over comes back in `left`. */
static wadi_seq read_streams(maker *m, const gen_outside *o, bool *left) {
    wadi_seq s = read_stream(m, o, 0);
    if (!m->lengthy && gen_below(&m->r, 3) == 0) s = gen_transduced(m, s);
    for (int k = 1; k < o->streams; k++) {
        left[k] = gen_below(&m->r, 3) == 0;
        if (!left[k]) s = with_another(m, s, o, k);
    }
    if (!m->lengthy && gen_below(&m->r, 8) == 0 && m->parts < GEN_ELEMENT)
        s = with_another(m, s, o, o->streams);
    return !m->lengthy && gen_below(&m->r, 4) == 0 ? gen_transduced(m, s) : s;
}

/* Another end of the same pass, with random numbers of its own: all else is the same with and without it. */
static void states_by_key(const maker *m, uint64_t seed, wadi_seq s) {
    maker own = *m;
    own.r.state = (seed + 11) * 2 + 1;
    if (m->lengthy || gen_below(&own.r, 4) > 0) return;
    chain(&own);
    wadi_stream_out(gen_by_key(&own, s), "by_key");
}

/* Chosen so that the few seeds that every run compiles have all that programs are made of (coverage_test.c). */
enum { SHIFT = 208 };

wadi_program *gen_program(uint64_t seed, int size, gen_outside *out) {
    maker m = {.r = {(seed + SHIFT) * 2 + 1},
               .beside = {(seed + SHIFT) * 2 + 2},
               .size = size,
               .lengthy = gen_is_lengthy(seed),
               .perilous = gen_is_perilous(seed)};
    bool left[GEN_MAX_STREAMS] = {false};
    if (m.lengthy && m.size > 4) m.size = 4;
    m.deepest = gen_below(&m.r, 4) ? 2 : 5;
    gen_outside_make(&m.r, m.lengthy, out);
    wadi_program *p = wadi_program_create("random");
    if (!p) return NULL;
    read_inputs(&m, out);
    const wadi_seq in = read_streams(&m, out, left);
    maker again = m;
    again.r.state = (seed + 7) * 2 + 1;      /* so that all else is the same with and without it */
    const int twin = gen_below(&again.r, 6); /* in front of all ends, behind them, or none */
    again.size = size / 2 + 1;
    if (twin == 0) read_again(&again, in);
    wadi_seq s = wadi_map_seq_env(body, &m, in);
    if (!m.lengthy && gen_below(&m.r, 3) == 0) {
        chain(&m);
        s = wadi_map_seq_env(body, &m, gen_transduced(&m, s));
    }
    wadi_stream_out(s, GEN_SINK);
    states_by_key(&m, seed, s);
    if (!m.lengthy && gen_below(&m.r, 4) == 0) { /* another end of the same pass */
        chain(&m);
        const wadi_seq t = gen_transduced(&m, s);
        wadi_output("passing", wadi_consume(gen_consumed(&m, t)));
    }
    m.size = m.size / 2 + 1;
    for (int k = 1; k < out->streams; k++)
        if (left[k]) read_alone(&m, out, k);
    if (gen_below(&m.r, 3) == 0) second_sequence(&m);
    if (twin == 1) read_again(&again, in);
    return p;
}
