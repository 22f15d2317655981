/* The lock is one of flock on the folder itself, so nothing is left over, and a process that is killed holds none. */
#include "base/folder_lock.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { PATH_ROOM = 4096 };

int wadi_folder_lock(const char *path) {
    static const struct timespec nap = {0, 5000000};
    const int64_t patience = INT64_C(2000000000), from = wadi_clock_ns();
    char folder[PATH_ROOM] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL) (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && wadi_clock_ns() - from < patience)
        (void)nanosleep(&nap, NULL);
    return fd;
}

void wadi_folder_unlock(int lock) {
    if (lock >= 0) (void)close(lock);
}
