/* Fourier transforms by NVIDIA's cuFFT, loaded when somebody first asks for one. What is declared of its interface are facts of NVIDIA's
 * documentation of cuFFT.
 *
 * WADI_CUFFT names another file than the libcufft.so of the CUDA toolkit: for tests, and for systems that have it at an unusual place. */
#ifndef WADI_SCHED_CUDA_FFT_H
#define WADI_SCHED_CUDA_FFT_H

#include "sched/cuda/api.h"
#include "sched/gpu/driver.h"

typedef struct wadi_cuda_fft wadi_cuda_fft;

/* Plans of one context, for one thread at a time. NULL: the library is not there, or memory is. */
wadi_cuda_fft *wadi_cuda_fft_open(void);
/* The context of the plans is current, here and below. NULL is fine. */
void wadi_cuda_fft_close(wadi_cuda_fft *f);

/* What became of a transform. */
typedef enum wadi_cuda_fft_end {
    WADI_CUDA_FFT_QUEUED,
    WADI_CUDA_FFT_DECLINED, /* no plan for it: of that size, or for lack of memory */
    WADI_CUDA_FFT_FAILED    /* the library could not launch it; *err says why (WADI_DEVICE) */
} wadi_cuda_fft_end;

/* Queues it in the stream. `name`: the device's, for errors. */
wadi_cuda_fft_end wadi_cuda_fft_run(wadi_cuda_fft *f, const wadi_gpu_transforms *x,
                                    wadi_cu_stream stream, const char *name, wadi_error *err);

/* The library's version, 1000 times the first number and 100 times the second; 0: there is no library. */
int wadi_cuda_fft_version(void);

#endif
