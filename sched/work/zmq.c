/* tcp://HOST:PORT and ipc://PATH: ZeroMQ. The addresses are those of links, and so are the rules about who may connect. */
#include <string.h>

#include "base/error.h"
#include "sched/transport/transport.h"
#include "sched/work/socket.h"

static wadi_status check(const char *address, wadi_error *err) {
    const wadi_transport *row = NULL;
    return wadi_transport_find(address, &row, err);
}

/* An address without a file, or one that libzmq chooses, would be none that workers can be told. */
static wadi_status check_ipc(const char *address, wadi_error *err) {
    wadi_address a;
    WADI_TRY(check(address, err));
    WADI_TRY(wadi_address_read(address, &a, err));
    const char *path = strstr(a.at, "://") + 3;
    if (*path != '@' && strcmp(path, "*") != 0) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: expected ipc://PATH, the path of a file", address);
}

static wadi_status open_end(const wadi_workq_options *o, bool has_file, wadi_workq **out,
                            wadi_error *err) {
    wadi_address a;
    wadi_workq_options plain = *o;
    WADI_TRY(wadi_address_read(o->address, &a, err));
    if (o->home) WADI_TRY(wadi_address_check_bind(a.at, o->curve_secret != NULL, err));
    plain.address = a.at;
    plain.silent_ns = a.silent_ns;
    const char *path = has_file ? strstr(a.at, "://") + 3 : NULL;
    return o->home ? wadi_workq_home_open(&plain, path, out, err)
                   : wadi_workq_worker_open(&plain, path, out, err);
}

static wadi_status open_tcp(const wadi_workq_options *options, wadi_workq **out, wadi_error *err) {
    return open_end(options, false, out, err);
}

static wadi_status open_ipc(const wadi_workq_options *options, wadi_workq **out, wadi_error *err) {
    return open_end(options, true, out, err);
}

const wadi_way wadi_way_tcp = {"tcp", "tcp://HOST:PORT", check, open_tcp};
const wadi_way wadi_way_ipc = {"ipc", "ipc://PATH", check_ipc, open_ipc};
