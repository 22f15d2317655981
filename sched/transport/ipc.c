/* ipc://PATH: ZeroMQ over a socket in the file system, guarded by the permissions of files. */
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/error.h"
#include "sched/transport/transport.h"
#include "sched/transport/zmq/port.h"

static const char scheme[] = "ipc";

static const char *path_of(const char *address) {
    return address + strlen(scheme) + strlen("://");
}

static wadi_status check(const char *address, wadi_error *err) {
    const struct sockaddr_un unix_address = {0};
    const size_t n = strlen(path_of(address));
    if (n > 0 && n < sizeof unix_address.sun_path) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%.200s: expected ipc://PATH, a path of 1 to %zu bytes",
                     address, sizeof unix_address.sun_path - 1);
}

static bool is_local(const char *address) {
    WADI_UNUSED(address);
    return true;
}

/* When libzmq binds "@NAME", it removes a file of that name, although such an address has no file. So this is refused. */
static wadi_status check_bystander(const wadi_port_options *options, wadi_error *err) {
    struct stat about;
    const char *path = path_of(options->address);
    if (!options->bind || *path != '@' || lstat(path, &about) != 0) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "%s: there is a file %s, which libzmq would remove; choose another name",
                     options->address, path);
}

/* "@" is Linux's space of names without files, "*" a name that libzmq chooses. */
static wadi_status open_port(const wadi_port_options *options, wadi_port **out, wadi_error *err) {
    const char *path = path_of(options->address);
    const bool has_file = *path != '@' && strcmp(path, "*") != 0;
    WADI_TRY(check_bystander(options, err));
    return wadi_zmq_port_open(options, has_file ? path : NULL, out, err);
}

const wadi_transport wadi_transport_ipc = {scheme, "ipc://PATH", check, is_local, open_port};
