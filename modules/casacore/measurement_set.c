/* Measurement Sets, the folders of tables in which CASA and related programs keep visibilities. casacore reads the tables
 * (casacore_ms.h); this file selects the rows and converts them.
 *
 * It takes the rows of one field, one spectral window and one set of polarisations. If there are several of any of these, one
 * must be selected, because their phase centres, channels or products differ. uvw is the first antenna's position minus the
 * second's, with the sign of V = I exp(+2 pi i (u l + v m + w (n - 1))), so uvw is negated (connectors/visibility.h). */
#include "connectors/visibility.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/loadable_face.h"
#include "base/text.h"
#include "base/vec.h"
#include "modules/casacore/casacore_ms.h"

enum { SCAN_ROWS = 65536, MAX_LISTED = 32 };

static const double SECONDS_A_DAY = 86400;
static const double TWO_PI = 6.283185307179586;
static const int64_t BLOCK_BYTES = 4 << 20;

/* Several threads must not use casacore's tables at once, not even tables of different sets. */
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

/* Rows of one field and one data description. */
typedef struct kind {
    int32_t field, description;
    int32_t window, products; /* of the description */
    int64_t rows, first;
} kind;

typedef WADI_VEC(kind) kinds;

/* Rows that were read, but not yet delivered. */
typedef struct block {
    int64_t room, first, n; /* rows first .. first + n - 1 of the selected rows */
    int64_t *row;           /* their numbers in the set */
    double *uvw, *time, *data;
    int32_t *pair[2];
    float *weight;
    bool *flag;
} block;

typedef struct ms_vis {
    wadi_vis base;
    char *path, *object, *telescope;
    wadi_ms *ms;
    int64_t rows; /* in the set */
    int32_t descriptions;
    int32_t field;  /* the selected one */
    bool *is_taken; /* [descriptions] */
    double *frequency;
    int *stokes;
    kinds all;        /* the kinds of all rows; after the selection only the selected ones */
    int32_t *kind[2]; /* [SCAN_ROWS] data description and field, from row scan_first on */
    int64_t scan_first, scan_n;
    int64_t row, next; /* where in the set to look for row number `next` of the selected rows */
    block block;
} ms_vis;

static wadi_status fail(const ms_vis *m, const char *why, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s: %s", m->path, why);
}

static wadi_status no_memory(const ms_vis *m, wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->path);
}

/* ---- the kinds of rows ---- */

/* Adds the kind of a row to the list. */
static wadi_status scan(ms_vis *m, int64_t row, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    if (row >= m->scan_first && row < m->scan_first + m->scan_n) return WADI_OK;
    m->scan_first = row;
    m->scan_n = m->rows - row < SCAN_ROWS ? m->rows - row : SCAN_ROWS;
    if (wadi_ms_kinds(m->ms, row, m->scan_n, m->kind[0], m->kind[1], why)) return WADI_OK;
    m->scan_n = 0;
    return fail(m, why, err);
}

static int32_t description_of(const ms_vis *m, int64_t row) {
    return m->kind[0][row - m->scan_first];
}

static int32_t field_of(const ms_vis *m, int64_t row) {
    return m->kind[1][row - m->scan_first];
}

static bool takes(const ms_vis *m, int64_t row) {
    return field_of(m, row) == m->field && m->is_taken[description_of(m, row)];
}

/* Kinds come in runs or in turns, so this first tries the kind of the row before, and then the kind after that one. */
static wadi_status count_row(ms_vis *m, int64_t row, size_t *at, wadi_error *err) {
    const int32_t field = field_of(m, row);
    const int32_t description = description_of(m, row);
    for (size_t i = 0; i < m->all.n; i++, *at = (*at + 1) % m->all.n) {
        kind *k = &m->all.at[*at];
        if (k->field != field || k->description != description) continue;
        k->rows++;
        return WADI_OK;
    }
    if (description < 0 || description >= m->descriptions) {
        return wadi_fail(err, WADI_IO, "%s: row %lld has data description %d of %d", m->path,
                         (long long)row, (int)description, (int)m->descriptions);
    }
    *at = m->all.n;
    const kind new = {.field = field, .description = description, .rows = 1, .first = row};
    return wadi_vec_push(&m->all, new) ? WADI_OK : no_memory(m, err);
}

static int compare_kinds(const void *a, const void *b) {
    const kind *x = a, *y = b;
    if (x->field != y->field) return x->field < y->field ? -1 : 1;
    return x->description < y->description ? -1 : x->description > y->description;
}

static wadi_status find_kinds(ms_vis *m, wadi_error *err) {
    size_t at = 0;
    for (int64_t r = 0; r < m->rows; r++) {
        WADI_TRY(scan(m, r, err));
        WADI_TRY(count_row(m, r, &at, err));
    }
    qsort(m->all.at, m->all.n, sizeof *m->all.at, compare_kinds);
    return WADI_OK;
}

static wadi_status find_windows(ms_vis *m, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    for (size_t i = 0; i < m->all.n; i++) {
        kind *k = &m->all.at[i];
        wadi_ms_setup setup;
        if (!wadi_ms_look_setup(m->ms, k->description, &setup, why)) return fail(m, why, err);
        k->window = setup.window;
        k->products = setup.products;
    }
    return WADI_OK;
}

/* The numbers in which kinds of rows differ. */
typedef enum number { FIELD, WINDOW, PRODUCTS } number;
static const char *const number_name[] = {"field", "spectral window", "set of polarisations"};
static const char *const numbers_name[] = {"fields", "spectral windows", "sets of polarisations"};

static int32_t number_of(const kind *k, number which) {
    return which == FIELD ? k->field : which == WINDOW ? k->window : k->products;
}

static bool is_repeated(const ms_vis *m, size_t i, number which) {
    for (size_t j = i; j-- > 0;) /* they are sorted: most are next to each other */
        if (number_of(&m->all.at[j], which) == number_of(&m->all.at[i], which)) return true;
    return false;
}

/* Writes the numbers as "0, 3"; returns how many there are. */
static int list(const ms_vis *m, number which, wadi_text *out) {
    int n = 0;
    for (size_t i = 0; i < m->all.n; i++) {
        if (is_repeated(m, i, which) || n++ >= MAX_LISTED) continue;
        wadi_text_addf(out, "%s%d", n > 1 ? ", " : "", (int)number_of(&m->all.at[i], which));
    }
    if (n > MAX_LISTED) wadi_text_add(out, ", ...");
    return n;
}

/* Keeps only the kinds with the number asked for, counted from 1. */
static wadi_status keep_one(ms_vis *m, number which, int asked, wadi_error *err) {
    wadi_text numbers = {0};
    size_t kept = 0;
    (void)list(m, which, &numbers);
    for (size_t i = 0; i < m->all.n; i++)
        if (number_of(&m->all.at[i], which) == asked - 1) m->all.at[kept++] = m->all.at[i];
    const wadi_status status =
        kept > 0 ? WADI_OK
                 : wadi_fail(err, WADI_INVALID, "%s: no rows of %s %d; there are %s", m->path,
                             number_name[which], asked - 1, wadi_text_str(&numbers));
    m->all.n = kept;
    wadi_text_fini(&numbers);
    return status;
}

/* Fails unless all kinds have the same number. */
static wadi_status expect_one(const ms_vis *m, number which, wadi_error *err) {
    wadi_text numbers = {0};
    const bool is_one = list(m, which, &numbers) == 1;
    const wadi_status status =
        is_one ? WADI_OK
               : wadi_fail(err, WADI_INVALID,
                           "%s holds several %s (%s): one of them has to be asked for", m->path,
                           numbers_name[which], wadi_text_str(&numbers));
    wadi_text_fini(&numbers);
    return status;
}

/* Selects the kinds that are asked for: one field, and perhaps several setups. */
static wadi_status choose_kinds(ms_vis *m, const wadi_vis_options *options, wadi_error *err) {
    WADI_TRY(find_kinds(m, err));
    if (options->field != 0) WADI_TRY(keep_one(m, FIELD, options->field, err));
    WADI_TRY(expect_one(m, FIELD, err));
    m->field = m->all.at[0].field;
    WADI_TRY(find_windows(m, err));
    if (options->setup != 0) WADI_TRY(keep_one(m, WINDOW, options->setup, err));
    if (options->products != 0) WADI_TRY(keep_one(m, PRODUCTS, options->products, err));
    return WADI_OK;
}

/* The one setup that is left. */
static wadi_status take_setup(ms_vis *m, wadi_error *err) {
    WADI_TRY(expect_one(m, WINDOW, err));
    WADI_TRY(expect_one(m, PRODUCTS, err));
    for (size_t i = 0; i < m->all.n; i++) m->is_taken[m->all.at[i].description] = true;
    return WADI_OK;
}

/* ---- products and channels ---- */

/* casacore's Stokes codes, those of circular and of linear feeds in groups of four: RR RL LR LL, XX XY YX YY. */
static int stokes_of(int32_t code) {
    static const int stokes[] = {
        0,
        WADI_STOKES_I,
        WADI_STOKES_Q,
        WADI_STOKES_U,
        WADI_STOKES_V,
        WADI_STOKES_RR,
        WADI_STOKES_RL,
        WADI_STOKES_LR,
        WADI_STOKES_LL,
        WADI_STOKES_XX,
        WADI_STOKES_XY,
        WADI_STOKES_YX,
        WADI_STOKES_YY,
    };
    return code >= 1 && code < (int32_t)(sizeof stokes / sizeof stokes[0]) ? stokes[code] : 0;
}

static wadi_status keep_setup(ms_vis *m, const wadi_ms_setup *s, wadi_error *err) {
    wadi_vis_info *info = &m->base.info;
    if (s->channels < 1 || s->pols < 1) {
        return wadi_fail(err, WADI_INVALID, "%s: spectral window %d has no channels", m->path,
                         (int)s->window);
    }
    m->frequency = calloc((size_t)s->channels, sizeof *m->frequency);
    m->stokes = calloc((size_t)s->pols, sizeof *m->stokes);
    if (m->frequency == NULL || m->stokes == NULL) return no_memory(m, err);
    memcpy(m->frequency, s->frequency, (size_t)s->channels * sizeof *m->frequency);
    for (int64_t p = 0; p < s->pols; p++) {
        m->stokes[p] = stokes_of(s->codes[p]);
        if (m->stokes[p] != 0) continue;
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: polarisation %d (casacore's number) is none of I Q U V, RR RL LR LL "
                         "and XX XY YX YY",
                         m->path, (int)s->codes[p]);
    }
    info->channels = s->channels;
    info->pols = s->pols;
    info->frequency = m->frequency;
    info->stokes = m->stokes;
    info->channel_width = s->width;
    return WADI_OK;
}

/* Descriptions with the same window and the same set of polarisations are equal. */
static wadi_status describe_setup(ms_vis *m, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    wadi_ms_setup setup;
    if (!wadi_ms_look_setup(m->ms, m->all.at[0].description, &setup, why)) return fail(m, why, err);
    return keep_setup(m, &setup, err);
}

static char *copy(const char *text) {
    char *to = malloc(strlen(text) + 1);
    return to != NULL ? strcpy(to, text) : NULL;
}

static wadi_status describe_field(ms_vis *m, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    wadi_ms_field field;
    if (!wadi_ms_look_field(m->ms, m->field, &field, why)) return fail(m, why, err);
    m->object = copy(field.name);
    m->telescope = copy(wadi_ms_telescope(m->ms));
    if (m->object == NULL || m->telescope == NULL) return no_memory(m, err);
    m->base.info.object = m->object;
    m->base.info.telescope = m->telescope;
    m->base.info.ra = field.ra < 0 ? field.ra + TWO_PI : field.ra; /* casacore has -pi .. pi */
    m->base.info.dec = field.dec;
    m->base.info.equinox = field.equinox;
    return WADI_OK;
}

/* Counts the selected rows, and looks at the first. */
static wadi_status count_rows(ms_vis *m, const char *column, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    int64_t first = m->rows;
    m->base.info.rows = 0;
    for (size_t i = 0; i < m->all.n; i++) {
        m->base.info.rows += m->all.at[i].rows;
        if (m->all.at[i].first < first) first = m->all.at[i].first;
    }
    if (!wadi_ms_choose(m->ms, column, first, m->base.info.channels, m->base.info.pols, why)) {
        return wadi_fail(err, WADI_INVALID, "%s: %s", m->path, why);
    }
    return WADI_OK;
}

/* ---- reading ---- */

static void free_block(block *b) {
    free(b->row);
    free(b->uvw);
    free(b->time);
    free(b->pair[0]);
    free(b->pair[1]);
    free(b->data);
    free(b->weight);
    free(b->flag);
    *b = (block){0};
}

/* A block exists only while rows are read, because one image may be made of many windows, each of which is an open set. */
static wadi_status make_room(ms_vis *m, wadi_error *err) {
    block *b = &m->block;
    const int64_t cells = m->base.info.channels * m->base.info.pols;
    b->room = BLOCK_BYTES / (cells * 21 + 48);
    if (b->room < 1) b->room = 1;
    const size_t n = (size_t)b->room, all = n * (size_t)cells;
    b->row = calloc(n, sizeof *b->row);
    b->uvw = calloc(n, 3 * sizeof *b->uvw);
    b->time = calloc(n, sizeof *b->time);
    for (int i = 0; i < 2; i++) b->pair[i] = calloc(n, sizeof *b->pair[i]);
    b->data = calloc(all, 2 * sizeof *b->data);
    b->weight = calloc(all, sizeof *b->weight);
    b->flag = calloc(all, sizeof *b->flag);
    if (b->row == NULL || b->uvw == NULL || b->time == NULL || b->pair[0] == NULL ||
        b->pair[1] == NULL || b->data == NULL || b->weight == NULL || b->flag == NULL) {
        free_block(b);
        return no_memory(m, err);
    }
    return WADI_OK;
}

/* Reads the next selected rows, from m->next on. */
static wadi_status fill(ms_vis *m, wadi_error *err) {
    block *b = &m->block;
    char why[WADI_MS_WHY] = "";
    int64_t n = 0;
    if (b->room == 0) WADI_TRY(make_room(m, err));
    b->first = m->next;
    b->n = 0;
    for (; n < b->room && m->row < m->rows; m->row++) {
        WADI_TRY(scan(m, m->row, err));
        if (takes(m, m->row)) b->row[n++] = m->row;
    }
    m->next += n;
    if (n == 0) return WADI_OK;
    const wadi_ms_rows to = {.uvw = b->uvw,
                             .first = b->pair[0],
                             .second = b->pair[1],
                             .time = b->time,
                             .data = b->data,
                             .weight = b->weight,
                             .flag = b->flag};
    if (!wadi_ms_read(m->ms, b->row, n, &to, why)) {
        return wadi_fail(err, WADI_IO, "%s: rows %lld to %lld: %s", m->path, (long long)b->row[0],
                         (long long)b->row[n - 1], why);
    }
    b->n = n;
    return WADI_OK;
}

/* The weight of a flagged visibility gets a negative sign. */
static void put(const ms_vis *m, int64_t from, int64_t k, const wadi_vis_rows *rows) {
    const block *b = &m->block;
    const int64_t cells = m->base.info.channels * m->base.info.pols;
    for (int i = 0; i < 3; i++) rows->uvw[3 * k + i] = -b->uvw[3 * from + i];
    for (int i = 0; i < 2; i++) rows->pair[2 * k + i] = b->pair[i][from];
    rows->time[k] = b->time[from] / SECONDS_A_DAY;
    memcpy(rows->data + 2 * cells * k, b->data + 2 * cells * from,
           (size_t)cells * 2 * sizeof *rows->data);
    for (int64_t i = 0; i < cells; i++) {
        const float w = b->weight[cells * from + i];
        rows->weight[cells * k + i] = b->flag[cells * from + i] ? -fabsf(w) : w;
    }
}

static wadi_status read_some(ms_vis *m, int64_t first, int64_t k, const wadi_vis_rows *rows,
                             int64_t *out_n, wadi_error *err) {
    const block *b = &m->block;
    if (first < b->first) {
        m->row = m->next = 0;
        WADI_TRY(fill(m, err));
    }
    while (*out_n < k) {
        const int64_t at = first + *out_n - b->first;
        if (at >= b->n) {
            WADI_TRY(fill(m, err));
            if (b->n == 0) break;
            continue;
        }
        put(m, at, (*out_n)++, rows);
    }
    return WADI_OK;
}

static wadi_status read_rows(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                             int64_t *out_n, wadi_error *err) {
    ms_vis *m = (ms_vis *)self;
    *out_n = 0;
    (void)pthread_mutex_lock(&alone);
    const wadi_status st = read_some(m, first, k, rows, out_n, err);
    if (st != WADI_OK || *out_n == 0) { /* the next read begins again */
        m->row = m->next = 0;
        free_block(&m->block);
    }
    (void)pthread_mutex_unlock(&alone);
    return st;
}

/* ---- life ---- */

static void destroy(ms_vis *m) {
    if (m->ms != NULL) wadi_ms_close(m->ms);
    free_block(&m->block);
    free(m->kind[0]);
    free(m->kind[1]);
    wadi_vec_free(&m->all);
    free(m->is_taken);
    free(m->frequency);
    free(m->stokes);
    free(m->object);
    free(m->telescope);
    free(m->path);
    free(m);
}

static void close_ms(wadi_vis *self) {
    (void)pthread_mutex_lock(&alone);
    destroy((ms_vis *)self);
    (void)pthread_mutex_unlock(&alone);
}

static const wadi_vis_ops ms_ops = {read_rows, close_ms};

static wadi_status open_ms(ms_vis *m, const wadi_vis_options *options, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    if (!wadi_ms_open(m->path, &m->ms, why)) return fail(m, why, err);
    m->rows = wadi_ms_count(m->ms);
    m->descriptions = wadi_ms_descriptions(m->ms);
    if (m->rows == 0 || m->descriptions == 0) {
        return wadi_fail(err, WADI_INVALID, "%s: no visibilities in it (%lld rows)", m->path,
                         (long long)m->rows);
    }
    m->is_taken = calloc((size_t)m->descriptions, sizeof *m->is_taken);
    for (int i = 0; i < 2; i++) m->kind[i] = calloc(SCAN_ROWS, sizeof *m->kind[i]);
    if (m->is_taken == NULL || m->kind[0] == NULL || m->kind[1] == NULL) return no_memory(m, err);
    return choose_kinds(m, options, err);
}

static wadi_status describe(ms_vis *m, const wadi_vis_options *options, wadi_error *err) {
    WADI_TRY(take_setup(m, err));
    WADI_TRY(describe_setup(m, err));
    WADI_TRY(describe_field(m, err));
    return count_rows(m, options->column != NULL ? options->column : "DATA", err);
}

static wadi_status create(const char *path, ms_vis **out, wadi_error *err) {
    ms_vis *m = calloc(1, sizeof *m);
    char *name = copy(path);
    if (m == NULL || name == NULL) {
        free(m);
        free(name);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    }
    m->path = name;
    m->base.ops = &ms_ops;
    m->base.info = (wadi_vis_info){.format = "Measurement Set"};
    *out = m;
    return WADI_OK;
}

static wadi_status open_rows(const char *path, const wadi_vis_options *options, wadi_vis **out,
                             wadi_error *err) {
    ms_vis *m = NULL;
    WADI_TRY(create(path, &m, err));
    (void)pthread_mutex_lock(&alone);
    wadi_status st = open_ms(m, options, err);
    if (st == WADI_OK) st = describe(m, options, err);
    if (st != WADI_OK)
        destroy(m);
    else
        *out = &m->base;
    (void)pthread_mutex_unlock(&alone);
    return st;
}

/* Whether an earlier kind opens with the same options. */
static bool is_listed(const ms_vis *m, size_t i) {
    const kind *k = &m->all.at[i];
    for (size_t j = 0; j < i; j++)
        if (m->all.at[j].window == k->window && m->all.at[j].products == k->products) return true;
    return false;
}

static wadi_status list_setups(const char *path, const wadi_vis_options *options,
                               wadi_vis_setup_list *out, wadi_error *err) {
    ms_vis *m = NULL;
    wadi_vis_options one = *options;
    WADI_TRY(create(path, &m, err));
    (void)pthread_mutex_lock(&alone);
    wadi_status st = open_ms(m, options, err);
    for (size_t i = 0; i < m->all.n && st == WADI_OK; i++) {
        if (is_listed(m, i)) continue;
        one.setup = m->all.at[i].window + 1;
        one.products = m->all.at[i].products + 1;
        if (!wadi_vec_push(out, one)) st = no_memory(m, err);
    }
    destroy(m);
    (void)pthread_mutex_unlock(&alone);
    return st;
}

static const wadi_vis_format_ops visibilities = {open_rows, list_setups};
static const wadi_loadable_offer offers[] = {{"visibilities", &visibilities}, {0}};

WADI_LOADABLE("LGPL-2.0-or-later", wadi_ms_library, offers);
