/* What the double of libcuda does for doubles of libraries that work on the same device. They find these functions by their names, in the
 * file that WADI_CUDA_DRIVER names:
 *
 *     int wadi_double_enter(const char *name)
 *         Counts a call of that name in the thread's current context. What a rule says that it returns, or what the driver would.
 *     int wadi_double_enqueue(void *stream, libcuda_work other, const void *told, size_t bytes)
 *         `other` is run with a copy of what it is told, when its turn has come in the stream. */
#ifndef WADI_TESTS_DEVICES_LIBCUDA_H
#define WADI_TESTS_DEVICES_LIBCUDA_H

enum { LIBCUDA_TOLD = 128 };

/* Device memory is open meanwhile. */
typedef void (*libcuda_work)(const void *told);

#endif
