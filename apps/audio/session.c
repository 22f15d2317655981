/* The state of a run over many inputs: what the command is, and a line of numbers. */
#include "apps/audio/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/kept_folder.h"
#include "sched/traits.h"

static const char title[] = "wadi-flac state 1";

/* What is known of an input. OURS: it was tried, and had no output before, so one that is there is of that try. */
enum { OPEN = '0', DONE = '1', OURS = '2' };

/* The input that is begun. */
typedef struct begun {
    int64_t number;                /* plus one; 0: none is */
    int64_t had_input, had_output; /* which were there then, or not */
} begun;

struct flac_session {
    wadi_kept_folder *folder;
    wadi_text inputs, options; /* facts */
    char *inputs_done;         /* a letter for each input, and a 0 */
    int64_t warned;
    begun now;
};

/* ---- what the command is ---- */

static bool is_input(const flac_options *o, const char *arg) {
    for (size_t i = 0; i < o->inputs.n; i++)
        if (o->inputs.at[i] == arg) return true;
    return false;
}

/* How many arguments from `at` on say where and whether a run goes on, and how it is watched: these may differ. */
static int beside_options(char *const *at) {
    static const char *const names[] = {"--state",      "--log",         "--http",
                                        "--http-token", "--via",         "--workers",
                                        "--key",        "--worker-keys", "--token"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t n = strlen(names[i]);
        if (strcmp(at[0], names[i]) == 0) return at[1] != NULL ? 2 : 1;
        if (strncmp(at[0], names[i], n) == 0 && at[0][n] == '=') return 1;
    }
    return strcmp(at[0], "--accept-change") == 0;
}

static wadi_status describe(flac_session *s, const flac_options *o, int argc, char *const *argv,
                            wadi_error *err) {
    wadi_traits_put(&s->inputs, "another version of wadi", "", WADI_VERSION);
    for (size_t i = 0; i < o->inputs.n; i++)
        wadi_traits_put(&s->inputs, "other inputs", "", o->inputs.at[i]);
    wadi_traits_end(&s->inputs);
    for (int i = 1; i < argc; i++) {
        const int skip = beside_options(argv + i);
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

static wadi_status take_letters(flac_session *s, wadi_state_reader *from, wadi_error *err) {
    wadi_text letters = {0};
    wadi_status status = wadi_state_take_text(from, &letters, err);
    const char *at = wadi_text_str(&letters);
    const size_t n = strlen(s->inputs_done);
    if (status == WADI_OK && (strlen(at) != n || strspn(at, "012") != n))
        status = wadi_fail(err, WADI_INVALID, "%s: what is saved there is of other inputs",
                           wadi_kept_folder_name(s->folder));
    if (status == WADI_OK) memcpy(s->inputs_done, at, n);
    wadi_text_fini(&letters);
    return status;
}

static wadi_status take_begun(wadi_state_reader *from, size_t inputs, begun *out, wadi_error *err) {
    WADI_TRY(wadi_state_take_count(from, (int64_t)inputs, &out->number, err));
    WADI_TRY(wadi_state_take_count(from, 1, &out->had_input, err));
    return wadi_state_take_count(from, 1, &out->had_output, err);
}

static bool exists(const char *path) {
    return path != NULL && access(path, F_OK) == 0;
}

/* What became of the input that an earlier process had begun. An input is deleted only when its output is complete: one that was there, and is gone, is
 * done. */
static void settle(flac_session *s, const flac_options *o) {
    const begun *b = &s->now;
    if (b->number == 0) return;
    char *letter = &s->inputs_done[b->number - 1];
    if (o->delete_input && b->had_input != 0 && !exists(o->inputs.at[b->number - 1]))
        *letter = DONE;
    else if (b->had_output == 0)
        *letter = OURS;
    s->now = (begun){0};
}

static wadi_status load(flac_session *s, const flac_options *o, const char *bytes, size_t n,
                        wadi_error *err) {
    wadi_state_reader from = {bytes, n};
    const wadi_state_reader inputs = {s->inputs.at, s->inputs.n},
                            options = {s->options.at, s->options.n};
    WADI_TRY(wadi_traits_compare(o->state, false, inputs, &from, err));
    WADI_TRY(wadi_traits_compare(o->state, o->accept_change, options, &from, err));
    WADI_TRY(take_letters(s, &from, err));
    WADI_TRY(wadi_state_take_count(&from, 1, &s->warned, err));
    WADI_TRY(take_begun(&from, o->inputs.n, &s->now, err));
    settle(s, o);
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
    free(s->inputs_done);
    free(s);
}

static wadi_status make_letters(flac_session *s, size_t n, wadi_error *err) {
    s->inputs_done = malloc(n + 1);
    if (s->inputs_done == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    memset(s->inputs_done, OPEN, n);
    s->inputs_done[n] = '\0';
    return WADI_OK;
}

wadi_status flac_session_open(const flac_options *o, int argc, char *const *argv,
                              flac_session **out, wadi_error *err) {
    flac_session *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", o->state);
    wadi_status status = make_letters(s, o->inputs.n, err);
    if (status == WADI_OK) status = wadi_kept_folder_open(o->state, title, &s->folder, err);
    if (status == WADI_OK) status = describe(s, o, argc, argv, err);
    if (status == WADI_OK) status = find(s, o, err);
    if (status == WADI_OK)
        *out = s;
    else
        destroy(s, false);
    return status;
}

bool flac_session_is_done(const flac_session *s, size_t i) {
    return s != NULL && s->inputs_done[i] == DONE;
}

size_t flac_session_done(const flac_session *s) {
    size_t n = 0;
    for (const char *at = s != NULL ? s->inputs_done : ""; *at != '\0'; at++) n += *at == DONE;
    return n;
}

bool flac_session_warned(const flac_session *s) {
    return s != NULL && s->warned != 0;
}

/* ---- noting ---- */

static wadi_status save(flac_session *s, wadi_error *err) {
    wadi_text t = {0};
    wadi_text_add_n(&t, s->inputs.at, s->inputs.n);
    wadi_text_add_n(&t, s->options.at, s->options.n);
    wadi_state_put_text(&t, s->inputs_done);
    wadi_state_put(&t, s->warned);
    wadi_state_put(&t, s->now.number);
    wadi_state_put(&t, s->now.had_input);
    wadi_state_put(&t, s->now.had_output);
    const wadi_status status = wadi_kept_folder_write(s->folder, &t, err);
    wadi_text_fini(&t);
    return status;
}

wadi_status flac_session_begin(flac_session *s, const flac_options *o, size_t i, bool *out_ours,
                               wadi_error *err) {
    *out_ours = s != NULL && s->inputs_done[i] == OURS;
    if (s == NULL) return WADI_OK;
    s->now = (begun){(int64_t)i + 1, exists(o->in), *out_ours ? 0 : exists(o->out)};
    return save(s, err);
}

void flac_session_note(flac_session *s, size_t i, bool done, bool warned) {
    if (s == NULL) return;
    const bool tried = s->now.number == (int64_t)i + 1 && s->now.had_output == 0;
    if (done || tried) s->inputs_done[i] = done ? DONE : OURS;
    s->warned = warned;
    s->now = (begun){0};
}

wadi_status flac_session_close(flac_session *owned_s, wadi_error *err) {
    wadi_status status = WADI_OK;
    if (owned_s == NULL) return WADI_OK;
    const bool all = flac_session_done(owned_s) == strlen(owned_s->inputs_done);
    if (!all && owned_s->now.number == 0) status = save(owned_s, err);
    destroy(owned_s, all);
    return status;
}
