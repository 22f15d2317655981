/* Names that mean something in OpenCL C or CUDA C++, or in the texts of sched/gpu/rt, beyond the words of C. */
#include <stddef.h>
#include <string.h>

#include "codegen/emit/lanes/statement.h"

static const char *const words[] = {
    /* OpenCL C */
    "kernel", "global", "local", "constant", "private", "generic", "pipe", "uniform", "half",
    "quad", "complex", "imaginary", "uchar", "ushort", "uint", "ulong", "event_t", "sampler_t",
    "barrier", "mem_fence", "atomic_cmpxchg", "atom_cmpxchg", "atomic_add", "atom_add", "read_only",
    "write_only", "read_write", "vec_step",
    /* CUDA C++ */
    "alignas", "alignof", "and", "and_eq", "atomicAdd", "atomicCAS", "bitand", "bitor", "blockDim",
    "blockIdx", "catch", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const_cast", "consteval", "constexpr", "constinit", "decltype",
    "delete", "dynamic_cast", "explicit", "export", "final", "friend", "gridDim", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
    "override", "protected", "public", "reinterpret_cast", "requires", "static_assert",
    "static_cast", "template", "this", "thread_local", "threadIdx", "throw", "try", "typeid",
    "typename", "using", "virtual", "warpSize", "wchar_t", "xor", "xor_eq",
    /* ours */
    "call", "heap", "item_of_kernel"};

/* A name of a vector type, float4, or of an image, which have no words of their own in the list. */
static bool is_vector(const char *name) {
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int",    "uint",
                                        "long", "ulong", "half",  "float",  "double", "bool"};
    const size_t letters = strcspn(name, "0123456789");
    if (name[letters] == '\0') return false;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strlen(types[k]) == letters && strncmp(name, types[k], letters) == 0) return true;
    return strncmp(name, "image", 5) == 0;
}

bool wadi_c_lanes_is_taken(const char *name) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(name, words[k]) == 0) return true;
    return is_vector(name) || strncmp(name, "cl_", 3) == 0; /* a macro per extension */
}
