/* Elements that are published to one subject of a stream, each once and in order.
 *
 * A message has an element or several. It says whose it is (Wadi-Run) and which element is its last one (Wadi-Element). What is on the stream is known by the last message on the subject, however long ago that was: a
 * run that goes on begins behind it. So that nothing comes twice or out of order, whatever is lost, late or sent again, each message is taken by the server only
 * in its place:
 *
 *     the first that is on its way   if the last message on the subject has the number that we know (Nats-Expected-Last-Subject-Sequence)
 *     those behind it                if the last message of the stream is the one before it (Nats-Expected-Last-Msg-Id)
 *
 * Others may publish to other subjects of the stream. Where they come between, what follows is refused; then the subject is looked at, what is not there is
 * sent again, and fewer are sent ahead for a while. Nobody else may publish to the subject itself.
 *
 * The window in which a server knows ids of messages again does not matter for any of this. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/format.h"
#include "base/task.h"
#include "modules/nats/place.h"

#define RUN "Wadi-Run"
#define ELEMENT "Wadi-Element"

enum {
    LABELS = 512,           /* bytes of headers, at most */
    MESSAGE_MOST = 8 << 20, /* servers confirm larger ones and cannot read them again */
    SILENT_S = 5,           /* after so long without a confirmation it is asked what is there */
};
static const int64_t pending_most = 4 << 20; /* bytes that are not confirmed */

/* A message that is not confirmed. */
typedef struct parcel {
    uint32_t *ends; /* [count]: behind each element; in the same block, behind them, the bytes */
    int64_t n;      /* bytes */
    int64_t count;  /* elements, */
    int64_t there;  /* of which the first ones are on the stream already, */
    int64_t end;    /* and number of the element behind its last one */
} parcel;

typedef struct writer {
    wadi_jet_writer base;
    wadi_nats_place p;
    char subject[WADI_JET_STREAM_MOST + 1];
    char run[17];           /* of the elements */
    atomic_llong confirmed; /* elements */
    int64_t put;            /* elements */
    int64_t oldest, sent,
        next; /* messages that this process has made: not confirmed from here on, sent up to here, made up to here */
    parcel *kept; /* [credit], those from `oldest` on, by their number modulo that */
    int64_t kept_bytes;
    int64_t credit, ahead; /* so many may be on their way, at most and now */
    int64_t last;   /* number of the last message on the subject; -1: it is to be looked at */
    bool any;       /* there is one of this run */
    bool ours;      /* and one of this process: none of an earlier one comes any more */
    int64_t known;  /* number of the last message that is known to have been there */
    int64_t before; /* of the last that is none of this run */
    uint64_t round; /* in which they were sent; replies of another do not count */
    int64_t heard_ns;
} writer;

static int64_t confirmed(const wadi_jet_writer *self) {
    return atomic_load(&((const writer *)self)->confirmed);
}

static parcel *kept(const writer *w, int64_t message) {
    return &w->kept[message % w->credit];
}

/* Bytes that it holds: numbers of one digit need more for their ends. */
static int64_t room_of(int64_t n, int64_t count) {
    return n + count * (int64_t)sizeof(uint32_t);
}

/* All messages that end there or before, and the first elements of the next one. */
static void confirm(writer *w, int64_t elements) {
    while (w->oldest < w->next && kept(w, w->oldest)->end <= elements) {
        parcel *k = kept(w, w->oldest++);
        w->kept_bytes -= room_of(k->n, k->count);
        free(k->ends);
        atomic_store(&w->confirmed, k->end);
        *k = (parcel){0};
    }
    if (w->sent < w->oldest) w->sent = w->oldest;
    if (w->oldest == w->next || elements <= atomic_load(&w->confirmed)) return;
    parcel *k = kept(w, w->oldest);
    k->there = k->count - (k->end - elements);
    atomic_store(&w->confirmed, elements);
}

static void close_writer(wadi_jet_writer *self) {
    writer *w = (writer *)self;
    for (int64_t i = 0; w->kept != NULL && i < w->credit; i++) free(w->kept[i].ends);
    free(w->kept);
    wadi_nats_place_close(&w->p);
    free(w);
}

/* ---- what is there ---- */

/* The last message on the subject. */
typedef struct found {
    int64_t number;  /* 0: there is none */
    int64_t element; /* of this run; -1: it is none */
    int64_t end;     /* number of the last message of the stream */
} found;

static void read_labels(const writer *w, natsMsg *m, found *out) {
    const char *run = NULL, *element = NULL;
    int64_t n = -1;
    out->number = (int64_t)natsMsg_GetSequence(m);
    out->element = -1;
    if (natsMsgHeader_Get(m, RUN, &run) != NATS_OK || strcmp(run, w->run) != 0) return;
    if (natsMsgHeader_Get(m, ELEMENT, &element) != NATS_OK) return;
    if (wadi_args_number(element, 0, INT64_MAX / 2, &n)) out->element = n;
}

/* *out_is: the server has answered. */
static wadi_status look(writer *w, bool *out_is, found *out, wadi_error *err) {
    natsMsg *m = NULL;
    jsErrCode code = 0;
    wadi_nats_extent has;
    *out = (found){0, -1, 0};
    WADI_TRY(wadi_nats_place_ask(&w->p, out_is, &has, err));
    if (!*out_is) return WADI_OK;
    out->end = has.last;
    const natsStatus s = js_GetLastMsg(&m, w->p.js, w->p.at.stream, w->subject, NULL, &code);
    *out_is = s == NATS_OK || code == JSNoMessageFoundErr;
    if (!*out_is) wadi_nats_place_say(&w->p, s);
    if (s != NATS_OK) return WADI_OK;
    read_labels(w, m, out);
    natsMsg_Destroy(m);
    return WADI_OK;
}

static wadi_status fail_others(const writer *w, const found *f, wadi_error *err) {
    return wadi_fail(err, WADI_IO,
                     "stream %.100s, subject %.100s: message %lld is none of this run; whoever "
                     "else publishes must use another subject",
                     w->p.at.stream, w->subject, (long long)f->number);
}

static wadi_status fail_lost(const writer *w, int64_t there, wadi_error *err) {
    return wadi_fail(err, WADI_IO,
                     "stream %.100s, subject %.100s has %lld elements of this run, and the server "
                     "had confirmed %lld: it has lost its last messages",
                     w->p.at.stream, w->subject, (long long)there,
                     (long long)atomic_load(&w->confirmed));
}

/* Whether these are all elements that are confirmed, or of a message that is not. */
static bool ends_at(const writer *w, int64_t elements) {
    bool is = elements == atomic_load(&w->confirmed);
    for (int64_t i = w->oldest; !is && i < w->next; i++) is = kept(w, i)->end == elements;
    return is;
}

/* Goes on behind what is there. Messages that an earlier process of the run has sent may come late, until the first of this process is taken; they may end within one of its messages, or behind
 * all that it has put. That there is nothing on the subject, where there was something, is the limits' of the stream. */
static wadi_status settle(writer *w, const found *f, wadi_error *err) {
    if (f->element < 0 && f->number != 0 && f->number != w->before) return fail_others(w, f, err);
    if (f->end < w->known || (f->element < 0 && f->number != 0 && w->any) ||
        (f->element >= 0 && f->element + 1 < atomic_load(&w->confirmed)))
        return fail_lost(w, f->element + 1, err);
    const bool late = f->element >= 0 && !ends_at(w, f->element + 1);
    if (late && w->ours)
        return wadi_fail(
            err, WADI_IO,
            "stream %.100s, subject %.100s has element %lld of this run, which has put "
            "%lld: it runs somewhere else, too",
            w->p.at.stream, w->subject, (long long)f->element, (long long)w->put);
    if (f->element >= 0) confirm(w, f->element + 1);
    if (w->base.there < f->element + 1) w->base.there = f->element + 1;
    w->any = w->any || f->element >= 0;
    w->last = f->number;
    if (w->known < f->number) w->known = f->number;
    w->sent = w->oldest;
    w->round++;
    w->heard_ns = wadi_clock_ns();
    return WADI_OK;
}

/* ---- sending ---- */

static natsStatus label(natsMsg *m, const char *name, const char *format, ...) WADI_PRINTF(3, 4);
static natsStatus label(natsMsg *m, const char *name, const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(text, sizeof text, format, args);
    va_end(args);
    return natsMsgHeader_Set(m, name, text);
}

static natsStatus send_one(writer *w, int64_t message) {
    char reply[128];
    natsMsg *m = NULL;
    const parcel *k = kept(w, message);
    const bool first = message == w->oldest;
    (void)snprintf(reply, sizeof reply, "%s.%" PRIu64 ".%lld", w->p.inbox, w->round,
                   (long long)message);
    const int64_t from = k->there > 0 ? k->ends[k->there - 1] : 0;
    natsStatus s = natsMsg_Create(&m, w->subject, reply, (char *)(k->ends + k->count) + from,
                                  (int)(k->n - from));
    if (s == NATS_OK) s = label(m, RUN, "%s", w->run);
    if (s == NATS_OK) s = label(m, ELEMENT, "%lld", (long long)k->end - 1);
    if (s == NATS_OK) s = label(m, "Nats-Msg-Id", "%s-%lld", w->run, (long long)k->end - 1);
    if (s == NATS_OK) s = label(m, "Nats-Expected-Stream", "%s", w->p.at.stream);
    if (s == NATS_OK && first)
        s = label(m, "Nats-Expected-Last-Subject-Sequence", "%lld", (long long)w->last);
    if (s == NATS_OK && !first)
        s = label(m, "Nats-Expected-Last-Msg-Id", "%s-%lld", w->run,
                  (long long)kept(w, message - 1)->end - 1);
    if (s == NATS_OK) s = natsConnection_PublishMsg(w->p.nc, m);
    natsMsg_Destroy(m);
    return s;
}

static void send_all(writer *w) {
    while (w->sent < w->next && w->sent - w->oldest < w->ahead) {
        if (w->sent == w->oldest) w->heard_ns = wadi_clock_ns();
        const natsStatus s = send_one(w, w->sent);
        if (s != NATS_OK) {
            wadi_nats_place_say(&w->p, s);
            w->last = -1;
            return;
        }
        w->sent++;
    }
}

/* ---- confirmations ---- */

/* What no other attempt changes. */
static wadi_status fail_for_good(const writer *w, int64_t code, int64_t element, wadi_error *err) {
    const bool large = code == JSStreamMessageExceedsMaximumErr;
    if (!large && code != JSStreamNotMatchErr && code != JSStreamSealedErr) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "stream %.100s, subject %.100s: the server does not take element %lld: %.140s",
                     w->p.at.stream, w->subject, (long long)element, w->p.said);
}

/* Behind a refusal nothing of this round is taken. Where others have come between, that is no trouble. */
static wadi_status take_refusal(writer *w, natsMsg *m, int64_t message, int wake_fd,
                                wadi_error *err) {
    const int64_t code =
        wadi_nats_number_in(natsMsg_GetData(m), natsMsg_GetDataLength(m), "err_code");
    w->last = -1;
    w->ahead = w->ahead > 1 ? w->ahead / 2 : 1;
    if (code == JSStreamWrongLastSequenceErr || code == JSStreamWrongLastMsgIDErr) return WADI_OK;
    wadi_nats_place_say_reply(&w->p, m);
    if (message >= w->oldest) WADI_TRY(fail_for_good(w, code, kept(w, message)->end - 1, err));
    return wadi_nats_place_bear(&w->p, wake_fd, "publishing", err);
}

static wadi_status take(writer *w, natsMsg *m, int wake_fd, wadi_error *err) {
    const char *subject = natsMsg_GetSubject(m), *text = natsMsg_GetData(m);
    const int n = natsMsg_GetDataLength(m);
    uint64_t round = 0;
    long long message = -1;
    if (strlen(subject) <= strlen(w->p.inbox) ||
        sscanf(subject + strlen(w->p.inbox), ".%" SCNu64 ".%lld", &round, &message) != 2 ||
        round != w->round || message < 0 || message >= w->sent || w->last < 0)
        return WADI_OK;
    const int64_t number = natsMsg_IsNoResponders(m) ? 0 : wadi_nats_number_in(text, n, "seq");
    if (number <= 0 || wadi_nats_number_in(text, n, "err_code") > 0)
        return take_refusal(w, m, message, wake_fd, err);
    wadi_nats_place_well(&w->p);
    w->heard_ns = wadi_clock_ns();
    if (message < w->oldest) return WADI_OK;
    confirm(w, kept(w, message)->end);
    w->last = w->known = number;
    w->any = w->ours = true;
    if (w->ahead < w->credit) w->ahead++;
    return WADI_OK;
}

/* ---- one step ---- */

/* Sends what may be sent, and hears what the server says for a while. */
static wadi_status step(writer *w, int wake_fd, wadi_error *err) {
    natsMsg *m = NULL;
    bool broke = false, is = false;
    found f;
    WADI_TRY(wadi_nats_place_check(&w->p, wake_fd, err));
    const bool connected = wadi_nats_place_connected(&w->p, &broke);
    if (broke) w->last = -1;
    if (!connected) return wadi_nats_place_bear(&w->p, wake_fd, "publishing", err);
    if (w->last < 0) {
        WADI_TRY(look(w, &is, &f, err));
        if (!is) return wadi_nats_place_bear(&w->p, wake_fd, "publishing", err);
        WADI_TRY(settle(w, &f, err));
    }
    send_all(w);
    if (w->last < 0) return wadi_nats_place_bear(&w->p, wake_fd, "publishing", err);
    if (w->oldest == w->next) return WADI_OK;
    while (natsSubscription_NextMsg(&m, w->p.sub, WADI_NATS_SLICE_MS) == NATS_OK) {
        const wadi_status st = take(w, m, wake_fd, err);
        natsMsg_Destroy(m);
        WADI_TRY(st);
        uint64_t waiting = 0;
        if (natsSubscription_QueuedMsgs(w->p.sub, &waiting) != NATS_OK || waiting == 0)
            return WADI_OK;
    }
    if (wadi_clock_ns() - w->heard_ns < SILENT_S * INT64_C(1000000000)) return WADI_OK;
    w->last = -1;
    wadi_nats_place_say(&w->p, NATS_TIMEOUT);
    w->p.trouble_ns += SILENT_S * INT64_C(1000000000);
    return wadi_nats_place_bear(&w->p, wake_fd, "publishing", err);
}

/* ---- the writer ---- */

static wadi_status ask_what_is_there(writer *w, found *out, wadi_error *err) {
    for (bool is = false; !is;) {
        WADI_TRY(look(w, &is, out, err));
        if (!is)
            WADI_TRY(wadi_nats_place_bear(&w->p, wadi_task_stop_fd(), "asking what is there", err));
    }
    return WADI_OK;
}

static wadi_status meet(wadi_jet_writer *self, uint64_t run, int64_t *before, int64_t *has,
                        wadi_error *err) {
    writer *w = (writer *)self;
    found f;
    (void)snprintf(w->run, sizeof w->run, "%016" PRIx64, run != 0 ? run : wadi_nats_random());
    WADI_TRY(ask_what_is_there(w, &f, err));
    if (*before < 0) *before = f.number;
    w->before = *before;
    w->any = f.element >= 0;
    w->ours = false;
    if (!w->any && f.number != 0 && f.number != w->before) return fail_others(w, &f, err);
    if (!w->any && f.number == 0 && *has > 0)
        return wadi_fail(
            err, WADI_IO,
            "stream %.100s, subject %.100s is empty, and had %lld elements of this run "
            "when that was saved: nobody knows how many came behind them",
            w->p.at.stream, w->subject, (long long)*has);
    *has = w->any ? f.element + 1 : 0;
    w->base.there = w->put = *has;
    atomic_store(&w->confirmed, *has);
    w->last = w->known = f.number;
    return WADI_OK;
}

static wadi_status put(wadi_jet_writer *self, int wake_fd, int64_t elements, const int64_t *ends,
                       const void *bytes, wadi_error *err) {
    writer *w = (writer *)self;
    const int64_t n = ends[elements - 1], room = room_of(n, elements);
    if (n > w->base.most)
        return wadi_fail(err, WADI_INVALID,
                         "stream %.100s, subject %.100s: element %lld has %lld bytes, a message of "
                         "this server takes at most %lld",
                         w->p.at.stream, w->subject, (long long)w->put, (long long)n,
                         (long long)w->base.most);
    while (w->next - w->oldest == w->credit ||
           (w->kept_bytes > 0 && w->kept_bytes + room > pending_most))
        WADI_TRY(step(w, wake_fd, err));
    uint32_t *copy = malloc((size_t)room);
    if (copy == NULL) return wadi_fail(err, WADI_MEMORY, "publishing: out of memory");
    for (int64_t i = 0; i < elements; i++) copy[i] = (uint32_t)ends[i];
    if (n > 0) memcpy(copy + elements, bytes, (size_t)n);
    w->put += elements;
    *kept(w, w->next++) = (parcel){.ends = copy, .n = n, .count = elements, .end = w->put};
    w->kept_bytes += room;
    confirm(w, w->base.there); /* it may have come late, and all that is kept then is new */
    if (w->last >= 0 && w->p.nc != NULL) send_all(w);
    return WADI_OK;
}

static wadi_status flush(wadi_jet_writer *self, int wake_fd, wadi_error *err) {
    writer *w = (writer *)self;
    while (w->oldest < w->next) WADI_TRY(step(w, wake_fd, err));
    return WADI_OK;
}

static const wadi_jet_writer_ops ops = {close_writer, meet, put, flush, confirmed};

/* ---- opening ---- */

/* Whether the pattern of a stream takes the subject: * is a word, > is all that follows. */
static bool takes(const char *pattern, const char *subject) {
    for (;;) {
        const size_t a = strcspn(pattern, "."), b = strcspn(subject, ".");
        if (a == 1 && *pattern == '>') return b > 0;
        if (!(a == 1 && *pattern == '*') && (a != b || memcmp(pattern, subject, a) != 0))
            return false;
        pattern += a;
        subject += b;
        if (*pattern != *subject || *pattern == '\0') return *pattern == *subject;
        pattern++;
        subject++;
    }
}

static wadi_status choose_subject(writer *w, const jsStreamConfig *c, wadi_error *err) {
    const char *only =
        c->SubjectsLen == 1 && strpbrk(c->Subjects[0], "*>") == NULL ? c->Subjects[0] : NULL;
    const char *subject = w->p.at.subject != NULL ? w->p.at.subject : only;
    if (subject == NULL || strlen(subject) > WADI_JET_STREAM_MOST)
        return wadi_fail(err, WADI_INVALID,
                         "stream %.100s has more than one subject: which one is written? "
                         "(subject=NAME)",
                         w->p.at.stream);
    for (int i = 0; i < c->SubjectsLen; i++) {
        if (!takes(c->Subjects[i], subject)) continue;
        (void)snprintf(w->subject, sizeof w->subject, "%s", subject);
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "stream %.100s does not take the subject %.100s",
                     w->p.at.stream, subject);
}

static wadi_status begin(writer *w, const jsStreamConfig *c, wadi_error *err) {
    const int64_t server_most = natsConnection_GetMaxPayload(w->p.nc);
    WADI_TRY(choose_subject(w, c, err));
    if (c->NoAck)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "stream %.100s confirms nothing, so nobody knows what it has taken",
                         w->p.at.stream);
    w->base.most = server_most < MESSAGE_MOST ? server_most : MESSAGE_MOST;
    if (c->MaxMsgSize > 0 && c->MaxMsgSize < w->base.most) w->base.most = c->MaxMsgSize;
    w->base.most -= LABELS;
    w->credit = w->p.at.credit;
    w->ahead = 1;
    w->last = -1;
    w->base.window = 2 * pending_most;
    w->kept = calloc((size_t)w->credit, sizeof *w->kept);
    return w->kept != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "publishing: out of memory");
}

wadi_status wadi_nats_place_write(wadi_jet_address *at, wadi_jet_writer **out, wadi_error *err) {
    jsStreamInfo *info = NULL;
    writer *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    w->base.ops = &ops;
    wadi_status st = wadi_nats_place_open(&w->p, at, &info, err);
    if (st != WADI_OK) {
        free(w);
        return st;
    }
    st = begin(w, info->Config, err);
    jsStreamInfo_Destroy(info);
    if (st == WADI_OK)
        *out = &w->base;
    else
        close_writer(&w->base);
    return st;
}
