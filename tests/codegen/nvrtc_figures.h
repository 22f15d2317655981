/* What NVIDIA's own compiler makes of kernels: the figures that it tells of each. */
#ifndef TESTS_CODEGEN_NVRTC_FIGURES_H
#define TESTS_CODEGEN_NVRTC_FIGURES_H

#include <stdbool.h>

typedef struct nvrtc_figures {
    char kernel[160];
    int registers; /* of a lane */
    int spilled;   /* bytes of registers that a lane stores elsewhere because it has too few */
    int stack;     /* bytes of a lane's own memory */
    int shared;    /* bytes of the group's memory */
} nvrtc_figures;

/** Whether the compiler is there. Its newest architecture goes into `newest`, "sm_120", which has room for 16 characters. */
bool nvrtc_figures_open(char *newest);
/** Compiles a text to machine code, with wadi's own options, and calls `each` for every kernel. False, with what is wrong on standard error:
 *  it does not compile, or `each` has said false. */
bool nvrtc_figures_of(const char *name, const char *text, const char *machine,
                      bool (*each)(const char *name, const nvrtc_figures *f));

#endif
