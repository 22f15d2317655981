/* Words pass through a queue unchanged and in order, however many batches they fill, and neither side waits for one that has
 * ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "apps/md5/queue.h"
#include "base/error.h"
#include "base/task.h"

enum { PATIENCE_S = 600, WORDS = 3 * MD5_BATCH_WORDS + 5, LONG_WORD = MD5_BATCH_BYTES / 3 };

static uint8_t letters[LONG_WORD];

/* Of no letter, of one, of few, and now and then of very many. */
static size_t length_of(int i) {
    return i % 5000 == 4999 ? LONG_WORD : (size_t)(i % 4);
}

static const uint8_t *word_of(int i) {
    return letters + i % 7 * (length_of(i) < LONG_WORD);
}

static void push_all(void *env) {
    md5_queue *q = env;
    for (int i = 0; i < WORDS; i++)
        if (!md5_queue_add(q, word_of(i), length_of(i))) abort();
    md5_queue_end(q);
}

static void words_come_out_as_they_went_in(void **state) {
    WADI_UNUSED(state);
    md5_queue q;
    wadi_thread pusher = {0};
    int i = 0;
    assert_int_equal(md5_queue_init(&q, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&pusher, push_all, &q, NULL), WADI_OK);
    for (md5_batch *b = md5_queue_pop(&q); b != NULL; b = md5_queue_pop(&q)) {
        const uint8_t *word;
        size_t n;
        assert_false(md5_batch_is_empty(b));
        assert_true(b->length.n <= MD5_BATCH_WORDS);
        assert_true(b->bytes.n < MD5_BATCH_BYTES + LONG_WORD);
        for (; md5_batch_next(b, &word, &n); i++) {
            assert_int_equal(n, length_of(i));
            if (n > 0) assert_memory_equal(word, word_of(i), n);
        }
        assert_true(md5_batch_is_empty(b));
        md5_batch_free(b);
    }
    assert_int_equal(i, WORDS);
    assert_null(md5_queue_pop(&q)); /* and stays ended */
    wadi_thread_join(&pusher);
    md5_queue_fini(&q);
}

static void what_was_flushed_is_there(void **state) {
    WADI_UNUSED(state);
    md5_queue q;
    const uint8_t *word;
    size_t n;
    assert_int_equal(md5_queue_init(&q, NULL), WADI_OK);
    md5_queue_flush(&q); /* nothing is no batch */
    assert_int_equal(q.n, 0);
    assert_true(md5_queue_add(&q, letters, 1));
    assert_int_equal(q.n, 0);
    md5_queue_flush(&q);
    md5_batch *b = md5_queue_pop(&q);
    assert_true(md5_batch_next(b, &word, &n));
    assert_int_equal(n, 1);
    assert_int_equal(word[0], letters[0]);
    assert_false(md5_batch_next(b, &word, &n));
    md5_batch_free(b);
    assert_true(md5_queue_add(&q, letters, 2)); /* left open: freed with the queue */
    md5_queue_fini(&q);
}

typedef struct pushing {
    md5_queue *queue;
    wadi_waits *waits;
} pushing;

static void push_one_by_one(void *env) {
    const pushing *p = env;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "pusher", .waits = p->waits});
    for (size_t i = 0; i < 3 * MD5_QUEUED; i++) {
        if (!md5_queue_add(p->queue, letters + i, 1)) abort();
        md5_queue_flush(p->queue);
    }
    wadi_task_end(before);
}

static void pop_in_turn(void *env) {
    const pushing *p = env;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "popper", .waits = p->waits});
    md5_batch *b = md5_queue_pop(p->queue);
    if (b == NULL || md5_queue_pop(p->queue) != NULL) abort();
    md5_batch_free(b);
    wadi_task_end(before);
}

static void wait_until_told(wadi_waits *w, const char *who, const char *what) {
    for (bool told = false; !told;) {
        wadi_text t = {0};
        wadi_waits_print(w, &t);
        told = strstr(wadi_text_str(&t), who) != NULL && strstr(wadi_text_str(&t), what) != NULL;
        wadi_text_fini(&t);
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* Whoever pushes waits while the queue is full and goes on when it is not; whoever pops waits for the next, and for the end. */
static void each_side_waits_for_the_other(void **state) {
    WADI_UNUSED(state);
    md5_queue q;
    pushing p = {.queue = &q};
    wadi_thread other = {0};
    assert_int_equal(md5_queue_init(&q, NULL), WADI_OK);
    assert_int_equal(wadi_waits_create(INT64_C(1) << 60, &p.waits, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&other, push_one_by_one, &p, NULL), WADI_OK);
    for (size_t i = 0; i < 3 * MD5_QUEUED; i++) {
        const uint8_t *word;
        size_t n;
        if (i < 2 * MD5_QUEUED)
            wait_until_told(p.waits, "pusher waits", "for room for longer words");
        md5_batch *b = md5_queue_pop(&q);
        assert_true(md5_batch_next(b, &word, &n));
        assert_true(n == 1 && word[0] == letters[i]);
        md5_batch_free(b);
    }
    wadi_thread_join(&other);
    assert_int_equal(wadi_thread_start(&other, pop_in_turn, &p, NULL), WADI_OK);
    wait_until_told(p.waits, "popper waits", "for longer words");
    assert_true(md5_queue_add(&q, letters, 1));
    md5_queue_flush(&q);
    wait_until_told(p.waits, "popper waits", "for longer words");
    md5_queue_end(&q);
    wadi_thread_join(&other);
    wadi_waits_destroy(p.waits);
    md5_queue_fini(&q);
}

/* More than the queue holds: whoever pushes would wait for ever. */
static void nobody_waits_for_one_who_is_gone(void **state) {
    WADI_UNUSED(state);
    md5_queue q;
    assert_int_equal(md5_queue_init(&q, NULL), WADI_OK);
    assert_true(md5_queue_add(&q, letters, 1));
    md5_queue_flush(&q);
    md5_queue_abandon(&q);
    for (int i = 0; i < 4 * MD5_QUEUED; i++) assert_true(md5_queue_add(&q, letters, LONG_WORD));
    md5_queue_end(&q);
    assert_null(md5_queue_pop(&q));
    md5_queue_fini(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_out_as_they_went_in),
        cmocka_unit_test(what_was_flushed_is_there),
        cmocka_unit_test(each_side_waits_for_the_other),
        cmocka_unit_test(nobody_waits_for_one_who_is_gone),
    };
    alarm(PATIENCE_S);
    for (size_t i = 0; i < sizeof letters; i++) letters[i] = (uint8_t)(i * 37 + i / 256);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
