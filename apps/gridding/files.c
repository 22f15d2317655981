/* Opening files or a link as inputs, one for each setup. */
#include "apps/gridding/files.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"

enum { MOST_NAMES = 8 }; /* in a message */

static const double arc_second = 4.84813681109536e-6;

/* ---- opening ---- */

/* Notes what an input says about the image. */
static void note(grid_files *in, const wadi_vis_info *info) {
    in->rows = info->rows < 0 || in->rows < 0 ? -1 : in->rows + info->rows;
    if (isnan(in->ra) && !isnan(info->ra)) {
        in->ra = info->ra;
        in->dec = info->dec;
        in->equinox = info->equinox;
    }
    if (in->object[0] == '\0' && info->object != NULL) in->object = info->object;
    if (in->telescope[0] == '\0' && info->telescope != NULL) in->telescope = info->telescope;
    if (in->channel_width == 0) in->channel_width = fabs(info->channel_width);
}

/* Takes over `vis`. setup: its number in a file of several, plus one; 0: the file has one. */
static wadi_status append(grid_files *in, const char *path, size_t of, int setup, wadi_vis *vis,
                          wadi_error *err) {
    wadi_text name = {0};
    wadi_text_add(&name, path);
    if (setup > 0) wadi_text_addf(&name, ", setup %d", setup - 1);
    const grid_file file = {wadi_text_take(&name), of, setup, vis};
    if (file.name != NULL && wadi_vec_push(&in->list, file)) return WADI_OK;
    free(file.name);
    wadi_vis_close(vis);
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
}

static void prepare(grid_files *in) {
    *in = (grid_files){.ra = (double)NAN,
                       .dec = (double)NAN,
                       .equinox = (double)NAN,
                       .object = "",
                       .telescope = ""};
}

/* Opens the setups of a file that are asked for. `several`: the file has more than these. */
static wadi_status open_setups(grid_files *in, const char *path, size_t of,
                               const wadi_vis_options *options, size_t n, bool several,
                               wadi_error *err) {
    for (size_t i = 0; i < n; i++) {
        wadi_vis *vis = NULL;
        WADI_TRY(wadi_vis_open(path, &options[i], &vis, err));
        WADI_TRY(append(in, path, of, several ? options[i].setup : 0, vis, err));
    }
    return WADI_OK;
}

/* All setups of a file, or those of one number, which may be several of different polarisations. */
static wadi_status open_file(grid_files *in, const char *path, size_t of, const grid_choice *choice,
                             int setup, wadi_error *err) {
    wadi_vis_options one = choice->options, *all = NULL;
    size_t n = 0;
    one.setup = setup;
    WADI_TRY(wadi_vis_setups(path, &one, &all, &n, err));
    const wadi_status status = open_setups(in, path, of, all, n, n > 1 || choice->setups > 1, err);
    free(all);
    return status;
}

/* Whether the input has the polarisation that is asked for or that the first input has. */
static bool gives(const grid_files *in, const grid_file *f) {
    grid_mix mix;
    return grid_mix_choose(wadi_vis_about(f->vis), in->stokes, f->name, &mix, NULL) == WADI_OK;
}

static void add_name(wadi_text *out, const grid_file *f) {
    const wadi_vis_info *info = wadi_vis_about(f->vis);
    wadi_text_addf(out, "%s (", f->name);
    for (int64_t p = 0; p < info->pols; p++)
        wadi_text_addf(out, "%s%s", p > 0 ? ", " : "", grid_stokes_name(info->stokes[p]));
    wadi_text_add(out, ")");
}

static wadi_status not_all_give(const grid_files *in, const grid_file *one, wadi_error *err) {
    wadi_text names = {0};
    int n = 0;
    add_name(&names, one);
    wadi_text_add(&names, ", but not of ");
    for (size_t i = 0; i < in->list.n; i++) {
        const grid_file *f = &in->list.at[i];
        if (gives(in, f) || n++ >= MOST_NAMES) continue;
        if (n > 1) wadi_text_add(&names, "; ");
        add_name(&names, f);
    }
    const wadi_status status = wadi_fail(
        err, WADI_INVALID, "polarisation %s can be had of %s%s: choose with --pol%s",
        grid_stokes_name(in->stokes), wadi_text_str(&names), n > MOST_NAMES ? "; ..." : "",
        in->list.at[0].setup > 0 || one->setup > 0 ? " or --setup" : "");
    wadi_text_fini(&names);
    return status;
}

/* Whether other rows of the same setup of the same file have the polarisation that these do not have. */
static bool has_better(const grid_files *in, const grid_file *f) {
    for (size_t i = 0; i < in->list.n; i++) {
        const grid_file *other = &in->list.at[i];
        if (f->setup > 0 && other->of == f->of && other->setup == f->setup && gives(in, other))
            return true;
    }
    return false;
}

/* Leaves out rows without the polarisation if other rows of their setup have it. */
static void leave_out(grid_files *in) {
    for (size_t i = in->list.n; i-- > 0;) {
        grid_file *f = &in->list.at[i];
        if (gives(in, f) || !has_better(in, f)) continue;
        in->left_out += wadi_vis_about(f->vis)->rows;
        wadi_vis_close(f->vis);
        free(f->name);
        in->list.n--;
        for (size_t k = i; k < in->list.n; k++) in->list.at[k] = in->list.at[k + 1];
    }
}

/* How many inputs have the polarisation, and one of them. */
static size_t count_good(const grid_files *in, const grid_file **out) {
    size_t n = 0;
    for (size_t i = 0; i < in->list.n; i++) {
        if (!gives(in, &in->list.at[i])) continue;
        *out = &in->list.at[i];
        n++;
    }
    return n;
}

/* Chooses the polarisation if none is asked for: I, or the first product of the first input if no input has I. */
static wadi_status check_polarisation(grid_files *in, const grid_take *take, wadi_error *err) {
    const grid_file *good = NULL;
    grid_mix mix;
    in->stokes = take->stokes != 0 ? take->stokes : WADI_STOKES_I;
    if (count_good(in, &good) == 0) {
        const grid_file *first = &in->list.at[0];
        WADI_TRY(grid_mix_choose(wadi_vis_about(first->vis), take->stokes, first->name, &mix, err));
        in->stokes = mix.stokes;
    }
    leave_out(in);
    return count_good(in, &good) == in->list.n ? WADI_OK : not_all_give(in, good, err);
}

/* Whether all inputs have what is asked for, and what they say about the image. */
static wadi_status settle(grid_files *in, const grid_take *take, wadi_error *err) {
    WADI_TRY(check_polarisation(in, take, err));
    for (size_t i = 0; i < in->list.n; i++) {
        const grid_file *f = &in->list.at[i];
        const wadi_vis_info *info = wadi_vis_about(f->vis);
        int64_t first = 0, channels = 0;
        WADI_TRY(grid_take_channels(take, info, f->name, &first, &channels, err));
        note(in, info);
        in->setups += f->setup > 0;
    }
    return WADI_OK;
}

wadi_status grid_files_open(grid_files *in, size_t n, const char *const *paths,
                            const grid_choice *choice, const grid_take *take, wadi_error *err) {
    prepare(in);
    for (size_t i = 0; i < n; i++) {
        if (choice->setups == 0) WADI_TRY(open_file(in, paths[i], i, choice, 0, err));
        for (size_t k = 0; k < choice->setups; k++)
            WADI_TRY(open_file(in, paths[i], i, choice, choice->setup[k], err));
    }
    return settle(in, take, err);
}

wadi_status grid_files_listen(grid_files *in, const char *address, const wadi_link_options *options,
                              const grid_take *take, wadi_error *err) {
    wadi_vis *vis = NULL;
    prepare(in);
    in->once = true;
    WADI_TRY(wadi_vis_listen(address, options, &vis, err));
    WADI_TRY(append(in, address, 0, 0, vis, err));
    return settle(in, take, err);
}

void grid_files_fini(grid_files *in) {
    for (size_t i = 0; i < in->list.n; i++) {
        wadi_vis_close(in->list.at[i].vis);
        free(in->list.at[i].name);
    }
    wadi_vec_free(&in->list);
    *in = (grid_files){0};
}

/* ---- phase centres ---- */

/* The angle between two directions; well conditioned for small ones. */
static double distance(double ra1, double dec1, double ra2, double dec2) {
    const double s = sin((dec2 - dec1) / 2), t = sin((ra2 - ra1) / 2),
                 h = s * s + cos(dec1) * cos(dec2) * t * t;
    return 2 * asin(sqrt(h < 1 ? h : 1));
}

/* The first file that has a phase centre, or (says false) that has none. NULL: there is no such file. */
static const grid_file *first_that(const grid_files *in, bool says) {
    for (size_t i = 0; i < in->list.n; i++)
        if (isnan(wadi_vis_about(in->list.at[i].vis)->ra) != says) return &in->list.at[i];
    return NULL;
}

wadi_status grid_files_check(const grid_files *in, double scale, wadi_error *err) {
    const grid_file *known = first_that(in, true), *unknown = first_that(in, false);
    if (known != NULL && unknown != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%s does not say where its phase centre is, %s does: they do not fit in "
                         "one image",
                         unknown->name, known->name);
    for (size_t i = 0; known != NULL && i < in->list.n; i++) {
        const wadi_vis_info *info = wadi_vis_about(in->list.at[i].vis);
        const double apart = distance(in->ra, in->dec, info->ra, info->dec);
        if (apart <= scale / 10) continue;
        return wadi_fail(err, WADI_INVALID,
                         "%s and %s look at phase centres %.4g arc seconds apart, a pixel is "
                         "%.4g: they do not fit in one image",
                         known->name, in->list.at[i].name, apart / arc_second, scale / arc_second);
    }
    return WADI_OK;
}

wadi_status grid_files_pass(const grid_files *in, grid_ingest *g, wadi_error *err) {
    for (size_t i = 0; i < in->list.n; i++)
        WADI_TRY(grid_ingest_rows(g, in->list.at[i].vis, in->list.at[i].name, err));
    return WADI_OK;
}
