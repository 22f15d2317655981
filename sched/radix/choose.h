/* The first k positions of a row's order, without sorting the row: a sample says below which key about k elements are; those are collected, and ranked. */

enum { FEW_TIMES = 8 /* so many times k elements, and more, are worth a sample */ };

typedef struct choice {
    job job;
    uint64_t pivot;
    int64_t chunks;
    int64_t *begin; /* [chunks + 1]: where those of a chunk go */
    int64_t *at;    /* positions of what is collected */
    void *elements;
} choice;

static void count_chunks(void *env, int worker, int64_t begin, int64_t end) {
    const choice *c = env;
    WADI_UNUSED(worker);
    for (int64_t k = begin; k < end; k++)
        c->begin[k + 1] = c->job.source->below(&c->job, chunk_at(c->job.n, c->chunks, k),
                                               chunk_at(c->job.n, c->chunks, k + 1), c->pivot);
}

static void collect_chunks(void *env, int worker, int64_t begin, int64_t end) {
    const choice *c = env;
    WADI_UNUSED(worker);
    for (int64_t k = begin; k < end; k++)
        c->job.source->collect(&c->job, chunk_at(c->job.n, c->chunks, k),
                               chunk_at(c->job.n, c->chunks, k + 1), c->pivot, c->at + c->begin[k],
                               c->elements, c->begin[k]);
}

/* All are ranked; `order` and its room are as long as the row. */
static bool choose_of_all(const wadi_radix_row *r, int64_t k, wadi_pool *pool) {
    int64_t *order = malloc((size_t)r->n * 2 * sizeof *order);
    if (order == NULL) return false;
    wadi_radix_row all = *r;
    all.to = order;
    all.room = order + r->n;
    const bool fine = rank_row(&all, pool);
    if (fine) memcpy(r->to, order, (size_t)k * sizeof *order);
    free(order);
    return fine;
}

/* A key that probably is not less than k others, and not greater than many more. */
static uint64_t likely_pivot(const job *j, int64_t k) {
    uint64_t key[SAMPLE], room[SAMPLE];
    for (int64_t i = 0; i < SAMPLE; i++) key[i] = j->source->key(j, chunk_at(j->n, SAMPLE, i));
    sort_u64(key, room, SAMPLE, false);
    const int64_t middle = (int64_t)((double)k / (double)j->n * SAMPLE);
    int64_t beyond = 8; /* and four times the root of `middle` */
    while (beyond * beyond < 16 * middle) beyond++;
    return key[middle + beyond < SAMPLE ? middle + beyond : SAMPLE - 1];
}

static bool rank_collected(const wadi_radix_row *r, const choice *c, int64_t n, int64_t k,
                           wadi_pool *pool) {
    int64_t *order = malloc((size_t)n * 2 * sizeof *order), *to = r->to;
    if (order == NULL) return false;
    const wadi_radix_row some = {r->type, c->elements, order, order + n, n};
    const bool fine = rank_row(&some, pool);
    for (int64_t i = 0; fine && i < k; i++) to[i] = c->at[order[i]];
    free(order);
    return fine;
}

static bool choose_by_sample(const wadi_radix_row *r, int64_t k, choice *c, wadi_pool *pool) {
    c->begin[0] = 0;
    for_each(c->job.pool, c->chunks, 1, count_chunks, c);
    for (int64_t i = 0; i < c->chunks; i++) c->begin[i + 1] += c->begin[i];
    const int64_t n = c->begin[c->chunks];
    if (n < k || n > r->n / 2) return choose_of_all(r, k, pool);
    c->at = malloc((size_t)n * sizeof *c->at);
    c->elements = malloc((size_t)n * (size_t)wadi_type_size(r->type));
    bool fine = c->at != NULL && c->elements != NULL;
    if (fine) for_each(c->job.pool, c->chunks, 1, collect_chunks, c);
    fine = fine && rank_collected(r, c, n, k, pool);
    free(c->at);
    free(c->elements);
    return fine;
}

static bool choose_row(const wadi_radix_row *r, int64_t k, wadi_pool *pool) {
    if (k == 0) return true;
    if (r->n < FEW_TIMES * SAMPLE || r->n / FEW_TIMES < k) return choose_of_all(r, k, pool);
    choice c = {.job = job_of(r, pool)};
    c.pivot = likely_pivot(&c.job, k);
    c.chunks = c.job.pool != NULL ? wadi_pool_threads(c.job.pool) * 2 : 1;
    c.begin = malloc((size_t)(c.chunks + 1) * sizeof *c.begin);
    const bool fine = c.begin != NULL && choose_by_sample(r, k, &c, pool);
    free(c.begin);
    return fine;
}
