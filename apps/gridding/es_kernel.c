/* Choosing the width and the shape parameter of the kernel by its leak, which is computed by integration. */
#include "apps/gridding/es_kernel.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double phi(const es_kernel *k, double x) {
    const double inside = 1 - x * x;
    return inside < 0 ? 0 : exp(k->beta * (sqrt(inside) - 1));
}

/* ---- the Fourier integral ---- */

enum { NODES = 96 };

/* The midpoint rule for x = sin(s). With this substitution the ends of the square root are smooth, so the rule converges geometrically
 * over a full period. */
typedef struct rule {
    int n;
    double x[NODES], cosine[NODES]; /* x > 0, and sqrt(1 - x^2) */
    double weight[NODES];           /* of both halves */
} rule;

static void place_nodes(int support, rule *r) {
    r->n = 24 + 3 * support < NODES ? 24 + 3 * support : NODES;
    for (int i = 0; i < r->n; i++) {
        const double s = pi / 2 * (i + 0.5) / r->n;
        r->x[i] = sin(s);
        r->cosine[i] = cos(s);
    }
}

static void weigh_nodes(const es_kernel *k, rule *r) {
    for (int i = 0; i < r->n; i++)
        r->weight[i] = pi / 2 / r->n * r->cosine[i] * k->support *
                       exp(k->beta * (r->cosine[i] - 1)); /* W/2, twice */
}

static void make_rule(const es_kernel *k, rule *r) {
    place_nodes(k->support, r);
    weigh_nodes(k, r);
}

static double by_rule(const rule *r, const es_kernel *k, double t) {
    double sum = 0;
    for (int i = 0; i < r->n; i++) sum += r->weight[i] * cos(pi * t * k->support * r->x[i]);
    return sum;
}

double es_kernel_integral(const es_kernel *k, double t) {
    rule r;
    make_rule(k, &r);
    return by_rule(&r, k, t);
}

/* ---- choice ---- */

enum { SAMPLES = 12, PERIODS = 2 };

/* The angles of the integral at each node: those of the first sample, of the edge, and those of the places of the same phase in the periods around. Others
 * follow by cos(a + b) and sin(a + b). They do not depend on beta. */
typedef struct angles {
    double first_cosine[NODES], first_sine[NODES];
    double edge_cosine[NODES], edge_sine[NODES];
    double cosine[PERIODS][NODES], sine[PERIODS][NODES];
} angles;

static double sample(double sigma, int i) {
    return (i + 1.0) / SAMPLES * 0.5 / sigma; /* with the edge, where the leak is largest */
}

static void make_angles(int support, double sigma, const rule *r, angles *out) {
    for (int i = 0; i < r->n; i++) {
        const double period = pi * support * r->x[i], first = period * sample(sigma, 0);
        const double edge = period * sample(sigma, SAMPLES - 1);
        out->edge_cosine[i] = cos(edge);
        out->edge_sine[i] = sin(edge);
        out->first_cosine[i] = cos(first);
        out->first_sine[i] = sin(first);
        for (int p = 0; p < PERIODS; p++) {
            out->cosine[p][i] = cos(period * (p + 1));
            out->sine[p][i] = sin(period * (p + 1));
        }
    }
}

/* The integral at the next sample; cosine and sine hold its values at each node, times the weights. *stray: the squares of those in
 * the periods around it. */
static double by_angles(int n, const angles *a, double *cosine, double *sine, double *stray) {
    double sum = 0, even[PERIODS] = {0}, odd[PERIODS] = {0};
    for (int i = 0; i < n; i++) {
        const double c = cosine[i] * a->first_cosine[i] - sine[i] * a->first_sine[i];
        const double s = cosine[i] * a->first_sine[i] + sine[i] * a->first_cosine[i];
        cosine[i] = c;
        sine[i] = s;
        sum += c;
        for (int p = 0; p < PERIODS; p++) {
            even[p] += c * a->cosine[p][i];
            odd[p] += s * a->sine[p][i];
        }
    }
    *stray = 0;
    for (int p = 0; p < PERIODS; p++) *stray += 2 * (even[p] * even[p] + odd[p] * odd[p]);
    return sum;
}

/* The leak if there were none but at the edge. */
static double edge_leak(const rule *r, const angles *a) {
    double sum = 0, even[PERIODS] = {0}, odd[PERIODS] = {0}, stray = 0;
    for (int i = 0; i < r->n; i++) {
        const double c = r->weight[i] * a->edge_cosine[i], s = r->weight[i] * a->edge_sine[i];
        sum += c;
        for (int p = 0; p < PERIODS; p++) {
            even[p] += c * a->cosine[p][i];
            odd[p] += s * a->sine[p][i];
        }
    }
    for (int p = 0; p < PERIODS; p++) stray += 2 * (even[p] * even[p] + odd[p] * odd[p]);
    return sqrt(stray / SAMPLES) / fabs(sum);
}

static void judge(es_kernel *k, rule r, const angles *a) {
    double sine[NODES] = {0}, leak = 0, even = 0, raised = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double stray = 0;
        const double wanted = by_angles(r.n, a, r.weight, sine, &stray);
        leak += stray / (wanted * wanted);
        even += wanted * wanted;
        raised += 1 / (wanted * wanted);
    }
    k->leak = sqrt(leak / SAMPLES);
    k->gain = sqrt(even / SAMPLES * raised / SAMPLES);
}

/* The best kernel of this width. Its beta is near that for which the main lobe ends where the first period begins; a little less or more
 * improves the edge at the cost of the rest, or the other way round. What the edge alone shows to leak more than `most` is left out: the leak
 * falls to a tenth with each step of the width, and has rounding errors far below its half. */
static es_kernel best_of(int support, double sigma, double most) {
    es_kernel best = {.support = support, .leak = (double)INFINITY};
    rule r;
    angles a;
    place_nodes(support, &r);
    make_angles(support, sigma, &r, &a);
    for (int i = 0; i < 5; i++) {
        es_kernel k = {.support = support,
                       .beta = (0.93 + 0.02 * i) * pi * support * (1 - 0.5 / sigma)};
        weigh_nodes(&k, &r);
        if (edge_leak(&r, &a) > 2 * most) continue;
        judge(&k, r, &a);
        if (k.leak < best.leak) best = k;
    }
    return best;
}

/* The search begins at a rough lower bound: no kernel of width W leaks much less than exp(-pi W sqrt(1 - 1/sigma)). */
bool es_kernel_choose(double sigma, double epsilon, int most, es_kernel *out) {
    int support = (int)(-log(epsilon) / (pi * sqrt(1 - 1 / sigma))) - 1;
    if (support < 2) support = 2;
    for (; support <= most; support++) {
        *out = best_of(support, sigma, epsilon);
        if (out->leak <= epsilon) return true;
    }
    return false;
}

/* ---- series and pieces ---- */

/* Chebyshev coefficients from values at the n Chebyshev points cos(pi (i + 1/2) / n). */
static void coefficients(int n, const double *value, double *c) {
    for (int d = 0; d < n; d++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += value[i] * cos(pi * d * (i + 0.5) / n);
        c[d] = (d == 0 ? 1.0 : 2.0) / n * sum;
    }
}

static double clenshaw(int n, const double *c, double x) {
    double b1 = 0, b2 = 0;
    for (int d = n - 1; d > 0; d--) {
        const double b = 2 * x * b1 - b2 + c[d];
        b2 = b1;
        b1 = b;
    }
    return x * b1 - b2 + c[0];
}

void es_series_fit(const es_kernel *k, double most_t, es_series *out) {
    rule r;
    double value[sizeof out->c / sizeof *out->c];
    make_rule(k, &r);
    out->most_t = most_t;
    out->n = 24;
    for (int i = 0; i < out->n; i++) {
        const double square = 0.5 * (1 + cos(pi * (i + 0.5) / out->n));
        value[i] = by_rule(&r, k, most_t * sqrt(square));
    }
    coefficients(out->n, value, out->c);
}

double es_series_at(const es_series *s, double t) {
    const double part = t / s->most_t;
    return clenshaw(s->n, s->c, 2 * part * part - 1);
}

/* The polynomial of degree n - 1 through phi at Chebyshev points, in powers of t. */
static void fit_piece(const es_kernel *k, int j, int n, double *power) {
    double value[ES_DEGREE_MOST + 1], c[ES_DEGREE_MOST + 1];
    double last[ES_DEGREE_MOST + 1] = {1}, now[ES_DEGREE_MOST + 1] = {0, 1}; /* T(d-1), T(d) */
    for (int i = 0; i < n; i++) {
        const double f = 0.5 + 0.5 * cos(pi * (i + 0.5) / n);
        value[i] = phi(k, (j + f) / (0.5 * k->support) - 1);
    }
    coefficients(n, value, c);
    memset(power, 0, (size_t)n * sizeof *power);
    power[0] = c[0];
    for (int d = 1; d < n; d++) {
        double next[ES_DEGREE_MOST + 1] = {0};
        for (int e = 0; e <= d; e++) {
            power[e] += c[d] * now[e];
            if (e + 1 < n) next[e + 1] += 2 * now[e];
            next[e] -= last[e];
        }
        memcpy(last, now, sizeof last);
        memcpy(now, next, sizeof now);
    }
}

static double piece_error(const es_kernel *k, int j, int n, const double *power) {
    double worst = 0;
    for (int i = 0; i <= 16; i++) {
        const double f = i / 16.0, t = 2 * f - 1;
        double sum = 0;
        for (int d = n - 1; d >= 0; d--) sum = sum * t + power[d];
        worst = fmax(worst, fabs(sum - phi(k, (j + f) / (0.5 * k->support) - 1)));
    }
    return worst;
}

void es_pieces_fit(const es_kernel *k, double error, es_pieces *out) {
    double power[ES_DEGREE_MOST + 1];
    int n = 3;
    double worst;
    do {
        worst = 0;
        for (int j = 0; j < k->support; j++) {
            fit_piece(k, j, n, power);
            worst = fmax(worst, piece_error(k, j, n, power));
            for (int d = 0; d < n; d++) out->c[d * k->support + j] = power[d];
        }
    } while (worst > error && ++n <= ES_DEGREE_MOST + 1);
    out->support = k->support;
    out->degree = (n > ES_DEGREE_MOST + 1 ? ES_DEGREE_MOST + 1 : n) - 1;
}
