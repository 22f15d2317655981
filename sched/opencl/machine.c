/* Looking for devices, and asking them what they are. */
#include "sched/opencl/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "sched/gpu/rt/call.h"

/* ---- questions; what a device does not answer is 0 or "" ---- */

static uint64_t number_of(const wadi_opencl_machine *m, uint32_t what) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    size_t size = 0;
    if (m->cl->GetDeviceInfo(m->device, what, 0, NULL, &size) != WADI_OPENCL_SUCCESS) return 0;
    if (size == sizeof narrow)
        return m->cl->GetDeviceInfo(m->device, what, size, &narrow, NULL) == 0 ? narrow : 0;
    if (size != sizeof wide) return 0;
    return m->cl->GetDeviceInfo(m->device, what, size, &wide, NULL) == 0 ? wide : 0;
}

static int64_t bytes_of(const wadi_opencl_machine *m, uint32_t what) {
    const uint64_t n = number_of(m, what);
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* The text, for the caller to free; NULL: none. */
static char *text_of(const wadi_opencl_machine *m, uint32_t what) {
    size_t size = 0;
    if (m->cl->GetDeviceInfo(m->device, what, 0, NULL, &size) != WADI_OPENCL_SUCCESS) return NULL;
    char *text = calloc(size + 1, 1);
    if (text == NULL) return NULL;
    if (m->cl->GetDeviceInfo(m->device, what, size, text, NULL) == WADI_OPENCL_SUCCESS) return text;
    free(text);
    return NULL;
}

/* Some makers put blanks around their names. */
static void copy_text(const wadi_opencl_machine *m, uint32_t what, size_t room, char *out) {
    char *text = text_of(m, what);
    const char *from = text != NULL ? text : "";
    from += strspn(from, " \t\n");
    snprintf(out, room, "%s", from);
    for (size_t n = strlen(out); n > 0 && strchr(" \t\n", out[n - 1]) != NULL; n--) out[n - 1] = 0;
    free(text);
}

/* Is the name among those of the list, which blanks separate? */
static bool names(const char *list, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

static void ask_extensions(wadi_opencl_machine *m) {
    char *list = text_of(m, WADI_OPENCL_EXTENSIONS);
    if (list == NULL) return;
    m->fp64 = names(list, "cl_khr_fp64");
    m->atomics64 = names(list, "cl_khr_int64_base_atomics");
    free(list);
}

/* "OpenCL 1.1 .." is too old. */
static bool is_old(const char *version) {
    int major = 0, minor = 0;
    return sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 100 + minor < 102;
}

static void judge(wadi_opencl_machine *m) {
    const char *why = "";
    if (is_old(m->version))
        why = "it has no OpenCL 1.2";
    else if (number_of(m, WADI_OPENCL_AVAILABLE) == 0)
        why = "it is not available";
    else if (number_of(m, WADI_OPENCL_HAS_COMPILER) == 0)
        why = "it has no compiler";
    else if (number_of(m, WADI_OPENCL_LITTLE_ENDIAN) == 0)
        why = "its byte order is another than the host's";
    else if (number_of(m, WADI_OPENCL_GROUP_SIZE) < WADI_GPU_LANES)
        why = "its groups are too small";
    else if (number_of(m, WADI_OPENCL_ARGUMENTS) < sizeof(wadi_gpu_call) + sizeof(void *))
        why = "its kernels take too few arguments";
    snprintf(m->unusable, sizeof m->unusable, "%s", why);
}

static void ask(wadi_opencl_machine *m) {
    copy_text(m, WADI_OPENCL_NAME, sizeof m->product, m->product);
    copy_text(m, WADI_OPENCL_VENDOR, sizeof m->vendor, m->vendor);
    copy_text(m, WADI_OPENCL_VERSION, sizeof m->version, m->version);
    copy_text(m, WADI_OPENCL_C_VERSION, sizeof m->language, m->language);
    copy_text(m, WADI_OPENCL_DRIVER_VERSION, sizeof m->driver, m->driver);
    m->memory = bytes_of(m, WADI_OPENCL_MEMORY);
    m->largest = bytes_of(m, WADI_OPENCL_LARGEST);
    m->units = (int)number_of(m, WADI_OPENCL_UNITS);
    if (m->units < 1) m->units = 1;
    m->by_processors = (number_of(m, WADI_OPENCL_TYPE) & WADI_OPENCL_IS_CPU) != 0;
    m->rounds_divide = (number_of(m, WADI_OPENCL_SINGLE_CONFIG) & WADI_OPENCL_ROUNDS_DIVIDE) != 0;
    ask_extensions(m);
    judge(m);
}

/* ---- looking for devices ---- */

typedef WADI_VEC(wadi_opencl_device) device_list;

/* Appends the devices of a platform. A platform that fails has none: others may be fine. */
static bool list_devices(const wadi_opencl_entries *cl, wadi_opencl_platform platform,
                         device_list *list) {
    uint32_t n = 0;
    if (cl->GetDeviceIDs(platform, WADI_OPENCL_ALL_DEVICES, 0, NULL, &n) != 0 || n == 0)
        return true;
    wadi_opencl_device *found = calloc(n, sizeof(wadi_opencl_device));
    if (found == NULL) return false;
    bool room = true;
    if (cl->GetDeviceIDs(platform, WADI_OPENCL_ALL_DEVICES, n, found, NULL) == 0)
        for (uint32_t i = 0; i < n && room; i++) room = wadi_vec_push(list, found[i]);
    free(found);
    return room;
}

static wadi_status list_all(const wadi_opencl_entries *cl, device_list *list, wadi_error *err) {
    uint32_t n = 0;
    int32_t code = cl->GetPlatformIDs(0, NULL, &n);
    if (code == WADI_OPENCL_NO_PLATFORM || (code == WADI_OPENCL_SUCCESS && n == 0)) return WADI_OK;
    if (code != WADI_OPENCL_SUCCESS)
        return wadi_opencl_failed("opencl", "clGetPlatformIDs", code, err);
    wadi_opencl_platform *platforms = calloc(n, sizeof(wadi_opencl_platform));
    bool room = platforms != NULL;
    if (room) code = cl->GetPlatformIDs(n, platforms, NULL);
    for (uint32_t i = 0; i < n && room && code == WADI_OPENCL_SUCCESS; i++)
        room = list_devices(cl, platforms[i], list);
    free(platforms);
    if (!room) return wadi_fail(err, WADI_MEMORY, "opencl: out of memory");
    return code == WADI_OPENCL_SUCCESS
               ? WADI_OK
               : wadi_opencl_failed("opencl", "clGetPlatformIDs", code, err);
}

wadi_status wadi_opencl_look(wadi_opencl_machines *out, const wadi_image_ops *images,
                             wadi_error *err) {
    device_list list = {0};
    wadi_status status = list_all(&out->cl, &list, err);
    out->n = 0;
    out->at = NULL;
    if (status == WADI_OK && list.n > 0) {
        out->at = calloc(list.n, sizeof *out->at);
        if (out->at == NULL) status = wadi_fail(err, WADI_MEMORY, "opencl: out of memory");
    }
    for (size_t i = 0; i < list.n && status == WADI_OK; i++) {
        wadi_opencl_machine *m = &out->at[out->n];
        m->images = *images;
        m->cl = &out->cl;
        m->device = list.at[i];
        snprintf(m->name, sizeof m->name, "opencl:%d", out->n++);
        (void)pthread_mutex_init(&m->lock, NULL);
        ask(m);
    }
    wadi_vec_free(&list);
    return status;
}

/* ---- contexts ---- */

wadi_status wadi_opencl_check_usable(const wadi_opencl_machine *m, wadi_error *err) {
    if (m->unusable[0] == '\0') return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "%s (%s) cannot be used: %s", m->name, m->product,
                     m->unusable);
}

wadi_status wadi_opencl_context_of(wadi_opencl_machine *m, wadi_opencl_context *out,
                                   wadi_error *err) {
    int32_t code = WADI_OPENCL_SUCCESS;
    WADI_TRY(wadi_opencl_check_usable(m, err));
    (void)pthread_mutex_lock(&m->lock);
    if (m->context == NULL)
        m->context = m->cl->CreateContext(NULL, 1, &m->device, NULL, NULL, &code);
    *out = m->context;
    (void)pthread_mutex_unlock(&m->lock);
    return *out != NULL ? WADI_OK : wadi_opencl_failed(m->name, "clCreateContext", code, err);
}
