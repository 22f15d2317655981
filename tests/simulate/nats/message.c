/* Messages of the simulated server, and which subjects a pattern has. */
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/nats/inside.h"

static char *text_of(const char *s) {
    char *copy = s != NULL ? strdup(s) : NULL;
    if (s != NULL && copy == NULL) abort();
    return copy;
}

natsMsg *nats_message(const char *subject, const char *reply, const void *data, int n) {
    natsMsg *m = calloc(1, sizeof *m);
    char *copy = malloc((size_t)n + 1);
    if (m == NULL || copy == NULL) abort();
    if (n > 0) memcpy(copy, data, (size_t)n);
    copy[n] = '\0'; /* as in libnats */
    *m = (natsMsg){.subject = text_of(subject), .reply = text_of(reply), .data = copy, .n = n};
    return m;
}

void nats_message_add(natsMsg *m, const char *name, const char *value) {
    if (m->nheaders == NATS_HEADERS) abort();
    m->header[m->nheaders++] = (nats_header){text_of(name), text_of(value)};
}

const char *nats_message_get(const natsMsg *m, const char *name) {
    for (int i = 0; i < m->nheaders; i++)
        if (strcmp(m->header[i].name, name) == 0) return m->header[i].value;
    return NULL;
}

natsMsg *nats_message_copy(const natsMsg *m) {
    natsMsg *copy = nats_message(m->subject, m->reply, m->data, m->n);
    for (int i = 0; i < m->nheaders; i++)
        nats_message_add(copy, m->header[i].name, m->header[i].value);
    copy->seq = m->seq;
    return copy;
}

int64_t nats_message_bytes(const natsMsg *m) {
    int64_t n = m->n + (int64_t)strlen(m->subject);
    for (int i = 0; i < m->nheaders; i++)
        n += (int64_t)(strlen(m->header[i].name) + strlen(m->header[i].value));
    return n;
}

void natsMsg_Destroy(natsMsg *m) {
    if (m == NULL) return;
    for (int i = 0; i < m->nheaders; i++) {
        free(m->header[i].name);
        free(m->header[i].value);
    }
    free(m->subject);
    free(m->reply);
    free(m->data);
    free(m);
}

bool nats_matches(const char *pattern, const char *subject) {
    while (*pattern != '\0' && *subject != '\0') {
        const size_t p = strcspn(pattern, "."), s = strcspn(subject, ".");
        if (p == 1 && *pattern == '>') return true;
        if (!(p == 1 && *pattern == '*') && (p != s || strncmp(pattern, subject, p) != 0))
            return false;
        pattern += p + (pattern[p] == '.');
        subject += s + (subject[s] == '.');
    }
    return *pattern == '\0' && *subject == '\0';
}

/* ---- libnats ---- */

natsStatus natsMsg_Create(natsMsg **out, const char *subject, const char *reply, const char *data,
                          int n) {
    *out = nats_message(subject, reply, data, n);
    return NATS_OK;
}

const char *natsMsg_GetSubject(const natsMsg *m) {
    return m->subject;
}

const char *natsMsg_GetReply(const natsMsg *m) {
    return m->reply;
}

const char *natsMsg_GetData(const natsMsg *m) {
    return m->data;
}

int natsMsg_GetDataLength(const natsMsg *m) {
    return m->n;
}

uint64_t natsMsg_GetSequence(natsMsg *m) {
    return m->seq;
}

bool natsMsg_IsNoResponders(natsMsg *m) {
    const char *status = nats_message_get(m, "Status");
    return m->n == 0 && status != NULL && strcmp(status, "503") == 0;
}

natsStatus natsMsgHeader_Set(natsMsg *m, const char *name, const char *value) {
    nats_message_add(m, name, value);
    return NATS_OK;
}

natsStatus natsMsgHeader_Get(natsMsg *m, const char *name, const char **out) {
    *out = nats_message_get(m, name);
    return *out != NULL ? NATS_OK : NATS_NOT_FOUND;
}
