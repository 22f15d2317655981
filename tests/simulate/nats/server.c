/* The simulated server: what it does with what comes, and what is wrong with it.
 *
 * A server that is killed begins again with what it has written, and perhaps without the last of it; it may have no JetStream for a while. A server that is stopped hears nothing.
 * It may have no room, no leader, or forbid to publish. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/nats/inside.h"

static const int64_t MS = 1000000;

static struct server {
    nats_trouble trouble;
    bool suffered;
    int64_t until_ns; /* the trouble ends */
    int64_t jet_ns;   /* from then on there is JetStream */
    int64_t sync_ns;  /* what is written is safe then */
    int64_t payload;
    bool tells; /* that a stream is not there; older servers say nothing */
    bool keeps; /* its consumers: it lets nobody remove one */
    bool writes_at_once;
    int64_t requests;
    char id[24];
} server;

bool server_is_up(void) {
    return server.trouble != NATS_AWAY && server.trouble != NATS_STOPPED;
}

bool server_listens(void) {
    return server_is_up();
}

bool server_lets_in(void) {
    return server.trouble != NATS_LOCKED;
}

int64_t server_requests(void) {
    return server.requests;
}

int64_t server_payload(void) {
    return server.payload;
}

const char *server_id(void) {
    return server.id;
}

static void begin_anew(void) {
    (void)snprintf(server.id, sizeof server.id, "S%d", world_chance(1000000000));
}

void server_begin(void) {
    static const int64_t payloads[] = {2048, 2200, 4096, 1 << 20};
    streams_begin();
    server = (struct server){.payload = payloads[world_chance(4)],
                             .tells = world_chance(2) == 0,
                             .keeps = world_chance(8) == 0,
                             .writes_at_once = world_chance(2) == 0,
                             .sync_ns = INT64_MAX};
    begin_anew();
}

void server_end(void) {
    streams_end();
}

static bool has_jet(void) {
    return server.jet_ns <= world_now();
}

/* ---- troubles ---- */

bool server_suffered(void) {
    return server.suffered;
}

void server_suffers(nats_trouble what, int64_t ns) {
    if (server.trouble != NATS_NONE) return;
    server.trouble = what;
    server.suffered = true;
    server.until_ns = world_now() + ns;
    if (what == NATS_AWAY) nats_break_all();
}

static void end_trouble(void) {
    const nats_trouble was = server.trouble;
    server.trouble = NATS_NONE;
    if (was != NATS_AWAY) return;
    begin_anew();
    server.jet_ns = world_chance(2) == 0 ? world_now() : world_now() + world_chance(2000) * MS;
    streams_restart(!server.writes_at_once);
}

int64_t server_next(void) {
    int64_t next = server.trouble != NATS_NONE ? server.until_ns : INT64_MAX;
    if (server_listens() && server.sync_ns < next) next = server.sync_ns;
    const int64_t given = server_listens() && has_jet() ? consumers_next() : INT64_MAX;
    return given < next ? given : next;
}

void server_happen(void) {
    if (server.trouble != NATS_NONE && server.until_ns <= world_now()) end_trouble();
    if (!server_listens()) return;
    if (server.sync_ns <= world_now()) {
        streams_sync();
        server.sync_ns = INT64_MAX;
    }
    if (has_jet()) consumers_happen();
}

/* Something was written. */
static void writes(void) {
    if (server.writes_at_once) return;
    const int64_t at = world_now() + (world_chance(2) == 0 ? world_chance(3000) : 10) * MS;
    if (at < server.sync_ns || server.sync_ns == INT64_MAX) server.sync_ns = at;
}

/* ---- what is said ---- */

static void say(const char *to, const char *text) {
    natsMsg *m = nats_message(to, NULL, text, (int)strlen(text));
    (void)nats_deliver(to, m);
    natsMsg_Destroy(m);
}

static void say_nobody(const char *to) {
    natsMsg *m = nats_message(to, NULL, NULL, 0);
    nats_message_add(m, "Status", "503");
    (void)nats_deliver(to, m);
    natsMsg_Destroy(m);
}

static void say_error(const char *to, int code, const char *why) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "{\"error\":{\"code\":400,\"err_code\":%d,\"description\":\"%s\"}}", code, why);
    say(to, text);
}

/* ---- what is asked of JetStream ---- */

static long long number_in(const char *text, const char *name) {
    char word[64];
    (void)snprintf(word, sizeof word, "\"%s\":", name);
    const char *at = strstr(text, word);
    return at != NULL ? strtoll(at + strlen(word), NULL, 10) : 0;
}

static void string_in(const char *text, const char *name, char out[NATS_SUBJECT]) {
    char word[64];
    (void)snprintf(word, sizeof word, "\"%s\":\"", name);
    const char *at = strstr(text, word);
    if (at == NULL) abort(); /* modules/nats writes it */
    at += strlen(word);
    (void)snprintf(out, NATS_SUBJECT, "%.*s", (int)strcspn(at, "\""), at);
}

/* "STREAM" or "STREAM.CONSUMER" behind the verb. */
typedef struct request {
    const natsMsg *m;
    natsConnection *from;
    char stream[NATS_SUBJECT], consumer[NATS_SUBJECT];
} request;

static void next(const request *r) {
    if (!consumer_exists(r->stream, r->consumer)) {
        say_nobody(r->m->reply);
        return;
    }
    consumer_ask(r->stream, r->consumer, r->m->reply, (int)number_in(r->m->data, "batch"),
                 number_in(r->m->data, "expires"));
}

static const natsMsg *find(const request *r) {
    char subject[NATS_SUBJECT];
    const long long seq = number_in(r->m->data, "seq");
    if (seq > 0) return stream_at(r->stream, (uint64_t)seq);
    string_in(r->m->data, "last_by_subj", subject);
    return stream_find(r->stream, subject);
}

static void get(const request *r) {
    if (!stream_exists(r->stream)) {
        if (server.tells) say_nobody(r->m->reply);
        return;
    }
    const natsMsg *found = find(r);
    natsMsg *m = found != NULL ? nats_message_copy(found) : nats_message("", NULL, NULL, 0);
    if (found == NULL) nats_message_add(m, "Status", "404");
    free(m->subject);
    m->subject = strdup(r->m->reply);
    if (m->subject == NULL) abort();
    (void)nats_deliver(m->subject, m);
    natsMsg_Destroy(m);
}

static void tell_stream(const request *r) {
    char text[16384], list[16000] = "", filter[NATS_SUBJECT];
    if (!stream_exists(r->stream)) {
        say_error(r->m->reply, JSStreamNotFoundErr, "stream not found");
        return;
    }
    if (r->m->n > 0) {
        string_in(r->m->data, "subjects_filter", filter);
        stream_list(r->stream, filter, list, sizeof list);
    }
    (void)snprintf(
        text, sizeof text, "{\"state\":{\"messages\":%lld,\"last_seq\":%llu,\"subjects\":{%s}}}",
        (long long)stream_messages(r->stream), (unsigned long long)stream_last(r->stream), list);
    say(r->m->reply, text);
}

static void purge(const request *r) {
    char filter[NATS_SUBJECT];
    string_in(r->m->data, "filter", filter);
    stream_purge(r->stream, filter);
    writes();
    say(r->m->reply, "{\"success\":true}");
}

static void tell_consumer(const request *r) {
    char text[128];
    if (!stream_exists(r->stream)) {
        say_error(r->m->reply, JSStreamNotFoundErr, "stream not found");
    } else if (!consumer_exists(r->stream, r->consumer)) {
        say_error(r->m->reply, JSConsumerNotFoundErr, "consumer not found");
    } else {
        (void)snprintf(text, sizeof text,
                       "{\"delivered\":{\"consumer_seq\":0,\"stream_seq\":%llu}}",
                       (unsigned long long)consumer_delivered(r->stream, r->consumer));
        say(r->m->reply, text);
    }
}

static void remove_consumer(const request *r) {
    if (server.keeps)
        nats_refuse(r->from, "Permissions Violation for Publish");
    else if (!stream_exists(r->stream))
        say_error(r->m->reply, JSStreamNotFoundErr, "stream not found");
    else if (consumer_remove(r->stream, r->consumer))
        say(r->m->reply, "{\"success\":true}");
    else
        say_error(r->m->reply, JSConsumerNotFoundErr, "consumer not found");
}

static void make_consumer(const request *r) {
    char filter[NATS_SUBJECT];
    string_in(r->m->data, "filter_subject", filter);
    if (!stream_exists(r->stream)) {
        say_error(r->m->reply, JSStreamNotFoundErr, "stream not found");
        return;
    }
    consumer_make(r->stream, r->consumer, filter, number_in(r->m->data, "ack_wait"));
    writes();
    say(r->m->reply, "{\"name\":\"made\"}");
}

static const struct {
    const char *verb;
    void (*act)(const request *r);
} api[] = {
    {"CONSUMER.MSG.NEXT.", next},
    {"DIRECT.GET.", get},
    {"STREAM.INFO.", tell_stream},
    {"STREAM.PURGE.", purge},
    {"CONSUMER.INFO.", tell_consumer},
    {"CONSUMER.DELETE.", remove_consumer},
    {"CONSUMER.DURABLE.CREATE.", make_consumer},
};

static void hear_request(natsConnection *from, const natsMsg *m) {
    const char *verb = m->subject + strlen("$JS.API.");
    size_t i = 0;
    server.requests++;
    if (!has_jet()) {
        say_nobody(m->reply);
        return;
    }
    if (server.trouble == NATS_LEADERLESS) return;
    while (i < sizeof api / sizeof *api && strncmp(verb, api[i].verb, strlen(api[i].verb)) != 0)
        i++;
    if (i == sizeof api / sizeof *api) abort();
    request r = {.m = m, .from = from};
    const char *of = verb + strlen(api[i].verb), *dot = strchr(of, '.');
    (void)snprintf(r.stream, sizeof r.stream, "%.*s", (int)strcspn(of, "."), of);
    (void)snprintf(r.consumer, sizeof r.consumer, "%s", dot != NULL ? dot + 1 : "");
    api[i].act(&r);
}

/* ---- what comes ---- */

static void confirm(const natsMsg *m, const stream_word *w) {
    char text[256];
    if (m->reply == NULL) return;
    if (w->seq > 0)
        (void)snprintf(text, sizeof text, "{\"stream\":\"%s\",\"seq\":%llu%s}", w->stream,
                       (unsigned long long)w->seq, w->twice ? ",\"duplicate\":true" : "");
    else
        (void)snprintf(text, sizeof text,
                       "{\"error\":{\"code\":503,\"err_code\":%d,\"description\":\"%s\"},"
                       "\"stream\":\"%s\",\"seq\":0}",
                       w->error, w->why, w->stream);
    say(m->reply, text);
}

void server_hears(natsConnection *from, const natsMsg *m) {
    stream_word w;
    if (strncmp(m->subject, "$JS.ACK.", 8) == 0) {
        if (!has_jet()) return;
        consumer_ack(m);
        writes();
        return;
    }
    if (strncmp(m->subject, "$JS.API.", 8) == 0) {
        hear_request(from, m);
        return;
    }
    if (server.trouble == NATS_FORBIDS) {
        nats_refuse(from, "Permissions Violation for Publish");
        return;
    }
    const int heard = nats_deliver(m->subject, m);
    const bool leaderless = has_jet() && server.trouble == NATS_LEADERLESS;
    if (has_jet() && !leaderless && stream_take(m, server.trouble == NATS_FULL, &w)) {
        writes();
        confirm(m, &w);
    } else if (heard == 0 && m->reply != NULL && !leaderless) {
        say_nobody(m->reply);
    }
}

/* ---- calls that are waited for ---- */

bool server_does(nats_call *c) {
    if (!has_jet()) c->status = NATS_NO_RESPONDERS;
    if (!has_jet()) nats_reply(c);
    return has_jet() && server.trouble != NATS_LEADERLESS;
}

void server_wrote(void) {
    writes();
}

bool server_tells(void) {
    return server.tells;
}

void server_publishes(nats_call *c) {
    stream_word w = {0};
    if (server.trouble == NATS_FORBIDS) {
        nats_refuse(c->nc, "Permissions Violation for Publish");
        return;
    }
    (void)nats_deliver(c->msg->subject, c->msg);
    if (!stream_take(c->msg, server.trouble == NATS_FULL, &w)) {
        c->status = NATS_NO_RESPONDERS;
    } else if (w.seq == 0) {
        c->status = NATS_ERR;
        c->code = (jsErrCode)w.error;
    } else {
        writes();
        c->number = (int64_t)w.seq;
    }
    nats_reply(c);
}
