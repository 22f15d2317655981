/* Reading and writing learned chunk sizes. The name of a file is the digest of the program, the number of the stream, and the
 * policy. Its text is readable: a comment, then the line that the policy wrote. */
#include "sched/sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "base/user_cache.h"

enum { DIGITS = 16 /* bytes of the digest in the name of a file */, ROOM = 1200 };

bool wadi_sizes_wanted(void) {
    const char *learn = getenv("WADI_LEARN");
    return learn == NULL || strcmp(learn, "off") != 0;
}

/* The path of the file. False if the program has no digest, or there is no cache folder. */
static bool find_path(const wadi_plan *plan, int stream, const char *name, char out[ROOM]) {
    static const uint8_t unknown[sizeof plan->program];
    char directory[ROOM / 2], digest[2 * DIGITS + 1];
    if (memcmp(plan->program, unknown, sizeof unknown) == 0) return false;
    if (wadi_user_cache(directory, sizeof directory, NULL) != WADI_OK) return false;
    wadi_hex(plan->program, DIGITS, digest);
    (void)snprintf(out, ROOM, "%s/%s-%d-%.40s.size", directory, digest, stream, name);
    return true;
}

bool wadi_sizes_load(const wadi_plan *plan, int stream, const char *name, wadi_policy *p) {
    char path[ROOM];
    char *text = NULL;
    size_t n = 0;
    if (!find_path(plan, stream, name, path)) return false;
    if (wadi_file_read(path, &text, &n, NULL) != WADI_OK) return false;
    char *line = strchr(text, '\n'); /* the end of the comment */
    bool known = line != NULL;
    if (known) {
        line[1 + strcspn(line + 1, "\n")] = '\0';
        known = p->ops->load(p, line + 1, NULL) == WADI_OK;
    }
    free(text);
    return known;
}

void wadi_sizes_save(const wadi_plan *plan, int stream, const char *name, const wadi_policy *p) {
    char path[ROOM];
    wadi_text t;
    if (!find_path(plan, stream, name, path)) return;
    wadi_text_init(&t);
    wadi_text_addf(&t, "# elements per chunk: program %s, stream %d, policy %s\n",
                   plan->name != NULL ? plan->name : "", stream, name);
    p->ops->save(p, &t);
    wadi_text_add(&t, "\n");
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    if (!t.failed) (void)!wadi_outfile_put(path, t.at, t.n, &options, NULL);
    wadi_text_fini(&t);
}
