/* Cutting batches into what the library wants: powers of two of problems that lie one behind the other, at aligned addresses. What lies
 * elsewhere, or must survive though the library overwrites it, is copied on the device. Blocks go back to the pool as soon as their use
 * is queued, since calls take effect in their order. */
#include "sched/gpu/transforms.h"

#include "sched/gpu/memory.h"
#include "sched/transform.h"

/* The library's memory of its own grows with a piece. */
static const int64_t piece_bytes = (int64_t)1 << 28;

/* One piece, and the memory that it needs beside the arrays. */
typedef struct piece {
    wadi_gpu_transforms x;
    void *from, *to;        /* in the arrays */
    int64_t in, out;        /* bytes */
    void *own_in, *own_out; /* blocks; NULL: none is needed */
} piece;

static bool is_aligned(const void *at) {
    return wadi_gpu_address(at) % WADI_GPU_TRANSFORM_ALIGN == 0;
}

static bool is_inverse(const wadi_transform *t) {
    return t->kind == WADI_TRANSFORM_INVERSE || t->kind == WADI_TRANSFORM_REAL_INVERSE;
}

/* False when out of memory. */
static bool find_room(const wadi_gpu_primitives *p, piece *c) {
    wadi_buffers *blocks = p->residence->blocks;
    const bool overwritten = c->x.t.kind == WADI_TRANSFORM_REAL_INVERSE;
    c->x.in = c->from;
    c->x.out = c->to;
    if (overwritten || !is_aligned(c->from)) {
        c->own_in = wadi_buffers_get(blocks, c->in);
        c->x.in = wadi_buffers_address(c->own_in);
    }
    if (!is_aligned(c->to)) {
        c->own_out = wadi_buffers_get(blocks, c->out);
        c->x.out = wadi_buffers_address(c->own_out);
    }
    return c->x.in != NULL && c->x.out != NULL;
}

static bool transform(wadi_gpu_primitives *p, piece *c) {
    const wadi_transform *t = &c->x.t;
    if (c->own_in != NULL) wadi_residence_copy(p->residence, c->x.in, c->from, c->in);
    if (!p->driver->ops->transform(p->driver, &c->x)) return false;
    if (is_inverse(t))
        wadi_gpu_scale_run(p, t->is_double != 0, c->x.out, c->out / (t->is_double != 0 ? 8 : 4),
                           wadi_transform_size(t));
    if (c->own_out != NULL) wadi_residence_copy(p->residence, c->to, c->x.out, c->out);
    return true;
}

static bool run_piece(wadi_gpu_primitives *p, const wadi_transform *t, void *from, void *to,
                      int64_t count) {
    piece c = {.x = {.t = *t, .count = count},
               .from = from,
               .to = to,
               .in = count * wadi_transform_in_bytes(t),
               .out = count * wadi_transform_out_bytes(t)};
    const bool done = find_room(p, &c) && transform(p, &c);
    wadi_buffers_put(c.own_in);
    wadi_buffers_put(c.own_out);
    return done;
}

static int64_t most_problems(const wadi_transform *t) {
    const int64_t each = wadi_transform_in_bytes(t) + wadi_transform_out_bytes(t);
    int64_t most = 1;
    while (2 * most * each <= piece_bytes) most *= 2;
    return most;
}

static bool run_call(wadi_gpu_primitives *p, const wadi_call *call) {
    wadi_transform t;
    if (!wadi_transform_of(call, &t)) return false;
    bool fine = true;
    for (int64_t i = 0; fine && i < call->count;) {
        int64_t left = wadi_transform_together(&t, call, i), n = most_problems(&t);
        for (; fine && left > 0; left -= n, i += n) {
            while (n > left) n /= 2;
            fine = run_piece(p, &t, wadi_transform_from(&t, call, i),
                             wadi_transform_to(&t, call, i), n);
        }
    }
    return fine;
}

bool wadi_gpu_transforms_run(wadi_gpu_primitives *p, const wadi_device_calls *batch) {
    bool fine = p->driver->ops->transform != NULL;
    for (int64_t i = 0; fine && i < batch->problems;) {
        wadi_call call = {0};
        batch->describe(batch->self, i, batch->problems, &call);
        fine = run_call(p, &call);
        i += call.count;
    }
    return fine;
}
