/* Words on their way from the reader to the pipeline of another class. Batches are handed over a few at a time, so that
 * neither a rare long word nor a dictionary full of them makes memory grow. One thread pushes, one pops. */
#ifndef APPS_MD5_QUEUE_H
#define APPS_MD5_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread.h"
#include "base/vec.h"

typedef struct md5_batch {
    WADI_VEC(uint8_t) bytes; /* of all words, one after another */
    WADI_VEC(size_t) length;
    size_t taken, taken_bytes; /* words and bytes that the popping thread has taken */
} md5_batch;

enum { MD5_QUEUED = 4, MD5_BATCH_BYTES = 1 << 18, MD5_BATCH_WORDS = 1 << 14 };

typedef struct md5_queue {
    wadi_mutex lock;
    wadi_condition changed;
    md5_batch *batch[MD5_QUEUED];
    int first, n;
    bool ended;      /* nothing more will be pushed */
    md5_batch *open; /* the batch being filled; belongs to the pushing thread */
} md5_queue;

WADI_NODISCARD wadi_status md5_queue_init(md5_queue *q, wadi_error *err);
void md5_queue_fini(md5_queue *q);

/* Adds a word to the open batch. A full batch is pushed, which waits while the queue is full. False: out of memory. */
bool md5_queue_add(md5_queue *q, const uint8_t *word, size_t n);
/* Pushes the open batch if it holds anything. */
void md5_queue_flush(md5_queue *q);
void md5_queue_end(md5_queue *q); /* flushes too */

/* Waits for a batch, to be freed with md5_batch_free; NULL: the queue has ended. */
md5_batch *md5_queue_pop(md5_queue *q);
bool md5_batch_is_empty(const md5_batch *b);
/* The next word of a batch; false when all are taken. */
bool md5_batch_next(md5_batch *b, const uint8_t **out_word, size_t *out_n);
void md5_batch_free(md5_batch *b);
/* From now on batches are thrown away, because the popping thread has ended. */
void md5_queue_abandon(md5_queue *q);

#endif
