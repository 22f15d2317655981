/* Measured speeds are kept in the cache folder, under the number of processors and their name. A machine may be busy with other work while it is
 * measured, so the first few processes that ask measure it anew, and the greatest result is kept. */
#include "sched/speed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "base/task.h"
#include "base/thread.h"
#include "base/user_cache.h"
#include "sched/devices.h"

enum { ROOM = 1200, TRIES = 4 };

static bool find_path(const wadi_speed *s, char out[ROOM]) {
    char folder[ROOM / 2];
    wadi_device_facts facts = {.memory = 0};
    if (wadi_user_cache(folder, sizeof folder, NULL) != WADI_OK) return false;
    if (wadi_devices->tell(0, &facts, NULL) != WADI_OK) return false;
    (void)snprintf(out, ROOM, "%s/%s-%d-%016" PRIx64 ".speed", folder, s->name,
                   wadi_thread_processors(), wadi_hash_bytes(facts.name, strlen(facts.name)));
    return true;
}

/* What is kept: the greatest result of some tries. */
typedef struct kept {
    double speed; /* 0: nothing usable is kept */
    int tries;
} kept;

static kept read_kept(const char *path) {
    char *text = NULL, *rest = NULL;
    size_t n = 0;
    kept k = {0};
    if (wadi_file_read_most(path, WADI_FILE_TEXT, &text, &n, NULL) != WADI_OK) return k;
    const char *line = strchr(text, '\n'); /* of the comment */
    if (line != NULL) {
        k.speed = wadi_format_read_f64(line + 1, &rest);
        k.tries = (int)strtol(rest, NULL, 10);
    }
    free(text);
    if (k.speed > 1e6 && k.speed < 1e15 && k.tries > 0) return k;
    return (kept){0};
}

static void keep(const wadi_speed *s, const char *path, const kept *k) {
    char text[200];
    const int n =
        wadi_format(text, sizeof text, "# %s, and tries\n%.0f\n%d\n", s->about, k->speed, k->tries);
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    (void)!wadi_outfile_put(path, text, (size_t)n, &options, NULL);
}

static double kept_or_measured(const wadi_speed *s) {
    char path[ROOM];
    const bool has_path = find_path(s, path);
    kept k = has_path ? read_kept(path) : (kept){0};
    if (k.tries >= TRIES) return k.speed;
    const double measured = s->measure();
    if (measured > k.speed) k.speed = measured;
    k.tries++;
    if (has_path && measured > 0) keep(s, path, &k);
    return k.speed;
}

/* A task that is stopped reads no files, and a run that was cancelled has a profile too. */
double wadi_speed_of(wadi_speed *s) {
    (void)pthread_mutex_lock(&s->lock);
    const wadi_task before = wadi_task_begin((wadi_task){.name = s->name});
    if (!(s->known > 0)) s->known = kept_or_measured(s);
    wadi_task_end(before);
    const double known = s->known;
    (void)pthread_mutex_unlock(&s->lock);
    return known;
}
