/* Reading and writing learned chunk sizes. The name of a file is the digest of the program, the number of the stream, and the
 * policy. Its text is readable: a comment, then the line that the policy wrote. */
#include "sched/sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "base/user_cache.h"

enum { DIGITS = 16 /* bytes of the digest in the name of a file */, ROOM = 1200 };

bool wadi_sizes_wanted(void) {
    return wadi_switch_is_on(WADI_SWITCH_LEARN);
}

bool wadi_sizes_known(const wadi_plan *plan) {
    static const uint8_t unknown[sizeof plan->program];
    return memcmp(plan->program, unknown, sizeof unknown) != 0;
}

/* The path of the file. False if the program has no digest, or there is no cache folder. */
static bool find_path(const wadi_plan *plan, int stream, const char *name, char out[ROOM]) {
    char directory[ROOM / 2], digest[2 * DIGITS + 1];
    if (!wadi_sizes_known(plan)) return false;
    if (wadi_user_cache(directory, sizeof directory, NULL) != WADI_OK) return false;
    wadi_hex(plan->program, DIGITS, digest);
    (void)snprintf(out, ROOM, "%s/%s-%d-%.40s.size", directory, digest, stream, name);
    return true;
}

char *wadi_sizes_read(const wadi_plan *plan, int stream, const char *name) {
    char path[ROOM];
    char *text = NULL;
    size_t n = 0;
    if (!find_path(plan, stream, name, path)) return NULL;
    if (wadi_file_read_most(path, WADI_FILE_TEXT, &text, &n, NULL) != WADI_OK) return NULL;
    char *end = strchr(text, '\n'); /* of the comment */
    if (end == NULL) {
        free(text);
        return NULL;
    }
    const size_t length = strcspn(end + 1, "\n");
    memmove(text, end + 1, length);
    text[length] = '\0';
    return text;
}

void wadi_sizes_write(const wadi_plan *plan, int stream, const char *name, const char *what,
                      const char *by, const char *line) {
    char path[ROOM];
    wadi_text t;
    if (!find_path(plan, stream, name, path)) return;
    wadi_text_init(&t);
    wadi_text_addf(&t, "# %s: program %s, stream %d, %s\n%s\n", what,
                   plan->name != NULL ? plan->name : "", stream, by, line);
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    if (!t.failed) (void)!wadi_outfile_put(path, t.at, t.n, &options, NULL);
    wadi_text_fini(&t);
}

bool wadi_sizes_load(const wadi_plan *plan, int stream, const char *name, wadi_policy *p) {
    char *line = wadi_sizes_read(plan, stream, name);
    const bool known = line != NULL && p->ops->load(p, line, NULL) == WADI_OK;
    free(line);
    return known;
}

void wadi_sizes_save(const wadi_plan *plan, int stream, const char *name, const wadi_policy *p) {
    wadi_text line = {0}, by = {0};
    p->ops->save(p, &line);
    wadi_text_addf(&by, "policy %s", name);
    if (!line.failed && !by.failed)
        wadi_sizes_write(plan, stream, name, "elements per chunk", wadi_text_str(&by),
                         wadi_text_str(&line));
    wadi_text_fini(&line);
    wadi_text_fini(&by);
}
