/* Lists of workers and lines, which are short. */
#include "sched/run/certify_workers.h"

#include <string.h>

#include "base/error.h"
#include "sched/certificate/certificate.h"

static const char others[] = "- others";

/* ---- entries ---- */

/* The last place is for those who have none of their own. */
static wadi_certified_worker *find(wadi_certified_workers *w, const char *name) {
    for (int i = 0; i < w->n; i++)
        if (strcmp(wadi_text_str(&w->at[i].name), name) == 0) return &w->at[i];
    if (w->n == WADI_CERTIFY_WORKERS) return &w->at[w->n - 1];
    wadi_certified_worker *k = &w->at[w->n++];
    k->told = -1;
    wadi_text_add(&k->name, w->n < WADI_CERTIFY_WORKERS ? name : others);
    return k;
}

static bool is_others(const wadi_certified_worker *k) {
    return strcmp(wadi_text_str(&k->name), others) == 0;
}

static bool has_line(const wadi_certified_worker *k, const char *line, size_t n) {
    for (const char *at = wadi_text_str(&k->kernels); *at != '\0'; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, n) == 0 && at[n] == '\n') return true;
    return false;
}

/* Workers are believed, and a line that is none would make the certificate unreadable. False: there is no room for all. */
static bool add_lines(wadi_certified_worker *k, const char *lines) {
    for (size_t n; *lines != '\0'; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        if (!wadi_certificate_is_kernel(lines, n) || has_line(k, lines, n)) continue;
        if (k->lines == WADI_CERTIFY_KERNELS || k->kernels.n + n >= WADI_CERTIFY_BYTES)
            return false;
        wadi_text_add_n(&k->kernels, lines, n);
        wadi_text_add(&k->kernels, "\n");
        k->lines++;
    }
    return true;
}

static bool is_before(const wadi_certified_share *a, const wadi_certified_share *b) {
    return a->phase != b->phase ? a->phase < b->phase : a->stage < b->stage;
}

/* False: no memory. */
static bool add_share(wadi_certified_worker *k, wadi_certified_share share) {
    size_t i = 0;
    while (i < k->shares.n && is_before(&k->shares.at[i], &share)) i++;
    if (i < k->shares.n && !is_before(&share, &k->shares.at[i])) {
        k->shares.at[i].elements += share.elements;
        return true;
    }
    if (!wadi_vec_push(&k->shares, share)) return false;
    for (size_t at = k->shares.n - 1; at > i; at--) k->shares.at[at] = k->shares.at[at - 1];
    k->shares.at[i] = share;
    return true;
}

/* What workers of that name have computed, with the lines that they have told. digest: of their kind, whose lines are looked through once; -1: not known. */
static wadi_status count(wadi_certified_workers *w, const wadi_text *name,
                         wadi_certified_share share, int64_t digest, const wadi_text *kernels,
                         wadi_error *err) {
    wadi_certified_worker *k = find(w, wadi_text_str(name));
    const bool counted = add_share(k, share);
    const bool again = digest >= 0 && digest == k->told;
    if (is_others(k) || (!again && !add_lines(k, wadi_text_str(kernels)))) w->lacks = true;
    k->told = digest;
    if (counted && !name->failed && !k->name.failed && !k->kernels.failed) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
}

static void put_name(const wadi_kind *kind, wadi_text *out) {
    if (kind->version.n == 0) { /* home has not kept it */
        wadi_text_add(out, others);
        return;
    }
    wadi_certificate_name(out, wadi_text_str(&kind->version));
    wadi_text_add(out, " ");
    wadi_certificate_name(out, wadi_text_str(&kind->device));
}

wadi_status wadi_certified_workers_add(wadi_certified_workers *w, const wadi_kind *kind,
                                       wadi_certified_share share, wadi_error *err) {
    wadi_text name = {0};
    put_name(kind, &name);
    const wadi_status status = count(w, &name, share, kind->digest, &kind->kernels, err);
    wadi_text_fini(&name);
    return status;
}

/* ---- lines ---- */

void wadi_certified_workers_put(const wadi_certified_workers *w, wadi_text *out) {
    for (int i = 0; i < w->n; i++) {
        const wadi_certified_worker *k = &w->at[i];
        for (size_t s = 0; s < k->shares.n; s++)
            wadi_text_addf(out, "worker %lld %s %d.%d\n", (long long)k->shares.at[s].elements,
                           wadi_text_str(&k->name), k->shares.at[s].phase, k->shares.at[s].stage);
        wadi_text_add_n(out, wadi_text_str(&k->kernels), k->kernels.n);
    }
}

/* ---- saving ---- */

void wadi_certified_workers_save(const wadi_certified_workers *w, wadi_text *out) {
    wadi_state_put(out, w->lacks);
    wadi_state_put(out, w->n);
    for (int i = 0; i < w->n; i++) {
        const wadi_certified_worker *k = &w->at[i];
        wadi_state_put_text(out, wadi_text_str(&k->name));
        wadi_state_put_text(out, wadi_text_str(&k->kernels));
        wadi_state_put(out, (int64_t)k->shares.n);
        for (size_t s = 0; s < k->shares.n; s++) {
            wadi_state_put(out, k->shares.at[s].phase);
            wadi_state_put(out, k->shares.at[s].stage);
            wadi_state_put(out, k->shares.at[s].elements);
        }
    }
}

static wadi_status load_share(wadi_state_reader *from, wadi_certified_share *out, wadi_error *err) {
    int64_t phase = 0, stage = 0;
    WADI_TRY(wadi_state_take_count(from, INT32_MAX, &phase, err));
    WADI_TRY(wadi_state_take_count(from, INT32_MAX, &stage, err));
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &out->elements, err));
    out->phase = (int)phase;
    out->stage = (int)stage;
    return WADI_OK;
}

static wadi_status load_shares(wadi_certified_workers *w, int phase, const wadi_text *name,
                               const wadi_text *kernels, wadi_state_reader *from, wadi_error *err) {
    int64_t n = 0;
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &n, err));
    for (int64_t i = 0; i < n; i++) {
        wadi_certified_share share = {.elements = 0};
        WADI_TRY(load_share(from, &share, err));
        if (share.phase >= phase) WADI_TRY(count(w, name, share, -1, kernels, err));
    }
    return WADI_OK;
}

static wadi_status load_worker(wadi_certified_workers *w, int phase, wadi_state_reader *from,
                               wadi_error *err) {
    wadi_text name = {0}, kernels = {0};
    wadi_status status = wadi_state_take_text(from, &name, err);
    if (status == WADI_OK) status = wadi_state_take_text(from, &kernels, err);
    if (status == WADI_OK) status = load_shares(w, phase, &name, &kernels, from, err);
    wadi_text_fini(&name);
    wadi_text_fini(&kernels);
    return status;
}

wadi_status wadi_certified_workers_load(wadi_certified_workers *w, int phase,
                                        wadi_state_reader *from, wadi_error *err) {
    int64_t lacks = 0, n = 0;
    WADI_TRY(wadi_state_take_count(from, 1, &lacks, err));
    WADI_TRY(wadi_state_take_count(from, WADI_CERTIFY_WORKERS, &n, err));
    w->lacks = w->lacks || lacks != 0;
    for (int64_t i = 0; i < n; i++) WADI_TRY(load_worker(w, phase, from, err));
    return WADI_OK;
}

void wadi_certified_workers_fini(wadi_certified_workers *w) {
    for (int i = 0; i < w->n; i++) {
        wadi_text_fini(&w->at[i].name);
        wadi_text_fini(&w->at[i].kernels);
        wadi_vec_free(&w->at[i].shares);
    }
    memset(w, 0, sizeof *w);
}
