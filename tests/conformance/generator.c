/* Programs grow in a pool of arrays: each step picks an operation whose arguments the pool can supply, and adds its
 * result. A program is one or two stages over a stream, and sometimes a second sequence that it makes itself. */
#include "tests/conformance/generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/maker.h"

enum { MAX_ELEMENT = 700, LENGTHY = 16 };

/* One seed in LENGTHY has rows about the sizes of blocks, and few of them. */
static bool is_lengthy(uint64_t seed) {
    return seed % LENGTHY == 5;
}

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

static wadi_acc body(void *env, wadi_acc element) {
    maker *m = env;
    m->n = 0;
    gen_keep(m, m->outer, 1, WADI_I64, gen_fresh_class(m));
    const int shared = m->classes;
    for (int p = 0; p < m->parts; p++) {
        const item *it = &m->part[p];
        const wadi_acc part = m->parts == 1 ? element : wadi_tuple_get(element, p);
        gen_keep(m, part, it->rank, it->type, shared + it->shape);
        if (m->classes <= shared + it->shape) m->classes = shared + it->shape + 1;
    }
    for (int i = 0; i < m->size; i++)
        if (!m->lengthy && gen_below(&m->r, 14) == 0)
            gen_inner(m);
        else
            gen_step(m);
    wadi_acc out[GEN_MAX_OUT];
    m->outs = 1 + gen_below(&m->r, GEN_MAX_OUT);
    for (int i = 0; i < m->outs; i++) {
        m->out[i] = i == 0 ? m->pool[m->n - 1] : gen_pick(m);
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

static int64_t constant_extent(gen_random *r) {
    static const int values[] = {1, 2, 3, 16, 17, 18, 33};
    return gen_below(r, 2) ? values[gen_below(r, 7)] : gen_below(r, 20);
}

static const int64_t long_extents[] = {4095, 4096, 4097, 4098, 8191, 8192, 8193, 10001};

/* One vector, of an extent that may be known. */
static void make_long_stream(gen_random *r, gen_stream *s) {
    s->parts = 1;
    s->type[0] = gen_type(r);
    s->rank[0] = 1;
    s->fixed[0] = gen_below(r, 2) == 0;
    s->shape[0][0] = long_extents[gen_below(r, 8)];
}

static void make_stream(gen_random *r, bool lengthy, gen_stream *s) {
    memset(s, 0, sizeof *s);
    if (lengthy) {
        make_long_stream(r, s);
        return;
    }
    s->parts = 1 + (gen_below(r, 2) ? gen_below(r, 2) : gen_below(r, GEN_MAX_PARTS));
    s->shared = gen_below(r, 2) == 0;
    for (int p = 0; p < s->parts; p++) {
        s->type[p] = gen_type(r);
        s->rank[p] = p > 0 && s->shared ? s->rank[0] : gen_below(r, 3);
        s->fixed[p] = p > 0 && s->shared ? s->fixed[0] : gen_below(r, 3) == 0;
        for (int d = 0; d < s->rank[p]; d++)
            s->shape[p][d] = p > 0 && s->shared ? s->shape[0][d] : constant_extent(r);
    }
}

static wadi_seq stream_in(const gen_stream *s) {
    wadi_component component[GEN_MAX_PARTS];
    char room[GEN_MAX_PARTS][2][24];
    const char *extents[GEN_MAX_PARTS][2];
    for (int k = 0; k < s->parts; k++) {
        for (int d = 0; d < 2; d++) {
            (void)snprintf(room[k][d], sizeof room[k][d], "%lld", (long long)s->shape[k][d]);
            extents[k][d] = room[k][d];
        }
        component[k] = (wadi_component){wadi_scalar_elem(s->type[k]), s->rank[k],
                                        s->fixed[k] ? extents[k] : NULL};
    }
    return wadi_stream_in(GEN_SOURCE, s->parts, component);
}

static void read_stream(maker *m, const gen_stream *s) {
    m->parts = s->parts;
    for (int p = 0; p < s->parts; p++)
        m->part[p] = (item){.rank = s->rank[p], .type = s->type[p], .shape = s->shared ? 0 : p};
    m->alike = true;
    for (int p = 0; p < s->parts; p++) m->alike = m->alike && s->fixed[p];
}

/* ---- a second sequence, which the program makes itself ---- */

static wadi_acc counted(void *env, wadi_exp i) {
    return body(env, wadi_unit(wadi_convert(WADI_I64, i)));
}

static wadi_acc first_of(maker *m, wadi_acc element) {
    return m->outs == 1 ? element : wadi_tuple_get(element, 0);
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
    return wadi_produce_env(wadi_i64(counts[gen_below(&m->r, 4)]), counted, m);
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
    m->size = m->size / 2 + 1;
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

wadi_program *gen_program(uint64_t seed, int size, gen_stream *out_stream) {
    maker m = {.r = {seed * 2 + 1}, .size = size, .lengthy = is_lengthy(seed)};
    if (m.lengthy && m.size > 4) m.size = 4;
    m.deepest = gen_below(&m.r, 4) ? 2 : 5;
    make_stream(&m.r, m.lengthy, out_stream);
    wadi_program *p = wadi_program_create("random");
    if (!p) return NULL;
    static const char *const table_extent[] = {"7"};
    m.table = wadi_input(GEN_INPUT, WADI_I32, 1, table_extent);
    m.outer = wadi_scanl(wadi_add, wadi_i64(1), wadi_map(doubled, m.table));
    const wadi_seq in = stream_in(out_stream);
    read_stream(&m, out_stream);
    const wadi_seq read = !m.lengthy && gen_below(&m.r, 3) == 0 ? gen_transduced(&m, in) : in;
    wadi_seq s = wadi_map_seq_env(body, &m, read);
    if (!m.lengthy && gen_below(&m.r, 3) == 0) {
        chain(&m);
        s = wadi_map_seq_env(body, &m, gen_transduced(&m, s));
    }
    wadi_stream_out(s, GEN_SINK);
    if (!m.lengthy && gen_below(&m.r, 4) == 0) { /* another end of the same pass */
        chain(&m);
        const wadi_seq t = gen_transduced(&m, s);
        wadi_output("passing", wadi_consume(gen_consumed(&m, t)));
    }
    if (gen_below(&m.r, 3) == 0) second_sequence(&m);
    return p;
}

/* ---- inputs ---- */

static int64_t ragged_extent(gen_random *r) {
    static const int64_t values[] = {0, 1, 2, 3, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 64, 127};
    return values[gen_below(r, (int)(sizeof values / sizeof values[0]))];
}

static void fill(gen_random *r, wadi_type t, void *column, int64_t n) {
    if (gen_is_complex(t)) {
        fill(r, t == WADI_C64 ? WADI_F32 : WADI_F64, column, 2 * n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const int wide = gen_below(r, 8) == 0;
        const uint64_t bits = gen_next(r);
        const int small = (int)(bits % 41) - 20;
        switch (t) {
        case WADI_F32:
            ((float *)column)[i] = wide ? (float)(int64_t)bits : (float)small * 0.25f;
            break;
        case WADI_F64:
            ((double *)column)[i] = wide ? (double)(int64_t)bits : (double)small * 0.125;
            break;
        case WADI_I16:
            ((int16_t *)column)[i] = (int16_t)(wide ? (int)(bits & 0xffff) : small);
            break;
        case WADI_I32:
            ((int32_t *)column)[i] = wide ? (int32_t)(uint32_t)bits : small;
            break;
        case WADI_U32:
            ((uint32_t *)column)[i] = wide ? (uint32_t)bits : (uint32_t)small;
            break;
        case WADI_I64:
            ((int64_t *)column)[i] = wide ? (int64_t)bits : small;
            break;
        case WADI_U64:
            ((uint64_t *)column)[i] = wide ? bits : (uint64_t)(int64_t)small;
            break;
        case WADI_U16:
            ((uint16_t *)column)[i] = (uint16_t)(wide ? (int)(bits & 0xffff) : small);
            break;
        case WADI_I8:
            ((int8_t *)column)[i] = (int8_t)small;
            break;
        case WADI_BOOL:
            ((uint8_t *)column)[i] = bits & 1;
            break;
        default:
            ((uint8_t *)column)[i] = (uint8_t)bits;
            break;
        }
    }
}

static bool make_array(gen_random *r, bool lengthy, const gen_stream *s, int p,
                       const wadi_array *shape_of, wadi_array *out) {
    int64_t size = 1;
    *out = (wadi_array){.rank = s->rank[p], .fields = 1, .type = {s->type[p]}};
    for (int d = 0; d < out->rank; d++) {
        if (s->fixed[p])
            out->shape[d] = s->shape[p][d];
        else
            out->shape[d] = shape_of  ? shape_of->shape[d]
                            : lengthy ? long_extents[gen_below(r, 8)]
                                      : ragged_extent(r);
        size *= out->shape[d];
    }
    while (size > MAX_ELEMENT && !lengthy && !s->fixed[p] && !shape_of) {
        size = 1;
        for (int d = 0; d < out->rank; d++) size *= (out->shape[d] = out->shape[d] / 2);
    }
    out->column[0] = malloc((size_t)(size + 1) * 16);
    if (!out->column[0]) return false;
    fill(r, s->type[p], out->column[0], size);
    return true;
}

bool gen_input_make(uint64_t seed, const gen_stream *s, gen_input *out) {
    static const int64_t counts[] = {0, 1, 2, 3, 7, 16, 17, 40};
    gen_random r = {seed ^ 0x5bd1e995u};
    memset(out, 0, sizeof *out);
    const bool lengthy = is_lengthy(seed);
    out->count = counts[gen_below(&r, lengthy ? 4 : 8)];
    out->parts = s->parts;
    out->array = calloc((size_t)(out->count * s->parts + 1), sizeof *out->array);
    bool ok = out->array != NULL;
    for (int64_t i = 0; ok && i < out->count; i++)
        for (int p = 0; ok && p < s->parts; p++) {
            wadi_array *row = out->array + i * s->parts;
            ok = make_array(&r, lengthy, s, p, p > 0 && s->shared ? &row[0] : NULL, &row[p]);
        }
    for (int k = 0; k < GEN_TABLE; k++) out->table_data[k] = gen_below(&r, 100) - 50;
    out->table = (wadi_array){.rank = 1,
                              .fields = 1,
                              .type = {WADI_I32},
                              .shape = {GEN_TABLE},
                              .column = {out->table_data}};
    if (!ok) gen_input_free(out);
    return ok;
}

void gen_input_free(gen_input *in) {
    if (in->array)
        for (int64_t i = 0; i < in->count * in->parts; i++) free(in->array[i].column[0]);
    free(in->array);
    memset(in, 0, sizeof *in);
}
