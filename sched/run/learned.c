/* What a stream starts with because an earlier run has found it out, and what it leaves: sizes of chunks, and the shares of devices. A run of less
 * than LEARNING_NS teaches nothing that is worth a file. Good sizes depend on the devices, and so have a name for each list. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
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

void wadi_run_recall(wadi_run *x, int phase, const char *policy_name, wadi_policy *policy) {
    char name[64];
    if (learns_sizes(x))
        (void)wadi_sizes_load(x->plan, phase, name_for(x, policy_name, name, sizeof name), policy);
    if (!learns_shares(x)) return;
    char *line = wadi_sizes_read(x->plan, phase, name_for(x, "shares", name, sizeof name));
    if (line != NULL) (void)wadi_sharing_load(&x->sharing, line);
    free(line);
}

void wadi_run_learn(const wadi_run *x, int phase, const char *policy_name,
                    const wadi_policy *policy, int64_t took_ns) {
    char name[64];
    if (took_ns < LEARNING_NS) return;
    if (learns_sizes(x))
        wadi_sizes_save(x->plan, phase, name_for(x, policy_name, name, sizeof name), policy);
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
