/* Numbers for keys: open addressing, at most half full. Where a key is looked for depends on a secret of the table, because keys may come from
 * strangers: who knew which keys meet could send such alone, and each would be compared with all before it. */
#include "base/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"

enum { FIRST_SLOTS = 64, TOGETHER = 64 };

void wadi_keys_init(wadi_keys *k, int words) {
    *k = (wadi_keys){.words = words, .secret = wadi_random_number(k)};
}

void wadi_keys_fini(wadi_keys *k) {
    free(k->key);
    free(k->first);
    *k = (wadi_keys){.words = k->words, .secret = k->secret};
}

static uint64_t hash(const wadi_keys *k, const uint64_t *key) {
    uint64_t h = wadi_hash64(key[0] ^ k->secret);
    for (int i = 1; i < k->words; i++) h = wadi_hash64(h ^ key[i]);
    return h;
}

static bool same(const wadi_keys *k, const uint64_t *a, const uint64_t *b) {
    for (int i = 0; i < k->words; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* The slot that has the key, whose hash is h, or the free one in which it belongs. */
static size_t slot_of(const wadi_keys *k, const uint64_t *key, uint64_t h) {
    const size_t mask = k->slots - 1;
    size_t at = (size_t)h & mask;
    while (k->first[at] != 0 && !same(k, wadi_keys_at(k, k->first[at] - 1), key))
        at = (at + 1) & mask;
    return at;
}

static bool more_slots(wadi_keys *k) {
    const size_t slots = k->slots == 0 ? FIRST_SLOTS : 2 * k->slots;
    int64_t *first = calloc(slots, sizeof *first);
    if (first == NULL) return false;
    free(k->first);
    k->first = first;
    k->slots = slots;
    for (int64_t i = 0; i < k->n; i++) {
        const uint64_t *key = wadi_keys_at(k, i);
        first[slot_of(k, key, hash(k, key))] = i + 1;
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

static int64_t number(wadi_keys *k, const uint64_t *key, uint64_t h) {
    if (2 * ((size_t)k->n + 1) > k->slots && !more_slots(k)) return -1;
    const size_t at = slot_of(k, key, h);
    if (k->first[at] != 0) return k->first[at] - 1;
    if (k->n == k->room && !more_room(k)) return -1;
    memcpy(k->key + k->n * k->words, key, (size_t)k->words * sizeof *key);
    k->first[at] = ++k->n;
    return k->n - 1;
}

int64_t wadi_keys_number(wadi_keys *k, const uint64_t *key) {
    return number(k, key, hash(k, key));
}

/* The slots of some keys are asked for, then their keys, then they are compared: the memory brings many at the same time. */
static bool number_some(wadi_keys *k, int64_t n, const uint64_t *key, int64_t *out) {
    uint64_t h[TOGETHER];
    for (int64_t i = 0; i < n; i++) {
        h[i] = hash(k, key + i * k->words);
        if (k->slots > 0) __builtin_prefetch(&k->first[(size_t)h[i] & (k->slots - 1)]);
    }
    for (int64_t i = 0; i < n && k->slots > 0; i++) {
        const int64_t first = k->first[(size_t)h[i] & (k->slots - 1)];
        if (first != 0) __builtin_prefetch(wadi_keys_at(k, first - 1));
    }
    for (int64_t i = 0; i < n; i++, key += k->words) {
        const bool again = i > 0 && same(k, key, key - k->words);
        out[i] = again ? out[i - 1] : number(k, key, h[i]);
        if (out[i] < 0) return false;
    }
    return true;
}

bool wadi_keys_number_all(wadi_keys *k, int64_t n, const uint64_t *key, int64_t *out) {
    bool fine = true;
    for (int64_t i = 0; i < n && fine; i += TOGETHER)
        fine = number_some(k, n - i < TOGETHER ? n - i : TOGETHER, key + i * k->words, out + i);
    return fine;
}

/* The last key has been put behind all others that met it, so its slot becomes free as it was. */
void wadi_keys_forget(wadi_keys *k, int64_t n) {
    for (; k->n > n; k->n--) {
        const uint64_t *last = wadi_keys_at(k, k->n - 1);
        k->first[slot_of(k, last, hash(k, last))] = 0;
    }
}

int64_t wadi_keys_bytes(const wadi_keys *k) {
    return k->room * k->words * (int64_t)sizeof *k->key + (int64_t)(k->slots * sizeof *k->first);
}
