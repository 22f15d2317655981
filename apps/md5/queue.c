/* The queue of batches, with its limit. */
#include "apps/md5/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/task.h"

wadi_status md5_queue_init(md5_queue *q, wadi_error *err) {
    memset(q, 0, sizeof *q);
    return wadi_mutex_init_with(&q->lock, &q->changed, err);
}

void md5_batch_free(md5_batch *b) {
    if (b == NULL) return;
    wadi_vec_free(&b->bytes);
    wadi_vec_free(&b->length);
    free(b);
}

static md5_batch *take_first(md5_queue *q) {
    md5_batch *b = q->batch[q->first];
    q->first = (q->first + 1) % MD5_QUEUED;
    q->n--;
    return b;
}

void md5_queue_fini(md5_queue *q) {
    while (q->n > 0) md5_batch_free(take_first(q));
    md5_batch_free(q->open);
    wadi_mutex_fini_with(&q->lock, &q->changed);
}

/* ---- pushing ---- */

static bool append(md5_batch *b, const uint8_t *word, size_t n) {
    if (!wadi_vec_push(&b->length, n) || !wadi_vec_reserve(&b->bytes, b->bytes.n + n + 1))
        return false;
    if (n > 0) memcpy(b->bytes.at + b->bytes.n, word, n);
    b->bytes.n += n;
    return true;
}

bool md5_queue_add(md5_queue *q, const uint8_t *word, size_t n) {
    if (q->open == NULL) q->open = calloc(1, sizeof *q->open);
    if (q->open == NULL || !append(q->open, word, n)) return false;
    if (q->open->bytes.n >= MD5_BATCH_BYTES || q->open->length.n >= MD5_BATCH_WORDS)
        md5_queue_flush(q);
    return true;
}

void md5_queue_flush(md5_queue *q) {
    if (q->open == NULL) return;
    wadi_mutex_lock(&q->lock);
    const bool full = q->n == MD5_QUEUED && !q->ended;
    const int ticket = full ? wadi_task_wait("room for longer words", -1, NULL) : -1;
    while (q->n == MD5_QUEUED && !q->ended) wadi_condition_wait(&q->changed, &q->lock);
    if (full) wadi_task_go_on(ticket);
    if (q->ended) {
        md5_batch_free(q->open);
    } else {
        q->batch[(q->first + q->n++) % MD5_QUEUED] = q->open;
        wadi_condition_signal(&q->changed);
    }
    q->open = NULL;
    wadi_mutex_unlock(&q->lock);
}

void md5_queue_end(md5_queue *q) {
    md5_queue_flush(q);
    wadi_mutex_lock(&q->lock);
    q->ended = true;
    wadi_condition_broadcast(&q->changed);
    wadi_mutex_unlock(&q->lock);
}

/* ---- popping ---- */

md5_batch *md5_queue_pop(md5_queue *q) {
    wadi_mutex_lock(&q->lock);
    const bool empty = q->n == 0 && !q->ended; /* there may be no such words for hours */
    const int ticket = empty ? wadi_task_idle("longer words", -1, NULL) : -1;
    while (q->n == 0 && !q->ended) wadi_condition_wait(&q->changed, &q->lock);
    if (empty) wadi_task_go_on(ticket);
    md5_batch *b = q->n > 0 ? take_first(q) : NULL;
    wadi_condition_signal(&q->changed);
    wadi_mutex_unlock(&q->lock);
    return b;
}

bool md5_batch_is_empty(const md5_batch *b) {
    return b->taken == b->length.n;
}

bool md5_batch_next(md5_batch *b, const uint8_t **out_word, size_t *out_n) {
    if (md5_batch_is_empty(b)) return false;
    *out_word = b->bytes.at + b->taken_bytes;
    *out_n = b->length.at[b->taken++];
    b->taken_bytes += *out_n;
    return true;
}

void md5_queue_abandon(md5_queue *q) {
    wadi_mutex_lock(&q->lock);
    q->ended = true;
    while (q->n > 0) md5_batch_free(take_first(q));
    wadi_condition_broadcast(&q->changed);
    wadi_mutex_unlock(&q->lock);
}
