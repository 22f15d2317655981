/* Targets: what kernels can be made for. All give the same bits: nothing is contracted or reassociated.
 *
 * A target is a language that kernels are written in, and which machine its text is built for. What the language's functions make is an
 * image, bytes that the cache keeps (codegen/build/cache.h) and a device loads. The table is codegen/targets.c. */
#ifndef WADI_CODEGEN_BUILD_TARGET_H
#define WADI_CODEGEN_BUILD_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dl.h"
#include "base/text.h"
#include "wadi/status.h"

struct wadi_lmodule;

typedef struct wadi_target {
    const char *name;
    const struct wadi_language *language;
    const char *flag;  /* what says it to the builder */
    const char *needs; /* words of the processor's flags, separated by blanks; NULL: nothing */
    const char *about; /* one line */
    bool own;          /* whatever machine this is: an image made here may not run elsewhere */
} wadi_target;

/* What builds images for a target: a program of the system. */
typedef struct wadi_image_builder {
    char path[512]; /* the program, absolute */
    char stamp[64]; /* its size and time of change: another builder, another stamp */
    char cpu
        [65]; /* hex digest of what the processor says it can do, if the target is the machine's own; else "" */
    const wadi_target *target;
} wadi_image_builder;

/* What a builder made; `bytes` is the holder's to free(). */
typedef struct wadi_image {
    char *bytes;
    size_t n;
} wadi_image;

typedef struct wadi_language {
    const char *name;
    /* Appends the text of a module. *out_kernels: where in `out` the kernels begin, behind what is pasted in front of them. */
    wadi_status (*emit)(const struct wadi_lmodule *m, wadi_text *out, size_t *out_kernels,
                        wadi_error *err);
    /* Finds what builds images for the target. Runs nothing. */
    wadi_status (*find)(const wadi_target *target, wadi_image_builder *out, wadi_error *err);
    /* Appends all that decides the image beside the text: the cache's key is made of both. */
    void (*identify)(const wadi_image_builder *b, wadi_text *out);
    /* Builds the text into an image that says of itself that it is `key`. folder: private, for files on the way. gently: with
     * little time of a busy processor. */
    wadi_status (*build)(const wadi_image_builder *b, const char *source, const char *key,
                         const char *folder, bool gently, wadi_image *out, wadi_error *err);
    /* Whether a loaded image says that it is `key`. */
    bool (*is)(const wadi_dl *module, const char *key);
} wadi_language;

#endif
