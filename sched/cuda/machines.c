/* Asks the driver for each machine's facts. A machine that cannot tell them, or that must not compute, stays in the list with the
 * reason. */
#include "sched/cuda/machines.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/behind.h"
#include "base/error.h"
#include "base/thread.h"

static wadi_cuda_machine *machines; /* until the process ends */
static int count;
static wadi_status looked;
static wadi_error why;

/* ---- one machine ---- */

static void set_broken(wadi_cuda_machine *m, const char *call, wadi_cu_result result) {
    wadi_error err = {0};
    (void)wadi_cu_fail(&err, m->name, call, result);
    (void)snprintf(m->broken, sizeof m->broken, "%.159s", err.msg);
}

/* False: the machine is broken. */
static bool ask(const wadi_cu_api *cu, wadi_cuda_machine *m, int attribute, int *out) {
    if (m->broken[0] != '\0') return false;
    const wadi_cu_result result = cu->attribute(out, attribute, m->device);
    if (result != WADI_CU_SUCCESS) set_broken(m, "cuDeviceGetAttribute", result);
    return result == WADI_CU_SUCCESS;
}

static void ask_name(const wadi_cu_api *cu, wadi_cuda_machine *m) {
    const wadi_cu_result result = cu->name(m->model, (int)sizeof m->model, m->device);
    if (result != WADI_CU_SUCCESS) set_broken(m, "cuDeviceGetName", result);
}

static void ask_memory(const wadi_cu_api *cu, wadi_cuda_machine *m) {
    size_t bytes = 0;
    const wadi_cu_result result = cu->total(&bytes, m->device);
    if (result != WADI_CU_SUCCESS) set_broken(m, "cuDeviceTotalMem", result);
    m->memory = bytes <= INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

static void look_at(const wadi_cu_api *cu, wadi_cuda_machine *m) {
    int mode = 0;
    const wadi_cu_result result = cu->device(&m->device, m->number);
    if (result != WADI_CU_SUCCESS) {
        set_broken(m, "cuDeviceGet", result);
        return;
    }
    ask_name(cu, m);
    ask_memory(cu, m);
    if (ask(cu, m, WADI_CU_MAJOR, &m->major) && ask(cu, m, WADI_CU_MINOR, &m->minor))
        (void)snprintf(m->arch, sizeof m->arch, "sm_%d%d", m->major, m->minor);
    (void)ask(cu, m, WADI_CU_MULTIPROCESSORS, &m->multiprocessors);
    if (ask(cu, m, WADI_CU_COMPUTE_MODE, &mode) && mode == WADI_CU_PROHIBITED)
        (void)snprintf(m->broken, sizeof m->broken,
                       "%s: its owner has forbidden it to compute (compute mode \"prohibited\")",
                       m->name);
}

/* ---- all of them ---- */

static wadi_status fail(const char *call, wadi_cu_result result) {
    return wadi_cu_fail(&why, "cuda", call, result);
}

static wadi_status look(const wadi_cu_api *cu) {
    int n = 0, driver = 0;
    wadi_cu_result result = cu->init(0);
    if (result == WADI_CU_NO_DEVICE) return WADI_OK;
    if (result != WADI_CU_SUCCESS) return fail("cuInit", result);
    result = cu->version(&driver);
    if (result != WADI_CU_SUCCESS) return fail("cuDriverGetVersion", result);
    result = cu->count(&n);
    if (result != WADI_CU_SUCCESS) return fail("cuDeviceGetCount", result);
    machines = calloc(n > 0 ? (size_t)n : 1, sizeof *machines);
    if (machines == NULL) return wadi_fail(&why, WADI_MEMORY, "cuda: out of memory");
    for (int i = 0; i < n; i++) {
        machines[i] = (wadi_cuda_machine){.number = i, .driver = driver};
        (void)snprintf(machines[i].name, sizeof machines[i].name, "cuda:%d", i);
        look_at(cu, &machines[i]);
    }
    count = n;
    return WADI_OK;
}

static void look_once(void) {
    const wadi_cu_api *cu = NULL;
    looked = wadi_cu_open(&cu, &why);
    if (looked == WADI_OK) looked = look(cu);
}

wadi_status wadi_cuda_machines(int *out, wadi_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, look_once);
    *out = count;
    if (looked != WADI_OK && err != NULL) *err = why;
    return looked;
}

wadi_status wadi_cuda_machine_at(int number, const wadi_cuda_machine **out, wadi_error *err) {
    int n = 0;
    WADI_TRY(wadi_cuda_machines(&n, err));
    if (number < 0 || number >= n)
        return wadi_fail(err, WADI_INVALID, "cuda:%d: there are %d of these devices", number, n);
    *out = &machines[number];
    return WADI_OK;
}

wadi_status wadi_cuda_machine_find(int number, const wadi_cuda_machine **out, wadi_error *err) {
    WADI_TRY(wadi_cuda_machine_at(number, out, err));
    return (*out)->broken[0] == '\0' ? WADI_OK : wadi_fail(err, WADI_DEVICE, "%s", (*out)->broken);
}

/* ---- the primary context ---- */

wadi_status wadi_cuda_retain(const wadi_cuda_machine *m, wadi_cu_context *out, wadi_error *err) {
    const wadi_cu_api *cu = NULL;
    WADI_TRY(wadi_cu_open(&cu, err));
    wadi_behind_enter();
    const wadi_cu_result result = cu->retain(out, m->device);
    wadi_behind_leave();
    return result == WADI_CU_SUCCESS
               ? WADI_OK
               : wadi_cu_fail(err, m->name, "cuDevicePrimaryCtxRetain", result);
}

void wadi_cuda_release(const wadi_cuda_machine *m) {
    const wadi_cu_api *cu = NULL;
    wadi_behind_enter();
    if (wadi_cu_open(&cu, NULL) == WADI_OK) (void)cu->release(m->device);
    wadi_behind_leave();
}
