/* Choosing seek points. */
#include "apps/audio/seek.h"

#include <stdlib.h>
#include <string.h>

#include "base/args.h"

enum { USUAL_SECONDS = 10, MOST = 4096 };

bool flac_seek_parse(const char *text, flac_seek_wish *out) {
    char number[32] = "";
    const size_t n = strlen(text);
    *out = (flac_seek_wish){0};
    if (strcmp(text, "X") == 0) {
        out->kind = FLAC_SEEK_ROOM;
        return true;
    }
    if (n == 0 || n >= sizeof number || text[0] < '0' || text[0] > '9') return false;
    if (text[n - 1] != 'x' && text[n - 1] != 's')
        return wadi_args_number(text, 0, (INT64_C(1) << 36) - 1, &out->n);
    memcpy(number, text, n - 1);
    out->kind = text[n - 1] == 'x' ? FLAC_SEEK_COUNT : FLAC_SEEK_EVERY;
    if (out->kind == FLAC_SEEK_COUNT) return wadi_args_number(number, 1, MOST, &out->n);
    return wadi_args_real(number, 0, 1e6, &out->seconds) && out->seconds > 0;
}

/* Adds a point every `step` samples. The step is larger if the points would be closer than blocks, or too many. */
static bool every(flac_seek_plan *p, int64_t step, int64_t total, int block) {
    if (step < block) step = block;
    if (total / step >= MOST) step = total / MOST + 1;
    for (int64_t at = 0; at < total; at += step)
        if (!wadi_vec_push(&p->samples, at)) return false;
    return true;
}

static bool evenly(flac_seek_plan *p, int64_t n, int64_t total) {
    for (int64_t k = 0; k < n && total > 0; k++)
        if (!wadi_vec_push(&p->samples, k * total / n)) return false;
    return true;
}

static bool add(flac_seek_plan *p, const flac_seek_wish *w, int64_t total, int rate, int block) {
    switch (w->kind) {
    case FLAC_SEEK_SAMPLE:
        return wadi_vec_push(&p->samples, w->n);
    case FLAC_SEEK_COUNT:
        return evenly(p, w->n, total);
    case FLAC_SEEK_EVERY:
        return every(p, (int64_t)(w->seconds * rate), total, block);
    default:
        p->room++;
        return true;
    }
}

static int by_sample(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void put_in_order(flac_seek_plan *p) {
    size_t kept = 0;
    if (p->samples.n > 0) qsort(p->samples.at, p->samples.n, sizeof *p->samples.at, by_sample);
    for (size_t i = 0; i < p->samples.n; i++)
        if (kept == 0 || p->samples.at[i] != p->samples.at[kept - 1])
            p->samples.at[kept++] = p->samples.at[i];
    p->samples.n = kept;
}

bool flac_seek_make(const flac_seek_wish *wishes, int n, int64_t total, int rate, int block,
                    flac_seek_plan *out) {
    static const flac_seek_wish usual = {FLAC_SEEK_EVERY, 0, USUAL_SECONDS};
    *out = (flac_seek_plan){0};
    if (n == 0) {
        wishes = &usual;
        n = 1;
    }
    for (int i = 0; i < n; i++)
        if (!add(out, &wishes[i], total, rate, block)) return false;
    put_in_order(out);
    return true;
}

void flac_seek_fini(flac_seek_plan *p) {
    wadi_vec_free(&p->samples);
}
