/* Writing the lines of the summary and of the image's history. */
#include "apps/gridding/report.h"

#include <math.h>

static const double arc_second = 4.84813681109536e-6;

void grid_report_weights(wadi_text *out, grid_weights w) {
    static const char *const names[] = {"natural", "uniform", "briggs"};
    wadi_text_add(out, names[w.kind]);
    if (w.kind == GRID_BRIGGS) wadi_text_addf(out, ":%g", w.robust);
}

/* In the unit that gives a handy number. */
static void add_angle(wadi_text *out, double radians) {
    const double asec = radians / arc_second;
    if (asec >= 3600)
        wadi_text_addf(out, "%.4g deg", asec / 3600);
    else if (asec >= 60)
        wadi_text_addf(out, "%.4g arcmin", asec / 60);
    else if (asec >= 0.1)
        wadi_text_addf(out, "%.4g arcsec", asec);
    else if (asec >= 1e-4)
        wadi_text_addf(out, "%.4g mas", asec * 1e3);
    else
        wadi_text_addf(out, "%.4g uas", asec * 1e6);
}

static void add_counts(wadi_text *out, const grid_files *files, const grid_counts *c,
                       int64_t outside) {
    wadi_text_addf(out, "read        %lld visibilities in %lld rows", (long long)c->read,
                   (long long)c->rows);
    if (files->setups > 1) wadi_text_addf(out, " of %lld setups", (long long)files->setups);
    if (files->left_out > 0)
        wadi_text_addf(out, ", %lld rows without %s left out", (long long)files->left_out,
                       grid_stokes_name(files->stokes));
    if (c->flagged > 0) wadi_text_addf(out, ", %lld flagged", (long long)c->flagged);
    if (c->broken > 0) wadi_text_addf(out, ", %lld not finite", (long long)c->broken);
    if (c->autocorrelations > 0)
        wadi_text_addf(out, ", %lld autocorrelations", (long long)c->autocorrelations);
    if (outside > 0) wadi_text_addf(out, ", %lld outside the grid", (long long)outside);
    wadi_text_add(out, "\n");
}

static void add_geometry(wadi_text *out, const grid_account *a) {
    const grid_geometry *g = &a->geometry;
    wadi_text_addf(out, "image       %lld x %lld pixels of ", (long long)g->size,
                   (long long)g->size);
    add_angle(out, g->scale);
    wadi_text_add(out, ", field ");
    add_angle(out, (double)g->size * g->scale);
    wadi_text_addf(out, "\nbaselines   u to %.6g, v to %.6g, w from %.6g to %.6g wavelengths\n",
                   a->limits.most_u, a->limits.most_v, a->limits.least_w, a->limits.greatest_w);
}

static void add_method(wadi_text *out, const grid_options *o, const grid_account *a) {
    const grid_tally *t = &a->tally;
    wadi_text_addf(out, "gridded     %lld by %s", (long long)t->gridded, a->method);
    if (t->grid > 0)
        wadi_text_addf(out, ", grid %lld x %lld", (long long)t->grid, (long long)t->grid);
    if (t->planes > 0) wadi_text_addf(out, ", %lld w planes", (long long)t->planes);
    if (t->kernels > 0) wadi_text_addf(out, ", %lld kernels", (long long)t->kernels);
    if (t->support_most > t->support_least)
        wadi_text_addf(out, " of %d to %d cells", t->support_least, t->support_most);
    else if (t->support_most > 0)
        wadi_text_addf(out, ", kernels of %d cells", t->support_most);
    wadi_text_add(out, ", ");
    grid_report_weights(out, o->weights);
    wadi_text_add(out, " weights\n");
}

typedef struct sexagesimal {
    long long whole, minutes;
    double seconds;
} sexagesimal;

/* Rounded before it is taken apart: what is told as 60 seconds is the next minute. */
static sexagesimal sexagesimal_of(double value, int parts_of_a_second) {
    const long long parts = llround(value * 3600 * parts_of_a_second),
                    minute = 60LL * parts_of_a_second;
    return (sexagesimal){parts / minute / 60, parts / minute % 60,
                         (double)(parts % minute) / parts_of_a_second};
}

static void add_place(wadi_text *out, const grid_files *files, const grid_account *a,
                      const grid_statistics *s) {
    const double turn = 2 * acos(-1), scale = a->geometry.scale,
                 half = (double)(a->geometry.size / 2), l = (half - (double)s->peak_x) * scale,
                 m = ((double)s->peak_y - half) * scale;
    double ra, dec;
    if (isnan(files->ra)) {
        wadi_text_addf(out, ", l = %.6g, m = %.6g\n", l, m);
        return;
    }
    grid_sky_of(files->ra, files->dec, l, m, &ra, &dec);
    const sexagesimal h = sexagesimal_of(ra / turn * 24, 10000),
                      d = sexagesimal_of(fabs(dec) / turn * 360, 1000);
    wadi_text_addf(out, ", RA %02lldh%02lldm%07.4fs Dec %c%02lldd%02lldm%06.3fs\n", h.whole % 24,
                   h.minutes, h.seconds, dec < 0 ? '-' : '+', d.whole, d.minutes, d.seconds);
}

void grid_report(wadi_text *out, const grid_options *o, const grid_files *files,
                 const grid_account *a, const grid_statistics *s) {
    add_counts(out, files, &a->counts, a->outside);
    add_geometry(out, a);
    add_method(out, o, a);
    wadi_text_addf(
        out, "noise       %.4g Jy/beam if weights are 1/sigma^2; image rms %.4g, spread %.4g\n",
        a->noise, s->rms, s->spread);
    wadi_text_addf(out, "peak        %.7g Jy/beam at pixel %lld, %lld", s->peak,
                   (long long)s->peak_x + 1, (long long)s->peak_y + 1);
    add_place(out, files, a, s);
}

void grid_report_progress(wadi_text *out, grid_phase phase, const grid_counts *c, int64_t rows,
                          double elapsed_s) {
    static const char *const names[] = {"looking", "weighing", "gridding"};
    wadi_text_addf(out, "%s: %lld visibilities", names[phase], (long long)c->read);
    if (elapsed_s > 0.05)
        wadi_text_addf(out, ", %.2f million/s", (double)c->read / elapsed_s * 1e-6);
    if (rows > 0) wadi_text_addf(out, ", %.0f%%", 100 * (double)c->rows / (double)rows);
}
