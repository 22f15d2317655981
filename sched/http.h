/* Answering HTTP requests: what the module "http" offers as "server", and what it asks of whoever answers. */
#ifndef WADI_SCHED_HTTP_H
#define WADI_SCHED_HTTP_H

#include <stdint.h>

#include "base/text.h"

/* A request without its body, which nobody reads. Texts are borrowed for the call; NULL: there is none. */
typedef struct wadi_http_request {
    const char *method, *path;
    const char *host, *origin, *authorization; /* headers */
    const char *token, *run, *stage;           /* of the query */
} wadi_http_request;

typedef struct wadi_http_answer {
    int status;
    const char *type;  /* "text/html; charset=utf-8"; static */
    const char *allow; /* of status 405: the methods; static, or NULL */
    const char
        *policy; /* the Content-Security-Policy, or NULL; borrowed until `answer` is called again */
    wadi_text body;
} wadi_http_answer;

/* Fills in *out, all zero before. By the thread of the server, one request after the other. */
typedef void (*wadi_http_answer_fn)(void *env, const wadi_http_request *q, wadi_http_answer *out);

/* "server" of http. Of those who connect, at most 32 are there at a time, and each is sent away after 20 s at the latest. */
typedef struct wadi_http_offer {
    /* Listens at a numerical address, "127.0.0.1" or "::1". port 0: any; *out_port is the one. Errors: WADI_IO, WADI_MEMORY. */
    wadi_status (*open)(const char *address, int port, wadi_http_answer_fn answer, void *env,
                        void **out, int *out_port, wadi_error *err);
    /* Returns when no request is being answered any more. */
    void (*close)(void *server);
} wadi_http_offer;

#endif
