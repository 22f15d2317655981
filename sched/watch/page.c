/* A table of paths. Who may ask is decided before what is answered:
 *
 * - The Host must be this server's. A page elsewhere whose name was made to mean 127.0.0.1 gives itself away by its own name.
 * - All but /health wants the token: as "?token=" for what a browser is led to, or as "Authorization: Bearer". What changes a run wants it in that header,
 *   which no other page can make a browser send.
 * - An Origin, if there is one, must be this server's. */
#include "sched/watch/page.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/loadable.h"
#include "sched/http.h"
#include "sched/watch/answer.h"
#include "sched/watch/page_embed.h"
#include "sched/watch/token.h"

struct wadi_watch_page {
    char process[48];
    char host[64]; /* a numerical address */
    int port;
    bool local, made; /* a loopback address; the token was made here */
    wadi_watch_token token;
    const wadi_http_offer *offer;
    void *server;
    char url[256];
    char policy[160]; /* of the latest page */
};

/* ---- what is answered ---- */

static void say(wadi_http_answer *out, int status, const char *words) {
    wadi_text_clear(&out->body);
    out->status = status;
    out->type = "text/plain; charset=utf-8";
    wadi_text_addf(&out->body, "%s\n", words);
}

/* The page, whose own style and script alone are allowed: they carry a number that nobody knows beforehand. */
static void tell_page(wadi_watch_page *p, wadi_http_answer *out) {
    static const char mark[] = "@NONCE@";
    wadi_watch_token nonce;
    if (wadi_watch_token_make(&nonce, NULL) != WADI_OK) {
        say(out, 500, "no random numbers");
        return;
    }
    (void)snprintf(p->policy, sizeof p->policy,
                   "default-src 'none'; connect-src 'self'; style-src 'nonce-%.32s'; script-src "
                   "'nonce-%.32s'",
                   nonce.text, nonce.text);
    out->policy = p->policy;
    out->type = "text/html; charset=utf-8";
    const char *at = wadi_embed_page;
    for (const char *next; (next = strstr(at, mark)) != NULL; at = next + sizeof mark - 1) {
        wadi_text_add_n(&out->body, at, (size_t)(next - at));
        wadi_text_add(&out->body, nonce.text);
    }
    wadi_text_add(&out->body, at);
}

/* "0.1", "0.in0" */
static bool is_stage(const char *name) {
    const size_t n = strlen(name);
    return n > 0 && n < 24 && strspn(name, "0123456789.inout") == n;
}

static void ask(const wadi_watch_page *p, const char *verb, const wadi_http_request *q,
                wadi_http_answer *out) {
    wadi_error err = {0};
    int64_t n = 0;
    char request[128];
    if (q->run != NULL && !wadi_args_number(q->run, 0, INT64_MAX, &n)) {
        say(out, 400, "run: expected a number");
        return;
    }
    if (q->stage != NULL && !is_stage(q->stage)) {
        say(out, 400, "stage: expected a number as in 0.1, 0.in0 or 0.out0");
        return;
    }
    (void)snprintf(request, sizeof request, "%s run=%lld%s%s", verb, (long long)n,
                   q->stage != NULL ? " stage=" : "", q->stage != NULL ? q->stage : "");
    const wadi_status st = wadi_watch_answer(p->process, request, &out->body, &err);
    if (st != WADI_OK) say(out, st == WADI_INVALID ? 409 : 500, err.msg);
}

/* ---- paths ---- */

typedef struct path {
    const char *path, *method;
    bool open;        /* without a token */
    const char *verb; /* of answer.h; NULL: see tell */
    const char *type;
} path;

static const char plain[] = "text/plain; charset=utf-8", json[] = "application/json",
                  metrics[] = "text/plain; version=0.0.4; charset=utf-8";

static const path paths[] = {
    {"/", "GET", false, NULL, NULL},
    {"/health", "GET", true, NULL, NULL},
    {"/view.json", "GET", false, "json", json},
    {"/metrics", "GET", false, "metrics", metrics},
    {"/why", "GET", false, "why", plain},
    {"/tap", "GET", false, "tap", json},
    {"/pause", "POST", false, "pause", plain},
    {"/resume", "POST", false, "resume", plain},
    {"/drain", "POST", false, "drain", plain},
};

static const path *find_path(const char *name) {
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strcmp(paths[i].path, name) == 0) return &paths[i];
    return NULL;
}

/* ---- who may ask ---- */

/* Whether "127.0.0.1:8080", "localhost:8080" or "[::1]:8080" means this server. Beyond loopback a machine has names that it does not know itself. */
static bool is_own(const wadi_watch_page *p, const char *host) {
    char names[3][80];
    if (!p->local) return true;
    if (host == NULL) return false;
    (void)snprintf(names[0], sizeof names[0], "%s:%d", p->host, p->port);
    (void)snprintf(names[1], sizeof names[1], "localhost:%d", p->port);
    (void)snprintf(names[2], sizeof names[2], "[%s]:%d", p->host, p->port);
    for (int i = 0; i < 3; i++)
        if (wadi_ascii_alike(host, names[i])) return true;
    return false;
}

static bool is_own_origin(const wadi_watch_page *p, const wadi_http_request *q) {
    if (q->origin == NULL) return true;
    if (strncmp(q->origin, "http://", 7) != 0) return false;
    return p->local ? is_own(p, q->origin + 7)
                    : q->host != NULL && wadi_ascii_alike(q->origin + 7, q->host);
}

static bool has_token(const wadi_watch_page *p, const wadi_http_request *q, bool by_header) {
    static const char bearer[] = "Bearer ";
    const char *shown = q->authorization;
    if (shown != NULL && wadi_ascii_begin_alike(shown, bearer, sizeof bearer - 1))
        return wadi_watch_token_is(&p->token, shown + sizeof bearer - 1);
    return !by_header && wadi_watch_token_is(&p->token, q->token);
}

/* Whether it is refused. */
static bool refuse(const wadi_watch_page *p, const wadi_http_request *q, const path *to,
                   wadi_http_answer *out) {
    if (!is_own(p, q->host) || !is_own_origin(p, q))
        say(out, 403, "this is not the host that was asked for");
    else if (to == NULL)
        say(out, 404, "there is no such page");
    else if (strcmp(q->method, to->method) != 0)
        say(out, 405, "there is no such method here");
    else if (!to->open && !has_token(p, q, strcmp(to->method, "POST") == 0))
        say(out, 401, "the token is wrong, or missing: open the address that the program has told");
    else
        return false;
    if (out->status == 405) out->allow = to->method;
    return true;
}

static void answer(void *env, const wadi_http_request *q, wadi_http_answer *out) {
    wadi_watch_page *p = env;
    const path *to = find_path(q->path);
    if (refuse(p, q, to, out)) return;
    out->status = 200;
    out->type = to->type;
    if (to->verb != NULL)
        ask(p, to->verb, q, out);
    else if (to->open)
        say(out, 200, "ok");
    else
        tell_page(p, out);
}

/* ---- addresses ---- */

/* "127.0.0.1:8080", "[::1]:0", "localhost:8080" */
static wadi_status read_address(wadi_watch_page *p, const char *address, wadi_error *err) {
    const char *colon = strrchr(address, ':');
    const size_t n = colon != NULL ? (size_t)(colon - address) : 0;
    const bool in_brackets = n > 2 && address[0] == '[' && address[n - 1] == ']';
    unsigned char binary[16];
    int64_t port = 0;
    const bool fits = n > 0 && n < sizeof p->host && wadi_args_number(colon + 1, 0, 65535, &port);
    if (fits) memcpy(p->host, address + in_brackets, n - (in_brackets ? 2 : 0));
    if (strcmp(p->host, "localhost") == 0) strcpy(p->host, "127.0.0.1");
    const bool v4 = fits && !in_brackets && inet_pton(AF_INET, p->host, binary) == 1;
    const bool v6 = fits && in_brackets && inet_pton(AF_INET6, p->host, binary) == 1;
    if (!v4 && !v6)
        return wadi_fail(err, WADI_INVALID,
                         "http: \"%.80s\" is not an address as in 127.0.0.1:8080 or [::1]:8080",
                         address);
    p->local = v4 ? binary[0] == 127 : memcmp(binary, &in6addr_loopback, sizeof binary) == 0;
    p->port = (int)port;
    return WADI_OK;
}

static wadi_status take_token(wadi_watch_page *p, const char *file, wadi_error *err) {
    p->made = file == NULL;
    if (!p->made) return wadi_watch_token_read(file, &p->token, err);
    if (p->local) return wadi_watch_token_make(&p->token, err);
    return wadi_fail(err, WADI_INVALID,
                     "http: %s can be reached from other machines: that takes a token of your own, "
                     "in a file (--http-token)",
                     p->host);
}

static void write_url(wadi_watch_page *p) {
    const bool v6 = strchr(p->host, ':') != NULL;
    (void)snprintf(p->url, sizeof p->url, "http://%s%s%s:%d/%s%s", v6 ? "[" : "", p->host,
                   v6 ? "]" : "", p->port, p->made ? "?token=" : "", p->made ? p->token.text : "");
}

static wadi_status open_all(wadi_watch_page *p, const char *address, const char *token_file,
                            wadi_error *err) {
    const void *offer = NULL;
    wadi_error why = {0};
    WADI_TRY(read_address(p, address, err));
    WADI_TRY(take_token(p, token_file, err));
    WADI_TRY(wadi_loadable_get("http", "server", &offer, err));
    p->offer = offer;
    const wadi_status st = p->offer->open(p->host, p->port, answer, p, &p->server, &p->port, &why);
    if (st != WADI_OK) return wadi_fail(err, st, "http: %.80s: %.400s", address, why.msg);
    write_url(p);
    return WADI_OK;
}

wadi_status wadi_watch_page_open(const char *process, const char *address, const char *token_file,
                                 wadi_watch_page **out, wadi_error *err) {
    wadi_watch_page *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "http: out of memory");
    (void)snprintf(p->process, sizeof p->process, "%s", process);
    const wadi_status st = open_all(p, address, token_file, err);
    if (st == WADI_OK)
        *out = p;
    else
        wadi_watch_page_close(p);
    return st;
}

const char *wadi_watch_page_url(const wadi_watch_page *p) {
    return p->url;
}

void wadi_watch_page_close(wadi_watch_page *p) {
    if (p == NULL) return;
    if (p->server != NULL) p->offer->close(p->server);
    free(p);
}
