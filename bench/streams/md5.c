/* MD5 of dictionary words.
 *
 * Dictionary: from a file, reading, splitting, hashing and matching, as wadi-md5 does it; peers are hashcat in dictionary mode on
 * the same file (once: it takes minutes the first time) and SIMD code in C over the file in memory. Splitting alone: lines in memory become
 * packed words, with and without AVX-512, beside a loop in C; and what memory allows, as a sum of the text's bytes. Hashing alone: packed
 * words in memory through a stream, as one array, and in C. */
#include "bench/streams/benchmarks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/digest/md5.h"
#include "apps/md5/attack.h"
#include "apps/md5/blocks.h"
#include "apps/md5/hash.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "bench/streams/md5_simd.h"
#include "bench/streams/program.h"

enum { PAPER_WORDS = 14344391, QUICK_WORDS = 20000 };

/* ---- the dictionary ---- */

typedef struct dictionary {
    char path[64]; /* of a temporary file; "": it was given */
    const char *name;
    uint8_t *text;
    size_t n;
    uint8_t digest[16]; /* of the last word */
    char hex[33];
} dictionary;

/* Words of the lengths that people's words have: 8.3 letters on average. */
static wadi_status make_words(const bench *b, dictionary *d, wadi_error *err) {
    const int64_t words = b->quick ? QUICK_WORDS : PAPER_WORDS;
    uint64_t seed = 1;
    wadi_text t = {0};
    for (int64_t i = 0; i < words; i++) {
        char word[32];
        const uint64_t shape = wadi_hash64(seed++);
        const int n = 3 + (int)(shape % 5) + (int)((shape >> 8) % 5) + (int)((shape >> 16) % 4);
        for (int k = 0; k < n; k += 8) {
            const uint64_t letters = wadi_hash64(seed++);
            for (int j = k; j < n && j < k + 8; j++)
                word[j] = (char)('a' + (letters >> (8 * (j - k))) % 26);
        }
        word[n] = '\n';
        wadi_text_add_n(&t, word, (size_t)n + 1);
    }
    d->n = t.n;
    d->text = (uint8_t *)wadi_text_take(&t);
    if (d->text == NULL) return wadi_fail(err, WADI_MEMORY, "md5: out of memory");
    const int fd = mkstemp(strcpy(d->path, "wadi-bench-words-XXXXXX"));
    if (fd < 0) return wadi_fail(err, WADI_IO, "md5: no temporary file");
    (void)close(fd);
    d->name = d->path;
    return wadi_file_write(d->path, d->text, d->n, 0600, err);
}

static wadi_status open_dictionary(const bench *b, dictionary *d, wadi_error *err) {
    wadi_md5 md5;
    d->name = getenv("WADI_BENCH_DICTIONARY");
    if (d->name == NULL || b->quick) {
        WADI_TRY(make_words(b, d, err));
    } else {
        WADI_TRY(wadi_file_read(d->name, (char **)&d->text, &d->n, err));
    }
    if (d->n == 0 || d->text[d->n - 1] != '\n')
        return wadi_fail(err, WADI_INVALID, "%s does not end in a newline", d->name);
    const uint8_t *last = d->text + d->n - 1;
    while (last > d->text && last[-1] != '\n') last--;
    wadi_md5_init(&md5);
    wadi_md5_update(&md5, last, (size_t)(d->text + d->n - 1 - last));
    wadi_md5_final(&md5, d->digest);
    wadi_hex(d->digest, 16, d->hex);
    return WADI_OK;
}

static void close_dictionary(dictionary *d) {
    if (d->path[0] != '\0') (void)remove(d->path);
    free(d->text);
}

/* ---- the whole job ---- */

typedef struct job {
    const bench *b;
    const dictionary *d;
    size_t found;
    uint32_t digest[4];
} job;

static wadi_status nothing(void *env, const uint8_t digest[MD5_DIGEST], const uint8_t *word,
                           size_t n, wadi_error *err) {
    WADI_UNUSED(env);
    WADI_UNUSED(digest);
    WADI_UNUSED(word);
    WADI_UNUSED(n);
    WADI_UNUSED(err);
    return WADI_OK;
}

static wadi_status attack(job *j, md5_targets *t, md5_input *in, md5_reader *r, wadi_error *err) {
    md5_attack *a = NULL;
    const wadi_run_options options = {
        .threads = j->b->threads, .memory = 64 << 20, .device = j->b->device};
    WADI_TRY(md5_targets_add(t, j->d->hex, err));
    WADI_TRY(md5_targets_ready(t, err));
    WADI_TRY(md5_reader_init(r, in, false, err));
    WADI_TRY(md5_attack_create(r, t, &options, nothing, NULL, &a, err));
    wadi_status status = md5_attack_start(a, err);
    while (status == WADI_OK && !md5_attack_wait(a, 60)) {
    }
    if (status == WADI_OK) status = md5_attack_result(a, err);
    md5_attack_destroy(a);
    j->found = t->nfound;
    return status;
}

static wadi_status run_wadi(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    md5_targets t = {0};
    md5_reader r = {0};
    md5_input *in = NULL;
    WADI_UNUSED(out_seconds);
    WADI_TRY(md5_input_open(1, &j->d->name, false, &in, err));
    const wadi_status status = attack(j, &t, in, &r, err);
    md5_reader_fini(&r);
    md5_input_close(in);
    md5_targets_fini(&t);
    if (status == WADI_OK && j->found != 1)
        return wadi_fail(err, WADI_INTERNAL, "md5: the last word was not found");
    return status;
}

static wadi_status run_simd(void *env, double *out_seconds, wadi_error *err) {
    const job *j = env;
    int64_t longer = 0;
    WADI_UNUSED(out_seconds);
    if (md5_simd_search(j->d->text, j->d->n, j->digest, j->b->threads, &longer) < 1)
        return wadi_fail(err, WADI_INTERNAL, "md5 in C: the last word was not found");
    return WADI_OK;
}

static bool hashcat_finds_it(const dictionary *d, double *out_seconds) {
    wadi_text command = {0};
    wadi_text_addf(&command,
                   "hashcat -m 0 -a 0 -D 1 -O --quiet --potfile-disable %s '%s' >/dev/null 2>&1",
                   d->hex, d->name);
    const int64_t start = wadi_clock_ns();
    const int status = system(wadi_text_str(&command));
    *out_seconds = (double)(wadi_clock_ns() - start) * 1e-9;
    wadi_text_fini(&command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first run makes its kernels and counts the dictionary's words; the second counts. */
static wadi_status beside_hashcat(bench *b, const dictionary *d, double ours, wadi_error *err) {
    double seconds = 0;
    if (b->quick || ours < 0) return WADI_OK; /* not measured */
    if (!hashcat_finds_it(d, &seconds) || !hashcat_finds_it(d, &seconds)) {
        bench_say(b, "md5: skipping hashcat: packages hashcat and pocl-opencl-icd");
        return WADI_OK;
    }
    return bench_line(b, "md5", "dictionary", ours, "hashcat -a 0", seconds, err);
}

static wadi_status whole_job(bench *b, const dictionary *d, wadi_error *err) {
    job j = {.b = b, .d = d};
    double seconds[2];
    if (!bench_wants(b, "dictionary")) return WADI_OK;
    memcpy(j.digest, d->digest, sizeof j.digest);
    const bench_side sides[] = {{"wadi", run_wadi, &j}, {"C SIMD, in memory", run_simd, &j}};
    WADI_TRY(bench_compare(b, "md5", "dictionary", 2, sides, seconds, err));
    int64_t words = 0;
    for (size_t i = 0; i < d->n; i++) words += d->text[i] == '\n';
    if (seconds[0] > 0)
        bench_say(b, "md5 dictionary: %.1f million words/s", (double)words / seconds[0] * 1e-6);
    return beside_hashcat(b, d, seconds[0], err);
}

/* ---- hashing and splitting alone ---- */

typedef struct packed {
    const bench *b;
    int64_t n;
    uint32_t *column[5];
    uint32_t *bitmap;
    uint8_t *hit;
    uint32_t wanted;
    wadi_exe *stream, *whole;
    int64_t found;
} packed;

static wadi_status count_hits(void *env, int64_t first, int64_t count, int parts,
                              const wadi_array *columns, wadi_error *err) {
    packed *p = env;
    const uint8_t *hit = columns[parts - 1].column[0];
    WADI_UNUSED(first);
    WADI_UNUSED(err);
    for (int64_t i = 0; i < count; i++) p->found += hit[i];
    return WADI_OK;
}

static wadi_array records(const packed *p) {
    wadi_array a = {.rank = 1, .fields = 5, .shape = {p->n}};
    for (int f = 0; f < 5; f++) {
        a.type[f] = WADI_U32;
        a.column[f] = p->column[f];
    }
    return a;
}

static wadi_array bits_of(const packed *p) {
    return (wadi_array){
        .rank = 1, .fields = 1, .type = {WADI_U32}, .shape = {1024}, .column = {p->bitmap}};
}

static wadi_status run_one(const packed *p, const wadi_exe *exe, wadi_source *source,
                           wadi_sink *sink, wadi_error *err) {
    const wadi_run_options options = {.threads = p->b->threads, .device = p->b->device};
    const wadi_array words = records(p), bitmap = bits_of(p);
    wadi_run *run = NULL;
    WADI_TRY(wadi_run_create(exe, &options, &run, err));
    wadi_status status = wadi_run_input(run, "bitmap", &bitmap, err);
    if (status == WADI_OK && source != NULL) status = wadi_run_source(run, "words", source, err);
    if (status == WADI_OK && source == NULL) status = wadi_run_input(run, "words", &words, err);
    if (status == WADI_OK && sink != NULL) status = wadi_run_sink(run, "tried", sink, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    wadi_run_destroy(run);
    return status;
}

static wadi_status run_stream(void *env, double *out_seconds, wadi_error *err) {
    packed *p = env;
    const wadi_array words = records(p);
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    WADI_UNUSED(out_seconds);
    p->found = 0;
    wadi_status status = wadi_source_memory(&words, &source, err);
    if (status == WADI_OK) status = wadi_sink_bulk(count_hits, p, &sink, err);
    if (status == WADI_OK) status = run_one(p, p->stream, source, sink, err);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    if (status == WADI_OK && p->found < 1)
        return wadi_fail(err, WADI_INTERNAL, "md5: the stream missed the word");
    return status;
}

static wadi_status run_whole(void *env, double *out_seconds, wadi_error *err) {
    packed *p = env;
    WADI_UNUSED(out_seconds);
    return run_one(p, p->whole, NULL, NULL, err);
}

static wadi_status run_c(void *env, double *out_seconds, wadi_error *err) {
    packed *p = env;
    const int64_t piece = 4096, pieces = (p->n + piece - 1) / piece;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
#ifdef _OPENMP
#pragma omp parallel for num_threads(p->b->threads)
#endif
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t at = i * piece, left = p->n - at;
        const uint32_t *const w[4] = {p->column[0] + at, p->column[1] + at, p->column[2] + at,
                                      p->column[3] + at};
        md5_simd_hash(w, p->column[4] + at, left < piece ? left : piece, p->wanted, p->hit + at);
    }
    return WADI_OK;
}

/* All words but the last ones and longer ones, which are passed over. Returns how many are packed; again: from the first element on, each time that they
 * have filled `most`. */
static int64_t split(const dictionary *d, bool plain, uint32_t *const *column, int64_t most,
                     bool again) {
    const size_t room = d->n < MD5_READ_AHEAD ? d->n : MD5_READ_AHEAD;
    md5_reader r = {.at = d->text, .stop = d->text + d->n - room, .plain = plain};
    int64_t n = 0, all = 0;
    while (r.stop > r.at && r.stop[-1] != '\n') r.stop--;
    while (r.at < r.stop) {
        const int64_t got = md5_pack_short(&r, most - n, column, n);
        n += got;
        all += got;
        if (n == most && again)
            n = 0;
        else if (got == 0)
            md5_reader_pass(&r, 1); /* a longer word */
    }
    return all;
}

static wadi_status pack_words(packed *p, const dictionary *d, wadi_error *err) {
    for (const uint8_t *at = d->text; at < d->text + d->n; at++) p->n += *at == '\n';
    for (int f = 0; f < 5; f++) p->column[f] = malloc(((size_t)p->n + 16) * sizeof *p->column[f]);
    p->bitmap = calloc(1024, sizeof *p->bitmap);
    p->hit = malloc((size_t)p->n + 1);
    if (p->column[4] == NULL || p->bitmap == NULL || p->hit == NULL)
        return wadi_fail(err, WADI_MEMORY, "md5: out of memory");
    p->n = split(d, false, p->column, p->n, false);
    return WADI_OK;
}

/* The word in the middle is wanted. */
static void want_middle(packed *p) {
    uint32_t m[5];
    wadi_md5 md5;
    uint8_t digest[16];
    for (int f = 0; f < 5; f++) m[f] = p->column[f][p->n / 2];
    wadi_md5_init(&md5);
    wadi_md5_update(&md5, m, m[4] / 8);
    wadi_md5_final(&md5, digest);
    memcpy(&p->wanted, digest, sizeof p->wanted);
    p->bitmap[p->wanted >> 17 >> 5] |= (uint32_t)1 << (p->wanted >> 17) % 32;
}

static wadi_status compile_both(packed *p, wadi_error *err) {
    wadi_program *program = wadi_program_create("md5_stream");
    if (program == NULL) return wadi_fail(err, WADI_MEMORY, "md5: out of memory");
    md5_build(MD5_SHORT, 15);
    wadi_status status = wadi_compile(program, NULL, &p->stream, err);
    wadi_program_destroy(program);
    if (status != WADI_OK) return status;
    program = wadi_program_create("md5_whole");
    if (program == NULL) return wadi_fail(err, WADI_MEMORY, "md5: out of memory");
    md5_build_whole(15);
    status = wadi_compile(program, NULL, &p->whole, err);
    wadi_program_destroy(program);
    return status;
}

static wadi_status hashing(bench *b, const dictionary *d, wadi_error *err) {
    packed p = {.b = b};
    if (!bench_wants(b, "hashing")) return WADI_OK;
    wadi_status status = pack_words(&p, d, err);
    if (status == WADI_OK) want_middle(&p);
    if (status == WADI_OK) status = compile_both(&p, err);
    const bench_side sides[] = {
        {"wadi", run_stream, &p}, {"wadi whole array", run_whole, &p}, {"C OpenMP", run_c, &p}};
    if (status == WADI_OK) status = bench_compare(b, "md5", "hashing", 3, sides, NULL, err);
    wadi_exe_destroy(p.stream);
    wadi_exe_destroy(p.whole);
    for (int f = 0; f < 5; f++) free(p.column[f]);
    free(p.bitmap);
    free(p.hit);
    return status;
}

/* ---- splitting: one thread, into columns that stay in the cache ---- */

enum { CACHED = 1 << 14 };

typedef struct splitting {
    const dictionary *d;
    bool plain;
    uint32_t *column[5];
    int64_t words;
} splitting;

static wadi_status run_split(void *env, double *out_seconds, wadi_error *err) {
    splitting *s = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    s->words = split(s->d, s->plain, s->column, CACHED, true);
    return WADI_OK;
}

static wadi_status run_split_c(void *env, double *out_seconds, wadi_error *err) {
    splitting *s = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    s->words = md5_simd_pack(s->d->text, s->d->n);
    return WADI_OK;
}

static wadi_status run_sum(void *env, double *out_seconds, wadi_error *err) {
    splitting *s = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    s->words = md5_simd_sum(s->d->text, s->d->n);
    return WADI_OK;
}

static wadi_status splitting_alone(bench *b, const dictionary *d, wadi_error *err) {
    splitting s = {.d = d}, plain = {.d = d, .plain = true}, c = {.d = d}, sum = {.d = d};
    uint32_t *room = malloc(5 * CACHED * sizeof *room);
    double seconds[4];
    if (!bench_wants(b, "splitting") || room == NULL) {
        free(room);
        return WADI_OK;
    }
    for (int f = 0; f < 5; f++) s.column[f] = plain.column[f] = room + (size_t)f * CACHED;
    const bench_side sides[] = {{"wadi", run_split, &s},
                                {"wadi without AVX-512", run_split, &plain},
                                {"C, memchr", run_split_c, &c},
                                {"sum of the bytes", run_sum, &sum}};
    const wadi_status status = bench_compare(b, "md5", "splitting", 4, sides, seconds, err);
    if (status == WADI_OK && seconds[0] > 0)
        bench_say(b, "md5 splitting: %.1f million words/s, %.1f GB/s; the sum %.1f GB/s",
                  (double)s.words / seconds[0] * 1e-6, (double)d->n / seconds[0] * 1e-9,
                  (double)d->n / seconds[3] * 1e-9);
    free(room);
    return status;
}

wadi_status bench_md5(bench *b, wadi_error *err) {
    dictionary d = {0};
    wadi_status status = open_dictionary(b, &d, err);
    if (status == WADI_OK) status = whole_job(b, &d, err);
    if (status == WADI_OK) status = splitting_alone(b, &d, err);
    if (status == WADI_OK) status = hashing(b, &d, err);
    close_dictionary(&d);
    return status;
}
