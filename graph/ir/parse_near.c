/* Names that are nearly what stands in the text: the nearest of the names that are offered becomes a hint, "did you mean 'map'?".
 *
 * Near is the distance of Damerau and Levenshtein in its simple form: letters left out, added, exchanged, or two neighbours in the wrong order
 * (Boytsov 2011, "optimal string alignment"). Capitals and '_' do not count. Short names must be nearer than long ones. */
#include <string.h>

#include "graph/ir/parse.h"

enum { LONGEST = 24, SHORT = 3, LONG = 5 /* on average */ };

/* The letters that count, in lower case; 0 if there are too many. */
static int letters(const char *s, size_t n, char *out) {
    int k = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '_') continue;
        if (k == LONGEST) return 0;
        out[k++] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] - 'A' + 'a' : s[i]);
    }
    return k;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

static int distance(int n, const char *a, int m, const char *b) {
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

void wadi_near_offer(wadi_near *near, const char *name) {
    char a[LONGEST], b[LONGEST];
    const int n = letters(near->to->at, near->to->n, a), m = letters(name, strlen(name), b);
    if (near->to->kind != WADI_TOKEN_NAME || n == 0 || m == 0) return;
    const int d = distance(n, a, m, b), shorter = least(n, m);
    if (d > (shorter < SHORT ? 0 : n + m < 2 * LONG ? 1 : 2)) return;
    const bool begins = memcmp(a, b, (size_t)shorter) == 0;
    const int far =
        2 * d + (begins ? -1 : n != m); /* of two, the one that begins so, or is as long */
    if (near->name && near->far <= far) return;
    near->name = name;
    near->far = far;
}

const char *wadi_near_hint(const wadi_parser *p, const wadi_near *near) {
    const char *hint =
        near->name ? wadi_arena_printf(p->m->arena, " (did you mean '%s'?)", near->name) : NULL;
    return hint ? hint : "";
}
