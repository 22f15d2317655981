/* A stream of messages that is read.
 *
 * A consumer on the server, which nobody else knows and which goes away by itself, gives out the messages that are asked for, without acknowledgements: where a run stands is known by
 * the run, as the number of the next message. The server counts what the consumer gives out, so what is lost on the way is noticed; then, and whenever the connection
 * broke, another consumer is made that begins at that number.
 *
 * A stream keeps messages for as long as it was told. What it has discarded before it was read is told, with its numbers, unless the address says gaps=yes. It is noticed by a gap
 * between two messages that the beginning of the stream has passed; single messages that somebody has removed elsewhere are no loss. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"
#include "modules/nats/place.h"

enum { EXPIRES_S = 10, ASK_MOST = 512, ASK_FIRST = 8 };
static const int64_t AHEAD_BYTES = 4 << 20;
static const int64_t second_ns = 1000000000;

typedef struct reader {
    wadi_jet_reader base;
    wadi_nats_place p;
    char consumer[64]; /* "": there is none */
    uint64_t given;    /* by it */
    int64_t pending;   /* messages behind the last one, as the server knew then */
    int64_t asked;     /* for so many more, that have not come */
    int64_t heard_ns, idle_ns;
    int64_t next; /* the number from which on messages are still to be read */
    uint64_t
        cleared; /* so many messages came before the beginning of the stream was last asked for, which had not passed `next` then */
    bool known;  /* it follows from what was read, by this process or an earlier one */
    int64_t end; /* there is none that matters behind this one */
    int64_t usual_bytes;
    int64_t most_bytes; /* of what one request brings; 0: no limit */
    bool came;          /* a message, since a request last ended at it */
    natsMsg *held;
} reader;

static void forget_consumer(reader *r) {
    r->consumer[0] = '\0';
    r->asked = 0;
    r->cleared = 0;
}

static void close_reader(wadi_jet_reader *self) {
    reader *r = (reader *)self;
    bool broke = false;
    natsMsg_Destroy(r->held);
    if (r->consumer[0] != '\0' && natsConnection_Status(r->p.nc) == NATS_CONN_STATUS_CONNECTED &&
        !(wadi_nats_place_connected(&r->p, &broke) && broke))
        (void)js_DeleteConsumer(r->p.js, r->p.at.stream, r->consumer, NULL, NULL);
    wadi_nats_place_close(&r->p);
    free(r);
}

/* ---- what is gone ---- */

static wadi_status fail_gone(const reader *r, int64_t from, int64_t first, wadi_error *err) {
    return wadi_fail(err, WADI_IO,
                     "stream %.100s has discarded messages %lld to %lld before they were read: the "
                     "first that it has is %lld (gaps=yes leaves them out)",
                     r->p.at.stream, (long long)from, (long long)(first - 1), (long long)first);
}

static bool may_skip(const reader *r) {
    return r->p.at.gaps && !r->base.strict;
}

/* Whether the stream still has what is to be read next. */
static wadi_status check_place(reader *r, const wadi_nats_extent *has, wadi_error *err) {
    if (r->known && has->last + 1 < r->next)
        return wadi_fail(err, WADI_INVALID,
                         "stream %.100s ends at message %lld, but all before %lld have been read: "
                         "its server has lost some, or it is another stream",
                         r->p.at.stream, (long long)has->last, (long long)r->next);
    if (has->first <= r->next) return WADI_OK;
    if (!may_skip(r) && r->next <= r->end) return fail_gone(r, r->next, has->first, err);
    r->next = has->first;
    return WADI_OK;
}

/* ---- the consumer ---- */

static wadi_status make_consumer(reader *r, bool *out_is, wadi_error *err) {
    jsConsumerConfig c;
    jsConsumerInfo *info = NULL;
    wadi_nats_extent has;
    WADI_TRY(wadi_nats_place_ask(&r->p, out_is, &has, err));
    if (!*out_is) return WADI_OK;
    WADI_TRY(check_place(r, &has, err));
    (void)jsConsumerConfig_Init(&c);
    c.DeliverPolicy = js_DeliverByStartSequence;
    c.OptStartSeq = (uint64_t)r->next;
    c.AckPolicy = js_AckNone;
    c.FilterSubject = r->p.at.subject;
    c.InactiveThreshold = 60 * second_ns;
    const natsStatus s = js_AddConsumer(&info, r->p.js, r->p.at.stream, &c, NULL, NULL);
    *out_is = s == NATS_OK;
    if (s != NATS_OK) {
        wadi_nats_place_say(&r->p, s);
        return WADI_OK;
    }
    (void)snprintf(r->consumer, sizeof r->consumer, "%s", info->Name);
    r->given = 0;
    r->asked = 0;
    r->pending = (int64_t)info->NumPending;
    r->heard_ns = r->idle_ns = wadi_clock_ns();
    if (r->pending == 0 && !r->p.at.follow) r->end = r->next - 1;
    jsConsumerInfo_Destroy(info);
    return WADI_OK;
}

static void ask_for_more(reader *r) {
    char subject[WADI_NATS_SUBJECT + 80], reply[80], text[120];
    int64_t n = r->usual_bytes > 0 ? AHEAD_BYTES / r->usual_bytes : ASK_FIRST;
    n = n < 1 ? 1 : n > ASK_MOST ? ASK_MOST : n;
    if (r->asked > n / 2) return;
    n -= r->asked;
    (void)snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", r->p.at.stream,
                   r->consumer);
    (void)snprintf(reply, sizeof reply, "%s.m", r->p.inbox);
    int letters = snprintf(text, sizeof text, "{\"batch\":%lld,\"expires\":%lld", (long long)n,
                           (long long)(EXPIRES_S * second_ns));
    if (r->most_bytes > 0)
        letters += snprintf(text + letters, sizeof text - (size_t)letters, ",\"max_bytes\":%lld",
                            (long long)r->most_bytes);
    text[letters++] = '}';
    if (natsConnection_PublishRequest(r->p.nc, subject, reply, text, letters) != NATS_OK) return;
    r->asked += n;
}

/* ---- messages ---- */

/* A gap that the beginning of the stream has passed. One answer is enough for all messages that have come before it: streams with other subjects have many gaps. */
static wadi_status check_gap(reader *r, int64_t number, wadi_error *err) {
    bool is = false;
    wadi_nats_extent has;
    uint64_t waiting = 0;
    if (number == r->next || may_skip(r) || r->cleared > 0) return WADI_OK;
    const natsStatus s = natsSubscription_QueuedMsgs(r->p.sub, &waiting);
    WADI_TRY(wadi_nats_place_ask(&r->p, &is, &has, err));
    if (!is) return WADI_OK;
    if (has.first <= r->next) {
        r->cleared = s == NATS_OK ? waiting + 1 : 0;
        return WADI_OK;
    }
    return fail_gone(r, r->next, has.first < number ? has.first : number, err);
}

/* Requests end when they are old, or have brought enough, and a consumer may be removed. */
static void take_status(reader *r, natsMsg *m) {
    const char *status = NULL, *words = NULL;
    r->asked = 0;
    r->heard_ns = wadi_clock_ns();
    wadi_nats_place_well(&r->p);
    (void)natsMsgHeader_Get(m, "Status", &status);
    (void)natsMsgHeader_Get(m, "Description", &words);
    if (status != NULL && words != NULL && strcmp(status, "409") == 0 &&
        strstr(words, "MaxBytes") != NULL) {
        if (!r->came) r->most_bytes = 0; /* one alone is larger than the server would take now */
        r->came = false;
        return;
    }
    if (status == NULL || (strcmp(status, "408") != 0 && strcmp(status, "404") != 0))
        forget_consumer(r);
}

/* *out_is: it is the next one. */
static wadi_status take(reader *r, natsMsg *m, bool *out_is, wadi_error *err) {
    jsMsgMetaData *about = NULL;
    *out_is = false;
    if (natsMsg_GetMetaData(&about, m) != NATS_OK) {
        take_status(r, m);
        return WADI_OK;
    }
    const uint64_t given = about->Sequence.Consumer;
    const int64_t number = (int64_t)about->Sequence.Stream, pending = (int64_t)about->NumPending;
    const bool ours = strcmp(about->Consumer, r->consumer) == 0;
    jsMsgMetaData_Destroy(about);
    if (!ours) return WADI_OK; /* of one that was before */
    r->came = true;
    r->heard_ns = r->idle_ns = wadi_clock_ns();
    r->asked -= r->asked > 0;
    if (given != r->given + 1) {
        forget_consumer(r);
        return WADI_OK;
    }
    r->given = given;
    r->pending = pending;
    wadi_nats_place_well(&r->p);
    if (number < r->next) return WADI_OK;
    if (number > r->end) {
        r->next = r->end + 1;
        return WADI_OK;
    }
    WADI_TRY(check_gap(r, number, err));
    if (pending == 0 && !r->p.at.follow && number < r->end) r->end = number;
    r->next = number + 1;
    r->known = true;
    *out_is = true;
    return WADI_OK;
}

/* Nothing comes: there may be nothing, up to the end of the stream; then its messages so far need not be there any more. */
static wadi_status look_idle(reader *r, int wake_fd, wadi_error *err) {
    const int64_t now = wadi_clock_ns();
    bool is = false;
    wadi_nats_extent has;
    jsConsumerInfo *info = NULL;
    if (now - r->idle_ns < second_ns) return WADI_OK;
    r->idle_ns = now;
    if (now - r->heard_ns > (EXPIRES_S + 3) * second_ns) {
        forget_consumer(r);
        r->p.trouble_ns += (EXPIRES_S + 3) * second_ns;
        return wadi_nats_place_bear(&r->p, wake_fd, "asking for messages", err);
    }
    if (r->consumer[0] == '\0') return WADI_OK;
    WADI_TRY(wadi_nats_place_ask(&r->p, &is, &has, err));
    if (!is) return WADI_OK;
    if (js_GetConsumerInfo(&info, r->p.js, r->p.at.stream, r->consumer, NULL, NULL) != NATS_OK) {
        forget_consumer(r);
        return WADI_OK;
    }
    r->pending = (int64_t)info->NumPending;
    const bool all = r->pending == 0 && info->Delivered.Consumer == r->given;
    jsConsumerInfo_Destroy(info);
    if (!all) return WADI_OK;
    if (has.last >= r->next) {
        r->next = has.last + 1;
        r->known = true;
    }
    if (!r->p.at.follow && r->next <= r->end) r->end = r->next - 1;
    return WADI_OK;
}

/* Makes sure that there is a consumer, which has been asked for messages. *out_is: there is. */
static wadi_status prepare(reader *r, int wake_fd, bool *out_is, wadi_error *err) {
    bool broke = false;
    const bool connected = wadi_nats_place_connected(&r->p, &broke);
    if (broke) forget_consumer(r);
    *out_is = connected && r->consumer[0] != '\0';
    if (connected && !*out_is) WADI_TRY(make_consumer(r, out_is, err));
    if (!*out_is) return wadi_nats_place_bear(&r->p, wake_fd, "reading the stream", err);
    if (r->next <= r->end) ask_for_more(r);
    return WADI_OK;
}

static wadi_status find(reader *r, bool waits, int wake_fd, wadi_jet_found *found,
                        wadi_error *err) {
    for (;;) {
        bool is = false;
        natsMsg *m = NULL;
        if (r->next > r->end) {
            *found = WADI_JET_END;
            return WADI_OK;
        }
        WADI_TRY(wadi_nats_place_check(&r->p, wake_fd, err));
        if (waits && r->base.over != NULL && atomic_load(r->base.over))
            return wadi_fail(err, WADI_CANCELLED, "the run is to end");
        WADI_TRY(prepare(r, wake_fd, &is, err));
        if (!is && !waits) { /* what has come already need not wait for the server */
            *found = WADI_JET_NONE;
            return WADI_OK;
        }
        if (!is) continue;
        /* What is known to be there comes soon. */
        const bool soon = waits || r->pending > 0;
        const natsStatus s = natsSubscription_NextMsg(&m, r->p.sub, soon ? WADI_NATS_SLICE_MS : 0);
        if (s == NATS_OK) {
            const wadi_status st = take(r, m, &is, err);
            r->cleared -= r->cleared > 0;
            if (st == WADI_OK && is) {
                r->held = m;
                *found = WADI_JET_MESSAGE;
                return WADI_OK;
            }
            natsMsg_Destroy(m);
            WADI_TRY(st);
            continue;
        }
        if (!waits) {
            *found = WADI_JET_NONE;
            return WADI_OK;
        }
        WADI_TRY(look_idle(r, wake_fd, err));
    }
}

static wadi_status next(wadi_jet_reader *self, bool waits, int wake_fd, wadi_jet_found *found,
                        wadi_jet_message *out, wadi_error *err) {
    reader *r = (reader *)self;
    natsMsg_Destroy(r->held);
    r->held = NULL;
    WADI_TRY(find(r, waits, wake_fd, found, err));
    if (*found != WADI_JET_MESSAGE) return WADI_OK;
    const int64_t n = natsMsg_GetDataLength(r->held);
    r->usual_bytes += (n + 256 - r->usual_bytes) / 8;
    if (r->usual_bytes < n / 2) r->usual_bytes = n;
    *out = (wadi_jet_message){.bytes = natsMsg_GetData(r->held), .n = n, .number = r->next - 1};
    return WADI_OK;
}

static int64_t place(const wadi_jet_reader *self) {
    return ((const reader *)self)->next;
}

static wadi_status go_to(wadi_jet_reader *self, int64_t number, wadi_error *err) {
    reader *r = (reader *)self;
    bool is = false;
    wadi_nats_extent has;
    const int64_t before = r->next;
    const bool known = r->known;
    if (number == r->next) return WADI_OK;
    while (!is) {
        WADI_TRY(wadi_nats_place_ask(&r->p, &is, &has, err));
        if (!is)
            WADI_TRY(wadi_nats_place_bear(&r->p, wadi_task_stop_fd(), "reading the stream", err));
    }
    r->next = number;
    r->known = true;
    const wadi_status st = check_place(r, &has, err);
    if (st != WADI_OK) {
        r->next = before;
        r->known = known;
        return st;
    }
    forget_consumer(r);
    return WADI_OK;
}

/* When the stream was made tells it from another of the same name. */
static void describe(const wadi_jet_reader *self, wadi_text *out) {
    const reader *r = (const reader *)self;
    const wadi_jet_address *a = &r->p.at;
    wadi_text_addf(out, "%s %lld %s %lld %lld %d", a->stream, (long long)r->p.created,
                   a->subject != NULL ? a->subject : "", (long long)a->from, (long long)a->to,
                   a->follow);
}

static const wadi_jet_reader_ops ops = {close_reader, next, place, go_to, describe};

/* ---- opening ---- */

/* Whether it discards messages behind others that it keeps, which nobody could notice. */
static bool thins_out(const jsStreamConfig *c) {
    return c->MaxMsgsPerSubject > 0 && !(c->Discard == js_DiscardNew && c->DiscardNewPerSubject);
}

static wadi_status check_stream(const jsStreamInfo *info, const wadi_jet_address *at,
                                wadi_error *err) {
    if (thins_out(info->Config) && !at->gaps)
        return wadi_fail(
            err, WADI_UNSUPPORTED,
            "stream %.100s keeps at most %lld messages of each subject: what it has discarded "
            "before it was read is not missed (gaps=yes reads it nevertheless)",
            info->Config->Name, (long long)info->Config->MaxMsgsPerSubject);
    if (info->Config->Retention == js_LimitsPolicy) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "stream %.100s removes messages that are taken (%s): they can be read only "
                     "once, by those for whom it was made",
                     info->Config->Name,
                     info->Config->Retention == js_WorkQueuePolicy ? "it is a work queue"
                                                                   : "it keeps them by interest");
}

static void begin(reader *r, const jsStreamInfo *info) {
    const wadi_jet_address *a = &r->p.at;
    const int64_t first = info->State.FirstSeq > 0 ? (int64_t)info->State.FirstSeq : 1,
                  last = (int64_t)info->State.LastSeq;
    r->next = a->from > 0 ? a->from : first;
    r->end = a->follow ? INT64_MAX : last;
    r->base.endless = a->follow;
    if (a->to > 0 && a->to < r->end) r->end = a->to;
    if (r->next <= r->end && r->end < INT64_MAX && a->subject == NULL)
        r->base.messages = r->end - r->next + 1;
}

wadi_status wadi_nats_place_read(wadi_jet_address *at, wadi_jet_reader **out, wadi_error *err) {
    jsStreamInfo *info = NULL;
    reader *r = calloc(1, sizeof *r);
    if (r == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    r->base.ops = &ops;
    wadi_status st = wadi_nats_place_open(&r->p, at, &info, err);
    if (st != WADI_OK) {
        free(r);
        return st;
    }
    r->came = true;
    r->most_bytes = AHEAD_BYTES + natsConnection_GetMaxPayload(r->p.nc);
    st = check_stream(info, &r->p.at, err);
    if (st == WADI_OK) begin(r, info);
    jsStreamInfo_Destroy(info);
    if (st == WADI_OK)
        *out = &r->base;
    else
        close_reader(&r->base);
    return st;
}
