/* Bundles: files with kernels that were made ahead of time, so that programs start without a compiler.
 *
 * A bundle is an index and things. A thing is an image of kernels, as a device loads it (sched/image.h), or whatever else its maker has
 * stored. It is found by a key, a digest of all that it was made from. The index has the digests of the things, and a digest of its
 * own, and the stamp of the wadi that has made the bundle: another wadi does not use it. So a thing that is found is the right one and
 * whole, and everything else is as if it were not there. Who can write a bundle decides what is run, as with a library; so one that
 * everybody can write to is refused.
 *
 * The file, all numbers little-endian:
 *
 *     magic[8]  bytes of the file u64  things u64  stamp[64]  digest[32]     digest: BLAKE2b of the header, this field zero, and the index
 *     index, sorted by key: key[32]  digest[32]  begin u64  size u64  target[24]  label[96]
 *     things */
#ifndef WADI_CODEGEN_BUILD_BUNDLE_H
#define WADI_CODEGEN_BUILD_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

enum { WADI_BUNDLE_DIGEST = 32, WADI_BUNDLE_TARGET = 24, WADI_BUNDLE_LABEL = 96 };

/* What a bundle has of one thing. */
typedef struct wadi_bundle_entry {
    uint8_t key[WADI_BUNDLE_DIGEST], digest[WADI_BUNDLE_DIGEST];
    uint64_t begin, size;            /* bytes in the file */
    char target[WADI_BUNDLE_TARGET]; /* "x86-64-v3"; "": for any */
    char label[WADI_BUNDLE_LABEL];   /* whose kernels: "flac: stage 1, schedule inside" */
} wadi_bundle_entry;

typedef struct wadi_bundle wadi_bundle;

/* ---- reading: any thread ---- */

/* Reads the index of the file. The caller closes *out. Errors: WADI_IO, WADI_INVALID (it is no bundle, damaged, of another wadi, or
 * everybody can write to it), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_bundle_open(const char *path, wadi_bundle **out, wadi_error *err);
/* NULL is fine. */
void wadi_bundle_close(wadi_bundle *b);
const char *wadi_bundle_path(const wadi_bundle *b);
size_t wadi_bundle_count(const wadi_bundle *b);
/* The i-th in the order of keys; borrowed. */
const wadi_bundle_entry *wadi_bundle_at(const wadi_bundle *b, size_t i);
/* NULL: it is not there. */
const wadi_bundle_entry *wadi_bundle_find(const wadi_bundle *b,
                                          const uint8_t key[WADI_BUNDLE_DIGEST]);
/* The bytes of the thing; the caller frees *out. Errors: WADI_IO, WADI_INVALID (damaged), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_bundle_read(const wadi_bundle *b, const wadi_bundle_entry *e,
                                            char **out, wadi_error *err);

/* ---- writing: one thread at a time (bundle_write.c) ---- */

typedef struct wadi_bundle_writer wadi_bundle_writer;

/* What is written into `path`. If a bundle of this wadi is there, it stays, with what is added. The caller destroys *out. stamp: NULL, or
 * another stamp than this wadi's (tests). Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_bundle_writer_create(const char *path, const char *stamp,
                                                     wadi_bundle_writer **out, wadi_error *err);
bool wadi_bundle_writer_has(const wadi_bundle_writer *w, const uint8_t key[WADI_BUNDLE_DIGEST]);
/* Adds the n bytes, which are copied, under e->key; only key, target and label of `e` are read. One that is there is replaced. Errors:
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_bundle_writer_add(wadi_bundle_writer *w, const wadi_bundle_entry *e,
                                                  const char *bytes, size_t n, wadi_error *err);
/* Writes the file, all or nothing. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_bundle_writer_write(wadi_bundle_writer *w, wadi_error *err);
/* NULL is fine. */
void wadi_bundle_writer_destroy(wadi_bundle_writer *w);

/* ---- the file's own sizes, for both ---- */

enum { WADI_BUNDLE_STAMP = 64, WADI_BUNDLE_HEADER = 8 + 8 + 8 + WADI_BUNDLE_STAMP + 32 };
enum { WADI_BUNDLE_ROW = 32 + 32 + 8 + 8 + WADI_BUNDLE_TARGET + WADI_BUNDLE_LABEL };
#define WADI_BUNDLE_MAGIC "wadibnd1"
/* The stamp of this wadi: of all sources that decide what kernels are made. */
const char *wadi_bundle_stamp(void);
/* The digest in a header, over its n bytes with the index behind it. */
WADI_NODISCARD wadi_status wadi_bundle_seal(char *header, size_t n, uint8_t out[32]);

#endif
