/* Kernels that home sends to a worker that cannot compile. They come as a bundle (codegen/build/bundle.h), which has digests of all that is in it, and the
 * stamp of the wadi that has made it. Its images have the bits of home's: all targets have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/outfile.h"
#include "codegen/build/bundles.h"
#include "codegen/build/cache.h"
#include "codegen/targets.h"
#include "exe/ahead_of_time.h"
#include "exe/exe.h"
#include "sched/wants.h"

static const int64_t most_bytes = INT64_C(1) << 30; /* of a bundle */
static const char folder_prefix[] = "wadi-sent-";

/* ---- what is missing ---- */

/* The stream of the charter; NULL: there is none, which the run tells. */
static const wadi_plan_stream *stream_of(const wadi_plan *plan, const wadi_charter *c) {
    if (c->phase >= plan->nphases || !plan->phases[c->phase].is_stream) return NULL;
    return &plan->phases[c->phase].stream;
}

/* The version of the body that the run certainly needs. False: that depends on the data. */
static bool certain(const wadi_exe *exe, const wadi_device_row *device,
                    wadi_schedule_option schedule, int body, wadi_version_key *out) {
    wadi_want *want = calloc((size_t)exe->plan->nbodies + 1, sizeof *want);
    bool found = false;
    if (want == NULL) return false;
    const int n = wadi_plan_wants(exe->plan, wadi_device_force(device, schedule), want);
    for (int i = 0; i < n && !found; i++) {
        found = want[i].body == body;
        if (found) *out = want[i].version;
    }
    free(want);
    return found;
}

/* Whether there is a compiler that compiles something. The cache knows it the next time. */
static wadi_status try_compiler(const wadi_target *target, const wadi_image_ops *images,
                                wadi_error *err) {
    static const char nothing[] = "extern int wadi_nothing;\n";
    wadi_kernels made;
    WADI_TRY(wadi_cache_load(nothing, target, false, images, &made, NULL, err));
    images->unload(&made);
    return WADI_OK;
}

/* Whether the kernels of the body can be had here. *out_certain: it is known which; else it is enough that there is a compiler. *out_target: what for; NULL:
 * nothing that could be asked for. Errors: those of compiling, and others, which the run will tell. */
static wadi_status try_here(wadi_exe *exe, int body, const wadi_run_options *o,
                            const wadi_target **out_target, bool *out_certain, wadi_error *err) {
    wadi_device_choice device;
    const wadi_image_ops *images = NULL;
    wadi_exe_set *set = NULL;
    wadi_version_key version;
    *out_target = NULL;
    WADI_TRY(wadi_device_find(o->device, &device, err));
    WADI_TRY(wadi_device_images(&device, &images, err));
    *out_certain = certain(exe, device.row, o->schedule, body, &version);
    wadi_mutex_lock(&exe->lock);
    wadi_status st = wadi_exe_set_for(exe, images, &set, err);
    if (st == WADI_OK && set->target->language == &wadi_language_c) *out_target = set->target;
    if (*out_target != NULL && *out_certain)
        st = wadi_exe_load(exe, wadi_exe_version_of(set, body, version), WADI_EXE_NEEDED, err);
    wadi_mutex_unlock(&exe->lock);
    return *out_target != NULL && !*out_certain ? try_compiler(*out_target, images, err) : st;
}

/* ---- asking home ---- */

/* Adds the piece of a reply. Errors: WADI_COMPILE (home has none, and says why), WADI_IO (it makes no sense), WADI_MEMORY. */
static wadi_status take_piece(const char *said, int64_t n, wadi_text *all, int64_t *total,
                              wadi_error *err) {
    long long bytes = -1;
    int head = 0;
    if (strncmp(said, "error: ", 7) == 0) return wadi_fail(err, WADI_COMPILE, "%.300s", said + 7);
    const bool is_piece = sscanf(said, "kernels %lld%n", &bytes, &head) == 1 && said[head] == '\n';
    const int64_t left = bytes - (int64_t)all->n, piece = n - head - 1;
    if (!is_piece || bytes > most_bytes || (*total >= 0 && bytes != *total) || piece <= 0 ||
        piece > left)
        return wadi_fail(err, WADI_IO, "home has sent kernels that make no sense");
    *total = bytes;
    wadi_text_add_n(all, said + head + 1, (size_t)piece);
    return all->failed ? wadi_fail(err, WADI_MEMORY, "kernels: out of memory") : WADI_OK;
}

/* The whole bundle. *out_over: the charter is, and there is none. */
static wadi_status ask(wadi_workq *q, const char *target, int body, wadi_text *all, bool *out_over,
                       wadi_error *err) {
    int64_t total = -1;
    while ((int64_t)all->n != total) {
        char what[WADI_WORKQ_LINE];
        void *said = NULL;
        int64_t n = 0;
        (void)snprintf(what, sizeof what, "%.23s %d %lld", target, body, (long long)all->n);
        wadi_status st = q->ops->ask(q, what, &said, &n, err);
        *out_over = said == NULL;
        if (st == WADI_OK && said != NULL) st = take_piece(said, n, all, &total, err);
        free(said);
        if (st != WADI_OK || *out_over) return st;
    }
    return WADI_OK;
}

/* Room for what is sent: a folder, and a place for each body. */
static wadi_status make_room(wadi_exe *exe, wadi_error *err) {
    if (exe->sent != NULL) return WADI_OK;
    wadi_bundle **sent = calloc((size_t)exe->plan->nbodies + 1, sizeof *sent);
    if (sent == NULL) return wadi_fail(err, WADI_MEMORY, "kernels: out of memory");
    (void)wadi_folder_sweep(wadi_folder_parent(), folder_prefix);
    const wadi_status st =
        wadi_folder_make(wadi_folder_parent(), folder_prefix, &exe->sent_in, err);
    if (st != WADI_OK) {
        free(sent);
        return st;
    }
    wadi_mutex_lock(&exe->lock); /* stages behind may be made ahead now */
    exe->sent = sent;
    wadi_mutex_unlock(&exe->lock);
    return WADI_OK;
}

static wadi_status keep(wadi_exe *exe, int body, const wadi_text *all, wadi_error *err) {
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    char path[sizeof exe->sent_in.path + 16];
    wadi_bundle *sent = NULL;
    WADI_TRY(make_room(exe, err));
    (void)snprintf(path, sizeof path, "%s/%d.kernels", exe->sent_in.path, body);
    wadi_status st = wadi_outfile_put(path, all->at, all->n, &options, err);
    if (st == WADI_OK) st = wadi_bundle_open(path, &sent, err);
    wadi_mutex_lock(&exe->lock);
    exe->sent[body] = sent;
    wadi_mutex_unlock(&exe->lock);
    return st;
}

static wadi_status get(wadi_exe *exe, wadi_workq *q, const char *target, int body,
                       wadi_error *err) {
    wadi_text all = {0};
    bool over = false;
    wadi_status st = ask(q, target, body, &all, &over, err);
    if (st == WADI_OK && !over) {
        st = keep(exe, body, &all, err);
        wadi_logf(WADI_LOG_INFO, "kernels for %s came from home, %zu bytes", target, all.n);
    }
    wadi_text_fini(&all);
    return st;
}

/* For the best target that this processor supports and home can compile for. *out_first: the best. */
static wadi_status get_best(wadi_exe *exe, wadi_workq *q, const wadi_target *like, int body,
                            const char **out_first, wadi_error *err) {
    wadi_status st = WADI_COMPILE;
    const wadi_target *t = wadi_targets;
    *out_first = like->name;
    if (!like->own) return get(exe, q, like->name, body, err);
    if (exe->asked)
        return wadi_fail(err, WADI_COMPILE, "such kernels can only be compiled where they run");
    bool first = true;
    while (t->name != NULL) t++;
    while (st == WADI_COMPILE && t-- != wadi_targets) {
        if (t->language != like->language || t->cross != NULL || !wadi_bundles_fits(t)) continue;
        if (first) *out_first = t->name;
        st = get(exe, q, t->name, body, first ? err : NULL);
        first = false;
    }
    return st;
}

static wadi_status get_from_home(wadi_exe *exe, wadi_workq *q, const wadi_target *target, int body,
                                 const wadi_error *here, wadi_error *err) {
    wadi_error there = {0};
    const char *wanted = target->name;
    const wadi_status st = get_best(exe, q, target, body, &wanted, &there);
    if (st == WADI_OK) return st;
    if (st != WADI_COMPILE) return wadi_fail(err, st, "%s", there.msg);
    return wadi_fail(err, st, "%.200s; and none for %s come from home: %.220s", here->msg, wanted,
                     there.msg);
}

static wadi_status get_body(wadi_exe *exe, int body, wadi_workq *queue,
                            const wadi_run_options *options, wadi_error *err) {
    const wadi_target *target = NULL;
    bool known = false;
    wadi_error here = {0}, why = {0};
    if (try_here(exe, body, options, &target, &known, &here) != WADI_COMPILE) return WADI_OK;
    if (target == NULL) return WADI_OK;
    const wadi_status st = get_from_home(exe, queue, target, body, &here, &why);
    /* There may be a bundle that has them. */
    if (st == WADI_COMPILE && !known && !wadi_bundles_empty()) return WADI_OK;
    if (st != WADI_OK && err != NULL) *err = why;
    return st;
}

wadi_status wadi_exe_sent_get(wadi_exe *exe, const wadi_charter *charter, wadi_workq *queue,
                              const wadi_run_options *options, wadi_error *err) {
    const wadi_plan_stream *s = stream_of(exe->plan, charter);
    for (int i = 0; s != NULL && i < charter->stretches.n; i++) {
        const wadi_stretch *t = &charter->stretches.at[i];
        for (int k = 0; k < t->n; k++) {
            const wadi_plan_stage *p = t->stage[k] < s->nstages ? &s->stages[t->stage[k]] : NULL;
            const bool keyed = t->keyed && p != NULL && wadi_change_about(p->change)->keys;
            if (keyed) WADI_TRY(get_body(exe, p->scan.body, queue, options, err));
            if (p != NULL && p->body >= 0) WADI_TRY(get_body(exe, p->body, queue, options, err));
        }
    }
    return WADI_OK;
}

void wadi_exe_sent_close(wadi_exe *exe) {
    if (exe->sent == NULL) return;
    for (int i = 0; i < exe->plan->nbodies; i++)
        if (exe->sent[i] != NULL) wadi_bundle_close(exe->sent[i]);
    wadi_folder_remove(&exe->sent_in);
    free(exe->sent);
    exe->sent = NULL;
}
