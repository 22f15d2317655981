/* Reading /proc/cpuinfo. The system writes the lines while they are read, for each processor anew, so only those of the first are. */
#include "codegen/build/processor.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char about[16384];

static void read_first(void) {
    size_t n = 0;
    const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    while (n + 1 < sizeof about && strstr(about, "\n\n") == NULL) {
        const ssize_t got = read(fd, about + n, sizeof about - 1 - n);
        if (got <= 0) break;
        n += (size_t)got;
        about[n] = '\0';
    }
    (void)close(fd);
    char *end = strstr(about, "\n\n");
    if (end != NULL) end[1] = '\0';
}

const char *wadi_processor_about(void) {
    return pthread_once(&once, read_first) == 0 ? about : "";
}
