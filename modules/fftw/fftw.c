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
#include "sched/transform.h"
#include "wadi/type.h"

enum { BUCKETS = 128, PLANS_MAX = 1024, PIECE_BYTES = 128 * 1024 };

static const int64_t measure_after = (int64_t)1 << 28; /* elements */
static const double measure_seconds = 0.2;

/* The problem that a plan solves. Keys are compared and hashed as bytes, so they must be zero before they are filled. A steady plan is the
 * estimate alone, without wisdom: the same in every run. */
typedef struct key {
    wadi_transform t;
    int32_t align_in, align_out;
    int32_t count;
    int32_t unused; /* no padding: it would be compared */
} key;

/* ---- the two precisions ---- */

typedef struct precision {
    const char *name;
    void *(*make)(const key *k, void *in, void *out, unsigned flags);
    void (*execute)(void *plan, wadi_transform_kind kind, void *in, void *out);
    void (*destroy)(void *plan);
    int (*alignment)(void *p);
    void (*limit)(double seconds);
    char *(*get_wisdom)(void);
    int (*set_wisdom)(const char *text);
    void (*forget)(void);
} precision;

/* Strides of row-major arrays; `half` says which side's last dimension is n/2 + 1. */
static void strides(const wadi_transform *t, bool half, int64_t *out) {
    int64_t stride = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        out[d] = stride;
        stride *= half && d == t->rank - 1 ? t->n[d] / 2 + 1 : t->n[d];
    }
}

#define PRECISION(X, R)                                                                          \
    static void *X##_make(const key *k, void *in, void *out, unsigned flags) {                   \
        const wadi_transform *t = &k->t;                                                         \
        X##_iodim64 dims[WADI_TRANSFORM_DIMS];                                                   \
        int64_t is[WADI_TRANSFORM_DIMS], os[WADI_TRANSFORM_DIMS];                                \
        strides(t, t->kind == WADI_TRANSFORM_REAL_INVERSE, is);                                  \
        strides(t, t->kind == WADI_TRANSFORM_REAL_FORWARD, os);                                  \
        for (int d = 0; d < t->rank; d++) {                                                      \
            dims[d].n = (ptrdiff_t)t->n[d];                                                      \
            dims[d].is = (ptrdiff_t)is[d];                                                       \
            dims[d].os = (ptrdiff_t)os[d];                                                       \
        }                                                                                        \
        const X##_iodim64 many = {k->count, (ptrdiff_t)wadi_transform_in(t),                     \
                                  (ptrdiff_t)wadi_transform_out(t)};                             \
        const int m = k->count > 1 ? 1 : 0;                                                      \
        if (t->kind == WADI_TRANSFORM_REAL_FORWARD)                                              \
            return X##_plan_guru64_dft_r2c(t->rank, dims, m, &many, (R *)in, (X##_complex *)out, \
                                           flags);                                               \
        if (t->kind == WADI_TRANSFORM_REAL_INVERSE)                                              \
            return X##_plan_guru64_dft_c2r(t->rank, dims, m, &many, (X##_complex *)in, (R *)out, \
                                           flags | (t->rank == 1 ? FFTW_PRESERVE_INPUT : 0u));   \
        return X##_plan_guru64_dft(                                                              \
            t->rank, dims, m, &many, (X##_complex *)in, (X##_complex *)out,                      \
            t->kind == WADI_TRANSFORM_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);            \
    }                                                                                            \
    static void X##_run(void *plan, wadi_transform_kind kind, void *in, void *out) {             \
        if (kind == WADI_TRANSFORM_REAL_FORWARD)                                                 \
            X##_execute_dft_r2c(plan, (R *)in, (X##_complex *)out);                              \
        else if (kind == WADI_TRANSFORM_REAL_INVERSE)                                            \
            X##_execute_dft_c2r(plan, (X##_complex *)in, (R *)out);                              \
        else                                                                                     \
            X##_execute_dft(plan, (X##_complex *)in, (X##_complex *)out);                        \
    }                                                                                            \
    static void X##_drop(void *plan) {                                                           \
        X##_destroy_plan(plan);                                                                  \
    }                                                                                            \
    static int X##_aligned(void *p) {                                                            \
        return X##_alignment_of((R *)p);                                                         \
    }                                                                                            \
    static char *X##_wisdom(void) {                                                              \
        return X##_export_wisdom_to_string();                                                    \
    }                                                                                            \
    static const precision in_##X = {#X,                                                         \
                                     X##_make,                                                   \
                                     X##_run,                                                    \
                                     X##_drop,                                                   \
                                     X##_aligned,                                                \
                                     X##_set_timelimit,                                          \
                                     X##_wisdom,                                                 \
                                     X##_import_wisdom_from_string,                              \
                                     X##_forget_wisdom};

PRECISION(fftw, double)
PRECISION(fftwf, float)

static const precision *precision_of(const key *k) {
    return k->t.is_double ? &in_fftw : &in_fftwf;
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

/* Whether a text of wisdom has entries: each is in parentheses, inside those of the whole. */
static bool tells_something(const char *wisdom) {
    const char *whole = strchr(wisdom, '(');
    return whole != NULL && strchr(whole + 1, '(') != NULL;
}

/* Removes FFTW's wisdom while the plan is made. If it cannot be restored afterwards, it must be learnt again. Mostly there is none: reading
 * it back would take as long as the plan, since FFTW makes a digest of the names of all its solvers for it. */
static void *make_steady(const key *k, void *in, void *out) {
    const precision *p = precision_of(k);
    char *known = p->get_wisdom();
    p->forget();
    void *plan = p->make(k, in, out, FFTW_ESTIMATE);
    p->forget();
    if (known != NULL && tells_something(known)) (void)p->set_wisdom(known);
    free(known);
    return plan;
}

static entry *make_entry(const key *k, void *in, void *out) {
    void *plan =
        k->t.steady ? make_steady(k, in, out) : precision_of(k)->make(k, in, out, FFTW_ESTIMATE);
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
    void *in =
        aligned_like(wadi_transform_in_bytes(&e->k.t) * e->k.count, e->k.align_in, &block_in);
    void *out =
        aligned_like(wadi_transform_out_bytes(&e->k.t) * e->k.count, e->k.align_out, &block_out);
    const precision *p = precision_of(&e->k);
    e->measured = true;
    if (in != NULL && out != NULL) {
        memset(in, 0, (size_t)(wadi_transform_in_bytes(&e->k.t) * e->k.count));
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
        if (!k->t.steady && !e->measured && e->elements > measure_after) measure(e);
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

static bool is_inverse(const wadi_transform *t) {
    return t->kind == WADI_TRANSFORM_INVERSE || t->kind == WADI_TRANSFORM_REAL_INVERSE;
}

static void scale(void *out, const wadi_transform *t, int64_t count) {
    const int64_t n = count * wadi_transform_out_bytes(t) / (t->is_double ? 8 : 4);
    if (t->is_double) {
        double *x = out;
        const double factor = 1.0 / (double)wadi_transform_size(t);
        for (int64_t i = 0; i < n; i++) x[i] *= factor;
    } else {
        float *x = out;
        const float factor = (float)(1.0 / (double)wadi_transform_size(t));
        for (int64_t i = 0; i < n; i++) x[i] *= factor;
    }
}

/* FFTW's c2r of two and more dimensions always changes its input, so it gets a copy. */
static bool run_piece(key *k, char *from, char *to, int count) {
    const precision *p = precision_of(k);
    void *copy = NULL;
    if (k->t.kind == WADI_TRANSFORM_REAL_INVERSE && k->t.rank > 1) {
        const size_t bytes = (size_t)(wadi_transform_in_bytes(&k->t) * count);
        copy = fftw_malloc(bytes);
        if (copy == NULL) return false;
        memcpy(copy, from, bytes);
        from = copy;
    }
    k->count = count;
    k->align_in = p->alignment(from);
    k->align_out = p->alignment(to);
    const bool fine = hold(k, from, to);
    if (fine) {
        p->execute(mine.plan, k->t.kind, from, to);
        if (is_inverse(&k->t)) scale(to, &k->t, count);
        mine.done += count * wadi_transform_size(&k->t);
    }
    fftw_free(copy);
    return fine;
}

static bool run_batch(key *k, const wadi_call *call) {
    int most = 1;
    const int64_t each = wadi_transform_in_bytes(&k->t) + wadi_transform_out_bytes(&k->t);
    while (most < 4096 && 2 * most * each <= PIECE_BYTES) most *= 2;
    bool fine = true;
    for (int64_t p = 0; fine && p < call->count;) {
        int64_t left = wadi_transform_together(&k->t, call, p);
        while (fine && left > 0) {
            int piece = most;
            while (piece > left) piece /= 2;
            fine = run_piece(k, wadi_transform_from(&k->t, call, p),
                             wadi_transform_to(&k->t, call, p), piece);
            p += piece;
            left -= piece;
        }
    }
    return fine;
}

static bool run(const wadi_call *call) {
    key k;
    memset(&k, 0, sizeof k);
    return wadi_transform_of(call, &k.t) && run_batch(&k, call);
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
        if (wadi_file_read_most(path, WADI_FILE_TEXT, &text, &n, NULL) == WADI_OK) {
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
    {"fft", run},        {"ifft", run},        {"rfft", run},        {"irfft", run},
    {"fft.steady", run}, {"ifft.steady", run}, {"rfft.steady", run}, {"irfft.steady", run},
};

static const wadi_library library = {(int)(sizeof routines / sizeof routines[0]), routines,
                                     open_wisdom, save_wisdom, forget};
static const wadi_loadable_offer offers[] = {{"routines", &library}, {0}};

WADI_LOADABLE("GPL-2.0-or-later", version, offers);
