/* The library compiles in this process: it cannot be ended, and has no priority of its own. */
#include "base/nvrtc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dl.h"
#include "base/error.h"
#include "base/text.h"
#include "base/thread.h"

/* No contraction, no flushing of small numbers, and correct rounding of quotients and roots: the bits of all other devices. Constants in
 * hexadecimal are of C++17. */
static const char *const exact_options[] = {"--fmad=false",
                                            "--prec-div=true",
                                            "--prec-sqrt=true",
                                            "--ftz=false",
                                            "--std=c++17",
                                            "--disable-warnings",
                                            NULL};
/* The parts of --use_fast_math that have a bound. The rest of it, functions such as __sinf, has none for large arguments. */
static const char *const fast_options[] = {"--fmad=true", "--prec-div=false", "--prec-sqrt=false",
                                           "--ftz=true",  "--std=c++17",      "--disable-warnings",
                                           NULL};
enum { OPTION_COUNT = sizeof exact_options / sizeof exact_options[0] - 1 };

const char *const *wadi_nvrtc_options(bool fast) {
    return fast ? fast_options : exact_options;
}

/* ---- the library ---- */

typedef struct nvrtc_program *nvrtc_program;

enum { SUCCESS = 0 };

/* X(member, name without "nvrtc", parameters): every function that is called. */
#define CALLS(X)                                                                          \
    X(version, "Version", (int *major, int *minor))                                       \
    X(count, "GetNumSupportedArchs", (int *out))                                          \
    X(architectures, "GetSupportedArchs", (int *out))                                     \
    X(create, "CreateProgram",                                                            \
      (nvrtc_program * out, const char *source, const char *name, int headers,            \
       const char *const *texts, const char *const *names))                               \
    X(destroy, "DestroyProgram", (nvrtc_program * program))                               \
    X(compile, "CompileProgram", (nvrtc_program program, int n, const char *const *list)) \
    X(log_size, "GetProgramLogSize", (nvrtc_program program, size_t * out))               \
    X(log, "GetProgramLog", (nvrtc_program program, char *out))                           \
    X(code_size, "GetCUBINSize", (nvrtc_program program, size_t * out))                   \
    X(code, "GetCUBIN", (nvrtc_program program, char *out))                               \
    X(ptx_size, "GetPTXSize", (nvrtc_program program, size_t * out))                      \
    X(ptx, "GetPTX", (nvrtc_program program, char *out))

static struct {
#define X(member, name, parameters) int(*member) parameters;
    CALLS(X)
#undef X
    const char *(*words)(int result);
    char path[512], stamp[64];
} rtc;

static wadi_status loaded;
static wadi_error why;

static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                    "libnvrtc.so.11.2"};

static wadi_status open_one(wadi_dl *out) {
    const char *named = getenv("WADI_NVRTC");
    wadi_error reason = {0};
    if (named != NULL && *named != '\0')
        return wadi_dl_open(out, named, &reason) == WADI_OK
                   ? WADI_OK
                   : wadi_fail(&why, WADI_COMPILE,
                               "the compiler of CUDA C named by WADI_NVRTC: %.400s", reason.msg);
    wadi_text tried = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (wadi_dl_open(out, names[i], NULL) == WADI_OK) {
            wadi_text_fini(&tried);
            return WADI_OK;
        }
        wadi_text_addf(&tried, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    (void)wadi_fail(&why, WADI_COMPILE,
                    "no compiler of CUDA C found: kernels for NVIDIA's devices are compiled by its "
                    "library NVRTC; install it (package nvidia-cuda-toolkit), or name it in "
                    "WADI_NVRTC (looked for %s)",
                    wadi_text_str(&tried));
    wadi_text_fini(&tried);
    return WADI_COMPILE;
}

static wadi_status find_functions(const wadi_dl *library) {
    const char *missing = NULL;
    wadi_dl_fn f = NULL;
#define X(member, name, parameters)                                       \
    if (missing == NULL) {                                                \
        if (wadi_dl_function(library, "nvrtc" name, &f, NULL) != WADI_OK) \
            missing = "nvrtc" name;                                       \
        else                                                              \
            rtc.member = (int(*) parameters)f;                            \
    }
    CALLS(X)
#undef X
    if (missing == NULL && wadi_dl_function(library, "nvrtcGetErrorString", &f, NULL) != WADI_OK)
        missing = "nvrtcGetErrorString";
    if (missing != NULL)
        return wadi_fail(&why, WADI_COMPILE, "the library %s has no function %s: it is too old",
                         wadi_dl_path(library), missing);
    rtc.words = (const char *(*)(int))f;
    return WADI_OK;
}

/* Another library, another stamp. */
static void identify_library(const wadi_dl *library) {
    int major = 0, minor = 0;
    struct stat st = {0};
    (void)rtc.version(&major, &minor);
    (void)snprintf(rtc.path, sizeof rtc.path, "%s", wadi_dl_path(library));
    (void)stat(rtc.path, &st);
    (void)snprintf(rtc.stamp, sizeof rtc.stamp, "%d.%d, %lld bytes of %lld", major, minor,
                   (long long)st.st_size, (long long)st.st_mtim.tv_sec);
}

static void load_library(void) {
    wadi_dl library = {0}; /* stays: the functions are needed until the process ends */
    loaded = open_one(&library);
    if (loaded != WADI_OK) return;
    loaded = find_functions(&library);
    if (loaded == WADI_OK)
        identify_library(&library);
    else
        wadi_dl_close(&library);
}

static wadi_status open_library(wadi_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load_library);
    if (loaded != WADI_OK && err != NULL) *err = why;
    return loaded;
}

wadi_status wadi_nvrtc_find(wadi_nvrtc_about *out, wadi_error *err) {
    WADI_TRY(open_library(err));
    *out = (wadi_nvrtc_about){rtc.path, rtc.stamp};
    return WADI_OK;
}

/* ---- what a text is compiled for ---- */

enum { MOST_ARCHITECTURES = 64 };

/* The newest architecture that the library knows and that is no newer than `wanted`; 0: there is none. */
static int best_known(int wanted) {
    int n = 0, known[MOST_ARCHITECTURES], best = 0;
    if (rtc.count(&n) != SUCCESS || n > MOST_ARCHITECTURES) return 0;
    if (rtc.architectures(known) != SUCCESS) return 0;
    for (int i = 0; i < n; i++)
        if (known[i] <= wanted && known[i] > best) best = known[i];
    return best;
}

/* "sm_90" itself if the library makes its code, else "compute_89". */
static wadi_status choose(const char *architecture, char out[32], bool *own, wadi_error *err) {
    const int wanted = (int)strtol(architecture + strcspn(architecture, "0123456789"), NULL, 10);
    const int known = best_known(wanted);
    if (known == 0)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s (%s) makes no code for machines as old as %s",
                         rtc.path, rtc.stamp, architecture);
    *own = known == wanted;
    (void)snprintf(out, 32, "%s_%d", *own ? "sm" : "compute", known);
    return WADI_OK;
}

/* ---- compiling ---- */

static wadi_status fail(const char *call, int result, wadi_error *err) {
    return wadi_fail(err, WADI_COMPILE, "%s: nvrtc%s: %s", rtc.path, call, rtc.words(result));
}

/* The log from its first error on. */
static wadi_status complain(nvrtc_program program, int result, const char *target,
                            wadi_error *err) {
    size_t n = 0;
    char *log = NULL;
    if (rtc.log_size(program, &n) == SUCCESS && n > 0) log = calloc(n + 1, 1);
    if (log == NULL || rtc.log(program, log) != SUCCESS) {
        free(log);
        return fail("CompileProgram", result, err);
    }
    const char *complaint = strstr(log, "error");
    (void)wadi_fail(err, WADI_COMPILE, "%s failed for %s: %s: %.300s", rtc.path, target,
                    rtc.words(result), complaint != NULL ? complaint : log);
    free(log);
    return WADI_COMPILE;
}

/* PTX ends with a zero, which is counted. */
static wadi_status take_code(nvrtc_program program, bool own, char **out, size_t *out_n,
                             wadi_error *err) {
    size_t n = 0;
    int result = own ? rtc.code_size(program, &n) : rtc.ptx_size(program, &n);
    if (result != SUCCESS) return fail(own ? "GetCUBINSize" : "GetPTXSize", result, err);
    char *bytes = malloc(n > 0 ? n : 1);
    if (bytes == NULL) return wadi_fail(err, WADI_MEMORY, "kernels: out of memory");
    result = own ? rtc.code(program, bytes) : rtc.ptx(program, bytes);
    if (result != SUCCESS) {
        free(bytes);
        return fail(own ? "GetCUBIN" : "GetPTX", result, err);
    }
    *out = bytes;
    *out_n = n;
    return WADI_OK;
}

wadi_status wadi_nvrtc_compile(const char *source, const char *architecture, bool fast, char **out,
                               size_t *out_n, wadi_error *err) {
    char target[32], option[64];
    const char *list[OPTION_COUNT + 1];
    bool own = false;
    nvrtc_program program = NULL;
    WADI_TRY(open_library(err));
    WADI_TRY(choose(architecture, target, &own, err));
    (void)snprintf(option, sizeof option, "--gpu-architecture=%s", target);
    memcpy(list, wadi_nvrtc_options(fast), OPTION_COUNT * sizeof *list);
    list[OPTION_COUNT] = option;
    int result = rtc.create(&program, source, "kernels.cu", 0, NULL, NULL);
    if (result != SUCCESS) return fail("CreateProgram", result, err);
    result = rtc.compile(program, OPTION_COUNT + 1, list);
    const wadi_status status = result != SUCCESS ? complain(program, result, target, err)
                                                 : take_code(program, own, out, out_n, err);
    (void)rtc.destroy(&program);
    return status;
}
