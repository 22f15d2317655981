/* The driver of CUDA's machines, over doubles: memory, copies and launches in their order; every failure is told, once, by its
 * name, and nothing is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nvrtc.h"
#include "base/text.h"
#include "sched/cuda/driver.h"
#include "sched/cuda/images.h"
#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt_embed.h"
#include "tests/devices/doubles.h"

#define KEY "0123abcd"

/* Every element becomes the sum of what its group has: lanes read what other lanes have written. The group's last number is that of groups. */
static const char kernels[] =
    "WADI_KERNEL(sums) {\n"
    "    WADI_ITEM\n"
    "    WADI_LOCAL int64_t part[64];\n"
    "    int64_t *const at = WADI_AT(w, int64_t, call.slot);\n"
    "    part[w->lane] = at[w->item];\n"
    "    for (int n = 32; n > 0; n /= 2) {\n"
    "        WADI_BARRIER\n"
    "        const int64_t other = w->lane < n ? part[w->lane + n] : 0;\n"
    "        WADI_BARRIER\n"
    "        if (w->lane < n) part[w->lane] += other;\n"
    "    }\n"
    "    WADI_BARRIER\n"
    "    at[w->item] = part[0] + (int64_t)call.origin;\n"
    "}\n"
    "WADI_KERNEL(apart) {\n"
    "    WADI_ITEM\n"
    "    if (w->lane != 7) WADI_BARRIER\n"
    "}\n"
    "WADI_KERNEL(add) {\n"
    "    WADI_ITEM\n"
    "    (void)wadi_add32(WADI_AT(w, uint32_t, call.slot), (uint32_t)call.n);\n"
    "}\n";

static wadi_text text_of(const char *body, const char *key) {
    wadi_text t = {0};
    wadi_text_add(&t, wadi_embed_cuda);
    wadi_text_add(&t, wadi_embed_call);
    wadi_text_add(&t, wadi_embed_item);
    wadi_text_add(&t, body);
    if (key != NULL)
        wadi_text_addf(&t, "extern \"C\" __global__ void %s_%s() {}\n", WADI_IMAGE_KEY, key);
    return t;
}

static wadi_image image; /* of `kernels` */

static int build(void **state) {
    wadi_error err = {0};
    (void)state;
    wadi_text t = text_of(kernels, KEY);
    image.fd = -1;
    if (wadi_nvrtc_compile(wadi_text_str(&t), "sm_80", false, &image.bytes, &image.n, &err) !=
        WADI_OK)
        fail_msg("%s", err.msg);
    wadi_text_fini(&t);
    return 0;
}

static int forget(void **state) {
    (void)state;
    free(image.bytes);
    return 0;
}

/* Opens number 0 and its kernels. */
typedef struct opened {
    wadi_gpu_driver *d;
    wadi_kernels kernels;
} opened;

static opened open_all(void) {
    opened o = {0};
    wadi_error err = {0};
    if (wadi_cuda_driver_open(0, &o.d, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (o.d->images->load(o.d->images, &image, KEY, &o.kernels, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return o;
}

static void close_all(opened *o) {
    o->d->images->unload(&o->kernels);
    o->d->ops->destroy(o->d);
    assert_int_equal(doubles_held(), 0);
}

static wadi_code find(const opened *o, const char *name) {
    wadi_code code = {0};
    assert_int_equal(o->d->images->find(&o->kernels, name, &code, NULL), WADI_OK);
    return code;
}

/* ---- what works ---- */

enum { GROUPS = 3, N = GROUPS * 64 };

static void calls_take_effect_in_their_order(void **state) {
    (void)state;
    opened o = open_all();
    const wadi_gpu_driver_ops *ops = o.d->ops;
    int64_t host[N], seen[N];
    const size_t bytes = sizeof host;
    void *a = ops->take(o.d, bytes), *b = ops->take(o.d, bytes);
    assert_int_equal((uintptr_t)a % 256, 0);
    for (int i = 0; i < N; i++) host[i] = i;
    ops->put(o.d, a, host, bytes);
    memset(host, 0x55, bytes); /* it has been read */
    ops->copy(o.d, b, a, bytes);
    const wadi_gpu_call call = {.origin = 77, .slot = (uintptr_t)a};
    ops->launch(o.d, find(&o, "sums"), GROUPS, &call);
    ops->get(o.d, host, a, bytes);
    ops->get(o.d, seen, b, bytes);
    for (int i = 0; i < N; i++) {
        assert_int_equal(seen[i], i);
        assert_int_equal(host[i], 64 * (i / 64 * 64) + 63 * 64 / 2);
    }
    assert_int_equal(ops->wait(o.d, NULL), WADI_OK);
    assert_true(ops->busy_ns(o.d) > 0);
    ops->give(o.d, a, bytes);
    ops->give(o.d, b, bytes);
    close_all(&o);
}

/* More than what is staged, in pieces of all sizes, then one that is large. */
static void many_copies_arrive_whole(void **state) {
    (void)state;
    enum { PIECES = 700, PIECE = 3001, LARGE = 3 << 20 };
    opened o = open_all();
    const wadi_gpu_driver_ops *ops = o.d->ops;
    char *host = malloc(LARGE), *seen = malloc(LARGE), *at = ops->take(o.d, LARGE);
    for (int i = 0; i < LARGE; i++) host[i] = (char)(i * 7 + i / 4096);
    for (int i = 0; i < PIECES; i++) {
        char piece[PIECE];
        memcpy(piece, host + (size_t)i * PIECE, PIECE);
        ops->put(o.d, at + (size_t)i * PIECE, piece, (size_t)(i % PIECE));
        ops->put(o.d, at + (size_t)i * PIECE + i % PIECE, piece + i % PIECE,
                 (size_t)(PIECE - i % PIECE));
        memset(piece, 0, PIECE);
    }
    assert_true(doubles_calls("cuStreamSynchronize") < PIECES / 50);
    ops->get(o.d, seen, at, PIECES * PIECE);
    assert_memory_equal(seen, host, PIECES * PIECE);
    char *large = malloc(LARGE);
    memcpy(large, host, LARGE);
    ops->put(o.d, at, large, LARGE);
    memset(large, 0, LARGE);
    ops->get(o.d, seen, at, LARGE);
    assert_memory_equal(seen, host, LARGE);
    ops->give(o.d, at, LARGE);
    free(large);
    free(host);
    free(seen);
    close_all(&o);
}

/* ---- copies beside ---- */

static void fill_with(int64_t *at, int n, int64_t first) {
    for (int i = 0; i < n; i++) at[i] = first + i;
}

/* What three chunks go through: in all streams there is something to do at the same time, and each waits for what it needs. */
static void go_through(const char *words, int chunks) {
    enum { MOST = 40 };
    doubles_set(words);
    opened o = open_all();
    const wadi_gpu_beside *b = o.d->ops->beside;
    const size_t bytes = N * sizeof(int64_t);
    int64_t *home[MOST], host[N];
    char *in[2] = {o.d->ops->take(o.d, bytes), o.d->ops->take(o.d, bytes)};
    char *out[MOST];
    uint64_t sent[2] = {0, 0}, used[2] = {0, 0}, fetched[MOST];
    for (int c = 0; c <= chunks; c++) {
        if (c < chunks) { /* the next one is sent */
            fill_with(host, N, 1000 * c);
            sent[c % 2] = b->send(o.d, in[c % 2], host, bytes, used[c % 2]);
            memset(host, 0x55, sizeof host);
        }
        if (c == 0) continue;
        const int i = c - 1; /* and this one computed */
        const wadi_gpu_call call = {.slot = (uintptr_t)in[i % 2]};
        b->after(o.d, sent[i % 2]);
        o.d->ops->launch(o.d, find(&o, "sums"), GROUPS, &call);
        out[i] = o.d->ops->take(o.d, bytes);
        home[i] = b->pin(o.d, bytes);
        o.d->ops->copy(o.d, out[i], in[i % 2], bytes);
        used[i % 2] = b->now(o.d);
        fetched[i] = b->fetch(o.d, home[i], out[i], bytes);
    }
    for (int i = 0; i < chunks; i++) {
        assert_int_equal(b->arrived(o.d, fetched[i], NULL), WADI_OK);
        for (int k = 0; k < N; k++)
            assert_int_equal(home[i][k], 64 * 1000 * i + 64 * (k / 64 * 64) + 63 * 64 / 2);
        b->unpin(o.d, home[i]);
        o.d->ops->give(o.d, out[i], bytes);
    }
    o.d->ops->give(o.d, in[0], bytes);
    o.d->ops->give(o.d, in[1], bytes);
    assert_int_equal(o.d->ops->wait(o.d, NULL), WADI_OK);
    close_all(&o);
}

static void three_chunks_are_under_way_at_once(void **state) {
    (void)state;
    go_through("", 3);
    assert_int_equal(doubles_at_once(), 3);
    go_through("", 40); /* more than there are events */
}

/* A stream that does not wait comes too early. */
static void each_queue_waits_for_what_it_needs(void **state) {
    (void)state;
    go_through("early=1", 5);
    go_through("early=2", 5);
    go_through("early=3", 5);
}

/* More than the ring holds is sent and got piece by piece, with as much pinned memory as there is: for four pieces, two, one, or none. */
static void pieces_of_large_copies_arrive(void **state) {
    (void)state;
    enum { LARGE = (9 << 20) + 77, PIECE = 1 << 20 };
    static const long pinned[] = {100 * PIECE, 3 * PIECE, PIECE, 0};
    char *host = malloc(LARGE), *seen = malloc(LARGE);
    for (int i = 0; i < LARGE; i++) host[i] = (char)(i * 7 + (i >> 12) + 5 * (i >> 20));
    for (size_t k = 0; k < 2 * sizeof pinned / sizeof pinned[0]; k++) {
        char words[100];
        snprintf(words, sizeof words, "pinned=%ld early=%d", pinned[k / 2], (int)(k % 2));
        doubles_set(words);
        opened o = open_all();
        const wadi_gpu_beside *b = o.d->ops->beside;
        char *at = o.d->ops->take(o.d, LARGE), *to = o.d->ops->take(o.d, LARGE);
        char *copy = malloc(LARGE);
        memcpy(copy, host, LARGE);
        o.d->ops->put(o.d, at, copy, LARGE);
        const uint64_t sent = b->send(o.d, to, copy, LARGE, 0);
        memset(copy, 0, LARGE); /* it has been read */
        o.d->ops->get(o.d, seen, at, LARGE);
        assert_memory_equal(seen, host, LARGE);
        memset(seen, 0, LARGE);
        b->after(o.d, sent);
        o.d->ops->get(o.d, seen, to, LARGE);
        assert_memory_equal(seen, host, LARGE);
        assert_int_equal(o.d->ops->wait(o.d, NULL), WADI_OK);
        o.d->ops->give(o.d, at, LARGE);
        o.d->ops->give(o.d, to, LARGE);
        free(copy);
        close_all(&o);
    }
    free(host);
    free(seen);
}

static void nothing_is_copied_where_there_is_nothing(void **state) {
    (void)state;
    opened o = open_all();
    char c = 1;
    void *at = o.d->ops->take(o.d, 0);
    assert_non_null(at);
    o.d->ops->put(o.d, at, &c, 0);
    o.d->ops->get(o.d, &c, at, 0);
    o.d->ops->copy(o.d, at, at, 0);
    o.d->ops->give(o.d, at, 0);
    o.d->ops->give(o.d, NULL, 0);
    assert_int_equal(c, 1);
    assert_int_equal(o.d->ops->wait(o.d, NULL), WADI_OK);
    close_all(&o);
}

static void memory_that_runs_out_is_no_failure(void **state) {
    (void)state;
    doubles_set("memory=1000000");
    opened o = open_all();
    assert_int_equal(o.d->memory, 1000000);
    void *half = o.d->ops->take(o.d, 500000);
    assert_non_null(half);
    assert_null(o.d->ops->take(o.d, 500001));
    assert_int_equal(o.d->ops->wait(o.d, NULL), WADI_OK);
    o.d->ops->give(o.d, half, 500000);
    close_all(&o);
}

/* ---- images ---- */

static wadi_status load(const wadi_image *i, const char *key, wadi_error *err) {
    const wadi_image_ops *images = NULL;
    wadi_kernels k = {0};
    assert_int_equal(wadi_cuda_images(0, &images, NULL), WADI_OK);
    const wadi_status status = images->load(images, i, key, &k, err);
    if (status == WADI_OK) {
        wadi_code code = {0};
        assert_int_equal(images->find(&k, "sums", &code, NULL), WADI_OK);
        assert_true(code.handle != 0);
        assert_int_equal(images->find(&k, "nothing", &code, err), WADI_IO);
        assert_non_null(strstr(err->msg, "nothing"));
    }
    images->unload(&k);
    assert_null(k.handle);
    assert_int_equal(doubles_held(), 0);
    return status;
}

static void an_image_of_other_kernels_is_refused(void **state) {
    (void)state;
    wadi_error err = {0};
    assert_int_equal(load(&image, KEY, &err), WADI_OK);
    assert_int_equal(load(&image, "0123abce", &err), WADI_INVALID);
    assert_int_equal(load(&image, "0123abc", &err), WADI_INVALID);
}

/* The driver reads as far as the image says. */
static void an_image_that_is_cut_is_refused(void **state) {
    (void)state;
    for (size_t n = 0; n < image.n; n += 1 + n / 3) {
        char *bytes = malloc(n + 1);
        wadi_image cut = {.bytes = bytes, .n = n, .fd = -1};
        memcpy(bytes, image.bytes, n);
        assert_int_equal(load(&cut, KEY, NULL), WADI_INVALID);
        free(bytes);
    }
    wadi_image longer = {.bytes = calloc(image.n + 100, 1), .n = image.n + 100, .fd = -1};
    memcpy(longer.bytes, image.bytes, image.n);
    wadi_error err = {0};
    assert_int_equal(load(&longer, KEY, &err), WADI_OK);
    free(longer.bytes);
}

static void a_text_is_compiled_for_the_machine(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_text t = text_of(kernels, NULL);
    wadi_text_addf(&t, "/* %s: my own */\n", WADI_IMAGE_KEY);
    const wadi_image text = {.bytes = t.at, .n = t.n + 1, .fd = -1};
    if (load(&text, "my own", &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(load(&text, "my o", &err), WADI_INVALID);
    assert_int_equal(load(&text, "own", &err), WADI_INVALID);
    const wadi_image endless = {.bytes = t.at, .n = t.n, .fd = -1};
    assert_int_equal(load(&endless, "my own", &err), WADI_INVALID);
    wadi_text_add(&t, "nothing;\n");
    const wadi_image wrong = {.bytes = t.at, .n = t.n + 1, .fd = -1};
    assert_int_equal(load(&wrong, "my own", &err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, "error"));
    wadi_text_fini(&t);
}

/* Compiles a text that no other test has, or takes what is kept of it. */
static wadi_status load_own(int number) {
    static const char more[] = "WADI_KERNEL(more%d) { WADI_ITEM }\n";
    wadi_text t = text_of(kernels, NULL);
    wadi_text_addf(&t, more, number);
    wadi_text_addf(&t, "/* %s: my own */\n", WADI_IMAGE_KEY);
    const wadi_image text = {.bytes = t.at, .n = t.n + 1, .fd = -1};
    wadi_error err = {0};
    const wadi_status status = load(&text, "my own", &err);
    wadi_text_fini(&t);
    return status;
}

/* The last file in the folder, and how many there are; all go if they shall. */
static int list_kept(const char *folder, char *out, size_t room, bool remove) {
    DIR *d = opendir(folder);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        if (e->d_name[0] == '.') continue;
        snprintf(out, room, "%s/%s", folder, e->d_name);
        if (remove) assert_int_equal(unlink(out), 0);
        n++;
    }
    closedir(d);
    return n;
}

/* One byte of the file is another. An entry like that is made anew. */
static void damage_and_load(const char *path) {
    char *damaged = NULL, *again = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(wadi_file_read(path, &damaged, &n, NULL), WADI_OK);
    damaged[n - 1] ^= 1;
    assert_int_equal(wadi_file_write(path, damaged, n, 0600, NULL), WADI_OK);
    assert_int_equal(load_own(2), WADI_OK);
    assert_int_equal(load_own(1), WADI_OK);
    assert_int_equal(wadi_file_read(path, &again, &m, NULL), WADI_OK);
    assert_true(m != n || memcmp(again, damaged, n) != 0);
    free(damaged);
    free(again);
}

/* The compiler fails, or does not. */
static void break_compiler(bool is_broken) {
    if (is_broken)
        assert_int_equal(setenv("WADI_NVRTC_DOUBLE", "fail=nvrtcCompileProgram:6", 1), 0);
    else
        assert_int_equal(unsetenv("WADI_NVRTC_DOUBLE"), 0);
}

/* Of several texts only the last is remembered by the process; the others are in the cache. */
static void keep_and_find(const char *folder) {
    char path[400];
    assert_int_equal(load_own(1), WADI_OK);
    assert_int_equal(list_kept(folder, path, sizeof path, false), 1);
    damage_and_load(path);
    assert_int_equal(load_own(2), WADI_OK);
    assert_int_equal(list_kept(folder, path, sizeof path, false), 2);
    break_compiler(true);
    assert_int_equal(load_own(1), WADI_OK);
    assert_int_equal(load_own(2), WADI_OK);
    assert_int_equal(load_own(3), WADI_COMPILE);
    break_compiler(false);
    assert_int_equal(setenv("WADI_CACHE_DIR", "/dev/null/none", 1), 0);
    assert_int_equal(load_own(3), WADI_OK); /* without a folder nothing is kept */
    assert_int_equal(list_kept(folder, path, sizeof path, true), 2);
}

static void what_was_compiled_is_kept(void **state) {
    (void)state;
    char folder[] = "/tmp/wadi-kept-XXXXXX";
    const char *cache = getenv("WADI_CACHE_DIR");
    char *before = cache != NULL ? strdup(cache) : NULL;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("WADI_CACHE_DIR", folder, 1), 0);
    keep_and_find(folder);
    assert_int_equal(rmdir(folder), 0);
    if (before != NULL)
        assert_int_equal(setenv("WADI_CACHE_DIR", before, 1), 0);
    else
        assert_int_equal(unsetenv("WADI_CACHE_DIR"), 0);
    free(before);
}

/* A machine that is newer than the compiler gets PTX. */
static void newer_machines_finish_the_compilation(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_text t = text_of(kernels, KEY);
    wadi_image ptx = {.fd = -1};
    assert_int_equal(
        wadi_nvrtc_compile(wadi_text_str(&t), "sm_121", false, &ptx.bytes, &ptx.n, &err), WADI_OK);
    assert_int_equal(strncmp(ptx.bytes, "//\n.version", 11), 0);
    assert_int_equal(ptx.bytes[ptx.n - 1], '\0');
    if (load(&ptx, KEY, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(load(&ptx, "0123abce", NULL), WADI_INVALID);
    free(ptx.bytes);
    assert_int_equal(
        wadi_nvrtc_compile(wadi_text_str(&t), "sm_60", false, &ptx.bytes, &ptx.n, &err),
        WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "sm_60"));
    wadi_text_fini(&t);
}

/* ---- failures ---- */

/* There and back. */
static void work_beside(wadi_gpu_driver *d, void *at, size_t bytes) {
    const wadi_gpu_beside *b = d->ops->beside;
    int64_t *pinned = b->pin(d, bytes);
    if (pinned == NULL) return;
    pinned[0] = 0;
    b->after(d, b->send(d, at, pinned, bytes, b->now(d)));
    if (b->arrived(d, b->fetch(d, pinned, at, bytes), NULL) == WADI_OK)
        assert_int_equal(pinned[0], 0);
    b->unpin(d, pinned);
}

/* Does a bit of everything; status: what it ends with. */
static wadi_status work(wadi_error *err) {
    wadi_gpu_driver *d = NULL;
    wadi_kernels k = {0};
    wadi_code code = {0};
    int64_t host[N] = {1};
    wadi_status status = wadi_cuda_driver_open(0, &d, err);
    if (status != WADI_OK) return status;
    status = d->images->load(d->images, &image, KEY, &k, err);
    if (status == WADI_OK) status = d->images->find(&k, "sums", &code, err);
    if (status == WADI_OK) {
        void *at = d->ops->take(d, sizeof host), *to = d->ops->take(d, sizeof host);
        const wadi_gpu_call call = {.slot = (uintptr_t)at};
        if (at == NULL || to == NULL) status = WADI_MEMORY;
        if (status == WADI_OK) {
            d->ops->put(d, at, host, sizeof host);
            if (d->ops->fitting(d, code) < 1) fail_msg("%s", "no group fits");
            d->ops->launch(d, code, GROUPS, &call);
            d->ops->copy(d, to, at, sizeof host);
            d->ops->get(d, host, to, sizeof host);
            work_beside(d, to, sizeof host);
            d->ops->give(d, to, sizeof host);
            to = NULL;
            d->ops->launch(d, code, GROUPS, &call);
        }
        const wadi_status waited = d->ops->wait(d, err);
        if (waited != WADI_OK) status = waited;
        if (waited == WADI_OK) assert_int_equal(host[0], 1);
        if (waited != WADI_OK) { /* it stays */
            wadi_error again = {0};
            assert_int_equal(d->ops->wait(d, &again), waited);
            if (err != NULL) assert_string_equal(again.msg, err->msg);
        }
        d->ops->give(d, to, sizeof host);
        d->ops->give(d, at, sizeof host);
    }
    d->images->unload(&k);
    d->ops->destroy(d);
    return status;
}

/* Each function fails at each of its calls. */
static void every_failure_is_told_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool silent; /* if it only gives back */
    } calls[] = {{"cuDevicePrimaryCtxRetain", false},
                 {"cuCtxPushCurrent", true},
                 {"cuMemGetInfo", false},
                 {"cuMemAlloc", false},
                 {"cuMemFree", true},
                 {"cuMemAllocHost", false},
                 {"cuMemFreeHost", true},
                 {"cuMemcpyHtoDAsync", false},
                 {"cuMemcpyDtoHAsync", false},
                 {"cuMemcpyDtoDAsync", false},
                 {"cuStreamCreate", false},
                 {"cuStreamDestroy", true},
                 {"cuEventCreate", false},
                 {"cuEventDestroy", true},
                 {"cuEventRecord", false},
                 {"cuStreamWaitEvent", false},
                 {"cuEventSynchronize", false},
                 {"cuStreamSynchronize", true},
                 {"cuModuleLoadData", false},
                 {"cuModuleGetFunction", false},
                 {"cuOccupancyMaxActiveBlocksPerMultiprocessor", false},
                 {"cuLaunchKernel", false}};
    doubles_set("");
    wadi_error err = {0};
    if (work(&err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(doubles_held(), 0);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        doubles_set("");
        if (work(&err) != WADI_OK) fail_msg("%s: %s", calls[i].name, err.msg);
        const long n = doubles_calls(calls[i].name);
        assert_true(n > 0);
        for (long at = 1; at <= n; at++) {
            char words[100];
            snprintf(words, sizeof words, "fail=%s:%ld:719", calls[i].name, at);
            doubles_set(words);
            memset(&err, 0, sizeof err);
            const wadi_status status = work(&err);
            if (status == WADI_OK && calls[i].silent) continue;
            if (status == WADI_OK) fail_msg("call %ld of %s does no harm", at, calls[i].name);
            if (strstr(err.msg, calls[i].name) == NULL ||
                strstr(err.msg, "CUDA_ERROR_LAUNCH_FAILED") == NULL ||
                strstr(err.msg, "cuda:0") == NULL)
                fail_msg("call %ld of %s: %s", at, calls[i].name, err.msg);
            assert_int_equal(status, WADI_DEVICE);
        }
    }
    doubles_set("");
}

/* The device goes away at each call in turn. The next one to open it finds it well. */
static void a_lost_device_is_called_that(void **state) {
    (void)state;
    doubles_set("");
    assert_int_equal(work(NULL), WADI_OK);
    const long n = doubles_calls(NULL);
    int told = 0;
    for (long at = 1; at < n; at++) {
        char words[100];
        wadi_error err = {0};
        snprintf(words, sizeof words, "lost=%ld", at);
        doubles_set(words);
        const wadi_status status = work(&err);
        assert_int_equal(doubles_held(), 0);
        if (status == WADI_OK) continue;
        told++;
        assert_int_equal(status, WADI_DEVICE);
        if (strstr(err.msg, "the device is lost") == NULL) fail_msg("call %ld: %s", at, err.msg);
    }
    assert_true(told > n / 3);
    doubles_set("");
    assert_int_equal(work(NULL), WADI_OK);
}

static void a_kernel_that_goes_wrong_loses_the_device(void **state) {
    (void)state;
    wadi_error err = {0};
    opened o = open_all();
    const wadi_gpu_call call = {0};
    char host[8] = {1};
    void *at = o.d->ops->take(o.d, 8);
    const wadi_code other = find(&o, "sums");
    o.d->ops->launch(o.d, find(&o, "apart"), 1, &call);
    o.d->ops->get(o.d, host, at, 8);
    assert_int_equal(host[0], 0); /* what is not known is zero */
    assert_int_equal(o.d->ops->wait(o.d, &err), WADI_DEVICE);
    assert_non_null(strstr(err.msg, "the device is lost: cuStreamSynchronize: "));
    const long calls = doubles_calls(NULL);
    assert_null(o.d->ops->take(o.d, 8));
    o.d->ops->put(o.d, at, host, 8);
    o.d->ops->copy(o.d, at, at, 8);
    o.d->ops->launch(o.d, other, 1, &call);
    assert_int_equal(doubles_calls(NULL), calls); /* all later ones do nothing */
    o.d->ops->give(o.d, at, 8);
    close_all(&o);
}

static void a_machine_is_asked_once_how_many_groups_fit(void **state) {
    (void)state;
    doubles_set("fitting=5");
    opened o = open_all();
    const wadi_code sums = find(&o, "sums"), add = find(&o, "add");
    const char *call = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    assert_int_equal(o.d->ops->fitting(o.d, sums), 5);
    assert_int_equal(o.d->ops->fitting(o.d, sums), 5);
    assert_int_equal(doubles_calls(call), 1);
    assert_int_equal(o.d->ops->fitting(o.d, add), 5);
    assert_int_equal(doubles_calls(call), 2);
    close_all(&o);
    doubles_set("fitting=0"); /* a kernel that is too large for the machine: its launch will tell */
    o = open_all();
    assert_int_equal(o.d->ops->fitting(o.d, find(&o, "sums")), 1);
    close_all(&o);
    doubles_set("");
}

static void all_groups_have_all_lanes(void **state) {
    (void)state;
    opened o = open_all();
    uint32_t sum = 0;
    void *at = o.d->ops->take(o.d, sizeof sum);
    const wadi_gpu_call call = {.slot = (uintptr_t)at, .n = 3};
    o.d->ops->put(o.d, at, &sum, sizeof sum);
    o.d->ops->launch(o.d, find(&o, "add"), 11, &call);
    o.d->ops->get(o.d, &sum, at, sizeof sum);
    assert_int_equal(sum, 11 * 64 * 3);
    o.d->ops->give(o.d, at, sizeof sum);
    close_all(&o);
}

static int reset(void **state) {
    (void)state;
    doubles_set("");
    return 0;
}

#define CASE(f) cmocka_unit_test_setup(f, reset)

int main(void) {
    if (!doubles_use()) return 77;
    const struct CMUnitTest tests[] = {
        CASE(calls_take_effect_in_their_order),
        CASE(many_copies_arrive_whole),
        CASE(three_chunks_are_under_way_at_once),
        CASE(each_queue_waits_for_what_it_needs),
        CASE(pieces_of_large_copies_arrive),
        CASE(nothing_is_copied_where_there_is_nothing),
        CASE(memory_that_runs_out_is_no_failure),
        CASE(a_machine_is_asked_once_how_many_groups_fit),
        CASE(all_groups_have_all_lanes),
        CASE(an_image_of_other_kernels_is_refused),
        CASE(an_image_that_is_cut_is_refused),
        CASE(a_text_is_compiled_for_the_machine),
        CASE(what_was_compiled_is_kept),
        CASE(newer_machines_finish_the_compilation),
        CASE(every_failure_is_told_by_name),
        CASE(a_lost_device_is_called_that),
        CASE(a_kernel_that_goes_wrong_loses_the_device),
    };
    return cmocka_run_group_tests(tests, build, forget);
}
