/* Making kernels before their first use, in threads that only wait for compilers: the kernels that a run is certain to need, those
 * that it will need behind one that is being compiled, and those that may turn out to be faster than the current ones.
 *
 * A run that finds a version being made waits for it; a version that is only listed, it makes itself. A failure in the
 * background is forgotten: the run that needs the version tries again and reports the error.
 *
 * At most one compiler per processor runs ahead, over all executables. A fork waits until none does, and none begins during
 * it, so the child finds each version either there or absent, and the locks free. The child has no threads that make kernels.
 * Since it might have to wait long, a fork ends the compilers of versions that nobody needs. */
#include "exe/exe.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/task.h"
#include "sched/wants.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int inside, forking;
static bool watches_forks;

/* One of those inside. */
typedef struct helper {
    wadi_exe *exe;
    wadi_stop stop;
    bool gentle; /* what it makes is not needed */
    struct helper *next;
} helper;

static helper *first_inside;

/* ---- how many at a time ---- */

static void before_fork(void) {
    (void)pthread_mutex_lock(&gate);
    forking++;
    for (helper *h = first_inside; h != NULL; h = h->next)
        if (h->gentle) wadi_stop_call(&h->stop);
    while (inside > 0) (void)pthread_cond_wait(&passed, &gate);
}

static void after_fork(void) {
    forking--;
    (void)pthread_cond_broadcast(&passed);
    (void)pthread_mutex_unlock(&gate);
}

/* Those who wait for it are not here. */
static void after_fork_in_child(void) {
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    forking--;
    passed = fresh;
    (void)pthread_mutex_unlock(&gate);
}

static void watch_forks(void) {
    watches_forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

/* Waits for a seat. False: the executable is being destroyed. */
static bool find_seat(const helper *h) {
    for (;;) {
        wadi_mutex_lock(&h->exe->lock);
        const bool open = !h->exe->closing;
        wadi_mutex_unlock(&h->exe->lock);
        if (!open || (forking == 0 && inside < wadi_thread_processors())) return open;
        (void)pthread_cond_wait(&passed, &gate);
    }
}

static bool enter(helper *h) {
    (void)pthread_mutex_lock(&gate);
    const bool open = find_seat(h) && wadi_stop_init(&h->stop, &h->exe->stop, NULL) == WADI_OK;
    if (open) {
        inside++;
        h->gentle = false;
        h->next = first_inside;
        first_inside = h;
    }
    (void)pthread_mutex_unlock(&gate);
    return open;
}

static void leave(helper *h) {
    (void)pthread_mutex_lock(&gate);
    helper **at = &first_inside;
    while (*at != h) at = &(*at)->next;
    *at = h->next;
    inside--;
    wadi_stop_fini(&h->stop);
    (void)pthread_cond_broadcast(&passed);
    (void)pthread_mutex_unlock(&gate);
}

/* What it makes from now on a fork may end. */
static void be_gentle(helper *h) {
    (void)pthread_mutex_lock(&gate);
    h->gentle = true;
    if (forking > 0) wadi_stop_call(&h->stop);
    (void)pthread_mutex_unlock(&gate);
}

/* ---- helpers ---- */

/* Whose turn is next; NULL: none is left. */
static wadi_exe_version *next_version(const wadi_exe *exe) {
    wadi_exe_version *next = NULL;
    for (wadi_exe_set *set = exe->closing ? NULL : exe->sets; set; set = set->next)
        for (int i = 0; i < exe->plan->nbodies * WADI_BODY_VERSIONS; i++) {
            wadi_exe_version *v = &set->version[i];
            if (v->ahead > 0 && (!next || v->ahead < next->ahead)) next = v;
        }
    return next;
}

/* The next version, which is taken off the list; NULL: none is left. */
static wadi_exe_version *take_version(wadi_exe *exe, int64_t *worth_ns) {
    wadi_mutex_lock(&exe->lock);
    wadi_exe_version *v = next_version(exe);
    if (v) {
        v->ahead = 0;
        *worth_ns = v->worth_ns;
    }
    wadi_mutex_unlock(&exe->lock);
    return v;
}

/* False: none is left. */
static bool make_one(helper *h) {
    wadi_exe *exe = h->exe;
    int64_t worth_ns = 0;
    wadi_exe_version *v = take_version(exe, &worth_ns);
    if (!v) return false;
    if (worth_ns < WADI_EXE_NEEDED) be_gentle(h);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "helper", .stop = &h->stop});
    wadi_mutex_lock(&exe->lock);
    const wadi_status st = wadi_exe_load(exe, v, worth_ns, NULL);
    WADI_UNUSED(st);
    wadi_mutex_unlock(&exe->lock);
    wadi_task_end(before);
    return true;
}

/* Behind the gate, as everything that takes the lock here: no fork comes between. */
static void retire(wadi_exe *exe) {
    (void)pthread_mutex_lock(&gate);
    wadi_mutex_lock(&exe->lock);
    exe->helping--;
    wadi_mutex_unlock(&exe->lock);
    (void)pthread_mutex_unlock(&gate);
}

static void help(void *env) {
    helper h = {.exe = env};
    for (bool more = true; more && enter(&h);) {
        more = make_one(&h);
        leave(&h);
    }
    retire(h.exe);
}

/* ---- wishes ---- */

static void join_all(wadi_exe *exe) {
    /* threads do not live in a forked child */
    for (int i = 0; i < exe->helpers && exe->process == getpid(); i++)
        wadi_thread_join(&exe->helper[i]);
    exe->helpers = exe->helping = 0;
}

static void put_on_list(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns) {
    v->ahead = ++exe->turns;
    v->worth_ns = worth_ns;
}

/* Lists what is not there; how many that are. */
static int list(wadi_exe *exe, wadi_exe_set *set, int n, const wadi_want *want, bool own) {
    int listed = 0;
    for (int i = 0; i < n; i++) {
        wadi_exe_version *v = wadi_exe_version_of(set, want[i].body, want[i].version);
        if (v->state != WADI_EXE_ABSENT || v->ahead > 0) continue;
        if (!own) put_on_list(exe, v, WADI_EXE_NEEDED);
        listed += !own;
        own = false;
    }
    return listed;
}

static void hire(wadi_exe *exe, int n) {
    if (exe->helping == 0 || exe->process != getpid()) join_all(exe);
    exe->process = getpid();
    if (n > wadi_thread_processors()) n = wadi_thread_processors();
    for (; n > 0 && exe->helpers < WADI_EXE_HELPERS; n--) {
        if (wadi_thread_start(&exe->helper[exe->helpers], help, exe, NULL) != WADI_OK) return;
        exe->helpers++;
        exe->helping++;
    }
}

static bool may_hire(void) {
    return pthread_once(&once, watch_forks) == 0 && watches_forks;
}

void wadi_exe_suggest(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns) {
    if (!may_hire()) return;
    put_on_list(exe, v, worth_ns);
    hire(exe, 1);
}

void wadi_exe_expect(wadi_exe *exe, const wadi_run_options *options, bool own) {
    wadi_device_choice device;
    const wadi_image_ops *images = NULL;
    wadi_exe_set *set = NULL;
    if (wadi_device_find(options->device, &device, NULL) != WADI_OK) return;
    if (wadi_device_images(&device, &images, NULL) != WADI_OK) return;
    if (wadi_exe_check_fit(exe, device.row, NULL) != WADI_OK || !may_hire()) return;
    wadi_want *want = calloc((size_t)exe->plan->nbodies + 1, sizeof *want);
    if (!want) return; /* the run will tell */
    const int force = wadi_device_force(device.row, options->schedule);
    const int n = wadi_plan_wants(exe->plan, force, want);
    wadi_mutex_lock(&exe->lock);
    const bool found = wadi_exe_set_for(exe, images, &set, NULL) == WADI_OK;
    const int listed = found ? list(exe, set, n, want, own) : 0;
    if (listed > 0) hire(exe, listed);
    wadi_mutex_unlock(&exe->lock);
    free(want);
}

/* ---- stages behind the one at hand ---- */

/* Nobody has a version of the body, makes one, or is about to. */
static bool is_untouched(wadi_exe_set *set, int body) {
    const wadi_exe_version *of = &set->version[body * WADI_BODY_VERSIONS];
    for (int i = 0; i < WADI_BODY_VERSIONS; i++)
        if (of[i].state != WADI_EXE_ABSENT || of[i].ahead > 0 || of[i].failed) return false;
    return true;
}

/* Whether it is the first of its body: another one is made for a fault, or to be compared, and says nothing of the stages behind. */
static bool is_first(const wadi_exe_version *v, int body) {
    const wadi_exe_version *of = &v->set->version[body * WADI_BODY_VERSIONS];
    for (int i = 0; i < WADI_BODY_VERSIONS; i++)
        if (&of[i] != v && of[i].state != WADI_EXE_ABSENT) return false;
    return true;
}

/* Lists the versions in the same schedule; how many there are. */
static int list_followers(wadi_exe *exe, const wadi_exe_version *v, int body, const int *behind,
                          int n) {
    const int number = (int)(v - v->set->version) % WADI_BODY_VERSIONS;
    const wadi_version_key same = wadi_version_numbered(number);
    int listed = 0;
    if (exe->closing || !is_first(v, body)) return 0;
    for (int i = 0; i < n; i++) {
        if (!wadi_exe_may_take(&exe->plan->bodies[behind[i]], same, -1)) continue;
        if (!is_untouched(v->set, behind[i])) continue;
        put_on_list(exe, wadi_exe_version_of(v->set, behind[i], same), WADI_EXE_NEEDED);
        listed++;
    }
    return listed;
}

void wadi_exe_follow(wadi_exe *exe, const wadi_exe_version *v) {
    const int body = (int)(v - v->set->version) / WADI_BODY_VERSIONS;
    if (wadi_thread_processors() < 2 || !v->set->target->language->by_program) return;
    int *behind = calloc((size_t)exe->plan->nbodies + 1, sizeof *behind);
    if (!behind || !may_hire()) {
        free(behind);
        return; /* the run will ask for each */
    }
    const int n = wadi_plan_followers(exe->plan, body, behind);
    wadi_mutex_lock(&exe->lock);
    const int listed = list_followers(exe, v, body, behind, n);
    if (listed > 0) hire(exe, listed);
    wadi_mutex_unlock(&exe->lock);
    free(behind);
}

void wadi_exe_settle(wadi_exe *exe) {
    wadi_mutex_lock(&exe->lock);
    exe->closing = true;
    wadi_mutex_unlock(&exe->lock);
    wadi_stop_call(&exe->stop);
    (void)pthread_mutex_lock(&gate);
    (void)pthread_cond_broadcast(&passed);
    (void)pthread_mutex_unlock(&gate);
    join_all(exe);
}
