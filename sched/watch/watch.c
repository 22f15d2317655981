/* What a process opens to be watched. */
#include "wadi/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/watch/page.h"
#include "sched/watch/server.h"

enum { NAME_MOST = 40 };

struct wadi_watch {
    wadi_watch_server *server;
    wadi_watch_page *page;
};

static wadi_status check_name(const char *name, wadi_error *err) {
    if (name[0] != '\0' && strlen(name) <= NAME_MOST && strchr(name, '/') == NULL) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "watch: \"%.60s\" is no name for a process", name);
}

wadi_status wadi_watch_begin(const wadi_watch_options *options, wadi_watch **out_watch,
                             wadi_error *err) {
    const wadi_watch_options none = {0}, *o = options != NULL ? options : &none;
    const char *name = o->name != NULL ? o->name : "wadi";
    WADI_GIVEN(err, out_watch);
    *out_watch = NULL;
    WADI_TRY(check_name(name, err));
    wadi_watch *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "watch: out of memory");
    wadi_status status = o->no_socket ? WADI_OK : wadi_watch_server_create(name, &w->server, err);
    if (status == WADI_OK && o->http != NULL)
        status = wadi_watch_page_open(name, o->http, o->http_token, &w->page, err);
    if (status == WADI_OK)
        *out_watch = w;
    else
        wadi_watch_end(w);
    return status;
}

const char *wadi_watch_url(const wadi_watch *w) {
    return w != NULL && w->page != NULL ? wadi_watch_page_url(w->page) : NULL;
}

void wadi_watch_end(wadi_watch *w) {
    if (w == NULL) return;
    wadi_watch_page_close(w->page);
    wadi_watch_server_destroy(w->server);
    free(w);
}
