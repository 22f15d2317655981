/* The kernel cache: entries are found again, verified, private, and safe between processes; a missing compiler is reported
 * clearly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/folder.h"
#include "codegen/build/cache.h"
#include "codegen/targets.h"
#include "sched/cpu/image.h"
#include "tests/open_files.h"

static const char *const answer = "int answer(void) { return 42; }\n";

typedef int (*answer_fn)(void);

static char dir[64];

static int fresh_cache(void **state) {
    (void)state;
    strcpy(dir, "/tmp/wadi-cache-XXXXXX");
    if (!mkdtemp(dir)) return -1;
    return setenv("WADI_CACHE_DIR", dir, 1);
}

static int remove_cache(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static int call(const wadi_kernels *d) {
    wadi_code f = {0};
    wadi_error err;
    assert_int_equal(wadi_cpu_images.find(d, "answer", &f, &err), WADI_OK);
    return ((answer_fn)f.handle)();
}

static wadi_cache_report load(const char *source) {
    wadi_kernels d;
    wadi_error err = {0};
    wadi_cache_report r;
    if (wadi_cache_load(source, wadi_targets, false, &wadi_cpu_images, &d, &r, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(call(&d), 42);
    wadi_cpu_images.unload(&d);
    return r;
}

static void a_second_load_compiles_nothing(void **state) {
    (void)state;
    assert_true(load(answer).compiled);
    const wadi_cache_report again = load(answer);
    assert_false(again.compiled);
    assert_false(again.damaged);
}

static void other_text_is_another_entry(void **state) {
    (void)state;
    const wadi_cache_report a = load(answer), b = load("int answer(void) { return 6 * 7; }\n");
    assert_true(b.compiled);
    assert_string_not_equal(a.path, b.path);
}

/* Devices of one kind may differ in what their images are built for. */
static void another_machine_is_another_entry(void **state) {
    (void)state;
    wadi_image_ops images[] = {wadi_cpu_images, wadi_cpu_images};
    wadi_cache_report report[2];
    wadi_kernels d;
    images[0].machine = "abacus";
    images[1].machine = "astrolabe";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            wadi_cache_load(answer, wadi_targets, false, &images[i], &d, &report[i], NULL),
            WADI_OK);
        assert_true(report[i].compiled);
        images[i].unload(&d);
    }
    assert_string_not_equal(report[0].path, report[1].path);
    wadi_cache_forget(answer, wadi_targets, false, &images[0]);
    assert_false(wadi_file_exists(report[0].path));
    assert_true(wadi_file_exists(report[1].path));
}

/* Flips one byte, or cuts the file, at every 1/16th of it: each time the entry is noticed and rebuilt. */
static void a_damaged_entry_is_rebuilt(void **state) {
    (void)state;
    const wadi_cache_report first = load(answer);
    for (int part = 0; part < 16; part++) {
        char *data = NULL;
        size_t n = 0;
        assert_int_equal(wadi_file_read(first.path, &data, &n, NULL), WADI_OK);
        data[n * (size_t)part / 16] ^= 1;
        assert_int_equal(wadi_file_write(first.path, data, part % 2 ? n : n - 1, 0700, NULL),
                         WADI_OK);
        free(data);
        const wadi_cache_report r = load(answer);
        assert_true(r.damaged && r.compiled);
    }
}

/* To open a FIFO for reading may last for ever. */
static void no_file_at_all_is_rebuilt(void **state) {
    (void)state;
    const wadi_cache_report first = load(answer);
    assert_int_equal(unlink(first.path), 0);
    assert_int_equal(mkfifo(first.path, 0700), 0);
    (void)alarm(600);
    const wadi_cache_report r = load(answer);
    (void)alarm(0);
    assert_true(r.damaged && r.compiled);
    assert_false(load(answer).compiled);
}

/* Without descriptors nothing can be opened; what is kept is right all the same. */
static void an_entry_that_cannot_be_opened_stays(void **state) {
    (void)state;
    const wadi_cache_report mine = load(answer);
    struct rlimit before, none;
    wadi_cache_report r = {0};
    wadi_kernels d;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const wadi_status status =
        wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, &r, NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_not_equal(status, WADI_OK);
    assert_false(r.damaged);
    assert_true(wadi_file_exists(mine.path));
    assert_false(load(answer).compiled);
}

static void copy_file(const char *from, const char *to) {
    char *data = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(from, &data, &n, NULL), WADI_OK);
    assert_int_equal(wadi_file_write(to, data, n, 0700, NULL), WADI_OK);
    free(data);
}

/* Whole, but what another text was compiled to; and the same with the key of this one in its tail. */
static void an_entry_of_another_key_is_rebuilt(void **state) {
    (void)state;
    enum { KEY = 64, DIGEST = 32, MAGIC = 8, TAIL = KEY + DIGEST + MAGIC };
    const wadi_cache_report mine = load(answer);
    wadi_kernels d;
    wadi_cache_report other;
    assert_int_equal(wadi_cache_load("int answer(void) { return 41; }\n", wadi_targets, false,
                                     &wadi_cpu_images, &d, &other, NULL),
                     WADI_OK);
    wadi_cpu_images.unload(&d);
    copy_file(other.path, mine.path);
    wadi_cache_report r = load(answer);
    assert_true(r.damaged && r.compiled);
    char *ours = NULL, *theirs = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(wadi_file_read(mine.path, &ours, &n, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(other.path, &theirs, &m, NULL), WADI_OK);
    memcpy(theirs + m - TAIL, ours + n - TAIL, KEY);
    uint8_t *digest = (uint8_t *)theirs + m - DIGEST - MAGIC;
    assert_int_equal(wadi_blake2b(theirs, m - DIGEST - MAGIC, digest), WADI_OK);
    assert_int_equal(wadi_file_write(mine.path, theirs, m, 0700, NULL), WADI_OK);
    free(ours);
    free(theirs);
    r = load(answer);
    assert_true(r.damaged && r.compiled);
    assert_false(load(answer).compiled);
}

/* Of nothing but the end of an entry, and of less: no module, however right the end is. */
static void an_entry_without_a_module_is_rebuilt(void **state) {
    (void)state;
    enum { KEY = 64, DIGEST = 32, MAGIC = 8, TAIL = KEY + DIGEST + MAGIC };
    static const size_t lengths[] = {0, 1, MAGIC, MAGIC + DIGEST, TAIL - 1, TAIL};
    const wadi_cache_report mine = load(answer);
    char *data = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(mine.path, &data, &n, NULL), WADI_OK);
    char *tail = data + n - TAIL;
    assert_int_equal(wadi_blake2b(tail, KEY, (uint8_t *)tail + KEY), WADI_OK);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const char *end = tail + TAIL - lengths[i];
        assert_int_equal(wadi_file_write(mine.path, end, lengths[i], 0700, NULL), WADI_OK);
        const wadi_cache_report r = load(answer);
        assert_true(r.damaged && r.compiled);
    }
    free(data);
    assert_false(load(answer).compiled);
}

/* It can not even be opened. */
static void a_socket_in_an_entrys_place_is_rebuilt(void **state) {
    (void)state;
    const wadi_cache_report mine = load(answer);
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    assert_int_equal(unlink(mine.path), 0);
    assert_true(snprintf(where.sun_path, sizeof where.sun_path, "%s", mine.path) <
                (int)sizeof where.sun_path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&where, sizeof where), 0);
    const wadi_cache_report r = load(answer);
    assert_int_equal(close(fd), 0);
    assert_true(r.damaged && r.compiled);
    assert_false(load(answer).compiled);
}

/* A folder stays where it is: the kernel serves all the same, and is made each time. */
static void what_cannot_be_kept_serves(void **state) {
    (void)state;
    const wadi_cache_report mine = load(answer);
    assert_int_equal(unlink(mine.path), 0);
    assert_int_equal(mkdir(mine.path, 0700), 0);
    for (int i = 0; i < 2; i++) {
        const wadi_cache_report r = load(answer);
        assert_true(r.damaged && r.compiled);
    }
    assert_int_equal(rmdir(mine.path), 0);
}

static int entries_of(const char *path) {
    int n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

/* A folder of a build whose process is dead goes, one of a living one stays, as does what others have put there. */
static void what_killed_builds_left_is_removed(void **state) {
    (void)state;
    wadi_folder living;
    char path[128];
    load(answer);
    assert_int_equal(entries_of(dir), 1);
    const pid_t child = fork();
    if (child == 0) {
        wadi_folder dead;
        if (wadi_folder_make(dir, "build-", &dead, NULL) != WADI_OK) _exit(1);
        snprintf(path, sizeof path, "%.100s/kernel.c", dead.path);
        _exit(wadi_file_write(path, "x", 1, 0600, NULL) == WADI_OK ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/build-empty1", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/build-others", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/build-others/notes", dir);
    assert_int_equal(wadi_file_write(path, "x", 1, 0600, NULL), WADI_OK);
    assert_int_equal(wadi_folder_make(dir, "build-", &living, NULL), WADI_OK);
    assert_int_equal(entries_of(dir), 5);
    load("int answer(void) { return 6 * 7; }\n");
    assert_int_equal(entries_of(dir), 4); /* two modules, the living one, the others' */
    wadi_folder_remove(&living);
    assert_int_equal(entries_of(dir), 3);
}

static void nothing_refuses_to_run_without_a_folder(void **state) {
    (void)state;
    char path[128], here[64];
    struct stat about;
    unsetenv("WADI_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/nonexistent", 1);
    snprintf(here, sizeof here, "%s", dir);
    setenv("TMPDIR", here, 1);
    wadi_cache_report r = load(answer); /* a folder of our own among what is temporary */
    snprintf(path, sizeof path, "%s/wadi-%lu", dir, (unsigned long)geteuid());
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_int_equal(strncmp(r.path, path, strlen(path)), 0);
    assert_false(load(answer).compiled);
    assert_int_equal(stat("/nonexistent", &about), -1);
    unsetenv("HOME");
    assert_false(load(answer).compiled);
    assert_int_equal(chmod(path, 0750), 0); /* not ours alone: from memory */
    r = load(answer);
    wadi_kernels d;
    wadi_error err = {0};
    if (r.path[0] != '\0') fail_msg("%s", r.path);
    assert_true(r.compiled && load(answer).compiled);
    setenv("WADI_CACHE_DIR", "/proc/self/none", 1); /* cannot be made */
    if (wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, &r, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(call(&d), 42);
    wadi_cpu_images.unload(&d);
    assert_int_equal(entries_of(dir), 1); /* nothing of the builds */
    unsetenv("TMPDIR");
}

static void a_compiler_that_makes_nothing_is_told(void **state) {
    (void)state;
    wadi_kernels d;
    wadi_error err = {0};
    setenv("WADI_CC", "true", 1);
    const wadi_status st =
        wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, NULL, &err);
    unsetenv("WADI_CC");
    assert_int_equal(st, WADI_COMPILE);
    assert_non_null(strstr(err.msg, "has made nothing"));
}

/* A compiler that takes the file behind -o for what `makes` writes to "$out". */
static void is_refused(const char *makes, const char *says) {
    wadi_kernels d;
    wadi_error err = {0};
    char script[128], text[1024], want[512];
    snprintf(script, sizeof script, "%s/strange-cc", dir);
    const int n =
        snprintf(text, sizeof text,
                 "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nout=$2\n%s\n", makes);
    assert_int_equal(wadi_file_write(script, text, (size_t)n, 0700, NULL), WADI_OK);
    setenv("WADI_CC", script, 1);
    const wadi_status st =
        wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, NULL, &err);
    unsetenv("WADI_CC");
    assert_int_equal(st, WADI_COMPILE);
    snprintf(want, sizeof want, "what the compiler %s has made %s", script, says);
    if (strncmp(err.msg, want, strlen(want)) != 0) fail_msg("%s", err.msg);
}

static void a_compiler_that_makes_something_else_is_told(void **state) {
    (void)state;
    is_refused("echo rubbish > \"$out\"", "cannot be loaded: ");
    is_refused("echo 'int answer(void) { return 42; }' > \"$out.c\"\n"
               "cc -shared -fPIC -o \"$out\" \"$out.c\"",
               "is something else");
    is_refused("echo 'const char wadi_module_key[] = \"00\"; char more[100];' > \"$out.c\"\n"
               "cc -shared -fPIC -o \"$out\" \"$out.c\"",
               "is something else");
    assert_true(load(answer).compiled);
}

static void the_directory_is_private(void **state) {
    (void)state;
    struct stat st;
    load(answer);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
}

static void a_directory_others_can_write_is_refused(void **state) {
    (void)state;
    wadi_kernels d;
    wadi_error err;
    assert_int_equal(chmod(dir, 0777), 0);
    assert_int_equal(wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, NULL, &err),
                     WADI_INVALID);
    assert_non_null(strstr(err.msg, dir));
}

static void a_missing_compiler_is_named(void **state) {
    (void)state;
    wadi_kernels d;
    wadi_error err;
    setenv("WADI_CC", "/nowhere/cc", 1);
    const wadi_status st =
        wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, NULL, &err);
    unsetenv("WADI_CC");
    assert_int_equal(st, WADI_COMPILE);
    assert_non_null(strstr(err.msg, "/nowhere/cc"));
}

static void a_refused_text_gives_the_compilers_words(void **state) {
    (void)state;
    wadi_kernels d;
    wadi_error err;
    assert_int_equal(wadi_cache_load("int answer(void) { return nothing; }\n", wadi_targets, false,
                                     &wadi_cpu_images, &d, NULL, &err),
                     WADI_COMPILE);
    assert_non_null(strstr(err.msg, "nothing"));
}

static bool found(const char *source) {
    wadi_kernels d;
    if (!wadi_cache_find(source, wadi_targets, false, &wadi_cpu_images, &d)) return false;
    assert_int_equal(call(&d), 42);
    wadi_cpu_images.unload(&d);
    return true;
}

static void what_is_there_is_found_until_it_is_forgotten(void **state) {
    (void)state;
    wadi_kernels d;
    wadi_error err = {0};
    wadi_cache_report r;
    const char *const other = "int answer(void) { return 40 + 2; }\n";
    assert_false(found(answer));
    if (wadi_cache_load_gently(answer, wadi_targets, false, &wadi_cpu_images, &d, &r, &err) !=
        WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(call(&d), 42);
    wadi_cpu_images.unload(&d);
    assert_true(r.compiled);
    assert_true(found(answer));
    assert_false(found(other));
    (void)load(other);
    wadi_cache_forget(answer, wadi_targets, false, &wadi_cpu_images);
    assert_false(found(answer));
    assert_true(found(other));
    assert_true(load(answer).compiled);
}

static void put_file(const char *name, time_t used) {
    char path[128];
    const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(futimens(fd, times), 0);
    assert_int_equal(close(fd), 0);
}

static int files_like(const char *begin) {
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += strncmp(e->d_name, begin, strlen(begin)) == 0;
    closedir(d);
    return n;
}

#define OLD "aaaaaaaa"
#define YOUNG "bbbbbbbb"

/* Of more than 5000 entries the half that was used longest ago goes; what was used just now stays, however old it is. Entries of both
 * endings count. */
static void a_full_folder_loses_what_is_not_used(void **state) {
    (void)state;
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const wadi_cache_report kept = load(answer);
    char name[80];
    for (int i = 0; i < 4998; i++) {
        snprintf(name, sizeof name, "%s%056d%s", i % 2 ? YOUNG : OLD, i, i % 3 ? ".image" : ".so");
        put_file(name, i % 2 ? 2000000 + i : 1000000 + i);
    }
    put_file("old.txt", 1);
    assert_int_equal(utimensat(AT_FDCWD, kept.path, long_ago, 0), 0);
    assert_false(load(answer).compiled);
    (void)load("int answer(void) { return 41 + 1; }\n"); /* the 5000th */
    assert_int_equal(files_like(OLD), 2499);
    assert_int_equal(files_like(YOUNG), 2499);
    (void)load("int answer(void) { return 43 - 1; }\n"); /* one too many: 2500 go */
    assert_int_equal(files_like(OLD), 0);
    assert_int_equal(files_like("old.txt"), 1);
    assert_int_equal(files_like(YOUNG), 2498);
    snprintf(name, sizeof name, "%s%056d.", YOUNG, 1);
    assert_int_equal(files_like(name), 0);
    assert_false(load(answer).compiled);
}

static void processes_compiling_at_once_all_succeed(void **state) {
    (void)state;
    pid_t child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            wadi_kernels d;
            wadi_code f = {0};
            if (wadi_cache_load(answer, wadi_targets, false, &wadi_cpu_images, &d, NULL, NULL) !=
                WADI_OK)
                _exit(1);
            if (wadi_cpu_images.find(&d, "answer", &f, NULL) != WADI_OK) _exit(2);
            _exit(((answer_fn)f.handle)() == 42 ? 0 : 3);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_false(load(answer).compiled);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh_cache, remove_cache)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        CASE(a_second_load_compiles_nothing),
        CASE(other_text_is_another_entry),
        CASE(another_machine_is_another_entry),
        CASE(a_damaged_entry_is_rebuilt),
        CASE(no_file_at_all_is_rebuilt),
        CASE(an_entry_that_cannot_be_opened_stays),
        CASE(an_entry_of_another_key_is_rebuilt),
        CASE(an_entry_without_a_module_is_rebuilt),
        CASE(a_socket_in_an_entrys_place_is_rebuilt),
        CASE(what_cannot_be_kept_serves),
        CASE(what_killed_builds_left_is_removed),
        CASE(nothing_refuses_to_run_without_a_folder),
        CASE(a_compiler_that_makes_nothing_is_told),
        CASE(a_compiler_that_makes_something_else_is_told),
        CASE(the_directory_is_private),
        CASE(a_directory_others_can_write_is_refused),
        CASE(a_missing_compiler_is_named),
        CASE(a_refused_text_gives_the_compilers_words),
        CASE(what_is_there_is_found_until_it_is_forgotten),
        CASE(a_full_folder_loses_what_is_not_used),
        CASE(processes_compiling_at_once_all_succeed),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
