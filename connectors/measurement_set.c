/* Measurement Sets, the folders of tables that CASA and its relatives keep visibilities in. casacore reads them (casacore_ms.h);
 * which rows are taken, and what becomes of them, is told here.
 *
 * The rows of one field and one spectral window are taken. Where there are several of either, one has to be asked for: their
 * channels or their phase centres differ. uvw is the first antenna's position minus the second's and the sign that of
 * V = I exp(+2 pi i (u l + v m + w (n - 1))), so uvw is negated (connectors/visibility.h). */
#include "connectors/visibility.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

#ifdef WADI_HAVE_CASACORE

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/text.h"
#include "connectors/casacore_ms.h"

enum { SCAN_ROWS = 65536, MAX_LISTED = 32 };

static const double SECONDS_A_DAY = 86400;
static const double TWO_PI = 6.283185307179586;
static const int64_t BLOCK_BYTES = 4 << 20;

/* casacore's tables are not made for several threads, not even tables of different sets. */
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

/* Rows that were read and not yet delivered. */
typedef struct block {
    int64_t room, first, n; /* rows first .. first + n - 1 of those taken */
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
    int32_t field;  /* the one taken */
    bool *is_taken; /* [descriptions] */
    double *frequency;
    int *stokes;
    int32_t *kind[2]; /* [SCAN_ROWS] data description and field, from row scan_first on */
    int64_t scan_first, scan_n;
    int64_t row, next; /* where in the set to look for row number `next` of those taken */
    block block;
} ms_vis;

static wadi_status fail(const ms_vis *m, const char *why, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s: %s", m->path, why);
}

static wadi_status no_memory(const ms_vis *m, wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->path);
}

/* ---- which rows there are ---- */

/* Makes the kinds of a row known. */
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

/* A short list of numbers, each once, and whether the one wanted was seen, listed or not. */
typedef struct seen {
    int32_t number[MAX_LISTED];
    int n, wanted; /* counted from 1; 0: the only one */
    bool found;
} seen;

static void see(seen *s, int32_t number) {
    s->found = s->found || number == s->wanted - 1;
    for (int i = 0; i < s->n; i++)
        if (s->number[i] == number) return;
    if (s->n < MAX_LISTED) s->number[s->n++] = number;
}

static wadi_status choose_one(const ms_vis *m, const char *what, const seen *s, int32_t *out,
                              wadi_error *err) {
    if (s->found || (s->wanted == 0 && s->n == 1)) {
        *out = s->found ? s->wanted - 1 : s->number[0];
        return WADI_OK;
    }
    wadi_text list = {0};
    for (int i = 0; i < s->n; i++)
        wadi_text_addf(&list, "%s%d", i > 0 ? ", " : "", (int)s->number[i]);
    if (s->n == MAX_LISTED) wadi_text_add(&list, ", ...");
    const wadi_status st =
        s->wanted == 0 ? wadi_fail(err, WADI_INVALID,
                                   "%s holds several %ss (%s): one of them has to be asked for",
                                   m->path, what, wadi_text_str(&list))
                       : wadi_fail(err, WADI_INVALID, "%s: no rows of %s %d; there are %s", m->path,
                                   what, s->wanted - 1, wadi_text_str(&list));
    wadi_text_fini(&list);
    return st;
}

static wadi_status choose_field(ms_vis *m, int wanted, wadi_error *err) {
    seen fields = {.wanted = wanted};
    for (int64_t r = 0; r < m->rows; r++) {
        WADI_TRY(scan(m, r, err));
        see(&fields, field_of(m, r));
        if (description_of(m, r) >= 0 && description_of(m, r) < m->descriptions) continue;
        return wadi_fail(err, WADI_IO, "%s: row %lld has data description %d of %d", m->path,
                         (long long)r, (int)description_of(m, r), (int)m->descriptions);
    }
    return choose_one(m, "field", &fields, &m->field, err);
}

/* Several data descriptions may share a window; their polarisations must then be the same. */
static wadi_status choose_setup(ms_vis *m, int wanted, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    seen windows = {.wanted = wanted};
    int32_t window = -1;
    for (int64_t r = 0; r < m->rows; r++) {
        WADI_TRY(scan(m, r, err));
        if (field_of(m, r) == m->field) m->is_taken[description_of(m, r)] = true;
    }
    for (int32_t d = 0; d < m->descriptions; d++) {
        wadi_ms_setup setup;
        if (!m->is_taken[d]) continue;
        if (!wadi_ms_look_setup(m->ms, d, &setup, why)) return fail(m, why, err);
        see(&windows, setup.window);
        m->is_taken[d] = wanted == 0 || setup.window == wanted - 1;
    }
    return choose_one(m, "spectral window", &windows, &window, err);
}

/* ---- what they hold ---- */

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

static bool is_same(const ms_vis *m, const wadi_ms_setup *s) {
    bool same = s->channels == m->base.info.channels && s->pols == m->base.info.pols;
    for (int64_t p = 0; same && p < s->pols; p++) same = stokes_of(s->codes[p]) == m->stokes[p];
    return same;
}

static wadi_status describe_setup(ms_vis *m, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    for (int32_t d = 0; d < m->descriptions; d++) {
        wadi_ms_setup setup;
        if (!m->is_taken[d]) continue;
        if (!wadi_ms_look_setup(m->ms, d, &setup, why)) return fail(m, why, err);
        if (m->stokes == NULL)
            WADI_TRY(keep_setup(m, &setup, err));
        else if (!is_same(m, &setup))
            return wadi_fail(err, WADI_UNSUPPORTED,
                             "%s: spectral window %d has rows of different polarisations", m->path,
                             (int)setup.window);
    }
    return WADI_OK;
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
    m->base.info.ra = field.ra < 0 ? field.ra + TWO_PI : field.ra; /* kept as -pi .. pi there */
    m->base.info.dec = field.dec;
    m->base.info.equinox = field.equinox;
    return WADI_OK;
}

/* Counts the rows taken and looks at the first. */
static wadi_status count_rows(ms_vis *m, const char *column, wadi_error *err) {
    char why[WADI_MS_WHY] = "";
    int64_t first = -1;
    m->base.info.rows = 0;
    for (int64_t r = 0; r < m->rows; r++) {
        WADI_TRY(scan(m, r, err));
        if (!takes(m, r)) continue;
        if (m->base.info.rows++ == 0) first = r;
    }
    if (first < 0) {
        return wadi_fail(err, WADI_INVALID, "%s: no rows of field %d", m->path, (int)m->field);
    }
    if (!wadi_ms_choose(m->ms, column, first, m->base.info.channels, m->base.info.pols, why)) {
        return wadi_fail(err, WADI_INVALID, "%s: %s", m->path, why);
    }
    return WADI_OK;
}

/* ---- reading ---- */

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
        return no_memory(m, err);
    }
    return WADI_OK;
}

static void free_block(block *b) {
    free(b->row);
    free(b->uvw);
    free(b->time);
    free(b->pair[0]);
    free(b->pair[1]);
    free(b->data);
    free(b->weight);
    free(b->flag);
}

/* The next rows that are taken, from m->next on. */
static wadi_status fill(ms_vis *m, wadi_error *err) {
    block *b = &m->block;
    char why[WADI_MS_WHY] = "";
    int64_t n = 0;
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

/* A flagged weight keeps its size and has the other sign. */
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
    if (st != WADI_OK) m->row = m->next = m->block.first = m->block.n = 0; /* begin again */
    (void)pthread_mutex_unlock(&alone);
    return st;
}

/* ---- life ---- */

static void destroy(ms_vis *m) {
    if (m->ms != NULL) wadi_ms_close(m->ms);
    free_block(&m->block);
    free(m->kind[0]);
    free(m->kind[1]);
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
    m->base.ops = &ms_ops;
    m->base.info = (wadi_vis_info){.format = "Measurement Set"};
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
    WADI_TRY(choose_field(m, options->field, err));
    WADI_TRY(choose_setup(m, options->setup, err));
    WADI_TRY(describe_setup(m, err));
    WADI_TRY(describe_field(m, err));
    WADI_TRY(count_rows(m, options->column != NULL ? options->column : "DATA", err));
    return make_room(m, err);
}

wadi_status wadi_vis_ms_open(const char *path, const wadi_vis_options *options, wadi_vis **out,
                             wadi_error *err) {
    ms_vis *m = calloc(1, sizeof *m);
    char *name = copy(path);
    if (m == NULL || name == NULL) {
        free(m);
        free(name);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    }
    m->path = name;
    (void)pthread_mutex_lock(&alone);
    const wadi_status st = open_ms(m, options, err);
    if (st != WADI_OK)
        destroy(m);
    else
        *out = &m->base;
    (void)pthread_mutex_unlock(&alone);
    return st;
}

#endif

/* ---- recognition ---- */

/* A table of casacore says what it is in a small file beside its data. */
bool wadi_vis_ms_recognises(const char *path, const unsigned char *head, size_t n) {
    char name[4096];
    char text[512] = "";
    struct stat about;
    WADI_UNUSED(n);
    if (head != NULL) return false;
    if (snprintf(name, sizeof name, "%s/table.dat", path) >= (int)sizeof name) return false;
    if (stat(name, &about) != 0) return false;
    if (snprintf(name, sizeof name, "%s/table.info", path) >= (int)sizeof name) return false;
    FILE *f = fopen(name, "rb");
    if (f == NULL) return true;
    const size_t got = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[got] = '\0';
    return strstr(text, "Measurement Set") != NULL;
}
