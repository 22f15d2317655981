/* Loads libcuda and finds its functions, once in a process; and the words of its errors. */
#include "sched/cuda/api.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/dl.h"
#include "base/error.h"
#include "base/thread.h"

static wadi_cu_api api;
static wadi_status opened;
static wadi_error why;

static const char *library_name(void) {
    const char *named = getenv("WADI_CUDA_DRIVER");
    return named != NULL && *named != '\0' ? named : "libcuda.so.1";
}

static wadi_status find_all(const wadi_dl *library) {
    const char *missing = NULL;
    wadi_dl_fn f = NULL;
#define X(member, name, parameters)                               \
    if (missing == NULL) {                                        \
        if (wadi_dl_function(library, name, &f, NULL) != WADI_OK) \
            missing = name;                                       \
        else                                                      \
            api.member = (wadi_cu_result(*) parameters)f;         \
    }
    WADI_CU_CALLS(X)
#undef X
    return missing == NULL ? WADI_OK
                           : wadi_fail(&why, WADI_UNSUPPORTED,
                                       "cuda: the library %s has no function %s: it is too old",
                                       library_name(), missing);
}

static void open_library(void) {
    wadi_dl library = {0}; /* stays: the functions are needed until the process ends */
    wadi_error reason = {0};
    opened = wadi_dl_open(&library, library_name(), &reason);
    if (opened != WADI_OK) {
        opened = wadi_fail(&why, WADI_UNSUPPORTED, "cuda: there is no driver of NVIDIA: %.400s",
                           reason.msg);
        return;
    }
    opened = find_all(&library);
    if (opened != WADI_OK) wadi_dl_close(&library);
}

wadi_status wadi_cu_open(const wadi_cu_api **out, wadi_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_library);
    *out = &api;
    if (opened != WADI_OK && err != NULL) *err = why;
    return opened;
}

/* ---- errors ---- */

/* Whether the context, with all its memory, is of no more use. */
static bool is_lost(wadi_cu_result result) {
    static const struct {
        wadi_cu_result first, last;
    } losses[] = {
        {4, 4},     /* the driver shuts down */
        {46, 46},   /* the device is unavailable */
        {101, 101}, /* the device is gone */
        {201, 201}, /* the context is */
        {214, 214}, /* memory had an error that could not be corrected */
        {220, 220}, /* so had a link between devices */
        {700, 700}, /* a kernel used a wrong address */
        {702, 702}, /* a kernel took too long */
        {709, 710}, /* the context was destroyed; a kernel ended all of it */
        {714, 719}, /* a kernel went wrong otherwise */
        {999, 999},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        if (result >= losses[i].first && result <= losses[i].last) return true;
    return false;
}

wadi_status wadi_cu_fail(wadi_error *err, const char *name, const char *call,
                         wadi_cu_result result) {
    const char *error = NULL, *words = NULL;
    if (api.name_of(result, &error) != WADI_CU_SUCCESS || error == NULL) error = "unknown error";
    if (api.words_of(result, &words) != WADI_CU_SUCCESS || words == NULL) words = "no words";
    return wadi_fail(err, result == WADI_CU_OUT_OF_MEMORY ? WADI_MEMORY : WADI_DEVICE,
                     "%s: %s%s: %s %d (%s)", name, is_lost(result) ? "the device is lost: " : "",
                     call, error, result, words);
}
