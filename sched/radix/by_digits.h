/* Sorting numbers by digits, the highest digit first. engine_body.h includes this once for each width, with ELEMENT, the type of a number; KEYS, an
 * unsigned type for differences of numbers; and NAMED(f), a name for the width's f.
 *
 * A digit is the distance of the number from the least one, without its lowest bits, so that numbers which lie together or have a few
 * strangers among them take few rounds. Numbers are counted, placed in order, and each digit's numbers are sorted in the same way,
 * back and forth between two arrays. A round shortens the range of numbers by its bits, so there are at most 64 / 3 of them. */

/* Least and greatest number; returns whether they are in order. */
static bool NAMED(look)(const ELEMENT *a, int64_t n, ELEMENT *out_low, ELEMENT *out_high) {
    ELEMENT low = a[0], high = a[0];
    ELEMENT falls = 0; /* as wide as numbers: compilers vectorise that */
    for (int64_t i = 1; i < n; i++) {
        falls = (ELEMENT)(falls | (a[i] < a[i - 1]));
        low = a[i] < low ? a[i] : low;
        high = a[i] > high ? a[i] : high;
    }
    *out_low = low;
    *out_high = high;
    return falls == 0;
}

static void NAMED(divide)(ELEMENT *a, ELEMENT *b, int64_t n, bool move);

/* Sorts n numbers of `a` into `b` (`move`), or in place; both are overwritten. */
static void NAMED(sort)(ELEMENT *a, ELEMENT *b, int64_t n, bool move);

static void NAMED(divide)(ELEMENT *a, ELEMENT *b, int64_t n, bool move) {
    int64_t at[DIGITS];
    ELEMENT low, high;
    if (NAMED(look)(a, n, &low, &high)) {
        if (move) memcpy(b, a, (size_t)n * sizeof *a);
        return;
    }
    const KEYS range = (KEYS)(high - low);
    const int shift = shift_of(range, digit_bits(n));
    const int64_t digits = (int64_t)(range >> shift) + 1;
    memset(at, 0, (size_t)digits * sizeof *at);
    for (int64_t i = 0; i < n; i++) at[(KEYS)(a[i] - low) >> shift]++;
    for (int64_t d = 0, sum = 0; d < digits; d++) {
        const int64_t here = at[d];
        at[d] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < n; i++) b[at[(KEYS)(a[i] - low) >> shift]++] = a[i];
    if (shift == 0) { /* at[d] is now where digit d ends */
        if (!move) memcpy(a, b, (size_t)n * sizeof *a);
        return;
    }
    for (int64_t d = 0, from = 0; d < digits; from = at[d++])
        if (at[d] > from) NAMED(sort)(b + from, a + from, at[d] - from, !move);
}
