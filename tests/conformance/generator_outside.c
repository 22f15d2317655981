/* Random inputs: how the streams and inputs of a program are declared, and arrays to bind to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/maker.h"

enum { MAX_ELEMENT = 700, LENGTHY = 16, PERILOUS = 8 };

static const int64_t long_extents[] = {4095, 4096, 4097, 4098, 8191, 8192, 8193, 10001};

bool gen_is_lengthy(uint64_t seed) {
    return seed % LENGTHY == 5;
}

bool gen_is_perilous(uint64_t seed) {
    return seed % PERILOUS == 3;
}

const char *gen_source_name(int stream) {
    static const char *const names[GEN_MAX_STREAMS] = {"in", "in1", "in2"};
    return names[stream];
}

const char *gen_input_name(int input) {
    static const char *const names[GEN_MAX_INPUTS] = {"more", "more1", "more2"};
    return names[input];
}

/* ---- declarations ---- */

static int64_t constant_extent(gen_random *r) {
    static const int values[] = {1, 2, 3, 16, 17, 18, 33};
    return gen_below(r, 2) ? values[gen_below(r, 7)] : gen_below(r, 20);
}

static void make_elements(gen_random *r, gen_array *a) {
    a->fields = gen_below(r, 4) ? 1 : GEN_FIELDS;
    a->type[0] = gen_type(r);
    a->type[1] = gen_type(r);
    a->type[2] = WADI_I64;
}

static void make_part(gen_random *r, const gen_array *like, gen_array *a) {
    *a = like ? *like : (gen_array){.rank = gen_below(r, 3), .fixed = gen_below(r, 3) == 0};
    if (!like && gen_below(r, 6) == 0) a->rank = 3 + gen_below(r, WADI_MAX_RANK - 3);
    make_elements(r, a);
    for (int d = 0; d < a->rank && !like; d++)
        a->shape[d] = a->rank > 2 ? 1 + gen_below(r, 3) : constant_extent(r);
}

/* One vector, of an extent that may be known. */
static void make_long_stream(gen_random *r, gen_stream *s) {
    s->parts = 1;
    s->part[0].rank = 1;
    make_elements(r, &s->part[0]);
    s->part[0].fixed = gen_below(r, 2) == 0;
    s->part[0].shape[0] = long_extents[gen_below(r, 8)];
}

static void make_stream(gen_random *r, gen_stream *s) {
    s->parts = 1 + (gen_below(r, 2) ? gen_below(r, 2) : gen_below(r, GEN_MAX_PARTS));
    s->shared = gen_below(r, 2) == 0;
    for (int p = 0; p < s->parts; p++)
        make_part(r, p > 0 && s->shared ? &s->part[0] : NULL, &s->part[p]);
}

static void make_input(gen_random *r, gen_array *a) {
    make_part(r, NULL, a);
    a->named = a->rank > 0 && gen_below(r, 2) == 0;
}

void gen_outside_make(gen_random *r, bool lengthy, gen_outside *out) {
    memset(out, 0, sizeof *out);
    out->streams = lengthy || gen_below(r, 2) ? 1 : 1 + gen_below(r, GEN_MAX_STREAMS);
    for (int k = 0; k < out->streams; k++)
        if (lengthy)
            make_long_stream(r, &out->stream[k]);
        else
            make_stream(r, &out->stream[k]);
    out->inputs = gen_below(r, 2) ? 0 : 1 + gen_below(r, GEN_MAX_INPUTS);
    for (int k = 0; k < out->inputs; k++) make_input(r, &out->input[k]);
}

/* ---- in the program ---- */

static wadi_elem_type elements_of(const gen_array *a) {
    wadi_elem_type e = {.fields = a->fields, .name = {"u", "v", "at"}};
    if (a->fields == 1) return wadi_scalar_elem(a->type[0]);
    memcpy(e.type, a->type, sizeof a->type);
    return e;
}

typedef struct extents {
    char room[WADI_MAX_RANK][24];
    const char *at[WADI_MAX_RANK];
} extents;

/* NULL: nothing is declared. The outermost extent may have a name, "n". */
static const char *const *declared(const gen_array *a, extents *e) {
    for (int d = 0; d < a->rank; d++) {
        (void)snprintf(e->room[d], sizeof e->room[d], "%lld", (long long)a->shape[d]);
        e->at[d] = a->fixed ? e->room[d] : NULL;
    }
    if (a->named) e->at[0] = "n";
    return a->fixed || a->named ? e->at : NULL;
}

wadi_seq gen_stream_in(const gen_outside *o, int stream) {
    const gen_stream *s = &o->stream[stream];
    wadi_component component[GEN_MAX_PARTS];
    extents e[GEN_MAX_PARTS];
    for (int k = 0; k < s->parts; k++)
        component[k] = (wadi_component){elements_of(&s->part[k]), s->part[k].rank,
                                        declared(&s->part[k], &e[k])};
    return wadi_stream_in(gen_source_name(stream), s->parts, component);
}

wadi_acc gen_input_in(const gen_outside *o, int input) {
    const gen_array *a = &o->input[input];
    extents e;
    const char *const *known = declared(a, &e);
    if (a->fields == 1) return wadi_input(gen_input_name(input), a->type[0], a->rank, known);
    return wadi_input_rec(gen_input_name(input), elements_of(a), a->rank, known);
}

/* ---- arrays ---- */

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

static int64_t extent_of(gen_random *r, bool lengthy, const gen_array *a) {
    if (lengthy) return long_extents[gen_below(r, 8)];
    return a->rank > 2 ? gen_below(r, 4) : ragged_extent(r);
}

static bool make_array(gen_random *r, bool lengthy, const gen_array *a, const wadi_array *shape_of,
                       int64_t named, wadi_array *out) {
    int64_t size = 1;
    *out = (wadi_array){.rank = a->rank, .fields = a->fields};
    memcpy(out->type, a->type, sizeof a->type);
    for (int d = 0; d < out->rank; d++) {
        out->shape[d] = a->fixed   ? a->shape[d]
                        : shape_of ? shape_of->shape[d]
                                   : extent_of(r, lengthy, a);
        if (a->named && d == 0) out->shape[d] = named;
        size *= out->shape[d];
    }
    while (size > MAX_ELEMENT && !lengthy && !a->fixed && !a->named && !shape_of) {
        size = 1;
        for (int d = 0; d < out->rank; d++) size *= (out->shape[d] = out->shape[d] / 2);
    }
    bool ok = true;
    for (int f = 0; f < a->fields; f++) {
        out->column[f] = malloc((size_t)(size + 1) * 16);
        ok = ok && out->column[f];
        if (out->column[f]) fill(r, a->type[f], out->column[f], size);
    }
    return ok;
}

static bool make_elements_of(gen_random *r, bool lengthy, const gen_stream *s, int64_t count,
                             wadi_array *array) {
    bool ok = true;
    for (int64_t i = 0; ok && i < count; i++)
        for (int p = 0; ok && p < s->parts; p++) {
            wadi_array *row = array + i * s->parts;
            ok = make_array(r, lengthy, &s->part[p], p > 0 && s->shared ? &row[0] : NULL, 0,
                            &row[p]);
        }
    return ok;
}

bool gen_input_make(uint64_t seed, const gen_outside *o, gen_input *out) {
    static const int64_t counts[] = {1, 2, 3, 40, 7, 16, 17, 40};
    gen_random r = {seed ^ 0x5bd1e995u};
    memset(out, 0, sizeof *out);
    const bool lengthy = gen_is_lengthy(seed);
    bool ok = true;
    for (int k = 0; ok && k < o->streams; k++) {
        const gen_stream *s = &o->stream[k];
        out->count[k] = gen_below(&r, 12) ? counts[gen_below(&r, lengthy ? 3 : 8)] : 0;
        out->parts[k] = s->parts;
        out->array[k] = calloc((size_t)(out->count[k] * s->parts + 1), sizeof *out->array[k]);
        ok = out->array[k] && make_elements_of(&r, lengthy, s, out->count[k], out->array[k]);
    }
    const int64_t named = gen_below(&r, 20);
    for (int k = 0; ok && k < o->inputs; k++)
        ok = make_array(&r, false, &o->input[k], NULL, named, &out->more[k]);
    for (int k = 0; k < GEN_TABLE; k++) out->table_data[k] = gen_below(&r, 100) - 50;
    out->table = (wadi_array){.rank = 1,
                              .fields = 1,
                              .type = {WADI_I32},
                              .shape = {GEN_TABLE},
                              .column = {out->table_data}};
    if (!ok) gen_input_free(out);
    return ok;
}

static void free_array(wadi_array *a) {
    for (int f = 0; f < a->fields; f++) free(a->column[f]);
}

void gen_input_free(gen_input *in) {
    for (int k = 0; k < GEN_MAX_STREAMS; k++) {
        for (int64_t i = 0; in->array[k] && i < in->count[k] * in->parts[k]; i++)
            free_array(&in->array[k][i]);
        free(in->array[k]);
    }
    for (int k = 0; k < GEN_MAX_INPUTS; k++) free_array(&in->more[k]);
    memset(in, 0, sizeof *in);
}
