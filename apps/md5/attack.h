/* The attack: reader -> one pipeline per class of words -> found words.
 *
 *     reader thread of the short class: reads, splits, packs short words; queues the longer ones
 *     pipeline of a class:              source -> kernel (apps/md5/hash.h) -> sink, which confirms hits
 *
 * The pipelines of longer words start with the first such word. */
#ifndef APPS_MD5_ATTACK_H
#define APPS_MD5_ATTACK_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/md5/reader.h"
#include "apps/md5/targets.h"
#include "wadi/run.h"

typedef struct md5_attack md5_attack;

/* Called when a digest has been found for the first time: one call at a time, from any thread. An error ends the attack. */
typedef wadi_status (*md5_found_fn)(void *env, const uint8_t digest[MD5_DIGEST],
                                    const uint8_t *word, size_t n, wadi_error *err);

typedef struct md5_progress {
    int64_t words; /* tried */
    double share;  /* of the dictionaries' bytes, 0..1; -1: not known */
    size_t found;  /* before and now */
    double elapsed_s;
    int64_t too_long; /* words that were skipped because they are too long; known after the end */
    int joined; /* the first dictionary that is one line with carriage returns in it; -1: none, or not known yet */
} md5_progress;

/* Begins an attack. Borrows its arguments. The attack starts at the position of `reader`. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status md5_attack_create(md5_reader *reader, md5_targets *targets,
                                             const wadi_run_options *options, md5_found_fn found,
                                             void *env, md5_attack **out, wadi_error *err);
/* Joins the threads; NULL is fine. */
void md5_attack_destroy(md5_attack *a);

WADI_NODISCARD wadi_status md5_attack_start(md5_attack *a, wadi_error *err);
/* Waits for the end, at most timeout_s seconds. True: the attack has ended. */
bool md5_attack_wait(md5_attack *a, double timeout_s);
/* Stops reading words; those in flight are tried. Any thread or signal handler may call it. */
void md5_attack_drain(md5_attack *a);
/* Stops reading words, and gives up those in flight, which count as not tried. Any thread or signal handler may call it. */
void md5_attack_cancel(md5_attack *a);
/* After the end: the error by which the attack has ended, or WADI_OK. */
WADI_NODISCARD wadi_status md5_attack_result(md5_attack *a, wadi_error *err);

void md5_attack_progress(md5_attack *a, md5_progress *out);
/* The last place before which every word has been tried, and reported if it was found. False: there is none newer than that of the last
 * call. After the end it is the place where reading stopped. */
bool md5_attack_place(md5_attack *a, md5_place *out);

#endif
