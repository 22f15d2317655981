/* What kernels say to the runtime: faults, and which element a unit of work belongs to. */
#ifndef WADI_RT_WORK_H
#define WADI_RT_WORK_H

#include <stdbool.h>
#include <stddef.h>

/* What the functions and tables of scalar.h, complex.h and graph/elementary begin with. */
#define WADI_FN static inline __attribute__((always_inline, unused))
#define WADI_LIBRARY static __attribute__((unused)) /* longer functions */
#define WADI_TABLE static const

/* Notes the fault; kernels return its result. Kept out of line: it is never reached in a run that succeeds. */
static __attribute__((noinline, cold, unused)) int
wadi_fault_at(wadi_work *w, int32_t kind, int32_t place, int64_t element, int64_t linear,
              int64_t v0, int64_t v1, int64_t v2, int64_t v3, int32_t rank, const int64_t *index) {
    w->fault.kind = kind;
    w->fault.place = place;
    w->fault.element = element;
    w->fault.linear = linear;
    w->fault.value[0] = v0;
    w->fault.value[1] = v1;
    w->fault.value[2] = v2;
    w->fault.value[3] = v3;
    w->fault.rank = rank;
    for (int32_t d = 0; d < rank; d++) w->fault.index[d] = index[d];
    return 1;
}

/* The runtime has noted that there is no memory; what it was for is said here. */
static __attribute__((noinline, cold, unused)) int wadi_no_room(wadi_work *w, int32_t place) {
    w->fault.place = place;
    return 1;
}

/* What w->emit does, for vectors: a call for each short one would take as long as the vector. One of no elements has a place in memory as well, as what has
 * none is taken to lie where elements of the expected size do. */
static inline __attribute__((unused)) int wadi_emit_vector(wadi_work *w, int32_t slot, int64_t s,
                                                           const int64_t *shape, void **col) {
    const wadi_work_near *const near = &w->near[slot];
    const int64_t n = shape[0];
    const int64_t bytes = (int64_t)(((uint64_t)n * (uint64_t)near->size + 7) & ~(uint64_t)7);
    if ((uint64_t)n >= (uint64_t)near->below || w->room_end - w->room <= bytes)
        return w->emit(w, slot, s, shape, col);
    w->slot[slot].shape[s] = n;
    w->slot[slot].offset[s + 1] = n;
    near->piece[s] = col[0] = w->room;
    w->room += bytes;
    return 1;
}

/* Where the next short vector begins, with room for so many bytes and more than none, or NULL. */
static inline __attribute__((unused)) void *wadi_near_room(wadi_work *w, int32_t place,
                                                           int64_t bytes) {
    if (w->room_end - w->room < bytes + 8 && !w->make_room(w, bytes + 8)) {
        (void)wadi_no_room(w, place);
        return NULL;
    }
    return w->room;
}

/* Scratch for an array, or NULL; a size beyond all memory is asked for as such, so that the fault is the runtime's. */
static inline __attribute__((unused)) void *
wadi_scratch_of(wadi_work *w, int32_t place, int64_t size, int rank, const int64_t *extent) {
    int64_t bytes = size;
    int beyond = 0;
    for (int d = 0; d < rank; d++) beyond |= __builtin_mul_overflow(bytes, extent[d], &bytes);
    for (int d = 0; d < rank; d++)
        if (extent[d] == 0) bytes = beyond = 0;
    void *const memory =
        w->scratch(w, beyond || bytes > INT64_MAX / 4 ? INT64_MAX / 4 : bytes + 64);
    if (!memory) (void)wadi_no_room(w, place);
    return memory;
}

/* The element s with unit[s] <= unit < unit[s + 1]. */
static inline __attribute__((unused)) int64_t wadi_segment(const wadi_work *w, int64_t unit) {
    int64_t low = 0, high = w->count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (w->unit[middle] <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The run has been cancelled. Out of line as above. */
static __attribute__((noinline, cold, unused)) int wadi_stopped(wadi_work *w) {
    return wadi_fault_at(w, WADI_FAULT_CANCELLED, -1, 0, -1, 0, 0, 0, 0, 0, 0);
}

#define WADI_LOOK \
    if (__builtin_expect(*w->stop, 0)) return wadi_stopped(w);

/* A condition that hardly ever holds: what it guards stays out of the way of the rest. */
#define WADI_SELDOM(condition) __builtin_expect((condition), 0)

/* In a loop of a few rounds: compilers neither unroll it nor copy the loops around it for the case that it is not reached. Kernels would
 * not become faster, but take a tenth longer to compile. */
#define WADI_BRIEF __asm__ volatile("");

/* The end of the strip of a loop that begins at `from`. */
#define WADI_STRIP(from, length, below) ((below) - (from) > (length) ? (from) + (length) : (below))

/* The constant that begins at word `at` of the table of a kernel that shares its function. A word has the alignment of the table. */
typedef double wadi_real_double __attribute__((aligned(4), may_alias));
typedef float wadi_real_float __attribute__((aligned(4), may_alias));
#define WADI_REAL(type, at) (*(const wadi_real_##type *)(of + (at)))

/* A kernel that passes a table of its own to the function `model`. A compiler takes ten times as long for this in C as its assembler does.
 * The bytes in front are endbr64: a place to which an indirect call may lead. */
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)
#define WADI_TWIN(name, model, ...)                                                          \
    __asm__(".pushsection .rodata\n.p2align 2\n.L" #name "_of: .long " #__VA_ARGS__          \
            "\n.popsection\n.pushsection .text\n.hidden " #model "\n.globl " #name           \
            "\n.type " #name ", @function\n" #name                                           \
            ": .byte 0xf3, 0x0f, 0x1e, 0xfa\n leaq .L" #name "_of(%rip), %rcx\n jmp " #model \
            "\n.size " #name ", .-" #name "\n.popsection\n");
#else
#define WADI_TWIN(name, model, ...)                                                           \
    __attribute__((visibility("hidden"))) int model(wadi_work *w, int64_t begin, int64_t end, \
                                                    const int32_t *of);                       \
    int name(wadi_work *w, int64_t begin, int64_t end) {                                      \
        static const int32_t of[] = {__VA_ARGS__};                                            \
        return model(w, begin, end, of);                                                      \
    }
#endif

/* A bool in memory as the number that it is. gcc makes a mask of a bool and a number of the mask; a byte it only widens. */
#define WADI_BYTE(stored) (*(const uint8_t *)&(stored))

/* A loop nest of a kernel: not inlined again, since small functions are what compilers vectorise. */
#define WADI_NEST static __attribute__((noinline, unused))

#if defined(__clang__)
#define WADI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define WADI_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define WADI_INDEPENDENT _Pragma("GCC ivdep")
#define WADI_UNROLLED _Pragma("GCC unroll 16")
#endif

#endif
