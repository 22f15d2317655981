/* Which versions a device runs: kernels are made for a target, in a language, and devices load images of one language.
 *
 * The first set is for the target that the program was compiled for. A device of another language has a set of its own, for the first target
 * of that language, so one executable serves runs on several devices at once. */
#include "exe/exe.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codegen/targets.h"
#include "sched/schedules.h"

bool wadi_exe_takes(const char *language, const wadi_target *target) {
    return strcmp(language, target->language->name) == 0;
}

const wadi_target *wadi_exe_target_in(const char *language) {
    const wadi_target *t = wadi_targets;
    while (t->name != NULL && !wadi_exe_takes(language, t)) t++;
    return t->name != NULL ? t : NULL;
}

wadi_status wadi_exe_check_fit(const wadi_exe *exe, const wadi_device_row *device,
                               wadi_error *err) {
    const wadi_target *t = exe->target;
    if (wadi_exe_takes(device->language, t)) return WADI_OK;
    if (exe->asked)
        return wadi_fail(
            err, WADI_INVALID,
            "target \"%s\" does not fit device \"%s\": it makes kernels in %s, and the "
            "device takes %s",
            t->name, device->name, t->language->name, device->language);
    if (wadi_exe_target_in(device->language) != NULL) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "device \"%s\": no target makes kernels in %s",
                     device->name, device->language);
}

bool wadi_exe_may_take(const wadi_plan_body *b, wadi_version_key version, int forced) {
    if (!wadi_body_offers(b, version)) return false;
    if (forced < 0) return wadi_schedules[version.schedule].cost != NULL;
    return (int)version.schedule == (b->offers[forced] ? forced : 0);
}

static wadi_exe_set *new_set(const wadi_exe *exe, const wadi_target *target) {
    const size_t n = (size_t)exe->plan->nbodies * WADI_BODY_VERSIONS;
    wadi_exe_set *set = calloc(1, sizeof *set + n * sizeof set->version[0]);
    if (!set) return NULL;
    set->target = target;
    for (size_t i = 0; i < n; i++) set->version[i].set = set;
    return set;
}

/* Whether it has or could have what these devices load. */
static bool is_for(const wadi_exe_set *set, const wadi_image_ops *images,
                   const wadi_target *target) {
    return set->target == target && (!set->images || set->images == images);
}

wadi_status wadi_exe_set_of(wadi_exe *exe, const wadi_image_ops *images, const wadi_target *target,
                            wadi_exe_set **out, wadi_error *err) {
    wadi_exe_set **at = &exe->sets;
    while (*at && !is_for(*at, images, target)) at = &(*at)->next;
    if (!*at) *at = new_set(exe, target);
    /* Once: helpers read it without the lock. */
    if (*at && images && !(*at)->images) (*at)->images = images;
    *out = *at;
    return *out ? WADI_OK : wadi_fail(err, WADI_MEMORY, "loading kernels: out of memory");
}

/* What some device of the language of the executable's target loads with. */
static wadi_status find_images(const wadi_exe *exe, const wadi_image_ops **out, wadi_error *err) {
    const wadi_device_row *d = wadi_devices;
    while (d->name != NULL && !wadi_exe_takes(d->language, exe->target)) d++;
    if (d->name != NULL) return d->images(0, out, err);
    return wadi_fail(err, WADI_UNSUPPORTED, "no device takes kernels of target \"%s\"",
                     exe->target->name);
}

wadi_status wadi_exe_set_for(wadi_exe *exe, const wadi_image_ops *images, wadi_exe_set **out,
                             wadi_error *err) {
    *out = exe->sets;
    if (exe->sets && exe->sets->images && (!images || images == exe->sets->images)) return WADI_OK;
    if (!images) WADI_TRY(find_images(exe, &images, err));
    const wadi_target *target = wadi_exe_takes(images->language, exe->target)
                                    ? exe->target
                                    : wadi_exe_target_in(images->language);
    if (target) return wadi_exe_set_of(exe, images, target, out, err);
    return wadi_fail(err, WADI_UNSUPPORTED, "no target makes kernels in %s", images->language);
}
