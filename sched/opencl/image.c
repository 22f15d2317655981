/* Loading images: texts in OpenCL C, which the compiler of the device's driver builds in this process. */
#include "sched/opencl/image.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/behind.h"
#include "base/error.h"

enum { LOG_LINES = 6, LOG_ROOM = 360 };

typedef struct loaded {
    const wadi_opencl_machine *machine;
    wadi_opencl_program program;
    char *text;
    pthread_mutex_t lock;    /* guards the rest */
    wadi_opencl_code *codes; /* that were found, each once */
} loaded;

/* ---- the key ---- */

/* Does the text say that it was built from `key`? Only the first place that says a key counts. */
static bool says(const char *text, const char *key) {
    static const char mark[] = WADI_IMAGE_KEY ": ";
    const char *at = strstr(text, mark);
    const size_t n = strlen(key);
    return at != NULL && strncmp(at + sizeof mark - 1, key, n) == 0 &&
           !wadi_ascii_is_word(at[sizeof mark - 1 + n]);
}

static bool is_text(const wadi_image *image, const char *key) {
    return memchr(image->bytes, '\0', image->n) != NULL && says(image->bytes, key);
}

/* ---- what a device may lack ---- */

enum { NAME_ROOM = 64 };

/* Where the text behind `at` goes on with code: behind blanks and comments. */
static const char *skip_comments(const char *at) {
    while (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        if (end == NULL) return at + strlen(at);
        at = end + 2;
    }
    return at;
}

/* The first use of the type outside comments; NULL: there is none. `kernel`: the name of the last function in front of it that is a kernel or the body of
 * one; "": it is before all. */
static const char *find_type(const char *text, const char *type, char kernel[NAME_ROOM]) {
    static const char mark[] = "WADI_KERNEL(";
    const size_t n = strlen(type);
    kernel[0] = '\0';
    for (const char *at = skip_comments(text); *at != '\0'; at = skip_comments(at)) {
        if (!wadi_ascii_is_word(*at)) {
            at++;
            continue;
        }
        size_t word = 1;
        while (wadi_ascii_is_word(at[word])) word++;
        if (word == n && strncmp(at, type, n) == 0) return at;
        if (strncmp(at, mark, sizeof mark - 1) == 0)
            snprintf(kernel, NAME_ROOM, "%.*s", (int)strcspn(at + sizeof mark - 1, ")"),
                     at + sizeof mark - 1);
        at += word;
    }
    return NULL;
}

/* What the dialect's own text says of doubles are macros that nobody uses without them. */
static wadi_status check_types(const wadi_opencl_machine *m, const char *text, wadi_error *err) {
    char kernel[NAME_ROOM];
    if (m->fp64 || find_type(text, "double", kernel) == NULL) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "%s (%s) has no double precision, and the program needs it: f64%s%s", m->name,
                     m->product, kernel[0] != '\0' ? ", at kernel " : "", kernel);
}

/* ---- building ---- */

/* The first lines of the compiler's words, those that are not empty, on one line. */
static void shorten(const char *log, char out[LOG_ROOM]) {
    size_t n = 0;
    int lines = 0;
    for (const char *at = log; *at != '\0' && lines < LOG_LINES && n + 1 < LOG_ROOM;) {
        const size_t length = strcspn(at, "\r\n");
        if (length > 0) {
            const int put = snprintf(out + n, LOG_ROOM - n, "%s%.*s", lines > 0 ? " | " : "",
                                     (int)(length > LOG_ROOM ? LOG_ROOM : length), at);
            n += (size_t)put;
            lines++;
        }
        at += length;
        at += strspn(at, "\r\n");
    }
    if (n == 0) snprintf(out, LOG_ROOM, "the compiler gave no reason");
}

static wadi_status build_failed(const wadi_opencl_machine *m, wadi_opencl_program program,
                                int32_t code, wadi_error *err) {
    char words[LOG_ROOM];
    size_t size = 0;
    if (code != WADI_OPENCL_BUILD_FAILED)
        return wadi_opencl_failed(m->name, "clBuildProgram", code, err);
    (void)m->cl->GetProgramBuildInfo(program, m->device, WADI_OPENCL_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->name);
    (void)m->cl->GetProgramBuildInfo(program, m->device, WADI_OPENCL_BUILD_LOG, size, log, NULL);
    shorten(log, words);
    free(log);
    return wadi_fail(err, WADI_COMPILE, "%s (%s) cannot build the kernels%s: %s", m->name,
                     m->product, m->atomics64 ? "" : "; it has no 64-bit atomics", words);
}

/* PoCL's optimiser, in 3.1 and 5.0, loses what lanes do in branches around barriers (docs/decisions/0128). */
#define AS_WRITTEN " -cl-opt-disable"
#define PLAIN "-w -cl-std=CL1.2"
#define EXACT PLAIN " -cl-fp32-correctly-rounded-divide-sqrt"
#define FAST PLAIN " -cl-mad-enable -cl-no-signed-zeros -cl-denorms-are-zero"

/* Not -cl-fast-relaxed-math: infinities and NaN keep their meaning, and sums their order. */
static const char *options_for(const wadi_opencl_machine *m, const char *text) {
    static const char mark[] = "#define " WADI_IMAGE_FAST "\n";
    const bool as_written = strstr(m->version, "PoCL") != NULL;
    if (strncmp(text, mark, sizeof mark - 1) == 0) return as_written ? FAST AS_WRITTEN : FAST;
    if (m->rounds_divide) return as_written ? EXACT AS_WRITTEN : EXACT;
    return as_written ? PLAIN AS_WRITTEN : PLAIN;
}

/* The library may read the text as long as it builds, also when the thread has been left behind: it is the caller's to keep. */
static wadi_status build(wadi_opencl_machine *m, const char *text, wadi_opencl_program *out,
                         wadi_error *err) {
    const size_t length = strlen(text);
    wadi_opencl_context context = NULL;
    int32_t code = WADI_OPENCL_SUCCESS;
    WADI_TRY(wadi_opencl_context_of(m, &context, err));
    wadi_behind_enter();
    wadi_opencl_program p = m->cl->CreateProgramWithSource(context, 1, &text, &length, &code);
    if (p != NULL) code = m->cl->BuildProgram(p, 1, &m->device, options_for(m, text), NULL, NULL);
    wadi_behind_leave();
    if (p == NULL) return wadi_opencl_failed(m->name, "clCreateProgramWithSource", code, err);
    if (code == WADI_OPENCL_SUCCESS) {
        *out = p;
        return WADI_OK;
    }
    const wadi_status status = build_failed(m, p, code, err);
    (void)m->cl->ReleaseProgram(p);
    return status;
}

/* ---- the functions of wadi_image_ops ---- */

static wadi_status load(const wadi_image_ops *self, const wadi_image *image, const char *key,
                        wadi_kernels *out, wadi_error *err) {
    wadi_opencl_machine *m = (wadi_opencl_machine *)(uintptr_t)self;
    *out = (wadi_kernels){0};
    if (!is_text(image, key))
        return wadi_fail(err, WADI_INVALID, "%s: the text was not made from these kernels",
                         m->name);
    WADI_TRY(check_types(m, image->bytes, err));
    loaded *l = calloc(1, sizeof *l);
    if (l == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->name);
    l->machine = m;
    l->text = strdup(image->bytes);
    const wadi_status status = l->text != NULL
                                   ? build(m, l->text, &l->program, err)
                                   : wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->name);
    if (status != WADI_OK) {
        free(l->text);
        free(l);
        return status;
    }
    (void)pthread_mutex_init(&l->lock, NULL);
    out->handle = l;
    return WADI_OK;
}

static wadi_opencl_code *find_again(const loaded *l, const char *name) {
    wadi_opencl_code *c = l->codes;
    while (c != NULL && strcmp(c->name, name) != 0) c = c->next;
    return c;
}

enum { ENTRY_ROOM = 256 };

/* The entry that the kernel is a case of, and which one; itself and 0 if it has one of its own. */
static const char *entry_of(const char *text, const char *name, char room[ENTRY_ROOM],
                            uint32_t *which) {
    const size_t n = strlen(name);
    *which = 0;
    for (const char *at = text; (at = strstr(at, WADI_IMAGE_CASE)) != NULL; at++)
        if (at - text > (ptrdiff_t)n && strncmp(at - n, name, n) == 0 &&
            at[-1 - (ptrdiff_t)n] == ' ' &&
            sscanf(at, WADI_IMAGE_CASE "%" SCNu32 " of %255s", which, room) == 2)
            return room;
    return name;
}

/* An entry that several share has a kernel for each of them: its arguments are set for one launch. */
static wadi_status make_code(loaded *l, const char *name, wadi_opencl_code **out, wadi_error *err) {
    const wadi_opencl_machine *m = l->machine;
    int32_t code = WADI_OPENCL_SUCCESS;
    char room[ENTRY_ROOM];
    uint32_t which;
    const char *entry = entry_of(l->text, name, room, &which);
    wadi_behind_enter();
    wadi_opencl_kernel kernel = m->cl->CreateKernel(l->program, entry, &code);
    wadi_behind_leave();
    if (kernel == NULL)
        return wadi_fail(err, WADI_IO, "%s: there is no kernel %s: %s", m->name, name,
                         wadi_opencl_code_name(code) != NULL ? wadi_opencl_code_name(code) : "?");
    wadi_opencl_code *c = calloc(1, sizeof *c);
    char *copy = strdup(name);
    if (c == NULL || copy == NULL) {
        (void)m->cl->ReleaseKernel(kernel);
        free(c);
        free(copy);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->name);
    }
    *c = (wadi_opencl_code){.next = l->codes, .kernel = kernel, .which = which, .name = copy};
    (void)pthread_mutex_init(&c->lock, NULL);
    *out = l->codes = c;
    return WADI_OK;
}

static wadi_status find(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err) {
    loaded *l = kernels->handle;
    wadi_status status = WADI_OK;
    (void)pthread_mutex_lock(&l->lock);
    wadi_opencl_code *c = find_again(l, name);
    if (c == NULL) status = make_code(l, name, &c, err);
    (void)pthread_mutex_unlock(&l->lock);
    *out = (wadi_code){(uintptr_t)c};
    return status;
}

static void unload(wadi_kernels *kernels) {
    loaded *l = kernels->handle;
    *kernels = (wadi_kernels){0};
    if (l == NULL) return;
    for (wadi_opencl_code *c = l->codes; c != NULL;) {
        wadi_opencl_code *next = c->next;
        wadi_behind_enter();
        (void)l->machine->cl->ReleaseKernel(c->kernel);
        wadi_behind_leave();
        (void)pthread_mutex_destroy(&c->lock);
        free(c->name);
        free(c);
        c = next;
    }
    wadi_behind_enter();
    (void)l->machine->cl->ReleaseProgram(l->program);
    wadi_behind_leave();
    (void)pthread_mutex_destroy(&l->lock);
    free(l->text);
    free(l);
}

const wadi_image_ops wadi_opencl_images_ops = {"OpenCL C", load, find, unload};
