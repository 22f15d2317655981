/* Rows of keys, long and short. A short row is sorted where it goes. Of a long one, workers look at chunks, count the highest digit of their keys and
 * place them by digit; then each digit's keys are sorted, which soon fit a cache. */

/* ---- blocks and chunks ---- */

static int64_t chunk_at(int64_t n, int64_t chunks, int64_t c) {
    return n / chunks * c + (c < n % chunks ? c : n % chunks);
}

static void for_each(wadi_pool *pool, int64_t n, int64_t grain, wadi_pool_fn fn, const void *env) {
    if (pool != NULL)
        wadi_pool_for(pool, n, grain, fn, (void *)(uintptr_t)env);
    else
        fn((void *)(uintptr_t)env, 0, 0, n);
}

static void by_blocks(const job *j, wadi_pool_fn fn) {
    for_each(j->pool, (j->n + BLOCK - 1) / BLOCK, 1, fn, j);
}

static int64_t block_end(const job *j, int64_t end) {
    return end * BLOCK < j->n ? end * BLOCK : j->n;
}

/* ---- rows that are in order ---- */

static void copy_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    const int64_t from = begin * BLOCK, to = block_end(j, end);
    int64_t *positions = j->to;
    if (!j->packed)
        memcpy((char *)j->to + (size_t)from * j->kind->size,
               (const char *)j->from + (size_t)from * j->kind->size,
               (size_t)(to - from) * j->kind->size);
    else
        for (int64_t i = from; i < to; i++) positions[i] = i;
}

static void reverse_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    const int64_t from = begin * BLOCK, to = block_end(j, end), last = j->n - 1;
    int64_t *positions = j->to;
    if (j->packed)
        for (int64_t i = from; i < to; i++) positions[i] = last - i;
    else if (j->kind->size == 8)
        for (int64_t i = from; i < to; i++)
            ((uint64_t *)j->to)[i] = ((const uint64_t *)j->from)[last - i];
    else if (j->kind->size == 4)
        for (int64_t i = from; i < to; i++)
            ((uint32_t *)j->to)[i] = ((const uint32_t *)j->from)[last - i];
    else
        for (int64_t i = from; i < to; i++)
            ((uint16_t *)j->to)[i] = ((const uint16_t *)j->from)[last - i];
}

/* Whether nothing is left to do. */
static bool is_in_order(const job *j, const span *s) {
    if (s->rising && j->from != j->to) by_blocks(j, copy_blocks);
    if (s->rising) return true;
    if (!s->falling || j->from == j->to) return false;
    by_blocks(j, reverse_blocks);
    return true;
}

#include "sched/radix/runs.h"

/* ---- long rows ---- */

static void look_at_chunks(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    for (int64_t c = begin; c < end; c++)
        j->source->look(j, chunk_at(j->n, j->chunks, c), chunk_at(j->n, j->chunks, c + 1),
                        &j->span[c], j->digits > 0 ? j->at + c * MOST : NULL);
}

static span look_at_all(const job *j) {
    for_each(j->pool, j->chunks, 1, look_at_chunks, j);
    span s = j->span[0];
    for (int64_t c = 1; c < j->chunks; c++) {
        const span *next = &j->span[c];
        s.rising = s.rising && next->rising && next->first >= s.last;
        s.falling = s.falling && next->falling && next->first < s.last;
        s.minus = s.minus || next->minus;
        s.low = next->low < s.low ? next->low : s.low;
        s.high = next->high > s.high ? next->high : s.high;
        s.last = next->last;
    }
    return s;
}

/* Where elements of each chunk and digit go: digit after digit, and within one, chunk after chunk. */
static void lay_out(const job *j) {
    int64_t sum = 0;
    for (int64_t d = 0; d < j->digits; d++) {
        for (int64_t c = 0; c < j->chunks; c++) {
            const int64_t here = j->at[c * MOST + d];
            j->at[c * MOST + d] = sum;
            sum += here;
        }
        j->end[d] = sum;
    }
}

static void place_chunks(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    for (int64_t c = begin; c < end; c++)
        (j->packed ? j->source->place_packed : j->source->place)(
            j, chunk_at(j->n, j->chunks, c), chunk_at(j->n, j->chunks, c + 1), j->at + c * MOST);
}

static void sort_digits(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    const size_t size = j->kind->size;
    WADI_UNUSED(worker);
    for (int64_t d = begin; d < end; d++) {
        const int64_t from = d > 0 ? j->end[d - 1] : 0, n = j->end[d] - from;
        if (n == 0 || n >= j->large) continue;
        j->kind->sort((char *)j->room + (size_t)from * size, (char *)j->to + (size_t)from * size, n,
                      true);
        finish(j, from, j->end[d]);
    }
}

static bool sort_shared(job *j, span *out);

static bool sort_again(const job *j, int64_t begin, int64_t end) {
    const size_t at = (size_t)begin * j->kind->size;
    job again = {.source = unsigned_of[j->kind->size],
                 .kind = j->kind,
                 .from = (char *)j->to + at,
                 .to = (char *)j->to + at,
                 .room = (char *)j->room + at,
                 .n = end - begin,
                 .again = true,
                 .pool = j->pool};
    span unused;
    return sort_shared(&again, &unused);
}

/* A digit that most elements have would keep one worker busy; all sort it. */
static bool sort_large(const job *j, int64_t begin, int64_t end) {
    const size_t at = (size_t)begin * j->kind->size;
    memcpy((char *)j->to + at, (char *)j->room + at, (size_t)(end - begin) * j->kind->size);
    return sort_again(j, begin, end) && finish_all(j, begin, end);
}

/* Bits of the position, and of the key that do not fit beside it; false: there are too many. */
static bool choose_bits(job *j, const span *s) {
    j->low = s->low;
    if (!j->packed) return true;
    j->bits = bits_of((uint64_t)j->n - 1);
    const int all = bits_of(s->high - s->low) + j->bits;
    j->drop = all > 64 ? all - 64 : 0;
    return j->drop + j->bits <= 64;
}

static void choose_digits(job *j, uint64_t first, uint64_t range) {
    j->first = first;
    j->shift = shift_of(range, TOP);
    j->digits = (int64_t)(range >> j->shift) + 1;
}

/* The different keys of a sorted sample; none if they are many. */
static void note_values(job *j, const uint64_t *key) {
    for (int64_t i = 0; i < SAMPLE; i++) {
        if (i > 0 && key[i] == key[i - 1]) continue;
        if (j->values == VALUES) {
            j->values = 0;
            return;
        }
        j->value[j->values++] = key[i];
    }
}

/* For the keys of a sample, without a few at both ends: strangers far from all others would leave one digit to those. */
static void guess_digits(job *j) {
    uint64_t key[SAMPLE], room[SAMPLE];
    for (int64_t i = 0; i < SAMPLE; i++) key[i] = j->source->key(j, chunk_at(j->n, SAMPLE, i));
    sort_u64(key, room, SAMPLE, false);
    note_values(j, key);
    const uint64_t first = key[SAMPLE / 128];
    choose_digits(j, first, key[SAMPLE - 1 - SAMPLE / 128] - first);
}

/* For the keys that there are. Each round then shortens the range, however keys lie. */
static void find_digits(job *j) {
    const span s = look_at_all(j);
    choose_digits(j, s.low, s.high - s.low);
}

/* ---- rows of a few different numbers ---- */

static void tally_chunks(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    for (int64_t c = begin; c < end; c++)
        j->source->tally(j, chunk_at(j->n, j->chunks, c), chunk_at(j->n, j->chunks, c + 1),
                         &j->tally[c]);
}

/* For each place of a block the key that belongs there: end[v] is where value v ends. */
static void spread_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    const int64_t last = block_end(j, end);
    int v = 0;
    for (int64_t from = begin * BLOCK; from < last;) {
        while (j->end[v] <= from) v++;
        const int64_t to = j->end[v] < last ? j->end[v] : last;
        j->source->spread(j, from, to, j->value[v]);
        from = to;
    }
}

/* Whether the row has only keys of the sample, which are few. Then it is sorted. */
static bool sort_values(job *j, span *out) {
    if (j->packed || j->again || j->values == 0) return false;
    j->tally = calloc((size_t)j->chunks, sizeof *j->tally);
    if (j->tally == NULL) return false;
    for_each(j->pool, j->chunks, 1, tally_chunks, j);
    int64_t sum = 0;
    for (int v = 0; v < j->values; v++) {
        for (int64_t c = 0; c < j->chunks; c++) sum += j->tally[c].count[v];
        j->end[v] = sum;
    }
    *out = (span){.minus = false};
    for (int64_t c = 0; c < j->chunks; c++) out->minus = out->minus || j->tally[c].minus;
    free(j->tally);
    if (sum == j->n) by_blocks(j, spread_blocks);
    return sum == j->n;
}

/* ---- a long row ---- */

static bool sort_chunks(job *j, span *out) {
    if (j->again)
        find_digits(j);
    else
        guess_digits(j);
    if (sort_values(j, out)) return true;
    *out = look_at_all(j);
    if (is_in_order(j, out)) return true;
    if (!choose_bits(j, out)) return false;
    lay_out(j);
    for_each(j->pool, j->chunks, 1, place_chunks, j);
    for (int64_t d = 0, begin = 0; d < j->digits; begin = j->end[d++])
        if (j->end[d] - begin >= j->large && !sort_large(j, begin, j->end[d])) return false;
    for_each(j->pool, j->digits, 1, sort_digits, j);
    return true;
}

static bool sort_shared(job *j, span *out) {
    const int threads = j->pool != NULL ? wadi_pool_threads(j->pool) : 1;
    j->chunks = threads > 1 ? threads * 2 : 1;
    j->large = j->n / threads / 2 > WADI_RADIX_SHARED ? j->n / threads / 2 : WADI_RADIX_SHARED;
    if (threads == 1) j->large = INT64_MAX;
    j->span = malloc((size_t)j->chunks * sizeof *j->span);
    j->at = calloc((size_t)j->chunks * MOST, sizeof *j->at);
    j->end = malloc(MOST * sizeof *j->end);
    const bool fine = j->span != NULL && j->at != NULL && j->end != NULL && sort_chunks(j, out);
    free(j->span);
    free(j->at);
    free(j->end);
    return fine;
}

/* ---- rows ---- */

static bool sort_cached(job *j, span *out) {
    j->source->look(j, 0, j->n, out, NULL);
    if (is_in_order(j, out)) return true;
    if (!choose_bits(j, out)) return false;
    (j->packed ? j->source->pack : j->source->keys)(j);
    j->kind->sort(j->to, j->room, j->n, false);
    finish(j, 0, j->n);
    return true;
}

#define ORDER_ZEROS(bits)                                             \
    static void order_zeros_##bits(const wadi_radix_row *r) {         \
        const uint##bits##_t minus = (uint##bits##_t)1 << (bits - 1); \
        const uint##bits##_t *from = r->from;                         \
        uint##bits##_t *to = r->to;                                   \
        int64_t low = 0, high = r->n;                                 \
        while (low < high) {                                          \
            const int64_t middle = low + (high - low) / 2;            \
            const uint##bits##_t x = to[middle];                      \
            if (x > minus && x <= minus + NEGATIVE_##bits)            \
                low = middle + 1;                                     \
            else                                                      \
                high = middle;                                        \
        }                                                             \
        for (int64_t i = 0; i < r->n; i++)                            \
            if ((from[i] & (minus - 1)) == 0) to[low++] = from[i];    \
    }
#define NEGATIVE_32 UINT32_C(0x7f800000) /* the magnitude of infinity */
#define NEGATIVE_64 UINT64_C(0x7ff0000000000000)
ORDER_ZEROS(32)
ORDER_ZEROS(64)

/* Zeros of both signs are equal: they come in the order of the source. The keys had one sign. */
static void order_zeros(const wadi_radix_row *r) {
    if (r->type == WADI_F32)
        order_zeros_32(r);
    else
        order_zeros_64(r);
}

/* One byte each: counting is enough. */
static void sort_bytes(const wadi_radix_row *r) {
    const unsigned flip = r->type == WADI_I8 ? 0x80 : 0;
    int64_t count[256] = {0};
    uint8_t *to = r->to;
    for (int64_t i = 0; i < r->n; i++) count[((const uint8_t *)r->from)[i] ^ flip]++;
    for (unsigned k = 0; k < 256; to += count[k++]) memset(to, (int)(k ^ flip), (size_t)count[k]);
}

/* Two bytes each, if there are many. */
static bool sort_halves(const wadi_radix_row *r) {
    const unsigned flip = r->type == WADI_I16 ? 0x8000 : 0;
    int64_t *count = calloc(65536, sizeof *count);
    uint16_t *to = r->to;
    if (count == NULL) return false;
    for (int64_t i = 0; i < r->n; i++) count[((const uint16_t *)r->from)[i] ^ flip]++;
    for (unsigned k = 0; k < 65536; k++)
        for (int64_t i = 0; i < count[k]; i++) *to++ = (uint16_t)(k ^ flip);
    free(count);
    return true;
}

static job job_of(const wadi_radix_row *r, wadi_pool *pool) {
    const int size = wadi_type_size(r->type);
    const bool has_sign = r->type >= WADI_I8 && r->type <= WADI_I64;
    return (job){.source = r->type == WADI_F32   ? &source_f32
                           : r->type == WADI_F64 ? &source_f64
                                                 : unsigned_of[size],
                 .kind = size == 2   ? &kind_16
                         : size == 4 ? &kind_32
                                     : &kind_64,
                 .from = r->from,
                 .to = r->to,
                 .room = r->room,
                 .n = r->n,
                 .flip = has_sign ? (uint64_t)1 << (8 * size - 1) : 0,
                 .pool = r->n >= WADI_RADIX_SHARED ? pool : NULL};
}

static bool sort_job(job *j, span *out) {
    return j->n <= CACHED ? sort_cached(j, out) : sort_shared(j, out);
}

static bool sort_row(const wadi_radix_row *r, wadi_pool *pool) {
    if (wadi_type_size(r->type) == 1) {
        sort_bytes(r);
        return true;
    }
    if (wadi_type_size(r->type) == 2 && r->n >= COUNTED) return sort_halves(r);
    job j = job_of(r, pool);
    span s;
    if (!sort_job(&j, &s)) return false;
    if (s.minus && !s.rising && !s.falling) order_zeros(r);
    return true;
}

static bool rank_row(const wadi_radix_row *r, wadi_pool *pool) {
    job j = job_of(r, pool);
    span unused;
    j.kind = &kind_64;
    j.packed = true;
    return sort_job(&j, &unused);
}

#include "sched/radix/choose.h"
