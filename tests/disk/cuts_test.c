/* Runs with a state whose process is killed, or whose machine loses power, at every change that they make on the disk. One run is
 * recorded. For each of its changes the folder is made as a crash there leaves it (tests/disk/disk.h), and the same command is run once more: outputs are those
 * of one run, and nothing else is left. An output that has its name is whole at any moment, and what was saved once is there until the end.
 *
 * A second part cuts runs again and again, at places by chance, before they may end.
 *
 * WADI_DISK_SECONDS=N goes on for about N seconds; WADI_SEED=N begins with these chances and tells what it does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "tests/disk/disk.h"

enum { ARGUMENTS = 16, OUTPUTS = 3, SKIPPED = 77, LIMIT_S = 60 };

typedef struct job {
    const char *name;
    const char *argument[ARGUMENTS];
    const char *output[OUTPUTS];
    const char *state; /* the file */
    bool prints;       /* results, which count as well */
    bool
        grows; /* an output that is not whole holds the beginning of it, and behind that what the power has left */
} job;

static const job jobs[] = {
    {.name = "one output",
     .argument = {"cli/wadi", "run", "../in/twice.wadi", "s=10:@../in/values.raw", "out=@out.raw",
                  "--state", "kept", "--every", "0", "--chunk", "8"},
     .output = {"out.raw"},
     .state = "kept/state"},
    {.name = "two outputs and a result",
     .argument = {"cli/wadi", "run", "../in/both.wadi", "s=10:@../in/values.raw", "a=@a.raw",
                  "b=@sub/b.raw", "--state", "jobs/one", "--every", "0", "--chunk", "16"},
     .output = {"a.raw", "sub/b.raw"},
     .state = "jobs/one/state",
     .prints = true},
    {.name = "elements that fail",
     .argument = {"cli/wadi", "run", "../in/fails.wadi", "s=10:@../in/numbers.raw", "out=@out.raw",
                  "--state", "kept", "--every", "0", "--chunk", "16", "--on-fault", "skip",
                  "--dead", "dead.json"},
     .output = {"out.raw", "dead.json"},
     .state = "kept/state"},
    {.name = "words",
     .argument = {"apps/md5/wadi-md5", "-q", "-m", "../in/hashes", "--state", "kept", "--every",
                  "0", "-o", "found", "../in/words"},
     .output = {"found"},
     .state = "kept/state",
     .grows = true},
};
enum { JOBS = sizeof jobs / sizeof jobs[0] };

static char root[PATH_MAX / 4];
static const char old[] = "what stood here before\n";

static const char *in(const char *name) {
    static char paths[4][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, PATH_MAX, "%s/%s", root, name);
    return path;
}

/* ---- inputs ---- */

static bool put(const char *name, const void *data, size_t n) {
    return wadi_file_write(in(name), data, n, 0600, NULL) == WADI_OK;
}

static bool put_text(const char *name, const char *text) {
    return put(name, text, strlen(text));
}

static bool put_words(void) {
    enum { WORDS = 30000, LONGEST = 16 };
    char *text = malloc(WORDS * LONGEST);
    size_t n = 0;
    for (int i = 0; text != NULL && i < WORDS; i++)
        n += (size_t)snprintf(text + n, LONGEST, "word%d\n", i);
    const bool done = text != NULL && put("in/words", text, n);
    free(text);
    return done && put_text("in/hashes", "57cc0f81ccf6347342554f936bbdc7b4\n"
                                         "29c0e3f64f893e10d110bf58c143d5d2\n"
                                         "4afc92745d777f0367d4d456cb2d1a32\n");
}

static bool put_inputs(void) {
    enum { VALUES = 10 * 240 };
    static double values[VALUES];
    static int64_t numbers[VALUES];
    for (int i = 0; i < VALUES; i++) values[i] = i % 977;
    for (int i = 0; i < VALUES; i++) numbers[i] = i % 7;
    return put("in/values.raw", values, sizeof values) &&
           put("in/numbers.raw", numbers, sizeof numbers) && put_words() &&
           put_text("in/twice.wadi", "program twice\nstream_in s : seq(f64[?])\n"
                                     "y = map_seq s (b) {\n  h = map b (x) { mul x 2.0 }\n"
                                     "  yield h\n}\nstream_out \"out\" y\n") &&
           put_text("in/both.wadi", "program both\nstream_in s : seq(f64[?])\n"
                                    "y = map_seq s (b) {\n  h = map b (x) { mul x 2.0 }\n"
                                    "  yield h\n}\n"
                                    "z = map_seq s (b) {\n  t = fold 0.0 b (p, q) { add p q }\n"
                                    "  yield t\n}\n"
                                    "w = fold_seq z 0.0 (k, x) {\n"
                                    "  n = unit { add (the k) (the x) }\n  yield n\n}\n"
                                    "stream_out \"a\" y\nstream_out \"b\" z\noutput w\n") &&
           put_text("in/fails.wadi", "program fails\nstream_in s : seq(i64[?])\n"
                                     "y = map_seq s (b) {\n"
                                     "  h = unit { quot 60 (b ! 3) }\n  yield h\n}\n"
                                     "stream_out \"out\" y\n");
}

/* ---- running ---- */

static void redirect(const char *name, int to) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
    (void)close(fd);
}

_Noreturn static void become(const job *j) {
    char program[PATH_MAX], recorder[PATH_MAX], *argv[ARGUMENTS + 1] = {0};
    const char *build = getenv("WADI_BUILD");
    if (chdir(in("run")) != 0) _exit(126);
    setenv("WADI_CACHE_DIR", in("cache"), 1);
    setenv("HOME", in("home"), 1);
    setenv("TMPDIR", in("tmp"), 1);
    setenv("WADI_LEARN", "off", 1);
    redirect(in("said/got"), STDOUT_FILENO);
    redirect(in("said/said"), STDERR_FILENO);
    (void)snprintf(program, sizeof program, "%s/%s", build, j->argument[0]);
    (void)snprintf(recorder, sizeof recorder, "%s/tests/libdisk_recorder.so", build);
    for (int i = 0; i < ARGUMENTS && j->argument[i] != NULL; i++) argv[i] = strdup(j->argument[i]);
    setenv("WADI_DISK", in("said/log"), 1);
    setenv("LD_PRELOAD", recorder, 1);
    (void)execv(program, argv);
    _exit(126);
}

/* The status, or -1 if it does not end. */
static int run(const job *j) {
    const struct timespec nap = {0, 500000};
    const int64_t until = wadi_clock_ns() + LIMIT_S * INT64_C(1000000000);
    int status = 0;
    (void)unlink(in("said/log"));
    const pid_t pid = fork();
    if (pid == 0) become(j);
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        if (wadi_clock_ns() > until) {
            (void)kill(pid, SIGKILL);
            (void)waitpid(pid, &status, 0);
            return -1;
        }
        (void)nanosleep(&nap, NULL);
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- what is left ---- */

typedef struct wanted {
    char *bytes[OUTPUTS + 1]; /* the last: what was printed */
    size_t n[OUTPUTS + 1];
} wanted;

typedef enum match { OTHER, BEGINNING, SAME } match;

static match compare(const char *path, const char *bytes, size_t n) {
    char *got = NULL;
    size_t got_n = 0;
    if (wadi_file_read(path, &got, &got_n, NULL) != WADI_OK) return OTHER;
    const bool begins = got_n <= n && memcmp(got, bytes, got_n) == 0;
    free(got);
    return !begins ? OTHER : got_n < n ? BEGINNING : SAME;
}

static bool is(const char *path, const char *bytes, size_t n) {
    return compare(path, bytes, n) == SAME;
}

static const char *output(const job *j, int i) {
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "run/%s", j->output[i]);
    return in(path);
}

/* No output may have its name before it is whole. */
static const char *what_is_there(const job *j, const wanted *w, disk_left left) {
    for (int i = 0; i < OUTPUTS && j->output[i] != NULL; i++) {
        const char *path = output(j, i);
        const match m = compare(path, w->bytes[i], w->n[i]);
        if (!wadi_file_exists(path) || is(path, old, sizeof old - 1) || m == SAME) continue;
        if (!j->grows || (m == OTHER && left <= DISK_TORN))
            return "an output is there that is not whole";
    }
    return NULL;
}

static int count_files(const char *folder) {
    struct stat about;
    int n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        char path[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n += stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? count_files(path) : 1;
    }
    if (d != NULL) (void)closedir(d);
    return n;
}

static const char *what_is_wrong(const job *j, const wanted *w, int status) {
    int left = count_files(in("run"));
    if (status != 0) return status < 0 ? "it hangs" : "it fails";
    for (int i = 0; i < OUTPUTS && j->output[i] != NULL; i++, left--)
        if (!is(output(j, i), w->bytes[i], w->n[i])) return "an output is another one";
    if (j->prints && !is(in("said/got"), w->bytes[OUTPUTS], w->n[OUTPUTS]))
        return "another result is printed";
    return left > 0 ? "something else is left" : NULL;
}

/* An old output stands there. */
static void prepare(const job *j) {
    disk_empty(in("run"));
    if (mkdir(in("run/sub"), 0700) != 0) abort();
    if (j->grows) return;
    const int fd = open(output(j, 0), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, old, sizeof old - 1) != (ssize_t)sizeof old - 1) abort();
    (void)close(fd);
}

static bool make_wanted(const job *j, wanted *w) {
    *w = (wanted){0};
    prepare(j);
    if (run(j) != 0) return false;
    for (int i = 0; i < OUTPUTS && j->output[i] != NULL; i++)
        if (wadi_file_read(output(j, i), &w->bytes[i], &w->n[i], NULL) != WADI_OK) return false;
    return wadi_file_read(in("said/got"), &w->bytes[OUTPUTS], &w->n[OUTPUTS], NULL) == WADI_OK;
}

static void forget_wanted(wanted *w) {
    for (int i = 0; i <= OUTPUTS; i++) free(w->bytes[i]);
}

/* ---- every change of a run ---- */

/* Whether what is saved is on the disk, as far as the changes tell. */
typedef struct saving {
    bool named, kept;
    uint64_t folder;
} saving;

static void follow(saving *s, const disk_entry *e) {
    if (e->is.change == DISK_RENAME && strcmp(e->name2, "state") == 0)
        *s = (saving){.named = true, .kept = s->kept, .folder = e->is.folder2};
    if (e->is.change == DISK_SYNC && s->named && e->is.file == s->folder) s->kept = true;
    if (e->is.change == DISK_REMOVE && strcmp(e->name, "state") == 0) *s = (saving){0};
}

typedef struct tally {
    long changes, crashes, wrong;
    WADI_VEC(uint64_t) seen;
} tally;

static bool is_new(tally *t, uint64_t digest) {
    for (size_t i = 0; i < t->seen.n; i++)
        if (t->seen.at[i] == digest) return false;
    return wadi_vec_push(&t->seen, digest);
}

static void blame(tally *t, const job *j, const char *where, const char *why) {
    char *said = NULL;
    size_t n = 0;
    t->wrong++;
    (void)!wadi_file_read(in("said/said"), &said, &n, NULL);
    fprintf(stderr, "FAILED: %s, %s: %s\n%s", j->name, where, why, said != NULL ? said : "");
    free(said);
}

static void crash(tally *t, const job *j, const wanted *w, const disk *d, const disk_log *log,
                  int n, disk_left left, const saving *s) {
    char where[128], state[PATH_MAX];
    const disk_entry *next = n < log->n ? &log->entry[n] : NULL;
    disk_empty(in("run"));
    if (!is_new(t, disk_leave(d, left, next, (uint64_t)n, in("run")))) return;
    (void)snprintf(where, sizeof where, "\"%s\" after %d of %d changes", disk_left_words[left], n,
                   log->n);
    (void)snprintf(state, sizeof state, "run/%s", j->state);
    const char *why = what_is_there(j, w, left);
    if (why == NULL && s->kept && !wadi_file_exists(in(state))) why = "what was saved is lost";
    if (why == NULL) why = what_is_wrong(j, w, run(j));
    t->crashes++;
    if (why != NULL) blame(t, j, where, why);
}

/* The last changes all, since names change there; of the others as many as there is time for. */
static bool is_chosen(int n, int all, int step) {
    return n > all - 30 || n % step == 0;
}

static void cut_everywhere(tally *t, const job *j, const wanted *w, int step) {
    saving s = {0};
    prepare(j);
    disk *d = disk_create(in("run"));
    if (run(j) != 0) blame(t, j, "recorded", "it fails");
    disk_log log = disk_read_log(in("said/log"));
    t->changes += log.n;
    for (int n = 0; n <= log.n; n++) {
        for (int left = 0; left < DISK_LEFT && is_chosen(n, log.n, step); left++)
            crash(t, j, w, d, &log, n, (disk_left)left, &s);
        if (n == log.n) break;
        disk_apply(d, &log.entry[n]);
        follow(&s, &log.entry[n]);
    }
    disk_free_log(&log);
    disk_destroy(d);
}

/* ---- again and again ---- */

/* One more crash, or, if chance wants it, the end. False: the run has ended. */
static bool cut_once(tally *t, const job *j, const wanted *w, uint64_t seed, bool tells) {
    disk *d = disk_create(in("run"));
    const int status = run(j);
    disk_log log = disk_read_log(in("said/log"));
    const int n = log.n > 0 ? (int)(wadi_hash64(seed) % (uint64_t)(log.n + log.n / 8 + 1)) : 0;
    const disk_left left = (disk_left)(wadi_hash64(seed + 1) % DISK_LEFT);
    const char *why = status != 0 ? "it cannot go on" : NULL;
    if (why == NULL && n < log.n) {
        for (int i = 0; i < n; i++) disk_apply(d, &log.entry[i]);
        disk_empty(in("run"));
        (void)disk_leave(d, left, &log.entry[n], seed, in("run"));
        why = what_is_there(j, w, left);
        t->crashes++;
        if (tells) printf("  %d of %d, %s\n", n, log.n, disk_left_words[left]);
    } else if (why == NULL) {
        why = what_is_wrong(j, w, status);
    }
    const bool goes_on = why == NULL && n < log.n;
    if (why != NULL) blame(t, j, "cut again and again", why);
    disk_free_log(&log);
    disk_destroy(d);
    return goes_on;
}

static void cut_again(tally *t, const job *j, const wanted *w, uint64_t seed, bool tells) {
    enum { MOST = 12 };
    const long wrong = t->wrong;
    int i = 0;
    prepare(j);
    if (tells) printf("%s, seed %llu\n", j->name, (unsigned long long)seed);
    while (i < MOST && cut_once(t, j, w, seed * 1000 + 2 * (uint64_t)i, tells)) i++;
    if (i == MOST) {
        const char *why = what_is_wrong(j, w, run(j));
        if (why != NULL) blame(t, j, "gone on at last", why);
    }
    if (t->wrong > wrong) fprintf(stderr, "WADI_SEED=%llu\n", (unsigned long long)seed);
}

/* ---- all ---- */

static double seconds(void) {
    const char *said = getenv("WADI_DISK_SECONDS"), *all = getenv("WADI_TEST_ALL");
    return said != NULL ? atof(said) : all != NULL ? 60 : 6;
}

static bool set_up(void) {
    static const char *const folders[] = {"in", "run", "cache", "tmp", "home", "said"};
    const char *sanitize = getenv("WADI_SANITIZE");
    char here[PATH_MAX / 8];
    if (getenv("WADI_BUILD") == NULL ||
        (sanitize != NULL && *sanitize != '\0' && strcmp(sanitize, "OFF") != 0)) {
        fprintf(stderr, "skipped: a sanitizer and the recorder do not go together\n");
        return false;
    }
    if (getcwd(here, sizeof here) == NULL) return false;
    (void)snprintf(root, sizeof root, "%s/disk_%d", here, (int)getpid());
    if (mkdir(root, 0700) != 0) return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (mkdir(in(folders[i]), 0700) != 0) return false;
    return put_inputs();
}

int main(void) {
    const char *said = getenv("WADI_SEED");
    const double all = seconds();
    const int64_t from = wadi_clock_ns();
    uint64_t seed = said != NULL ? strtoull(said, NULL, 10) : 1;
    wanted w[JOBS] = {{{0}}};
    tally t = {0};
    bool ready = set_up();
    for (int i = 0; i < JOBS && ready; i++) {
        ready = make_wanted(&jobs[i], &w[i]);
        if (!ready) blame(&t, &jobs[i], "undisturbed", "it fails");
    }
    for (int i = 0; i < JOBS && ready && said == NULL; i++) {
        const long before = t.changes, crashes = t.crashes;
        cut_everywhere(&t, &jobs[i], &w[i], all >= 60 ? 1 : 37);
        printf("%s: %ld changes, %ld crashes, %.1f s\n", jobs[i].name, t.changes - before,
               t.crashes - crashes, (double)(wadi_clock_ns() - from) / 1e9);
    }
    for (int i = 0; ready && (i < JOBS || (double)(wadi_clock_ns() - from) / 1e9 < all); i++) {
        cut_again(&t, &jobs[i % JOBS], &w[i % JOBS], seed, said != NULL);
        if (i % JOBS == JOBS - 1) seed++;
    }
    printf("%ld crashes, %ld wrong, %.1f s\n", t.crashes, t.wrong,
           (double)(wadi_clock_ns() - from) / 1e9);
    for (int i = 0; i < JOBS; i++) forget_wanted(&w[i]);
    wadi_vec_free(&t.seen);
    if (root[0] != '\0') disk_empty(root);
    if (root[0] != '\0') (void)rmdir(root);
    return !ready && t.wrong == 0 ? SKIPPED : t.wrong == 0 ? 0 : 1;
}
