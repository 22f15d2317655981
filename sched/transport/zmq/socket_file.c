/* Locking, checking and removing the file of a bound socket. */
#include "sched/transport/zmq/socket_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder_lock.h"

/* Connects to the socket, and returns the errno: 0 or EAGAIN (a full queue), a process listens; ECONNREFUSED, none does; else it is not
 * known. */
static int call(const char *path) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return errno;
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    const int number = connect(fd, (const struct sockaddr *)&at, sizeof at) == 0 ? 0 : errno;
    (void)close(fd);
    return number;
}

static wadi_status check_free(const char *address, const char *path, wadi_error *err) {
    struct stat about;
    if (lstat(path, &about) != 0) return WADI_OK; /* binding says what is wrong */
    if (!S_ISSOCK(about.st_mode))
        return wadi_fail(err, WADI_INVALID,
                         "%s: the path exists and is not a socket; it is not overwritten", address);
    const int answer = call(path);
    if (answer == ECONNREFUSED) return WADI_OK;
    if (answer == 0 || answer == EAGAIN)
        return wadi_fail(err, WADI_IO, "%s: bind: another process listens there", address);
    return wadi_fail_errno(err, answer,
                           "%s: bind: whether another process listens there is unknown", address);
}

wadi_status wadi_socket_file_claim(const char *address, const char *path, int *out_lock,
                                   wadi_error *err) {
    /* Asking, removing a dead socket and binding are three steps. The lock on the folder makes them one. */
    *out_lock = wadi_folder_lock(path);
    const wadi_status status = check_free(address, path, err);
    if (status != WADI_OK) {
        wadi_socket_file_settle(*out_lock);
        *out_lock = -1;
    }
    return status;
}

void wadi_socket_file_settle(int lock) {
    wadi_folder_unlock(lock);
}

wadi_socket_file wadi_socket_file_made(const char *path) {
    struct stat about;
    if (lstat(path, &about) != 0) return (wadi_socket_file){0};
    return (wadi_socket_file){true, about.st_dev, about.st_ino};
}

void wadi_socket_file_remove(const char *path, wadi_socket_file file) {
    const wadi_socket_file now = wadi_socket_file_made(path);
    if (file.made && now.made && now.device == file.device && now.number == file.number)
        (void)unlink(path);
}
