/* Entries are compared as a whole, and replaced in turn. */
#include "sched/gpu/memo.h"

#include <stdlib.h>
#include <string.h>

void wadi_gpu_memo_fini(wadi_gpu_memo *m) {
    free(m->entry);
    *m = (wadi_gpu_memo){0};
}

/* ---- questions ---- */

static bool add(wadi_gpu_memo_entry *e, const int64_t *words, int64_t n) {
    if (n > WADI_GPU_MEMO_WORDS - e->words) return false;
    if (n > 0) memcpy(e->word + e->words, words, (size_t)n * sizeof *words);
    e->words += (int)n;
    return true;
}

static bool is_written(const wadi_launch *l, int slot) {
    for (int i = 0; i < l->nshapes; i++)
        if (l->shapes[i] == slot) return true;
    return false;
}

/* All shapes and offsets but those that the kernel writes. False: they are too many, or only the device knows them yet. */
static bool describe(wadi_gpu_memo_entry *e, const wadi_gpu_emissions *emitted, const wadi_slots *s,
                     const wadi_launch *l) {
    for (int i = 0; i < wadi_slots_count(s); i++) {
        const int64_t many[] = {wadi_slots_shape_words(s, i), wadi_slots_offset_words(s, i)};
        if (is_written(l, i)) continue;
        if (emitted->of[i].expected) return false;
        if (!add(e, many, 2) || !add(e, s->slot[i].shape, many[0]) ||
            !add(e, s->slot[i].offset, many[1]))
            return false;
    }
    return true;
}

static bool is_same(const wadi_gpu_memo_entry *a, const wadi_gpu_memo_entry *b) {
    return a->code.handle == b->code.handle && a->first == b->first && a->n == b->n &&
           a->count == b->count && a->workers == b->workers && a->words == b->words &&
           memcmp(a->word, b->word, (size_t)a->words * sizeof *a->word) == 0;
}

/* ---- answers ---- */

static int64_t answers_of(const wadi_slots *s, const wadi_launch *l) {
    int64_t n = l->nshapes > 0 ? 0 : l->n;
    for (int i = 0; i < l->nshapes; i++) n += wadi_slots_shape_words(s, l->shapes[i]);
    return n;
}

static void tell(wadi_gpu_memo *m, const wadi_residence *r, const wadi_gpu_memo_entry *e,
                 wadi_slots *s, const wadi_launch *l) {
    const int64_t *from = e->answer;
    if (l->nshapes == 0) {
        wadi_residence_put(r, l->unit + l->first, from, e->answers * (int64_t)sizeof *from);
        m->told = e;
        m->units = l->unit;
    }
    for (int i = 0; i < l->nshapes; i++) {
        const int64_t n = wadi_slots_shape_words(s, l->shapes[i]);
        memcpy(s->slot[l->shapes[i]].shape, from, (size_t)n * sizeof *from);
        from += n;
    }
}

static const wadi_gpu_memo_entry *find(const wadi_gpu_memo *m, const wadi_gpu_memo_entry *what) {
    for (int i = 0; i < WADI_GPU_MEMO_ENTRIES; i++)
        if (m->entry[i].answers > 0 && is_same(&m->entry[i], what)) return &m->entry[i];
    return NULL;
}

bool wadi_gpu_memo_ask(wadi_gpu_memo *m, const wadi_residence *r, const wadi_gpu_emissions *emitted,
                       wadi_slots *s, const wadi_launch *l, int64_t workers) {
    wadi_gpu_memo_entry what = {
        .code = l->code, .first = l->first, .n = l->n, .count = l->count, .workers = workers};
    const int64_t answers = answers_of(s, l);
    m->asked = NULL;
    m->told = NULL;
    if (l->touches == NULL || !l->touches->of_shapes || answers <= 0 ||
        answers > WADI_GPU_MEMO_ANSWER || !describe(&what, emitted, s, l))
        return false;
    if (m->entry == NULL) m->entry = calloc(WADI_GPU_MEMO_ENTRIES, sizeof *m->entry);
    if (m->entry == NULL) return false;
    const wadi_gpu_memo_entry *known = find(m, &what);
    if (known != NULL) {
        tell(m, r, known, s, l);
        return true;
    }
    m->asked = &m->entry[m->next];
    m->next = (m->next + 1) % WADI_GPU_MEMO_ENTRIES;
    *m->asked = what;
    m->units = l->nshapes > 0 ? NULL : l->unit;
    return false;
}

void wadi_gpu_memo_note_shapes(wadi_gpu_memo *m, const wadi_slots *s, const wadi_launch *l) {
    wadi_gpu_memo_entry *e = m->asked;
    int n = 0;
    if (e == NULL || l->nshapes == 0) return;
    for (int i = 0; i < l->nshapes; i++) {
        const int64_t words = wadi_slots_shape_words(s, l->shapes[i]);
        memcpy(e->answer + n, s->slot[l->shapes[i]].shape, (size_t)words * sizeof *e->answer);
        n += (int)words;
    }
    e->answers = n;
    m->asked = NULL;
}

/* ---- sums ---- */

/* The n numbers of units that stand at `at`. */
static void numbers_at(wadi_gpu_memo *m, const wadi_residence *r, const int64_t *at, int64_t n,
                       int64_t *out) {
    const int64_t bytes = n * (int64_t)sizeof *out;
    wadi_gpu_memo_entry *asked = m->asked;
    if (m->told != NULL && m->units == at && m->told->first == 0 && m->told->answers == n) {
        memcpy(out, m->told->answer, (size_t)bytes);
        return;
    }
    if (n > 0) wadi_residence_get(r, out, at, bytes);
    if (asked == NULL || m->units != at || asked->first != 0 || asked->n != n) return;
    memcpy(asked->answer, out, (size_t)bytes);
    asked->answers = (int)n;
}

int64_t wadi_gpu_memo_scan(wadi_gpu_memo *m, const wadi_residence *r, int64_t *at, int64_t n) {
    int64_t each[WADI_GPU_FEW + 1], sum = 0;
    if (n < 0) n = 0;
    numbers_at(m, r, at, n, each);
    m->asked = NULL;
    m->told = NULL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t here = each[i];
        each[i] = sum;
        sum += here;
    }
    each[n] = sum;
    wadi_residence_put(r, at, each, (n + 1) * (int64_t)sizeof *each);
    return sum;
}
