/* Starting a program and timing it to its end. */
#include "bench/gridding/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

extern char **environ;

static int start(const char *const *argv, const char *log, pid_t *out) {
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    int why = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (why == 0)
        why = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log,
                                               O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (why == 0) why = posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    if (why == 0) why = posix_spawnp(out, argv[0], &files, NULL, (char *const *)argv, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    return why;
}

/* The last line of the log that is not empty. */
static wadi_status tell_failure(const char *program, const char *log, wadi_error *err) {
    char line[256], last[256] = "it says nothing";
    FILE *f = fopen(log, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') memcpy(last, line, sizeof last);
    }
    if (f) (void)fclose(f);
    return wadi_fail(err, WADI_IO, "%s fails: %s", program, last);
}

wadi_status bench_spawn(const char *const *argv, const char *log, wadi_error *err) {
    pid_t pid = -1;
    int status = 0;
    const int why = start(argv, log, &pid);
    if (why == ENOENT) return wadi_fail(err, WADI_UNSUPPORTED, "%s is not installed", argv[0]);
    if (why != 0) return wadi_fail(err, WADI_IO, "%s: %s", argv[0], strerror(why));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return wadi_fail(err, WADI_IO, "%s: %s", argv[0], strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return WADI_OK;
    return tell_failure(argv[0], log, err);
}
