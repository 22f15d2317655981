/* Opening what was asked for: one device, or several that work as one. A driver may never return from opening one, so that is done by a thread that can
 * be left behind (base/patience.h). A device that has been left is not opened again. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/patience.h"
#include "base/thread.h"
#include "sched/clocked.h"
#include "sched/devices.h"
#include "sched/split/apart.h"
#include "sched/split/images.h"

/* ---- devices that were left behind ---- */

enum { NUMBERS = 32 };

static atomic_uint left[WADI_DEVICES_MOST]; /* by row of the table: a bit for each number */

static atomic_uint *left_of(const wadi_device_choice *c) {
    const ptrdiff_t row = c->row - wadi_devices;
    return row >= 0 && row < WADI_DEVICES_MOST ? &left[row] : NULL;
}

static unsigned bits_of(const wadi_device_choice *c) {
    unsigned bits = 0;
    for (int i = 0; i < c->parts; i++) bits |= 1u << c->number[i] % NUMBERS;
    return bits;
}

void wadi_device_left(const wadi_device_choice *choice) {
    if (left_of(choice) != NULL) atomic_fetch_or(left_of(choice), bits_of(choice));
}

static bool is_left(const wadi_device_choice *c) {
    return left_of(c) != NULL && (atomic_load(left_of(c)) & bits_of(c)) != 0;
}

/* ---- opening ---- */

/* Of each of several. */
static int threads_of(const wadi_device_options *options, int parts) {
    const int all = options->threads > 0 ? options->threads : wadi_thread_processors();
    return all > parts ? all / parts : 1;
}

static wadi_status open_now(const wadi_device_choice *choice, const wadi_device_options *options,
                            wadi_device **out, wadi_error *err) {
    wadi_device_options one = *options;
    one.number = choice->number[0];
    if (choice->parts == 1) return choice->row->open(&one, out, err);
    one.threads = threads_of(options, choice->parts);
    return wadi_split_open_alike(choice->row->open, &one, choice->parts, choice->number,
                                 (wadi_split_rule){NULL, NULL}, NULL, out, err);
}

typedef struct opening {
    wadi_device_choice choice;
    wadi_device_options options;
    wadi_device *device;
    wadi_status status;
    wadi_error why;
} opening;

static void open_for(void *env) {
    opening *o = env;
    o->status = open_now(&o->choice, &o->options, &o->device, &o->why);
}

static wadi_status open_patiently(opening *o, bool *out_left, wadi_error *err) {
    WADI_TRY(wadi_patience_call(o->choice.name, open_for, o, out_left, err));
    if (o->status != WADI_OK && err != NULL) *err = o->why;
    return o->status;
}

static wadi_status open_choice(const wadi_device_choice *choice, const wadi_device_options *options,
                               wadi_device **out, wadi_error *err) {
    bool behind = false;
    if (choice->row->count == NULL) return open_now(choice, options, out, err);
    if (is_left(choice))
        return wadi_fail(err, WADI_DEVICE, "%s has not answered before", choice->name);
    opening *o = calloc(1, sizeof *o);
    if (o == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", choice->name);
    o->choice = *choice;
    o->options = *options;
    const wadi_status status = open_patiently(o, &behind, err);
    if (behind) { /* the driver may use what it was given */
        (void)wadi_buffers_retain(options->buffers);
        wadi_device_left(choice);
        return status;
    }
    *out = o->device;
    free(o);
    return status;
}

wadi_status wadi_device_open(const wadi_device_choice *choice, const wadi_device_options *options,
                             wadi_device **out, wadi_error *err) {
    WADI_TRY(open_choice(choice, options, out, err));
    *out = wadi_clocked(choice->name, *out);
    return WADI_OK;
}

wadi_status wadi_device_images(const wadi_device_choice *choice, const wadi_image_ops **out,
                               wadi_error *err) {
    const wadi_image_ops *part[WADI_DEVICE_PARTS];
    for (int p = 0; p < choice->parts; p++)
        WADI_TRY(choice->row->images(choice->number[p], &part[p], err));
    return wadi_split_images(choice->parts, part, out, err);
}
