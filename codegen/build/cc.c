/* Running the compiler. It is run directly (no shell), and its output is read through a pipe. The meaning of -march=native is
 * found from the processor's own list, because a cache in a shared home folder serves many machines. */
#include "codegen/build/cc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/hash.h"
#include "codegen/build/processor.h"

/* Contraction and reassociation are off, because results would depend on the compiler's choices. errno and traps are off, because
 * nobody reads them, and square roots and selections vectorise without them. Signed overflow wraps, as the language says. Loops of
 * eight and more rounds are not unrolled before they are vectorised: GCC 12 gives unrolled conditional loads the mask of the first
 * one, which makes sums wrong (tests/codegen/conditional_load_test.c). Computations are not sunk into the side of a selection that needs
 * them: GCC 12 does that before it vectorises, and a gather under a condition keeps a loop from becoming SIMD code. */
#define FLAGS_WITH(contract)                                                       \
    "-std=gnu11", "-O3", "-fPIC", "-shared", "-fwrapv", "-ffp-contract=" contract, \
        "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing",           \
        "--param=max-completely-peel-times=7", "--param=sink-frequency-threshold=0", "-w"
static const char *const exact_flags[] = {FLAGS_WITH("off"), NULL};
/* Sums keep their order: they have lanes already, and compensated ones would lose what they are for. Infinities and NaN keep their
 * meaning. */
static const char *const fast_flags[] = {FLAGS_WITH("fast"), "-freciprocal-math",
                                         "-fno-signed-zeros", NULL};
/* -O1 leaves out what costs most and brings little to short loops: jump threading, partial redundancies, ranges of values. */
static const char *const brief_flags[] = {"-O1", "-ftree-vectorize", "-ftree-slp-vectorize", NULL};
enum {
    MOST_BRIEF = sizeof brief_flags / sizeof brief_flags[0] - 1,
    MOST_FLAGS = sizeof fast_flags / sizeof fast_flags[0] - 1,
    OUTPUT_MAX = 4096,
    GENTLE =
        10 /* nice value: a tenth of the time of a worker on the same processor, or all of an idle processor */
};

const char *const *wadi_cc_flags(bool fast) {
    return fast ? fast_flags : exact_flags;
}

const char *const *wadi_cc_brief_flags(void) {
    return brief_flags;
}

/* ---- running ---- */

enum { USUAL_LIMIT_S = 120 };

/* The seconds that a compiler may take, from WADI_CC_TIMEOUT. 0: no limit. */
static double limit_s(bool patient) {
    return wadi_limit_seconds(WADI_LIMIT_CC, patient ? 0 : USUAL_LIMIT_S);
}

/* Runs argv with stdout and stderr into `out`. *out_status: the exit status, -1 when it could not be run or was killed. Errors:
 * WADI_CANCELLED, WADI_COMPILE (too slow). */
static wadi_status run_program(char *const *argv, const char *tmpdir, bool gently, bool patient,
                               char *out, size_t room, int *out_status, wadi_error *err) {
    const double limit = limit_s(patient);
    const wadi_child c = {.argv = argv,
                          .nice = gently ? GENTLE : 0,
                          .limit_ns = (int64_t)(limit * 1e9),
                          .what = "the compiler",
                          .tmpdir = tmpdir};
    *out_status = -1;
    int code = 0;
    switch (wadi_child_run(&c, out, room, &code)) {
    case WADI_CHILD_EXITED:
        *out_status = code;
        break;
    case WADI_CHILD_KILLED:
        (void)snprintf(out, room, "killed by signal %d", code);
        break;
    case WADI_CHILD_FAILED:
        wadi_errno_words(code, out, room);
        break;
    case WADI_CHILD_LATE:
        return wadi_fail(err, WADI_COMPILE,
                         "the C compiler %s had not finished after %g s, and was ended; "
                         "WADI_CC_TIMEOUT sets another limit",
                         argv[0], limit);
    case WADI_CHILD_STOPPED:
        return wadi_fail(err, WADI_CANCELLED, "cancelled");
    }
    return WADI_OK;
}

wadi_status wadi_cc_version(const wadi_image_builder *cc, char *out, size_t room, wadi_error *err) {
    char text[OUTPUT_MAX], name[sizeof cc->path], version_flag[] = "--version";
    memcpy(name, cc->path, sizeof name);
    char *const argv[] = {name, version_flag, NULL};
    int status = 0;
    WADI_TRY(run_program(argv, NULL, false, false, text, sizeof text, &status, err));
    if (status != 0)
        return wadi_fail(err, WADI_COMPILE, "the C compiler %s does not run", cc->path);
    text[strcspn(text, "\n")] = '\0';
    snprintf(out, room, "%s", text);
    return WADI_OK;
}

/* ---- finding ---- */

/* Whether the path is a program that can be run. Notes what identifies it. */
static bool is_program(const char *path, wadi_image_builder *out) {
    struct stat st;
    if (strlen(path) >= sizeof out->path || stat(path, &st) != 0) return false;
    if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0) return false;
    strcpy(out->path, path);
    snprintf(out->stamp, sizeof out->stamp, "%lld bytes of %lld.%09ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return true;
}

/* Finds a program. A name with a slash is a path; any other is searched on the PATH, as a shell does. */
static bool locate(const char *name, wadi_image_builder *out) {
    if (strchr(name, '/')) return is_program(name, out);
    const char *path = getenv("PATH");
    while (path && *path) {
        char candidate[sizeof out->path];
        const size_t n = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)n, path, name);
        if (n > 0 && n + strlen(name) + 2 <= sizeof candidate && is_program(candidate, out))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* The digest of those lines of /proc/cpuinfo that decide what -march=native means. Without that file, all machines with the same
 * compiler count as equal. */
static wadi_status describe_cpu(char out_hex[65]) {
    static const char *const keys[] = {"model name", "cpu family", "model\t",
                                       "flags",      "Features",   "CPU part"};
    char kept[16384] = "";
    size_t room = sizeof kept - 1;
    for (const char *line = wadi_processor_about(); *line != '\0';) {
        const size_t n = strcspn(line, "\n");
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            if (strncmp(line, keys[k], strlen(keys[k])) == 0 && n < room) {
                strncat(kept, line, n);
                room -= n;
            }
        line += n + (line[n] == '\n');
    }
    uint8_t digest[32];
    WADI_TRY(wadi_blake2b(kept, strlen(kept), digest));
    wadi_hex(digest, sizeof digest, out_hex);
    return WADI_OK;
}

/* For another kind of machine. */
static wadi_status find_cross(const wadi_target *target, wadi_image_builder *out, wadi_error *err) {
    if (locate(target->cross, out)) return WADI_OK;
    return wadi_fail(err, WADI_COMPILE, "target \"%s\": no cross compiler %s on the PATH",
                     target->name, target->cross);
}

static wadi_status find_compiler(const wadi_target *target, wadi_image_builder *out,
                                 wadi_error *err) {
    static const char *const candidates[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("WADI_CC");
    if (target->cross != NULL) return find_cross(target, out, err);
    if (chosen && *chosen) {
        if (locate(chosen, out)) return WADI_OK;
        return wadi_fail(err, WADI_COMPILE,
                         "the C compiler named by WADI_CC, \"%s\", cannot be run", chosen);
    }
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (locate(candidates[i], out)) return WADI_OK;
    return wadi_fail(err, WADI_COMPILE,
                     "no C compiler found: wadi compiles its kernels with the system's compiler; "
                     "install gcc or clang, or "
                     "name one in WADI_CC (looked for cc, gcc, clang on the PATH)");
}

wadi_status wadi_cc_find(const wadi_target *target, wadi_image_builder *out, wadi_error *err) {
    out->target = target;
    out->machine = NULL;
    out->fast = out->patient = false;
    out->cpu[0] = '\0';
    WADI_TRY(find_compiler(target, out, err));
    return target->own ? describe_cpu(out->cpu) : WADI_OK;
}

/* Writes the arguments, of which there are at most ARGUMENTS_MAX. */
enum { ARGUMENTS_MAX = MOST_FLAGS + MOST_BRIEF + WADI_CC_INPUTS + WADI_CC_MORE + 8 };

static void list_arguments(const wadi_image_builder *cc, const wadi_cc_call *call,
                           const char *argv[ARGUMENTS_MAX]) {
    size_t n = 0;
    argv[n++] = cc->path;
    for (const char *const *flag = wadi_cc_flags(cc->fast); *flag; flag++) argv[n++] = *flag;
    for (const char *const *flag = brief_flags; call->brief && *flag; flag++) argv[n++] = *flag;
    argv[n++] = cc->target->flag;
    for (const char *const *flag = call->more; flag && *flag; flag++) argv[n++] = *flag;
    if (call->part) argv[n++] = "-c";
    for (const char *const *in = call->inputs; *in; in++) argv[n++] = *in;
    argv[n++] = "-o";
    argv[n++] = call->output;
    if (!call->part) argv[n++] = "-lm";
    argv[n] = NULL;
}

wadi_status wadi_cc_run(const wadi_image_builder *cc, const wadi_cc_call *call, wadi_error *err) {
    char own[OUTPUT_MAX], *output = call->said != NULL ? call->said : own;
    const size_t room = call->said != NULL ? call->room : sizeof own;
    const char *argv[ARGUMENTS_MAX] = {NULL};
    char *copy[ARGUMENTS_MAX];
    int status = 0;
    list_arguments(cc, call, argv);
    memcpy(copy, argv, sizeof copy);
    WADI_TRY(
        run_program(copy, call->tmpdir, call->gently, cc->patient, output, room, &status, err));
    if (status == 0) return WADI_OK;
    const char *complaint = strstr(output, "error");
    return wadi_fail(err, WADI_COMPILE, "%s failed on %s (status %d): %.300s", cc->path,
                     call->inputs[0], status, complaint ? complaint : output);
}
