/* Visibilities in FITS random groups: UVFITS, AIPS memo 117.
 *
 * A group is what one baseline measured at one time. It has some parameters (baseline in seconds of light travel, date,
 * antennas, number of its source and of its frequencies), then an array over the axes COMPLEX, STOKES, FREQ and IF in any
 * order. uvfits_head.c finds out from the headers what lies where. This file reads the groups in blocks, directly from the
 * file, and converts them to rows. The channels of all IFs follow one another. Weights are kept as they are; an array without
 * weights gets 1.
 *
 * In a file of several sources or several sets of frequencies, rows differ in meaning, so one of each is selected when the
 * file is opened. */
#include "connectors/visibility.h"

#include <string.h>

#include "base/error.h"

/* Recognises any FITS file. If it is not UVFITS, opening it says what is wrong. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/vec.h"
#include "modules/cfitsio/cfitsio.h"
#include "modules/cfitsio/uvfits.h"

enum {
    BLOCK_BYTES = 1 << 20,
    MAX_KINDS = 4096, /* sources times sets of frequencies in one file */
    MAX_LISTED = 12,  /* names in a message */
    NO_ID = INT_MIN
};

/* Julian date of modified Julian date 0. */
static const double MJD_ZERO = 2400000.5;

typedef struct uvfits {
    wadi_vis base;
    wadi_uvfits_head head;
    char *path;
    int fd;
    double *frequency;
    int *stokes;
    bool one_source, one_setup; /* groups of others are skipped */
    int source, setup;
    int64_t group_bytes;
    int64_t group, row; /* the next group, and the next row */
    unsigned char *block;
    int64_t block_room, block_first,
        block_groups; /* how many groups the block can hold, and how many it holds */
    double *values;   /* parameters, then array, of one group */
} uvfits;

/* ---- numbers of the file ---- */

static uint32_t get32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t get64(const unsigned char *p) {
    return (uint64_t)get32(p) << 32 | get32(p + 4);
}

static double float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void decode(int bitpix, const unsigned char *p, int64_t n, double *out) {
    switch (bitpix) {
    case 16:
        for (int64_t i = 0; i < n; i++) out[i] = (int16_t)(uint16_t)(p[2 * i] << 8 | p[2 * i + 1]);
        break;
    case 32:
        for (int64_t i = 0; i < n; i++) out[i] = (int32_t)get32(p + 4 * i);
        break;
    case -32:
        for (int64_t i = 0; i < n; i++) out[i] = float_of(get32(p + 4 * i));
        break;
    default:
        for (int64_t i = 0; i < n; i++) out[i] = double_of(get64(p + 8 * i));
    }
}

/* ---- groups ---- */

static wadi_status load_block(uvfits *u, int64_t first, wadi_error *err) {
    const int64_t left = u->head.groups - first;
    const int64_t n = left < u->block_room ? left : u->block_room;
    const int64_t bytes = n * u->group_bytes;
    const int64_t start = u->head.start + first * u->group_bytes;
    int64_t done = 0;
    u->block_groups = 0;
    while (done < bytes) {
        const ssize_t got = pread(u->fd, u->block + done, (size_t)(bytes - done), start + done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return wadi_fail_errno(err, errno, "%s", u->path);
        if (got == 0)
            return wadi_uvfits_truncated(u->path, &u->head, first + done / u->group_bytes, err);
        done += got;
    }
    u->block_first = first;
    u->block_groups = n;
    return WADI_OK;
}

static wadi_status find_group(uvfits *u, int64_t group, const unsigned char **out,
                              wadi_error *err) {
    if (group < u->block_first || group >= u->block_first + u->block_groups)
        WADI_TRY(load_block(u, group, err));
    *out = u->block + (group - u->block_first) * u->group_bytes;
    return WADI_OK;
}

/* The parameters of a group whose names are known. The sum of dates starts at the term with which it loses least precision. */
static void add_params(const uvfits *u, const unsigned char *group,
                       double sum[WADI_UVFITS_QUANTITIES + 1]) {
    const wadi_uvfits_head *h = &u->head;
    decode(h->bitpix, group, h->params, u->values);
    for (int q = 0; q <= WADI_UVFITS_QUANTITIES; q++) sum[q] = 0;
    sum[WADI_UVFITS_DATE] = -MJD_ZERO;
    for (int i = 0; i < h->params; i++) {
        const wadi_uvfits_param *p = &h->param[i];
        sum[p->quantity] += p->zero;
        sum[p->quantity] += p->scale * u->values[i];
    }
}

static int as_id(double x) {
    return fabs(x) < 1e9 ? (int)lrint(x) : NO_ID;
}

static bool is_chosen(const uvfits *u, const double *sum) {
    return (!u->one_source || as_id(sum[WADI_UVFITS_SOURCE]) == u->source) &&
           (!u->one_setup || as_id(sum[WADI_UVFITS_SETUP]) == u->setup);
}

/* The code is 256 first + second, or 65536 + 2048 first + second if there are more than 255 antennas. Its hundredths are the subarray. */
static void antennas(const uvfits *u, const double *sum, int32_t pair[2]) {
    const bool *has = u->head.has;
    pair[0] = pair[1] = -1;
    if (has[WADI_UVFITS_ANTENNA1] && has[WADI_UVFITS_ANTENNA2]) {
        pair[0] = as_id(sum[WADI_UVFITS_ANTENNA1]);
        pair[1] = as_id(sum[WADI_UVFITS_ANTENNA2]);
    } else if (has[WADI_UVFITS_BASELINE] && fabs(sum[WADI_UVFITS_BASELINE]) < 1e9) {
        const int b = (int)floor(sum[WADI_UVFITS_BASELINE] + 0.001);
        const int base = b > 65536 ? 2048 : 256;
        const int both = b > 65536 ? b - 65536 : b;
        pair[0] = both / base;
        pair[1] = both % base;
    }
    if (pair[0] < 0 || pair[1] < 0) pair[0] = pair[1] = -1;
}

/* Converts the array from its own order to [IF and channel, polarisation]. */
static void put_array(const uvfits *u, double *restrict data, float *restrict weight) {
    const wadi_uvfits_head *h = &u->head;
    const double *v = u->values + h->params;
    const int64_t step = h->complex.stride;
    for (int64_t part = 0; part < h->part.n; part++) {
        for (int64_t c = 0; c < h->channel.n; c++) {
            const double *p = v + part * h->part.stride + c * h->channel.stride;
            for (int64_t s = 0; s < h->stokes.n; s++, p += h->stokes.stride) {
                *data++ = p[0];
                *data++ = p[step];
                *weight++ = h->complex.n == 3 ? (float)p[2 * step] : 1;
            }
        }
    }
}

/* A value that the file says is missing becomes NaN. */
static void scale_array(const uvfits *u, const unsigned char *group) {
    const wadi_uvfits_head *h = &u->head;
    double *v = u->values + h->params;
    decode(h->bitpix, group + h->params * (abs(h->bitpix) / 8), h->values, v);
    for (int64_t i = 0; h->has_blank && i < h->values; i++)
        if (v[i] == (double)h->blank) v[i] = (double)NAN;
    if (h->scale == 1 && h->zero == 0) return;
    for (int64_t i = 0; i < h->values; i++) v[i] = v[i] * h->scale + h->zero;
}

static void put_row(const uvfits *u, const unsigned char *group, const double *sum,
                    const wadi_vis_rows *rows, int64_t n) {
    const int64_t cells = u->base.info.channels * u->base.info.pols;
    float *weight = rows->weight + n * cells;
    for (int i = 0; i < 3; i++) rows->uvw[3 * n + i] = sum[WADI_UVFITS_U + i];
    antennas(u, sum, rows->pair + 2 * n);
    rows->time[n] = u->head.has[WADI_UVFITS_DATE] ? sum[WADI_UVFITS_DATE] + u->head.to_utc : 0;
    scale_array(u, group);
    put_array(u, rows->data + 2 * n * cells, weight);
    for (int64_t i = 0; i < cells; i++) /* no weight: flagged */
        if (isnan(weight[i])) weight[i] = 0;
}

static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                             int64_t *out_n, wadi_error *err) {
    uvfits *u = (uvfits *)self;
    wadi_status status = WADI_OK;
    int64_t n = 0;
    const bool all = u->base.info.rows == u->head.groups;
    if (first < u->row) u->group = u->row = 0;
    if (all && first <= u->head.groups) u->group = u->row = first; /* a row is a group */
    while (n < k && u->group < u->head.groups) {
        const unsigned char *group = NULL;
        double sum[WADI_UVFITS_QUANTITIES + 1];
        status = find_group(u, u->group, &group, err);
        if (status != WADI_OK) break;
        add_params(u, group, sum);
        u->group++;
        if (!is_chosen(u, sum)) continue;
        if (u->row++ >= first) put_row(u, group, sum, rows, n++);
    }
    *out_n = n;
    return status;
}

/* ---- which groups ---- */

typedef struct kind {
    int source, setup;
    int64_t groups;
} kind;

typedef WADI_VEC(kind) kinds;

static wadi_status count_kind(const uvfits *u, kinds *all, int source, int setup, wadi_error *err) {
    size_t i = all->n;
    while (i > 0 && (all->at[i - 1].source != source || all->at[i - 1].setup != setup)) i--;
    if (i > 0) {
        all->at[i - 1].groups++;
        return WADI_OK;
    }
    if (all->n == MAX_KINDS) {
        return wadi_fail(err, WADI_IO, "%s: more than %d sources and sets of frequencies", u->path,
                         (int)MAX_KINDS);
    }
    if (!wadi_vec_push(all, (kind){source, setup, 1}))
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->path);
    return WADI_OK;
}

static wadi_status find_kinds(uvfits *u, kinds *all, wadi_error *err) {
    for (int64_t g = 0; g < u->head.groups; g++) {
        const unsigned char *group = NULL;
        double sum[WADI_UVFITS_QUANTITIES + 1];
        WADI_TRY(find_group(u, g, &group, err));
        add_params(u, group, sum);
        WADI_TRY(
            count_kind(u, all, as_id(sum[WADI_UVFITS_SOURCE]), as_id(sum[WADI_UVFITS_SETUP]), err));
    }
    return WADI_OK;
}

static const wadi_uvfits_field *find_field(const uvfits *u, int id) {
    const wadi_uvfits_head *h = &u->head;
    for (size_t i = 0; i < h->field.n; i++)
        if (h->field.at[i].id == id) return &h->field.at[i];
    return NULL;
}

static const wadi_uvfits_setup *find_setup(const uvfits *u, int id) {
    const wadi_uvfits_head *h = &u->head;
    for (size_t i = 0; i < h->setup.n; i++)
        if (h->setup.at[i].id == id) return &h->setup.at[i];
    return NULL;
}

/* Whether an earlier kind has the same source (or setup). */
static bool is_repeated(const kinds *all, size_t i, bool sources) {
    for (size_t j = 0; j < i; j++) {
        if (sources ? all->at[j].source == all->at[i].source : all->at[j].setup == all->at[i].setup)
            return true;
    }
    return false;
}

/* Writes the sources, or sets of frequencies, as "1 (3C286), 2 (M87)"; returns how many there are. */
static int list(const uvfits *u, const kinds *all, bool sources, wadi_text *out) {
    int n = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (is_repeated(all, i, sources) || n++ >= MAX_LISTED) continue;
        const int id = sources ? all->at[i].source : all->at[i].setup;
        const wadi_uvfits_field *f = sources ? find_field(u, id) : NULL;
        const wadi_uvfits_setup *s = sources ? NULL : find_setup(u, id);
        wadi_text_addf(out, "%s%d", n > 1 ? ", " : "", id);
        if (f != NULL) wadi_text_addf(out, " (%s)", f->name);
        if (s != NULL)
            wadi_text_addf(out, " (%.6g MHz)", (u->head.channel.value + s->offset[0]) / 1e6);
    }
    if (n > MAX_LISTED) wadi_text_add(out, ", ...");
    return n;
}

/* Selects the one asked for (its number plus one), or the only one. Only the selected kinds stay in *all. */
static wadi_status choose(const uvfits *u, kinds *all, bool sources, int asked, int *out,
                          wadi_error *err) {
    const char *what = sources ? "source" : "frequency id";
    wadi_text names = {0};
    const int n = list(u, all, sources, &names);
    wadi_status status = WADI_OK;
    if (asked == 0 && n > 1) {
        status = wadi_fail(err, WADI_INVALID, "%s: %d %ss in one file, one must be chosen: %s",
                           u->path, n, what, wadi_text_str(&names));
    }
    *out = asked != 0 ? asked - 1 : sources ? all->at[0].source : all->at[0].setup;
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++)
        if ((sources ? all->at[i].source : all->at[i].setup) == *out) all->at[kept++] = all->at[i];
    if (status == WADI_OK && kept == 0) {
        status = wadi_fail(err, WADI_INVALID, "%s: no visibilities of %s %d, only of %s", u->path,
                           what, *out, wadi_text_str(&names));
    }
    all->n = kept;
    wadi_text_fini(&names);
    return status;
}

/* If the tables of a file have one source and one set of frequencies, its groups need not be read for this. */
static bool is_plain(const uvfits *u, const wadi_vis_options *options) {
    const wadi_uvfits_head *h = &u->head;
    return options->field == 0 && options->setup == 0 &&
           (!h->has[WADI_UVFITS_SOURCE] || h->field.n == 1) &&
           (!h->has[WADI_UVFITS_SETUP] || h->setup.n == 1);
}

/* Finds the kinds of the groups of the source asked for. */
static wadi_status find_chosen_kinds(uvfits *u, const wadi_vis_options *options, kinds *all,
                                     wadi_error *err) {
    const bool *has = u->head.has;
    if ((options->field != 0 && !has[WADI_UVFITS_SOURCE]) ||
        (options->setup != 0 && !has[WADI_UVFITS_SETUP])) {
        return wadi_fail(
            err, WADI_INVALID, "%s: its visibilities carry no number of a %s to choose", u->path,
            has[WADI_UVFITS_SOURCE] || options->field == 0 ? "frequency id" : "source");
    }
    WADI_TRY(find_kinds(u, all, err));
    if (has[WADI_UVFITS_SOURCE]) WADI_TRY(choose(u, all, true, options->field, &u->source, err));
    if (has[WADI_UVFITS_SETUP] && options->setup != 0)
        WADI_TRY(choose(u, all, false, options->setup, &u->setup, err));
    return WADI_OK;
}

static wadi_status select_groups(uvfits *u, const wadi_vis_options *options, wadi_error *err) {
    const wadi_uvfits_head *h = &u->head;
    u->base.info.rows = h->groups;
    u->source = h->field.n > 0 ? h->field.at[0].id : NO_ID;
    u->setup = h->setup.n > 0 ? h->setup.at[0].id : NO_ID;
    if (is_plain(u, options)) return WADI_OK;
    kinds all = {0};
    wadi_status status = find_chosen_kinds(u, options, &all, err);
    if (status == WADI_OK && h->has[WADI_UVFITS_SETUP] && options->setup == 0)
        status = choose(u, &all, false, 0, &u->setup, err);
    u->one_source = h->has[WADI_UVFITS_SOURCE];
    u->one_setup = h->has[WADI_UVFITS_SETUP];
    u->base.info.rows = 0;
    for (size_t i = 0; i < all.n; i++) u->base.info.rows += all.at[i].groups;
    wadi_vec_free(&all);
    return status;
}

static wadi_status list_setups(uvfits *u, const wadi_vis_options *options, wadi_vis_setup_list *out,
                               wadi_error *err) {
    wadi_vis_options one = *options;
    kinds all = {0};
    wadi_status status = WADI_OK;
    bool room = true;
    if (is_plain(u, options)) {
        room = wadi_vec_push(out, one);
    } else {
        status = find_chosen_kinds(u, options, &all, err);
        for (size_t i = 0; i < all.n && status == WADI_OK && room; i++) {
            if (is_repeated(&all, i, false)) continue;
            if (u->head.has[WADI_UVFITS_SETUP]) one.setup = all.at[i].setup + 1;
            room = wadi_vec_push(out, one);
        }
    }
    wadi_vec_free(&all);
    return room ? status : wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->path);
}

/* ---- properties of all rows ---- */

/* The entry of the selected source in the table of sources; NULL: none. */
static const wadi_uvfits_field *chosen_field(const uvfits *u) {
    const wadi_uvfits_head *h = &u->head;
    const wadi_uvfits_field *f = find_field(u, u->source);
    return f == NULL && h->field.n == 1 ? &h->field.at[0] : f;
}

/* The sum of the reference frequency, the offset of the IF (AIPS FQ), and the offset of the source (AIPS SU) if the array followed its
 * motion. */
static wadi_status find_frequencies(uvfits *u, wadi_error *err) {
    const wadi_uvfits_head *h = &u->head;
    const wadi_uvfits_setup *setup = find_setup(u, u->setup);
    if (setup == NULL && h->setup.n == 1) setup = &h->setup.at[0];
    if (setup == NULL && h->setup.n > 0) {
        return wadi_fail(err, WADI_IO, "%s: frequency id %d is not in the table AIPS FQ", u->path,
                         u->setup);
    }
    double *f = u->frequency;
    const wadi_uvfits_field *field = chosen_field(u);
    for (int64_t part = 0; part < h->part.n; part++) {
        const double offset = (setup != NULL ? setup->offset[part] : 0) +
                              (field != NULL && field->offset != NULL ? field->offset[part] : 0);
        double width = setup != NULL ? setup->width[part] : 0;
        if (width == 0) width = h->channel.step;
        for (int64_t c = 0; c < h->channel.n; c++, f++) {
            *f = h->channel.value + offset + ((double)(c + 1) - h->channel.pixel) * width;
            if (isfinite(*f) && *f > 0) continue;
            return wadi_fail(err, WADI_IO, "%s: channel %lld of IF %lld has the frequency %g Hz",
                             u->path, (long long)c + 1, (long long)part + 1, *f);
        }
        if (part == 0) u->base.info.channel_width = fabs(width);
        if (u->base.info.channel_width != fabs(width)) u->base.info.channel_width = 0;
    }
    return WADI_OK;
}

static wadi_status find_stokes(uvfits *u, wadi_error *err) {
    const wadi_uvfits_axis *a = &u->head.stokes;
    for (int64_t i = 0; i < a->n; i++) {
        const double code = a->value + ((double)(i + 1) - a->pixel) * a->step;
        const int rounded = as_id(code);
        if (rounded < WADI_STOKES_YX || rounded > WADI_STOKES_V || rounded == 0) {
            return wadi_fail(err, WADI_UNSUPPORTED, "%s: polarisation %lld has the code %g",
                             u->path, (long long)i + 1, code);
        }
        u->stokes[i] = rounded;
    }
    return WADI_OK;
}

static wadi_status describe(uvfits *u, wadi_error *err) {
    const wadi_uvfits_head *h = &u->head;
    wadi_vis_info *info = &u->base.info;
    info->channels = h->part.n * h->channel.n;
    info->pols = h->stokes.n;
    u->frequency = calloc((size_t)info->channels, sizeof *u->frequency);
    u->stokes = calloc((size_t)info->pols, sizeof *u->stokes);
    if (u->frequency == NULL || u->stokes == NULL)
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->path);
    info->frequency = u->frequency;
    info->stokes = u->stokes;
    WADI_TRY(find_frequencies(u, err));
    WADI_TRY(find_stokes(u, err));
    const wadi_uvfits_field *field = chosen_field(u);
    info->ra = field != NULL ? field->ra : h->ra;
    info->dec = field != NULL ? field->dec : h->dec;
    info->equinox = field != NULL ? field->equinox : h->equinox;
    info->object = field != NULL ? field->name : h->object;
    info->telescope = h->telescope;
    info->format = "UVFITS";
    return WADI_OK;
}

/* ---- open, close ---- */

static void close_file(wadi_vis *self) {
    uvfits *u = (uvfits *)self;
    if (u->fd >= 0) (void)close(u->fd);
    wadi_uvfits_head_fini(&u->head);
    free(u->frequency);
    free(u->stokes);
    free(u->block);
    free(u->values);
    free(u->path);
    free(u);
}

static const wadi_vis_ops ops = {read_rows, close_file};

static wadi_status prepare(uvfits *u, wadi_error *err) {
    const wadi_uvfits_head *h = &u->head;
    u->group_bytes = wadi_uvfits_group_bytes(h);
    u->fd = open(u->path, O_RDONLY | O_CLOEXEC);
    if (u->fd < 0) return wadi_fail_errno(err, errno, "%s", u->path);
    const int64_t fit = BLOCK_BYTES / u->group_bytes;
    u->block_room = fit < 1 ? 1 : fit;
    u->block = malloc((size_t)(u->block_room * u->group_bytes));
    u->values = malloc((size_t)(h->params + h->values) * sizeof *u->values);
    if (u->block == NULL || u->values == NULL)
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->path);
    return WADI_OK;
}

static wadi_status create(const char *path, uvfits **out, wadi_error *err) {
    uvfits *u = calloc(1, sizeof *u);
    if (u == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    u->base.ops = &ops;
    u->fd = -1;
    u->path = strdup(path);
    wadi_status status =
        u->path != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (status == WADI_OK) status = wadi_uvfits_head_read(path, &u->head, err);
    if (status == WADI_OK) status = prepare(u, err);
    if (status != WADI_OK) {
        close_file(&u->base);
        return status;
    }
    *out = u;
    return WADI_OK;
}

wadi_status wadi_cfitsio_vis_open(const char *path, const wadi_vis_options *options, wadi_vis **out,
                                  wadi_error *err) {
    uvfits *u = NULL;
    WADI_TRY(create(path, &u, err));
    wadi_status status = select_groups(u, options, err);
    if (status == WADI_OK) status = describe(u, err);
    if (status != WADI_OK) {
        close_file(&u->base);
        return status;
    }
    *out = &u->base;
    return WADI_OK;
}

wadi_status wadi_cfitsio_vis_setups(const char *path, const wadi_vis_options *options,
                                    wadi_vis_setup_list *out, wadi_error *err) {
    uvfits *u = NULL;
    WADI_TRY(create(path, &u, err));
    const wadi_status status = list_setups(u, options, out, err);
    close_file(&u->base);
    return status;
}
