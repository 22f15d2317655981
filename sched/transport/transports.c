/* The table of transports, and opening ports through it. */
#include "sched/transport/transport.h"

#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"

#define ROW(name) &wadi_transport_##name,
static const wadi_transport *const table[] = {WADI_TRANSPORTS(ROW) NULL};
#undef ROW

const wadi_transport *wadi_transport_of(const char *address) {
    for (int i = 0; table[i] != NULL; i++) {
        const size_t n = strlen(table[i]->scheme);
        if (strncmp(address, table[i]->scheme, n) == 0 && strncmp(address + n, "://", 3) == 0)
            return table[i];
    }
    return NULL;
}

void wadi_transport_forms(char out[WADI_TRANSPORT_FORMS]) {
    const size_t room = WADI_TRANSPORT_FORMS;
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; table[i] != NULL && n < room; i++) {
        const char *const between = i == 0 ? "" : table[i + 1] == NULL ? " or " : ", ";
        const int added = snprintf(out + n, room - n, "%s%s", between, table[i]->form);
        n += added > 0 ? (size_t)added : room;
    }
}

static const int64_t default_silent_ns = INT64_C(30000000000);

/* What the address ends with; NULL: it says nothing. The path of a file may contain it elsewhere. */
static const char *find_silence(const char *address) {
    static const char word[] = "?silence=";
    const char *at = strrchr(address, '?');
    return at != NULL && strncmp(at, word, sizeof word - 1) == 0 ? at + sizeof word - 1 : NULL;
}

wadi_status wadi_address_read(const char *address, wadi_address *out, wadi_error *err) {
    const char *seconds = find_silence(address);
    double s = 0;
    *out = (wadi_address){.silent_ns = default_silent_ns};
    const size_t n =
        seconds != NULL ? (size_t)(seconds - address) - strlen("?silence=") : strlen(address);
    (void)snprintf(out->at, sizeof out->at, "%.*s", (int)(n < sizeof out->at ? n : sizeof out->at),
                   address);
    if (seconds == NULL) return WADI_OK;
    if (!wadi_args_real(seconds, 0, 1e6, &s) || (s > 0 && s < 1))
        return wadi_fail(err, WADI_INVALID,
                         "%.200s: silence: expected seconds from 1 to 1000000, or 0 for no limit",
                         address);
    out->silent_ns = (int64_t)(s * 1e9);
    return WADI_OK;
}

wadi_status wadi_transport_find(const char *address, const wadi_transport **out, wadi_error *err) {
    char forms[WADI_TRANSPORT_FORMS];
    const wadi_transport *row = wadi_transport_of(address);
    if (row == NULL) {
        wadi_transport_forms(forms);
        return wadi_fail(err, WADI_INVALID, "%.200s: a link leads to another process: %s", address,
                         forms);
    }
    wadi_address a;
    WADI_TRY(wadi_address_read(address, &a, err));
    WADI_TRY(row->check(a.at, err));
    *out = row;
    return WADI_OK;
}

bool wadi_address_is_local(const char *address) {
    const wadi_transport *row = wadi_transport_of(address);
    return row != NULL && row->is_local(address);
}

wadi_status wadi_address_check_bind(const char *address, bool has_keys, wadi_error *err) {
    if (has_keys || wadi_address_is_local(address)) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "%s: binding anything but loopback needs keys, since anyone could connect",
                     address);
}

/* ---- ports ---- */

wadi_status wadi_port_open(const wadi_port_options *options, wadi_port **out, wadi_error *err) {
    const wadi_transport *row = NULL;
    WADI_TRY(wadi_transport_find(options->address, &row, err));
    wadi_address a;
    WADI_TRY(wadi_address_read(options->address, &a, err));
    if (!options->share.on && find_silence(options->address) != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%.200s: silence is for streams that are shared, and for workers: here "
                         "nobody else could go on",
                         options->address);
    if (options->bind) WADI_TRY(wadi_address_check_bind(a.at, options->curve_secret != NULL, err));
    wadi_port_options o = *options;
    o.address = a.at;
    o.silent_ns = a.silent_ns;
    return row->open(&o, out, err);
}

static void enter(wadi_port *p) {
    if (p->ops->enter != NULL) p->ops->enter(p);
}

static void leave(wadi_port *p) {
    if (p->ops->leave != NULL) p->ops->leave(p);
}

/* Of a call that is over. */
static wadi_status left(wadi_port *p, wadi_status status) {
    leave(p);
    return status;
}

void wadi_port_close(wadi_port *p) {
    if (p != NULL) p->ops->close(p);
}

void wadi_port_wake_by(wadi_port *p, int wake_fd) {
    p->wake_fd = wake_fd;
}

void wadi_port_end_when(wadi_port *p, const atomic_bool *over) {
    p->over = over;
}

void wadi_port_watch(wadi_port *p, wadi_waits *waits) {
    p->waits = waits;
}

wadi_status wadi_port_introduce(wadi_port *p, wadi_error *err) {
    enter(p);
    return left(p, p->ops->introduce(p, err));
}

wadi_status wadi_port_send(wadi_port *p, wadi_chunk *owned_c, wadi_error *err) {
    enter(p);
    return left(p, p->ops->send(p, owned_c, err));
}

wadi_status wadi_port_settle(wadi_port *p, int64_t count, wadi_error *err) {
    enter(p);
    return left(p, p->ops->settle(p, count, err));
}

wadi_status wadi_port_end(wadi_port *p, int64_t count, wadi_error *err) {
    enter(p);
    return left(p, p->ops->end(p, count, err));
}

void wadi_port_fail(wadi_port *p, int64_t number, const wadi_error *why) {
    enter(p);
    p->ops->fail(p, number, why);
    leave(p);
}

wadi_status wadi_port_note(wadi_port *p, const void **out, int64_t *out_n, wadi_error *err) {
    enter(p);
    return left(p, p->ops->note(p, out, out_n, err));
}

bool wadi_port_ready(wadi_port *p) {
    enter(p);
    const bool so = p->ops->ready(p);
    leave(p);
    return so;
}

wadi_status wadi_port_receive(wadi_port *p, wadi_chunk **out, wadi_error *err) {
    enter(p);
    return left(p, p->ops->receive(p, out, err));
}

void wadi_port_done(wadi_port *p, int64_t number) {
    enter(p);
    p->ops->done(p, number);
    leave(p);
}

void wadi_port_give_up(wadi_port *p, const wadi_error *why) {
    enter(p);
    p->ops->give_up(p, why);
    leave(p);
}

wadi_status wadi_port_lay(wadi_port *p, const wadi_whole *of, wadi_chunk *owned_c,
                          wadi_error *err) {
    return p->ops->lay(p, of, owned_c, err);
}

void wadi_port_conclude(wadi_port *p, const wadi_whole *of, int64_t count) {
    p->ops->conclude(p, of, count);
}

wadi_status wadi_port_serve(wadi_port *p, wadi_error *err) {
    enter(p);
    return left(p, p->ops->serve(p, err));
}

wadi_port_part wadi_port_part_of(const wadi_port *p) {
    return p->ops->part(p);
}

void wadi_port_pass_on(wadi_port *p, const wadi_gatherer *what) {
    enter(p);
    p->ops->pass_on(p, what);
    leave(p);
}

wadi_status wadi_port_attend(wadi_port *p, wadi_error *err) {
    enter(p);
    return left(p, p->ops->attend(p, err));
}

wadi_status wadi_port_meet(wadi_port *p, uint64_t id, int64_t *out_elements, wadi_error *err) {
    if (p->ops->meet == NULL)
        return wadi_fail(err, WADI_UNSUPPORTED, "this transport does not go on with streams");
    enter(p);
    return left(p, p->ops->meet(p, id, out_elements, err));
}

int64_t wadi_port_certain(const wadi_port *p) {
    return p->ops->certain != NULL ? p->ops->certain(p) : 0;
}

void wadi_port_go_on(wadi_port *p, uint64_t id, int64_t elements) {
    if (p->ops->go_on != NULL) p->ops->go_on(p, id, elements);
}

uint64_t wadi_port_stream(const wadi_port *p) {
    return p->ops->stream != NULL ? p->ops->stream(p) : 0;
}

void wadi_port_keep(wadi_port *p, int64_t elements, bool all) {
    if (p->ops->keep == NULL) return;
    if (all) enter(p); /* else it is any thread, and must not wait */
    p->ops->keep(p, elements, all);
    if (all) leave(p);
}
