/* FFTW's routines against the sum they stand for: every kind, rank and precision, problems side by side and apart, the input left as it
 * was; what they decline; and what is kept of what was learnt, looked at from outside: a later save holds what was read before. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/hash.h"
#include "sched/foreign.h"
#include "wadi/type.h"

enum { MOST = 4096, COUNT = 3 };

static void need_library(void) {
    if (wadi_foreign_has("fft")) return;
    print_message("built without FFTW\n");
    skip();
}

/* ---- the sum ---- */

/* Extents of a signal; a real one's transform has n/2 + 1 of the last. */
typedef struct shape {
    int rank;
    int64_t n[3];
} shape;

static int64_t size_of(const shape *s) {
    int64_t n = 1;
    for (int d = 0; d < s->rank; d++) n *= s->n[d];
    return n;
}

/* The place of index i of a row-major array along d. */
static int64_t along(const shape *s, int64_t i, int d) {
    for (int k = s->rank - 1; k > d; k--) i /= s->n[k];
    return i % s->n[d];
}

/* Element k of the transform of x, both of the whole signal. */
static double complex element(const shape *s, const double complex *x, int64_t k, int sign) {
    const double two_pi = 2 * acos(-1.0);
    double complex sum = 0;
    for (int64_t j = 0; j < size_of(s); j++) {
        double turns = 0;
        for (int d = 0; d < s->rank; d++)
            turns += (double)(along(s, j, d) * along(s, k, d) % s->n[d]) / (double)s->n[d];
        sum += x[j] * cexp(sign * two_pi * turns * (double complex)I);
    }
    return sign > 0 ? sum / (double)size_of(s) : sum;
}

/* Where element i of the half of a spectrum stands in the whole. */
static int64_t whole_of(const shape *s, int64_t i) {
    const int64_t last = s->n[s->rank - 1], half = last / 2 + 1;
    return i / half * last + i % half;
}

/* ---- a call and its answer ---- */

enum { FFT, IFFT, RFFT, IRFFT };
static const char *const names[] = {"fft", "ifft", "rfft", "irfft"};

typedef struct trial {
    int kind;
    bool is_double, is_steady, is_apart;
    shape s;
    wadi_call call;
    char name[16];
    double complex x[COUNT][256]; /* the signals, or the spectra of real ones in whole */
    char in[MOST * 16], out[MOST * 16], before[MOST * 16];
    int64_t from[COUNT], to[COUNT]; /* where problems begin, in elements */
} trial;

static int64_t half_of(const trial *t) {
    return size_of(&t->s) / t->s.n[t->s.rank - 1] * (t->s.n[t->s.rank - 1] / 2 + 1);
}

static double number(int64_t i) {
    return sin(1.3 * (double)i + 0.5) + 0.25 * cos(0.7 * (double)(i * i));
}

/* Real signals' spectra are those of signals, so that they have their symmetry. */
static void make_signals(trial *t) {
    const int64_t n = size_of(&t->s);
    for (int p = 0; p < COUNT; p++) {
        double complex real[256];
        for (int64_t i = 0; i < n; i++) {
            const double im = t->kind <= IFFT ? number(1000 * p + 3 * i + 500) : 0;
            t->x[p][i] = real[i] = number(1000 * p + i) + im * (double complex)I;
        }
        for (int64_t i = 0; t->kind == IRFFT && i < n; i++)
            t->x[p][i] = element(&t->s, real, i, -1);
    }
}

static void put(const trial *t, char *to, int64_t at, double complex v, bool is_real) {
    const int64_t parts = is_real ? 1 : 2;
    for (int64_t k = 0; k < parts; k++) {
        const double x = k == 0 ? creal(v) : cimag(v);
        if (t->is_double)
            ((double *)(void *)to)[parts * at + k] = x;
        else
            ((float *)(void *)to)[parts * at + k] = (float)x;
    }
}

static double complex get(const trial *t, int64_t at, bool is_real) {
    double v[2] = {0, 0};
    const int64_t parts = is_real ? 1 : 2;
    for (int64_t k = 0; k < parts; k++)
        v[k] = t->is_double ? ((const double *)(const void *)t->out)[parts * at + k]
                            : (double)((const float *)(const void *)t->out)[parts * at + k];
    return v[0] + v[1] * (double complex)I;
}

static wadi_call_array side(const trial *t, void *data, const int64_t *start, int64_t size,
                            bool is_real, bool is_half) {
    wadi_call_array a = {.data = data,
                         .start = t->is_apart ? start : NULL,
                         .distance = size,
                         .type = is_real ? (t->is_double ? WADI_F64 : WADI_F32)
                                         : (t->is_double ? WADI_C128 : WADI_C64),
                         .rank = t->s.rank};
    for (int d = 0; d < t->s.rank; d++) a.shape[d] = t->s.n[d];
    if (is_half) a.shape[t->s.rank - 1] = t->s.n[t->s.rank - 1] / 2 + 1;
    return a;
}

/* Problems that lie apart stand in another order on each side. */
static void prepare(trial *t) {
    const bool real_in = t->kind == RFFT, half_in = t->kind == IRFFT;
    const int64_t n_in = half_in ? half_of(t) : size_of(&t->s);
    const int64_t n_out = t->kind == RFFT ? half_of(t) : size_of(&t->s);
    for (int p = 0; p < COUNT; p++) {
        t->from[p] = t->is_apart ? (COUNT - p) * (n_in + 1) : p * n_in;
        t->to[p] = t->is_apart ? p * (n_out + 3) : p * n_out;
    }
    make_signals(t);
    memset(t->in, 0, sizeof t->in);
    memset(t->out, 0, sizeof t->out);
    for (int p = 0; p < COUNT; p++)
        for (int64_t i = 0; i < n_in; i++)
            put(t, t->in, t->from[p] + i, t->x[p][half_in ? whole_of(&t->s, i) : i], real_in);
    memcpy(t->before, t->in, sizeof t->in);
    snprintf(t->name, sizeof t->name, "%s%s", names[t->kind], t->is_steady ? ".steady" : "");
    t->call = (wadi_call){.routine = t->name, .count = COUNT, .nin = 1, .nout = 1};
    t->call.array[0] = side(t, t->in, t->from, n_in, real_in, half_in);
    t->call.array[1] = side(t, t->out, t->to, n_out, t->kind == IRFFT, t->kind == RFFT);
}

static void assert_answer(const trial *t) {
    const int64_t n_out = t->kind == RFFT ? half_of(t) : size_of(&t->s);
    const int sign = t->kind == IFFT || t->kind == IRFFT ? 1 : -1;
    for (int p = 0; p < COUNT; p++)
        for (int64_t i = 0; i < n_out; i++) {
            const int64_t k = t->kind == RFFT ? whole_of(&t->s, i) : i;
            const double complex want = element(&t->s, t->x[p], k, sign);
            const double complex got = get(t, t->to[p] + i, t->kind == IRFFT);
            if (!(cabs(got - want) < (t->is_double ? 1e-12 : 1e-4)))
                fail_msg("%s, rank %d, problem %d, element %lld: %g %g, expected %g %g", t->name,
                         t->s.rank, p, (long long)i, creal(got), cimag(got), creal(want),
                         cimag(want));
        }
    if (memcmp(t->in, t->before, sizeof t->in) != 0)
        fail_msg("%s, rank %d: the input has changed", t->name, t->s.rank);
}

static const shape shapes[] = {{1, {1}},       {1, {8}},       {1, {9}},       {2, {3, 4}},
                               {2, {4, 7}},    {2, {5, 1}},    {2, {8, 16}},   {3, {2, 3, 4}},
                               {3, {3, 4, 5}}, {3, {4, 1, 2}}, {3, {3, 4, 8}}, {1, {120}}};

static void every_transform_is_its_sum(void **state) {
    (void)state;
    static trial t;
    need_library();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int way = 0; way < 32; way++) {
            t.kind = way & 3;
            t.is_double = (way & 4) != 0;
            t.is_steady = (way & 8) != 0;
            t.is_apart = (way & 16) != 0;
            t.s = shapes[i];
            if (size_of(&t.s) > 90 && (way & 24) != 0) continue; /* the sums take long */
            prepare(&t);
            assert_true(wadi_foreign_run(&t.call, NULL));
            assert_answer(&t);
        }
}

/* ---- what is declined ---- */

static void change(wadi_call *c, int way) {
    wadi_call_array *in = &c->array[0], *out = &c->array[1];
    const int last = in->rank - 1;
    if (way == 0) c->nin = 2;
    if (way == 1) c->nout = 2;
    if (way == 2) in->type = in->type == WADI_C64 ? WADI_C128 : WADI_C64;
    if (way == 3) out->type = out->type == WADI_F64 ? WADI_F32 : WADI_F64;
    if (way == 4) in->type = WADI_I32;
    if (way == 5) out->type = WADI_I32;
    if (way == 6) in->shape[last]++;
    if (way == 7) out->shape[last]++;
    if (way == 8) in->shape[0]++;
    if (way == 9) out->shape[0]++;
    if (way == 10) in->shape[in->rank++] = 1;
    if (way == 11) out->shape[out->rank++] = 1;
    if (way == 12) in->rank = out->rank = 0;
    if (way == 13) {
        in->rank = out->rank = 4;
        for (int d = 0; d < 4; d++) in->shape[d] = out->shape[d] = 2;
    }
}

static void what_is_no_transform_is_declined(void **state) {
    (void)state;
    static trial t;
    need_library();
    for (int kind = 0; kind < 4; kind++)
        for (int way = 0; way < 14; way++) {
            t.kind = kind;
            t.is_double = true;
            t.is_steady = t.is_apart = false;
            t.s = (shape){2, {3, 4}};
            prepare(&t);
            t.call.array[2] = t.call.array[1];
            change(&t.call, way);
            /* half of a real signal's extent is that of one more, or of one less, as well */
            const bool fits = (way == 7 && kind == IRFFT) || (way == 6 && kind == RFFT);
            if (wadi_foreign_run(&t.call, NULL) != fits)
                fail_msg("%s, change %d", names[kind], way);
        }
}

/* ---- what is kept ---- */

/* Enough of one size that it is measured: one that FFTW is fast at. */
static void use(const char *routine, int64_t n, int32_t type, int64_t elements) {
    enum { PROBLEMS = 128 };
    void *in = calloc(PROBLEMS * 64, 16), *out = calloc(PROBLEMS * 64, 16);
    assert_true(in != NULL && out != NULL);
    wadi_call c = {.routine = routine, .count = PROBLEMS, .nin = 1, .nout = 1};
    c.array[0] = (wadi_call_array){in, NULL, n, type, 1, {n}};
    c.array[1] = (wadi_call_array){out, NULL, n, type, 1, {n}};
    for (int64_t done = 0; done < elements; done += PROBLEMS * n)
        assert_true(wadi_foreign_run(&c, NULL));
    free(in);
    free(out);
}

static void use_much(const char *routine, int64_t n, int32_t type) {
    use(routine, n, type, (int64_t)21 << 24);
}

static void run_once(const char *routine, int64_t n, int32_t type) {
    use(routine, n, type, 1);
}

static char directory[] = "/tmp/wadi_transform_XXXXXX", path[128];

static char *read_kept(void) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_int_equal(strlen(text), n);
    return text;
}

/* The digest, in hexadecimal, of what stands behind its line. */
static void digest_of(const char *text, char hex[65]) {
    uint8_t digest[32];
    const char *body = strchr(text, '\n') + 1;
    assert_int_equal(wadi_sha256(body, strlen(body), digest), WADI_OK);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static const char heading[] = "wadi wisdom 1 ", border[] = "\n-- single precision --\n";

static void open_anew(void) {
    wadi_foreign_forget();
    assert_int_equal(wadi_foreign_open(directory, NULL), WADI_OK);
}

/* Every line of codelets in the part of one precision stands in the other text as well. */
static bool holds(const char *text, const char *part_of, bool single) {
    const char *from = single ? strstr(part_of, border) : strchr(part_of, '\n');
    const char *end = single ? part_of + strlen(part_of) : strstr(part_of, border);
    assert_true(from != NULL && end != NULL);
    int lines = 0, found = 0;
    for (const char *at = strstr(from, "  (fftw"); at != NULL && at < end;
         at = strstr(at + 1, "  (fftw")) {
        char line[300];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        lines++;
        found += strstr(text, line) != NULL;
    }
    assert_true(lines > 0);
    return found == lines;
}

static void save_and_count(bool written) {
    (void)unlink(path);
    assert_int_equal(wadi_foreign_save(NULL), WADI_OK);
    assert_int_equal(wadi_file_exists(path), written);
}

static void what_was_learnt_is_read_again(void **state) {
    (void)state;
    char hex[65];
    struct stat about;
    need_library();
    open_anew();
    use_much("fft.steady", 32, WADI_C64);
    save_and_count(false); /* it learns nothing, however much it does */
    use_much("fft", 64, WADI_C128);
    use_much("fft", 64, WADI_C64);
    run_once("fft.steady", 48, WADI_C128); /* which plans without what was learnt, and leaves it */
    run_once("fft.steady", 48, WADI_C64);
    save_and_count(true);
    char *first = read_kept();
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(strncmp(first, heading, strlen(heading)), 0);
    digest_of(first, hex);
    assert_int_equal(strncmp(first + strlen(heading), hex, 64), 0);
    assert_int_equal(first[strlen(heading) + 64], '\n');
    assert_true(holds(first, first, false) && holds(first, first, true));
    save_and_count(false); /* nothing new */

    /* read, and kept beside what is new */
    assert_int_equal(wadi_file_write(path, first, strlen(first), 0600, NULL), WADI_OK);
    open_anew();
    use_much("fft", 32, WADI_C128);
    save_and_count(true);
    char *both = read_kept();
    assert_true(holds(both, first, false) && holds(both, first, true));
    assert_false(holds(first, both, false));

    /* what was changed is not read, neither precision's */
    char *changed = strdup(both);
    char *digit = strstr(changed, border) - 1;
    while (*digit < '0' || *digit > '9') digit--;
    *digit = *digit == '7' ? '8' : '7';
    assert_int_equal(wadi_file_write(path, changed, strlen(changed), 0600, NULL), WADI_OK);
    open_anew();
    use_much("fft", 16, WADI_C128);
    save_and_count(true);
    char *after = read_kept();
    assert_false(holds(after, changed, false));
    assert_null(strstr(strstr(after, border), "  (fftwf"));
    free(first);
    free(both);
    free(changed);
    free(after);
    wadi_foreign_forget();
    save_and_count(false); /* it is forgotten where it would be kept */
}

/* A place that cannot be written is told. */
static void where_nothing_can_be_kept_is_told(void **state) {
    (void)state;
    need_library();
    wadi_foreign_forget();
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_foreign_open("/nowhere/at/all", NULL), WADI_OK);
    use_much("fft", 64, WADI_C128);
    assert_int_equal(wadi_foreign_save(&err), WADI_IO);
    assert_non_null(strstr(err.msg, "/nowhere/at/all/fftw.wisdom"));
    wadi_foreign_forget();
}

static int make_directory(void **state) {
    (void)state;
    if (mkdtemp(directory) == NULL) return -1;
    snprintf(path, sizeof path, "%s/fftw.wisdom", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    (void)unlink(path);
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_transform_is_its_sum),
        cmocka_unit_test(what_is_no_transform_is_declined),
        cmocka_unit_test_setup_teardown(what_was_learnt_is_read_again, make_directory,
                                        remove_directory),
        cmocka_unit_test(where_nothing_can_be_kept_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
