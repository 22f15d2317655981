/* From sorted numbers to what was asked for: keys become elements again, and packed numbers positions. Packed numbers whose keys were cut may be equal but
 * for the positions; such a run is ordered by what was cut off. */

/* ---- runs ---- */

/* The bits that were cut off, for numbers [begin, end) whose keys are equal but for these. */
static void recall(const job *j, int64_t begin, int64_t end) {
    uint64_t *to = j->to;
    const uint64_t position = ((uint64_t)1 << j->bits) - 1, dropped = ((uint64_t)1 << j->drop) - 1;
    for (int64_t i = begin; i < end; i++) {
        const uint64_t at = to[i] & position;
        to[i] = ((j->source->key(j, (int64_t)at) - j->low) & dropped) << j->bits | at;
    }
}

static bool same_run(const job *j, int64_t a, int64_t b) {
    const uint64_t *to = j->to;
    return to[a] >> j->bits == to[b] >> j->bits;
}

static void order_runs(const job *j, int64_t begin, int64_t end) {
    uint64_t *to = j->to, *room = j->room;
    for (int64_t i = begin; i < end;) {
        int64_t after = i + 1;
        while (after < end && same_run(j, after, i)) after++;
        if (after > i + 1) {
            recall(j, i, after);
            sort_u64(to + i, room + i, after - i, false);
        }
        i = after;
    }
}

static void finish(const job *j, int64_t begin, int64_t end) {
    uint64_t *to = j->to;
    const uint64_t position = ((uint64_t)1 << j->bits) - 1;
    if (!j->packed) {
        j->source->restore(j, begin, end);
        return;
    }
    if (j->drop > 0) order_runs(j, begin, end);
    for (int64_t i = begin; i < end; i++) to[i] &= position;
}

/* ---- many numbers, by all workers ---- */

typedef struct part {
    const job *job;
    int64_t begin, end;
} part;

static void finish_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const part *p = env;
    WADI_UNUSED(worker);
    const int64_t to = p->begin + end * BLOCK;
    finish(p->job, p->begin + begin * BLOCK, to < p->end ? to : p->end);
}

static void recall_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const part *p = env;
    WADI_UNUSED(worker);
    const int64_t to = p->begin + end * BLOCK;
    recall(p->job, p->begin + begin * BLOCK, to < p->end ? to : p->end);
}

static void by_parts(const part *p, wadi_pool_fn fn) {
    for_each(p->job->pool, (p->end - p->begin + BLOCK - 1) / BLOCK, 1, fn, p);
}

/* Runs may cross blocks: a part ends where a run does, and long runs are parts of their own. */
typedef struct parts {
    const job *job;
    int64_t n;
    part at[PARTS];
} parts;

static void finish_parts(void *env, int worker, int64_t begin, int64_t end) {
    const parts *p = env;
    WADI_UNUSED(worker);
    for (int64_t k = begin; k < end; k++) finish(p->at[k].job, p->at[k].begin, p->at[k].end);
}

/* Sorts numbers [begin, end) of `to` by all workers. */
static bool sort_again(const job *j, int64_t begin, int64_t end);

/* A long run: what was cut off takes the place of the keys, which then are whole. */
static bool order_long_run(const job *j, int64_t begin, int64_t end) {
    const part p = {j, begin, end};
    job whole = *j;
    by_parts(&p, recall_blocks);
    if (!sort_again(j, begin, end)) return false;
    whole.drop = 0;
    const part q = {&whole, begin, end};
    by_parts(&q, finish_blocks);
    return true;
}

/* [begin, end) are sorted numbers of `to`. */
static bool finish_all(const job *j, int64_t begin, int64_t end) {
    parts p = {.job = j};
    if (!j->packed || j->drop == 0) {
        const part all = {j, begin, end};
        by_parts(&all, finish_blocks);
        return true;
    }
    for (int64_t from = begin; from < end;) {
        int64_t to =
            end - from > (end - begin) / (PARTS / 2) ? from + (end - begin) / (PARTS / 2) : end;
        int64_t run = to; /* where the last run of the part begins */
        while (to < end && same_run(j, to, to - 1)) to++;
        while (run > from && same_run(j, run - 1, to - 1)) run--;
        if (run < to && to - run >= WADI_RADIX_SHARED) {
            if (run > from) p.at[p.n++] = (part){j, from, run};
            if (!order_long_run(j, run, to)) return false;
        } else
            p.at[p.n++] = (part){j, from, to};
        from = to;
    }
    for_each(j->pool, p.n, 1, finish_parts, &p);
    return true;
}
