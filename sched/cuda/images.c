/* Loading modules into the primary context of a machine. Every module retains the context, so it lives as long as its kernels. */
#include "sched/cuda/images.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/behind.h"
#include "base/error.h"
#include "base/thread.h"
#include "sched/cuda/kept.h"

typedef struct images_of {
    wadi_image_ops ops; /* the first member: its address is that of the whole */
    const wadi_cuda_machine *machine;
    /* The last text that was compiled for it, and what it became: what devices have of their own is read once in a process, and compiled once for
     * all of them (kept.h). */
    char *text, *code;
} images_of;

static pthread_mutex_t texts = PTHREAD_MUTEX_INITIALIZER; /* guards these members of all */

typedef struct module {
    const wadi_cu_api *cu;
    const wadi_cuda_machine *machine;
    wadi_cu_context context; /* retained */
    wadi_cu_module module;
} module;

static wadi_status fail(const module *m, const char *call, wadi_cu_result result, wadi_error *err) {
    return wadi_cu_fail(err, m->machine->name, call, result);
}

static wadi_status enter(const module *m, wadi_error *err) {
    wadi_behind_enter();
    const wadi_cu_result result = m->cu->push(m->context);
    if (result != WADI_CU_SUCCESS) wadi_behind_leave();
    return result == WADI_CU_SUCCESS ? WADI_OK : fail(m, "cuCtxPushCurrent", result, err);
}

static void leave(const module *m) {
    wadi_cu_context left = NULL;
    (void)m->cu->pop(&left);
    wadi_behind_leave();
}

/* ---- loading ---- */

static wadi_status mismatch(wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "the module was not built from these kernels");
}

/* A module says what it was built from by the name of a kernel that does nothing. Variables would need a copy, and the compiler of
 * whole programs keeps their names to itself. */
static wadi_status check_key(const module *m, const char *key, wadi_error *err) {
    char name[160];
    wadi_cu_function found = NULL;
    (void)snprintf(name, sizeof name, "%s_%s", WADI_IMAGE_KEY, key);
    const wadi_cu_result result = m->cu->function(&found, m->module, name);
    if (result == WADI_CU_NOT_FOUND) return mismatch(err);
    return result == WADI_CU_SUCCESS ? WADI_OK : fail(m, "cuModuleGetFunction", result, err);
}

/* key NULL: the module need not say it. */
static wadi_status load_module(module *m, const char *bytes, const char *key, wadi_error *err) {
    WADI_TRY(enter(m, err));
    const wadi_cu_result result = m->cu->load(&m->module, bytes);
    wadi_status status =
        result == WADI_CU_SUCCESS ? WADI_OK : fail(m, "cuModuleLoadData", result, err);
    if (status == WADI_OK && key != NULL) {
        status = check_key(m, key, err);
        if (status != WADI_OK) (void)m->cu->unload(m->module);
    }
    leave(m);
    return status;
}

/* Whether a table lies within the image. where, row: offsets in its header of the table's begin, and of the size and number of its rows. */
static bool has_table(const wadi_image *image, size_t where, size_t row) {
    uint64_t at = 0;
    uint16_t size = 0, n = 0;
    memcpy(&at, image->bytes + where, sizeof at);
    memcpy(&size, image->bytes + row, sizeof size);
    memcpy(&n, image->bytes + row + sizeof size, sizeof n);
    return at <= image->n && (uint64_t)size * n <= image->n - at;
}

enum { ELF_HEADER = 64, SEGMENTS = 32, SEGMENT_ROW = 54, SECTIONS = 40, SECTION_ROW = 58 };

typedef enum form { MACHINE_CODE, PTX, CUDA_C, DAMAGED } form;

/* The driver is told no length, so the bytes are looked at before it reads them: machine code is an ELF file, whose tables end it; what
 * else there is ends with a zero. PTX says its version at the begin of a line. */
static form form_of(const wadi_image *image) {
    static const char elf[] = {0x7f, 'E', 'L', 'F'};
    if (image->n >= ELF_HEADER && memcmp(image->bytes, elf, sizeof elf) == 0)
        return has_table(image, SEGMENTS, SEGMENT_ROW) && has_table(image, SECTIONS, SECTION_ROW)
                   ? MACHINE_CODE
                   : DAMAGED;
    if (image->n == 0 || memchr(image->bytes, 0, image->n) == NULL) return DAMAGED;
    return strstr(image->bytes, "\n.version ") != NULL ? PTX : CUDA_C;
}

/* The code is `images`' own. `texts` is locked. */
static wadi_status compile(images_of *images, const char *text, wadi_error *err) {
    char *code = NULL;
    size_t n = 0;
    if (images->text != NULL && strcmp(images->text, text) == 0) return WADI_OK;
    WADI_TRY(wadi_cuda_kept(text, images->machine->arch, &code, &n, err));
    char *copy = strdup(text);
    if (copy == NULL) {
        free(code);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", images->machine->name);
    }
    free(images->text);
    free(images->code);
    images->text = copy;
    images->code = code;
    return WADI_OK;
}

/* What a device has of its own comes as a text, and is compiled here. It says its key in a comment. */
static wadi_status load_text(images_of *images, module *m, const char *text, const char *key,
                             wadi_error *err) {
    char mark[160];
    (void)snprintf(mark, sizeof mark, "%s: %s ", WADI_IMAGE_KEY, key);
    if (strstr(text, mark) == NULL) return mismatch(err);
    (void)pthread_mutex_lock(&texts);
    wadi_status status = compile(images, text, err);
    if (status == WADI_OK) status = load_module(m, images->code, NULL, err);
    (void)pthread_mutex_unlock(&texts);
    return status;
}

static wadi_status load_into(images_of *images, module *m, const wadi_image *image, const char *key,
                             wadi_error *err) {
    const form f = form_of(image);
    if (f == DAMAGED) return wadi_fail(err, WADI_INVALID, "the bytes are no whole module");
    WADI_TRY(wadi_cu_open(&m->cu, err));
    WADI_TRY(wadi_cuda_retain(m->machine, &m->context, err));
    const wadi_status status = f == CUDA_C ? load_text(images, m, image->bytes, key, err)
                                           : load_module(m, image->bytes, key, err);
    if (status != WADI_OK) wadi_cuda_release(m->machine);
    return status;
}

static wadi_status load(const wadi_image_ops *self, const wadi_image *image, const char *key,
                        wadi_kernels *out, wadi_error *err) {
    images_of *images = (images_of *)(uintptr_t)self;
    module *m = calloc(1, sizeof *m);
    *out = (wadi_kernels){0};
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "cuda: out of memory");
    m->machine = images->machine;
    const wadi_status status = load_into(images, m, image, key, err);
    if (status == WADI_OK)
        out->handle = m;
    else
        free(m);
    return status;
}

static wadi_status find(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err) {
    const module *m = kernels->handle;
    wadi_cu_function f = NULL;
    WADI_TRY(enter(m, err));
    const wadi_cu_result result = m->cu->function(&f, m->module, name);
    leave(m);
    if (result == WADI_CU_NOT_FOUND)
        return wadi_fail(err, WADI_IO, "%s: the module has no kernel %s", m->machine->name, name);
    if (result != WADI_CU_SUCCESS) return fail(m, "cuModuleGetFunction", result, err);
    *out = (wadi_code){(uintptr_t)f};
    return WADI_OK;
}

static void unload(wadi_kernels *kernels) {
    module *m = kernels->handle;
    if (m != NULL) {
        if (enter(m, NULL) == WADI_OK) {
            (void)m->cu->unload(m->module);
            leave(m);
        }
        wadi_cuda_release(m->machine);
    }
    free(m);
    *kernels = (wadi_kernels){0};
}

/* ---- a table for each machine ---- */

static images_of *all; /* one for each machine, until the process ends */

static void make_all(void) {
    int n = 0;
    if (wadi_cuda_machines(&n, NULL) != WADI_OK) return;
    all = calloc(n > 0 ? (size_t)n : 1, sizeof *all);
    for (int i = 0; all != NULL && i < n; i++) {
        images_of *at = &all[i];
        if (wadi_cuda_machine_at(i, &at->machine, NULL) != WADI_OK) continue;
        at->ops = (wadi_image_ops){"CUDA C", load, find, unload, at->machine->arch};
    }
}

wadi_status wadi_cuda_images(int number, const wadi_image_ops **out, wadi_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const wadi_cuda_machine *m = NULL;
    WADI_TRY(wadi_cuda_machine_find(number, &m, err));
    (void)pthread_once(&once, make_all);
    if (all == NULL) return wadi_fail(err, WADI_MEMORY, "cuda: out of memory");
    *out = &all[number].ops;
    return WADI_OK;
}
