/* Reading numbers of one type as keys: unsigned numbers of the same order. engine_body.h includes this once for each kind of number, with RAW, the
 * unsigned type of its bits; KEY(x, flip), its key, where `flip` is the sign of integers that have one;
 * NUMBER(k, flip), the bits of a key; IS_MINUS(x), whether it is -0; and NAMED(f), a name for the kind's f. */

/* At most BATCH keys. Loops like this are vectorised; those that count and place are not. */
static void NAMED(read)(const job *j, int64_t begin, int64_t n, RAW *key) {
    const RAW *a = (const RAW *)j->from + begin, flip = (RAW)j->flip;
    for (int64_t i = 0; i < n; i++) key[i] = KEY(a[i], flip);
}

static void NAMED(find_digits)(const job *j, int64_t n, const RAW *key, uint16_t *digit) {
    const RAW first = (RAW)j->first, last = (RAW)(j->digits - 1);
    const int shift = j->shift;
    for (int64_t i = 0; i < n; i++) {
        const RAW d = (RAW)((RAW)(key[i] < first ? 0 : key[i] - first) >> shift);
        digit[i] = (uint16_t)(d < last ? d : last);
    }
}

/* Accumulators are as wide as keys, and the least key is found as the greatest ~k: else compilers do not vectorise the loop. */
static void NAMED(look_at)(const job *j, int64_t begin, int64_t n, const RAW *key, span *s) {
    WADI_UNUSED(j); /* by kinds that have no -0 */
    RAW high = (RAW)s->high, under = (RAW)~s->low, falls = 0, rises = 0, minus = 0;
    for (int64_t i = 0; i < n; i++) {
        const RAW not = (RAW)~key[i];
        minus = (RAW)(minus | IS_MINUS(((const RAW *)j->from)[begin + i]));
        under = not > under ? not : under;
        high = key[i] > high ? key[i] : high;
    }
    for (int64_t i = 1; i < n; i++) {
        falls = (RAW)(falls | (key[i] < key[i - 1]));
        rises = (RAW)(rises | (key[i] >= key[i - 1]));
    }
    s->rising = s->rising && falls == 0 && key[0] >= (RAW)s->last;
    s->falling = s->falling && rises == 0 && (begin == s->begin || key[0] < (RAW)s->last);
    s->minus = s->minus || minus != 0;
    s->low = (RAW)~under;
    s->high = high;
    s->last = key[n - 1];
}

static void NAMED(look)(const job *j, int64_t begin, int64_t end, span *out, int64_t *count) {
    RAW key[BATCH];
    uint16_t digit[BATCH];
    NAMED(read)(j, begin, 1, key);
    *out = (span){begin, key[0], key[0], key[0], key[0], true, true, false};
    for (int64_t from = begin; from < end; from += BATCH) {
        const int64_t n = end - from < BATCH ? end - from : BATCH;
        NAMED(read)(j, from, n, key);
        NAMED(look_at)(j, from, n, key, out);
        if (count == NULL) continue;
        NAMED(find_digits)(j, n, key, digit);
        for (int64_t i = 0; i < n; i++) count[digit[i]]++;
    }
}

/* How often each of these few keys is there. */
static void NAMED(tally)(const job *j, int64_t begin, int64_t end, tally *t) {
    RAW key[BATCH];
    for (int64_t from = begin; from < end; from += BATCH) {
        const int64_t n = end - from < BATCH ? end - from : BATCH;
        RAW minus = 0;
        NAMED(read)(j, from, n, key);
        for (int v = 0; v < j->values; v++) {
            const RAW value = (RAW)j->value[v];
            RAW same = 0; /* of a batch: fits 16 bits */
            for (int64_t i = 0; i < n; i++) same = (RAW)(same + (key[i] == value));
            t->count[v] += (int64_t)same;
        }
        for (int64_t i = 0; i < n; i++)
            minus = (RAW)(minus | IS_MINUS(((const RAW *)j->from)[from + i]));
        t->minus = t->minus || minus != 0;
    }
}

static void NAMED(spread)(const job *j, int64_t begin, int64_t end, uint64_t value) {
    RAW *to = j->to;
    const RAW flip = (RAW)j->flip, number = NUMBER((RAW)value, flip);
    WADI_UNUSED(flip);
    for (int64_t i = begin; i < end; i++) to[i] = number;
}

static void NAMED(place)(const job *j, int64_t begin, int64_t end, int64_t *at) {
    RAW key[BATCH], *to = j->room;
    uint16_t digit[BATCH];
    for (int64_t from = begin; from < end; from += BATCH) {
        const int64_t n = end - from < BATCH ? end - from : BATCH;
        NAMED(read)(j, from, n, key);
        NAMED(find_digits)(j, n, key, digit);
        for (int64_t i = 0; i < n; i++) to[at[digit[i]]++] = key[i];
    }
}

static void NAMED(place_packed)(const job *j, int64_t begin, int64_t end, int64_t *at) {
    RAW key[BATCH];
    const RAW low = (RAW)j->low;
    uint16_t digit[BATCH];
    uint64_t *to = j->room, packed[BATCH];
    const int drop = j->drop, bits = j->bits;
    for (int64_t from = begin; from < end; from += BATCH) {
        const int64_t n = end - from < BATCH ? end - from : BATCH;
        NAMED(read)(j, from, n, key);
        NAMED(find_digits)(j, n, key, digit);
        for (int64_t i = 0; i < n; i++)
            packed[i] = (uint64_t)(RAW)(key[i] - low) >> drop << bits | (uint64_t)(from + i);
        for (int64_t i = 0; i < n; i++) to[at[digit[i]]++] = packed[i];
    }
}

static void NAMED(keys)(const job *j) {
    const RAW *a = j->from, flip = (RAW)j->flip;
    RAW *to = j->to;
    for (int64_t i = 0; i < j->n; i++) to[i] = KEY(a[i], flip);
}

static void NAMED(pack)(const job *j) {
    const RAW *a = j->from, flip = (RAW)j->flip;
    uint64_t *to = j->to;
    const RAW low = (RAW)j->low;
    const int drop = j->drop, bits = j->bits;
    for (int64_t i = 0; i < j->n; i++)
        to[i] = (uint64_t)(RAW)(KEY(a[i], flip) - low) >> drop << bits | (uint64_t)i;
}

/* Keys [begin, end) become numbers again. */
static void NAMED(restore)(const job *j, int64_t begin, int64_t end) {
    RAW *to = j->to;
    const RAW flip = (RAW)j->flip;
    for (int64_t i = begin; i < end; i++) to[i] = NUMBER(to[i], flip);
}

static uint64_t NAMED(key)(const job *j, int64_t i) {
    const RAW *a = j->from, flip = (RAW)j->flip;
    return KEY(a[i], flip);
}

static int64_t NAMED(below)(const job *j, int64_t begin, int64_t end, uint64_t pivot) {
    RAW key[BATCH];
    const RAW last = (RAW)pivot;
    int64_t all = 0;
    for (int64_t from = begin; from < end; from += BATCH) {
        const int64_t n = end - from < BATCH ? end - from : BATCH;
        uint32_t here = 0;
        NAMED(read)(j, from, n, key);
        for (int64_t i = 0; i < n; i++) here += key[i] <= last;
        all += here;
    }
    return all;
}

static void NAMED(collect)(const job *j, int64_t begin, int64_t end, uint64_t pivot, int64_t *at,
                           void *elements, int64_t first) {
    RAW key[BATCH], *to = (RAW *)elements + first;
    const RAW *a = j->from, last = (RAW)pivot;
    for (int64_t from = begin; from < end; from += GROUP) {
        const int64_t n = end - from < GROUP ? end - from : GROUP;
        uint32_t here = 0;
        NAMED(read)(j, from, n, key);
        for (int64_t i = 0; i < n; i++) here += key[i] <= last;
        for (int64_t i = 0; here > 0 && i < n; i++) {
            if (key[i] > last) continue;
            *at++ = from + i;
            *to++ = a[from + i];
        }
    }
}

static const source NAMED(source) = {
    NAMED(look), NAMED(place), NAMED(place_packed), NAMED(keys),    NAMED(pack),  NAMED(restore),
    NAMED(key),  NAMED(tally), NAMED(below),        NAMED(collect), NAMED(spread)};

#undef RAW
#undef KEY
#undef NUMBER
#undef IS_MINUS
#undef NAMED
