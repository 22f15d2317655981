/* See the header. */
#include "apps/gridding/files.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static const double arc_second = 4.84813681109536e-6;

/* ---- opening ---- */

/* Takes over `vis` and what it says about itself. */
static wadi_status append(grid_files *in, const char *name, wadi_vis *vis, const grid_take *take,
                          wadi_error *err) {
    const wadi_vis_info *info = wadi_vis_about(vis);
    int64_t first = 0, channels = 0;
    grid_mix mix;
    in->at[in->n++] = (grid_file){name, vis};
    WADI_TRY(grid_mix_choose(info, take->stokes, name, &mix, err));
    WADI_TRY(grid_take_channels(take, info, name, &first, &channels, err));
    if (in->n > 1 && mix.stokes != in->stokes)
        return wadi_fail(err, WADI_INVALID, "%s gives polarisation %s, %s gives %s: use --pol",
                         name, grid_stokes_name(mix.stokes), in->at[0].name,
                         grid_stokes_name(in->stokes));
    in->stokes = mix.stokes;
    in->rows = info->rows < 0 || in->rows < 0 ? -1 : in->rows + info->rows;
    if (isnan(in->ra) && !isnan(info->ra)) {
        in->ra = info->ra;
        in->dec = info->dec;
        in->equinox = info->equinox;
    }
    if (in->object[0] == '\0' && info->object != NULL) in->object = info->object;
    if (in->telescope[0] == '\0' && info->telescope != NULL) in->telescope = info->telescope;
    if (in->channel_width == 0) in->channel_width = fabs(info->channel_width);
    return WADI_OK;
}

static wadi_status prepare(grid_files *in, size_t n, wadi_error *err) {
    *in = (grid_files){.ra = (double)NAN,
                       .dec = (double)NAN,
                       .equinox = (double)NAN,
                       .object = "",
                       .telescope = ""};
    in->at = calloc(n + 1, sizeof *in->at);
    return in->at != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

wadi_status grid_files_open(grid_files *in, size_t n, const char *const *paths,
                            const wadi_vis_options *options, const grid_take *take,
                            wadi_error *err) {
    WADI_TRY(prepare(in, n, err));
    for (size_t i = 0; i < n; i++) {
        wadi_vis *vis = NULL;
        WADI_TRY(wadi_vis_open(paths[i], options, &vis, err));
        WADI_TRY(append(in, paths[i], vis, take, err));
    }
    return WADI_OK;
}

wadi_status grid_files_listen(grid_files *in, const char *address, const wadi_link_options *options,
                              const grid_take *take, wadi_error *err) {
    wadi_vis *vis = NULL;
    WADI_TRY(prepare(in, 1, err));
    in->once = true;
    WADI_TRY(wadi_vis_listen(address, options, &vis, err));
    return append(in, address, vis, take, err);
}

void grid_files_fini(grid_files *in) {
    for (size_t i = 0; i < in->n; i++) wadi_vis_close(in->at[i].vis);
    free(in->at);
    *in = (grid_files){0};
}

/* ---- phase centres ---- */

/* The angle between two directions; well conditioned for small ones. */
static double distance(double ra1, double dec1, double ra2, double dec2) {
    const double s = sin((dec2 - dec1) / 2), t = sin((ra2 - ra1) / 2),
                 h = s * s + cos(dec1) * cos(dec2) * t * t;
    return 2 * asin(sqrt(h < 1 ? h : 1));
}

/* The first file that says where it looks, or that does not; NULL: there is none. */
static const grid_file *first_that(const grid_files *in, bool says) {
    for (size_t i = 0; i < in->n; i++)
        if (isnan(wadi_vis_about(in->at[i].vis)->ra) != says) return &in->at[i];
    return NULL;
}

wadi_status grid_files_check(const grid_files *in, double scale, wadi_error *err) {
    const grid_file *known = first_that(in, true), *unknown = first_that(in, false);
    if (known != NULL && unknown != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%s does not say where its phase centre is, %s does: they do not fit in "
                         "one image",
                         unknown->name, known->name);
    for (size_t i = 0; known != NULL && i < in->n; i++) {
        const wadi_vis_info *info = wadi_vis_about(in->at[i].vis);
        const double apart = distance(in->ra, in->dec, info->ra, info->dec);
        if (apart <= scale / 10) continue;
        return wadi_fail(err, WADI_INVALID,
                         "%s and %s look at phase centres %.4g arc seconds apart, a pixel is "
                         "%.4g: they do not fit in one image",
                         known->name, in->at[i].name, apart / arc_second, scale / arc_second);
    }
    return WADI_OK;
}

wadi_status grid_files_pass(const grid_files *in, grid_ingest *g, wadi_error *err) {
    for (size_t i = 0; i < in->n; i++)
        WADI_TRY(grid_ingest_rows(g, in->at[i].vis, in->at[i].name, err));
    return WADI_OK;
}
