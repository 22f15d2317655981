/* The state of an attack: what it is about, its place, and a letter for each digest. */
#include "apps/md5/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sketch.h"
#include "base/kept_folder.h"
#include "base/thread.h"
#include "sched/traits.h"

static const char title[] = "wadi-md5 state 1";

enum { NOT_FOUND = '0', FOUND = '1' };

struct md5_session {
    const md5_subject *subject;
    wadi_kept_folder *folder;
    wadi_text attack,
        dictionaries; /* facts: what can be no other, and what can be if the user says so */
    wadi_mutex lock;  /* guards the rest */
    bool locks;       /* the lock exists */
    bool news;        /* a digest was found since the last save */
    char *found;      /* a letter for each digest, and a 0 */
};

/* ---- what the attack is about ---- */

static wadi_status describe_attack(md5_session *m, wadi_error *err) {
    const md5_subject *s = m->subject;
    uint8_t sum[32];
    char hex[65];
    if (wadi_sha256(s->targets->digest, s->targets->n * MD5_DIGEST, sum))
        return wadi_fail(err, WADI_UNSUPPORTED, "SHA-256 is not available");
    wadi_hex(sum, sizeof sum, hex);
    wadi_traits_put(&m->attack, "other digests", "", hex);
    wadi_traits_put(&m->attack, "another value of --keep-cr", "", s->keep_cr ? "yes" : "no");
    wadi_traits_put(&m->attack, "another value of --no-unpack", "", s->as_is ? "yes" : "no");
    wadi_traits_put(&m->attack, "another --output", "", s->output != NULL ? s->output : "");
    wadi_traits_end(&m->attack);
    return WADI_OK;
}

/* A pipe is taken at its word. */
static wadi_status sketch_of(const md5_subject *s, int i, wadi_text *out, wadi_error *err) {
    if (md5_input_size(s->in, i) < 0) return WADI_OK;
    if (strcmp(s->paths[i], "-") == 0) return wadi_sketch(STDIN_FILENO, "standard input", out, err);
    return wadi_sketch_file(s->paths[i], out, err);
}

static wadi_status describe_dictionary(md5_session *m, int i, wadi_error *err) {
    const md5_subject *s = m->subject;
    wadi_text sketch = {0};
    const wadi_status status = sketch_of(s, i, &sketch, err);
    wadi_traits_put(&m->dictionaries, "other dictionaries", "", s->paths[i]);
    wadi_traits_put(&m->dictionaries, "other words of the dictionary", s->paths[i],
                    wadi_text_str(&sketch));
    wadi_text_fini(&sketch);
    return status;
}

static wadi_status describe(md5_session *m, wadi_error *err) {
    WADI_TRY(describe_attack(m, err));
    wadi_traits_put(&m->dictionaries, "another version of wadi", "", WADI_VERSION);
    for (int i = 0; i < m->subject->n; i++) WADI_TRY(describe_dictionary(m, i, err));
    wadi_traits_end(&m->dictionaries);
    return m->attack.failed || m->dictionaries.failed
               ? wadi_fail(err, WADI_MEMORY, "session: out of memory")
               : WADI_OK;
}

/* ---- loading ---- */

static wadi_status take_place(const md5_session *m, wadi_state_reader *from, md5_resume *out,
                              wadi_error *err) {
    int64_t file = 0;
    WADI_TRY(wadi_state_take_count(from, m->subject->n, &file, err));
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &out->place.offset, err));
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &out->place.words, err));
    out->place.file = (int)file;
    return wadi_state_take_count(from, INT64_MAX, &out->output, err);
}

static wadi_status take_found(md5_session *m, wadi_state_reader *from, wadi_error *err) {
    md5_targets *t = m->subject->targets;
    wadi_text letters = {0};
    wadi_status status = wadi_state_take_text(from, &letters, err);
    const char *at = wadi_text_str(&letters);
    const size_t n = strlen(at); /* 0: the output tells */
    if (status == WADI_OK && ((n > 0 && n != t->n) || strspn(at, "01") != n))
        status = wadi_fail(err, WADI_INVALID, "%s: there are other digests in what is saved",
                           wadi_kept_folder_name(m->folder));
    for (size_t i = 0; i < n && status == WADI_OK; i++) {
        if (at[i] != FOUND) continue;
        m->found[i] = FOUND;
        t->nfound += !t->found[i];
        t->found[i] = true;
    }
    wadi_text_fini(&letters);
    return status;
}

static wadi_status load(md5_session *m, bool accept_change, wadi_state_reader from, md5_resume *out,
                        wadi_error *err) {
    const char *dir = wadi_kept_folder_name(m->folder);
    const wadi_state_reader attack = {m->attack.at, m->attack.n},
                            dictionaries = {m->dictionaries.at, m->dictionaries.n};
    WADI_TRY(wadi_traits_compare(dir, false, attack, &from, err));
    WADI_TRY(wadi_traits_compare(dir, accept_change, dictionaries, &from, err));
    WADI_TRY(take_place(m, &from, out, err));
    return take_found(m, &from, err);
}

static wadi_status find(md5_session *m, bool accept_change, md5_resume *out, wadi_error *err) {
    char *bytes = NULL;
    size_t n = 0;
    WADI_TRY(wadi_kept_folder_read(m->folder, &bytes, &n, err));
    const wadi_status status =
        bytes != NULL ? load(m, accept_change, (wadi_state_reader){bytes, n}, out, err) : WADI_OK;
    free(bytes);
    return status;
}

/* ---- life ---- */

static wadi_status make_found(md5_session *m, wadi_error *err) {
    const size_t n = m->subject->targets->n;
    WADI_TRY(wadi_mutex_init(&m->lock, err));
    m->locks = true;
    m->found = malloc(n + 1);
    if (m->found == NULL) return wadi_fail(err, WADI_MEMORY, "session: out of memory");
    memset(m->found, NOT_FOUND, n);
    m->found[n] = '\0';
    return WADI_OK;
}

wadi_status md5_session_open(const char *dir, bool accept_change, const md5_subject *s,
                             md5_session **out, md5_resume *out_resume, wadi_error *err) {
    *out = NULL;
    *out_resume = (md5_resume){.output = -1};
    md5_session *m = calloc(1, sizeof *m);
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "session: out of memory");
    m->subject = s;
    wadi_status status = make_found(m, err);
    if (status == WADI_OK) status = wadi_kept_folder_open(dir, title, &m->folder, err);
    if (status == WADI_OK) status = describe(m, err);
    if (status == WADI_OK) status = find(m, accept_change, out_resume, err);
    if (status == WADI_OK)
        *out = m;
    else
        md5_session_close(m, false);
    return status;
}

void md5_session_close(md5_session *owned_s, bool over) {
    md5_session *s = owned_s;
    if (s == NULL) return;
    wadi_kept_folder_close(s->folder, over);
    wadi_text_fini(&s->attack);
    wadi_text_fini(&s->dictionaries);
    if (s->locks) wadi_mutex_fini(&s->lock);
    free(s->found);
    free(s);
}

/* ---- saving ---- */

void md5_session_found(md5_session *s, const uint8_t digest[MD5_DIGEST]) {
    const int64_t i = md5_targets_find(s->subject->targets, digest);
    if (s->subject->output != NULL || i < 0) return;
    wadi_mutex_lock(&s->lock);
    s->found[i] = FOUND;
    s->news = true;
    wadi_mutex_unlock(&s->lock);
}

bool md5_session_has_news(md5_session *s) {
    wadi_mutex_lock(&s->lock);
    const bool news = s->news;
    wadi_mutex_unlock(&s->lock);
    return news;
}

static void put_found(md5_session *s, wadi_text *out) {
    wadi_mutex_lock(&s->lock);
    wadi_state_put_text(out, s->subject->output == NULL ? s->found : "");
    s->news = false;
    wadi_mutex_unlock(&s->lock);
}

wadi_status md5_session_save(md5_session *s, md5_resume at, wadi_error *err) {
    wadi_text t = {0};
    wadi_text_add_n(&t, s->attack.at, s->attack.n);
    wadi_text_add_n(&t, s->dictionaries.at, s->dictionaries.n);
    wadi_state_put(&t, at.place.file);
    wadi_state_put(&t, at.place.offset);
    wadi_state_put(&t, at.place.words);
    wadi_state_put(&t, at.output);
    put_found(s, &t);
    const wadi_status status = wadi_kept_folder_write(s->folder, &t, err);
    wadi_text_fini(&t);
    return status;
}
