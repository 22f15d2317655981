/* Kernels for workers that cannot compile: home makes them, for the target that a worker names. They are bundles, each of one body for one
 * target, made by one thread beside the run and kept in the cache. Workers ask again and again, so nothing is remembered of them.
 *
 * They are those of the program that a worker has, which home compiles once more as a worker does: in the text of kernels are names of files and numbers of
 * lines, which differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/task.h"
#include "base/user_cache.h"
#include "codegen/targets.h"
#include "exe/ahead_of_time.h"
#include "exe/exe.h"

enum { ORDERS = 64, PATH_ROOM = 1024 };

typedef enum order_state { ORDER_OPEN, ORDER_MADE, ORDER_FAILED } order_state;

typedef struct order {
    char target[WADI_BUNDLE_TARGET];
    int body;
    order_state state;
    char *bytes; /* [n] of the bundle */
    size_t n;
    char why[sizeof(((wadi_error *)NULL)->msg)];
} order;

struct wadi_exe_supply {
    wadi_exe *exe;
    wadi_stop stop;
    wadi_mutex lock; /* guards what follows */
    wadi_thread thread;
    bool working;   /* the thread has not finished */
    wadi_exe *copy; /* the thread's: what workers compile; NULL: not made yet */
    int n;          /* none is taken away */
    order order[ORDERS];
};

/* ---- making them ---- */

/* A name in the cache. Another compiler, another bundle. Errors: also WADI_COMPILE, where there is none. */
static wadi_status name_of(wadi_exe *exe, const order *o, char out[65], wadi_error *err) {
    const wadi_target *target = NULL;
    wadi_image_builder builder;
    uint8_t key[WADI_BUNDLE_DIGEST];
    wadi_text t = {0};
    WADI_TRY(wadi_target_named(o->target, &target, err));
    wadi_mutex_lock(&exe->lock);
    wadi_status st =
        wadi_exe_stored_key(exe, o->body, wadi_version_numbered(0), target->language, key);
    wadi_mutex_unlock(&exe->lock);
    wadi_hex(key, sizeof key, out);
    wadi_text_addf(&t, "kernels for workers\n%s\n%s\n%d\n", out, target->name, (int)exe->fast);
    if (st == WADI_OK) st = target->language->find(target, &builder, err);
    if (st == WADI_OK) target->language->identify(&builder, &t);
    if (st == WADI_OK) st = t.failed ? WADI_MEMORY : wadi_blake2b(t.at, t.n, key);
    wadi_text_fini(&t);
    wadi_hex(key, sizeof key, out);
    return st == WADI_MEMORY ? wadi_fail(err, st, "kernels: out of memory") : st;
}

static wadi_status make_in(wadi_exe *exe, order *o, const char *folder, const char *name,
                           wadi_error *err) {
    char path[PATH_ROOM];
    (void)snprintf(path, sizeof path, "%.900s/%s.image", folder, name);
    WADI_TRY(wadi_exe_build_for_worker(exe, o->target, o->body, path, err));
    return wadi_file_read(path, &o->bytes, &o->n, err);
}

/* In the cache, or among temporary files if that is full or missing. */
static wadi_status make(wadi_exe *exe, order *o, wadi_error *err) {
    char cache[PATH_ROOM / 2], name[65];
    wadi_folder folder;
    WADI_TRY(name_of(exe, o, name, err));
    if (wadi_user_cache(cache, sizeof cache, NULL) == WADI_OK) {
        const wadi_status st = make_in(exe, o, cache, name, err);
        if (st != WADI_IO) return st;
    }
    WADI_TRY(wadi_folder_make(wadi_folder_parent(), "wadi-build-", &folder, err));
    const wadi_status st = make_in(exe, o, folder.path, name, err);
    wadi_folder_remove(&folder);
    return st;
}

static wadi_status copy_program(struct wadi_exe_supply *s, wadi_error *err) {
    wadi_text recipe = {0};
    wadi_charter c = {.phase = 0};
    if (s->copy != NULL) return WADI_OK;
    wadi_status st = wadi_exe_put_recipe(s->exe, &recipe, err);
    c.program = (wadi_state_reader){recipe.at, recipe.n};
    wadi_plan_layout_hash(s->exe->plan, c.hash);
    if (st == WADI_OK) st = wadi_exe_of_charter(&c, NULL, &s->copy, err);
    wadi_text_fini(&recipe);
    return st;
}

/* The first that is open; NULL: none is. The lock is held. */
static order *next_order(struct wadi_exe_supply *s) {
    for (int i = 0; i < s->n; i++)
        if (s->order[i].state == ORDER_OPEN) return &s->order[i];
    return NULL;
}

/* Nobody else changes an order that is open. */
static void work(void *env) {
    struct wadi_exe_supply *s = env;
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = "kernels for workers", .stop = &s->stop});
    wadi_mutex_lock(&s->lock);
    for (order *o = next_order(s); o != NULL && !wadi_task_stopped(); o = next_order(s)) {
        wadi_error err = {0};
        wadi_mutex_unlock(&s->lock);
        wadi_status st = copy_program(s, &err);
        if (st == WADI_OK) st = make(s->copy, o, &err);
        wadi_mutex_lock(&s->lock);
        o->state = st == WADI_OK ? ORDER_MADE : ORDER_FAILED;
        (void)snprintf(o->why, sizeof o->why, "%s", err.msg);
    }
    s->working = false;
    wadi_mutex_unlock(&s->lock);
    wadi_task_end(before);
}

/* ---- replies ---- */

/* Images of targets that are whatever a machine is run on no other. */
static wadi_status check_order(const wadi_exe *exe, const char *target, int body, wadi_error *err) {
    const wadi_target *t = NULL;
    WADI_TRY(wadi_target_named(target, &t, err));
    if (body < 0 || body >= exe->plan->nbodies)
        return wadi_fail(err, WADI_INVALID, "the program has no such stage");
    if (t->own || t->of_machine)
        return wadi_fail(err, WADI_INVALID, "kernels for %s are for one machine alone", t->name);
    return WADI_OK;
}

/* It is begun if it is not there. The lock is held. NULL: there are too many. */
static order *find_order(struct wadi_exe_supply *s, const char *target, int body) {
    for (int i = 0; i < s->n; i++)
        if (s->order[i].body == body && strcmp(s->order[i].target, target) == 0)
            return &s->order[i];
    if (s->n == ORDERS) return NULL;
    order *o = &s->order[s->n++];
    *o = (order){.body = body};
    (void)snprintf(o->target, sizeof o->target, "%s", target);
    return o;
}

/* If there is no thread, the next question tries again. The lock is held. */
static void begin_work(struct wadi_exe_supply *s) {
    if (s->working) return;
    wadi_thread_join(&s->thread); /* it has finished */
    s->working = wadi_thread_start(&s->thread, work, s, NULL) == WADI_OK;
}

static void reply(struct wadi_exe_supply *s, const char *target, int body, int64_t offset,
                  int64_t most, wadi_text *out) {
    const order *o = find_order(s, target, body);
    if (o == NULL) {
        wadi_text_add(out, "error: it has made kernels for too many targets");
    } else if (o->state == ORDER_FAILED) {
        wadi_text_addf(out, "error: %s", o->why);
    } else if (o->state == ORDER_OPEN) {
        begin_work(s);
        wadi_text_add(out, WADI_WORKQ_WAIT);
    } else {
        const int64_t n = (int64_t)o->n, at = offset < n ? offset : n;
        wadi_text_addf(out, "kernels %lld\n", (long long)n);
        wadi_text_add_n(out, o->bytes + at, (size_t)(n - at < most ? n - at : most));
    }
}

void wadi_exe_supply_reply(void *exe, const char *what, int64_t most, wadi_text *out) {
    const wadi_exe *x = exe;
    char target[WADI_BUNDLE_TARGET] = "";
    int body = -1;
    long long offset = -1;
    wadi_error err = {0};
    if (sscanf(what, "%23s %d %lld", target, &body, &offset) != 3 || offset < 0) {
        wadi_text_add(out, "error: a question that makes no sense");
        return;
    }
    if (check_order(x, target, body, &err) != WADI_OK) {
        wadi_text_addf(out, "error: %s", err.msg);
        return;
    }
    wadi_mutex_lock(&x->supply->lock);
    reply(x->supply, target, body, offset, most, out);
    wadi_mutex_unlock(&x->supply->lock);
}

/* ---- opening ---- */

static void close_supply(wadi_exe *exe) {
    struct wadi_exe_supply *s = exe->supply;
    wadi_stop_call(&s->stop);
    wadi_thread_join(&s->thread);
    for (int i = 0; i < s->n; i++) free(s->order[i].bytes);
    wadi_exe_destroy(s->copy);
    wadi_mutex_fini(&s->lock);
    wadi_stop_fini(&s->stop);
    free(s);
    exe->supply = NULL;
    exe->supply_close = NULL;
}

wadi_status wadi_exe_supply_open(wadi_exe *exe, wadi_error *err) {
    wadi_mutex_lock(&exe->lock);
    struct wadi_exe_supply *s = exe->supply == NULL ? calloc(1, sizeof *s) : NULL;
    wadi_status st = WADI_OK;
    if (s == NULL && exe->supply == NULL)
        st = wadi_fail(err, WADI_MEMORY, "kernels: out of memory");
    if (s != NULL) {
        s->exe = exe;
        st = wadi_stop_init(&s->stop, &exe->stop, err);
        if (st == WADI_OK) st = wadi_mutex_init(&s->lock, err);
        if (st == WADI_OK) {
            exe->supply = s;
            exe->supply_close = close_supply;
        } else {
            wadi_stop_fini(&s->stop);
            free(s);
        }
    }
    wadi_mutex_unlock(&exe->lock);
    return st;
}
