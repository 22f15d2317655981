/* What inverse Fourier transforms want after the library (sched/gpu/transforms.c), as kernels in device C. They stand behind the
 * primitives, on devices that have such a library, and are by items. */
#ifndef WADI_SCHED_GPU_RT_SCALE_H
#define WADI_SCHED_GPU_RT_SCALE_H

WADI_KERNEL(wadi_primitive_scale_f32) {
    WADI_ITEM
    const wadi_gpu_scaling task = *WADI_AT(w, wadi_gpu_scaling, call.slot);
    WADI_GLOBAL float *const at = WADI_AT(w, float, task.at);
    const float factor = 1.0f / (float)task.divisor;
    for (int64_t i = w->item; i < call.n; i += w->items) at[i] *= factor;
}

WADI_KERNEL(wadi_primitive_scale_f64) {
    WADI_ITEM
    const wadi_gpu_scaling task = *WADI_AT(w, wadi_gpu_scaling, call.slot);
    WADI_GLOBAL double *const at = WADI_AT(w, double, task.at);
    const double factor = 1.0 / (double)task.divisor;
    for (int64_t i = w->item; i < call.n; i += w->items) at[i] *= factor;
}

#endif
