/* What the compiler decides for one program, as texts: the program after all passes, how values are stored, what was fused and what
 * was not, the plan with the steps of every version, and the C text of its kernels. None of it depends on the machine: no compiler
 * is called and no target is chosen. Of the text that is pasted in front of kernels, only the names of its functions are kept. */
#ifndef TESTS_CODEGEN_RECORDER_H
#define TESTS_CODEGEN_RECORDER_H

#include "base/text.h"
#include "base/vec.h"
#include "codegen/pipeline.h"
#include "codegen/plan/plan.h"

/** How a program is compiled. */
typedef struct record_options {
    const char *disable; /* a pass, or NULL */
    bool unchecked;
    bool steady;
    bool alone; /* no library has a routine */
} record_options;

/** A text of a recording; `name` says what of the program it is: "decisions", "lines inside" (body and schedule). */
typedef struct record_part {
    char *name, *text;
} record_part;

typedef struct recording {
    WADI_VEC(record_part) part;
    wadi_text
        passes; /* a line for each pass: its name, the length and the digest of the program behind it */
} recording;

/** Compiles `owned_m` and fills `out`; the caller gives it back. A program that is refused has one part, "refused", with the message. */
void record_module(wadi_module *owned_m, const record_options *options, recording *out);
/** The same of a text; lines of it are called `file`:LINE. */
void record_program(const char *text, const char *file, const record_options *options,
                    recording *out);
void recording_free(recording *r);
/** Length and digest of a text, between tabs, and the line's end. */
void record_digest(const char *text, wadi_text *out);

/** Takes out of `r` the texts that `plain` has too, those of passes among them. */
void record_keep_others(const recording *plain, recording *r);
/** Appends a part's text; where its kernels take more than `most` characters, each is its name, length and digest. */
void record_shorten(const char *text, size_t most, wadi_text *out);

/* ---- comparing with what is recorded (record_check.c) ---- */

/** Compares `text` with the file `path` below the source tree, or records it anew when WADI_RECORD is 1. Where it differs, it goes to
 *  recorded/ in the build folder, `whole`, which is at greater length, beside it, and the test fails with the difference and what
 *  to do about it. */
void record_check(const char *path, const char *text, const char *whole);

/** Texts of which digests alone are kept in the source tree. */
typedef struct record_set {
    WADI_VEC(record_part) part;
} record_set;

/** Moves the texts of `r` into the set; `program` and `variant` are the first two words of their names. Digests of the program behind
 *  each pass come along. */
void record_set_take(record_set *s, const char *program, const char *variant, recording *r);
/** Compares as above, line by line; the first line of the file tells how it is made. The new texts of what differs go to recorded/. */
void record_set_check(const record_set *s, const char *path, const char *first_line);
void record_set_free(record_set *s);

#endif
