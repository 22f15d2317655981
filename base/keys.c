/* Numbers for keys: open addressing. Where a key is looked for depends on a secret of the table, because keys may come from
 * strangers: who knew which keys meet could send such alone, and each would be compared with all before it.
 *
 * A slot has the key itself where that is one word, so that a key costs one access to memory. Slots of few keys are at most a quarter full: they stay in the
 * cache, and a key that is not in the first slot costs a branch that is guessed wrong. Those of many are at most half full. */
#include "base/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"

enum { FIRST_SLOTS = 64, FEW_SLOTS = 1 << 14, TOGETHER = 64 };

void wadi_keys_init(wadi_keys *k, int words) {
    *k = (wadi_keys){.words = words, .secret = wadi_random_number(k)};
}

void wadi_keys_fini(wadi_keys *k) {
    free(k->key);
    free(k->slot);
    *k = (wadi_keys){.words = k->words, .secret = k->secret};
}

static inline uint64_t hash(const wadi_keys *k, const uint64_t *key) {
    uint64_t h = wadi_hash64(key[0] ^ k->secret);
    for (int i = 1; i < k->words; i++) h = wadi_hash64(h ^ key[i]);
    return h;
}

static bool same(const wadi_keys *k, const uint64_t *a, const uint64_t *b) {
    for (int i = 0; i < k->words; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static uint64_t tag_of(const wadi_keys *k, const uint64_t *key, uint64_t h) {
    return k->words == 1 ? key[0] : h;
}

/* The slot that has the key, whose hash is h, or the free one in which it belongs. */
static size_t slot_of(const wadi_keys *k, const uint64_t *key, uint64_t h) {
    const size_t mask = k->slots - 1;
    const uint64_t tag = tag_of(k, key, h);
    for (size_t at = (size_t)h & mask;; at = (at + 1) & mask) {
        const wadi_keys_slot *s = &k->slot[at];
        if (s->number == 0) return at;
        if (s->tag == tag && (k->words == 1 || same(k, wadi_keys_at(k, s->number - 1), key)))
            return at;
    }
}

static bool more_slots(wadi_keys *k) {
    const size_t slots = k->slots == 0 ? FIRST_SLOTS : 2 * k->slots;
    wadi_keys_slot *slot = calloc(slots, sizeof *slot);
    if (slot == NULL) return false;
    free(k->slot);
    k->slot = slot;
    k->slots = slots;
    for (int64_t i = 0; i < k->n; i++) {
        const uint64_t *key = wadi_keys_at(k, i);
        const uint64_t h = hash(k, key);
        size_t at = (size_t)h & (slots - 1); /* no other slot has the key */
        while (slot[at].number != 0) at = (at + 1) & (slots - 1);
        slot[at] = (wadi_keys_slot){.tag = tag_of(k, key, h), .number = i + 1};
    }
    return true;
}

static bool more_room(wadi_keys *k) {
    const int64_t room = k->room == 0 ? FIRST_SLOTS : 2 * k->room;
    uint64_t *key = realloc(k->key, (size_t)room * (size_t)k->words * sizeof *key);
    if (key == NULL) return false;
    k->key = key;
    k->room = room;
    return true;
}

/* Whether the slots are too full for one key more. */
static bool is_full(const wadi_keys *k) {
    const size_t each = k->slots <= FEW_SLOTS ? 4 : 2;
    return each * ((size_t)k->n + 1) > k->slots;
}

static int64_t number(wadi_keys *k, const uint64_t *key, uint64_t h) {
    if (is_full(k) && !more_slots(k)) return -1;
    const size_t at = slot_of(k, key, h);
    if (k->slot[at].number != 0) return k->slot[at].number - 1;
    if (k->n == k->room && !more_room(k)) return -1;
    memcpy(k->key + k->n * k->words, key, (size_t)k->words * sizeof *key);
    k->slot[at] = (wadi_keys_slot){.tag = tag_of(k, key, h), .number = ++k->n};
    return k->n - 1;
}

int64_t wadi_keys_number(wadi_keys *k, const uint64_t *key) {
    return number(k, key, hash(k, key));
}

/* The numbers of some keys of several words: their slots are asked for, then the keys that those have, then they are compared, so that the memory brings many at the
 * same time. */
static bool number_rows(wadi_keys *k, int64_t n, const uint64_t *key, int64_t *out) {
    uint64_t h[TOGETHER];
    for (int64_t i = 0; i < n; i++) {
        h[i] = hash(k, key + i * k->words);
        __builtin_prefetch(&k->slot[(size_t)h[i] & (k->slots - 1)]);
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t found = k->slot[(size_t)h[i] & (k->slots - 1)].number;
        if (found != 0) __builtin_prefetch(wadi_keys_at(k, found - 1));
    }
    for (int64_t i = 0; i < n; i++, key += k->words) {
        const bool again = i > 0 && same(k, key, key - k->words);
        out[i] = again ? out[i - 1] : number(k, key, h[i]);
        if (out[i] < 0) return false;
    }
    return true;
}

/* The same of keys of one word, most of which are in the first slot in which they are looked for. */
static bool number_words(wadi_keys *k, int64_t n, const uint64_t *key, int64_t *out) {
    uint64_t h[TOGETHER];
    const wadi_keys_slot *slot = k->slot;
    size_t mask = k->slots - 1;
    for (int64_t i = 0; i < n; i++) {
        h[i] = wadi_hash64(key[i] ^ k->secret);
        __builtin_prefetch(&slot[(size_t)h[i] & mask]);
    }
    for (int64_t i = 0; i < n; i++) {
        const wadi_keys_slot *s = &slot[(size_t)h[i] & mask];
        out[i] = s->number - 1;
        if (s->tag == key[i] && s->number != 0) continue;
        out[i] = number(k, key + i, h[i]);
        if (out[i] < 0) return false;
        slot = k->slot; /* they may have become more */
        mask = k->slots - 1;
    }
    return true;
}

/* Whether all of TOGETHER words are the one before them. Both ends are looked at first. */
static bool go_on(const uint64_t *key) {
    uint64_t other = 0;
    if (key[0] != key[-1] || key[TOGETHER - 1] != key[-1]) return false;
    for (int i = 0; i < TOGETHER; i++) other |= key[i] ^ key[-1];
    return other == 0;
}

bool wadi_keys_number_all(wadi_keys *k, int64_t n, const uint64_t *key, int64_t *out) {
    bool fine = k->slots > 0 || more_slots(k);
    for (int64_t i = 0; i < n && fine; i += TOGETHER) {
        const int64_t some = n - i < TOGETHER ? n - i : TOGETHER;
        if (k->words > 1)
            fine = number_rows(k, some, key + i * k->words, out + i);
        else if (i > 0 && some == TOGETHER && go_on(key + i))
            for (int64_t j = i; j < i + TOGETHER; j++) out[j] = out[i - 1];
        else
            fine = number_words(k, some, key + i, out + i);
    }
    return fine;
}

/* The last key has been put behind all others that met it, so its slot becomes free as it was. */
void wadi_keys_forget(wadi_keys *k, int64_t n) {
    for (; k->n > n; k->n--) {
        const uint64_t *last = wadi_keys_at(k, k->n - 1);
        k->slot[slot_of(k, last, hash(k, last))].number = 0;
    }
}

int64_t wadi_keys_bytes(const wadi_keys *k) {
    return k->room * k->words * (int64_t)sizeof *k->key + (int64_t)(k->slots * sizeof *k->slot);
}
