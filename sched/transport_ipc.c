/* See the header. */
#include "sched/transport_ipc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

/* The path of an address that has one, else NULL. "@" is Linux's space of names without files, "*" a name that libzmq chooses. */
static const char *path_of(const char *address) {
    static const char scheme[] = "ipc://";
    const char *path = address + sizeof scheme - 1;
    if (strncmp(address, scheme, sizeof scheme - 1) != 0) return NULL;
    return *path == '@' || strcmp(path, "*") == 0 ? NULL : path;
}

static bool somebody_listens(const char *path) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return true; /* not known: better nothing is removed */
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    const bool refused =
        connect(fd, (const struct sockaddr *)&at, sizeof at) != 0 && errno == ECONNREFUSED;
    (void)close(fd);
    return !refused;
}

wadi_status wadi_ipc_free(const char *address, wadi_error *err) {
    const char *path = path_of(address);
    struct stat about;
    if (path == NULL || lstat(path, &about) != 0) return WADI_OK; /* binding says what is wrong */
    if (!S_ISSOCK(about.st_mode))
        return wadi_fail(err, WADI_INVALID,
                         "%s: something else than a socket stands there; nothing is overwritten",
                         address);
    if (!somebody_listens(path)) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: bind: another process listens there", address);
}

wadi_ipc_file wadi_ipc_made(const char *address) {
    const char *path = path_of(address);
    struct stat about;
    if (path == NULL || lstat(path, &about) != 0) return (wadi_ipc_file){0};
    return (wadi_ipc_file){true, about.st_dev, about.st_ino};
}

void wadi_ipc_remove(const char *address, wadi_ipc_file file) {
    const wadi_ipc_file now = wadi_ipc_made(address);
    if (file.made && now.made && now.device == file.device && now.number == file.number)
        (void)unlink(path_of(address));
}
