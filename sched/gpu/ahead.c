/* A block that is sent to again waits on the machine for the calls that have used it, so the host waits for nothing. */
#include "sched/gpu/ahead.h"

enum { PART = 8 /* of the device's memory, for all blocks */, ALIGN = 256 };

static wadi_gpu_ahead_block *block_of(wadi_ahead *self) {
    return (wadi_gpu_ahead_block *)self;
}

/* ---- whoever refers to a block ---- */

static bool use(wadi_ahead *self) {
    wadi_gpu_ahead_block *b = block_of(self);
    wadi_gpu_driver *d = b->of->driver;
    wadi_mutex_lock(&b->of->lock);
    const bool first = b->state == WADI_GPU_AHEAD_SENT;
    if (first) b->state = WADI_GPU_AHEAD_USED;
    const bool there = b->state == WADI_GPU_AHEAD_USED;
    wadi_mutex_unlock(&b->of->lock);
    if (first) d->ops->beside->after(d, b->sent);
    return there;
}

/* The lock is held. */
static void drop(wadi_gpu_ahead_block *b) {
    wadi_gpu_driver *d = b->of->driver;
    d->ops->give(d, b->at, (size_t)b->bytes);
    b->at = NULL;
    b->bytes = 0;
}

static void release(wadi_ahead *self) {
    wadi_gpu_ahead_block *b = block_of(self);
    wadi_gpu_driver *d = b->of->driver;
    const uint64_t now = d->ops->beside->now(d);
    wadi_mutex_lock(&b->of->lock);
    b->used = now;
    b->state = WADI_GPU_AHEAD_FREE;
    if (b->of->off && b->at != NULL) drop(b);
    wadi_mutex_unlock(&b->of->lock);
}

/* ---- sending ---- */

static int64_t rounded(int64_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* A free block, the largest; NULL: there is none, or nothing is to be sent. */
static wadi_gpu_ahead_block *find(wadi_gpu_ahead *a) {
    wadi_gpu_ahead_block *found = NULL;
    wadi_mutex_lock(&a->lock);
    for (int i = 0; !a->off && i < WADI_GPU_AHEAD; i++) {
        wadi_gpu_ahead_block *b = &a->block[i];
        if (b->state == WADI_GPU_AHEAD_FREE && (found == NULL || b->bytes > found->bytes))
            found = b;
    }
    if (found != NULL) found->state = WADI_GPU_AHEAD_SENDING;
    wadi_mutex_unlock(&a->lock);
    return found;
}

/* Whether the block holds so many bytes, or does so now: with some room for the chunks that follow. */
static bool make_room(wadi_gpu_ahead_block *b, int64_t bytes) {
    wadi_gpu_ahead *a = b->of;
    if (b->at != NULL && b->bytes >= bytes) return true;
    const int64_t more = rounded(bytes + bytes / 2), most = a->most > bytes ? a->most : bytes;
    if (b->at != NULL) drop(b);
    b->bytes = more < most ? more : most;
    b->at = a->driver->ops->take(a->driver, (size_t)b->bytes);
    return b->at != NULL;
}

static void send_all(wadi_gpu_ahead_block *b, int n, const wadi_ahead_column *column, void **out) {
    wadi_gpu_driver *d = b->of->driver;
    char *at = b->at;
    b->sent = 0;
    for (int i = 0; i < n; i++) {
        const uint64_t mark =
            d->ops->beside->send(d, at, column[i].from, (size_t)column[i].bytes, b->used);
        out[i] = at;
        at += rounded(column[i].bytes);
        if (mark > 0) b->sent = mark;
    }
}

/* What has been sent stays, unless memory has run out meanwhile. */
static wadi_ahead *finish(wadi_gpu_ahead_block *b, bool sent) {
    wadi_mutex_lock(&b->of->lock);
    if (!sent) b->of->off = true;
    const bool stays = !b->of->off;
    b->state = stays ? WADI_GPU_AHEAD_SENT : WADI_GPU_AHEAD_FREE;
    if (!stays && b->at != NULL) drop(b);
    wadi_mutex_unlock(&b->of->lock);
    return stays ? &b->base : NULL;
}

wadi_ahead *wadi_gpu_ahead_send(wadi_gpu_ahead *a, int n, const wadi_ahead_column *column,
                                void **out) {
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) bytes += rounded(column[i].bytes);
    if (bytes == 0 || bytes > a->most) return NULL;
    wadi_gpu_ahead_block *b = find(a);
    if (b == NULL) return NULL;
    const bool room = make_room(b, bytes);
    if (room) send_all(b, n, column, out);
    return finish(b, room);
}

bool wadi_gpu_ahead_relieve(wadi_gpu_ahead *a) {
    bool freed = false;
    wadi_mutex_lock(&a->lock);
    a->off = true;
    for (int i = 0; i < WADI_GPU_AHEAD; i++) {
        wadi_gpu_ahead_block *b = &a->block[i];
        const bool waits = b->state == WADI_GPU_AHEAD_SENT;
        if (b->at == NULL || (!waits && b->state != WADI_GPU_AHEAD_FREE)) continue;
        if (waits) b->state = WADI_GPU_AHEAD_DROPPED;
        drop(b);
        freed = true;
    }
    wadi_mutex_unlock(&a->lock);
    return freed;
}

/* ---- life ---- */

wadi_status wadi_gpu_ahead_init(wadi_gpu_ahead *a, wadi_gpu_driver *driver, wadi_error *err) {
    *a = (wadi_gpu_ahead){.driver = driver, .most = driver->memory / PART / WADI_GPU_AHEAD};
    for (int i = 0; i < WADI_GPU_AHEAD; i++)
        a->block[i] = (wadi_gpu_ahead_block){.base = {use, release}, .of = a};
    return wadi_mutex_init(&a->lock, err);
}

void wadi_gpu_ahead_fini(wadi_gpu_ahead *a) {
    for (int i = 0; i < WADI_GPU_AHEAD; i++)
        if (a->block[i].at != NULL) drop(&a->block[i]);
    wadi_mutex_fini(&a->lock);
}
