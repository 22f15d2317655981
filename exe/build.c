/* Making kernels ahead of time: all versions that runs may take, for all targets that were named. Texts are written one after the other,
 * compilers run side by side. */
#define _GNU_SOURCE /* secure_getenv */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/vec.h"
#include "codegen/targets.h"
#include "exe/ahead_of_time.h"
#include "wadi/kernels.h"

/* ---- targets ---- */

#if defined(__x86_64__)
static const char usual_targets[] = "x86-64-v2,x86-64-v3,x86-64-v4";
#elif defined(__aarch64__)
static const char usual_targets[] = "armv8-a";
#else
static const char usual_targets[] = "opencl";
#endif

enum { TARGETS_MAX = 16, WORKERS_MAX = 64 };

/* "cuda:sm_90": a target, and the machine that its images are for. */
typedef struct aim {
    const wadi_target *target;
    char machine[WADI_BUNDLE_TARGET]; /* "": the target says enough */
} aim;

typedef struct aims {
    aim at[TARGETS_MAX];
    int n;
} aims;

static wadi_status add_aim(aims *a, const char *word, size_t n, wadi_error *err) {
    char name[64];
    if (n >= sizeof name)
        return wadi_fail(err, WADI_INVALID, "no target \"%.*s\"", (int)sizeof name, word);
    memcpy(name, word, n);
    name[n] = '\0';
    if (a->n == TARGETS_MAX) return wadi_fail(err, WADI_INVALID, "too many targets");
    aim *t = &a->at[a->n++];
    *t = (aim){0};
    char *colon = strchr(name, ':');
    if (colon != NULL) {
        *colon = '\0';
        (void)snprintf(t->machine, sizeof t->machine, "%.20s", colon + 1);
    }
    WADI_TRY(wadi_target_named(name, &t->target, err));
    if (t->target->own)
        return wadi_fail(err, WADI_INVALID,
                         "target \"%s\" is whatever a processor is: kernels made ahead need one "
                         "that has a name",
                         name);
    if (t->target->of_machine == (t->machine[0] != '\0')) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     t->target->of_machine ? "target \"%s\" needs a machine: %s:sm_90"
                                           : "target \"%s\" has no machines: %s",
                     name, name);
}

static wadi_status read_aims(const char *targets, aims *out, wadi_error *err) {
    out->n = 0;
    if (targets == NULL) targets = secure_getenv("WADI_BUILD_TARGETS");
    if (targets == NULL || *targets == '\0') targets = usual_targets;
    for (const char *at = targets; *at != '\0';) {
        const size_t n = strcspn(at, ",");
        WADI_TRY(add_aim(out, at, n, err));
        at += n + (at[n] == ',');
    }
    return WADI_OK;
}

/* ---- images, side by side ---- */

/* An image to make. */
typedef struct job {
    const wadi_made *made; /* borrowed */
    const aim *aim;
    bool fast, gently;
    wadi_bundle_entry entry;
    wadi_image image;
    wadi_status st;
    wadi_error err;
} job;

typedef struct building {
    wadi_exe *exe;
    aims aims;
    int body;    /* whose versions; -1: of all */
    bool gently; /* beside a run: one after the other, in this thread */
    wadi_bundle_writer *out;
    WADI_VEC(job) jobs;
    WADI_VEC(wadi_made *) made;
    atomic_size_t next;
    wadi_error *err;
} building;

static wadi_status make_in(job *j, const char *folder) {
    wadi_image_builder b = {0};
    char digits[2 * WADI_BUNDLE_DIGEST + 1];
    const wadi_language *language = j->aim->target->language;
    WADI_TRY(language->find(j->aim->target, &b, &j->err));
    b.machine = j->aim->machine[0] != '\0' ? j->aim->machine : NULL;
    b.fast = j->fast;
    b.patient = true;
    wadi_hex(j->entry.key, WADI_BUNDLE_DIGEST, digits);
    return language->build(&b, j->made->source, digits, folder, j->gently, &j->image, &j->err);
}

static void make_image(job *j) {
    wadi_folder folder;
    j->st = wadi_folder_make(wadi_folder_parent(), "wadi-build-", &folder, &j->err);
    if (j->st != WADI_OK) return;
    j->st = make_in(j, folder.path);
    wadi_folder_remove(&folder);
}

static void work(void *env) {
    building *b = env;
    for (size_t i = atomic_fetch_add(&b->next, 1); i < b->jobs.n; i = atomic_fetch_add(&b->next, 1))
        make_image(&b->jobs.at[i]);
}

static void work_all(building *b) {
    wadi_thread worker[WORKERS_MAX] = {0};
    int n = wadi_thread_processors() - 1;
    if (n > WORKERS_MAX) n = WORKERS_MAX;
    if ((size_t)n >= b->jobs.n) n = b->jobs.n > 0 ? (int)b->jobs.n - 1 : 0;
    for (int i = 0; i < n; i++)
        if (wadi_thread_start(&worker[i], work, b, NULL) != WADI_OK) break;
    work(b);
    for (int i = 0; i < n; i++) wadi_thread_join(&worker[i]);
}

static wadi_status keep_images(building *b) {
    wadi_status st = WADI_OK;
    for (size_t i = 0; i < b->jobs.n && st == WADI_OK; i++) {
        const job *j = &b->jobs.at[i];
        st = j->st == WADI_OK
                 ? wadi_bundle_writer_add(b->out, &j->entry, j->image.bytes, j->image.n, b->err)
                 : wadi_fail(b->err, j->st, "%.80s, for %s: %.380s", j->entry.label,
                             j->entry.target, j->err.msg);
    }
    return st;
}

/* ---- versions ---- */

static wadi_status no_memory(const building *b) {
    return wadi_fail(b->err, WADI_MEMORY, "kernels: out of memory");
}

static bool is_listed(const building *b, const uint8_t key[WADI_BUNDLE_DIGEST]) {
    for (size_t i = 0; i < b->jobs.n; i++)
        if (memcmp(b->jobs.at[i].entry.key, key, WADI_BUNDLE_DIGEST) == 0) return true;
    return wadi_bundle_writer_has(b->out, key);
}

static wadi_status list_image(building *b, const wadi_made *made, const aim *a, const char *label) {
    uint8_t text[WADI_BUNDLE_DIGEST];
    job j = {.made = made, .aim = a, .fast = b->exe->fast, .gently = b->gently};
    const char *machine = a->machine[0] != '\0' ? a->machine : NULL;
    WADI_TRY(wadi_exe_text_digest(made, text));
    WADI_TRY(wadi_bundles_image_key(text, a->target, machine, j.fast, j.entry.key));
    if (is_listed(b, j.entry.key)) return WADI_OK;
    (void)snprintf(j.entry.target, sizeof j.entry.target, "%.23s",
                   machine != NULL ? machine : a->target->name);
    (void)snprintf(j.entry.label, sizeof j.entry.label, "%s", label);
    return wadi_vec_push(&b->jobs, j) ? WADI_OK : no_memory(b);
}

/* The version itself, without its kernels. */
static wadi_status store(building *b, const wadi_made *made, int body, wadi_version_key version,
                         const char *label) {
    wadi_bundle_entry e = {0};
    wadi_text bytes = {0};
    WADI_TRY(wadi_exe_stored_key(b->exe, body, version, made->target->language, e.key));
    (void)snprintf(e.label, sizeof e.label, "%s", label);
    wadi_status st = WADI_OK;
    if (wadi_exe_store(made, &bytes))
        st = wadi_bundle_writer_add(b->out, &e, bytes.at, bytes.n, b->err);
    wadi_text_fini(&bytes);
    return st;
}

static wadi_status add_version(building *b, const wadi_target *t, int body,
                               wadi_version_key version) {
    const wadi_plan *plan = b->exe->plan;
    wadi_made *made = NULL;
    char label[WADI_BUNDLE_LABEL];
    WADI_TRY(wadi_versions_make(b->exe->versions, body, version, t, &made, b->err));
    if (!wadi_vec_push(&b->made, made)) {
        wadi_made_destroy(made);
        return no_memory(b);
    }
    (void)snprintf(label, sizeof label, "%.30s: %.30s, %s", plan->name, plan->bodies[body].name,
                   wadi_version_name(version));
    WADI_TRY(store(b, made, body, version, label));
    for (int i = 0; i < b->aims.n; i++)
        if (b->aims.at[i].target->language == t->language)
            WADI_TRY(list_image(b, made, &b->aims.at[i], label));
    return WADI_OK;
}

/* Whether a run on some device that takes the target's language may take the version. */
static bool is_needed(const wadi_plan_body *body, wadi_version_key version, const wadi_target *t) {
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++)
        if (wadi_exe_takes(d->language, t) &&
            wadi_exe_may_take(body, version, wadi_device_force(d, WADI_SCHEDULE_AUTO)))
            return true;
    return false;
}

static wadi_status add_versions(building *b, const wadi_target *t) {
    const wadi_plan *plan = b->exe->plan;
    for (int body = 0; body < plan->nbodies; body++)
        for (int k = 0; k < WADI_BODY_VERSIONS && (b->body < 0 || b->body == body); k++)
            if (is_needed(&plan->bodies[body], wadi_version_numbered(k), t))
                WADI_TRY(add_version(b, t, body, wadi_version_numbered(k)));
    return WADI_OK;
}

/* Targets of one language share the texts. */
static bool is_first_of_language(const aims *a, int i) {
    for (int k = 0; k < i; k++)
        if (a->at[k].target->language == a->at[i].target->language) return false;
    return true;
}

static wadi_status add_all(building *b) {
    wadi_status st = WADI_OK;
    wadi_mutex_lock(&b->exe->lock);
    for (int i = 0; i < b->aims.n && st == WADI_OK; i++)
        if (is_first_of_language(&b->aims, i)) st = add_versions(b, b->aims.at[i].target);
    wadi_mutex_unlock(&b->exe->lock);
    return st;
}

static void release(building *b) {
    for (size_t i = 0; i < b->jobs.n; i++) free(b->jobs.at[i].image.bytes);
    for (size_t i = 0; i < b->made.n; i++) wadi_made_destroy(b->made.at[i]);
    wadi_vec_free(&b->jobs);
    wadi_vec_free(&b->made);
    wadi_bundle_writer_destroy(b->out);
}

static wadi_status build(building *b, const char *targets, const char *path) {
    WADI_TRY(read_aims(targets, &b->aims, b->err));
    wadi_status st = wadi_bundle_writer_create(path, NULL, &b->out, b->err);
    if (st == WADI_OK) st = add_all(b);
    if (st == WADI_OK) {
        if (b->gently)
            work(b);
        else
            work_all(b);
        st = keep_images(b);
    }
    if (st == WADI_OK) st = wadi_bundle_writer_write(b->out, b->err);
    release(b);
    return st;
}

wadi_status wadi_exe_build(const wadi_exe *exe, const char *targets, const char *path,
                           wadi_error *err) {
    WADI_GIVEN(err, exe);
    WADI_GIVEN(err, path);
    /* its lock guards what making versions changes */
    building b = {.exe = (wadi_exe *)(uintptr_t)exe, .body = -1, .err = err};
    return build(&b, targets, path);
}

wadi_status wadi_exe_build_for_worker(wadi_exe *exe, const char *target, int body, const char *path,
                                      wadi_error *err) {
    building b = {.exe = exe, .body = body, .gently = true, .err = err};
    return build(&b, target, path);
}

/* ---- recording ---- */

static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;

wadi_status wadi_exe_record(wadi_exe *exe, wadi_error *err) {
    const char *path = secure_getenv("WADI_BUILD_KERNELS");
    if (path == NULL || *path == '\0') return WADI_OK;
    (void)pthread_mutex_lock(&recording);
    wadi_status st = wadi_exe_build(exe, NULL, path, err);
    if (st == WADI_OK) st = wadi_bundles_use(path, err);
    (void)pthread_mutex_unlock(&recording);
    return st;
}

wadi_status wadi_kernels_use(const char *path, wadi_error *err) {
    WADI_GIVEN(err, path);
    return wadi_bundles_use(path, err);
}
