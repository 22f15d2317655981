/* Jobs as `wadi job` sees them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"
#include "modules/nats/inside.h"
#include "sched/work/jet.h"

enum { ANSWER_MS = 3000, LETTERS_MOST = 1000 };

/* A visit of a server: the address, a connection, its JetStream. */
typedef struct visit {
    wadi_jet_address at;
    wadi_nats_keys keys;
    natsConnection *nc;
    jsCtx *js;
} visit;

static void leave(visit *v) {
    jsCtx_Destroy(v->js);
    wadi_nats_disconnect(v->nc, &v->keys);
    wadi_jet_address_fini(&v->at);
}

/* The caller calls leave in any case. */
static wadi_status come(visit *v, const char *address, bool job_needed, wadi_error *err) {
    *v = (visit){0};
    WADI_TRY(wadi_jet_address_read(address, &v->at, err));
    if (job_needed && v->at.job[0] == '\0')
        return wadi_fail(err, WADI_INVALID,
                         "%s: the name of a job is missing: expected " WADI_JET_FORM, address);
    WADI_TRY(wadi_nats_connect(&v->at, NULL, &v->keys, &v->nc, err));
    WADI_TRY(wadi_nats_js(v->nc, &v->at, &v->js, err));
    return wadi_nats_account(v->js, &v->at, err);
}

/* ---- requests ---- */

/* Whether it may have one that does not answer. */
static bool may_have_home(const wadi_jet_record *r) {
    return r->state == WADI_JET_OPEN || r->state == WADI_JET_BEGUN;
}

/* Somebody else may listen where a home would: the record knows better why it is silent. */
static wadi_status no_home(visit *v, bool silent, wadi_error *err) {
    wadi_jet_record r = {0};
    uint64_t seq = 0;
    WADI_TRY(wadi_nats_record_read(v->js, &v->at, &r, &seq, err));
    if (seq == 0 && wadi_nats_stream_messages(v->js, v->at.job, WADI_NATS_DEAD) > 0)
        return wadi_fail(err, WADI_IO, "job %s has ended, and has left dead letters", v->at.job);
    return wadi_fail(err, WADI_IO,
                     seq == 0                      ? "there is no job %s on this server"
                     : silent && may_have_home(&r) ? "job %s: its home does not answer; it may be "
                                                     "stopped"
                                                   : "job %s has no home now",
                     v->at.job);
}

/* The last line ends, too. */
static void add_lines(wadi_text *out, const char *reply) {
    const size_t n = strlen(reply);
    wadi_text_addf(out, "%s%s", reply, n > 0 && reply[n - 1] == '\n' ? "" : "\n");
}

static wadi_status ask_home(visit *v, const char *verb, const char *what, wadi_text *out,
                            wadi_error *err) {
    char *reply = NULL;
    bool silent = false;
    WADI_TRY(wadi_nats_home_ask(v->nc, &v->at, verb, what, ANSWER_MS, &reply, &silent, err));
    if (reply == NULL) return no_home(v, silent, err);
    static const char error[] = "error: ";
    wadi_status st = WADI_OK;
    if (strncmp(reply, error, sizeof error - 1) == 0)
        st = wadi_fail(err, WADI_INVALID, "job %s: %.300s", v->at.job, reply + sizeof error - 1);
    else
        add_lines(out, reply);
    free(reply);
    return st;
}

static wadi_status ask(const char *address, const char *verb, const char *what, wadi_text *out,
                       wadi_error *err) {
    visit v;
    wadi_status st = come(&v, address, true, err);
    if (st == WADI_OK) st = ask_home(&v, verb, what, out, err);
    leave(&v);
    return st;
}

/* ---- the list ---- */

/* A record that this version cannot read says nothing. */
static wadi_status tell_home(visit *v, const wadi_jet_address *at, const char **out,
                             wadi_error *err) {
    wadi_jet_record r = {0};
    uint64_t seq = 0;
    char *reply = NULL;
    bool silent = false;
    const bool known = wadi_nats_record_read(v->js, at, &r, &seq, NULL) == WADI_OK;
    *out = seq == 0 ? "has ended" : "has no home";
    if (known && (seq == 0 || !may_have_home(&r))) return WADI_OK;
    WADI_TRY(wadi_nats_home_ask(v->nc, at, "ping", "", ANSWER_MS / 3, &reply, &silent, err));
    *out = reply != NULL ? "has a home" : silent ? "its home is silent" : "has no home";
    free(reply);
    return WADI_OK;
}

static wadi_status list_job(visit *v, const char *job, wadi_text *out, wadi_error *err) {
    wadi_jet_address at = v->at;
    const char *home = NULL;
    at.job = job;
    WADI_TRY(tell_home(v, &at, &home, err));
    const int64_t items = wadi_nats_stream_messages(v->js, job, WADI_NATS_ITEMS),
                  answers = wadi_nats_stream_messages(v->js, job, WADI_NATS_ANSWERS),
                  dead = wadi_nats_stream_messages(v->js, job, WADI_NATS_DEAD);
    wadi_text_addf(out,
                   "%-24s %-18s %" PRId64 " item messages, %" PRId64 " answer messages, %" PRId64
                   " dead letters\n",
                   job, home, items > 0 ? items : 0, answers > 0 ? answers : 0,
                   dead > 0 ? dead : 0);
    return WADI_OK;
}

/* A job is known by its record; one that has ended, by its dead letters. */
static bool names_job(const jsStreamNamesList *names, int i, char job[WADI_NATS_SUBJECT]) {
    char record[WADI_NATS_SUBJECT];
    if (wadi_nats_stream_job(names->List[i], WADI_NATS_RECORD, job)) return true;
    if (!wadi_nats_stream_job(names->List[i], WADI_NATS_DEAD, job)) return false;
    wadi_nats_stream_name(job, WADI_NATS_RECORD, record);
    for (int k = 0; k < names->Count; k++)
        if (strcmp(names->List[k], record) == 0) return false;
    return true;
}

static wadi_status list_jobs(visit *v, wadi_text *out, wadi_error *err) {
    jsStreamNamesList *names = NULL;
    char job[WADI_NATS_SUBJECT];
    const natsStatus s = js_StreamNames(&names, v->js, NULL, NULL);
    if (s == NATS_NOT_FOUND) return WADI_OK;
    if (s != NATS_OK) return wadi_nats_fail(&v->at, s, "listing streams", err);
    wadi_status st = WADI_OK;
    for (int i = 0; st == WADI_OK && i < names->Count; i++)
        if (names_job(names, i, job)) st = list_job(v, job, out, err);
    jsStreamNamesList_Destroy(names);
    return st;
}

static wadi_status list(const char *address, wadi_text *out, wadi_error *err) {
    visit v;
    wadi_status st = come(&v, address, false, err);
    if (st == WADI_OK) st = list_jobs(&v, out, err);
    leave(&v);
    return st;
}

/* ---- dead letters ---- */

static void tell_letter(natsMsg *msg, wadi_text *out) {
    const char *text = NULL;
    wadi_jet_label l;
    if (natsMsgHeader_Get(msg, WADI_NATS_LABEL, &text) != NATS_OK || !wadi_jet_label_read(text, &l))
        return;
    wadi_text_addf(out, "{\"item\": %" PRId64 ", \"reason\": \"%s\", \"bytes\": %d}\n", l.number,
                   l.status == WADI_DEVICE
                       ? "it was given to workers again and again, and none has answered"
                       : "its bytes are damaged or lost",
                   natsMsg_GetDataLength(msg));
}

static wadi_status tell_letters(visit *v, wadi_text *out, wadi_error *err) {
    char name[WADI_NATS_SUBJECT];
    jsStreamInfo *info = NULL;
    wadi_nats_stream_name(v->at.job, WADI_NATS_DEAD, name);
    const natsStatus s = js_GetStreamInfo(&info, v->js, name, NULL, NULL);
    if (s == NATS_NOT_FOUND) {
        wadi_jet_record r;
        uint64_t seq = 0;
        WADI_TRY(wadi_nats_record_read(v->js, &v->at, &r, &seq, err));
        return seq != 0 ? WADI_OK
                        : wadi_fail(err, WADI_IO, "there is no job %s on this server", v->at.job);
    }
    if (s != NATS_OK) return wadi_nats_fail(&v->at, s, "reading dead letters", err);
    const uint64_t first = info->State.FirstSeq, last = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    for (uint64_t i = first; i <= last && i > 0 && i < first + LETTERS_MOST; i++) {
        natsMsg *msg = NULL;
        WADI_TRY(wadi_nats_message_at(v->js, &v->at, WADI_NATS_DEAD, i, "reading dead letters",
                                      &msg, err));
        if (msg != NULL) tell_letter(msg, out);
        natsMsg_Destroy(msg);
    }
    return WADI_OK;
}

static wadi_status dead(const char *address, wadi_text *out, wadi_error *err) {
    visit v;
    wadi_status st = come(&v, address, true, err);
    if (st == WADI_OK) st = tell_letters(&v, out, err);
    leave(&v);
    return st;
}

/* ---- removing ---- */

/* If the record can be read, it tells where there cannot be one. */
static wadi_status find_home(visit *v, bool *out_there, bool *out_silent, wadi_error *err) {
    wadi_jet_record r = {.state = WADI_JET_LEFT};
    uint64_t seq = 0;
    *out_there = *out_silent = false;
    if (wadi_nats_record_read(v->js, &v->at, &r, &seq, NULL) == WADI_OK && !may_have_home(&r))
        return WADI_OK;
    const wadi_nats_search how = {.ms = ANSWER_MS, .stop_fd = wadi_task_stop_fd()};
    return wadi_nats_home_find(v->nc, &v->at, &how, out_there, out_silent, err);
}

static wadi_status remove_job(visit *v, bool force, wadi_error *err) {
    bool there = false, silent = false;
    int streams = 0;
    if (!force) WADI_TRY(find_home(v, &there, &silent, err));
    if (there || silent)
        return wadi_fail(err, WADI_INVALID,
                         "job %s has a home, which %s; end that first, or use --force", v->at.job,
                         silent ? "does not answer" : "is at work");
    for (int i = 0; i < WADI_NATS_STREAMS; i++) {
        streams += wadi_nats_stream_messages(v->js, v->at.job, (wadi_nats_stream)i) >= 0;
        WADI_TRY(wadi_nats_stream_remove(v->js, &v->at, (wadi_nats_stream)i, err));
    }
    return streams > 0 ? WADI_OK
                       : wadi_fail(err, WADI_IO, "there is no job %s on this server", v->at.job);
}

static wadi_status remove_it(const char *address, bool force, wadi_error *err) {
    visit v;
    wadi_status st = come(&v, address, true, err);
    if (st == WADI_OK) st = remove_job(&v, force, err);
    leave(&v);
    return st;
}

const wadi_jet_jobs_offer wadi_nats_jobs = {list, ask, dead, remove_it};
