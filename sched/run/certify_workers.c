/* Lists of workers and lines, which are short. */
#include "sched/run/certify_workers.h"

#include <string.h>

#include "base/error.h"
#include "sched/certificate/certificate.h"

static wadi_certified_worker *find(wadi_certified_workers *w, const char *name) {
    for (int i = 0; i < w->n; i++)
        if (strcmp(wadi_text_str(&w->at[i].name), name) == 0) return &w->at[i];
    if (w->n == WADI_CERTIFY_WORKERS) return &w->at[w->n - 1];
    wadi_certified_worker *k = &w->at[w->n++];
    wadi_text_add(&k->name, name);
    return k;
}

static bool has_line(const wadi_certified_worker *k, const char *line, size_t n) {
    for (const char *at = wadi_text_str(&k->kernels); *at != '\0'; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, n) == 0 && at[n] == '\n') return true;
    return false;
}

/* Workers are believed, and a line that is none would make the certificate unreadable. */
static void add_lines(wadi_certified_worker *k, const char *lines) {
    for (size_t n; *lines != '\0'; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        if (!wadi_certificate_is_kernel(lines, n) || has_line(k, lines, n)) continue;
        if (k->lines++ >= WADI_CERTIFY_KERNELS) return;
        wadi_text_add_n(&k->kernels, lines, n);
        wadi_text_add(&k->kernels, "\n");
    }
}

/* What workers of that name have computed, with the lines that they have told. False: no memory. */
static bool count(wadi_certified_workers *w, const wadi_text *name, int64_t elements,
                  const wadi_text *kernels) {
    wadi_certified_worker *k = find(w, wadi_text_str(name));
    k->elements += elements;
    add_lines(k, wadi_text_str(kernels));
    return !name->failed && !k->name.failed && !k->kernels.failed;
}

wadi_status wadi_certified_workers_add(wadi_certified_workers *w, const wadi_report *r,
                                       int64_t elements, wadi_error *err) {
    wadi_text name = {0};
    wadi_certificate_name(&name, wadi_text_str(&r->version));
    wadi_text_add(&name, " ");
    wadi_certificate_name(&name, wadi_text_str(&r->device));
    const bool counted = count(w, &name, elements, &r->kernels);
    wadi_text_fini(&name);
    return counted ? WADI_OK : wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
}

void wadi_certified_workers_put(const wadi_certified_workers *w, wadi_text *out) {
    for (int i = 0; i < w->n; i++) {
        const wadi_certified_worker *k = &w->at[i];
        wadi_text_addf(out, "worker %lld %s\n", (long long)k->elements, wadi_text_str(&k->name));
        wadi_text_add_n(out, k->kernels.at, k->kernels.n);
    }
}

void wadi_certified_workers_save(const wadi_certified_workers *w, wadi_text *out) {
    wadi_state_put(out, w->n);
    for (int i = 0; i < w->n; i++) {
        wadi_state_put_text(out, wadi_text_str(&w->at[i].name));
        wadi_state_put_text(out, wadi_text_str(&w->at[i].kernels));
        wadi_state_put(out, w->at[i].elements);
    }
}

wadi_status wadi_certified_workers_load(wadi_certified_workers *w, bool is_new,
                                        wadi_state_reader *from, wadi_error *err) {
    int64_t n = 0, elements = 0;
    wadi_status status = wadi_state_take_count(from, WADI_CERTIFY_WORKERS, &n, err);
    for (int64_t i = 0; status == WADI_OK && i < n; i++) {
        wadi_text name = {0}, kernels = {0};
        status = wadi_state_take_text(from, &name, err);
        if (status == WADI_OK) status = wadi_state_take_text(from, &kernels, err);
        if (status == WADI_OK)
            status = wadi_state_take_count(from, WADI_STATE_ELEMENTS, &elements, err);
        if (status == WADI_OK && is_new && !count(w, &name, elements, &kernels))
            status = wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
        wadi_text_fini(&name);
        wadi_text_fini(&kernels);
    }
    return status;
}

void wadi_certified_workers_fini(wadi_certified_workers *w) {
    for (int i = 0; i < w->n; i++) {
        wadi_text_fini(&w->at[i].name);
        wadi_text_fini(&w->at[i].kernels);
    }
    w->n = 0;
}
