/* Names that no value of a kernel may have, whatever the language of the kernel. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_WORDS_H
#define WADI_CODEGEN_EMIT_C_LIKE_WORDS_H

#include <stdbool.h>

/** Whether the name means something in C, in the headers that stand in front of kernels, or in kernels themselves. */
bool wadi_c_is_word(const char *name);

#endif
