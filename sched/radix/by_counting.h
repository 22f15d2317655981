/* Sorting few numbers without instructions on several at once; more are sorted by digits (by_digits.h). */

/* By insertion from `a` to `to`, which may be `a`. */
static void NAMED(insert)(const ELEMENT *a, ELEMENT *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const ELEMENT e = a[i];
        int64_t k = i;
        for (; k > 0 && to[k - 1] > e; k--) to[k] = to[k - 1];
        to[k] = e;
    }
}

/* At most SHORT numbers from `a` to `to`, which may be `a`, by how many come before each. No branch depends on numbers. */
static void NAMED(rank)(const ELEMENT *a, ELEMENT *to, int64_t n) {
    ELEMENT e[SHORT];
    int32_t before[SHORT];
    memcpy(e, a, (size_t)n * sizeof *a);
    for (int64_t i = 0; i < n; i++) {
        int32_t less = 0;
        for (int64_t j = 0; j < i; j++) {
            const int32_t after = e[j] > e[i];
            before[j] += after;
            less += 1 - after;
        }
        before[i] = less;
    }
    for (int64_t i = 0; i < n; i++) to[before[i]] = e[i];
}

static void NAMED(sort)(ELEMENT *a, ELEMENT *b, int64_t n, bool move) {
    if (n <= FEW)
        NAMED(insert)(a, move ? b : a, n);
    else if (n <= SHORT)
        NAMED(rank)(a, move ? b : a, n);
    else
        NAMED(divide)(a, b, n, move);
}
