/* Whether the library of a kind of devices can be asked at all. One that is broken may crash whoever asks it, or never answer. So a process of its own
 * asks first. That it went well is noted in the user's cache for a day, so that the next processes need not ask twice; the note is away while
 * this process asks itself, so that none is left by one that crashes then. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ask.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/patience.h"
#include "base/user_cache.h"
#include "sched/devices.h"
#include "sched/sizes.h"

enum { ROOM = 1024, DAY_S = 24 * 60 * 60 };

/* What was found out of a kind. */
typedef struct asked {
    const wadi_device_row *row; /* NULL: this is free */
    bool done;
    wadi_status status;
    wadi_error why;
} asked;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static asked found[WADI_DEVICES_MOST];

/* ---- the note ---- */

/* What decides which library it is. */
static uint64_t surroundings(const wadi_device_row *row) {
    static const char *const names[] = {"WADI_CUDA_DRIVER", "WADI_NVRTC",      "WADI_OPENCL_DRIVER",
                                        "OCL_ICD_VENDORS",  "LD_LIBRARY_PATH", "POCL_DEVICES"};
    uint64_t h = wadi_hash_bytes(row->name, strlen(row->name));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        h = wadi_hash64(h + (value != NULL ? wadi_hash_bytes(value, strlen(value)) : i));
    }
    return h;
}

/* False: nothing can be noted. */
static bool find_note(const wadi_device_row *row, char out[ROOM]) {
    char folder[ROOM / 2];
    if (!wadi_sizes_wanted() || wadi_user_cache(folder, sizeof folder, NULL) != WADI_OK)
        return false;
    snprintf(out, ROOM, "%s/%s-%016" PRIx64 ".asked", folder, row->name, surroundings(row));
    return true;
}

/* Whether there was one, and it is fresh. */
static bool take_note(const char *path) {
    struct stat about;
    const time_t now = time(NULL);
    const bool fresh =
        stat(path, &about) == 0 && about.st_mtime <= now && now - about.st_mtime < DAY_S;
    return unlink(path) == 0 && fresh;
}

static void leave_note(const char *path) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) (void)close(fd);
}

/* ---- asking ---- */

/* All that a run on such a device asks before it opens one. */
static void ask_all(const void *env, wadi_text *answer) {
    const wadi_device_row *row = env;
    int count = 0;
    WADI_UNUSED(answer);
    if (row->count(&count, NULL) != WADI_OK) return;
    for (int i = 0; i < count; i++) {
        wadi_device_facts facts;
        const wadi_status status = row->tell(i, &facts, NULL);
        WADI_UNUSED(status);
    }
}

static wadi_status ask_apart(const wadi_device_row *row, wadi_error *err) {
    const int64_t limit = wadi_patience_ns();
    int code = 0;
    wadi_text words = {0};
    const wadi_ask_end end = wadi_ask(ask_all, row, limit, &words, &code);
    wadi_status status = WADI_OK; /* also if no process could be started */
    if (end == WADI_ASK_STOPPED) status = wadi_fail(err, WADI_CANCELLED, "cancelled");
    if (end == WADI_ASK_CRASHED || end == WADI_ASK_LATE) {
        wadi_ask_tell(end, code, limit, &words);
        status =
            wadi_fail(err, WADI_DEVICE, "%s: its library %s", row->name, wadi_text_str(&words));
    }
    wadi_text_fini(&words);
    return status;
}

typedef struct counting {
    const wadi_device_row *row;
    wadi_status status;
    int count;
} counting;

static void count_now(void *env) {
    counting *c = env;
    c->status = c->row->count(&c->count, NULL);
}

/* As long ago as the note is, the library may have begun to hang. If it does, nobody asks it again. */
static wadi_status count_patiently(counting *c, wadi_error *err) {
    char what[64];
    bool left = false;
    snprintf(what, sizeof what, "%.32s: its library", c->row->name);
    return wadi_patience_call(what, count_now, c, &left, err);
}

/* *out_over: the answer is the last one. One who was stopped while another process asked may ask again. */
static wadi_status ask(const wadi_device_row *row, bool *out_over, wadi_error *err) {
    char note[ROOM];
    const bool notes = find_note(row, note), noted = notes && take_note(note);
    counting *c = calloc(1, sizeof *c);
    *out_over = false;
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", row->name);
    c->row = row;
    wadi_status status = noted ? count_patiently(c, err) : ask_apart(row, err);
    *out_over = noted || status != WADI_CANCELLED;
    if (noted && status != WADI_OK) return status; /* who was left behind has *c */
    if (!noted && status == WADI_OK) count_now(c);
    if (status == WADI_OK && c->status == WADI_OK && notes) leave_note(note);
    free(c);
    return status;
}

/* By the lock. There are few kinds; one more than there is room for would share the last place, and be asked again. */
static asked *place_of(const wadi_device_row *row) {
    asked *a = found;
    while (a->row != NULL && a->row != row && a < found + WADI_DEVICES_MOST - 1) a++;
    if (a->row != row) *a = (asked){.row = row};
    return a;
}

wadi_status wadi_device_ask(const wadi_device_row *row, wadi_error *err) {
    if (!row->may_crash) return WADI_OK;
    (void)pthread_mutex_lock(&lock);
    asked *a = place_of(row);
    if (!a->done) a->status = ask(row, &a->done, &a->why);
    const wadi_status status = a->status;
    if (status != WADI_OK && err != NULL) *err = a->why;
    (void)pthread_mutex_unlock(&lock);
    return status;
}
