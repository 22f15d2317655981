/* Targets: what kernels can be made for. Results have the same bits for all: nothing is contracted or reassociated, unless fast math is
 * asked for.
 *
 * A target is a language of kernels and the kind of machine that the text is compiled for. The functions of the language make an
 * image: bytes that the cache keeps (codegen/build/cache.h) and a device loads (sched/image.h). The table is codegen/targets.c. */
#ifndef WADI_CODEGEN_BUILD_TARGET_H
#define WADI_CODEGEN_BUILD_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "sched/image.h"
#include "wadi/status.h"

struct wadi_lmodule;

typedef struct wadi_target {
    const char *name;
    const struct wadi_language *language;
    const char *flag;  /* the builder's option that selects it */
    const char *needs; /* flags that the processor must have, separated by blanks; NULL: none */
    const char *about; /* one line */
    const char
        *cross; /* of another kind of machine than this: the compiler for it; NULL: of this kind */
    bool of_machine; /* an image is for one machine (wadi_image_ops) */
    bool own;        /* compiles for the present machine: an image may not run on others */
} wadi_target;

/* The program, or the library, of the system that builds images for a target. */
typedef struct wadi_image_builder {
    char path[512]; /* absolute */
    char stamp[64]; /* its size and time of change: another builder, another stamp */
    char cpu
        [65]; /* hex digest of the processor's features, if the target is the present machine; else "" */
    const wadi_target *target;
    const char *machine; /* that the image is for (wadi_image_ops); NULL: the target says enough */
    bool fast;           /* fast math: its images need not have the bits of others */
    bool
        patient; /* no run waits for it: unless WADI_CC_TIMEOUT says so, it may take as long as it wants */
} wadi_image_builder;

typedef struct wadi_language {
    const char *name;
    /* Appends the text of a module. *out_kernels: where in `out` the kernels begin, after the pasted prelude. */
    wadi_status (*emit)(const struct wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                        wadi_error *err);
    /* Finds what builds images for the target; the cache adds the machine and `fast`. Runs no program. */
    wadi_status (*find)(const wadi_target *target, wadi_image_builder *out, wadi_error *err);
    /* Appends everything besides the text and the machine that decides the image. The cache's key is made from all of them. */
    void (*identify)(const wadi_image_builder *b, wadi_text *out);
    /* Builds the text into an image in memory that contains `key` (sched/image.h). The caller frees its bytes with free(). folder: a
     * private folder for intermediate files. gently: at low priority. */
    wadi_status (*build)(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err);
    /* Appends which loops of the text use vectors, as text for people; NULL: the builder does not tell. */
    wadi_status (*vectors)(const wadi_image_builder *b, const char *source, wadi_text *out,
                           wadi_error *err);
    bool
        by_program; /* what builds is a program of its own: it runs beside others, and can be ended */
    bool tiles; /* its machines have registers and caches for tiles of results (kernel/pairs.h) */
    const char *gives_up; /* what fast math changes; several lines, without the last one's end */
} wadi_language;

#endif
