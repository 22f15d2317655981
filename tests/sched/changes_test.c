/* Changes on chunks, against a plain loop over all elements: the results are the same for every layout of the elements, and however
 * the stream is cut before and after the change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/change/row.h"

enum { MOST_ELEMENTS = 64, MOST_VALUES = 64, PARTS = 3, FIELDS = 4 };

/* One array, by its first field: f64 numbers, so that each value says where it came from. */
typedef struct element {
    int rank;
    int64_t shape[3];
    int64_t n;
    double value[MOST_VALUES];
} element;

/* A stream of tuples, as a list. */
typedef struct list {
    int parts;
    int64_t n;
    element at[PARTS][MOST_ELEMENTS * 8];
} list;

static uint64_t state;

static int64_t below(int64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static const int64_t word = (int64_t)sizeof(int64_t);

/* ---- fields: the first is the number, the others follow from it, in columns of every width ---- */

static int fields;
static wadi_type types[FIELDS];

static void choose_fields(void) {
    static const wadi_type widths[] = {WADI_I8, WADI_I16, WADI_I32, WADI_U64, WADI_C128};
    fields = 1 + (int)below(FIELDS);
    types[0] = WADI_F64;
    for (int f = 1; f < FIELDS; f++) types[f] = widths[below(5)];
}

/* What field f holds beside `value`; zero beside zero. */
static void follow(double value, int f, unsigned char out[16]) {
    const int64_t n = (int64_t)value * (2 * f + 1), minus = -n;
    memcpy(out, &n, sizeof n); /* the low bytes first, or all of them alike */
    memcpy(out + sizeof n, &minus, sizeof minus);
    if (f == 0) memcpy(out, &value, sizeof value);
}

static void put_value(void *column, int f, int64_t at, double value) {
    unsigned char bytes[16];
    const size_t size = (size_t)wadi_type_size(types[f]);
    follow(value, f, bytes);
    memcpy((char *)column + at * (int64_t)size, bytes, size);
}

static void assert_fields_follow(const wadi_array *a, int64_t n) {
    assert_int_equal(a->fields, fields);
    for (int f = 1; f < fields; f++) {
        const int64_t size = wadi_type_size(types[f]);
        assert_int_equal(a->type[f], types[f]);
        for (int64_t i = 0; i < n; i++) {
            unsigned char bytes[16];
            follow(((const double *)a->column[0])[i], f, bytes);
            assert_memory_equal((char *)a->column[f] + i * size, bytes, (size_t)size);
        }
    }
}

/* ---- lists to chunks ---- */

static bool alike(const list *l, int part, int64_t first, int64_t count) {
    const element *e = &l->at[part][first];
    for (int64_t s = 1; s < count; s++)
        if (memcmp(e->shape, l->at[part][first + s].shape, sizeof e->shape) != 0) return false;
    return true;
}

static bool same_values(const list *l, int part, int64_t first, int64_t count) {
    const element *e = &l->at[part][first];
    for (int64_t s = 1; s < count; s++)
        if (memcmp(e->value, l->at[part][first + s].value, (size_t)e->n * sizeof(double)) != 0)
            return false;
    return true;
}

static void describe(wadi_chunk *c, wadi_chunk_component *to, const list *l, int part) {
    int64_t at = 0;
    to->layout = WADI_LAYOUT_IRREGULAR;
    to->shapes = wadi_chunk_alloc(c, c->count * to->rank * word);
    to->offsets = wadi_chunk_alloc(c, (c->count + 1) * word);
    for (int64_t s = 0; s < c->count; s++) {
        const element *e = &l->at[part][c->first + s];
        for (int d = 0; d < to->rank; d++) to->shapes[s * to->rank + d] = e->shape[d];
        to->offsets[s] = at;
        at += e->n;
    }
    to->offsets[c->count] = at;
}

/* The component in a layout that fits: avoid, regular, or irregular in any case. */
static void fill(wadi_chunk *c, const list *l, int part) {
    wadi_chunk_component *to = &c->component[part];
    const element *first = &l->at[part][c->first];
    int64_t elements = c->count, at;
    *to = (wadi_chunk_component){.rank = first->rank, .fields = fields};
    memcpy(to->type, types, sizeof types);
    if (!alike(l, part, c->first, c->count) || below(3) == 0) {
        describe(c, to, l, part);
    } else {
        to->layout = WADI_LAYOUT_REGULAR;
        memcpy(to->shape, first->shape, (size_t)to->rank * sizeof *to->shape);
        if (same_values(l, part, c->first, c->count) && below(2) == 0) {
            to->layout = WADI_LAYOUT_AVOID;
            elements = 1;
        }
    }
    for (int64_t s = 0; s < elements; s++) to->values += l->at[part][c->first + s].n;
    for (int f = 0; f < fields; f++) {
        to->column[f] = wadi_chunk_alloc(c, to->values * wadi_type_size(types[f]));
        at = 0;
        for (int64_t s = 0; s < elements; s++)
            for (int64_t i = 0; i < l->at[part][c->first + s].n; i++)
                put_value(to->column[f], f, at++, l->at[part][c->first + s].value[i]);
    }
}

static wadi_chunk *chunk_of(wadi_buffers *b, const list *l, int64_t first, int64_t count,
                            bool (*keeps)(const list *l, int64_t i)) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(b, l->parts + (keeps != NULL), &c, NULL), WADI_OK);
    c->first = first;
    c->count = count;
    for (int i = 0; i < l->parts; i++) fill(c, l, i);
    if (keeps == NULL) return c;
    uint8_t *test = wadi_chunk_alloc(c, count);
    for (int64_t s = 0; s < count; s++) test[s] = keeps(l, first + s);
    c->component[l->parts] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                    .fields = 1,
                                                    .type = {WADI_BOOL},
                                                    .values = count,
                                                    .column = {test}};
    return c;
}

/* ---- chunks to lists ---- */

static void append(list *l, const wadi_chunk *c) {
    assert_int_equal(c->first, l->n);
    l->parts = c->components;
    for (int64_t s = 0; s < c->count; s++, l->n++) {
        for (int i = 0; i < c->components; i++) {
            element *e = &l->at[i][l->n];
            const wadi_array a = wadi_chunk_array(c, i, s);
            memset(e, 0, sizeof *e);
            e->rank = a.rank;
            e->n = wadi_shape_values(a.rank, a.shape);
            memcpy(e->shape, a.shape, (size_t)a.rank * sizeof *e->shape);
            memcpy(e->value, a.column[0], (size_t)e->n * sizeof *e->value);
            assert_fields_follow(&a, e->n);
        }
    }
}

static void take_all(wadi_change *c, list *out) {
    for (;;) {
        wadi_chunk *part = NULL;
        assert_int_equal(wadi_change_next(c, 1 + below(9), &part, NULL), WADI_OK);
        if (part == NULL) return;
        append(out, part);
        wadi_chunk_release(part);
    }
}

/* ---- the lists that go in ---- */

static void set(element *e, int rank, const int64_t *shape, double first) {
    memset(e, 0, sizeof *e);
    e->rank = rank;
    for (int d = 0; d < rank; d++) e->shape[d] = shape[d];
    e->n = wadi_shape_values(rank, e->shape);
    for (int64_t i = 0; i < e->n; i++) e->value[i] = first + (double)i;
}

/* What the lists of a test look like. */
typedef struct kind {
    int parts;
    int rank;      /* least */
    bool regular;  /* one shape */
    bool together; /* all parts of an element have the outermost extent of its first */
    int repeating; /* a bit for each part that is the same for all elements */
} kind;

static void make_list(list *l, const kind *k, int64_t n) {
    int64_t fixed[3] = {1 + below(3), 1 + below(3), 1 + below(2)};
    choose_fields();
    *l = (list){.parts = k->parts, .n = n};
    for (int64_t s = 0; s < n; s++) {
        int64_t shape[3] = {below(4), below(3), below(3)};
        for (int i = 0; i < k->parts; i++) {
            if (!k->together && i > 0) shape[0] = below(4);
            const bool once = (k->repeating >> i & 1) != 0;
            set(&l->at[i][s], i == 0 ? k->rank : k->rank + (i == 2),
                k->regular || once ? fixed : shape, once ? -5 : (double)(s * 100 + i * 10));
        }
    }
}

/* ---- running a change ---- */

static wadi_plan_place place = {"change", "", {"test.c", 3}};

static wadi_change *make(wadi_change_kind change, int64_t size, int64_t hop, wadi_last_window last,
                         wadi_buffers *b) {
    const wadi_change_options o = {.kind = change,
                                   .inputs = 1,
                                   .size = size,
                                   .hop = hop,
                                   .last = last,
                                   .places = 1,
                                   .table = &place,
                                   .buffers = b};
    wadi_change *c = NULL;
    assert_int_equal(wadi_change_create(&o, &c, NULL), WADI_OK);
    return c;
}

static bool divisible(const list *l, int64_t i) {
    return ((int64_t)l->at[0][i].value[0] + l->at[0][i].n) % 3 != 0 && l->at[0][i].n != 2;
}

/* A fresh change that is what this one was, which is destroyed. */
static wadi_change *saved_and_loaded(wadi_change *c) {
    const wadi_change_options o = c->o;
    wadi_change *again = NULL;
    wadi_text kept, second;
    wadi_error err = {.status = WADI_OK};
    wadi_text_init(&kept);
    wadi_text_init(&second);
    assert_int_equal(wadi_change_save(c, &kept, NULL), WADI_OK);
    const int64_t bytes = wadi_change_bytes(c);
    wadi_change_destroy(c);
    assert_int_equal(wadi_change_create(&o, &again, NULL), WADI_OK);
    wadi_state_reader r = {kept.at, kept.n};
    if (wadi_change_load(again, &r, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(r.left, 0);
    assert_true(bytes == 0 || wadi_change_bytes(again) > 0);
    assert_int_equal(wadi_change_save(again, &second, NULL), WADI_OK);
    assert_int_equal(kept.n, second.n);
    assert_memory_equal(kept.at, second.at, kept.n);
    wadi_text_fini(&kept);
    wadi_text_fini(&second);
    return again;
}

/* The list through the change, cut at random. */
static void run(wadi_change *c, wadi_buffers *b, const list *in, list *out, bool filters) {
    *out = (list){0};
    for (int64_t first = 0, n; first < in->n; first += n) {
        n = 1 + below(12);
        if (n > in->n - first) n = in->n - first;
        wadi_chunk *chunk = chunk_of(b, in, first, n, filters ? divisible : NULL);
        assert_int_equal(wadi_change_put(c, 0, chunk, NULL), WADI_OK);
        wadi_chunk_release(chunk);
        if (below(2) == 0) take_all(c, out);
        if (below(4) == 0) c = saved_and_loaded(c);
    }
    if (below(4) == 0) c = saved_and_loaded(c);
    assert_int_equal(wadi_change_end(c, 0, NULL), WADI_OK);
    if (below(4) == 0) c = saved_and_loaded(c);
    take_all(c, out);
    wadi_change_destroy(c);
}

static void assert_same(const list *want, const list *got) {
    assert_int_equal(want->n, got->n);
    for (int64_t s = 0; s < want->n; s++) {
        for (int i = 0; i < want->parts; i++) {
            const element *x = &want->at[i][s], *y = &got->at[i][s];
            assert_int_equal(x->rank, y->rank);
            assert_memory_equal(x->shape, y->shape, sizeof x->shape);
            if (x->n > 0) assert_memory_equal(x->value, y->value, (size_t)x->n * sizeof(double));
        }
    }
}

/* Memory that everything must be given back to. */
static wadi_buffers *pool(void) {
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &b, NULL), WADI_OK);
    return b;
}

static void end_pool(wadi_buffers *b) {
    assert_int_equal(wadi_buffers_used(b), 0);
    wadi_buffers_release(b);
}

static list in, out, want; /* large */

/* ---- tests ---- */

static void filters_keep_what_passes(void **unused) {
    (void)unused;
    static const kind kinds[] = {{1, 0, true, false, 0},
                                 {2, 1, false, false, 2},
                                 {3, 1, true, false, 0},
                                 {3, 0, false, false, 2},
                                 {1, 2, false, false, 0}};
    for (int round = 0; round < 200; round++) {
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        make_list(&in, &kinds[round % 5], below(MOST_ELEMENTS));
        want = (list){.parts = in.parts};
        for (int64_t s = 0; s < in.n; s++) {
            if (!divisible(&in, s)) continue;
            for (int i = 0; i < in.parts; i++) want.at[i][want.n] = in.at[i][s];
            want.n++;
        }
        run(make(WADI_CHANGE_FILTER, 0, 0, 0, b), b, &in, &out, true);
        assert_same(&want, &out);
        end_pool(b);
    }
}

static void takes_and_drops_count(void **unused) {
    (void)unused;
    static const kind k = {3, 1, false, false, 2};
    for (int round = 0; round < 100; round++) {
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        const bool takes = round % 2 == 0;
        make_list(&in, &k, below(MOST_ELEMENTS));
        const int64_t size = below(90) - 10, n = size < 0 ? 0 : size < in.n ? size : in.n;
        const int64_t begin = takes ? 0 : n, end = takes ? n : in.n;
        want = (list){.parts = in.parts, .n = end - begin};
        for (int i = 0; i < in.parts; i++)
            memcpy(want.at[i], in.at[i] + begin, (size_t)want.n * sizeof(element));
        run(make(takes ? WADI_CHANGE_TAKE : WADI_CHANGE_DROP, size, 0, 0, b), b, &in, &out, false);
        assert_same(&want, &out);
        end_pool(b);
    }
}

/* Arrays of all kinds, so that elements that stand apart are copied together. */
static void picks_go_in_steps(void **unused) {
    (void)unused;
    static const kind some[] = {
        {3, 1, false, false, 2}, {3, 2, true, false, 2}, {2, 0, true, false, 1}};
    for (int round = 0; round < 300; round++) {
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        make_list(&in, &some[round % 3], below(MOST_ELEMENTS));
        const int64_t first = below(40) - 5, hop = round % 10 == 0 ? INT64_MAX : 1 + below(7);
        const int64_t most = round % 4 == 0 ? INT64_MAX : below(30) - 2;
        want = (list){.parts = in.parts};
        for (int64_t s = first < 0 ? 0 : first; s < in.n && want.n < most; s += hop) {
            for (int i = 0; i < in.parts; i++) want.at[i][want.n] = in.at[i][s];
            want.n++;
            if (hop > in.n) break;
        }
        const wadi_change_options o = {.kind = WADI_CHANGE_PICK,
                                       .inputs = 1,
                                       .first = first,
                                       .size = most,
                                       .hop = hop,
                                       .places = 1,
                                       .table = &place,
                                       .buffers = b};
        wadi_change *c = NULL;
        assert_int_equal(wadi_change_create(&o, &c, NULL), WADI_OK);
        const int64_t from = first < 0 ? 0 : first;
        assert_int_equal(wadi_change_needs(c, 0), from);
        if (most > 0) assert_int_equal(wadi_change_needs(c, 1), from + 1);
        if (most > 1 && hop < 8) assert_int_equal(wadi_change_needs(c, 2), from + hop + 1);
        run(c, b, &in, &out, false);
        assert_same(&want, &out);
        end_pool(b);
    }
}

static void expansions_give_every_slice(void **unused) {
    (void)unused;
    static const kind kinds[] = {{1, 1, false, true, 0},
                                 {3, 1, false, true, 0},
                                 {1, 2, false, true, 0},
                                 {2, 2, true, true, 0},
                                 {2, 1, true, true, 2}};
    for (int round = 0; round < 200; round++) {
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        make_list(&in, &kinds[round % 5], below(MOST_ELEMENTS));
        want = (list){.parts = in.parts};
        for (int64_t s = 0; s < in.n; s++)
            for (int64_t k = 0; k < in.at[0][s].shape[0]; k++, want.n++)
                for (int i = 0; i < in.parts; i++) {
                    const element *e = &in.at[i][s];
                    element *to = &want.at[i][want.n];
                    set(to, e->rank - 1, e->shape + 1, 0);
                    memcpy(to->value, e->value + k * to->n, (size_t)to->n * sizeof *to->value);
                }
        run(make(WADI_CHANGE_EXPAND, 0, 0, 0, b), b, &in, &out, false);
        assert_same(&want, &out);
        end_pool(b);
    }
}

/* Elements [from, from + n) of a part as one. */
static void stack(element *to, const element *from, int64_t n) {
    int64_t shape[3] = {n, from->shape[0], from->shape[1]};
    set(to, from->rank + 1, shape, 0);
    for (int64_t s = 0; s < n; s++)
        memcpy(to->value + s * from->n, from[s].value, (size_t)from->n * sizeof *to->value);
}

static void batches_stack(void **unused) {
    (void)unused;
    static const kind kinds[] = {{1, 0, true, false, 0},
                                 {2, 1, true, false, 2},
                                 {1, 1, true, false, 0},
                                 {2, 1, true, false, 1},
                                 {3, 1, true, false, 7}};
    for (int round = 0; round < 200; round++) {
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        make_list(&in, &kinds[round % 5], below(MOST_ELEMENTS));
        const int64_t size = 1 + below(9);
        /* another batch may have another shape */
        for (int64_t s = 0; s < in.n && round % 10 == 2; s++) {
            const int64_t shape[1] = {1 + s / size % 2};
            set(&in.at[0][s], 1, shape, (double)s);
        }
        want = (list){.parts = in.parts};
        for (int64_t s = 0; s < in.n; s += size, want.n++)
            for (int i = 0; i < in.parts; i++)
                stack(&want.at[i][want.n], &in.at[i][s], in.n - s < size ? in.n - s : size);
        run(make(WADI_CHANGE_BATCH, size, 0, 0, b), b, &in, &out, false);
        assert_same(&want, &out);
        end_pool(b);
    }
}

/* All windows over the samples x[0 .. n), part by part. */
static void all_windows(const double *x, int64_t n, int64_t size, int64_t hop,
                        wadi_last_window last, int part) {
    int64_t w = 0, covered = 0;
    for (; w * hop + size <= n; w++) {
        set(&want.at[part][w], 1, &size, 0);
        memcpy(want.at[part][w].value, x + w * hop, (size_t)size * sizeof *x);
        covered = w * hop + size;
    }
    const int64_t left = n - w * hop;
    if (last != WADI_LAST_WINDOW_DROP && left > 0 && n > covered) {
        const int64_t shape = last == WADI_LAST_WINDOW_PAD ? size : left;
        set(&want.at[part][w], 1, &shape, 0);
        memset(want.at[part][w].value, 0, sizeof want.at[part][w].value);
        memcpy(want.at[part][w].value, x + w * hop, (size_t)left * sizeof *x);
        w++;
    }
    want.n = w;
}

static void windows_overlap(void **unused) {
    (void)unused;
    static const kind kinds[] = {{1, 1, false, true, 0},
                                 {1, 0, true, true, 0},
                                 {2, 1, true, true, 2},
                                 {2, 1, false, true, 0}};
    for (int round = 0; round < 400; round++) {
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        make_list(&in, &kinds[round % 4], below(MOST_ELEMENTS));
        const int64_t size = 1 + below(7), hop = 1 + below(9);
        const wadi_last_window last = (wadi_last_window)below(3);
        want = (list){.parts = in.parts};
        for (int i = 0; i < in.parts; i++) {
            double x[MOST_ELEMENTS * 4];
            int64_t n = 0;
            for (int64_t s = 0; s < in.n; s++)
                for (int64_t k = 0; k < in.at[i][s].n; k++) x[n++] = in.at[i][s].value[k];
            all_windows(x, n, size, hop, last, i);
        }
        run(make(WADI_CHANGE_WINDOWS, size, hop, last, b), b, &in, &out, false);
        assert_same(&want, &out);
        end_pool(b);
    }
}

static void windows_and_slices_copy_nothing(void **unused) {
    (void)unused;
    wadi_buffers *b = pool();
    static const kind k = {1, 0, true, false, 0};
    state = 1;
    make_list(&in, &k, 60);
    wadi_chunk *chunk = chunk_of(b, &in, 0, 60, NULL), *got = NULL;
    chunk->component[0].layout = WADI_LAYOUT_REGULAR;
    wadi_change *c = make(WADI_CHANGE_WINDOWS, 8, 2, WADI_LAST_WINDOW_DROP, b);
    assert_int_equal(wadi_change_put(c, 0, chunk, NULL), WADI_OK);
    assert_int_equal(wadi_change_next(c, 1000, &got, NULL), WADI_OK);
    assert_int_equal(got->count, 27);
    assert_int_equal(got->component[0].stride, 2);
    assert_ptr_equal(got->component[0].column[0], chunk->component[0].column[0]);
    /* the samples from the start of the 28th window on */
    assert_int_equal(wadi_change_bytes(c), 6 * wadi_component_value_bytes(&got->component[0]));
    wadi_chunk_release(got);
    wadi_change_destroy(c);
    c = make(WADI_CHANGE_BATCH, 20, 0, 0, b);
    assert_int_equal(wadi_change_put(c, 0, chunk, NULL), WADI_OK);
    assert_int_equal(wadi_change_next(c, 1000, &got, NULL), WADI_OK);
    assert_int_equal(got->count, 3);
    assert_ptr_equal(got->component[0].column[0], chunk->component[0].column[0]);
    wadi_chunk_release(got);
    wadi_change_destroy(c);
    wadi_chunk_release(chunk);
    end_pool(b);
}

static void inputs_wait_for_each_other(void **unused) {
    (void)unused;
    static const kind k = {1, 1, false, false, 0};
    for (int round = 0; round < 50; round++) {
        static list other;
        wadi_buffers *b = pool();
        state = (uint64_t)round;
        make_list(&in, &k, below(MOST_ELEMENTS));
        make_list(&other, &k, below(MOST_ELEMENTS));
        wadi_change_options o = {.kind = WADI_CHANGE_ZIP, .inputs = 2, .buffers = b};
        wadi_change *c = NULL;
        assert_int_equal(wadi_change_create(&o, &c, NULL), WADI_OK);
        const list *from[2] = {&in, &other};
        int64_t next[2] = {0, 0};
        out = (list){0};
        while (next[0] < in.n || next[1] < other.n) {
            const int i = next[0] == in.n ? 1 : next[1] == other.n ? 0 : (int)below(2);
            const int64_t left = from[i]->n - next[i], n = 1 + below(left);
            wadi_chunk *chunk = chunk_of(b, from[i], next[i], n, NULL);
            assert_int_equal(wadi_change_put(c, i, chunk, NULL), WADI_OK);
            wadi_chunk_release(chunk);
            next[i] += n;
            const int64_t ahead = next[0] - next[1];
            assert_int_equal(wadi_change_waiting(c, 0), ahead > 0 ? ahead : 0);
            take_all(c, &out);
            if (below(3) == 0) c = saved_and_loaded(c);
            assert_int_equal(wadi_change_waiting(c, 0), ahead > 0 ? ahead : 0);
        }
        want = (list){.parts = 2, .n = in.n < other.n ? in.n : other.n};
        memcpy(want.at[0], in.at[0], (size_t)want.n * sizeof(element));
        memcpy(want.at[1], other.at[0], (size_t)want.n * sizeof(element));
        assert_same(&want, &out);
        assert_int_equal(wadi_change_end(c, in.n < other.n ? 0 : 1, NULL), WADI_OK);
        assert_false(wadi_change_wants(c));
        wadi_change_destroy(c);
        end_pool(b);
    }
}

/* A change that faults at element `bad` has given what comes before. */
static void assert_faults(wadi_change_kind change, const kind *k, int64_t bad, int64_t given) {
    wadi_buffers *b = pool();
    wadi_error err = {0};
    state = 5;
    make_list(&in, k, 10);
    const int64_t shape[3] = {9, 1, 1};
    set(&in.at[in.parts - 1][bad], in.at[in.parts - 1][bad].rank, shape, 0);
    wadi_chunk *chunk = chunk_of(b, &in, 0, 10, NULL);
    wadi_change *c = make(change, 3, 3, WADI_LAST_WINDOW_DROP, b);
    assert_int_equal(wadi_change_put(c, 0, chunk, &err), WADI_FAULT);
    char named[32];
    snprintf(named, sizeof named, "element %d, at test.c:3", (int)bad);
    assert_non_null(strstr(err.msg, named));
    /* the interpreter's order: what there is, what it should be */
    snprintf(named, sizeof named, ": 9 and %lld differ", (long long)in.at[0][0].shape[0]);
    assert_non_null(strstr(err.msg, named));
    out = (list){0};
    take_all(c, &out);
    assert_int_equal(out.n, given);
    wadi_change_destroy(c);
    wadi_chunk_release(chunk);
    end_pool(b);
}

/* An element differs from those of its batch, in whichever chunk they came; from those of another it may. */
static void chunks_of_one_batch_have_one_shape(void **unused) {
    (void)unused;
    for (int64_t cut = 1; cut < 6; cut++) {
        for (int64_t bad = -1; bad < 6; bad++) {
            wadi_buffers *b = pool();
            wadi_error err = {0};
            wadi_change *c = make(WADI_CHANGE_BATCH, 3, 0, 0, b);
            state = (uint64_t)(10 * cut + bad);
            in = (list){.parts = 1, .n = 6};
            for (int64_t s = 0; s < in.n; s++) {
                const int64_t shape[1] = {s == bad ? 5 : 1 + s / 3};
                set(&in.at[0][s], 1, shape, (double)s);
            }
            wadi_status st = WADI_OK;
            for (int64_t first = 0; first < in.n && st == WADI_OK; first += cut) {
                const int64_t n = cut < in.n - first ? cut : in.n - first;
                wadi_chunk *chunk = chunk_of(b, &in, first, n, NULL);
                st = wadi_change_put(c, 0, chunk, &err);
                wadi_chunk_release(chunk);
            }
            assert_int_equal(st, bad < 0 ? WADI_OK : WADI_FAULT);
            if (bad >= 0) {
                char named[32];
                /* the first of a batch is what the others are measured by */
                snprintf(named, sizeof named, "element %d,", (int)(bad % 3 == 0 ? bad + 1 : bad));
                assert_non_null(strstr(err.msg, named));
            }
            out = (list){0};
            take_all(c, &out);
            assert_int_equal(out.n, bad < 0 ? 2 : bad / 3);
            wadi_change_destroy(c);
            end_pool(b);
        }
    }
}

static void what_does_not_fit_is_a_fault_behind_what_does(void **unused) {
    (void)unused;
    static const kind pairs = {2, 1, true, true, 0}, one = {1, 1, true, false, 0};
    state = 5;
    make_list(&in, &pairs, 10);
    const int64_t m = in.at[0][0].shape[0];
    assert_faults(WADI_CHANGE_EXPAND, &pairs, 7, 7 * m);
    assert_faults(WADI_CHANGE_WINDOWS, &pairs, 7, 7 * m / 3);
    assert_faults(WADI_CHANGE_BATCH, &one, 7, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_keep_what_passes),
        cmocka_unit_test(takes_and_drops_count),
        cmocka_unit_test(picks_go_in_steps),
        cmocka_unit_test(expansions_give_every_slice),
        cmocka_unit_test(batches_stack),
        cmocka_unit_test(windows_overlap),
        cmocka_unit_test(windows_and_slices_copy_nothing),
        cmocka_unit_test(inputs_wait_for_each_other),
        cmocka_unit_test(chunks_of_one_batch_have_one_shape),
        cmocka_unit_test(what_does_not_fit_is_a_fault_behind_what_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
