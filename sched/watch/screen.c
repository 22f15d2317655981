/* Lines of a fixed order: the run, its memory and chunks, a table of the stages with the links in front of them, who waits, why. Lines are cut at
 * the width of the terminal, and the table at its height. */
#include "sched/watch/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "sched/watch/why.h"
#include "sched/watch/words.h"

const char *const wadi_watch_sorts[] = {"plan", "elements", "bytes", "fill", "busy", NULL};

int wadi_watch_find_sort(const char *name) {
    for (int i = 0; wadi_watch_sorts[i] != NULL; i++)
        if (strcmp(name, wadi_watch_sorts[i]) == 0) return i;
    return -1;
}

enum { BAR = 10, SPARKS = 24, AROUND = 9 /* lines beside the table and the waits */ };

typedef struct drawing {
    const wadi_view *v;
    const wadi_watch_pace *p;
    const wadi_watch_screen *o;
    wadi_text *out, line;
} drawing;

/* ---- lines ---- */

/* Ends the line, cut to the width. */
static void end_line(drawing *d) {
    const char *s = wadi_text_str(&d->line);
    int shown = 0;
    size_t n = 0;
    for (; s[n] != '\0'; n++) {
        const bool begins = ((unsigned char)s[n] & 0xc0) != 0x80;
        if (begins && shown == d->o->width) break;
        shown += begins;
    }
    wadi_text_add_n(d->out, s, n);
    wadi_text_add(d->out, "\n");
    d->out->failed = d->out->failed || d->line.failed;
    wadi_text_clear(&d->line);
}

/* A text in a column of so many characters. */
static void put_cell(drawing *d, const char *s, int width, bool right) {
    wadi_text plain = {0};
    int n = 0;
    size_t end = 0;
    wadi_watch_plain(&plain, s);
    const char *at = wadi_text_str(&plain);
    for (; at[end] != '\0'; end++) {
        const bool begins = ((unsigned char)at[end] & 0xc0) != 0x80;
        if (begins && n == width) break;
        n += begins;
    }
    for (int i = n; right && i < width; i++) wadi_text_add(&d->line, " ");
    wadi_text_add_n(&d->line, at, end);
    for (int i = n; !right && i < width; i++) wadi_text_add(&d->line, " ");
    wadi_text_add(&d->line, " ");
    wadi_text_fini(&plain);
}

static void put_bar(drawing *d, double share) {
    const int full = share >= 1 ? BAR : share > 0 ? (int)(share * BAR + 0.5) : 0;
    wadi_text_add(&d->line, "[");
    for (int i = 0; i < BAR; i++) wadi_text_add(&d->line, i < full ? "#" : " ");
    wadi_text_add(&d->line, "]");
}

/* How large the numbers were, one character each. */
static void put_sparks(drawing *d, const int64_t *of, int n) {
    static const char *const high[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const int first = n > SPARKS ? n - SPARKS : 0;
    int64_t most = 1;
    for (int i = first; i < n; i++) most = of[i] > most ? of[i] : most;
    for (int i = first; i < n; i++) {
        const int level = (int)(7 * (double)of[i] / (double)most + 0.5);
        wadi_text_add(&d->line, d->o->utf8 ? high[level] : plain[level]);
    }
}

/* ---- the run ---- */

static void draw_run(drawing *d) {
    const wadi_view *v = d->v;
    wadi_watch_plain(&d->line, v->name);
    wadi_text_addf(&d->line, "  run %lld  %s  %s", (long long)v->id, wadi_view_state_name(v->state),
                   wadi_watch_seconds(v->stats.elapsed_s).at);
    if (v->left_s >= 0) wadi_text_addf(&d->line, ", %s left", wadi_watch_seconds(v->left_s).at);
    if (v->phase >= 0) wadi_text_addf(&d->line, "  phase %d of %d", v->phase + 1, v->phases);
    end_line(d);
    wadi_text_addf(&d->line, "elements %s, %s/s", wadi_watch_count((double)v->stats.elements).at,
                   wadi_watch_count(d->p->elements).at);
    wadi_text_addf(&d->line, "   in %s, %s/s", wadi_watch_bytes((double)v->stats.bytes_in).at,
                   wadi_watch_bytes(d->p->bytes_in).at);
    wadi_text_addf(&d->line, "   out %s, %s/s", wadi_watch_bytes((double)v->stats.bytes_out).at,
                   wadi_watch_bytes(d->p->bytes_out).at);
    if (v->stats.dead > 0)
        wadi_text_addf(&d->line, "   failed %s", wadi_watch_count((double)v->stats.dead).at);
    end_line(d);
}

/* Of several, how busy each is, and how much it has done of what they share. */
static void draw_devices(drawing *d) {
    const wadi_view *v = d->v;
    int64_t shared = 0;
    for (int i = 0; i < v->ndevices; i++) shared += v->devices[i].elements;
    for (int i = 0; i < v->ndevices && v->ndevices > 1; i++) {
        const wadi_view_device *at = &v->devices[i];
        if (at->workers == 0) continue;
        wadi_text_addf(&d->line, ", %s %.0f %% busy", at->name, 100 * d->p->device_busy[i]);
        if (shared > 0)
            wadi_text_addf(&d->line, " with %.0f %%", 100 * (double)at->elements / (double)shared);
    }
}

static void draw_machine(drawing *d) {
    const wadi_view *v = d->v;
    const double most = (double)(v->memory_most > 0 ? v->memory_most : 1);
    wadi_text_add(&d->line, "memory ");
    put_bar(d, (double)v->memory_used / most);
    wadi_text_addf(&d->line, " %s of %s", wadi_watch_bytes((double)v->memory_used).at,
                   wadi_watch_bytes(most).at);
    wadi_text_addf(&d->line, "   workers %s", v->elsewhere.used ? "here " : "");
    put_bar(d, d->p->utilisation);
    wadi_text_addf(&d->line, " %.0f %% of %d", 100 * d->p->utilisation, v->stats.threads);
    end_line(d);
    wadi_text_addf(&d->line, "chunks %s of %s elements ",
                   wadi_watch_count((double)v->stats.chunks).at,
                   wadi_watch_count((double)v->stats.chunk_elements).at);
    put_sparks(d, d->p->chunk_elements, d->p->sizes);
    wadi_text_addf(&d->line, "   schedule %s   device ", v->schedule[0] ? v->schedule : "-");
    wadi_watch_plain(&d->line, v->device);
    draw_devices(d);
    end_line(d);
}

/* Workers of other processes. */
static void draw_elsewhere(drawing *d) {
    const wadi_view_elsewhere *e = &d->v->elsewhere;
    if (!e->used) return;
    wadi_text_addf(&d->line, "%d worker%s elsewhere", e->workers, e->workers == 1 ? "" : "s");
    for (size_t i = 0, n = 0; i < d->v->nodes.n; i++)
        if (d->v->nodes.at[i].elsewhere)
            wadi_text_addf(&d->line, "%s %s", n++ > 0 ? "," : " for", d->v->nodes.at[i].id);
    if (e->most_items > 0) {
        wadi_text_add(&d->line, " ");
        put_bar(d, (double)e->items / (double)e->most_items);
        wadi_text_addf(&d->line, " %lld of %lld items, %s of %s", (long long)e->items,
                       (long long)e->most_items, wadi_watch_bytes((double)e->bytes).at,
                       wadi_watch_bytes((double)e->most_bytes).at);
    }
    if (e->in_turn > 0) wadi_text_addf(&d->line, ", %lld in turn", (long long)e->in_turn);
    wadi_text_addf(&d->line, "   %s answers/s", wadi_watch_count(e->per_second).at);
    wadi_text_addf(&d->line, "   items done there %s", wadi_watch_count((double)e->items_there).at);
    wadi_text_addf(&d->line, ", here %s   ", wadi_watch_count((double)e->items_here).at);
    if (e->held || e->lost) wadi_text_add(&d->line, e->held ? "paused   " : "lost   ");
    wadi_watch_plain(&d->line, e->address);
    end_line(d);
}

/* ---- the table ---- */

/* The fullest link to or from the node; NULL: there is none. */
static const wadi_view_edge *link_of(const wadi_view *v, int node) {
    const wadi_view_edge *best = NULL;
    for (size_t i = 0; i < v->edges.n; i++) {
        const wadi_view_edge *e = &v->edges.at[i];
        const bool of_source = v->nodes.at[node].kind == WADI_VIEW_SOURCE && e->from == node;
        if (!e->queue || (!of_source && e->to != node)) continue;
        if (v->nodes.at[node].kind == WADI_VIEW_STAGE &&
            v->nodes.at[e->from].kind == WADI_VIEW_SOURCE)
            continue; /* it stands with the source */
        if (best == NULL || e->chunks > best->chunks) best = e;
    }
    return best;
}

static double fill_of(const wadi_view_edge *e) {
    return e != NULL && e->most_chunks > 0 ? (double)e->chunks / (double)e->most_chunks : -1;
}

typedef struct place {
    int node;
    double by;
} place;

static int compare(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->by != y->by) return x->by > y->by ? -1 : 1;
    return x->node - y->node;
}

static int sort_nodes(const drawing *d, place out[WADI_WATCH_NODES]) {
    const int n = d->v->nodes.n < WADI_WATCH_NODES ? (int)d->v->nodes.n : WADI_WATCH_NODES;
    for (int i = 0; i < n; i++) {
        const double by[] = {[WADI_WATCH_BY_PLAN] = 0,
                             [WADI_WATCH_BY_ELEMENTS] = d->p->node_elements[i],
                             [WADI_WATCH_BY_BYTES] = d->p->node_bytes[i],
                             [WADI_WATCH_BY_FILL] = fill_of(link_of(d->v, i)),
                             [WADI_WATCH_BY_BUSY] = d->p->node_busy[i]};
        out[i] = (place){i, by[d->o->sort]};
    }
    qsort(out, (size_t)n, sizeof out[0], compare);
    return n;
}

static void draw_link(drawing *d, int node) {
    const wadi_view_edge *e = link_of(d->v, node);
    if (e == NULL) return;
    put_bar(d, fill_of(e));
    wadi_text_addf(&d->line, " %lld of %lld, %s of %s", (long long)e->chunks,
                   (long long)e->most_chunks, wadi_watch_bytes((double)e->bytes).at,
                   wadi_watch_bytes((double)e->most_bytes).at);
}

static void put_share(drawing *d, double share) {
    char part[8];
    (void)wadi_format(part, sizeof part, "%.0f%%", 100 * (share < 99 ? share : 99));
    put_cell(d, part, 4, true);
}

static void draw_node(drawing *d, int i) {
    const wadi_view_node *n = &d->v->nodes.at[i];
    put_cell(d, n->id, 7, false);
    put_cell(d, wadi_view_kind_name(n->kind), 6, false);
    put_cell(d, n->name, 16, false);
    put_cell(d, n->what, 12, false);
    put_cell(d, wadi_watch_count((double)n->elements).at, 7, true);
    if (n->total > 0)
        put_share(d, (double)n->elements / (double)n->total);
    else
        put_cell(d, "", 4, true);
    put_cell(d, wadi_watch_count(d->p->node_elements[i]).at, 7, true);
    put_cell(d, wadi_watch_bytes((double)n->bytes).at, 8, true);
    put_cell(d, wadi_watch_bytes(d->p->node_bytes[i]).at, 8, true);
    put_share(d, d->p->node_busy[i]);
    draw_link(d, i);
    end_line(d);
}

static void draw_table(drawing *d) {
    place order[WADI_WATCH_NODES];
    const int n = sort_nodes(d, order),
              room = d->o->height - AROUND - d->v->elsewhere.used - d->v->nwaits;
    const int most = d->o->height <= 0 ? n : room < 1 ? 1 : room < n ? room : n;
    wadi_text_add(&d->line,
                  "number  kind   name             what         elements done      /s    bytes  "
                  "bytes/s busy link: chunks, bytes");
    end_line(d);
    for (int i = 0; i < most; i++) draw_node(d, order[i].node);
    if (most < (int)d->v->nodes.n) {
        wadi_text_addf(&d->line, ".. and %d more", (int)d->v->nodes.n - most);
        end_line(d);
    }
}

/* ---- waits ---- */

static void draw_wait(drawing *d, const wadi_wait_seen *w) {
    wadi_text_addf(&d->line, "%s %s %s %s %s", w->owner, w->works ? "works" : "waits",
                   wadi_watch_seconds((double)w->ns / 1e9).at, w->works ? "on" : "for", w->what);
    if (w->number >= 0) wadi_text_addf(&d->line, " %lld", (long long)w->number);
    if (w->name[0] != '\0') {
        wadi_text_add(&d->line, " (");
        wadi_watch_plain(&d->line, w->name);
        wadi_text_add(&d->line, ")");
    }
    end_line(d);
}

void wadi_watch_draw(const wadi_view *v, const wadi_watch_pace *p, const wadi_watch_screen *o,
                     wadi_text *out) {
    drawing d = {.v = v, .p = p, .o = o, .out = out};
    draw_run(&d);
    draw_machine(&d);
    draw_elsewhere(&d);
    end_line(&d);
    if (v->nodes.n > 0) draw_table(&d);
    if (v->nodes.n > 0) end_line(&d);
    for (int i = 0; i < v->nwaits; i++) draw_wait(&d, &v->waits[i]);
    wadi_text_add(&d.line, "why: ");
    wadi_watch_why(v, &d.line);
    end_line(&d);
    wadi_text_fini(&d.line);
}
