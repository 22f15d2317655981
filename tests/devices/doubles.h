/* Tests of devices without the devices: doubles of libcuda, NVRTC and libcufft (doubles/libcuda.c, nvrtc.c, libcufft.c). They are built
 * where there is a C++ compiler, and named by WADI_CUDA_DRIVER, WADI_NVRTC and WADI_CUFFT. */
#ifndef WADI_TESTS_DEVICES_DOUBLES_H
#define WADI_TESTS_DEVICES_DOUBLES_H

#include <stdbool.h>

/* Has this process use the doubles. To be called before the libraries are first asked for. False: they have not been built. */
bool doubles_use(void);

/* Resets the double of libcuda, which then does what these words say (doubles/settings.h). */
void doubles_set(const char *words);
/* Calls of that function since it was reset; NULL: of all. */
long doubles_calls(const char *name);
/* What has been taken of the doubles and not given back. */
int doubles_held(void);
/* How many streams have had copies or kernels to do at the same time since it was reset, at most. */
int doubles_at_once(void);
/* Bytes that have been copied from the host since then. */
long long doubles_sent(void);

#endif
