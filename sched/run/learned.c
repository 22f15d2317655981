/* What a stream starts with because an earlier run has found it out, and what it leaves: sizes of chunks, and the shares of devices. A run of less
 * than LEARNING_NS teaches nothing that is worth a file. Good sizes depend on the devices, and so have a name for each list.
 *
 * Within a process the policy itself waits for the next run of the stream (base/keep.h). So a stream that ends after a few chunks
 * does not begin with one element each time: its next run goes on where this one has left off. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/keep.h"
#include "sched/run/state.h"
#include "sched/sizes.h"

static const int64_t LEARNING_NS = 200000000;

static bool learns(const wadi_run *x) {
    return !x->options.forget && wadi_sizes_wanted();
}

/* Of one device, sizes are learned on the first kind of the table alone. */
static bool learns_sizes(const wadi_run *x) {
    return learns(x) && x->options.chunk == 0 && x->chosen.row == wadi_devices;
}

static bool learns_shares(const wadi_run *x) {
    return learns(x) && wadi_run_shares(x) && x->share_rule.choose == NULL;
}

/* "probe", or for several devices "probe-1f3a..". */
static const char *name_for(const wadi_run *x, const char *name, char *out, size_t room) {
    if (x->devices.n == 1) return name;
    snprintf(out, room, "%.20s-%016" PRIx64, name, wadi_hash_bytes(x->order, strlen(x->order)));
    return out;
}

/* ---- policies between runs ---- */

static void destroy_policy(void *owned_policy) {
    wadi_policy_destroy(owned_policy);
}

static const wadi_keep_kind policies = {.most = 16, .destroy = destroy_policy};

/* Names a stream of a program and a list of devices; 0: the policy is not kept. Any number of threads may compute it. */
static int64_t key_for(const wadi_run *x, int phase, const char *name) {
    struct {
        uint8_t program[sizeof x->plan->program];
        char name[64];
        int64_t phase, threads, memory;
    } what;
    if (!learns_sizes(x) || !wadi_sizes_known(x->plan)) return 0;
    memset(&what, 0, sizeof what);
    memcpy(what.program, x->plan->program, sizeof what.program);
    (void)snprintf(what.name, sizeof what.name, "%s", name);
    what.phase = phase;
    what.threads = x->options.threads;
    what.memory = x->options.memory;
    return (int64_t)wadi_hash_bytes(&what, sizeof what);
}

static wadi_policy *take_policy(const wadi_run *x) {
    return x->policy_key != 0 ? wadi_keep_take(&policies, x->policy_key) : NULL;
}

void wadi_run_put_policy(wadi_run *x) {
    wadi_policy *policy = x->policy;
    x->policy = NULL;
    if (policy != NULL && x->policy_key != 0)
        wadi_keep_put(&policies, x->policy_key, policy);
    else
        wadi_policy_destroy(policy);
}

static wadi_status find_policy(wadi_run *x, int phase, const char *name, wadi_policy **out,
                               wadi_error *err) {
    x->policy_key = key_for(x, phase, name);
    *out = take_policy(x);
    if (*out != NULL) return WADI_OK;
    WADI_TRY(x->policy_row->create(x->options.chunk, out, err));
    if (learns_sizes(x)) (void)wadi_sizes_load(x->plan, phase, name, *out);
    return WADI_OK;
}

/* ---- the beginning and the end of a stream ---- */

static void recall_shares(wadi_run *x, int phase) {
    char name[64];
    if (!learns_shares(x)) return;
    char *line = wadi_sizes_read(x->plan, phase, name_for(x, "shares", name, sizeof name));
    if (line != NULL) (void)wadi_sharing_load(&x->sharing, line);
    free(line);
}

wadi_status wadi_run_recall(wadi_run *x, int phase, const char *policy_name, wadi_error *err) {
    char name[64];
    wadi_policy *policy = NULL;
    wadi_mutex_lock(&x->lock);
    wadi_run_put_policy(x);
    wadi_mutex_unlock(&x->lock);
    WADI_TRY(find_policy(x, phase, name_for(x, policy_name, name, sizeof name), &policy, err));
    wadi_mutex_lock(&x->lock);
    x->policy = policy;
    wadi_mutex_unlock(&x->lock);
    recall_shares(x, phase);
    return WADI_OK;
}

void wadi_run_learn(const wadi_run *x, int phase, const char *policy_name, int64_t took_ns) {
    char name[64];
    if (took_ns < LEARNING_NS) return;
    if (learns_sizes(x))
        wadi_sizes_save(x->plan, phase, name_for(x, policy_name, name, sizeof name), x->policy);
    if (!learns_shares(x) || !x->sharing.known) return;
    wadi_text line = {0}, by = {0};
    wadi_text_addf(&by, "devices %s", x->order);
    wadi_sharing_save(&x->sharing, &line);
    if (!line.failed && !by.failed)
        wadi_sizes_write(x->plan, phase, name_for(x, "shares", name, sizeof name),
                         "who computes, and time per element", wadi_text_str(&by),
                         wadi_text_str(&line));
    wadi_text_fini(&line);
    wadi_text_fini(&by);
}
