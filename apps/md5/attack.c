/* Running the reader and the pipelines, and ending them together. */
#include "apps/md5/attack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "apps/md5/blocks.h"
#include "apps/md5/hash.h"
#include "apps/md5/marks.h"
#include "apps/md5/queue.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/task.h"
#include "base/thread.h"

/* The place is noted at least this often, because a buffer of words may last long. */
static const int64_t mark_every_ns = 10000000;

typedef struct pipe {
    md5_attack *attack;
    md5_class class;
    wadi_program *program;
    wadi_exe *exe;
    wadi_run *run;
    wadi_source *source;
    wadi_sink *sink;
    wadi_thread thread;
    bool started;
    md5_queue queue; /* not of the short class */
    md5_batch *batch;
    _Atomic int64_t tried;
    int64_t given; /* by the reader */
    uint8_t *word; /* room for the bytes of a hit, if it is long */
    size_t word_cap;
} pipe;

struct md5_attack {
    md5_reader *reader;
    md5_targets *targets;
    wadi_run_options options;
    md5_found_fn found;
    void *env;
    pipe pipes[MD5_CLASSES];
    wadi_stop end;   /* stops the runs */
    wadi_stop stop;  /* when it is called, no more words are wanted */
    atomic_bool cut; /* words in flight were given up */
    wadi_mutex lock; /* guards the rest */
    wadi_condition changed;
    int running;
    wadi_error error;
    md5_marks marks;
    int64_t marked_ns; /* the reader's */
    int64_t started_ns;
};

static void note_error(md5_attack *a, const wadi_error *err) {
    wadi_mutex_lock(&a->lock);
    if (a->error.status == WADI_OK) a->error = *err;
    wadi_mutex_unlock(&a->lock);
    wadi_stop_call(&a->stop);
}

/* ---- sinks: hits are confirmed ---- */

static wadi_status confirm(md5_attack *a, const uint8_t *word, size_t n, wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    md5_digest_of(word, n, digest);
    const int64_t i = md5_targets_find(a->targets, digest);
    wadi_status told = WADI_OK;
    if (i < 0) return WADI_OK;
    wadi_mutex_lock(&a->lock);
    if (!a->targets->found[i]) {
        a->targets->found[i] = true;
        if (++a->targets->nfound == a->targets->n) wadi_stop_call(&a->stop);
        told = a->found(a->env, digest, word, n, err);
    }
    wadi_mutex_unlock(&a->lock);
    return told;
}

/* Confirms a hit. The message words of the record, side by side, are the bytes of the word. */
static wadi_status confirm_record(pipe *p, const wadi_array *record, int64_t i, wadi_error *err) {
    uint32_t m[MD5_MEDIUM_WORDS];
    const int words = md5_class_words(p->class);
    for (int k = 0; k < words; k++) m[k] = ((const uint32_t *)record->column[k])[i];
    const uint32_t bits = ((const uint32_t *)record->column[words])[i];
    return confirm(p->attack, (const uint8_t *)m, bits / 8, err);
}

static wadi_status take_tried(void *env, int64_t first, int64_t count, int parts,
                              const wadi_array *columns, wadi_error *err) {
    pipe *p = env;
    const uint8_t *hit = columns[parts - 1].column[0], *end = hit + count, *at = hit;
    WADI_UNUSED(first);
    while ((at = memchr(at, 1, (size_t)(end - at))) != NULL)
        WADI_TRY(confirm_record(p, &columns[0], at++ - hit, err));
    atomic_fetch_add(&p->tried, count);
    return WADI_OK;
}

static wadi_status take_long(void *env, int64_t index, int parts, const wadi_array *element,
                             wadi_error *err) {
    pipe *p = env;
    const uint32_t *blocks = element[0].column[0];
    uint64_t bits;
    WADI_UNUSED(index);
    atomic_fetch_add(&p->tried, 1);
    if (!*(const uint8_t *)element[parts - 1].column[0]) return WADI_OK;
    memcpy(&bits, blocks + 16 * element[0].shape[0] - 2, sizeof bits);
    return confirm(p->attack, (const uint8_t *)blocks, (size_t)(bits / 8), err);
}

/* ---- the source of short words reads for all ---- */

static wadi_status start_pipe(pipe *p, wadi_error *err);

static wadi_status give_longer(md5_attack *a, md5_class class, const uint8_t *word, size_t n,
                               wadi_error *err) {
    pipe *p = &a->pipes[class];
    if (!p->started) WADI_TRY(start_pipe(p, err));
    p->given++;
    if (md5_queue_add(&p->queue, word, n)) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "queueing words: out of memory");
}

/* Takes a word that the fast packer has left: it is of another class, or written as $HEX[...]. */
static wadi_status give_next(md5_attack *a, uint32_t *const *column, int64_t *n, wadi_error *err) {
    size_t length = 0;
    const uint8_t *word = md5_reader_next(a->reader, &length);
    if (length > MD5_MEDIUM_BYTES) return give_longer(a, MD5_LONG, word, length, err);
    if (length > MD5_SHORT_BYTES) return give_longer(a, MD5_MEDIUM, word, length, err);
    uint32_t *m[MD5_MEDIUM_WORDS + 1], none[MD5_MEDIUM_WORDS];
    for (int k = 0; k <= MD5_MEDIUM_WORDS; k++)
        m[k] = k < MD5_SHORT_WORDS ? column[k] + *n : &none[k - 1];
    m[MD5_MEDIUM_WORDS] = column[MD5_SHORT_WORDS] + *n;
    md5_pack_medium(word, length, m, 0);
    ++*n;
    return WADI_OK;
}

/* Notes how far the reader is; see md5_attack_place. */
static void set_mark(md5_attack *a, int64_t in_chunk) {
    md5_mark mark = {.place = md5_reader_place(a->reader)};
    for (int c = 0; c < MD5_CLASSES; c++) mark.given[c] = a->pipes[c].given;
    mark.given[MD5_SHORT] += in_chunk;
    wadi_mutex_lock(&a->lock);
    md5_marks_add(&a->marks, &mark);
    wadi_mutex_unlock(&a->lock);
    a->marked_ns = wadi_clock_ns();
}

/* Reads more words. The reader may wait here for long, so before that the words it has read are passed on, and the place is noted. */
static wadi_status refill(md5_attack *a, int64_t in_chunk, bool *out_done, wadi_error *err) {
    set_mark(a, in_chunk);
    for (int c = MD5_MEDIUM; c < MD5_CLASSES; c++)
        if (a->pipes[c].started) md5_queue_flush(&a->pipes[c].queue);
    const wadi_task before = *wadi_task_now();
    (void)wadi_task_begin((wadi_task){before.name, &a->stop, before.waits});
    wadi_status status = md5_reader_refill(a->reader, out_done, err);
    wadi_task_end(before);
    if (status == WADI_CANCELLED && wadi_stop_called(&a->stop)) status = WADI_OK;
    return status;
}

/* Returns with the words it has if no more are there yet, so that no word waits for those after it. */
static wadi_status fill_short(void *env, int64_t k, const wadi_array *columns, int64_t *out_n,
                              wadi_error *err) {
    pipe *p = env;
    md5_attack *a = p->attack;
    uint32_t *column[MD5_SHORT_WORDS + 1];
    bool done = false;
    int64_t n = 0;
    wadi_status status = WADI_OK;
    for (int f = 0; f <= MD5_SHORT_WORDS; f++) column[f] = columns[0].column[f];
    if (wadi_clock_ns() - a->marked_ns >= mark_every_ns) set_mark(a, 0);
    while (n < k && !done && status == WADI_OK && !wadi_stop_called(&a->stop)) {
        n += md5_pack_short(a->reader, k - n, column, n);
        if (n == k || (n > 0 && md5_reader_waits(a->reader))) break;
        status = a->reader->at < a->reader->stop ? give_next(a, column, &n, err)
                                                 : refill(a, n, &done, err);
    }
    p->given += n;
    *out_n = n;
    return status;
}

/* ---- sources of longer words ---- */

static bool next_word(pipe *p, const uint8_t **out_word, size_t *out_n) {
    while (p->batch == NULL || !md5_batch_next(p->batch, out_word, out_n)) {
        md5_batch_free(p->batch);
        p->batch = md5_queue_pop(&p->queue);
        if (p->batch == NULL) return false;
    }
    return true;
}

/* Stops at the end of a batch, so that no word waits for those after it. */
static wadi_status fill_medium(void *env, int64_t k, const wadi_array *columns, int64_t *out_n,
                               wadi_error *err) {
    pipe *p = env;
    uint32_t *column[MD5_MEDIUM_WORDS + 1];
    const uint8_t *word;
    size_t length;
    int64_t n = 0;
    WADI_UNUSED(err);
    for (int f = 0; f <= MD5_MEDIUM_WORDS; f++) column[f] = columns[0].column[f];
    if (!next_word(p, &word, &length)) return WADI_OK;
    do md5_pack_medium(word, length, column, n++);
    while (n < k && md5_batch_next(p->batch, &word, &length));
    *out_n = n;
    return WADI_OK;
}

/* Also stops at the end of a batch, because the next batch may take long to come. */
static wadi_status pull_long(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    pipe *p = env;
    const uint8_t *word;
    size_t length;
    wadi_array blocks;
    WADI_UNUSED(index);
    if (!next_word(p, &word, &length)) return WADI_OK;
    const int64_t shape[] = {(int64_t)md5_blocks_of(length), 16};
    WADI_TRY(wadi_yield_array(yield, 0, shape, &blocks, err));
    md5_pack_long(word, length, blocks.column[0]);
    if (md5_batch_is_empty(p->batch)) wadi_yield_flush(yield);
    return WADI_OK;
}

/* ---- a pipeline ---- */

static wadi_status make_ends(pipe *p, wadi_error *err) {
    if (p->class == MD5_LONG) {
        wadi_part part = wadi_part_irregular(WADI_U32, 2);
        WADI_TRY(wadi_source_callback(1, &part, pull_long, p, &p->source, err));
        return wadi_sink_callback(take_long, p, &p->sink, err);
    }
    wadi_part part = {.fields = md5_class_words(p->class) + 1, .fixed = true};
    for (int f = 0; f < part.fields; f++) part.type[f] = WADI_U32;
    WADI_TRY(wadi_source_bulk(1, &part, p->class == MD5_SHORT ? fill_short : fill_medium, p,
                              &p->source, err));
    return wadi_sink_bulk(take_tried, p, &p->sink, err);
}

static wadi_status compile(pipe *p, wadi_error *err) {
    p->program = wadi_program_create(md5_class_name(p->class));
    if (p->program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    md5_build(p->class, p->attack->targets->log2_bits);
    return wadi_compile(p->program, NULL, &p->exe, err);
}

static wadi_status connect(pipe *p, wadi_error *err) {
    const md5_targets *t = p->attack->targets;
    const wadi_array bitmap = {.fields = 1,
                               .rank = 1,
                               .type = {WADI_U32},
                               .shape = {(int64_t)1 << t->log2_bits >> 5},
                               .column = {t->bitmap}};
    wadi_run_options options = p->attack->options;
    /* these come in batches, between which the source waits for the reader: what chunks take says nothing about their sizes */
    if (p->class == MD5_MEDIUM && options.chunk == 0) options.chunk = MD5_BATCH_WORDS;
    if (p->class != MD5_SHORT) { /* these few words are not worth the way */
        options.via = NULL;
        options.workers = 0;
    }
    WADI_TRY(wadi_run_create(p->exe, &options, &p->run, err));
    WADI_TRY(wadi_run_input(p->run, "bitmap", &bitmap, err));
    WADI_TRY(wadi_run_source(p->run, "words", p->source, err));
    return wadi_run_sink(p->run, "tried", p->sink, err);
}

/* The reader has ended, so no more words come. */
static void end_queues(md5_attack *a) {
    for (int c = MD5_MEDIUM; c < MD5_CLASSES; c++)
        if (a->pipes[c].started) md5_queue_end(&a->pipes[c].queue);
}

static void run_pipe(void *env) {
    pipe *p = env;
    md5_attack *a = p->attack;
    wadi_error err = {.status = WADI_OK};
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = md5_class_name(p->class), .stop = &a->end});
    wadi_status status = compile(p, &err);
    if (status == WADI_OK) status = make_ends(p, &err);
    if (status == WADI_OK) status = connect(p, &err);
    if (status == WADI_OK) status = wadi_run_go(p->run, &err);
    if (status != WADI_OK && !(status == WADI_CANCELLED && atomic_load(&a->cut)))
        note_error(a, &err);
    wadi_task_end(before);
    if (p->class == MD5_SHORT)
        end_queues(a);
    else
        md5_queue_abandon(&p->queue);
    wadi_mutex_lock(&a->lock);
    a->running--;
    wadi_condition_broadcast(&a->changed);
    wadi_mutex_unlock(&a->lock);
}

static wadi_status start_pipe(pipe *p, wadi_error *err) {
    if (p->class != MD5_SHORT) WADI_TRY(md5_queue_init(&p->queue, err));
    p->started = true;
    wadi_mutex_lock(&p->attack->lock);
    p->attack->running++;
    wadi_mutex_unlock(&p->attack->lock);
    const wadi_status status = wadi_thread_start(&p->thread, run_pipe, p, err);
    if (status == WADI_OK) return WADI_OK;
    wadi_mutex_lock(&p->attack->lock);
    p->attack->running--;
    wadi_mutex_unlock(&p->attack->lock);
    return status;
}

static void end_pipe(pipe *p) {
    wadi_thread_join(&p->thread);
    wadi_run_destroy(p->run);
    wadi_sink_destroy(p->sink);
    wadi_source_destroy(p->source);
    wadi_exe_destroy(p->exe);
    wadi_program_destroy(p->program);
    md5_batch_free(p->batch);
    if (p->started && p->class != MD5_SHORT) md5_queue_fini(&p->queue);
}

/* ---- the attack ---- */

/* When the task of the creator is stopped, no more words are read; words in flight may go on. */
static wadi_status make_stops(md5_attack *a, wadi_error *err) {
    WADI_TRY(wadi_stop_init(&a->end, NULL, err));
    return wadi_stop_init(&a->stop, wadi_task_now()->stop, err);
}

wadi_status md5_attack_create(md5_reader *reader, md5_targets *targets,
                              const wadi_run_options *options, md5_found_fn found, void *env,
                              md5_attack **out, wadi_error *err) {
    *out = NULL;
    md5_attack *a = calloc(1, sizeof *a);
    if (a == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status status = wadi_mutex_init_with(&a->lock, &a->changed, err);
    if (status == WADI_OK) {
        status = make_stops(a, err);
        if (status != WADI_OK) wadi_mutex_fini_with(&a->lock, &a->changed);
    }
    if (status != WADI_OK) {
        free(a);
        return status;
    }
    a->reader = reader;
    a->targets = targets;
    a->options = *options;
    a->found = found;
    a->env = env;
    for (int c = 0; c < MD5_CLASSES; c++) {
        a->pipes[c].attack = a;
        a->pipes[c].class = (md5_class)c;
    }
    *out = a;
    return WADI_OK;
}

wadi_status md5_attack_start(md5_attack *a, wadi_error *err) {
    a->started_ns = wadi_clock_ns();
    return start_pipe(&a->pipes[MD5_SHORT], err);
}

void md5_attack_destroy(md5_attack *a) {
    if (a == NULL) return;
    wadi_stop_call(&a->stop);
    for (int c = 0; c < MD5_CLASSES; c++) end_pipe(&a->pipes[c]);
    wadi_stop_fini(&a->end);
    wadi_stop_fini(&a->stop);
    wadi_mutex_fini_with(&a->lock, &a->changed);
    free(a);
}

void md5_attack_drain(md5_attack *a) {
    wadi_stop_call(&a->stop);
}

void md5_attack_cancel(md5_attack *a) {
    wadi_stop_call(&a->stop);
    atomic_store(&a->cut, true);
    wadi_stop_call(&a->end);
}

bool md5_attack_wait(md5_attack *a, double timeout_s) {
    const int64_t until = wadi_clock_ns() + (int64_t)(timeout_s * 1e9);
    wadi_mutex_lock(&a->lock);
    for (int64_t left; a->running > 0 && (left = until - wadi_clock_ns()) > 0;)
        (void)wadi_condition_wait_for(&a->changed, &a->lock, left);
    const bool ended = a->running == 0;
    wadi_mutex_unlock(&a->lock);
    return ended;
}

wadi_status md5_attack_result(md5_attack *a, wadi_error *err) {
    if (a->error.status != WADI_OK && err != NULL) *err = a->error;
    return a->error.status;
}

static int64_t tried(const md5_attack *a) {
    int64_t n = 0;
    for (int c = 0; c < MD5_CLASSES; c++) n += atomic_load(&a->pipes[c].tried);
    return n;
}

void md5_attack_progress(md5_attack *a, md5_progress *out) {
    wadi_mutex_lock(&a->lock);
    out->found = a->targets->nfound;
    out->too_long = a->running == 0 ? a->reader->too_long : 0;
    out->joined = a->running == 0 && a->reader->joined > 0 ? a->reader->joined_file : -1;
    wadi_mutex_unlock(&a->lock);
    out->words = tried(a);
    out->share = md5_input_progress(a->reader->in);
    out->elapsed_s = (double)(wadi_clock_ns() - a->started_ns) * 1e-9;
}

bool md5_attack_place(md5_attack *a, md5_place *out) {
    int64_t passed[MD5_CLASSES];
    wadi_mutex_lock(&a->lock);
    const bool ended = a->running == 0;
    for (int c = 0; c < MD5_CLASSES; c++) passed[c] = atomic_load(&a->pipes[c].tried);
    const bool fresh = md5_marks_pass(&a->marks, passed, out);
    const bool all = ended && !atomic_load(&a->cut);
    if (all) *out = md5_reader_place(a->reader);
    wadi_mutex_unlock(&a->lock);
    return all || fresh;
}
