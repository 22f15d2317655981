/* Names that no value of a kernel may have: the words of C and of GNU C, types and functions that kernels use, and macros. A macro of a
 * header or compiler has no small letter (INT64_MIN), or begins with an underscore, or stands in the list. */
#include "codegen/emit/c_like/words.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
    "auto",   "break",    "case",     "char",      "const",    "continue", "default",  "do",
    "double", "else",     "enum",     "extern",    "float",    "for",      "goto",     "if",
    "inline", "int",      "long",     "register",  "restrict", "return",   "short",    "signed",
    "sizeof", "static",   "struct",   "switch",    "typedef",  "union",    "unsigned", "void",
    "while",  "volatile", "bool",     "true",      "false",    "asm",      "typeof",   "w",
    "slot",   "begin",    "end",      "memcpy",    "linux",    "unix",     "i386",     "exp",
    "log",    "sin",      "cos",      "y0",        "y1",       "yn",       "j0",       "j1",
    "jn",     "int8_t",   "int16_t",  "int32_t",   "int64_t",  "uint8_t",  "uint16_t", "uint32_t",
    "size_t", "uint64_t", "intptr_t", "ptrdiff_t", "of",       "uintptr_t"};

/* Names that kernels make of others: the bounds of strips, what a call passes, functions of kernels and of their nests. */
static const char *const made[] = {"wadi_", "WADI_",  "columns_", "shape_", "call_",
                                   "from_", "below_", "arrays_",  "stream_"};

static bool is_macro(const char *name) {
    return name[0] == '_' || (name[0] != '\0' && name[1] != '\0' &&
                              strpbrk(name, "abcdefghijklmnopqrstuvwxyz") == NULL);
}

static bool begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

bool wadi_c_is_word(const char *name) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0) return true;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (begins(name, made[i])) return true;
    return is_macro(name);
}
