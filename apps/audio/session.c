/* The state of a run over many inputs: what the command is, and a line of numbers. */
#include "apps/audio/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/kept_folder.h"
#include "sched/traits.h"

static const char title[] = "wadi-flac state 1";

/* Where the run is. */
typedef struct place {
    int64_t done; /* how many inputs */
    int64_t failed, warned;
    int64_t begun;                 /* the next one is, */
    int64_t had_input, had_output; /* which were there then, or not */
} place;

struct flac_session {
    wadi_kept_folder *folder;
    wadi_text inputs, options; /* facts */
    place now;
    place left; /* by an earlier process */
};

/* ---- what the command is ---- */

static bool is_input(const flac_options *o, const char *arg) {
    for (size_t i = 0; i < o->inputs.n; i++)
        if (o->inputs.at[i] == arg) return true;
    return false;
}

/* How many arguments from `at` on say where and whether a run goes on: these may differ. */
static int about_state(char *const *at) {
    if (strcmp(at[0], "--state") == 0) return at[1] != NULL ? 2 : 1;
    return strncmp(at[0], "--state=", 8) == 0 || strcmp(at[0], "--accept-change") == 0;
}

static wadi_status describe(flac_session *s, const flac_options *o, int argc, char *const *argv,
                            wadi_error *err) {
    wadi_traits_put(&s->inputs, "another version of wadi", "", WADI_VERSION);
    for (size_t i = 0; i < o->inputs.n; i++)
        wadi_traits_put(&s->inputs, "other inputs", "", o->inputs.at[i]);
    wadi_traits_end(&s->inputs);
    for (int i = 1; i < argc; i++) {
        const int skip = about_state(argv + i);
        if (skip > 0) i += skip - 1;
        if (skip == 0 && !is_input(o, argv[i]))
            wadi_traits_put(&s->options, "other options", "", argv[i]);
    }
    wadi_traits_end(&s->options);
    return s->inputs.failed || s->options.failed
               ? wadi_fail(err, WADI_MEMORY, "%s: out of memory", o->state)
               : WADI_OK;
}

/* ---- going on ---- */

static wadi_status take_place(wadi_state_reader *from, size_t inputs, place *out, wadi_error *err) {
    WADI_TRY(wadi_state_take_count(from, (int64_t)inputs, &out->done, err));
    WADI_TRY(wadi_state_take_count(from, 1, &out->failed, err));
    WADI_TRY(wadi_state_take_count(from, 1, &out->warned, err));
    WADI_TRY(wadi_state_take_count(from, 1, &out->begun, err));
    WADI_TRY(wadi_state_take_count(from, 1, &out->had_input, err));
    return wadi_state_take_count(from, 1, &out->had_output, err);
}

static wadi_status load(flac_session *s, const flac_options *o, const char *bytes, size_t n,
                        wadi_error *err) {
    wadi_state_reader from = {bytes, n};
    const wadi_state_reader inputs = {s->inputs.at, s->inputs.n},
                            options = {s->options.at, s->options.n};
    WADI_TRY(wadi_traits_compare(o->state, false, inputs, &from, err));
    WADI_TRY(wadi_traits_compare(o->state, o->accept_change, options, &from, err));
    WADI_TRY(take_place(&from, o->inputs.n, &s->left, err));
    s->now = s->left;
    return WADI_OK;
}

static wadi_status find(flac_session *s, const flac_options *o, wadi_error *err) {
    char *bytes = NULL;
    size_t n = 0;
    WADI_TRY(wadi_kept_folder_read(s->folder, &bytes, &n, err));
    const wadi_status status = bytes != NULL ? load(s, o, bytes, n, err) : WADI_OK;
    free(bytes);
    return status;
}

static void destroy(flac_session *s, bool done) {
    wadi_kept_folder_close(s->folder, done);
    wadi_text_fini(&s->inputs);
    wadi_text_fini(&s->options);
    free(s);
}

wadi_status flac_session_open(const flac_options *o, int argc, char *const *argv,
                              flac_session **out, wadi_error *err) {
    flac_session *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", o->state);
    wadi_status status = wadi_kept_folder_open(o->state, title, &s->folder, err);
    if (status == WADI_OK) status = describe(s, o, argc, argv, err);
    if (status == WADI_OK) status = find(s, o, err);
    if (status == WADI_OK)
        *out = s;
    else
        destroy(s, false);
    return status;
}

size_t flac_session_first(const flac_session *s) {
    return s != NULL ? (size_t)s->now.done : 0;
}

bool flac_session_failed(const flac_session *s) {
    return s != NULL && s->now.failed != 0;
}

bool flac_session_warned(const flac_session *s) {
    return s != NULL && s->now.warned != 0;
}

/* ---- noting ---- */

static wadi_status save(flac_session *s, wadi_error *err) {
    wadi_text t = {0};
    wadi_text_add_n(&t, s->inputs.at, s->inputs.n);
    wadi_text_add_n(&t, s->options.at, s->options.n);
    wadi_state_put(&t, s->now.done);
    wadi_state_put(&t, s->now.failed);
    wadi_state_put(&t, s->now.warned);
    wadi_state_put(&t, s->now.begun);
    wadi_state_put(&t, s->now.had_input);
    wadi_state_put(&t, s->now.had_output);
    const wadi_status status = wadi_kept_folder_write(s->folder, &t, err);
    wadi_text_fini(&t);
    return status;
}

static bool exists(const char *path) {
    return path != NULL && access(path, F_OK) == 0;
}

/* An input is deleted only when its output is complete. So if it was there when it was begun, and is gone, it is done. */
wadi_status flac_session_begin(flac_session *s, const flac_options *o, size_t i, bool *out_done,
                               bool *out_ours, wadi_error *err) {
    *out_done = *out_ours = false;
    if (s == NULL) return WADI_OK;
    const bool again = s->left.begun != 0 && (size_t)s->left.done == i;
    *out_ours = again && s->left.had_output == 0;
    *out_done = again && o->delete_input && s->left.had_input != 0 && !exists(o->in);
    if (again) return WADI_OK; /* what was there is noted already */
    s->now.begun = true;
    s->now.had_input = exists(o->in);
    s->now.had_output = exists(o->out);
    return save(s, err);
}

void flac_session_note(flac_session *s, size_t n, bool failed, bool warned) {
    if (s != NULL) s->now = (place){.done = (int64_t)n, .failed = failed, .warned = warned};
}

wadi_status flac_session_close(flac_session *owned_s, bool all, wadi_error *err) {
    wadi_status status = WADI_OK;
    if (owned_s == NULL) return WADI_OK;
    if (!all && owned_s->now.begun == 0) status = save(owned_s, err);
    destroy(owned_s, all);
    return status;
}
