/* What a test wants of the double of libcuda: words separated by blanks, in WADI_CUDA_DOUBLE when the double is first called, or by
 * wadi_double_set at any time.
 *
 *     devices=2 major=9 minor=0 units=3 fitting=5 driver=12040 mode=2 memory=1000000
 *                             the machines (1, 8, 0, 2, 7, 12000, 0, 2^28 bytes)
 *     fail=cuMemAlloc:3:700       the third call of cuMemAlloc from now on fails with 700; kernel: the third kernel that runs
 *     early=2                     the second stream from now on does at once what it can; others do only what is waited for
 *     pinned=1000000              bytes of the host that can be pinned (2^30)
 *     hang=cuStreamSynchronize:5  the fifth call and all later ones never return; others do
 *     lost=20                     with the 20th call from now on the device is lost
 *     seed=7                      of the order of blocks and lanes */
#ifndef WADI_TESTS_DEVICES_SETTINGS_H
#define WADI_TESTS_DEVICES_SETTINGS_H

typedef struct settings {
    int devices, major, minor, units, driver, mode, early;
    int fitting; /* groups of a kernel in a multiprocessor */
    unsigned long memory, pinned;
    unsigned seed;
} settings;

extern settings set;

/* Forgets all rules and what was counted, and takes these words. */
void settings_take(const char *words);
/* Counts a call. What a rule says that it returns; 0: it is to be made. *lost: the device is lost with it. */
int settings_call(const char *name, int *lost);
/* Whether the call that was counted last never returns. */
int settings_hangs(const char *name);
/* Calls of that name, without the version at its end, since words were last taken; NULL: all. */
long settings_calls(const char *name);

#endif
