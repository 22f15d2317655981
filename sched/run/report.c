/* Reports of workers. Their texts come from elsewhere: whoever shows them replaces what could control a terminal.
 *
 * A report is the number of its bytes, then these, then their CRC: the worker's name, the time, and for a certificate the digest of the kind, and the kind, which is empty if home has it: version, device,
 * kernels. */
#include "sched/run/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "sched/devices.h"

enum { MOST_BYTES = WADI_REPORT_KERNELS + 4 * WADI_REPORT_WORDS };

/* ---- the worker ---- */

static void put_words(const char *s, size_t most, wadi_text *out) {
    const size_t n = strlen(s) < most ? strlen(s) : most;
    wadi_state_put(out, (int64_t)n);
    wadi_text_add_n(out, s, n);
}

static void put_device(const wadi_run *x, wadi_text *out) {
    wadi_device_facts facts = {.memory = 0};
    wadi_text device = {0};
    wadi_text_add(&device, x->chosen.name);
    if (x->chosen.row->tell != NULL &&
        x->chosen.row->tell(x->chosen.number[0], &facts, NULL) == WADI_OK && facts.name[0] != '\0')
        wadi_text_addf(&device, " %s", facts.name);
    put_words(wadi_text_str(&device), WADI_REPORT_WORDS, out);
    out->failed = out->failed || device.failed;
    wadi_text_fini(&device);
}

void wadi_reporter_begin(const wadi_run *x, wadi_reports asked, wadi_reporter *out) {
    char host[65] = "";
    *out = (wadi_reporter){.asked = asked, .loaded = -1};
    if (asked == WADI_REPORTS_NONE) return;
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    wadi_text_addf(&out->worker, "%s:%ld", host, (long)getpid());
    put_words(WADI_VERSION, WADI_REPORT_WORDS, &out->kind);
    put_device(x, &out->kind);
    out->head = out->kind.n;
}

static int64_t digest_of(const char *at, size_t n) {
    return (int64_t)(wadi_hash_bytes(at, n) >> 2); /* as far as numbers of items go */
}

/* Whole lines of them. */
static size_t most_lines(const char *at, size_t n) {
    if (n <= WADI_REPORT_KERNELS) return n;
    for (n = WADI_REPORT_KERNELS; n > 0 && at[n - 1] != '\n'; n--) continue;
    return n;
}

static void add_kernels(wadi_reporter *r, const wadi_run *x) {
    wadi_text kernels = {0};
    x->loader.kernels(x->loader.self, &kernels);
    const size_t n = most_lines(wadi_text_str(&kernels), kernels.n);
    wadi_state_put(&r->kind, (int64_t)n);
    wadi_text_add_n(&r->kind, wadi_text_str(&kernels), n);
    r->kind.failed = r->kind.failed || kernels.failed;
    wadi_text_fini(&kernels);
}

/* If a kernel was loaded since the last report, the worker is of another kind. */
static void renew(wadi_reporter *r, const wadi_run *x) {
    const wadi_loader *l = &x->loader;
    const int64_t loaded = l->loaded != NULL ? l->loaded(l->self) : r->loaded + 1;
    const int64_t was = r->digest;
    if (loaded == r->loaded || r->kind.failed) return;
    r->kind.n = r->head;
    if (l->kernels != NULL)
        add_kernels(r, x);
    else
        wadi_state_put(&r->kind, 0);
    r->digest = digest_of(wadi_text_str(&r->kind), r->kind.n);
    r->acknowledged = r->acknowledged && r->digest == was;
    r->loaded = loaded;
}

void wadi_reporter_heard(wadi_reporter *r, const wadi_known *known) {
    for (int i = 0; i < known->n; i++)
        if (known->digest[i] == r->digest) r->acknowledged = true;
}

static void put_kind(wadi_reporter *r, const wadi_run *x) {
    renew(r, x);
    wadi_state_put(&r->body, r->digest);
    wadi_state_put(&r->body, r->acknowledged ? 0 : (int64_t)r->kind.n);
    if (!r->acknowledged) wadi_text_add_n(&r->body, wadi_text_str(&r->kind), r->kind.n);
}

void wadi_reporter_put(wadi_reporter *r, const wadi_run *x, int64_t ns, wadi_text *out) {
    if (r->asked == WADI_REPORTS_NONE) return;
    wadi_text_clear(&r->body);
    put_words(wadi_text_str(&r->worker), WADI_REPORT_NAME - 1, &r->body);
    wadi_state_put(&r->body, ns);
    if (r->asked == WADI_REPORTS_KINDS) put_kind(r, x);
    const char *body = wadi_text_str(&r->body);
    wadi_state_put(out, (int64_t)r->body.n);
    wadi_text_add_n(out, body, r->body.n);
    wadi_state_put(out, (int64_t)wadi_crc32c(0, body, r->body.n));
    out->failed = out->failed || r->worker.failed || r->kind.failed || r->body.failed;
}

void wadi_reporter_fini(wadi_reporter *r) {
    wadi_text_fini(&r->worker);
    wadi_text_fini(&r->kind);
    wadi_text_fini(&r->body);
}

/* ---- home: kinds ---- */

static void free_kind(wadi_kind *k) {
    wadi_text_fini(&k->version);
    wadi_text_fini(&k->device);
    wadi_text_fini(&k->kernels);
    free(k);
}

void wadi_kinds_fini(wadi_kinds *k) {
    for (size_t i = 0; i < k->all.n; i++) free_kind(k->all.at[i]);
    wadi_vec_free(&k->all);
    *k = (wadi_kinds){.bytes = 0};
}

/* NULL: home has not heard of it. */
static const wadi_kind *find(const wadi_kinds *kinds, int64_t digest) {
    for (size_t i = 0; i < kinds->all.n; i++)
        if (kinds->all.at[i]->digest == digest) return kinds->all.at[i];
    return NULL;
}

/* A text of `most` bytes at most. */
static wadi_status take_words(wadi_state_reader *from, int64_t most, wadi_text *out) {
    wadi_state_reader length = *from;
    int64_t n = 0;
    WADI_TRY(wadi_state_take_count(&length, most, &n, NULL));
    return wadi_state_take_text(from, out, NULL);
}

static wadi_status read_kind(wadi_state_reader from, wadi_kind *out) {
    WADI_TRY(take_words(&from, WADI_REPORT_WORDS, &out->version));
    WADI_TRY(take_words(&from, WADI_REPORT_WORDS, &out->device));
    WADI_TRY(take_words(&from, WADI_REPORT_KERNELS, &out->kernels));
    return from.left == 0 ? WADI_OK : WADI_IO;
}

/* The one of this digest and these bytes, which home may have not heard of. */
static wadi_status hear(wadi_kinds *kinds, int64_t digest, wadi_state_reader bytes,
                        const wadi_kind **out) {
    *out = find(kinds, digest);
    if (*out != NULL) return WADI_OK;
    wadi_kind *k = calloc(1, sizeof *k);
    if (k == NULL) return WADI_MEMORY;
    k->digest = digest;
    wadi_status status = read_kind(bytes, k);
    const int64_t n = (int64_t)bytes.left;
    const bool room = kinds->all.n < WADI_KINDS && kinds->bytes + n <= WADI_KINDS_BYTES;
    if (status == WADI_OK && room && !wadi_vec_push(&kinds->all, k)) status = WADI_MEMORY;
    if (status != WADI_OK || !room) free_kind(k);
    WADI_TRY(status);
    if (room) kinds->bytes += n;
    kinds->full = kinds->full || !room;
    *out = room ? k : &kinds->others;
    return WADI_OK;
}

/* Items tell of it from now on. */
static void note(wadi_known *told, int64_t digest) {
    int i = 0;
    while (i < told->n && told->digest[i] != digest) i++;
    if (i == told->n && told->n < WADI_KNOWN) told->n++;
    if (i == WADI_KNOWN) i--;
    memmove(told->digest + 1, told->digest, (size_t)i * sizeof *told->digest);
    told->digest[0] = digest;
}

/* ---- home: reports ---- */

/* The next n bytes. */
static wadi_status take_bytes(wadi_state_reader *from, int64_t n, wadi_state_reader *out) {
    if ((uint64_t)n > from->left) return WADI_IO;
    *out = (wadi_state_reader){from->at, (size_t)n};
    from->at += n;
    from->left -= (size_t)n;
    return WADI_OK;
}

/* Bytes, behind their number. */
static wadi_status take_part(wadi_state_reader *from, int64_t most, wadi_state_reader *out) {
    int64_t n = 0;
    WADI_TRY(wadi_state_take_count(from, most, &n, NULL));
    return take_bytes(from, n, out);
}

static wadi_status take_name(wadi_state_reader *from, char out[WADI_REPORT_NAME]) {
    wadi_state_reader name = {0};
    WADI_TRY(take_part(from, WADI_REPORT_NAME - 1, &name));
    for (size_t i = 0; i < name.left; i++) {
        const unsigned char c = (unsigned char)name.at[i];
        out[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    out[name.left] = '\0';
    return WADI_OK;
}

static wadi_status take_kind(wadi_state_reader *from, wadi_kinds *kinds, const wadi_kind **out) {
    wadi_state_reader bytes = {0};
    int64_t digest = 0;
    WADI_TRY(wadi_state_take(from, &digest, NULL));
    WADI_TRY(take_part(from, MOST_BYTES, &bytes));
    *out = find(kinds, digest);
    if (bytes.left == 0) return *out != NULL ? WADI_OK : WADI_IO;
    if (digest != digest_of(bytes.at, bytes.left)) return WADI_IO;
    WADI_TRY(hear(kinds, digest, bytes, out));
    if (*out != &kinds->others) note(&kinds->told, digest);
    return WADI_OK;
}

/* What was written, if it has come as it was. */
static wadi_status take_whole(wadi_state_reader *from, wadi_state_reader *out) {
    int64_t crc = 0;
    WADI_TRY(take_part(from, MOST_BYTES, out));
    WADI_TRY(wadi_state_take(from, &crc, NULL));
    return crc == (int64_t)wadi_crc32c(0, out->at, out->left) ? WADI_OK : WADI_IO;
}

static wadi_status take(wadi_state_reader *from, wadi_reports asked, wadi_kinds *kinds,
                        wadi_report *out) {
    wadi_state_reader body = {0};
    WADI_TRY(take_whole(from, &body));
    WADI_TRY(take_name(&body, out->worker));
    WADI_TRY(wadi_state_take_count(&body, INT64_MAX, &out->ns, NULL));
    if (asked == WADI_REPORTS_KINDS) WADI_TRY(take_kind(&body, kinds, &out->kind));
    return body.left == 0 ? WADI_OK : WADI_IO;
}

wadi_status wadi_report_take(wadi_state_reader *from, wadi_reports asked, wadi_kinds *kinds,
                             wadi_report *out, wadi_error *err) {
    *out = (wadi_report){.ns = 0};
    if (asked == WADI_REPORTS_NONE) return WADI_OK;
    const wadi_status status = take(from, asked, kinds, out);
    if (status == WADI_OK) return WADI_OK;
    return status == WADI_MEMORY
               ? wadi_fail(err, WADI_MEMORY, "out of memory")
               : wadi_fail(err, WADI_IO, "it does not tell which worker it is from");
}
