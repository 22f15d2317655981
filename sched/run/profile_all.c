/* Adding up the lines of many runs. Lines are the same if they name the same values at the same place of the same program, in the same schedule
 * and on the same device. */
#include "sched/run/profile_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sched/profile_table.h"
#include "sched/run/state.h"

/* The runs of one program. */
typedef struct gathered {
    char *program;
    int64_t runs;
    double elapsed;
    int threads;
    wadi_profile_rows rows;
    struct gathered *next;
} gathered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gathered *all; /* in the order in which they came */
static bool asked;

wadi_status wadi_profile_take(void *options, const char *value, wadi_error *err) {
    WADI_UNUSED(options);
    WADI_UNUSED(value);
    WADI_UNUSED(err);
    asked = true;
    return WADI_OK;
}

bool wadi_profile_is_asked(void) {
    return asked;
}

/* ---- adding ---- */

static void destroy(gathered *g) {
    if (g == NULL) return;
    wadi_arena_destroy(g->rows.arena);
    free(g->program);
    free(g);
}

/* NULL: out of memory. */
static gathered *of_program(const char *name) {
    gathered **at = &all;
    for (; *at != NULL; at = &(*at)->next)
        if (strcmp((*at)->program, name) == 0) return *at;
    gathered *g = calloc(1, sizeof *g);
    if (g == NULL) return NULL;
    g->program = strdup(name);
    g->rows.arena = wadi_arena_create();
    if (g->program == NULL || g->rows.arena == NULL) {
        destroy(g);
        return NULL;
    }
    *at = g;
    return g;
}

static bool is_same(const wadi_profile_row *a, const wadi_profile_row *b) {
    return a->kind == b->kind && a->phase == b->phase && a->stage == b->stage &&
           a->beside == b->beside && a->schedule == b->schedule && strcmp(a->name, b->name) == 0 &&
           strcmp(a->device, b->device) == 0;
}

static void add(wadi_profile_rows *rows, const wadi_profile_row *r) {
    for (int i = 0; i < rows->n; i++) {
        wadi_profile_row *sum = &rows->at[i];
        if (!is_same(sum, r)) continue;
        sum->calls += r->calls;
        sum->elements += r->elements;
        sum->bytes_read += r->bytes_read;
        sum->bytes_written += r->bytes_written;
        sum->operations_f32 += r->operations_f32;
        sum->operations_f64 += r->operations_f64;
        sum->seconds += r->seconds;
        sum->busy += r->busy;
        return;
    }
    wadi_profile_row own = *r;
    own.name = wadi_arena_strdup(rows->arena, r->name);
    own.device = wadi_arena_strdup(rows->arena, r->device);
    if (own.name != NULL && own.device != NULL) wadi_profile_add_row(rows, &own, NULL);
}

void wadi_profile_gather(wadi_run *run) {
    const wadi_profile_row *row = NULL;
    wadi_run_stats s = {0};
    int n = 0;
    if (wadi_run_profile(run, &row, &n, NULL) != WADI_OK) return;
    wadi_run_stats_get(run, &s);
    (void)pthread_mutex_lock(&lock);
    gathered *g = of_program(run->plan->name);
    for (int i = 0; i < n && g != NULL; i++) add(&g->rows, &row[i]);
    if (g != NULL) {
        g->runs++;
        g->elapsed += s.elapsed_s;
        g->threads = s.threads;
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- telling ---- */

static void tell(const gathered *g, FILE *out) {
    const wadi_profile_table t = {
        .row = g->rows.at, .n = g->rows.n, .elapsed = g->elapsed, .threads = g->threads};
    wadi_text text = {0};
    wadi_profile_table_print(&t, &text);
    fprintf(out, "program %s, %lld run%s\n%s\n", g->program, (long long)g->runs,
            g->runs == 1 ? "" : "s", wadi_text_str(&text));
    wadi_text_fini(&text);
}

void wadi_profile_tell(FILE *out) {
    (void)pthread_mutex_lock(&lock);
    gathered *first = all;
    all = NULL;
    (void)pthread_mutex_unlock(&lock);
    while (first != NULL) {
        gathered *next = first->next;
        tell(first, out);
        destroy(first);
        first = next;
    }
}
