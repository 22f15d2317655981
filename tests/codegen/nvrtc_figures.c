/* The library is called directly, since the product asks for no figures. The part of it that makes machine code, ptxas, writes them into the
 * log, three lines for a kernel. */
#include "tests/codegen/nvrtc_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/nvrtc.h"

enum { MOST_OPTIONS = 16, MOST_MACHINES = 64 };

static struct {
    int (*count)(int *);
    int (*machines)(int *);
    int (*create)(void **, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*log_size)(void *, size_t *);
    int (*log)(void *, char *);
    int (*destroy)(void **);
} rtc;

static bool find(const wadi_dl *library, const char *name, void *out) {
    wadi_dl_fn f = NULL;
    if (wadi_dl_function(library, name, &f, NULL) != WADI_OK) return false;
    memcpy(out, &f, sizeof f);
    return true;
}

static bool find_all(const wadi_dl *library) {
    return find(library, "nvrtcGetNumSupportedArchs", &rtc.count) &&
           find(library, "nvrtcGetSupportedArchs", &rtc.machines) &&
           find(library, "nvrtcCreateProgram", &rtc.create) &&
           find(library, "nvrtcCompileProgram", &rtc.compile) &&
           find(library, "nvrtcGetProgramLogSize", &rtc.log_size) &&
           find(library, "nvrtcGetProgramLog", &rtc.log) &&
           find(library, "nvrtcDestroyProgram", &rtc.destroy);
}

bool nvrtc_figures_open(char *newest) {
    wadi_nvrtc_about about = {0};
    wadi_dl library = {0}; /* stays open */
    int n = 0, list[MOST_MACHINES], most = 0;
    if (wadi_nvrtc_find(&about, NULL) != WADI_OK) return false;
    if (wadi_dl_open(&library, about.path, NULL) != WADI_OK || !find_all(&library)) return false;
    if (rtc.count(&n) != 0 || n > MOST_MACHINES || rtc.machines(list) != 0) return false;
    for (int i = 0; i < n; i++)
        if (list[i] > most) most = list[i];
    (void)snprintf(newest, 16, "sm_%d", most);
    return true;
}

/* The number in front of `word`, which stands between `at` and `end`; 0: it does not. */
static int number_before(const char *at, const char *end, const char *word) {
    const char *found = strstr(at, word);
    if (found == NULL || found >= end) return 0;
    while (found > at && found[-1] >= '0' && found[-1] <= '9') found--;
    return atoi(found);
}

static int number_after(const char *at, const char *end, const char *word) {
    const char *found = strstr(at, word);
    return found != NULL && found < end ? atoi(found + strlen(word)) : 0;
}

static bool read_log(const char *name, const char *log,
                     bool (*each)(const char *name, const nvrtc_figures *f)) {
    static const char begin[] = "Compiling entry function '";
    bool fine = strstr(log, begin) != NULL;
    if (!fine) fprintf(stderr, "%s: the compiler tells no figures: %.200s\n", name, log);
    for (const char *at = strstr(log, begin), *next; at != NULL; at = next) {
        nvrtc_figures f = {{0}, 0, 0, 0, 0};
        at += sizeof begin - 1;
        next = strstr(at, begin);
        const char *end = next != NULL ? next : at + strlen(at);
        (void)snprintf(f.kernel, sizeof f.kernel, "%.*s", (int)strcspn(at, "'"), at);
        f.registers = number_after(at, end, "Used ");
        f.spilled = number_before(at, end, " bytes spill stores");
        f.stack = number_before(at, end, " bytes stack frame");
        f.shared = number_before(at, end, " bytes smem");
        fine = each(name, &f) && fine;
    }
    return fine;
}

static char *log_of(void *program) {
    size_t n = 0;
    if (rtc.log_size(program, &n) != 0) return NULL;
    char *log = calloc(n + 1, 1);
    if (log != NULL && rtc.log(program, log) == 0) return log;
    free(log);
    return NULL;
}

bool nvrtc_figures_of(const char *name, const char *text, const char *machine,
                      bool (*each)(const char *name, const nvrtc_figures *f)) {
    char architecture[64];
    const char *list[MOST_OPTIONS];
    int n = 0;
    void *program = NULL;
    (void)snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", machine);
    for (const char *const *o = wadi_nvrtc_options(false); *o != NULL; o++) list[n++] = *o;
    list[n++] = architecture;
    list[n++] = "--ptxas-options=-v";
    if (rtc.create(&program, text, "kernels.cu", 0, NULL, NULL) != 0) return false;
    const bool compiled = rtc.compile(program, n, list) == 0;
    char *log = log_of(program);
    if (!compiled) fprintf(stderr, "%s, %s: %.500s\n", name, machine, log != NULL ? log : "no log");
    const bool none = strstr(text, "\nWADI_KERNEL(") == NULL;
    const bool fine = compiled && (none || (log != NULL && read_log(name, log, each)));
    free(log);
    (void)rtc.destroy(&program);
    return fine;
}
