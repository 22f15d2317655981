/* What the system says of this processor. */
#ifndef WADI_CODEGEN_BUILD_PROCESSOR_H
#define WADI_CODEGEN_BUILD_PROCESSOR_H

/* The lines of /proc/cpuinfo about the first processor; "": the system does not say. Read once; any thread. */
const char *wadi_processor_about(void);

#endif
