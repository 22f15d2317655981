/* Visibilities from files: recognises the format by the contents of a file, and makes its rows a source.
 *
 * A format is one module, or one file of this folder, and one row of the table below. Rows pass in bulk: an element has a
 * fixed shape, so a format fills whole columns of a chunk at once. */
#include "connectors/visibility.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/loadable.h"
#include "base/sketch.h"
#include "base/text.h"
#include "sched/stream.h"

const wadi_vis_format wadi_vis_formats[] = {
    {"UVFITS", wadi_vis_fits_recognises, NULL, "cfitsio", false},
    {"uvh5", wadi_vis_uvh5_recognises, NULL, "hdf5", false},
    {"Measurement Set", wadi_vis_ms_recognises, NULL, "casacore", true},
    {"text", wadi_vis_text_recognises, &wadi_vis_text, NULL, false},
    {0},
};

/* ---- open ---- */

enum { HEAD_BYTES = 4096 };

/* Whether the path is a folder; if not, reads the first bytes of the file. */
static wadi_status look(const char *path, unsigned char *head, size_t *out_n, bool *out_is_folder,
                        wadi_error *err) {
    struct stat about;
    *out_n = 0;
    if (wadi_io_stat(path, &about) != 0) return wadi_fail_errno(err, errno, "%s", path);
    *out_is_folder = S_ISDIR(about.st_mode);
    if (*out_is_folder) return WADI_OK;
    const int fd = wadi_io_open(path);
    bool failed = false;
    if (fd < 0) return wadi_fail_errno(err, errno, "%s", path);
    *out_n = wadi_io_read_full(fd, head, HEAD_BYTES, path, &failed);
    const int why = errno;
    (void)close(fd);
    return failed ? wadi_fail_errno(err, why, "%s: cannot be read", path) : WADI_OK;
}

static wadi_status unknown(const char *path, const unsigned char *head, size_t n, wadi_error *err) {
    const bool is_packed = n > 1 && head[0] == 0x1f && head[1] == 0x8b;
    wadi_text names = {0};
    for (const wadi_vis_format *f = wadi_vis_formats; f->name != NULL; f++)
        wadi_text_addf(&names, "%s%s", f == wadi_vis_formats ? "" : ", ", f->name);
    const wadi_status status = wadi_fail(
        err, WADI_UNSUPPORTED, "%s: has none of the formats of visibilities that wadi knows (%s)%s",
        path, wadi_text_str(&names), is_packed ? "; it is compressed: decompress it first" : "");
    wadi_text_fini(&names);
    return status;
}

static wadi_status ops_of(const wadi_vis_format *f, const char *path,
                          const wadi_vis_format_ops **out, wadi_error *err) {
    const void *offer = f->ops;
    wadi_error why = {0};
    const wadi_status st =
        offer != NULL ? WADI_OK : wadi_loadable_get(f->module, "visibilities", &offer, &why);
    if (st != WADI_OK) return wadi_fail(err, st, "%.100s is %s: %.380s", path, f->name, why.msg);
    *out = offer;
    return WADI_OK;
}

static wadi_status find_format(const char *path, const wadi_vis_options *options,
                               const wadi_vis_format_ops **out, wadi_error *err) {
    unsigned char head[HEAD_BYTES];
    size_t n = 0;
    bool is_folder = false;
    WADI_TRY(look(path, head, &n, &is_folder, err));
    if (options->field < 0 || options->setup < 0 || options->products < 0) {
        return wadi_fail(err, WADI_INVALID, "%s: field %d, setup %d: numbers are not negative",
                         path, options->field - 1, options->setup - 1);
    }
    const wadi_vis_format *f = wadi_vis_formats;
    while (f->name != NULL && !f->recognises(path, is_folder ? NULL : head, n)) f++;
    if (f->name == NULL) return unknown(path, head, n, err);
    if (options->column != NULL && !f->columns)
        return wadi_fail(err, WADI_INVALID, "%s: column %s: %s has no columns to choose from", path,
                         options->column, f->name);
    return ops_of(f, path, out, err);
}

static const wadi_vis_options whole = {0};

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "visibilities: out of memory");
}

/* For whoever asks what was opened. */
static wadi_status note_origin(wadi_vis *v, const char *path, const wadi_vis_options *o,
                               wadi_error *err) {
    wadi_text selected = {0};
    wadi_text_addf(&selected, "%d %d %d %s %d ", o->field, o->setup, o->products,
                   o->column != NULL ? o->column : "-", o->conjugate);
    v->path = strdup(path);
    v->selected = wadi_text_take(&selected);
    if (v->path != NULL && v->selected != NULL) return WADI_OK;
    wadi_vis_close(v);
    return no_memory(err);
}

wadi_status wadi_vis_open(const char *path, const wadi_vis_options *options, wadi_vis **out,
                          wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out);
    const wadi_vis_format_ops *f = NULL;
    if (options == NULL) options = &whole;
    WADI_TRY(find_format(path, options, &f, err));
    WADI_TRY(f->open(path, options, out, err));
    (*out)->conjugate = options->conjugate;
    return note_origin(*out, path, options, err);
}

static int compare_setups(const void *a, const void *b) {
    const wadi_vis_options *x = a, *y = b;
    if (x->setup != y->setup) return x->setup < y->setup ? -1 : 1;
    return x->products < y->products ? -1 : x->products > y->products;
}

wadi_status wadi_vis_setups(const char *path, const wadi_vis_options *options,
                            wadi_vis_options **out, size_t *out_n, wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out);
    WADI_GIVEN(err, out_n);
    const wadi_vis_format_ops *f = NULL;
    wadi_vis_setup_list list = {0};
    if (options == NULL) options = &whole;
    WADI_TRY(find_format(path, options, &f, err));
    wadi_status status = WADI_OK;
    if (f->setups != NULL)
        status = f->setups(path, options, &list, err);
    else if (!wadi_vec_push(&list, *options))
        status = wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (status != WADI_OK) {
        wadi_vec_free(&list);
        return status;
    }
    qsort(list.at, list.n, sizeof *list.at, compare_setups);
    *out = list.at;
    *out_n = list.n;
    return WADI_OK;
}

void wadi_vis_close(wadi_vis *v) {
    if (v == NULL) return;
    free(v->path);
    free(v->selected);
    v->ops->close(v);
}

const wadi_vis_info *wadi_vis_about(const wadi_vis *v) {
    return v != NULL ? &v->info : NULL;
}

/* ---- source ---- */

typedef struct rows_source {
    wadi_source base;
    wadi_vis *vis;
    int64_t at; /* rows delivered */
} rows_source;

static void destroy(wadi_source *self) {
    ((rows_source *)self)->vis->streaming = false;
    free(self);
}

static void conjugate(double *data, int64_t n) {
    for (int64_t i = 0; i < n; i++) data[2 * i + 1] = -data[2 * i + 1];
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    rows_source *s = (rows_source *)self;
    wadi_array columns[WADI_VIS_PARTS];
    int64_t n = 0;
    k = wadi_builder_fit(b, k);
    WADI_TRY(wadi_builder_bulk(b, k, columns, err));
    const wadi_vis_rows rows = {.uvw = columns[WADI_VIS_UVW].column[0],
                                .pair = columns[WADI_VIS_PAIR].column[0],
                                .time = columns[WADI_VIS_TIME].column[0],
                                .data = columns[WADI_VIS_DATA].column[0],
                                .weight = columns[WADI_VIS_WEIGHT].column[0]};
    s->vis->wake_fd = self->wake_fd;
    const wadi_status status = s->vis->ops->read(s->vis, s->at, k, &rows, &n, err);
    WADI_ASSERT(n >= 0 && n <= k);
    if (s->vis->conjugate) conjugate(rows.data, n * s->vis->info.channels * s->vis->info.pols);
    wadi_builder_keep(b, n);
    s->at += n;
    return status;
}

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_position){.element = ((const rows_source *)self)->at};
    return WADI_OK;
}

/* Whether there is a row of this number, where reading it is the only way to know. */
static wadi_status find_row(wadi_vis *v, int64_t row, bool *out, wadi_error *err) {
    const int64_t cells = v->info.channels * v->info.pols;
    double uvw[3], time;
    int32_t pair[2];
    int64_t n = 0;
    wadi_vis_rows one = {.uvw = uvw, .pair = pair, .time = &time};
    one.data = calloc((size_t)cells, 2 * sizeof *one.data);
    one.weight = calloc((size_t)cells, sizeof *one.weight);
    const wadi_status status = one.data != NULL && one.weight != NULL
                                   ? v->ops->read(v, row, 1, &one, &n, err)
                                   : no_memory(err);
    free(one.data);
    free(one.weight);
    *out = n == 1;
    return status;
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    rows_source *s = (rows_source *)self;
    const int64_t rows = s->vis->info.rows;
    bool found = true;
    if (s->vis->passes)
        return wadi_fail(err, WADI_UNSUPPORTED, "visibilities: rows that pass only once");
    WADI_TRY(wadi_position_check(to, rows >= 0 ? rows : INT64_MAX, self->kind, err));
    if (rows < 0 && to.element > 0) WADI_TRY(find_row(s->vis, to.element - 1, &found, err));
    if (!found)
        return wadi_fail(err, WADI_INVALID, "%s source: no position (%lld, %lld); it ends before",
                         self->kind, (long long)to.element, (long long)to.mark);
    s->at = to.element;
    return WADI_OK;
}

/* Of a folder, only what is known of all rows. */
static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const wadi_vis *v = ((const rows_source *)self)->vis;
    const wadi_vis_info *about = &v->info;
    struct stat there;
    wadi_text_addf(out, "%s %lld %a %a %a %a ", about->format, (long long)about->rows, about->ra,
                   about->dec, about->longest, about->shortest);
    for (int64_t c = 0; c < about->channels; c++) wadi_text_addf(out, "%a ", about->frequency[c]);
    for (int64_t p = 0; p < about->pols; p++) wadi_text_addf(out, "%d ", about->stokes[p]);
    wadi_text_add(out, v->selected != NULL ? v->selected : "");
    const bool is_file = v->path != NULL && stat(v->path, &there) == 0 && S_ISREG(there.st_mode);
    return is_file ? wadi_sketch_file(v->path, out, err) : WADI_OK;
}

static const wadi_source_ops source_ops = {
    .destroy = destroy, .next = next, .tell = tell, .seek = seek, .describe = describe};

wadi_status wadi_vis_source(wadi_vis *v, wadi_source **out, wadi_error *err) {
    WADI_GIVEN(err, v);
    WADI_GIVEN(err, out);
    if (v->streaming) return wadi_fail(err, WADI_INVALID, "visibilities: one source at a time");
    rows_source *s = calloc(1, sizeof *s);
    if (s == NULL) return no_memory(err);
    const int64_t three = 3;
    const int64_t two = 2;
    const int64_t cell[2] = {v->info.channels, v->info.pols};
    s->base = (wadi_source){
        .ops = &source_ops, .kind = "visibilities", .wake_fd = -1, .parts = WADI_VIS_PARTS};
    s->base.part[WADI_VIS_UVW] = wadi_part_fixed(WADI_F64, 1, &three);
    s->base.part[WADI_VIS_PAIR] = wadi_part_fixed(WADI_I32, 1, &two);
    s->base.part[WADI_VIS_TIME] = wadi_part_fixed(WADI_F64, 0, NULL);
    s->base.part[WADI_VIS_DATA] = wadi_part_fixed(WADI_C128, 2, cell);
    s->base.part[WADI_VIS_WEIGHT] = wadi_part_fixed(WADI_F32, 2, cell);
    s->vis = v;
    s->base.total = v->info.rows;
    v->streaming = true;
    *out = &s->base;
    return WADI_OK;
}
