/* Opening what was asked for: one device, or several that work as one. */
#include "base/error.h"
#include "base/thread.h"
#include "sched/clocked.h"
#include "sched/devices.h"
#include "sched/split/apart.h"
#include "sched/split/images.h"

/* Of each of several. */
static int threads_of(const wadi_device_options *options, int parts) {
    const int all = options->threads > 0 ? options->threads : wadi_thread_processors();
    return all > parts ? all / parts : 1;
}

static wadi_status open_choice(const wadi_device_choice *choice, const wadi_device_options *options,
                               wadi_device **out, wadi_error *err) {
    wadi_device_options one = *options;
    one.number = choice->number[0];
    if (choice->parts == 1) return choice->row->open(&one, out, err);
    one.threads = threads_of(options, choice->parts);
    return wadi_split_open_alike(choice->row->open, &one, choice->parts, choice->number,
                                 (wadi_split_rule){NULL, NULL}, NULL, out, err);
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
