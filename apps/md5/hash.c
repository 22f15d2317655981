/* The MD5 programs. The constants are those of RFC 1321 section 3.4: T[i] = floor(2^32 |sin(i + 1)|). */
#include "apps/md5/hash.h"

#include <math.h>
#include <stdio.h>

typedef struct state {
    wadi_exp at[4];
} state;

static const char *const names[MD5_CLASSES] = {"short", "medium", "long"};
static const char *const state_names[4] = {"a", "b", "c", "d"};
static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

const char *md5_class_name(md5_class class) {
    return names[class];
}

int md5_class_words(md5_class class) {
    return class == MD5_SHORT ? MD5_SHORT_WORDS : class == MD5_MEDIUM ? MD5_MEDIUM_WORDS : 0;
}

/* ---- the compression function ---- */

static uint32_t sine(int i) {
    return (uint32_t)(int64_t)floor(4294967296.0 * fabs(sin(i + 1)));
}

/* The four auxiliary functions of MD5; F and G in the form that needs three operations. */
static wadi_exp mix(int round, wadi_exp b, wadi_exp c, wadi_exp d) {
    switch (round) {
    case 0:
        return wadi_xor(d, wadi_and(b, wadi_xor(c, d)));
    case 1:
        return wadi_xor(c, wadi_and(d, wadi_xor(b, c)));
    case 2:
        return wadi_xor(wadi_xor(b, c), d);
    default:
        return wadi_xor(c, wadi_or(b, wadi_not(d)));
    }
}

/* Which message word step i uses. */
static int message_word(int i) {
    static const int factor[4] = {1, 5, 3, 7}, offset[4] = {0, 1, 5, 0};
    return (factor[i / 16] * i + offset[i / 16]) % 16;
}

static state compress(state s, const wadi_exp *m) {
    static const int turn[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    wadi_exp a = s.at[0], b = s.at[1], c = s.at[2], d = s.at[3];
    for (int i = 0; i < 64; i++) {
        const wadi_exp known = wadi_add(m[message_word(i)], wadi_u32(sine(i)));
        const wadi_exp sum = wadi_add(wadi_add(a, mix(i / 16, b, c, d)), known);
        const wadi_exp next = wadi_add(b, wadi_rotl(sum, wadi_i32(turn[i / 16][i % 4])));
        a = d;
        d = c;
        c = b;
        b = next;
    }
    return (state){
        {wadi_add(s.at[0], a), wadi_add(s.at[1], b), wadi_add(s.at[2], c), wadi_add(s.at[3], d)}};
}

static state first_state(void) {
    state s;
    for (int i = 0; i < 4; i++) s.at[i] = wadi_u32(start[i]);
    return s;
}

wadi_exp md5_first_word(const wadi_exp *m) {
    return compress(first_state(), m).at[0];
}

/* ---- lookup ---- */

typedef struct lookup {
    wadi_acc bitmap;
    int log2_bits, words; /* message words of the class */
} lookup;

static wadi_exp is_wanted(const lookup *l, wadi_exp digest) {
    const wadi_exp bit = wadi_shr(digest, wadi_i32(32 - l->log2_bits));
    const wadi_exp word =
        wadi_linear(l->bitmap, wadi_convert(WADI_I64, wadi_shr(bit, wadi_i32(5))));
    const wadi_exp set = wadi_and(wadi_shr(word, wadi_and(bit, wadi_u32(31))), wadi_u32(1));
    return wadi_ne(set, wadi_u32(0));
}

/* ---- one block in a record ---- */

static const char *word_name(int i) {
    static const char *const name[] = {"w0", "w1", "w2", "w3",  "w4",  "w5",  "w6",
                                       "w7", "w8", "w9", "w10", "w11", "w12", "w13"};
    return name[i];
}

static wadi_elem_type block_record(int words) {
    wadi_elem_type e = {.fields = words + 1};
    for (int i = 0; i <= words; i++) {
        e.type[i] = WADI_U32;
        e.name[i] = i < words ? word_name(i) : "bits";
    }
    return e;
}

static wadi_exp try_block(void *env, wadi_exp block) {
    const lookup *l = env;
    wadi_exp m[16];
    for (int i = 0; i < 16; i++) m[i] = i < l->words ? wadi_get(block, word_name(i)) : wadi_u32(0);
    m[14] = wadi_get(block, "bits");
    return is_wanted(l, md5_first_word(m));
}

static wadi_acc try_word(void *env, wadi_acc word) {
    return wadi_tuple2(word, wadi_map_env(try_block, env, word));
}

/* ---- many blocks ---- */

typedef struct message {
    wadi_acc blocks;
} message;

static wadi_exp next_block(void *env, wadi_exp i, wadi_exp before) {
    const message *w = env;
    wadi_exp m[16];
    state s;
    for (int k = 0; k < 16; k++) m[k] = wadi_index2(w->blocks, i, wadi_i64(k));
    for (int k = 0; k < 4; k++) s.at[k] = wadi_get(before, state_names[k]);
    s = compress(s, m);
    return wadi_rec(4, state_names, s.at);
}

static wadi_acc try_message(void *env, wadi_acc blocks) {
    const lookup *l = env;
    message w = {blocks};
    const state first = first_state();
    const wadi_exp last = wadi_iterate_env(wadi_extent(blocks, 0), next_block, &w,
                                           wadi_rec(4, state_names, first.at));
    return wadi_tuple2(blocks, wadi_unit(is_wanted(l, wadi_get(last, "a"))));
}

/* ---- programs ---- */

static lookup declare(md5_class class, int log2_bits) {
    char extent[24];
    (void)snprintf(extent, sizeof extent, "%lld", (1LL << log2_bits) / 32);
    const char *const extents[] = {extent};
    return (lookup){wadi_input("bitmap", WADI_U32, 1, extents), log2_bits, md5_class_words(class)};
}

void md5_build(md5_class class, int log2_bits) {
    static const char *const blocks[] = {"?", "16"};
    lookup l = declare(class, log2_bits);
    wadi_component element = {.elem = block_record(l.words)};
    if (class == MD5_LONG)
        element =
            (wadi_component){.elem = wadi_scalar_elem(WADI_U32), .rank = 2, .extents = blocks};
    const wadi_seq words = wadi_stream_in("words", 1, &element);
    wadi_stream_out(wadi_map_seq_env(class == MD5_LONG ? try_message : try_word, &l, words),
                    "tried");
}

void md5_build_whole(int log2_bits) {
    lookup l = declare(MD5_SHORT, log2_bits);
    const wadi_acc words = wadi_input_rec("words", block_record(l.words), 1, NULL);
    wadi_output("hits", wadi_map_env(try_block, &l, words));
}
