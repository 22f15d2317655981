/* A machine of NVIDIA's as a device with groups of lanes: its driver under sched/gpu. */
#include "sched/cuda/cuda.h"

#include <stdio.h>

#include "base/error.h"
#include "base/nvrtc.h"
#include "sched/cuda/driver.h"
#include "sched/cuda/fft.h"
#include "sched/cuda/machines.h"
#include "sched/gpu/gpu.h"

wadi_status wadi_cuda_count(int *out, wadi_error *err) {
    return wadi_cuda_machines(out, err);
}

/* "driver for CUDA 12.4, sm_90, cuFFT 11.3" */
static void tell_versions(const wadi_cuda_machine *m, wadi_device_facts *out) {
    const int fft = wadi_cuda_fft_version();
    char fft_words[32] = "no cuFFT";
    if (fft != 0)
        (void)snprintf(fft_words, sizeof fft_words, "cuFFT %d.%d", fft / 1000, fft % 1000 / 100);
    (void)snprintf(out->versions, sizeof out->versions, "driver for CUDA %d.%d%s%s, %s",
                   m->driver / 1000, m->driver % 1000 / 10, m->arch[0] != '\0' ? ", " : "", m->arch,
                   fft_words);
}

wadi_status wadi_cuda_tell(int number, wadi_device_facts *out, wadi_error *err) {
    const wadi_cuda_machine *m = NULL;
    wadi_nvrtc_about compiler = {0};
    WADI_TRY(wadi_cuda_machine_at(number, &m, err));
    (void)snprintf(out->name, sizeof out->name, "%s", m->model);
    out->memory = m->memory;
    tell_versions(m, out);
    WADI_TRY(wadi_cuda_machine_find(number, &m, err));
    return wadi_nvrtc_find(&compiler, err);
}

wadi_status wadi_cuda_open(const wadi_device_options *options, wadi_device **out, wadi_error *err) {
    wadi_gpu_driver *driver = NULL;
    WADI_TRY(wadi_cuda_driver_open(options->number, &driver, err));
    return wadi_gpu_open(driver, options, out, err);
}
