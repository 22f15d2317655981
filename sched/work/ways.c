/* The table of ways, and finding a row by the scheme of an address. */
#include "sched/work/ways.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

static const wadi_way *const ways[] = {
#define ROW(name) &wadi_way_##name,
    WADI_WAYS(ROW)
#undef ROW
        NULL};

static bool has_scheme(const char *address, const char *scheme) {
    const size_t n = strlen(scheme);
    return strncmp(address, scheme, n) == 0 && strncmp(address + n, "://", 3) == 0;
}

static wadi_status tell_forms(const char *address, wadi_error *err) {
    wadi_text forms = {0};
    for (int i = 0; ways[i] != NULL; i++)
        wadi_text_addf(&forms, "%s%s", i > 0 ? " or " : "", ways[i]->form);
    const wadi_status status = wadi_fail(err, WADI_INVALID, "%.200s: expected %s", address,
                                         forms.failed ? "an address" : wadi_text_str(&forms));
    wadi_text_fini(&forms);
    return status;
}

static wadi_status find_way(const char *address, const wadi_way **out, wadi_error *err) {
    for (int i = 0; ways[i] != NULL; i++) {
        if (!has_scheme(address, ways[i]->scheme)) continue;
        *out = ways[i];
        return ways[i]->check(address, err);
    }
    return tell_forms(address, err);
}

wadi_status wadi_way_open(const wadi_workq_options *options, wadi_workq **out, wadi_error *err) {
    const wadi_way *way = NULL;
    WADI_TRY(find_way(options->address, &way, err));
    return way->open(options, out, err);
}
