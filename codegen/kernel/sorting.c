/* A radix sort by groups, and what is done with the sorted elements.
 *
 * A pass counts the digits of each block, sums the counts of each digit over the blocks, and moves the blocks. A group moves as many elements at a
 * time as it has lanes. The place of each is where its digit is next in this block, and behind those of the same digit in lanes before it. So
 * no lane waits for another one, and equal digits keep their order.
 *
 * Afterwards, the elements that meet in one place follow each other in the order of the source. A group takes a bucket. Each lane has one of its
 * targets in a register, looks at all elements of the bucket, and takes its own. */
#include "codegen/kernel/sorting.h"

#include "base/error.h"
#include "base/type.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/segment.h"
#include "codegen/kernel/tile.h"

enum {
    LANES = WADI_GROUP_LANES,
    BLOCK = WADI_SORT_BLOCK,
    LOG_LANES = 6,
    EACH = (1 << WADI_SORT_BITS) / LANES, /* digits of a lane */
    LOG_EACH = WADI_SORT_BITS - LOG_LANES,
    WIDE = 10 /* up to 2^10 elements of the result have a bucket each; more of them share one */
};

/* ---- sizes ---- */

/* The bits of x, which is not negative. */
static wadi_lv length(wadi_lower *l, wadi_lv x) {
    const wadi_lv zeros = wadi_lb_prim(&l->b, WADI_SOP_CLZ, WADI_I32, 1, &x);
    return bin(l, WADI_SOP_SUB, num(l, 64),
               wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &zeros));
}

static wadi_lv size_of(wadi_lower *l, wadi_val v) {
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, v, extent);
    return wadi_lower_size(l, wadi_type_of(l, v)->rank, extent);
}

static wadi_lv select(wadi_lower *l, wadi_lv c, wadi_lv x, wadi_lv y) {
    return wadi_lb_select(&l->b, WADI_I64, c, x, y);
}

static wadi_lv both(wadi_lower *l, wadi_lv x, wadi_lv y) {
    return bin(l, WADI_SOP_LAND, x, y);
}

wadi_sorting wadi_lower_sorting(wadi_lower *l, const wadi_bind *bind) {
    wadi_sorting s = {.m = size_of(l, bind->results[0])};
    const wadi_lv all = size_of(l, bind->args[1]), one = num(l, 1), zero = num(l, 0);
    const wadi_lv limit = num(l, INT64_C(1) << WADI_SORT_SIZES);
    const wadi_lv enough =
        both(l, bin(l, WADI_SOP_GE, all, num(l, WADI_SORT_LEAST)), bin(l, WADI_SOP_LT, all, limit));
    s.sorted =
        both(l, enough, both(l, bin(l, WADI_SOP_GT, s.m, zero), bin(l, WADI_SOP_LT, s.m, limit)));
    s.n = select(l, s.sorted, all, zero);
    const wadi_lv last = bin(l, WADI_SOP_SUB, select(l, s.sorted, s.m, one), one);
    const wadi_lv bits = length(l, last);
    const wadi_lv over = bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_SUB, bits, num(l, WIDE)), zero);
    s.shift = bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_MIN, over, num(l, LOG_LANES)),
                  bin(l, WADI_SOP_SUB, bits, num(l, 2 * WADI_SORT_BITS - 1)));
    s.buckets = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_SHR, last, s.shift), one);
    const wadi_lv needed = length(l, s.buckets); /* the number of the last bucket */
    const wadi_lv twice = bin(l, WADI_SOP_GT, needed, num(l, WADI_SORT_BITS));
    s.passes = select(l, twice, num(l, 2), one);
    s.bits = select(l, twice, bin(l, WADI_SOP_SHR, bin(l, WADI_SOP_ADD, needed, one), one), needed);
    s.digits = bin(l, WADI_SOP_SHL, one, s.bits);
    const wadi_lv up = bin(l, WADI_SOP_ADD, s.n, num(l, BLOCK - 1));
    s.blocks = bin(l, WADI_SOP_QUOT, up, num(l, BLOCK));
    return s;
}

/* ---- keys ---- */

static wadi_lv narrow(wadi_lower *l, wadi_lv x) {
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_U32, 1, &x);
}

static wadi_lv wide(wadi_lower *l, wadi_lv x) {
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &x);
}

static void store_key(wadi_lower *l, void *env, wadi_lv i, wadi_lv key) {
    const wadi_lv *keys = env;
    wadi_lb_store(&l->b, keys[0], i, narrow(l, key));
    wadi_lb_store(&l->b, keys[1], i, narrow(l, i));
}

void wadi_lower_sort_keys(wadi_lower *l, const wadi_bind *bind, const wadi_sorting *s,
                          const wadi_lv *keys, wadi_lv from, wadi_lv below) {
    wadi_lv extent[WADI_MAX_RANK], pointer[2] = {keys[0], keys[1]};
    wadi_lower_extents(l, bind->results[0], extent);
    const wadi_keyed list = {
        .dropped = bin(l, WADI_SOP_SHL, s->buckets, s->shift), .store = store_key, .env = pointer};
    wadi_lower_permute_keys(l, bind, extent, from, below, &list);
}

/* ---- digits ---- */

/* Element i of the half that a pass reads. */
static wadi_lv read_at(wadi_lower *l, const wadi_sorting *s, int pass, wadi_lv i) {
    return pass == 0 ? i : bin(l, WADI_SOP_ADD, s->n, i);
}

static wadi_lv digit_at(wadi_lower *l, const wadi_sorting *s, int pass, const wadi_lv *keys,
                        wadi_lv i) {
    const wadi_lv key = wide(l, wadi_lb_fresh(&l->b, keys[0], read_at(l, s, pass, i)));
    const wadi_lv by = pass == 0 ? s->shift : bin(l, WADI_SOP_ADD, s->shift, s->bits);
    return bin(l, WADI_SOP_AND, bin(l, WADI_SOP_SHR, key, by),
               bin(l, WADI_SOP_SUB, s->digits, num(l, 1)));
}

static wadi_lv entry(wadi_lower *l, const wadi_sorting *s, wadi_lv digit, wadi_lv block) {
    return bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, digit, s->blocks), block);
}

static wadi_lv end_of(wadi_lower *l, const wadi_sorting *s, wadi_lv from) {
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, BLOCK)), s->n);
}

/* Counts have 32 bits: more would need atomics that not every device has. */
static wadi_lv count_of(wadi_lower *l, uint32_t n) {
    return wadi_lb_const(&l->b, (wadi_scalar){WADI_U32, n});
}

static void add(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                wadi_lv *out) {
    WADI_UNUSED(env);
    *out = bin(l, WADI_SOP_ADD, *acc, *x);
}

void wadi_lower_sort_count(wadi_lower *l, const wadi_sorting *s, int pass, const wadi_lv *keys,
                           wadi_lv counts, wadi_lv block) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv digit = wadi_lanes_each(l, num(l, 0), s->digits, "digit", &open);
    wadi_lb_store(b, counts, entry(l, s, digit, block), count_of(l, 0));
    wadi_lanes_end(l, &open);
    const wadi_lv from = bin(l, WADI_SOP_MUL, block, num(l, BLOCK));
    const wadi_lv i = wadi_lanes_each(l, from, end_of(l, s, from), "i", &open);
    const wadi_lv at = entry(l, s, digit_at(l, s, pass, keys, i), block);
    const wadi_lv old = wadi_lb_fresh(b, counts, at);
    wadi_lb_update(b, counts, at, old, bin(l, WADI_SOP_ADD, old, count_of(l, 1)));
    wadi_lanes_end(l, &open);
}

void wadi_lower_sort_sum(wadi_lower *l, const wadi_sorting *s, wadi_lv counts, wadi_lv digit) {
    static const wadi_type type = WADI_U32;
    const wadi_lv zero = count_of(l, 0);
    const wadi_taking take = {1, &type, &zero, add, NULL};
    if (l->status || l->b.failed) return;
    wadi_taking_scan_memory(l, &take, &counts, entry(l, s, digit, num(l, 0)), s->blocks);
}

/* ---- places ---- */

typedef struct placing {
    const wadi_sorting *s;
    const wadi_lv *keys;
    int pass;
    wadi_lv counts, block, from, below;
    wadi_lv
        next; /* [digit] where its next element goes. Each lane has EACH digits; their places are one more apart, for the banks */
    wadi_lv digit; /* [lane] of its element; -1: it has none */
} placing;

static wadi_lv total_of(wadi_lower *l, const placing *p, wadi_lv digit) {
    const wadi_lv last = bin(l, WADI_SOP_SUB, p->s->blocks, num(l, 1));
    return wide(l, wadi_lb_load(&l->b, p->counts, entry(l, p->s, digit, last), NULL));
}

/* Opens a loop over the digits of a lane that there are. */
static wadi_lv each_digit(wadi_lower *l, const placing *p, wadi_lv lane, wadi_lv *out_k) {
    *out_k = wadi_lb_for(&l->b, num(l, 0), num(l, EACH), 1, "k");
    const wadi_lv digit = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, lane, num(l, EACH)), *out_k);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_LT, digit, p->s->digits));
    return digit;
}

static void end_digit(wadi_lower *l) {
    wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

/* sums[lane] = the elements with digits of this lane and of those before it */
static wadi_lv sums_of(wadi_lower *l, const placing *p) {
    static const wadi_type type = WADI_I64;
    wadi_lb *b = &l->b;
    wadi_lv sums, spare, k;
    wadi_lanes open;
    const wadi_lv zero = num(l, 0);
    const wadi_taking take = {1, &type, &zero, add, NULL};
    wadi_taking_declare(l, &take, "sums", &sums);
    wadi_taking_declare(l, &take, "spare", &spare);
    const wadi_lv lane = wadi_lanes_all(l, &open);
    const wadi_lv sum = wadi_lb_var(b, WADI_I64, false, zero, "sum");
    const wadi_lv digit = each_digit(l, p, lane, &k);
    wadi_lb_set(b, sum, bin(l, WADI_SOP_ADD, wadi_lb_get(b, sum), total_of(l, p, digit)));
    end_digit(l);
    wadi_lb_put(b, sums, lane, wadi_lb_get(b, sum));
    wadi_lanes_end(l, &open);
    wadi_taking_scan(l, &take, &sums, &spare);
    return sums;
}

/* Where the first element of each digit goes: behind all smaller digits, and behind this one in the blocks before. */
static void starts(wadi_lower *l, placing *p) {
    wadi_lb *b = &l->b;
    wadi_lv k;
    wadi_lanes open;
    const wadi_lv sums = sums_of(l, p), zero = num(l, 0), one = num(l, 1);
    p->next = wadi_lb_lanes(b, WADI_U32, LANES * (EACH + 1), "next");
    p->digit = wadi_lb_lanes(b, WADI_I64, LANES, "digit");
    const wadi_lv lane = wadi_lanes_all(l, &open);
    const wadi_lv sum = wadi_lb_var(b, WADI_I64, false, zero, "sum");
    const wadi_lv before = wadi_lb_var(b, WADI_I64, false, zero, "before");
    wadi_lb_if(b, bin(l, WADI_SOP_GT, lane, zero));
    wadi_lb_set(b, sum, wadi_lb_lane(b, sums, bin(l, WADI_SOP_SUB, lane, one)));
    wadi_lb_end(b);
    const wadi_lv digit = each_digit(l, p, lane, &k);
    wadi_lb_set(b, before, zero);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, p->block, zero));
    const wadi_lv at = entry(l, p->s, digit, bin(l, WADI_SOP_SUB, p->block, one));
    wadi_lb_set(b, before, wide(l, wadi_lb_load(b, p->counts, at, NULL)));
    wadi_lb_end(b);
    const wadi_lv here = bin(l, WADI_SOP_ADD, wadi_lb_get(b, sum), wadi_lb_get(b, before));
    wadi_lb_put(b, p->next, bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, lane, num(l, EACH + 1)), k),
                narrow(l, here));
    wadi_lb_set(b, sum, bin(l, WADI_SOP_ADD, wadi_lb_get(b, sum), total_of(l, p, digit)));
    end_digit(l);
    wadi_lanes_end(l, &open);
}

static void read_digits(wadi_lower *l, const placing *p, wadi_lv first) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open), i = bin(l, WADI_SOP_ADD, first, lane);
    const wadi_lv digit = wadi_lb_var(b, WADI_I64, false, num(l, -1), "mine");
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, p->below));
    wadi_lb_set(b, digit, digit_at(l, p->s, p->pass, p->keys, i));
    wadi_lb_end(b);
    wadi_lb_put(b, p->digit, lane, wadi_lb_get(b, digit));
    wadi_lanes_end(l, &open);
}

static void move(wadi_lower *l, const placing *p, wadi_lv first) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv rest = bin(l, WADI_SOP_SUB, p->below, first), zero = num(l, 0);
    const wadi_lv lane = wadi_lanes_first(l, bin(l, WADI_SOP_MIN, rest, num(l, LANES)), &open);
    const wadi_lv mine = wadi_lb_lane(b, p->digit, lane);
    const wadi_lv before = wadi_lb_var(b, WADI_I64, false, zero, "before");
    const wadi_lv other = wadi_lb_for(b, zero, lane, 1, "other");
    const wadi_lv equal = bin(l, WADI_SOP_EQ, wadi_lb_lane(b, p->digit, other), mine);
    const wadi_lv one = select(l, equal, num(l, 1), zero);
    wadi_lb_set(b, before, bin(l, WADI_SOP_ADD, wadi_lb_get(b, before), one));
    wadi_lb_end(b);
    const wadi_lv at = bin(l, WADI_SOP_ADD, mine, bin(l, WADI_SOP_SHR, mine, num(l, LOG_EACH)));
    const wadi_lv to =
        bin(l, WADI_SOP_ADD, wide(l, wadi_lb_lane(b, p->next, at)), wadi_lb_get(b, before));
    const wadi_lv from = read_at(l, p->s, p->pass, bin(l, WADI_SOP_ADD, first, lane));
    for (int f = 0; f < 2; f++)
        wadi_lb_store(b, p->keys[f], read_at(l, p->s, 1 - p->pass, to),
                      wadi_lb_fresh(b, p->keys[f], from));
    wadi_lanes_end(l, &open);
}

/* Each lane counts what its own digits have got. */
static void count_on(wadi_lower *l, const placing *p) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    const wadi_lv other = wadi_lb_for(b, num(l, 0), num(l, LANES), 1, "other");
    const wadi_lv digit = wadi_lb_lane(b, p->digit, other);
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, bin(l, WADI_SOP_SHR, digit, num(l, LOG_EACH)), lane));
    const wadi_lv at = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, lane, num(l, EACH + 1)),
                           bin(l, WADI_SOP_AND, digit, num(l, EACH - 1)));
    const wadi_lv next = wadi_lb_lane(b, p->next, at);
    wadi_lb_put(b, p->next, at, bin(l, WADI_SOP_ADD, next, count_of(l, 1)));
    wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

void wadi_lower_sort_place(wadi_lower *l, const wadi_sorting *s, int pass, const wadi_lv *keys,
                           wadi_lv counts, wadi_lv block) {
    placing p = {.s = s, .keys = keys, .pass = pass, .counts = counts, .block = block};
    if (l->status || l->b.failed) return;
    p.from = bin(l, WADI_SOP_MUL, block, num(l, BLOCK));
    p.below = end_of(l, s, p.from);
    starts(l, &p);
    const wadi_lv first = wadi_lb_for(&l->b, p.from, p.below, LANES, "first");
    read_digits(l, &p, first);
    move(l, &p, first);
    count_on(l, &p);
    wadi_lb_end(&l->b);
}

/* ---- combining ---- */

typedef struct combining {
    const wadi_bind *bind;
    const wadi_sorting *s;
    const wadi_lv *keys, *value, *pointer;
    const wadi_elem *elem;
    int columns;     /* elements that a lane loads at a time */
    wadi_lv half;    /* where the sorted half begins */
    wadi_lv low;     /* the bucket's first target */
    wadi_lv targets; /* of the bucket, in this round: from here on */
    wadi_lv begin, end;
    wadi_lv acc[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], key; /* [lane], [element of the tile] */
} combining;

static wadi_lv key_at(wadi_lower *l, const combining *c, wadi_lv i) {
    return wide(l, wadi_lb_load(&l->b, c->keys[0], bin(l, WADI_SOP_ADD, c->half, i), NULL));
}

typedef struct bound {
    const combining *c;
    wadi_lv key;
} bound;

static wadi_lv reaches(wadi_lower *l, void *env, wadi_lv i) {
    const bound *at = env;
    return bin(l, WADI_SOP_GE, key_at(l, at->c, i), at->key);
}

static wadi_lv first_with(wadi_lower *l, const combining *c, wadi_lv key) {
    bound at = {c, key};
    return wadi_lower_search(l, c->s->n, reaches, &at);
}

/* Opens a loop by lanes over the targets of the round. */
static wadi_lv each_target(wadi_lower *l, const combining *c, wadi_lanes *open) {
    const wadi_lv most = bin(l, WADI_SOP_SHL, num(l, 1), c->s->shift);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, c->s->m, c->targets);
    const wadi_lv n = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_MIN, most, rest), num(l, LANES));
    (void)wadi_lanes_first(l, n, open);
    return bin(l, WADI_SOP_ADD, c->targets, open->lane);
}

static void source_at(wadi_lower *l, const combining *c, wadi_lv i, wadi_lv *x) {
    wadi_lv ix[WADI_MAX_RANK], extent[WADI_MAX_RANK];
    const wadi_val a = c->bind->args[1];
    const wadi_lv place =
        wide(l, wadi_lb_load(&l->b, c->keys[1], bin(l, WADI_SOP_ADD, c->half, i), NULL));
    for (int f = 0; c->value && f < c->elem->fields; f++)
        x[f] = wadi_lb_load(&l->b, c->value[f], place, NULL);
    if (c->value) return;
    wadi_lower_extents(l, a, extent);
    wadi_lower_row_index(l, place, wadi_type_of(l, a)->rank, extent, ix);
    wadi_lower_read(l, a, ix, x);
}

static void load_tile(wadi_lower *l, const combining *c, wadi_lv from) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    const wadi_lv k = wadi_lb_for(b, num(l, 0), num(l, c->columns), 1, "k");
    const wadi_lv at = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, num(l, LANES)), lane);
    const wadi_lv i = bin(l, WADI_SOP_ADD, from, at);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, c->end));
    wadi_lb_put(b, c->key, at, key_at(l, c, i));
    source_at(l, c, i, x);
    for (int f = 0; f < c->elem->fields; f++) wadi_lb_put(b, c->x[f], at, x[f]);
    wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void take_tile(wadi_lower *l, const combining *c, wadi_lv from) {
    wadi_lb *b = &l->b;
    wadi_lv args[2 * WADI_MAX_FIELDS], out[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS];
    wadi_lanes open;
    const int fields = c->elem->fields;
    const wadi_lv target = each_target(l, c, &open);
    for (int f = 0; f < fields; f++)
        acc[f] =
            wadi_lb_var(b, c->elem->type[f], false, wadi_lb_lane(b, c->acc[f], open.lane), "acc");
    const wadi_lv rest = bin(l, WADI_SOP_SUB, c->end, from);
    const wadi_lv n = bin(l, WADI_SOP_MIN, rest, num(l, (int64_t)c->columns * LANES));
    const wadi_lv k = wadi_lb_for(b, num(l, 0), n, 1, "k");
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, wadi_lb_lane(b, c->key, k), target));
    for (int f = 0; f < fields; f++) {
        args[f] = wadi_lb_lane(b, c->x[f], k);
        args[fields + f] = wadi_lb_get(b, acc[f]);
    }
    wadi_lower_apply(l, c->bind->funs[0], args, out);
    for (int f = 0; f < fields; f++) wadi_lb_set(b, acc[f], out[f]);
    wadi_lb_end(b);
    wadi_lb_end(b);
    for (int f = 0; f < fields; f++) wadi_lb_put(b, c->acc[f], open.lane, wadi_lb_get(b, acc[f]));
    wadi_lanes_end(l, &open);
}

/* From memory to the accumulators, or back. */
static void exchange(wadi_lower *l, const combining *c, bool back) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv target = each_target(l, c, &open);
    for (int f = 0; f < c->elem->fields; f++)
        if (back)
            wadi_lb_store(b, c->pointer[f], target, wadi_lb_lane(b, c->acc[f], open.lane));
        else
            wadi_lb_put(b, c->acc[f], open.lane, wadi_lb_fresh(b, c->pointer[f], target));
    wadi_lanes_end(l, &open);
}

static void declare(wadi_lower *l, combining *c) {
    wadi_lb *b = &l->b;
    c->columns = wadi_fields_size(c->elem->type, c->elem->fields) <= 16 ? 4 : 1;
    c->key = wadi_lb_lanes(b, WADI_I64, LANES * c->columns, "key");
    for (int f = 0; f < c->elem->fields; f++) {
        c->acc[f] = wadi_lb_lanes(b, c->elem->type[f], LANES, "acc");
        c->x[f] = wadi_lb_lanes(b, c->elem->type[f], LANES * c->columns, "x");
    }
}

void wadi_lower_sort_combine(wadi_lower *l, const wadi_bind *bind, const wadi_sorting *s,
                             const wadi_lv *keys, const wadi_lv *value, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv bucket) {
    wadi_lb *b = &l->b;
    combining c = {.bind = bind,
                   .s = s,
                   .keys = keys,
                   .value = value,
                   .pointer = pointer,
                   .elem = &wadi_type_of(l, bind->results[0])->elem};
    if (l->status || b->failed) return;
    WADI_UNUSED(extent);
    declare(l, &c);
    c.half = select(l, bin(l, WADI_SOP_EQ, s->passes, num(l, 1)), s->n, num(l, 0));
    c.low = bin(l, WADI_SOP_SHL, bucket, s->shift);
    const wadi_lv all = bin(l, WADI_SOP_SHL, num(l, 1), s->shift);
    const wadi_lv above = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, c.low, all), s->m);
    c.begin = first_with(l, &c, c.low);
    c.end = first_with(l, &c, bin(l, WADI_SOP_ADD, c.low, all));
    wadi_lb_if(b, bin(l, WADI_SOP_LT, c.begin, c.end));
    c.targets = wadi_lb_for(b, c.low, above, LANES, "targets");
    exchange(l, &c, false);
    const wadi_lv from = wadi_lb_for(b, c.begin, c.end, (int64_t)LANES * c.columns, "from");
    load_tile(l, &c, from);
    take_tile(l, &c, from);
    wadi_lb_end(b);
    exchange(l, &c, true);
    wadi_lb_end(b);
    wadi_lb_end(b);
}
