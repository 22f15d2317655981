/* The jobs and their numbers. See jobs.h. */
#include "bench/devices/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "bench/devices/job_md5.h"

enum {
    ROUNDS = 8,
    FEW = 2,
    MOST_ROUNDS = 2048,
    ENTRIES = 64 /* of a row of the matrix, on average */
};
/* A round that takes so long is not repeated often. */
#define LONG_S 0.3
/* No run that is measured has further rounds for the sake of exactness once it takes so long. */
#define MOST_S 0.8
/* Large arrays are made by all threads, also because their pages are touched for the first time. */
#ifdef _OPENMP
#define BY_ALL _Pragma("omp parallel for")
#else
#define BY_ALL
#endif

/* ---- the programs ---- */

#define HEAD "program rounds\ninput rounds : i64[]\ncount = unit { the rounds }\n"
#define ROUND                     \
    "n = unit { extent x 0 }\n"   \
    "all = produce count (i) {\n" \
    "    factor = unit { add 1.0 (mul 9.5367431640625e-07 (convert f64 (the i))) }\n"
#define TAIL                                 \
    "    yield v\n}\n"                       \
    "sum = fold_seq all 0.0 (s, v) {\n"      \
    "    t = unit { add (the s) (the v) }\n" \
    "    yield t\n}\n"                       \
    "output sum\n"
#define ARRAY_TAIL "    yield %s\n}\narray = elements all\noutput array\n"

#define SCALED "s = map x (a) { mul a (the factor) }\n"
#define PRICE                                                  \
    "w = mul 0.3 (sqrt t)\n"                                   \
    "d = fdiv (add (log (fdiv s k)) (mul 0.065 t)) w\n"        \
    "p = mul 0.5 (erfc (mul d -0.7071067811865476))\n"         \
    "q = mul 0.5 (erfc (mul (sub d w) -0.7071067811865476))\n" \
    "sub (mul s p) (mul (mul k (exp (mul -0.02 t))) q)\n"
#define PRICES                                                             \
    "r = zip_with x y z (a, k, t) {\ns = mul a (the factor)\n" PRICE "}\n" \
    "g = compute r\n" BENCH_PICK("g")
#define WORK                                                  \
    "r = map x (a) {\nb = mul a (the factor)\n"               \
    "iterate @ (k, w) { add (mul w 0.75) 0.125 } from b\n}\n" \
    "g = compute r\n" BENCH_PICK("g")
#define ROWS                                                  \
    SCALED "l = unit { quot (the n) @ }\nm = reshape s l @\n" \
           "r = fold 0.0 m (p, q) { add p q }\n" BENCH_PICK("r")

#define SEGMENTED SCALED "r = fold_seg 0.0 o s (p, q) { add p q }\n" BENCH_PICK("r")
#define SEGMENTED_SINGLES                                    \
    "s = map x (a) { mul a (convert f32 (the factor)) }\n"   \
    "r = fold_seg 0.0f32 o s (p, q) { add p q }\n"           \
    "v = unit { convert f64 (r ! (rem (mul (add (the i) 1) " \
    "7919999) (extent r 0))) }\n"
#define BIN "{ true, rem (convert i64 a) @ }\n"
#define COUNTS                                                    \
    "z = generate @ (b) { 0 }\nw = map x (a) { add (the i) 1 }\n" \
    "r = permute z w x (new, old) { add new old } (i, a) " BIN    \
    "v = unit { convert f64 (r ! (rem (mul (add (the i) 1) 7919999) (extent r 0))) }\n"
#define WEIGHTS                                                  \
    "z = generate @ (b) { 0.0 }\nw = map x (a) { the factor }\n" \
    "r = permute z w x (new, old) { add new old } (i, a) " BIN BENCH_PICK("r")

#define SPLIT(N, TEXT)                                                                   \
    {                                                                                    \
        .name = "segments of " TEXT, .task = "rows", .vectors = "xO", .body = SEGMENTED, \
        .extra = N, .bytes = 8 + 16.0 / N, .share = 0.7, .read = 0.9, .rows = true,      \
        .full = N != 10                                                                  \
    }
#define SPLIT_SINGLES(N, TEXT)                                                                   \
    {                                                                                            \
        .name = "segments of " TEXT ", f32", .task = "singles", .vectors = "XO",                 \
        .body = SEGMENTED_SINGLES, .extra = N, .bytes = 4 + 12.0 / N, .share = 0.7, .read = 0.9, \
        .rows = true, .full = N != 10                                                            \
    }
/* N bins: any of them, or all in the first. */
#define BINS(N, TEXT)                                                                        \
    {.name = "histogram of " TEXT,                                                           \
     .task = "bins",                                                                         \
     .vectors = "b",                                                                         \
     .body = COUNTS,                                                                         \
     .extra = N,                                                                             \
     .bytes = 4,                                                                             \
     .full = N != 256},                                                                      \
        {.name = "histogram of " TEXT ", one bin",                                           \
         .task = "one bin",                                                                  \
         .vectors = "a",                                                                     \
         .body = COUNTS,                                                                     \
         .extra = N,                                                                         \
         .bytes = 4,                                                                         \
         .full = N != 256},                                                                  \
        {.name = "histogram of " TEXT ", floats",                                            \
         .task = "bins",                                                                     \
         .vectors = "b",                                                                     \
         .body = WEIGHTS,                                                                    \
         .extra = N,                                                                         \
         .bytes = 4,                                                                         \
         .full = N != 256},                                                                  \
    {                                                                                        \
        .name = "histogram of " TEXT ", floats, one bin", .task = "one bin", .vectors = "a", \
        .body = WEIGHTS, .extra = N, .bytes = 4, .full = N != 256                            \
    }

#define SEGMENTS(N, TEXT)                                                                  \
    {                                                                                      \
        .name = "rows of " TEXT, .task = "rows", .vectors = "x", .body = ROWS, .extra = N, \
        .bytes = 8 + 8.0 / N, .share = 0.7, .rows = true, .full = N != 10                  \
    }
#define INTENSITY(N, TEXT)                                                                        \
    {                                                                                             \
        .name = "intensity " TEXT, .task = "intensity", .vectors = "x", .body = WORK, .extra = N, \
        .bytes = 16, .full = N != 4                                                               \
    }

/* Rows of numbers, transformed: an operator that has no short text. */
typedef struct transform {
    wadi_acc x;
    int64_t length;
} transform;

static wadi_exp as_complex(void *env, wadi_exp x) {
    return wadi_complex(wadi_mul(x, *(const wadi_exp *)env), wadi_f64(0));
}

static wadi_acc transform_round(void *env, wadi_exp i) {
    const transform *t = env;
    wadi_exp factor = wadi_add(wadi_f64(1), wadi_mul(wadi_f64(0x1p-20), wadi_convert(WADI_F64, i)));
    const wadi_exp length = wadi_i64(t->length), rows = wadi_quot(wadi_extent(t->x, 0), length);
    const wadi_acc z = wadi_take(wadi_mul(rows, length), wadi_map_env(as_complex, &factor, t->x)),
                   y = wadi_fft(wadi_reshape(wadi_ix2(rows, length), z));
    return wadi_unit(wadi_real(wadi_index2(
        y, wadi_rem(wadi_mul(wadi_add(i, wadi_i64(1)), wadi_i64(7919999)), rows), wadi_i64(1))));
}

static wadi_acc total(wadi_acc sum, wadi_acc x) {
    return wadi_unit(wadi_add(wadi_the(sum), wadi_the(x)));
}

static wadi_program *transforms(const bench_job *j) {
    wadi_program *p = wadi_program_create("transforms");
    if (p == NULL) return NULL;
    const wadi_acc rounds = wadi_input("rounds", WADI_I64, 0, NULL);
    transform t = {wadi_input("x", WADI_F64, 1, NULL), j->extra};
    const wadi_seq all = wadi_produce_env(wadi_the(rounds), transform_round, &t);
    wadi_output("sum", wadi_consume(wadi_fold_seq(total, wadi_unit(wadi_f64(0)), all)));
    return p;
}

/* ---- the table ---- */

const bench_job bench_jobs[] = {
    {.name = "copy",
     .task = "copy",
     .vectors = "x",
     .body = SCALED "g = compute s\n" BENCH_PICK("g"),
     .bytes = 16},
    {.name = "sum",
     .task = "sum",
     .vectors = "x",
     .body = SCALED "v = fold 0.0 s (p, q) { add p q }\n",
     .bytes = 8,
     .share = 0.85},
    {.name = "dot",
     .task = "dot",
     .vectors = "xy",
     .body = "s = zip_with x y (a, b) { mul (mul a b) (the factor) }\n"
             "v = fold 0.0 s (p, q) { add p q }\n",
     .bytes = 16,
     .share = 0.85},
    {.name = "scan",
     .task = "scan",
     .vectors = "x",
     .body = SCALED "r = scanl1 s (p, q) { add p q }\n" BENCH_PICK("r"),
     .bytes = 16,
     .share = 0.85},
    {.name = "Black-Scholes",
     .task = "prices",
     .vectors = "xyz",
     .body = PRICES,
     .array = "g",
     .bytes = 32,
     .share = 0.85},
    {.name = "FFT of 1024",
     .task = "fft",
     .vectors = "x",
     .build = transforms,
     .extra = 1024,
     .bytes = 32,
     .times = 1.1},
    {.name = "SMVM",
     .task = "smvm",
     .vectors = "woke",
     .body = BENCH_SMVM,
     .bytes = 12,
     .times = 1.2},
    SEGMENTS(1, "1"),
    SEGMENTS(10, "10"),
    SEGMENTS(100, "100"),
    SEGMENTS(1000, "10^3"),
    SEGMENTS(10000, "10^4"),
    SEGMENTS(100000, "10^5"),
    SEGMENTS(1000000, "10^6"),
    SEGMENTS(10000000, "10^7"),
    SEGMENTS(100000000, "10^8"),
    SPLIT(1, "1"),
    SPLIT(10, "10"),
    SPLIT(1000, "10^3"),
    SPLIT(100000, "10^5"),
    SPLIT(10000000, "10^7"),
    SPLIT(100000000, "10^8"),
    SPLIT_SINGLES(1, "1"),
    SPLIT_SINGLES(10, "10"),
    SPLIT_SINGLES(1000, "10^3"),
    SPLIT_SINGLES(10000000, "10^7"),
    {.name = "MD5",
     .task = "hashcat",
     .vectors = "pqrs",
     .build = bench_md5_program,
     .bytes = 16,
     .times = 1 / 0.6},
    INTENSITY(1, "1"),
    INTENSITY(4, "4"),
    INTENSITY(16, "16"),
    INTENSITY(64, "64"),
    INTENSITY(256, "256"),
    BINS(256, "256"),
    BINS(65536, "65536"),
    BINS(10000000, "10^7"),
    {.name = NULL},
};

/* ---- numbers ---- */

/* What a letter of `vectors` is. n: the numbers of the job. */
typedef struct vector {
    char letter;
    const char *name, *of; /* of the input; its type */
    wadi_type type;
    int64_t (*length)(int64_t n); /* NULL: offsets of rows of `extra`, which is n for `fill` */
    void (*fill)(int k, int64_t n, int64_t length, void *out);
} vector;

static int64_t all_of(int64_t n) {
    return n;
}

static void fill_numbers(int k, int64_t n, int64_t length, void *out) {
    double *x = out;
    WADI_UNUSED(n);
    BY_ALL
    for (int64_t i = 0; i < length; i++)
        x[i] = 0.05 + (double)((i * 7919 + k * 31) % 100003) / 110000;
}

static void fill_singles(int k, int64_t n, int64_t length, void *out) {
    float *x = out;
    WADI_UNUSED(n);
    BY_ALL
    for (int64_t i = 0; i < length; i++)
        x[i] = 0.05F + (float)((i * 7919 + k * 31) % 100003) / 110000.0F;
}

/* Keys of all sizes. */
static void fill_keys(int k, int64_t n, int64_t length, void *out) {
    int32_t *x = out;
    WADI_UNUSED(k);
    WADI_UNUSED(n);
    BY_ALL
    for (int64_t i = 0; i < length; i++) x[i] = (int32_t)(uint32_t)wadi_hash64((uint64_t)i);
}

/* Words: any bits will do. */
static void fill_words(int k, int64_t n, int64_t length, void *out) {
    uint32_t *w = out;
    WADI_UNUSED(n);
    BY_ALL
    for (int64_t i = 0; i < length; i++) w[i] = (uint32_t)wadi_hash64((uint64_t)(4 * i + k));
}

/* The matrix: a band. Row r has entries in columns r, r + 3, r + 6, .. */
static int64_t rows_of(int64_t n) {
    return n / ENTRIES + 1;
}

static int64_t entries_of_row(int64_t r) {
    return ENTRIES / 2 + r * 37 % (ENTRIES + 1);
}

static int64_t offsets_of(int64_t n) {
    return rows_of(n) + 1;
}

static int64_t entries_of(int64_t n) {
    int64_t all = 0;
    for (int64_t r = 0; r < rows_of(n); r++) all += entries_of_row(r);
    return all;
}

static void fill_offsets(int k, int64_t n, int64_t length, void *out) {
    int64_t *at = out;
    WADI_UNUSED(k);
    WADI_UNUSED(n);
    at[0] = 0;
    for (int64_t r = 0; r + 1 < length; r++) at[r + 1] = at[r] + entries_of_row(r);
}

static void fill_columns(int k, int64_t n, int64_t length, void *out) {
    int32_t *column = out;
    const int64_t rows = rows_of(n);
    WADI_UNUSED(k);
    WADI_UNUSED(length);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < entries_of_row(r); i++) *column++ = (int32_t)((r + 3 * i) % rows);
}

/* Where segments of equal length begin. */
static void fill_multiples(int k, int64_t n, int64_t length, void *out) {
    int64_t *at = out;
    WADI_UNUSED(k);
    BY_ALL
    for (int64_t i = 0; i < length; i++) at[i] = i * n;
}

/* Numbers all over the place, of 31 bits; or zeros. */
static void fill_bins(int k, int64_t n, int64_t length, void *out) {
    int32_t *x = out;
    WADI_UNUSED(k);
    WADI_UNUSED(n);
    BY_ALL
    for (int64_t i = 0; i < length; i++) x[i] = (int32_t)((uint32_t)i * 2654435761U >> 1);
}

static void fill_zeros(int k, int64_t n, int64_t length, void *out) {
    WADI_UNUSED(k);
    WADI_UNUSED(n);
    memset(out, 0, (size_t)length * sizeof(int32_t));
}

static const vector vectors[] = {
    {'x', "x", "f64", WADI_F64, all_of, fill_numbers},
    {'y', "y", "f64", WADI_F64, all_of, fill_numbers},
    {'z', "z", "f64", WADI_F64, all_of, fill_numbers},
    {'w', "x", "f64", WADI_F64, rows_of, fill_numbers},
    {'X', "x", "f32", WADI_F32, all_of, fill_singles},
    {'Y', "y", "f32", WADI_F32, all_of, fill_singles},
    {'Z', "z", "f32", WADI_F32, all_of, fill_singles},
    {'I', "x", "i32", WADI_I32, all_of, fill_keys},
    {'b', "x", "i32", WADI_I32, all_of, fill_bins},
    {'a', "x", "i32", WADI_I32, all_of, fill_zeros},
    {'O', "o", "i64", WADI_I64, NULL, fill_multiples},
    {'p', "p", "u32", WADI_U32, all_of, fill_words},
    {'q', "q", "u32", WADI_U32, all_of, fill_words},
    {'r', "r", "u32", WADI_U32, all_of, fill_words},
    {'s', "s", "u32", WADI_U32, all_of, fill_words},
    {'o', "o", "i64", WADI_I64, offsets_of, fill_offsets},
    {'k', "k", "i32", WADI_I32, entries_of, fill_columns},
    {'e', "e", "f64", WADI_F64, entries_of, fill_numbers},
};

static const vector *vector_of(char letter) {
    const vector *v = vectors;
    while (v->letter != letter) v++;
    return v;
}

wadi_status bench_numbers_make(const bench_job *j, int64_t n, bench_numbers *out, wadi_error *err) {
    *out = (bench_numbers){0};
    for (const char *letter = j->vectors; *letter != '\0'; letter++) {
        const vector *v = vector_of(*letter);
        const int64_t length = v->length ? v->length(n) : n / j->extra + 1;
        void *column = malloc((size_t)length * 8);
        if (column == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
        v->fill(out->n, v->length ? n : j->extra, length, column);
        out->array[out->n++] = (wadi_array){
            .rank = 1, .fields = 1, .type = {v->type}, .shape = {length}, .column = {column}};
    }
    return WADI_OK;
}

void bench_numbers_free(bench_numbers *d) {
    for (int i = 0; i < d->n; i++) free(d->array[i].column[0]);
    d->n = 0;
}

/* ---- a job on a device ---- */

static void add_body(const bench_job *j, wadi_text *out) {
    for (const char *c = j->body; *c != '\0'; c++) {
        if (*c == '@') wadi_text_addf(out, "%lld", (long long)j->extra);
        if (*c != '@') wadi_text_add_n(out, c, 1);
    }
}

static wadi_status compile_text(const bench_job *j, bool array, const wadi_compile_options *options,
                                wadi_exe **out, wadi_error *err) {
    wadi_text t = {0};
    wadi_text_addf(&t, "%s", HEAD);
    for (const char *letter = j->vectors; *letter != '\0'; letter++)
        wadi_text_addf(&t, "input %s : %s[?]\n", vector_of(*letter)->name, vector_of(*letter)->of);
    wadi_text_addf(&t, "%s", ROUND);
    add_body(j, &t);
    if (array) wadi_text_addf(&t, ARRAY_TAIL, j->array);
    if (!array) wadi_text_addf(&t, "%s", TAIL);
    const wadi_status status = wadi_compile_text(wadi_text_str(&t), j->name, options, out, err);
    wadi_text_fini(&t);
    return status;
}

static wadi_status compile(const bench_job *j, const wadi_compile_options *options, wadi_exe **out,
                           wadi_error *err) {
    if (j->build == NULL) return compile_text(j, false, options, out, err);
    wadi_program *p = j->build(j);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status = wadi_compile(p, options, out, err);
    wadi_program_destroy(p);
    return status;
}

/* A round is large enough to be a chunk, and so the rounds of all devices are alike. */
static void bind(const bench *b, const bench_job *j, const bench_numbers *d, const char *device,
                 bench_job_run *out) {
    bench_program *p = &out->program;
    p->options =
        (wadi_run_options){.threads = b->threads, .device = device, .chunk = 1, .policy = "fixed"};
    p->name[0] = "rounds";
    p->input[0] = (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {&out->rounds}};
    for (int i = 0; i < d->n; i++) {
        p->name[i + 1] = vector_of(j->vectors[i])->name;
        p->input[i + 1] = d->array[i];
    }
    p->inputs = 1 + d->n;
}

wadi_status bench_job_open(const bench *b, const bench_job *j, const bench_numbers *d,
                           const char *device, const wadi_compile_options *options,
                           bench_job_run *out, wadi_error *err) {
    bind(b, j, d, device, out);
    return compile(j, options, &out->program.exe, err);
}

wadi_status bench_job_open_array(const bench *b, const bench_job *j, const bench_numbers *d,
                                 const char *device, const wadi_compile_options *options,
                                 bench_job_run *out, wadi_error *err) {
    bind(b, j, d, device, out);
    out->rounds = 1;
    return compile_text(j, true, options, &out->program.exe, err);
}

wadi_status bench_job_go(bench_job_run *r, int64_t rounds, double *out_seconds, wadi_error *err) {
    wadi_array sum;
    r->rounds = rounds;
    const int64_t start = wadi_clock_ns();
    WADI_TRY(bench_program_run(&r->program, NULL, err));
    *out_seconds = (double)(wadi_clock_ns() - start) * 1e-9;
    WADI_TRY(bench_program_result(&r->program, "sum", &sum, err));
    r->sum = *(const double *)sum.column[0];
    return WADI_OK;
}

wadi_status bench_job_copied(void *env, double *out_seconds, wadi_error *err) {
    return bench_job_go(env, 1, out_seconds, err);
}

void bench_job_pace(int n, bench_job_run *runs, const double *copied_s) {
    bool few = false;
    for (int i = 0; i < n; i++) few = few || copied_s[i] > LONG_S;
    for (int i = 0; i < n; i++) {
        runs[i].few = few;
        runs[i].further = 0;
    }
}

/* So many further rounds that together they take as long as the first with its copies: what that differs by from run to run then hardly
 * counts. The sum is that of the fewest rounds, which are as many on all devices. */
static wadi_status choose_further(bench_job_run *r, double one, wadi_error *err) {
    double more = 0;
    r->further = r->few ? FEW : ROUNDS;
    WADI_TRY(bench_job_go(r, 1 + r->further, &more, err));
    r->checked = r->sum;
    while (more - one < one && more < MOST_S && r->further < MOST_ROUNDS) {
        r->further *= 4;
        WADI_TRY(bench_job_go(r, 1 + r->further, &more, err));
    }
    return WADI_OK;
}

wadi_status bench_job_resident(void *env, double *out_seconds, wadi_error *err) {
    bench_job_run *r = env;
    double one = 0, more = 0;
    WADI_TRY(bench_job_go(r, 1, &one, err));
    if (r->further == 0) WADI_TRY(choose_further(r, one, err));
    WADI_TRY(bench_job_go(r, 1 + r->further, &more, err));
    r->sum = r->checked;
    *out_seconds = more > one ? (more - one) / r->further : 1e-9;
    return WADI_OK;
}
