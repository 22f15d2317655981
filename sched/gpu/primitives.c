/* Building the primitives and launching them. What they are told goes to a block of device memory, which the pool may give to others as
 * soon as the launch is queued, since calls take effect in their order. */
#include "sched/gpu/primitives.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sched/gpu/groups.h"
#include "sched/gpu/memory.h"
#include "sched/gpu/rt_embed.h"

static const int64_t word = (int64_t)sizeof(int64_t);

/* ---- building ---- */

enum { IOTA, SCAN_TOTALS, SCAN_ROUNDS, COUNT, COPY, SCALE_F32, SCALE_F64 };
enum { ALWAYS = COPY + 1 /* the first that only some devices have */ };

static const char *const names[WADI_GPU_PRIMITIVES] = {[IOTA] = "wadi_primitive_iota",
                                                       [SCAN_TOTALS] = "wadi_primitive_scan_totals",
                                                       [SCAN_ROUNDS] = "wadi_primitive_scan_rounds",
                                                       [COUNT] = "wadi_primitive_count",
                                                       [COPY] = "wadi_primitive_copy",
                                                       [SCALE_F32] = "wadi_primitive_scale_f32",
                                                       [SCALE_F64] = "wadi_primitive_scale_f64"};

void wadi_gpu_primitives_init(wadi_gpu_primitives *p, wadi_gpu_driver *driver,
                              const wadi_residence *residence, wadi_buffers *buffers) {
    *p = (wadi_gpu_primitives){.driver = driver, .residence = residence, .buffers = buffers};
}

void wadi_gpu_primitives_fini(wadi_gpu_primitives *p) {
    if (p->driver != NULL) p->driver->images->unload(&p->kernels);
}

static wadi_status load(wadi_gpu_primitives *p, wadi_error *err) {
    const wadi_image_ops *images = p->driver->images;
    const bool scales = p->driver->ops->transform != NULL;
    const int n = scales ? WADI_GPU_PRIMITIVES : ALWAYS;
    wadi_text t = {0};
    wadi_text_addf(&t, "/* %s: %s */\n", WADI_IMAGE_KEY, WADI_GPU_PRIMITIVES_KEY);
    wadi_text_add(&t, p->driver->dialect);
    wadi_text_add(&t, wadi_embed_call);
    wadi_text_add(&t, wadi_embed_item);
    wadi_text_add(&t, wadi_embed_tasks);
    wadi_text_add(&t, wadi_embed_primitives);
    if (scales) wadi_text_add(&t, wadi_embed_scale);
    const wadi_image image = {.bytes = t.at, .n = t.n + 1, .fd = -1};
    wadi_status status =
        t.failed ? wadi_fail(err, WADI_MEMORY, "%s: out of memory", p->driver->name)
                 : images->load(images, &image, WADI_GPU_PRIMITIVES_KEY, &p->kernels, err);
    wadi_text_fini(&t);
    for (int i = 0; i < n && status == WADI_OK; i++)
        status = images->find(&p->kernels, names[i], &p->code[i], err);
    return status;
}

static bool fail(wadi_gpu_primitives *p, wadi_status status) {
    if (p->failed == WADI_OK) p->failed = status;
    return false;
}

static bool no_memory(wadi_gpu_primitives *p) {
    return fail(p, wadi_fail(p->failed == WADI_OK ? &p->why : NULL, WADI_MEMORY,
                             "%s: out of memory", p->driver->name));
}

static bool is_ready(wadi_gpu_primitives *p) {
    if (p->failed != WADI_OK) return false;
    if (p->built) return true;
    const wadi_status status = load(p, &p->why);
    if (status != WADI_OK) {
        p->driver->images->unload(&p->kernels);
        return fail(p, status);
    }
    p->built = true;
    return true;
}

wadi_status wadi_gpu_primitives_tell(wadi_gpu_primitives *p, wadi_error *err) {
    const wadi_status status = p->failed;
    if (status != WADI_OK && err != NULL) *err = p->why;
    p->failed = WADI_OK;
    return status;
}

/* ---- launching ---- */

static int64_t groups_for(const wadi_gpu_primitives *p, int primitive, int64_t rounds) {
    return wadi_gpu_groups(p->driver, p->code[primitive], rounds);
}

static int64_t rounds_of(int64_t n) {
    return (n + WADI_GPU_ROUND - 1) / WADI_GPU_ROUND;
}

/* n: the kernel's, `groups` for it. The task has been put to `told`. */
static void launch(const wadi_gpu_primitives *p, int primitive, int64_t n, int64_t groups,
                   const void *told) {
    const wadi_gpu_call call = {.n = n, .step = 1, .slot = wadi_gpu_address(told)};
    p->driver->ops->launch(p->driver, p->code[primitive], groups, &call);
}

/* A launch whose task is all that must be sent. */
static void run(wadi_gpu_primitives *p, int primitive, int64_t n, int64_t groups, const void *task,
                int64_t bytes) {
    void *block = wadi_buffers_get(p->residence->blocks, bytes);
    if (block == NULL) {
        (void)no_memory(p);
        return;
    }
    wadi_residence_put(p->residence, wadi_buffers_address(block), task, bytes);
    launch(p, primitive, n, groups, wadi_buffers_address(block));
    wadi_buffers_put(block);
}

void wadi_gpu_iota_run(wadi_gpu_primitives *p, int64_t *to, int64_t n, int64_t first) {
    const wadi_gpu_iota task = {.to = wadi_gpu_address(to), .first = first};
    if (n <= 0 || !is_ready(p)) return;
    run(p, IOTA, n, groups_for(p, IOTA, (n + WADI_GPU_LANES - 1) / WADI_GPU_LANES), &task,
        sizeof task);
}

void wadi_gpu_scale_run(wadi_gpu_primitives *p, bool is_double, void *at, int64_t n,
                        int64_t divisor) {
    const wadi_gpu_scaling task = {.at = wadi_gpu_address(at), .divisor = divisor};
    if (n <= 0 || !is_ready(p)) return;
    const int scale = is_double ? SCALE_F64 : SCALE_F32;
    run(p, scale, n, groups_for(p, scale, (n + WADI_GPU_LANES - 1) / WADI_GPU_LANES), &task,
        sizeof task);
}

/* ---- scan ---- */

/* The rounds' totals are summed up by the same means. */
static void sum_up(wadi_gpu_primitives *p, int64_t *at, int64_t n) {
    const int64_t rounds = rounds_of(n);
    wadi_gpu_scan task = {.at = wadi_gpu_address(at), .n = n};
    void *totals = NULL;
    if (rounds > 1) {
        totals = wadi_buffers_get(p->residence->blocks, (rounds + 1) * word);
        if (totals == NULL) {
            (void)no_memory(p);
            return;
        }
        task.total = wadi_gpu_address(wadi_buffers_address(totals));
        run(p, SCAN_TOTALS, rounds, groups_for(p, SCAN_TOTALS, rounds), &task, sizeof task);
        sum_up(p, wadi_buffers_address(totals), rounds);
    }
    run(p, SCAN_ROUNDS, rounds, groups_for(p, SCAN_ROUNDS, rounds), &task, sizeof task);
    wadi_buffers_put(totals);
}

int64_t wadi_gpu_scan_run(wadi_gpu_primitives *p, int64_t *at, int64_t n) {
    int64_t sum = 0;
    if (!is_ready(p)) return 0;
    sum_up(p, at, n);
    if (p->failed == WADI_OK) wadi_residence_get(p->residence, &sum, at + n, word);
    return sum;
}

/* ---- count ---- */

int64_t wadi_gpu_count_run(wadi_gpu_primitives *p, const void *bools, int64_t n) {
    int64_t yes = 0;
    if (n <= 0 || !is_ready(p)) return 0;
    const int64_t groups = groups_for(p, COUNT, rounds_of(n));
    void *block = wadi_buffers_get(p->residence->blocks, groups * word);
    int64_t *each = wadi_buffers_get(p->buffers, groups * word);
    if (block != NULL && each != NULL) {
        const wadi_gpu_count task = {.bools = wadi_gpu_address(bools),
                                     .yes = wadi_gpu_address(wadi_buffers_address(block)),
                                     .n = n};
        run(p, COUNT, n, groups, &task, sizeof task);
    } else {
        (void)no_memory(p);
    }
    if (p->failed == WADI_OK) {
        wadi_residence_get(p->residence, each, wadi_buffers_address(block), groups * word);
        for (int64_t i = 0; i < groups; i++) yes += each[i];
    }
    wadi_buffers_put(block);
    wadi_buffers_put(each);
    return yes;
}

/* ---- copies of elements ---- */

static void copy(wadi_gpu_primitives *p, const wadi_gpu_copying *task, const void *told) {
    const int64_t rounds = rounds_of(task->total);
    launch(p, COPY, rounds, groups_for(p, COPY, rounds), told);
}

void wadi_gpu_copy_run(wadi_gpu_primitives *p, const wadi_gpu_copying *task) {
    const int64_t rounds = rounds_of(task->total);
    if (rounds == 0 || !is_ready(p)) return;
    run(p, COPY, rounds, groups_for(p, COPY, rounds), task, sizeof *task);
}

/* A gather, with all that must be sent for it in one block: the task, columns, and what tells where elements come from and go. */
typedef struct gathering {
    const wadi_device_gather *g;
    wadi_gpu_copying task;
    int32_t sources;
    bool even;     /* targets are evenly spaced, */
    bool in_order; /* and elements come one after the other from one source */
    char *host;    /* the block here, */
    uint64_t at;   /* and there */
    int64_t used;
} gathering;

static const wadi_device_source *source_of(const wadi_device_gather *g, int64_t i) {
    return &g->source[g->which != NULL ? g->which[i] : 0];
}

/* The value at which element i begins in its source. */
static int64_t start_of(const wadi_device_gather *g, int64_t i) {
    const wadi_device_source *from = source_of(g, i);
    const int64_t e = g->index != NULL ? g->index[i] : i;
    if (from->kind == WADI_SLOT_ONCE) return 0;
    if (from->kind == WADI_SLOT_IRREGULAR) return from->slot.offset[e];
    return g->p->rank == 0 ? e : e * from->slot.stride;
}

static int32_t sources_of(const wadi_device_gather *g) {
    int32_t most = 0;
    for (int64_t i = 0; g->which != NULL && i < g->n; i++)
        if (g->which[i] > most) most = g->which[i];
    return most + 1;
}

static gathering start(const wadi_device_gather *g) {
    const wadi_plan_slot *p = g->p;
    gathering k = {.g = g, .sources = sources_of(g), .even = p->kind != WADI_SLOT_IRREGULAR};
    k.task = (wadi_gpu_copying){.n = g->n, .total = g->total, .each = -1, .fields = p->fields};
    if (k.even) k.task.each = p->rank == 0 ? 1 : g->to->stride;
    k.in_order = g->which == NULL && g->index == NULL && g->source->kind != WADI_SLOT_IRREGULAR;
    if (k.in_order) k.task.stride = g->n > 1 ? start_of(g, 1) : 0;
    for (int f = 0; f < p->fields; f++) {
        k.task.size[f] = wadi_type_size(p->type[f]);
        k.task.to[f] = wadi_gpu_address(g->to->col[f]);
    }
    return k;
}

static int64_t bytes_of(const gathering *k) {
    const int64_t n = k->g->n;
    int64_t words = (int64_t)k->sources * k->task.fields;
    if (!k->even) words += n + 1;
    if (!k->in_order) words += n;
    if (k->g->which != NULL) words += (n + 1) / 2;
    return (int64_t)sizeof k->task + words * word;
}

/* Room for n words; *out_at is where they will be on the device. */
static void *add(gathering *k, int64_t words, uint64_t *out_at) {
    char *to = k->host + k->used;
    *out_at = k->at + (uint64_t)k->used;
    k->used += words * word;
    return to;
}

static void fill(gathering *k) {
    const wadi_device_gather *g = k->g;
    k->used = (int64_t)sizeof k->task;
    uint64_t *column = add(k, (int64_t)k->sources * k->task.fields, &k->task.source);
    for (int32_t s = 0; s < k->sources; s++)
        for (int f = 0; f < g->p->fields; f++)
            *column++ = wadi_gpu_address(g->source[s].slot.col[f]);
    if (!k->even) {
        const int64_t n = g->n + 1;
        memcpy(add(k, n, &k->task.offset), g->to->offset, (size_t)(n * word));
    }
    if (!k->in_order) {
        int64_t *first = add(k, g->n, &k->task.start);
        for (int64_t i = 0; i < g->n; i++) first[i] = start_of(g, i);
    }
    if (g->which != NULL)
        memcpy(add(k, (g->n + 1) / 2, &k->task.which), g->which, (size_t)g->n * sizeof *g->which);
    memcpy(k->host, &k->task, sizeof k->task);
}

void wadi_gpu_gather_run(wadi_gpu_primitives *p, const wadi_device_gather *g) {
    if (g->total <= 0 || g->n <= 0 || !is_ready(p)) return;
    gathering k = start(g);
    const int64_t bytes = bytes_of(&k);
    void *block = wadi_buffers_get(p->residence->blocks, bytes);
    k.host = wadi_buffers_get(p->buffers, bytes);
    if (block != NULL && k.host != NULL) {
        void *told = wadi_buffers_address(block);
        k.at = wadi_gpu_address(told);
        fill(&k);
        wadi_residence_put(p->residence, told, k.host, k.used);
        copy(p, &k.task, told);
    } else {
        (void)no_memory(p);
    }
    wadi_buffers_put(block);
    wadi_buffers_put(k.host);
}
