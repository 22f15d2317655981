#include "tests/devices/doubles.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"

static void (*set)(const char *words);
static long (*calls)(const char *name);
static long long (*sent)(void);
static int (*held)(void), (*at_once)(void), (*plans)(void);

static bool name_one(const char *variable, const char *file) {
    char path[1024];
    const char *build = getenv("WADI_BUILD");
    (void)snprintf(path, sizeof path, "%s/tests/doubles/%s", build != NULL ? build : ".", file);
    return wadi_file_exists(path) && setenv(variable, path, 1) == 0;
}

static wadi_dl_fn find(const wadi_dl *library, const char *name) {
    wadi_dl_fn f = NULL;
    const wadi_status status = wadi_dl_function(library, name, &f, NULL);
    WADI_ASSERT(status == WADI_OK);
    WADI_UNUSED(status);
    return f;
}

bool doubles_use(void) {
    wadi_dl library = {0};
    if (!name_one("WADI_CUDA_DRIVER", "libdouble_cuda.so") ||
        !name_one("WADI_NVRTC", "libdouble_nvrtc.so") ||
        !name_one("WADI_CUFFT", "libdouble_cufft.so"))
        return false;
    if (wadi_dl_open(&library, getenv("WADI_CUDA_DRIVER"), NULL) != WADI_OK) return false;
    set = (void (*)(const char *))find(&library, "wadi_double_set");
    calls = (long (*)(const char *))find(&library, "wadi_double_calls");
    held = (int (*)(void))find(&library, "wadi_double_held");
    sent = (long long (*)(void))find(&library, "wadi_double_sent");
    at_once = (int (*)(void))find(&library, "wadi_double_at_once");
    if (wadi_dl_open(&library, getenv("WADI_CUFFT"), NULL) != WADI_OK) return false;
    plans = (int (*)(void))find(&library, "wadi_double_plans");
    return true;
}

void doubles_set(const char *words) {
    set(words);
}

long doubles_calls(const char *name) {
    return calls(name);
}

int doubles_held(void) {
    return held() + plans();
}

int doubles_at_once(void) {
    return at_once();
}

long long doubles_sent(void) {
    return sent();
}
