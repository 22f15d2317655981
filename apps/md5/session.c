/* Writing and reading the session file. */
#include "apps/md5/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

struct md5_session {
    const md5_subject *subject;
    md5_log log;
    wadi_text head;
    int64_t slot
        [2]; /* where the two places at the end of the file begin, the older one first; -1: none */
    wadi_mutex lock; /* guards `found` */
    wadi_text found; /* lines for the next save */
};

/* All places have the same length, so that one can overwrite another. */
static const char place_line[] = "place %10d %19lld %19lld %19lld\n";

/* ---- what identifies the attack ---- */

static wadi_status describe(const md5_subject *s, wadi_text *t, wadi_error *err) {
    uint8_t sum[32];
    char hex[65];
    WADI_TRY(wadi_sha256(s->targets->digest, s->targets->n * MD5_DIGEST, sum)
                 ? wadi_fail(err, WADI_UNSUPPORTED, "SHA-256 is not available")
                 : WADI_OK);
    wadi_hex(sum, sizeof sum, hex);
    wadi_text_addf(t, "wadi-md5 session 2\ndigests %s\nwords %d %d\n", hex, s->as_is, s->keep_cr);
    for (int i = 0; i < s->n; i++)
        wadi_text_addf(t, "dictionary %lld %s\n", (long long)md5_input_size(s->in, i), s->paths[i]);
    if (s->output != NULL) wadi_text_addf(t, "output %s\n", s->output);
    return t->failed ? wadi_fail(err, WADI_MEMORY, "session: out of memory") : WADI_OK;
}

/* Sessions of version 1 do not say how words are read, and have no output. */
static wadi_status describe_first_version(const md5_subject *s, const wadi_text *head, wadi_text *t,
                                          wadi_error *err) {
    if (s->as_is || s->output != NULL) return WADI_OK;
    const char *digests = strstr(wadi_text_str(head), "\ndigests "),
               *words = strstr(digests, "\nwords "), *rest = strchr(words + 1, '\n');
    wadi_text_add(t, "wadi-md5 session 1");
    wadi_text_add_n(t, digests, (size_t)(words - digests));
    wadi_text_add(t, rest);
    return t->failed ? wadi_fail(err, WADI_MEMORY, "session: out of memory") : WADI_OK;
}

/* ---- loading ---- */

typedef struct loading {
    const char *path, *at, *end;
    int line;
} loading;

static wadi_status bad(const loading *l, const char *what, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s, line %d: %s", l->path, l->line, what);
}

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

static const char *what_differs(const char *line) {
    if (begins(line, "digests ")) return "the session is about other digests";
    if (begins(line, "words "))
        return "the session was begun with other values of --keep-cr or --no-unpack";
    if (begins(line, "dictionary ")) return "the session is about other dictionaries";
    if (begins(line, "output ")) return "the session was begun with another --output";
    return "this is not a session of wadi-md5";
}

/* The lines that identify the attack must be the same. */
static wadi_status compare(loading *l, const char *want, wadi_error *err) {
    for (; *want != '\0'; l->line++) {
        const size_t n = strcspn(want, "\n") + 1;
        if (strncmp(l->at, want, n) != 0) return bad(l, what_differs(want), err);
        l->at += n;
        want += n;
    }
    return WADI_OK;
}

static wadi_status take_place(const loading *l, const md5_subject *s, md5_resume *out,
                              wadi_error *err) {
    long long offset = 0, words = 0, output = 0;
    int file = 0;
    if (sscanf(l->at, "place %d %lld %lld %lld", &file, &offset, &words, &output) < 3 || file < 0 ||
        file > s->n || offset < 0 || words < 0 || output < 0)
        return bad(l, "expected \"place FILE OFFSET WORDS OUTPUT\"", err);
    const bool further =
        file > out->place.file || (file == out->place.file && offset >= out->place.offset);
    if (out->output < 0 || further) *out = (md5_resume){{file, offset, words}, output};
    return WADI_OK;
}

static wadi_status take_found(const loading *l, size_t n, md5_targets *t, wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    const bool ok = n == 6 + 2 * MD5_DIGEST && begins(l->at, "found ") &&
                    md5_digest_read(l->at + 6, 2 * MD5_DIGEST, digest);
    const int64_t i = ok ? md5_targets_find(t, digest) : -1;
    if (i < 0) return bad(l, "expected \"found DIGEST\" with a wanted digest", err);
    if (!t->found[i]) t->nfound++;
    t->found[i] = true;
    return WADI_OK;
}

/* Whether only zeros follow: a computer that crashed may leave them behind the last line. */
static bool is_zeros(const char *at, const char *end) {
    while (at < end && *at == '\0') at++;
    return at == end;
}

static wadi_status take_line(const loading *l, size_t n, const md5_subject *s, md5_resume *out,
                             wadi_error *err) {
    if (begins(l->at, "place ")) return take_place(l, s, out, err);
    if (begins(l->at, "output ") || begins(l->at, "dictionary "))
        return bad(l, what_differs(l->at), err);
    return take_found(l, n, s->targets, err);
}

static wadi_status load(md5_session *m, loading *l, const char *head, md5_resume *out,
                        wadi_error *err) {
    const char *from = l->at;
    WADI_TRY(compare(l, head, err));
    for (const char *stop; l->at < l->end; l->at = stop + 1, l->line++) {
        stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
        if (stop == NULL || is_zeros(l->at, l->end)) break;
        WADI_TRY(take_line(l, (size_t)(stop - l->at), m->subject, out, err));
    }
    return l->at < l->end ? md5_log_cut(&m->log, l->at - from, err) : WADI_OK;
}

static wadi_status load_file(md5_session *m, md5_resume *out, wadi_error *err) {
    char *text = NULL;
    wadi_text first = {0};
    const char *head = wadi_text_str(&m->head);
    WADI_TRY(md5_log_read(&m->log, &text, err));
    wadi_status status = WADI_OK;
    loading l = {m->log.path, text, text + m->log.length, 1};
    if (begins(head, text)) { /* nothing, or the writing of the first lines was cut off */
        status = md5_log_cut(&m->log, 0, err);
    } else {
        if (begins(text, "wadi-md5 session 1\n")) {
            status = describe_first_version(m->subject, &m->head, &first, err);
            if (first.n > 0) head = wadi_text_str(&first);
        }
        if (status == WADI_OK) status = load(m, &l, head, out, err);
    }
    wadi_text_fini(&first);
    free(text);
    return status;
}

/* ---- life ---- */

static wadi_status open_session(md5_session *m, const char *path, md5_resume *out,
                                wadi_error *err) {
    if (md5_log_is_stream(path)) /* opening a FIFO would wait for a reader */
        return wadi_fail(err, WADI_INVALID, "%s: expected a regular file to keep the place in",
                         path);
    WADI_TRY(describe(m->subject, &m->head, err));
    WADI_TRY(md5_log_open(path, 0600, &m->log, err));
    return load_file(m, out, err);
}

wadi_status md5_session_open(const char *path, const md5_subject *s, md5_session **out,
                             md5_resume *out_resume, wadi_error *err) {
    md5_session *m = calloc(1, sizeof *m);
    *out = NULL;
    *out_resume = (md5_resume){.output = -1};
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "session: out of memory");
    const wadi_status status = wadi_mutex_init(&m->lock, err);
    if (status != WADI_OK) {
        free(m);
        return status;
    }
    m->subject = s;
    m->slot[0] = m->slot[1] = -1;
    const wadi_status opened = open_session(m, path, out_resume, err);
    if (opened == WADI_OK)
        *out = m;
    else
        md5_session_close(m);
    return opened;
}

void md5_session_close(md5_session *s) {
    if (s == NULL) return;
    md5_log_close(&s->log);
    wadi_text_fini(&s->head);
    wadi_text_fini(&s->found);
    wadi_mutex_fini(&s->lock);
    free(s);
}

void md5_session_end(md5_session *s) {
    md5_log_remove(&s->log);
}

/* ---- saving ---- */

bool md5_session_found(md5_session *s, const uint8_t digest[MD5_DIGEST]) {
    char hex[2 * MD5_DIGEST + 1];
    if (s->subject->output != NULL) return true; /* the output itself records them */
    wadi_hex(digest, MD5_DIGEST, hex);
    wadi_mutex_lock(&s->lock);
    wadi_text_addf(&s->found, "found %s\n", hex);
    const bool noted = !s->found.failed;
    wadi_mutex_unlock(&s->lock);
    return noted;
}

bool md5_session_has_news(md5_session *s) {
    wadi_mutex_lock(&s->lock);
    const bool news = s->found.n > 0;
    wadi_mutex_unlock(&s->lock);
    return news;
}

/* The lines to add: the first ones of a new file, and digests. */
static wadi_status gather(md5_session *s, wadi_text *t, wadi_error *err) {
    if (s->log.length == 0) wadi_text_add(t, wadi_text_str(&s->head));
    wadi_mutex_lock(&s->lock);
    wadi_text_add_n(t, wadi_text_str(&s->found), s->found.n);
    wadi_text_clear(&s->found);
    wadi_mutex_unlock(&s->lock);
    return t->failed ? wadi_fail(err, WADI_MEMORY, "session: out of memory") : WADI_OK;
}

/* Writes the place over the older of the two places, or appends it. */
static wadi_status add_place(md5_session *s, wadi_text *lines, const char *place, size_t n,
                             wadi_error *err) {
    const int64_t older = s->slot[0], start = s->log.length + (int64_t)lines->n;
    if (lines->n == 0 && older >= 0) {
        s->slot[0] = s->slot[1];
        s->slot[1] = older;
        return md5_log_put(&s->log, older, place, n, err);
    }
    s->slot[0] = lines->n == 0 ? s->slot[1] : -1;
    s->slot[1] = start;
    wadi_text_add_n(lines, place, n);
    if (lines->failed) return wadi_fail(err, WADI_MEMORY, "session: out of memory");
    return md5_log_add(&s->log, lines->at, lines->n, err);
}

wadi_status md5_session_save(md5_session *s, md5_resume at, wadi_error *err) {
    wadi_text lines = {0};
    char place[128];
    const int n =
        snprintf(place, sizeof place, place_line, at.place.file, (long long)at.place.offset,
                 (long long)at.place.words, (long long)at.output);
    wadi_status status = gather(s, &lines, err);
    if (status == WADI_OK) status = add_place(s, &lines, place, (size_t)n, err);
    if (status == WADI_OK) status = md5_log_sync(&s->log, err);
    wadi_text_fini(&lines);
    return status;
}
