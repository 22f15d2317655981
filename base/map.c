/* Open addressing with linear probing, at most half full; entries are never removed, so a probe ends at the first free slot. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void wadi_map64_init(wadi_map64 *m) {
    *m = (wadi_map64){0};
}

void wadi_map64_fini(wadi_map64 *m) {
    free(m->slots);
    wadi_map64_init(m);
}

/* The slot that holds key, or the free slot where it belongs. Needs a free slot. */
static wadi_map64_slot *find(wadi_map64_slot *slots, size_t cap, uint64_t key) {
    size_t i = (size_t)wadi_hash64(key) & (cap - 1);
    while (slots[i].used && slots[i].key != key) i = (i + 1) & (cap - 1);
    return &slots[i];
}

bool wadi_map64_get(const wadi_map64 *m, uint64_t key, uint64_t *out) {
    if (m->n == 0) return false;
    const wadi_map64_slot *slot = find(m->slots, m->cap, key);
    if (slot->used && out != NULL) *out = slot->value;
    return slot->used;
}

static bool grow_map(wadi_map64 *m) {
    const size_t cap = m->cap == 0 ? 16 : m->cap * 2;
    wadi_map64_slot *slots = calloc(cap, sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i < m->cap; i++) {
        if (m->slots[i].used) *find(slots, cap, m->slots[i].key) = m->slots[i];
    }
    free(m->slots);
    m->slots = slots;
    m->cap = cap;
    return true;
}

bool wadi_map64_put(wadi_map64 *m, uint64_t key, uint64_t value) {
    if (m->n >= m->cap / 2 && !grow_map(m)) return false;
    wadi_map64_slot *slot = find(m->slots, m->cap, key);
    if (!slot->used) m->n++;
    *slot = (wadi_map64_slot){key, value, true};
    return true;
}

void wadi_intern_init(wadi_intern *in) {
    *in = (wadi_intern){0};
}

void wadi_intern_fini(wadi_intern *in) {
    free(in->slots);
    wadi_arena_destroy(in->strings);
    wadi_intern_init(in);
}

static const char **find_string(const char **slots, size_t cap, const char *s, size_t n) {
    size_t i = (size_t)wadi_hash_bytes(s, n) & (cap - 1);
    while (slots[i] != NULL && (strncmp(slots[i], s, n) != 0 || slots[i][n] != '\0')) {
        i = (i + 1) & (cap - 1);
    }
    return &slots[i];
}

static bool grow_intern(wadi_intern *in) {
    if (in->strings == NULL) in->strings = wadi_arena_create();
    if (in->strings == NULL) return false;
    const size_t cap = in->cap == 0 ? 64 : in->cap * 2;
    const char **slots = calloc(cap, sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i < in->cap; i++) {
        const char *s = in->slots[i];
        if (s != NULL) *find_string(slots, cap, s, strlen(s)) = s;
    }
    free(in->slots);
    in->slots = slots;
    in->cap = cap;
    return true;
}

const char *wadi_intern_add_n(wadi_intern *in, const char *s, size_t n) {
    if (in->n >= in->cap / 2 && !grow_intern(in)) return NULL;
    const char **slot = find_string(in->slots, in->cap, s, n);
    if (*slot != NULL) return *slot;
    const char *copy = wadi_arena_strndup(in->strings, s, n);
    if (copy == NULL) return NULL;
    *slot = copy;
    in->n++;
    return copy;
}

const char *wadi_intern_add(wadi_intern *in, const char *s) {
    return wadi_intern_add_n(in, s, strlen(s));
}
