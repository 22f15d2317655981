/* Sorting numbers in registers of AVX-512. engine_body.h includes this once for each width, with ELEMENT, the type of a number; LANE, how many of them
 * a register has; MASK, the type of a mask of as many bits; NAMED(f), a name for the width's f; I(f), U(f) and U_MASK(f), the names of instructions
 * on numbers of that width.
 *
 * Up to 8 registers are sorted by a bitonic network (Batcher, Sorting networks and their applications, 1968): no branch depends on
 * keys. More numbers are parted by a pivot until they are so few. A register at a time, `compress` moves what is less to one end of the other array and
 * the rest to the other end, as in the quicksort of Bramas (A novel hybrid quicksort algorithm vectorized using AVX-512, 2017). */

enum { NAMED(NETWORK) = 8 * LANE };

/* ---- the network ---- */

/* Of two numbers, x ^ y ^ less is the other one; `max` of 64 bits takes twice as long. Each lane meets the lane whose number differs from its own in the bits `other`; the one without `bit` gets the less. */
ALWAYS __m512i NAMED(meet)(__m512i v, int other, int bit) {
    const unsigned with = bit == 1 ? 0xaaaa : bit == 2 ? 0xcccc : bit == 4 ? 0xf0f0 : 0xff00;
    const __m512i w = I(permutexvar)(_mm512_xor_si512(NUMBERS, I(set1)(other)), v);
    return I(mask_ternarylogic)(U(min)(v, w), (MASK)with, v, w, EXCLUSIVE);
}

ALWAYS __m512i NAMED(reverse)(__m512i v) {
    return I(permutexvar)(_mm512_xor_si512(NUMBERS, I(set1)(LANE - 1)), v);
}

/* A bitonic register becomes sorted. */
ALWAYS __m512i NAMED(settle)(__m512i v) {
    if (LANE == 16) v = NAMED(meet)(v, 8, 8);
    v = NAMED(meet)(v, 4, 4);
    v = NAMED(meet)(v, 2, 2);
    return NAMED(meet)(v, 1, 1);
}

ALWAYS __m512i NAMED(sort_register)(__m512i v) {
    v = NAMED(meet)(v, 1, 1);
    v = NAMED(meet)(v, 3, 2);
    v = NAMED(meet)(v, 1, 1);
    v = NAMED(meet)(v, 7, 4);
    v = NAMED(meet)(v, 2, 2);
    v = NAMED(meet)(v, 1, 1);
    if (LANE == 8) return v;
    v = NAMED(meet)(v, 15, 8);
    v = NAMED(meet)(v, 4, 4);
    v = NAMED(meet)(v, 2, 2);
    return NAMED(meet)(v, 1, 1);
}

/* Registers whose numbers differ in the bit `apart`, of 2 x pairs: the first gets the less. */
ALWAYS void NAMED(meet_registers)(__m512i *v, int pairs, int apart) {
    UNROLL for (int k = 0; k < pairs; k++) {
        const int i = k / apart * 2 * apart + k % apart;
        const __m512i low = U(min)(v[i], v[i + apart]);
        v[i + apart] = I(ternarylogic)(low, v[i], v[i + apart], EXCLUSIVE);
        v[i] = low;
    }
}

/* The two sorted halves of 2 x half registers become one sorted sequence. */
ALWAYS void NAMED(merge)(__m512i *v, int half) {
    __m512i up[4];
    UNROLL for (int i = 0; i < half; i++) up[i] = NAMED(reverse)(v[2 * half - 1 - i]);
    UNROLL for (int i = 0; i < half; i++) v[half + i] = up[i];
    if (half >= 4) NAMED(meet_registers)(v, half, 4);
    if (half >= 2) NAMED(meet_registers)(v, half, 2);
    NAMED(meet_registers)(v, half, 1);
    UNROLL for (int i = 0; i < 2 * half; i++) v[i] = NAMED(settle)(v[i]);
}

/* The first n lanes. */
ALWAYS MASK NAMED(first)(int64_t n) {
    return (MASK)(n >= LANE ? (1u << LANE) - 1 : n > 0 ? (1u << n) - 1 : 0);
}

/* At most `registers` full of numbers, from `a` to `to`. What fills the last register is greater than none of them. */
ALWAYS void NAMED(network)(const ELEMENT *a, ELEMENT *to, int64_t n, int registers) {
    __m512i v[8];
    UNROLL for (int i = 0; i < registers; i++) {
        v[i] = I(mask_loadu)(I(set1)(-1), NAMED(first)(n - i * LANE), a + i * LANE);
        v[i] = NAMED(sort_register)(v[i]);
    }
    UNROLL for (int i = 0; i < registers / 2; i++) NAMED(merge)(v + 2 * i, 1);
    UNROLL for (int i = 0; i < registers / 4; i++) NAMED(merge)(v + 4 * i, 2);
    if (registers == 8) NAMED(merge)(v, 4);
    UNROLL for (int i = 0; i < registers; i++)
        I(mask_storeu)(to + i * LANE, NAMED(first)(n - i * LANE), v[i]);
}

static void NAMED(sort_few)(const ELEMENT *a, ELEMENT *to, int64_t n) {
    if (n <= LANE)
        NAMED(network)(a, to, n, 1);
    else if (n <= 2 * LANE)
        NAMED(network)(a, to, n, 2);
    else if (n <= 4 * LANE)
        NAMED(network)(a, to, n, 4);
    else
        NAMED(network)(a, to, n, 8);
}

/* ---- parting ---- */

/* The middle of a few numbers, that lie far apart. */
static ELEMENT NAMED(pivot)(const ELEMENT *a, int64_t n) {
    ELEMENT e[LANE];
    for (int i = 0; i < LANE; i++) e[i] = a[n / LANE * i + n / LANE / 2];
    I(mask_storeu)(e, NAMED(first)(LANE), NAMED(sort_register)(_mm512_loadu_si512(e)));
    return e[LANE / 2];
}

/* Numbers of `from`, those below the pivot to the begin of `to`, the others to its end. */
typedef struct NAMED(parting) {
    ELEMENT *below, *above; /* where the next ones go; the end of those */
    __m512i pivot;
    bool equal; /* what is equal to the pivot counts as below it */
} NAMED(parting);

/* The `valid` lanes of v. */
ALWAYS void NAMED(part_some)(NAMED(parting) * p, __m512i v, MASK valid) {
    const MASK less =
        p->equal ? U_MASK(mask_cmple)(valid, v, p->pivot) : U_MASK(mask_cmplt)(valid, v, p->pivot);
    const MASK more = (MASK)(valid & ~less);
    const unsigned down = (unsigned)__builtin_popcount(less),
                   up = (unsigned)__builtin_popcount(more);
    I(mask_storeu)(p->below, (MASK)_bzhi_u32(~0u, down), I(maskz_compress)(less, v));
    p->below += down;
    p->above -= up;
    I(mask_storeu)(p->above, (MASK)_bzhi_u32(~0u, up), I(maskz_compress)(more, v));
}

/* All lanes. Between the two ends is room for two registers: a whole one is stored at each, of which one side counts. */
ALWAYS void NAMED(part_register)(NAMED(parting) * p, __m512i v) {
    const MASK less = p->equal ? U_MASK(cmple)(v, p->pivot) : U_MASK(cmplt)(v, p->pivot);
    const int down = __builtin_popcount(less);
    const __m512i parted = NAMED(parted)(v, less);
    _mm512_storeu_si512(p->below, parted);
    _mm512_storeu_si512(p->above - LANE, parted);
    p->below += down;
    p->above -= LANE - down;
}

/* Returns how many are below. */
ALWAYS int64_t NAMED(part)(const ELEMENT *a, ELEMENT *to, int64_t n, ELEMENT pivot, bool equal) {
    NAMED(parting) p = {to, to + n, I(set1)((LANE_TYPE)pivot), equal};
    int64_t i = 0;
    for (; i + 2 * LANE <= n; i += LANE) NAMED(part_register)(&p, _mm512_loadu_si512(a + i));
    for (; i < n; i += LANE) {
        const MASK some = NAMED(first)(n - i);
        NAMED(part_some)(&p, I(maskz_loadu)(some, a + i), some);
    }
    return p.below - to;
}

/* As NAMED(sort). After `turns` unlucky pivots digits are the better way. */
static void NAMED(quick)(ELEMENT *a, ELEMENT *b, int64_t n, bool move, int turns) {
    if (n <= NAMED(NETWORK)) {
        NAMED(sort_few)(a, move ? b : a, n);
        return;
    }
    if (turns == 0) {
        NAMED(divide)(a, b, n, move);
        return;
    }
    const ELEMENT pivot = NAMED(pivot)(a, n);
    int64_t below = NAMED(part)(a, b, n, pivot, false);
    if (below == 0) { /* those that are equal to the pivot are done */
        below = NAMED(part)(a, b, n, pivot, true);
        if (!move) memcpy(a, b, (size_t)below * sizeof *a);
    } else
        NAMED(quick)(b, a, below, !move, turns - 1);
    if (below < n) NAMED(quick)(b + below, a + below, n - below, !move, turns - 1);
}

/* Sorts n numbers of `a` into `b` (`move`), or in place; both are overwritten. */
static void NAMED(sort)(ELEMENT *a, ELEMENT *b, int64_t n, bool move) {
    ELEMENT low, high;
    if (n <= NAMED(NETWORK))
        NAMED(sort_few)(a, move ? b : a, n);
    else if (n > PARTED)
        NAMED(divide)(a, b, n, move);
    else if (!NAMED(look)(a, n, &low, &high))
        NAMED(quick)(a, b, n, move, 2 * bits_of((uint64_t)n));
    else if (move)
        memcpy(b, a, (size_t)n * sizeof *a);
}

#undef LANE
#undef MASK
#undef LANE_TYPE
#undef NUMBERS
#undef I
#undef U
#undef U_MASK
