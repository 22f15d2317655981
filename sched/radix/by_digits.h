/* Sorting elements of one kind by digits of their keys, the highest digit first. radix.c includes this once for each kind, with
 * ELEMENT, the type of an element; KEY(e), its key, of type KEYS, an unsigned type; and NAMED(f), a name for the kind's f.
 *
 * A digit is the distance of the key from the least key, without its lowest bits, so that keys which lie together or have a few
 * strangers among them take few rounds. Elements are counted, placed in order, and each digit's elements are sorted in the same way,
 * back and forth between two arrays. A round shortens the range of keys by its bits, so there are at most 64 / 3 of them. */

typedef struct NAMED(span) {
    KEYS low, high;
    bool in_order;
} NAMED(span);

/* Least and greatest key of n > 0 elements. */
static NAMED(span) NAMED(look)(const ELEMENT *a, int64_t n) {
    NAMED(span) s = {KEY(a[0]), KEY(a[0]), true};
    unsigned falls = 0;
    for (int64_t i = 1; i < n; i++) {
        const KEYS k = KEY(a[i]);
        falls |= k < KEY(a[i - 1]);
        s.low = k < s.low ? k : s.low;
        s.high = k > s.high ? k : s.high;
    }
    s.in_order = falls == 0;
    return s;
}

/* Sorts by insertion from `a` to `to`, which may be `a`. */
static void NAMED(insert)(const ELEMENT *a, ELEMENT *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const ELEMENT e = a[i];
        int64_t k = i;
        for (; k > 0 && KEY(to[k - 1]) > KEY(e); k--) to[k] = to[k - 1];
        to[k] = e;
    }
}

/* Sorts at most SHORT elements from `a` to `to`, which may be `a`, by the number of elements that come before each. No branch depends on keys. */
static void NAMED(rank)(const ELEMENT *a, ELEMENT *to, int64_t n) {
    ELEMENT e[SHORT];
    int32_t before[SHORT];
    memcpy(e, a, (size_t)n * sizeof *a);
    for (int64_t i = 0; i < n; i++) {
        int32_t less = 0;
        const KEYS k = KEY(e[i]);
        for (int64_t j = 0; j < i; j++) {
            const int32_t after = KEY(e[j]) > k;
            before[j] += after;
            less += 1 - after;
        }
        before[i] = less;
    }
    for (int64_t i = 0; i < n; i++) to[before[i]] = e[i];
}

static void NAMED(count)(const ELEMENT *a, int64_t n, KEYS low, int shift, int64_t *count) {
    for (int64_t i = 0; i < n; i++) count[(KEYS)(KEY(a[i]) - low) >> shift]++;
}

/* at[digit]: where the next element with that digit goes. */
static void NAMED(place)(const ELEMENT *a, int64_t n, KEYS low, int shift, int64_t *at,
                         ELEMENT *to) {
    for (int64_t i = 0; i < n; i++) to[at[(KEYS)(KEY(a[i]) - low) >> shift]++] = a[i];
}

static void NAMED(divide)(ELEMENT *a, ELEMENT *b, int64_t n, bool move);

/* Sorts n elements of `a` into `b` (`move`), or in place; both are overwritten. */
static void NAMED(sort)(ELEMENT *a, ELEMENT *b, int64_t n, bool move) {
    if (n <= FEW)
        NAMED(insert)(a, move ? b : a, n);
    else if (n <= SHORT)
        NAMED(rank)(a, move ? b : a, n);
    else
        NAMED(divide)(a, b, n, move);
}

static void NAMED(divide)(ELEMENT *a, ELEMENT *b, int64_t n, bool move) {
    int64_t at[DIGITS];
    const NAMED(span) s = NAMED(look)(a, n);
    if (s.in_order) {
        if (move) memcpy(b, a, (size_t)n * sizeof *a);
        return;
    }
    const int shift = shift_of(s.high - s.low, digit_bits(n));
    const int64_t digits = (int64_t)((KEYS)(s.high - s.low) >> shift) + 1;
    memset(at, 0, (size_t)digits * sizeof *at);
    NAMED(count)(a, n, s.low, shift, at);
    for (int64_t d = 0, sum = 0; d < digits; d++) {
        const int64_t here = at[d];
        at[d] = sum;
        sum += here;
    }
    NAMED(place)(a, n, s.low, shift, at, b); /* at[d] is now where digit d ends */
    if (shift == 0) {
        if (!move) memcpy(a, b, (size_t)n * sizeof *a);
        return;
    }
    for (int64_t d = 0, from = 0; d < digits; from = at[d++])
        if (at[d] > from) NAMED(sort)(b + from, a + from, at[d] - from, !move);
}

/* ---- by several workers ---- */

typedef struct NAMED(job) {
    ELEMENT *a, *b;
    int64_t n, chunks, digits;
    NAMED(span) * span; /* [chunks] */
    int64_t *at;        /* [chunks][DIGITS] */
    int64_t *end;       /* [digits] */
    KEYS low;
    int shift;
    int64_t large; /* digits with so many elements have been sorted already */
} NAMED(job);

static void NAMED(look_at_chunks)(void *env, int worker, int64_t begin, int64_t end) {
    const NAMED(job) *j = env;
    WADI_UNUSED(worker);
    for (int64_t c = begin; c < end; c++) {
        const int64_t from = chunk_at(j->n, j->chunks, c), to = chunk_at(j->n, j->chunks, c + 1);
        j->span[c] = NAMED(look)(j->a + from, to - from);
    }
}

static void NAMED(count_chunks)(void *env, int worker, int64_t begin, int64_t end) {
    const NAMED(job) *j = env;
    WADI_UNUSED(worker);
    for (int64_t c = begin; c < end; c++) {
        const int64_t from = chunk_at(j->n, j->chunks, c), to = chunk_at(j->n, j->chunks, c + 1);
        NAMED(count)(j->a + from, to - from, j->low, j->shift, j->at + c * DIGITS);
    }
}

static void NAMED(place_chunks)(void *env, int worker, int64_t begin, int64_t end) {
    const NAMED(job) *j = env;
    WADI_UNUSED(worker);
    for (int64_t c = begin; c < end; c++) {
        const int64_t from = chunk_at(j->n, j->chunks, c), to = chunk_at(j->n, j->chunks, c + 1);
        NAMED(place)(j->a + from, to - from, j->low, j->shift, j->at + c * DIGITS, j->b);
    }
}

static void NAMED(sort_digits)(void *env, int worker, int64_t begin, int64_t end) {
    const NAMED(job) *j = env;
    WADI_UNUSED(worker);
    for (int64_t d = begin; d < end; d++) {
        const int64_t from = d > 0 ? j->end[d - 1] : 0, n = j->end[d] - from;
        if (n > 0 && n < j->large) NAMED(sort)(j->b + from, j->a + from, n, true);
    }
}

/* Where elements of each chunk and digit go: digit after digit, and within one, chunk after chunk. */
static void NAMED(lay_out)(const NAMED(job) * j) {
    int64_t sum = 0;
    for (int64_t d = 0; d < j->digits; d++) {
        for (int64_t c = 0; c < j->chunks; c++) {
            const int64_t here = j->at[c * DIGITS + d];
            j->at[c * DIGITS + d] = sum;
            sum += here;
        }
        j->end[d] = sum;
    }
}

static NAMED(span) NAMED(look_at_all)(wadi_pool *pool, NAMED(job) * j) {
    wadi_pool_for(pool, j->chunks, 1, NAMED(look_at_chunks), j);
    NAMED(span) s = j->span[0];
    for (int64_t c = 1; c < j->chunks; c++) {
        const ELEMENT *first = j->a + chunk_at(j->n, j->chunks, c);
        s.in_order = s.in_order && j->span[c].in_order && KEY(first[-1]) <= KEY(first[0]);
        s.low = j->span[c].low < s.low ? j->span[c].low : s.low;
        s.high = j->span[c].high > s.high ? j->span[c].high : s.high;
    }
    return s;
}

static bool NAMED(sort_by_all)(wadi_pool *pool, ELEMENT *a, ELEMENT *b, int64_t n);

/* A digit that most elements have would keep one worker busy; all sort it. */
static bool NAMED(sort_large)(wadi_pool *pool, const NAMED(job) * j) {
    for (int64_t d = 0; d < j->digits; d++) {
        const int64_t from = d > 0 ? j->end[d - 1] : 0, n = j->end[d] - from;
        if (n < j->large) continue;
        memcpy(j->a + from, j->b + from, (size_t)n * sizeof *j->a);
        if (j->shift > 0 && !NAMED(sort_by_all)(pool, j->a + from, j->b + from, n)) return false;
    }
    return true;
}

static bool NAMED(round)(wadi_pool *pool, NAMED(job) * j) {
    const NAMED(span) s = NAMED(look_at_all)(pool, j);
    if (s.in_order) return true;
    j->low = s.low;
    j->shift = shift_of(s.high - s.low, digit_bits(j->n));
    j->digits = (int64_t)((KEYS)(s.high - s.low) >> j->shift) + 1;
    wadi_pool_for(pool, j->chunks, 1, NAMED(count_chunks), j);
    NAMED(lay_out)(j);
    wadi_pool_for(pool, j->chunks, 1, NAMED(place_chunks), j);
    if (!NAMED(sort_large)(pool, j)) return false;
    wadi_pool_for(pool, j->digits, 8, NAMED(sort_digits), j);
    return true;
}

/* Sorts n elements of `a` in place; `b` is room for as many. False when out of memory. */
static bool NAMED(sort_by_all)(wadi_pool *pool, ELEMENT *a, ELEMENT *b, int64_t n) {
    const int threads = pool != NULL ? wadi_pool_threads(pool) : 1;
    if (threads == 1 || n < SHARED) {
        NAMED(sort)(a, b, n, false);
        return true;
    }
    NAMED(job) j = {.a = a, .b = b, .n = n, .chunks = threads * 2, .large = n / threads / 2};
    if (j.large < SHARED) j.large = SHARED;
    j.span = malloc((size_t)j.chunks * sizeof *j.span);
    j.at = calloc((size_t)j.chunks * DIGITS, sizeof *j.at);
    j.end = malloc(DIGITS * sizeof *j.end);
    const bool fine = j.span != NULL && j.at != NULL && j.end != NULL && NAMED(round)(pool, &j);
    free(j.span);
    free(j.at);
    free(j.end);
    return fine;
}

#undef ELEMENT
#undef KEYS
#undef KEY
#undef NAMED
