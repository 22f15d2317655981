/* A double of NVRTC: it compiles CUDA C with the host's C++ compiler, behind host.h, to a shared object, which the double of libcuda
 * loads. For an architecture of its own it gives the object itself; as PTX it gives the object in hexadecimal digits behind the lines with
 * which PTX begins.
 *
 * WADI_NVRTC_DOUBLE: "known=70,90" are the architectures that it knows (70, 80, 90), "fail=NAME:RESULT" a call that fails. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/devices/doubles/texts.h"

#define EXPORT __attribute__((visibility("default")))

enum {
    SUCCESS,
    OUT_OF_MEMORY,
    CREATION,
    INVALID_INPUT,
    INVALID_PROGRAM,
    INVALID_OPTION,
    COMPILATION
};

typedef struct program {
    char *source, *log, *object;
    size_t object_size;
    bool own, fast;
} program;

typedef program *nvrtcProgram;
typedef int nvrtcResult;

/* ---- settings ---- */

/* What stands behind `word` in the settings; NULL: it is not there. */
static const char *setting(const char *word) {
    const char *all = getenv("WADI_NVRTC_DOUBLE");
    const char *at = all != NULL ? strstr(all, word) : NULL;
    return at != NULL ? at + strlen(word) : NULL;
}

static nvrtcResult result_of(const char *call) {
    const char *at = setting("fail=");
    const size_t n = strlen(call);
    if (at == NULL || strncmp(at, call, n) != 0 || at[n] != ':') return SUCCESS;
    return atoi(at + n + 1);
}

static int known(int *out) {
    const char *at = setting("known=");
    int n = 0;
    char *end = NULL;
    if (at == NULL) at = "70,80,90";
    for (;; at = end + 1) {
        out[n++] = (int)strtol(at, &end, 10);
        if (*end != ',') return n;
    }
}

/* ---- facts ---- */

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor);
EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *out);
EXPORT nvrtcResult nvrtcGetSupportedArchs(int *out);
EXPORT const char *nvrtcGetErrorString(nvrtcResult result);

nvrtcResult nvrtcVersion(int *major, int *minor) {
    *major = 12;
    *minor = 0;
    return result_of("nvrtcVersion");
}

nvrtcResult nvrtcGetNumSupportedArchs(int *out) {
    int list[64];
    *out = known(list);
    return result_of("nvrtcGetNumSupportedArchs");
}

nvrtcResult nvrtcGetSupportedArchs(int *out) {
    (void)known(out);
    return result_of("nvrtcGetSupportedArchs");
}

const char *nvrtcGetErrorString(nvrtcResult result) {
    static const char *const words[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION"};
    return result >= 0 && result <= COMPILATION ? words[result] : "NVRTC_ERROR unknown";
}

/* ---- programs ---- */

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name,
                                      int headers, const char *const *texts,
                                      const char *const *names);
EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p);
EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options);
EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *out);
EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out);
EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *out);
EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out);
EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *out);
EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out);

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int headers,
                               const char *const *texts, const char *const *names) {
    (void)name, (void)texts, (void)names;
    if (source == NULL || headers != 0) return INVALID_INPUT;
    const nvrtcResult result = result_of("nvrtcCreateProgram");
    if (result != SUCCESS) return result;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return OUT_OF_MEMORY;
    (*out)->source = strdup(source);
    return SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p) {
    if (*p == NULL) return INVALID_PROGRAM;
    free((*p)->source);
    free((*p)->log);
    free((*p)->object);
    free(*p);
    *p = NULL;
    return SUCCESS;
}

static char *read_all(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0;
    *n = 0;
    if (f == NULL) return NULL;
    for (size_t got = 1; got > 0; *n += got) {
        if (room < *n + 65537) bytes = realloc(bytes, room = 2 * room + 131072);
        got = fread(bytes + *n, 1, 65536, f);
    }
    bytes[*n] = '\0';
    (void)fclose(f);
    return bytes;
}

static void write_source(const program *p, const char *path) {
    FILE *f = fopen(path, "w");
    if (f == NULL) return;
    fputs(wadi_embed_host, f);
    fputs("#line 1 \"kernels.cu\"\n", f);
    fputs(p->source, f);
    (void)fclose(f);
}

/* Signed integers that overflow stop the process: CUDA C leaves open what they give. Functions of the C library are found where the double of
 * libcuda loads the object: a linker takes longer to read that library than to link a text. */
static nvrtcResult compile_in(program *p, const char *folder) {
    char command[4096], source[512], object[512], log[512];
    size_t n = 0;
    snprintf(source, sizeof source, "%s/kernels.cc", folder);
    snprintf(object, sizeof object, "%s/kernels.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(command, sizeof command,
             "'%s' -std=c++17 -fPIC -shared -fvisibility=hidden %s "
             "-fno-strict-aliasing -fsanitize=signed-integer-overflow "
             "-fsanitize-undefined-trap-on-error "
             "-Wl,-Bsymbolic -w '%s' -nostdlib -o '%s' -lgcc > '%s' 2>&1",
             DOUBLE_CXX, p->fast ? "-march=native -O2 -ffp-contract=fast" : "-ffp-contract=off",
             source, object, log);
    write_source(p, source);
    const int status = system(command);
    p->log = read_all(log, &n);
    p->object = status == 0 ? read_all(object, &p->object_size) : NULL;
    (void)unlink(source);
    (void)unlink(object);
    (void)unlink(log);
    return p->object != NULL ? SUCCESS : COMPILATION;
}

/* "--gpu-architecture=sm_90": whether it is known, and whether it is machine code that is wanted. */
static bool takes(program *p, const char *option) {
    int list[64];
    const char *at = strchr(option, '=');
    if (at == NULL) return false;
    p->own = strncmp(at + 1, "sm_", 3) == 0;
    if (!p->own && strncmp(at + 1, "compute_", 8) != 0) return false;
    const int wanted = atoi(strchr(at, '_') + 1), n = known(list);
    for (int i = 0; i < n; i++)
        if (list[i] == wanted) return true;
    return false;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options) {
    static const char *const needed[] = {"--fmad=false", "--prec-div=true", "--prec-sqrt=true",
                                         "--ftz=false", "--std=c++17"};
    static const char *const fast[] = {"--fmad=true", "--prec-div=false", "--prec-sqrt=false",
                                       "--ftz=true", "--std=c++17"};
    char folder[256];
    const char *parent = getenv("TMPDIR");
    unsigned seen = 0, seen_fast = 0;
    bool fits = false;
    for (int i = 0; i < n; i++) {
        for (unsigned k = 0; k < 5; k++) {
            if (strcmp(options[i], needed[k]) == 0) seen |= 1u << k;
            if (strcmp(options[i], fast[k]) == 0) seen_fast |= 1u << k;
        }
        if (strncmp(options[i], "--gpu-architecture=", 19) == 0) fits = takes(p, options[i]);
    }
    p->fast = seen_fast == 31;
    if (!fits || (seen != 31 && !p->fast)) return INVALID_OPTION;
    const nvrtcResult result = result_of("nvrtcCompileProgram");
    if (result != SUCCESS) return result;
    snprintf(folder, sizeof folder, "%s/nvrtc-double-XXXXXX", parent != NULL ? parent : "/tmp");
    if (mkdtemp(folder) == NULL) return OUT_OF_MEMORY;
    const nvrtcResult compiled = compile_in(p, folder);
    (void)rmdir(folder);
    return compiled;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *out) {
    *out = p->log != NULL ? strlen(p->log) + 1 : 1;
    return result_of("nvrtcGetProgramLogSize");
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out) {
    strcpy(out, p->log != NULL ? p->log : "");
    return result_of("nvrtcGetProgramLog");
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *out) {
    *out = p->own ? p->object_size : 0;
    return result_of("nvrtcGetCUBINSize");
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out) {
    if (!p->own) return INVALID_PROGRAM;
    memcpy(out, p->object, p->object_size);
    return result_of("nvrtcGetCUBIN");
}

static const char ptx_begin[] = "//\n.version 8.0\n";

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *out) {
    *out = strlen(ptx_begin) + 2 * p->object_size + 1;
    return result_of("nvrtcGetPTXSize");
}

nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out) {
    out += sprintf(out, "%s", ptx_begin);
    for (size_t i = 0; i < p->object_size; i++)
        out += sprintf(out, "%02x", (unsigned)(unsigned char)p->object[i]);
    return result_of("nvrtcGetPTX");
}
