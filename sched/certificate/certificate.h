/* A certificate tells what a run was of, and what came of it: digests that the same program computes again from the same inputs.
 *
 *     wadi certificate 2            version 1 has the digests of its elements in one lane (tally.h)
 *     version 0.9.0
 *     program energies 5f2a..       digest of what wadi has read the program as, with the lines of its file
 *     arithmetic exact              or fast; a line with what is done with elements that fail, if not the default
 *     device cpu
 *     note prog.wadi                words of whoever runs it: `wadi run` notes its arguments
 *     kernel body0 inside c native 91c0..
 *     worker 3000 0.9.0 cpu%20EPYC 0.2   elements that workers elsewhere of this version and device have computed for the stages that begin with 0.2; then, behind the last such line, their kernels
 *     kernel body0 inside c native 3a07..
 *     input n 77d1..
 *     source in 5000 raw            elements that were read, and the kind of the source; then its blocks (tally.h)
 *     block 2048 0b7e..             elements and their digest
 *     sink out 5000 raw
 *     block 2048 c19f..
 *     sink some 5000 raw unordered  a sink that takes elements in any order has one block, whose digest does not depend on it
 *     block 5000 77ab..
 *     result e 3d11..
 *     end 88aa..                    digest of all lines before
 *
 * One fact a line, words separated by one space. Digests are BLAKE2b-256 in hexadecimal digits; tally.h and base/hash.h tell of which bytes. An input or a result has
 * the digest of a block with one element. A byte of a name that is no letter, digit or one
 * of ._-/:=,@+ stands as %XX. */
#ifndef WADI_SCHED_CERTIFICATE_CERTIFICATE_H
#define WADI_SCHED_CERTIFICATE_CERTIFICATE_H

#include "base/text.h"
#include "sched/certificate/tally.h"

/* ---- writing ---- */

enum { WADI_CERTIFICATE_VERSION = 2 /* and 1 can be read */ };
void wadi_certificate_begin(wadi_text *out, int version);
/* Append a name, a digest, and the lines of blocks; other words are appended as they are. */
void wadi_certificate_name(wadi_text *out, const char *name);
void wadi_certificate_digest(wadi_text *out, const uint8_t digest[WADI_TALLY_DIGEST]);
/* Appends a line: the word, the name, the digest. */
void wadi_certificate_fact(wadi_text *out, const char *word, const char *name,
                           const uint8_t digest[WADI_TALLY_DIGEST]);
/* Whether the n bytes are a line "kernel .." of names and digests. */
bool wadi_certificate_is_kernel(const char *line, size_t n);
void wadi_certificate_blocks(wadi_text *out, const wadi_tally_list *blocks);
/* The last line. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certificate_end(wadi_text *out, wadi_error *err);

/* ---- reading ---- */

typedef struct wadi_certificate {
    char *path; /* for messages */
    int version;
    char *text; /* each line ends with a zero */
    const char **line;
    int n;
} wadi_certificate;

/* Errors: WADI_IO, WADI_INVALID (no certificate, or not as it was written; names the line), WADI_UNSUPPORTED (of a later version), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certificate_read(const char *path, wadi_certificate *out,
                                                 wadi_error *err);
void wadi_certificate_fini(wadi_certificate *c);
/* What follows `what` and the name ("" for none) in the first such line from number *at on; *at becomes the next line's number. NULL: there is none. */
const char *wadi_certificate_find(const wadi_certificate *c, const char *what, const char *name,
                                  int *at);
/* The blocks of a stream: `at` and `words` are what wadi_certificate_find gave for its line. Errors: WADI_INVALID (also blocks of other elements than that line tells), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certificate_take_blocks(const wadi_certificate *c, int at,
                                                        const char *words, wadi_tally_list *out,
                                                        wadi_error *err);
/* The notes, ended by NULL, for the caller to free with wadi_certificate_notes_free. Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certificate_notes(const wadi_certificate *c, char ***out,
                                                  int *out_n, wadi_error *err);
void wadi_certificate_notes_free(char **notes);

#endif
