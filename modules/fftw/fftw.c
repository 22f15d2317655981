/* Fourier transforms by FFTW: the routines fft, ifft, rfft and irfft over problems of rank 1 to 3, in both precisions.
 *
 * FFTW's planner is not thread-safe, but its plans are. Plans are made under a lock and kept in a table. They are used through the
 * new-array calls, which need arrays with the alignment for which the plan was made. A batch is cut into pieces that are powers of two
 * and fit a cache, so few plans are enough for all sizes of chunks and shares of workers.
 *
 * A new plan is FFTW's estimate, or comes from wisdom. A plan that has done much work is measured once, in bounded time. The wisdom from
 * this is kept in the user's directory, as a text with its digest in front; a file that was cut or changed is ignored. The routines
 * named .steady use only FFTW's estimate, which is the same in every run.
 *
 * Plans are for one thread. If a program asks FFTW for plans with threads (fftw_plan_with_nthreads), this also affects these plans: it
 * should go back to one thread before it runs wadi.
 *
 * Forward is exp(-2 pi i jk/n) without a factor; inverse is scaled by 1/n, here, piece by piece while it is in cache. */
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/loadable_face.h"
#include "base/outfile.h"
#include "sched/foreign.h"
#include "wadi/type.h"

enum { MAX_DIMS = 3, BUCKETS = 128, PLANS_MAX = 1024, PIECE_BYTES = 128 * 1024 };

static const int64_t measure_after = (int64_t)1 << 28; /* elements */
static const double measure_seconds = 0.2;

typedef enum transform { FORWARD, INVERSE, REAL_FORWARD, REAL_INVERSE } transform;

/* The problem that a plan solves. Keys are compared and hashed as bytes, so they must be zero before they are filled. */
typedef struct key {
    int32_t kind; /* a transform */
    int32_t is_double;
    int32_t rank;
    int32_t align_in, align_out;
    int32_t count;
    int32_t steady;      /* the estimate alone, without wisdom: the same plan in every run */
    int32_t unused;      /* no padding: it would be compared */
    int64_t n[MAX_DIMS]; /* extents of the signal */
} key;

/* ---- the two precisions ---- */

typedef struct precision {
    const char *name;
    void *(*make)(const key *k, void *in, void *out, unsigned flags);
    void (*execute)(void *plan, transform kind, void *in, void *out);
    void (*destroy)(void *plan);
    int (*alignment)(void *p);
    void (*limit)(double seconds);
    char *(*get_wisdom)(void);
    int (*set_wisdom)(const char *text);
    void (*forget)(void);
} precision;

static int64_t product(const key *k) {
    int64_t n = 1;
    for (int d = 0; d < k->rank; d++) n *= k->n[d];
    return n;
}

/* Elements of one problem on the side whose last dimension is n/2 + 1. */
static int64_t half_product(const key *k) {
    return product(k) / k->n[k->rank - 1] * (k->n[k->rank - 1] / 2 + 1);
}

static int64_t size_in(const key *k) {
    return k->kind == REAL_INVERSE ? half_product(k) : product(k);
}

static int64_t size_out(const key *k) {
    return k->kind == REAL_FORWARD ? half_product(k) : product(k);
}

/* Strides of row-major arrays; `half` says which side's last dimension is n/2 + 1. */
static void strides(const key *k, bool half, int64_t *out) {
    int64_t stride = 1;
    for (int d = k->rank - 1; d >= 0; d--) {
        out[d] = stride;
        stride *= half && d == k->rank - 1 ? k->n[d] / 2 + 1 : k->n[d];
    }
}

#define PRECISION(X, R)                                                                            \
    static void *X##_make(const key *k, void *in, void *out, unsigned flags) {                     \
        X##_iodim64 dims[MAX_DIMS];                                                                \
        int64_t is[MAX_DIMS], os[MAX_DIMS];                                                        \
        strides(k, k->kind == REAL_INVERSE, is);                                                   \
        strides(k, k->kind == REAL_FORWARD, os);                                                   \
        for (int d = 0; d < k->rank; d++) {                                                        \
            dims[d].n = (ptrdiff_t)k->n[d];                                                        \
            dims[d].is = (ptrdiff_t)is[d];                                                         \
            dims[d].os = (ptrdiff_t)os[d];                                                         \
        }                                                                                          \
        const X##_iodim64 many = {k->count, (ptrdiff_t)size_in(k), (ptrdiff_t)size_out(k)};        \
        const int m = k->count > 1 ? 1 : 0;                                                        \
        if (k->kind == REAL_FORWARD)                                                               \
            return X##_plan_guru64_dft_r2c(k->rank, dims, m, &many, (R *)in, (X##_complex *)out,   \
                                           flags);                                                 \
        if (k->kind == REAL_INVERSE)                                                               \
            return X##_plan_guru64_dft_c2r(k->rank, dims, m, &many, (X##_complex *)in, (R *)out,   \
                                           flags | (k->rank == 1 ? FFTW_PRESERVE_INPUT : 0u));     \
        return X##_plan_guru64_dft(k->rank, dims, m, &many, (X##_complex *)in, (X##_complex *)out, \
                                   k->kind == FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);      \
    }                                                                                              \
    static void X##_run(void *plan, transform kind, void *in, void *out) {                         \
        if (kind == REAL_FORWARD)                                                                  \
            X##_execute_dft_r2c(plan, (R *)in, (X##_complex *)out);                                \
        else if (kind == REAL_INVERSE)                                                             \
            X##_execute_dft_c2r(plan, (X##_complex *)in, (R *)out);                                \
        else                                                                                       \
            X##_execute_dft(plan, (X##_complex *)in, (X##_complex *)out);                          \
    }                                                                                              \
    static void X##_drop(void *plan) {                                                             \
        X##_destroy_plan(plan);                                                                    \
    }                                                                                              \
    static int X##_aligned(void *p) {                                                              \
        return X##_alignment_of((R *)p);                                                           \
    }                                                                                              \
    static char *X##_wisdom(void) {                                                                \
        return X##_export_wisdom_to_string();                                                      \
    }                                                                                              \
    static const precision in_##X = {#X,                                                           \
                                     X##_make,                                                     \
                                     X##_run,                                                      \
                                     X##_drop,                                                     \
                                     X##_aligned,                                                  \
                                     X##_set_timelimit,                                            \
                                     X##_wisdom,                                                   \
                                     X##_import_wisdom_from_string,                                \
                                     X##_forget_wisdom};

PRECISION(fftw, double)
PRECISION(fftwf, float)

static const precision *precision_of(const key *k) {
    return k->is_double ? &in_fftw : &in_fftwf;
}

static int64_t bytes_in(const key *k) {
    return (k->is_double ? 8 : 4) * (k->kind == REAL_FORWARD ? 1 : 2) * size_in(k);
}

static int64_t bytes_out(const key *k) {
    return (k->is_double ? 8 : 4) * (k->kind == REAL_INVERSE ? 1 : 2) * size_out(k);
}

/* ---- plans ---- */

typedef struct entry {
    key k;
    void *plan,
        *estimate; /* estimate: the plan before it was measured, which threads may still use */
    int users;
    bool measured;
    int64_t elements; /* transformed so far */
    uint64_t last;    /* when it was last used */
    struct entry *next;
} entry;

static struct {
    pthread_mutex_t lock; /* guards all of this, and FFTW's planners */
    entry *bucket[BUCKETS];
    int nplans;
    uint64_t clock;
    char path[1100]; /* of the file of wisdom; empty: wisdom is not kept */
    bool learnt;     /* there is new wisdom since the file was read or written */
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Grows when all plans are destroyed: plans that threads still hold are then invalid. */
static atomic_uint generation;

static entry **bucket_of(const key *k) {
    return &plans.bucket[wadi_hash_bytes(k, sizeof *k) % BUCKETS];
}

static void destroy_entry(entry *e) {
    const precision *p = precision_of(&e->k);
    p->destroy(e->plan);
    if (e->estimate != NULL) p->destroy(e->estimate);
    free(e);
}

/* Frees the place of the plan that was used longest ago, among those that no thread holds. */
static void drop_oldest(void) {
    entry **oldest = NULL;
    for (int i = 0; i < BUCKETS; i++) {
        for (entry **at = &plans.bucket[i]; *at != NULL; at = &(*at)->next) {
            if ((*at)->users == 0 && (oldest == NULL || (*at)->last < (*oldest)->last)) oldest = at;
        }
    }
    if (oldest == NULL) return;
    entry *e = *oldest;
    *oldest = e->next;
    destroy_entry(e);
    plans.nplans--;
}

/* Removes FFTW's wisdom while the plan is made. If it cannot be restored afterwards, it must be learnt again. */
static void *make_steady(const key *k, void *in, void *out) {
    const precision *p = precision_of(k);
    char *known = p->get_wisdom();
    p->forget();
    void *plan = p->make(k, in, out, FFTW_ESTIMATE);
    p->forget();
    if (known != NULL) (void)p->set_wisdom(known);
    free(known);
    return plan;
}

static entry *make_entry(const key *k, void *in, void *out) {
    void *plan =
        k->steady ? make_steady(k, in, out) : precision_of(k)->make(k, in, out, FFTW_ESTIMATE);
    if (plan == NULL) return NULL;
    entry *e = calloc(1, sizeof *e);
    if (e == NULL) {
        precision_of(k)->destroy(plan);
        return NULL;
    }
    if (plans.nplans >= PLANS_MAX) drop_oldest();
    entry **bucket = bucket_of(k);
    *e = (entry){.k = *k, .plan = plan, .next = *bucket};
    *bucket = e;
    plans.nplans++;
    return e;
}

/* Memory with the alignment that FFTW sees in the key; *out_block is what to free. */
static void *aligned_like(int64_t bytes, int align, void **out_block) {
    *out_block = fftw_malloc((size_t)bytes + 64);
    return *out_block == NULL ? NULL : (char *)*out_block + align;
}

/* Replaces the estimate by a measured plan, once. Measuring writes to its arrays, so it uses separate ones. */
static void measure(entry *e) {
    void *block_in = NULL, *block_out = NULL;
    void *in = aligned_like(bytes_in(&e->k) * e->k.count, e->k.align_in, &block_in);
    void *out = aligned_like(bytes_out(&e->k) * e->k.count, e->k.align_out, &block_out);
    const precision *p = precision_of(&e->k);
    e->measured = true;
    if (in != NULL && out != NULL) {
        memset(in, 0, (size_t)(bytes_in(&e->k) * e->k.count));
        p->limit(measure_seconds);
        void *plan = p->make(&e->k, in, out, FFTW_MEASURE);
        p->limit(FFTW_NO_TIMELIMIT);
        if (plan != NULL) {
            e->estimate = e->plan;
            e->plan = plan;
            plans.learnt = true;
        }
    }
    fftw_free(block_in);
    fftw_free(block_out);
}

static entry *take_plan(const key *k, void *in, void *out, void **out_plan) {
    pthread_mutex_lock(&plans.lock);
    entry *e = *bucket_of(k);
    while (e != NULL && memcmp(&e->k, k, sizeof *k) != 0) e = e->next;
    if (e == NULL) e = make_entry(k, in, out);
    if (e != NULL) {
        if (!k->steady && !e->measured && e->elements > measure_after) measure(e);
        e->users++;
        e->last = ++plans.clock;
        *out_plan = e->plan;
    }
    pthread_mutex_unlock(&plans.lock);
    return e;
}

static void give_plan(entry *e, int64_t elements) {
    pthread_mutex_lock(&plans.lock);
    e->users--;
    e->elements += elements;
    pthread_mutex_unlock(&plans.lock);
}

/* ---- the plan a thread has used last: calls of one kind after another need no lock ---- */

static _Thread_local struct {
    entry *e;
    void *plan;
    int64_t done; /* elements since it was taken */
    unsigned generation;
} mine;

static void let_go(void *unused) {
    WADI_UNUSED(unused);
    if (mine.e != NULL && mine.generation == atomic_load(&generation)) give_plan(mine.e, mine.done);
    mine.e = NULL;
    mine.done = 0;
}

static pthread_key_t at_exit; /* gives back the plan of a thread that ends */

static void make_key(void) {
    (void)pthread_key_create(&at_exit, let_go);
}

/* The work is reported from time to time, so that a plan in steady use is also measured. */
static bool is_mine(const key *k) {
    return mine.e != NULL && mine.generation == atomic_load(&generation) &&
           mine.done < measure_after / 16 && memcmp(&mine.e->k, k, sizeof *k) == 0;
}

static bool hold(const key *k, void *in, void *out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (is_mine(k)) return true;
    let_go(NULL);
    mine.generation = atomic_load(&generation);
    mine.e = take_plan(k, in, out, &mine.plan);
    if (mine.e == NULL) return false;
    (void)pthread_once(&once, make_key);
    (void)pthread_setspecific(at_exit, &mine);
    return true;
}

/* ---- a call ---- */

typedef struct batch {
    key k;
    const wadi_call_array *in, *out;
    int width_in, width_out; /* bytes of an element */
} batch;

static char *problem(const wadi_call_array *a, int width, int64_t p) {
    return (char *)a->data + (a->start ? a->start[p] : p * a->distance) * width;
}

static void scale(void *out, const key *k, int64_t count) {
    const int64_t n = count * bytes_out(k) / (k->is_double ? 8 : 4);
    if (k->is_double) {
        double *x = out;
        const double factor = 1.0 / (double)product(k);
        for (int64_t i = 0; i < n; i++) x[i] *= factor;
    } else {
        float *x = out;
        const float factor = (float)(1.0 / (double)product(k));
        for (int64_t i = 0; i < n; i++) x[i] *= factor;
    }
}

/* FFTW's c2r of two and more dimensions always changes its input, so it gets a copy. */
static bool run_piece(batch *b, char *from, char *to, int count) {
    const precision *p = precision_of(&b->k);
    void *copy = NULL;
    if (b->k.kind == REAL_INVERSE && b->k.rank > 1) {
        const size_t bytes = (size_t)(bytes_in(&b->k) * count);
        copy = fftw_malloc(bytes);
        if (copy == NULL) return false;
        memcpy(copy, from, bytes);
        from = copy;
    }
    b->k.count = count;
    b->k.align_in = p->alignment(from);
    b->k.align_out = p->alignment(to);
    const bool fine = hold(&b->k, from, to);
    if (fine) {
        p->execute(mine.plan, (transform)b->k.kind, from, to);
        if (b->k.kind == INVERSE || b->k.kind == REAL_INVERSE) scale(to, &b->k, count);
        mine.done += count * product(&b->k);
    }
    fftw_free(copy);
    return fine;
}

/* How many problems from p on are adjacent in memory, on both sides. */
static int64_t run_length(const batch *b, int64_t p, int64_t count) {
    const int64_t in = size_in(&b->k) * b->width_in, out = size_out(&b->k) * b->width_out;
    int64_t n = 1;
    while (p + n < count &&
           problem(b->in, b->width_in, p + n) == problem(b->in, b->width_in, p) + n * in &&
           problem(b->out, b->width_out, p + n) == problem(b->out, b->width_out, p) + n * out)
        n++;
    return n;
}

static bool run_batch(batch *b, int64_t count) {
    int most = 1;
    const int64_t each = bytes_in(&b->k) + bytes_out(&b->k);
    while (most < 4096 && 2 * most * each <= PIECE_BYTES) most *= 2;
    bool fine = true;
    for (int64_t p = 0; fine && p < count;) {
        int64_t left = run_length(b, p, count);
        while (fine && left > 0) {
            int piece = most;
            while (piece > left) piece /= 2;
            fine = run_piece(b, problem(b->in, b->width_in, p), problem(b->out, b->width_out, p),
                             piece);
            p += piece;
            left -= piece;
        }
    }
    return fine;
}

static bool types_fit(const wadi_call_array *in, const wadi_call_array *out, transform kind) {
    const bool single = out->type == WADI_C64 || out->type == WADI_F32;
    const int32_t complex = single ? WADI_C64 : WADI_C128, real = single ? WADI_F32 : WADI_F64;
    return in->type == (kind == REAL_FORWARD ? real : complex) &&
           out->type == (kind == REAL_INVERSE ? real : complex);
}

/* Both sides have the extents of the signal, except for the half that the transform of a real signal has. */
static bool extents_fit(const wadi_call_array *in, const wadi_call_array *out, transform kind) {
    const wadi_call_array *signal = kind == REAL_INVERSE ? out : in;
    const wadi_call_array *other = kind == REAL_INVERSE ? in : out;
    if (other->rank != signal->rank) return false;
    for (int d = 0; d < signal->rank; d++) {
        const bool half = d == signal->rank - 1 && kind >= REAL_FORWARD;
        if (signal->shape[d] < 1) return false;
        if (other->shape[d] != (half ? signal->shape[d] / 2 + 1 : signal->shape[d])) return false;
    }
    return true;
}

static bool describe(const wadi_call *call, transform kind, bool steady, batch *b) {
    const wadi_call_array *in = &call->array[0], *out = &call->array[1];
    const wadi_call_array *signal = kind == REAL_INVERSE ? out : in;
    memset(b, 0, sizeof *b);
    if (call->nin != 1 || call->nout != 1 || signal->rank < 1 || signal->rank > MAX_DIMS)
        return false;
    b->in = in;
    b->out = out;
    b->width_in = wadi_type_size((wadi_type)in->type);
    b->width_out = wadi_type_size((wadi_type)out->type);
    b->k.kind = (int32_t)kind;
    b->k.steady = steady;
    b->k.rank = signal->rank;
    b->k.is_double = signal->type == WADI_C128 || signal->type == WADI_F64;
    for (int d = 0; d < signal->rank; d++) b->k.n[d] = signal->shape[d];
    return types_fit(in, out, kind) && extents_fit(in, out, kind);
}

static bool run(const wadi_call *call, transform kind, bool steady) {
    batch b;
    return describe(call, kind, steady, &b) && run_batch(&b, call->count);
}

static bool fft(const wadi_call *call) {
    return run(call, FORWARD, false);
}
static bool fft_steady(const wadi_call *call) {
    return run(call, FORWARD, true);
}
static bool ifft(const wadi_call *call) {
    return run(call, INVERSE, false);
}
static bool ifft_steady(const wadi_call *call) {
    return run(call, INVERSE, true);
}
static bool rfft(const wadi_call *call) {
    return run(call, REAL_FORWARD, false);
}
static bool rfft_steady(const wadi_call *call) {
    return run(call, REAL_FORWARD, true);
}
static bool irfft(const wadi_call *call) {
    return run(call, REAL_INVERSE, false);
}
static bool irfft_steady(const wadi_call *call) {
    return run(call, REAL_INVERSE, true);
}

/* ---- wisdom ---- */

static const char heading[] = "wadi wisdom 1 ";

/* The digest that follows the heading, and the text after it. */
static const char *verified(const char *text, size_t n) {
    uint8_t digest[32];
    char hex[65];
    const size_t h = sizeof heading - 1;
    if (n < h + 65 || strncmp(text, heading, h) != 0 || text[h + 64] != '\n') return NULL;
    const char *body = text + h + 65;
    if (wadi_sha256(body, n - h - 65, digest) != WADI_OK) return NULL;
    wadi_hex(digest, sizeof digest, hex);
    return strncmp(hex, text + h, 64) == 0 ? body : NULL;
}

/* Both precisions' texts, the first ended by a line of its own. */
static const char split[] = "\n-- single precision --\n";

static void learn(char *body) {
    char *single = strstr(body, split);
    if (single == NULL) return;
    *single = '\0';
    (void)in_fftw.set_wisdom(body);
    (void)in_fftwf.set_wisdom(single + sizeof split - 1);
}

static wadi_status open_wisdom(const char *directory, wadi_error *err) {
    WADI_UNUSED(err);
    char *text = NULL;
    size_t n = 0;
    pthread_mutex_lock(&plans.lock);
    char path[sizeof plans.path];
    const int length = snprintf(path, sizeof path, "%s/fftw.wisdom", directory);
    if (length > 0 && (size_t)length < sizeof path && strcmp(path, plans.path) != 0) {
        memcpy(plans.path, path, sizeof path);
        if (wadi_file_read(path, &text, &n, NULL) == WADI_OK) {
            const char *body = verified(text, n);
            if (body != NULL) learn(text + (body - text));
        }
    }
    pthread_mutex_unlock(&plans.lock);
    free(text);
    return WADI_OK;
}

static char *both_texts(void) {
    char *d = in_fftw.get_wisdom(), *f = in_fftwf.get_wisdom(), *all = NULL;
    if (d != NULL && f != NULL) {
        const size_t room = strlen(d) + strlen(f) + sizeof split;
        all = malloc(room);
        if (all != NULL) (void)snprintf(all, room, "%s%s%s", d, split, f);
    }
    free(d);
    free(f);
    return all;
}

static wadi_status write_wisdom(const char *body, wadi_error *err) {
    uint8_t digest[32];
    char hex[65];
    WADI_TRY(wadi_sha256(body, strlen(body), digest));
    wadi_hex(digest, sizeof digest, hex);
    const size_t room = strlen(body) + sizeof heading + 66;
    char *text = malloc(room);
    if (text == NULL) return wadi_fail(err, WADI_MEMORY, "fftw: out of memory");
    const int n = snprintf(text, room, "%s%s\n%s", heading, hex, body);
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    const wadi_status st = wadi_outfile_put(plans.path, text, (size_t)n, &options, err);
    free(text);
    return st;
}

static wadi_status save_wisdom(wadi_error *err) {
    wadi_status st = WADI_OK;
    pthread_mutex_lock(&plans.lock);
    if (plans.learnt && plans.path[0] != '\0') {
        char *body = both_texts();
        st = body != NULL ? write_wisdom(body, err)
                          : wadi_fail(err, WADI_MEMORY, "fftw: out of memory");
        free(body);
        plans.learnt = false;
    }
    pthread_mutex_unlock(&plans.lock);
    return st;
}

static void forget(void) {
    pthread_mutex_lock(&plans.lock);
    for (int i = 0; i < BUCKETS; i++) {
        while (plans.bucket[i] != NULL) {
            entry *e = plans.bucket[i];
            plans.bucket[i] = e->next;
            destroy_entry(e);
        }
    }
    plans.nplans = 0;
    plans.path[0] = '\0';
    plans.learnt = false;
    atomic_fetch_add(&generation, 1);
    in_fftw.forget();
    in_fftwf.forget();
    pthread_mutex_unlock(&plans.lock);
}

static const char *version(void) {
    return fftw_version;
}

static const wadi_routine routines[] = {
    {"fft", fft},
    {"ifft", ifft},
    {"rfft", rfft},
    {"irfft", irfft},
    {"fft.steady", fft_steady},
    {"ifft.steady", ifft_steady},
    {"rfft.steady", rfft_steady},
    {"irfft.steady", irfft_steady},
};

static const wadi_library library = {(int)(sizeof routines / sizeof routines[0]), routines,
                                     open_wisdom, save_wisdom, forget};
static const wadi_loadable_offer offers[] = {{"routines", &library}, {0}};

WADI_LOADABLE("GPL-2.0-or-later", version, offers);
