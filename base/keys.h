/* Numbers for keys: the first key that comes is 0, the next other one 1, and so on. A key is a row of 64-bit words. */
#ifndef WADI_BASE_KEYS_H
#define WADI_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key where it is looked for. */
typedef struct wadi_keys_slot {
    uint64_t tag;   /* a key of one word; of others the hash */
    int64_t number; /* of the key, and 1; 0: free */
} wadi_keys_slot;

typedef struct wadi_keys {
    int words;            /* of a key, at least 1 */
    uint64_t secret;      /* of the table: who sends keys does not know which of them meet */
    int64_t n;            /* keys so far, numbered from 0 */
    int64_t room;         /* for keys */
    uint64_t *key;        /* [n][words] */
    size_t slots;         /* 0, or a power of two and more than n */
    wadi_keys_slot *slot; /* [slots] */
} wadi_keys;

/* Draws the secret. Numbers do not depend on it. */
void wadi_keys_init(wadi_keys *k, int words);
void wadi_keys_fini(wadi_keys *k); /* harmless if all zero */
/* The number of the key, which is added if it is new; -1: out of memory, and nothing has changed. */
int64_t wadi_keys_number(wadi_keys *k, const uint64_t *key);
/* The numbers of n keys, one behind the other; together they wait less for memory. False: out of memory; those before have been added. */
bool wadi_keys_number_all(wadi_keys *k, int64_t n, const uint64_t *key, int64_t *out);
/* Forgets all keys but the first n. */
void wadi_keys_forget(wadi_keys *k, int64_t n);
static inline const uint64_t *wadi_keys_at(const wadi_keys *k, int64_t number) {
    return k->key + number * k->words;
}
int64_t wadi_keys_bytes(const wadi_keys *k);

#endif
