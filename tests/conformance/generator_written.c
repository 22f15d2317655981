/* Each step adds a line to the text and makes the same by calls of C; both have a pool of the arrays so far. */
#include "tests/conformance/generator_written.h"

#include <stdio.h>

#include "tests/conformance/generator.h"

enum { POOL = 64, STEPS = 7, KEYS = 3 };

typedef struct named {
    char name[16];
    wadi_acc a;
    int rank;
    wadi_type type;
    bool record; /* of the fields u and v, an i64 */
} named;

typedef struct writer {
    gen_random r;
    wadi_text *out;
    const char *indent;
    named pool[POOL];
    int n, names;
    wadi_acc table;
    bool scalars;
    wadi_type want; /* of the function being made */
    int choice;
} writer;

static const wadi_type types[] = {WADI_I8,  WADI_U16, WADI_I32, WADI_I64,
                                  WADI_U64, WADI_F32, WADI_F64};

static bool is_float(wadi_type t) {
    return t == WADI_F32 || t == WADI_F64;
}

static wadi_type any_type(writer *w) {
    return types[gen_below(&w->r, (int)(sizeof types / sizeof *types))];
}

/* ---- the pool ---- */

static named *keep(writer *w, const char *name, wadi_acc a, int rank, wadi_type type) {
    named *it = &w->pool[w->n++];
    *it = (named){.a = a, .rank = rank, .type = type};
    (void)snprintf(it->name, sizeof it->name, "%s", name);
    return it;
}

static const char *fresh(writer *w, char *name) {
    (void)snprintf(name, 16, "v%d", w->names++);
    return name;
}

/* A pooled array of rank least..most that is no record, the younger the likelier; there is one always. */
static named pick(writer *w, int least, int most) {
    for (int tries = 0; tries < 100; tries++) {
        const int back = gen_below(&w->r, 1 + gen_below(&w->r, w->n));
        const named *it = &w->pool[w->n - 1 - back];
        if (it->rank >= least && it->rank <= most && !it->record) return *it;
    }
    return w->pool[0];
}

static void line(writer *w) {
    wadi_text_add(w->out, w->indent);
}

/* ---- keys, written twice ---- */

enum { ITSELF, NEGATIVE, AS_F32, FROM_TABLE, SECOND, KINDS };

typedef struct key {
    const writer *w;
    int kind;
    wadi_type type;
} key;

static wadi_exp converted(wadi_type to, wadi_type from, wadi_exp x) {
    return to == from ? x : wadi_convert(to, x);
}

static wadi_exp first_field(const key *k, wadi_exp x) {
    return k->kind == SECOND ? wadi_get(x, "u") : x;
}

static wadi_exp key_in_c(void *env, wadi_exp x) {
    const key *k = env;
    switch (k->kind) {
    case NEGATIVE:
        return wadi_neg(x);
    case AS_F32:
        return wadi_convert(WADI_F32, x);
    case FROM_TABLE:
        return wadi_index1(k->w->table, wadi_mod(converted(WADI_I64, k->type, x), wadi_i64(4)));
    case SECOND:
        return wadi_add(wadi_get(x, "v"), converted(WADI_I64, k->type, first_field(k, x)));
    default:
        return x;
    }
}

static void key_in_text(writer *w, const key *k) {
    const char *own = k->type == WADI_I64 ? "x" : "(convert i64 x)";
    switch (k->kind) {
    case NEGATIVE:
        wadi_text_add(w->out, " (x) { neg x }");
        break;
    case AS_F32:
        wadi_text_add(w->out, " (x) { convert f32 x }");
        break;
    case FROM_TABLE:
        wadi_text_addf(w->out, " (x) { %s ! (mod %s 4) }", WRITTEN_TABLE, own);
        break;
    case SECOND:
        wadi_text_addf(w->out, " (x, v) { add v %s }", own);
        break;
    default:
        wadi_text_add(w->out, " (x) { x }");
        break;
    }
}

static key make_key(writer *w, const named *it) {
    key k = {w, gen_below(&w->r, SECOND), it->type};
    if (k.kind == AS_F32 && it->type == WADI_F32) k.kind = ITSELF;
    if (it->record) k.kind = SECOND;
    return k;
}

/* ---- orders ---- */

/* y = name a */
static void do_plain(writer *w) {
    static const struct {
        const char *name;
        wadi_acc (*call)(wadi_acc a);
        bool places;
    } calls[] = {{"sort", wadi_sort, false},
                 {"argsort", wadi_argsort, true},
                 {"group_ids", wadi_group_ids, true}};
    const named it = pick(w, 1, 3);
    const int c = gen_below(&w->r, 3);
    char name[16];
    line(w);
    wadi_text_addf(w->out, "%s = %s %s\n", fresh(w, name), calls[c].name, it.name);
    keep(w, name, calls[c].call(it.a), it.rank, calls[c].places ? WADI_I64 : it.type);
}

static wadi_exp record_in_c(void *env, wadi_exp x) {
    const named *it = env;
    return wadi_rec2("u", x, "v", wadi_convert(WADI_I64, wadi_lt(x, wadi_literal(it->type, 3))));
}

/* An array, or records made of it. */
static named sortable(writer *w) {
    named it = pick(w, 1, 3);
    if (gen_below(&w->r, 3)) return it;
    char name[16];
    line(w);
    wadi_text_addf(w->out, "%s = map %s (x) { u: x, v: convert i64 (lt x 3%s%s) }\n",
                   fresh(w, name), it.name, is_float(it.type) ? ".0" : "", wadi_type_name(it.type));
    named *r = keep(w, name, wadi_map_env(record_in_c, &it, it.a), it.rank, it.type);
    r->record = true;
    return *r;
}

static void do_sort_by(writer *w) {
    const named it = sortable(w);
    key keys[KEYS];
    wadi_order orders[KEYS];
    const int n = 1 + gen_below(&w->r, KEYS), down = gen_below(&w->r, n + 1),
              kind = gen_below(&w->r, n == 1 && down == 0 ? 3 : 2);
    static const char *const names[] = {"sort_by", "argsort_by", "sort_by_key"};
    char name[16];
    line(w);
    wadi_text_addf(w->out, "%s = %s", fresh(w, name), names[kind]);
    for (int k = 0; k < n; k++) {
        keys[k] = make_key(w, &it);
        orders[k] = (wadi_order){.key_env = key_in_c, .env = &keys[k]};
        if (k >= down) continue;
        orders[k].down = gen_below(&w->r, 2) == 0;
        wadi_text_addf(w->out, "%s%d", k > 0 ? "," : " down=", orders[k].down);
    }
    wadi_text_addf(w->out, " %s", it.name);
    for (int k = 0; k < n; k++) key_in_text(w, &keys[k]);
    wadi_text_add(w->out, "\n");
    const wadi_acc a = kind == 0   ? wadi_sort_by(n, orders, it.a)
                       : kind == 1 ? wadi_argsort_by(n, orders, it.a)
                                   : wadi_sort_by_key_env(key_in_c, &keys[0], it.a);
    named *y = keep(w, name, a, it.rank, kind == 1 ? WADI_I64 : it.type);
    y->record = it.record && kind != 1;
}

static void do_best(writer *w) {
    const named it = pick(w, 1, 3);
    const int k = gen_below(&w->r, 7) - 1;
    const bool most = gen_below(&w->r, 2) == 0;
    char name[16], at[16];
    line(w);
    fresh(w, name);
    wadi_text_addf(w->out, "%s, %s = %s %s %d\n", name, fresh(w, at), most ? "largest" : "smallest",
                   it.name, k);
    const wadi_acc best = most ? wadi_largest(wadi_i64(k), it.a) : wadi_smallest(wadi_i64(k), it.a);
    keep(w, name, wadi_tuple_get(best, 0), it.rank, it.type);
    keep(w, at, wadi_tuple_get(best, 1), it.rank, WADI_I64);
}

static void do_unique(writer *w) {
    const named it = sortable(w);
    char name[16], length[16], runs[16];
    line(w);
    fresh(w, name);
    fresh(w, length);
    wadi_text_addf(w->out, "%s, %s, %s = unique %s\n", name, length, fresh(w, runs), it.name);
    const wadi_acc all = wadi_unique(it.a);
    named *y = keep(w, name, wadi_tuple_get(all, 0), 1, it.type);
    y->record = it.record;
    keep(w, length, wadi_tuple_get(all, 1), 1, WADI_I64);
    keep(w, runs, wadi_tuple_get(all, 2), it.rank - 1, WADI_I64);
}

static void do_search(writer *w) {
    const named it = pick(w, 1, 3);
    const bool low = gen_below(&w->r, 2) == 0;
    char rows[16], name[16];
    line(w);
    wadi_text_addf(w->out, "%s = sort %s\n", fresh(w, rows), it.name);
    line(w);
    wadi_text_addf(w->out, "%s = %s %s %s\n", fresh(w, name), low ? "lower_bound" : "upper_bound",
                   rows, it.name);
    const wadi_acc sorted = wadi_sort(it.a);
    keep(w, rows, sorted, it.rank, it.type);
    keep(w, name, low ? wadi_lower_bound(sorted, it.a) : wadi_upper_bound(sorted, it.a), it.rank,
         WADI_I64);
}

/* A product with the transpose, whose extents fit. */
static void do_matmul(writer *w) {
    const named it = pick(w, 2, 2);
    if (it.rank != 2) {
        do_plain(w);
        return;
    }
    char turned[16], name[16];
    line(w);
    wadi_text_addf(w->out, "%s = transpose perm=1,0 %s\n", fresh(w, turned), it.name);
    line(w);
    wadi_text_addf(w->out, "%s = matmul %s %s\n", fresh(w, name), it.name, turned);
    const wadi_acc t = wadi_transpose(it.a);
    keep(w, turned, t, 2, it.type);
    keep(w, name, wadi_matmul(it.a, t), 2, it.type);
}

/* ---- functions of scalars ---- */

static const struct drawn {
    const char *text;
    wadi_type gives;
} draws[] = {{"random_u32 7 i", WADI_U32},
             {"random_u64 i 3u8", WADI_U64},
             {"random_f32 1i16 i", WADI_F32},
             {"random_f64 i i", WADI_F64},
             {"random_normal_f32 2 i", WADI_F32},
             {"random_normal_f64 2 i", WADI_F64},
             {"random_below 5 i 6u8", WADI_U8},
             {"random_between 5 i -2 9", WADI_I64},
             {"a, b, c, d = random_words 9 i 1; add (add a b) (xor c d)", WADI_U32},
             {"s, c = sincos (convert f64 i); sub s c", WADI_F64},
             {"s, c = sincos (convert f32 i); add (mul s 2.0f32) c", WADI_F32}};

static wadi_exp number_of_words(wadi_exp w) {
    return wadi_add(wadi_add(wadi_get(w, "w0"), wadi_get(w, "w1")),
                    wadi_xor(wadi_get(w, "w2"), wadi_get(w, "w3")));
}

static wadi_exp of_sincos(wadi_exp x, bool sum) {
    const wadi_exp both = wadi_sincos(x), s = wadi_get(both, "sin"), c = wadi_get(both, "cos");
    return sum ? wadi_add(wadi_mul(s, wadi_f32(2)), c) : wadi_sub(s, c);
}

static wadi_exp drawn_in_c(void *env, wadi_exp x) {
    const writer *w = env;
    const wadi_exp i = converted(WADI_I64, w->want, x);
    switch (w->choice) {
    case 0:
        return wadi_random_u32(wadi_i64(7), i);
    case 1:
        return wadi_random_u64(i, wadi_u8(3));
    case 2:
        return wadi_random_f32(wadi_i16(1), i);
    case 3:
        return wadi_random_f64(i, i);
    case 4:
        return wadi_random_normal_f32(wadi_i64(2), i);
    case 5:
        return wadi_random_normal_f64(wadi_i64(2), i);
    case 6:
        return wadi_random_below(wadi_i64(5), i, wadi_u8(6));
    case 7:
        return wadi_random_between(wadi_i64(5), i, wadi_i64(-2), wadi_i64(9));
    case 8:
        return number_of_words(wadi_random_words(wadi_i64(9), i, wadi_i64(1)));
    case 9:
        return of_sincos(wadi_convert(WADI_F64, i), false);
    default:
        return of_sincos(wadi_convert(WADI_F32, i), true);
    }
}

static void do_draw(writer *w) {
    const named it = pick(w, 0, 3);
    char name[16];
    w->choice = gen_below(&w->r, (int)(sizeof draws / sizeof *draws));
    w->want = it.type;
    w->scalars = true;
    line(w);
    wadi_text_addf(w->out, "%s = map %s (x) { i = %s; %s }\n", fresh(w, name), it.name,
                   it.type == WADI_I64 ? "x" : "convert i64 x", draws[w->choice].text);
    keep(w, name, wadi_map_env(drawn_in_c, w, it.a), it.rank, draws[w->choice].gives);
}

static void step(writer *w) {
    static void (*const steps[])(writer *) = {do_plain,  do_plain,  do_sort_by, do_sort_by, do_best,
                                              do_unique, do_search, do_matmul,  do_draw};
    steps[gen_below(&w->r, (int)(sizeof steps / sizeof *steps))](w);
}

/* ---- programs ---- */

static const char *const any_extents[] = {"?", "?"};

const char *written_input_name(int i) {
    static const char *const names[] = {"a0", "a1", "a2"};
    return names[i];
}

static void declare(writer *w, written_inputs *in) {
    static const char *const four[] = {"4"};
    wadi_text_add(w->out, "program written\ninput " WRITTEN_TABLE " : i64[4]\n");
    w->table = wadi_input(WRITTEN_TABLE, WADI_I64, 1, four);
    for (int i = 0; i < WRITTEN_INPUTS; i++) {
        in->type[i] = any_type(w);
        in->rank[i] = i == 1 ? 2 : 1;
        wadi_text_addf(w->out, "input %s : %s%s\n", written_input_name(i),
                       wadi_type_name(in->type[i]), in->rank[i] == 2 ? "[?, ?]" : "[?]");
        keep(w, written_input_name(i),
             wadi_input(written_input_name(i), in->type[i], in->rank[i], any_extents), in->rank[i],
             in->type[i]);
    }
    in->stream = any_type(w);
}

static wadi_acc of_element(void *env, wadi_acc element) {
    writer *w = env;
    wadi_acc all[POOL];
    const int outside = w->n;
    keep(w, "x", element, 1, w->want);
    w->indent = "    ";
    for (int i = 0; i < STEPS / 2; i++) step(w);
    w->indent = "";
    const int n = w->n - outside; /* all of them, since calls of C drop what nobody reads */
    for (int i = 0; i < n; i++) {
        wadi_text_addf(w->out, "%s%s", i == 0 ? "    yield " : ", ", w->pool[outside + i].name);
        all[i] = w->pool[outside + i].a;
    }
    wadi_text_add(w->out, "\n");
    return wadi_tuple(n, all);
}

/* A stage whose body has steps of its own, also over what stands outside. */
static void stage(writer *w, wadi_type type) {
    const wadi_component c = {wadi_scalar_elem(type), 1, NULL};
    wadi_text_addf(w->out, "stream_in %s : seq(%s[?])\nt = map_seq %s (x) {\n", WRITTEN_STREAM,
                   wadi_type_name(type), WRITTEN_STREAM);
    const int outside = w->n;
    w->want = type;
    const wadi_seq t = wadi_map_seq_env(of_element, w, wadi_stream_in(WRITTEN_STREAM, 1, &c));
    wadi_text_add(w->out, "}\nstream_out \"t\" t\n");
    wadi_stream_out(t, "t");
    w->n = outside;
}

wadi_program *written_program(uint64_t seed, written_inputs *in, wadi_text *out, bool *scalars) {
    writer w = {.r = {seed * 2 + 1}, .out = out, .indent = ""};
    wadi_program *p = wadi_program_create("written");
    if (!p) return NULL;
    declare(&w, in);
    for (int i = 0; i < STEPS; i++) step(&w);
    stage(&w, in->stream);
    for (int i = WRITTEN_INPUTS; i < w.n; i++) {
        wadi_text_addf(out, "output %s\n", w.pool[i].name);
        wadi_output(w.pool[i].name, w.pool[i].a);
    }
    *scalars = w.scalars;
    return p;
}
