/* The system's C compiler: finding it, knowing which one it is, and running it on one translation unit. */
#ifndef WADI_CODEGEN_BUILD_CC_H
#define WADI_CODEGEN_BUILD_CC_H

#include "codegen/build/target.h"

/* Finds the compiler: $WADI_CC if set (a path, or a name on the PATH), else the first of cc, gcc, clang on the PATH. target: what
 * it will compile for. Runs nothing. Errors: WADI_COMPILE, naming what was searched. Thread-safe. */
WADI_NODISCARD wadi_status wadi_cc_find(const wadi_target *target, wadi_image_builder *out,
                                        wadi_error *err);

/* Asks the compiler for the first line of its version. Errors: WADI_COMPILE if it does not run. */
WADI_NODISCARD wadi_status wadi_cc_version(const wadi_image_builder *cc, char *out, size_t room,
                                           wadi_error *err);

/* The options that kernels are compiled with, besides those of their target, ended by NULL. They are part of the cache key. fast: those
 * that give up the bits of other devices. */
const char *const *wadi_cc_flags(bool fast);

/* Those added for a text of so many kernels that compiling takes longer than running them: loops are still vectorised, with the same bits. */
const char *const *wadi_cc_brief_flags(void);

enum { WADI_CC_INPUTS = 16, WADI_CC_MORE = 4 };

/* One run of the compiler. */
typedef struct wadi_cc_call {
    const char *inputs[WADI_CC_INPUTS + 1]; /* files with C or with objects, ended by NULL */
    const char *output;                     /* the shared object, or with `part` the object */
    const char *tmpdir; /* a folder for the compiler's own files; NULL: the usual one */
    bool gently;        /* at low priority */
    bool part;          /* compiles only */
    bool brief;         /* with the brief flags */
    const char *const
        *more;  /* flags of this call alone, at most WADI_CC_MORE, ended by NULL; NULL: none */
    char *said; /* what the compiler says goes there, cut to `room` bytes; NULL: nobody asks */
    size_t room;
} wadi_cc_call;

/* Runs it. The compiler is ended when the thread's task is stopped, and after WADI_CC_TIMEOUT seconds (120 unless set; 0: never). Errors:
 * WADI_COMPILE with the compiler's first error message, WADI_CANCELLED. */
WADI_NODISCARD wadi_status wadi_cc_run(const wadi_image_builder *cc, const wadi_cc_call *call,
                                       wadi_error *err);
/* The same of one file, to a shared object. */
WADI_NODISCARD static inline wadi_status wadi_cc_compile(const wadi_image_builder *cc,
                                                         const char *source, const char *object,
                                                         const char *tmpdir, bool gently,
                                                         wadi_error *err) {
    const wadi_cc_call call = {
        .inputs = {source}, .output = object, .tmpdir = tmpdir, .gently = gently};
    return wadi_cc_run(cc, &call, err);
}

#endif
