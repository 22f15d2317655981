/* Several devices by name: "cpu,opencl:1", or "all". */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "sched/devices.h"

static bool is_all(const char *name) {
    return name != NULL && strcmp(name, "all") == 0;
}

static wadi_status too_many(wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "device: more than %d devices", (int)WADI_DEVICES_MOST);
}

/* Reads the next name of the list, up to a comma or the end, into *out. *rest moves behind it, or becomes NULL at the end. */
static wadi_status next_in(const wadi_device_row *table, const char *list, const char **rest,
                           wadi_device_choice *out, wadi_error *err) {
    char one[80];
    const size_t n = strcspn(*rest, ",");
    snprintf(one, sizeof one, "%.*s", n < sizeof one ? (int)n : (int)sizeof one - 1, *rest);
    *rest = (*rest)[n] == ',' ? *rest + n + 1 : NULL;
    if (n == 0 && *list != '\0')
        return wadi_fail(err, WADI_INVALID, "device: \"%.60s\": a name is missing", list);
    if (is_all(one))
        return wadi_fail(err, WADI_INVALID,
                         "device: \"%.60s\": \"all\" is every device, and stands alone", list);
    return wadi_device_read_in(table, one, out, err);
}

static bool overlap(const wadi_device_choice *a, const wadi_device_choice *b) {
    for (int i = 0; i < a->parts; i++)
        for (int j = 0; j < b->parts; j++)
            if (a->row == b->row && a->number[i] == b->number[j]) return true;
    return false;
}

/* Adds a device to the n that are there. */
static wadi_status add_to(wadi_device_choice *out, int *n, const wadi_device_choice *c,
                          wadi_error *err) {
    for (int i = 0; i < *n; i++)
        if (overlap(&out[i], c))
            return wadi_fail(err, WADI_INVALID, "device: \"%s\" is named twice", c->name);
    if (*n == WADI_DEVICES_MOST) return too_many(err);
    out[(*n)++] = *c;
    return WADI_OK;
}

/* ---- names ---- */

wadi_status wadi_device_names_in(const wadi_device_row *table, const char *name,
                                 wadi_device_choice *out, int *out_n, wadi_error *err) {
    wadi_device_choice c;
    *out_n = 0;
    for (const wadi_device_row *row = table; is_all(name) && row->name != NULL; row++)
        if (row->copies == 0 && *out_n < WADI_DEVICES_MOST)
            WADI_TRY(wadi_device_read_in(table, row->name, &out[(*out_n)++], err));
    if (is_all(name)) return WADI_OK;
    if (name == NULL) return wadi_device_read_in(table, NULL, &out[(*out_n)++], err);
    for (const char *rest = name; rest != NULL;) {
        WADI_TRY(next_in(table, name, &rest, &c, err));
        WADI_TRY(add_to(out, out_n, &c, err));
    }
    return WADI_OK;
}

/* ---- kinds ---- */

static void add_kind(const wadi_device_row *row, const wadi_device_row **out, int *n) {
    for (int i = 0; i < *n; i++)
        if (out[i] == row) return;
    out[(*n)++] = row;
}

wadi_status wadi_device_kinds_in(const wadi_device_row *table, const char *name,
                                 const wadi_device_row **out, int *out_n, wadi_error *err) {
    wadi_device_choice all[WADI_DEVICES_MOST];
    int n = 0;
    *out_n = 0;
    WADI_TRY(wadi_device_names_in(table, name, all, &n, err));
    for (int i = 0; i < n; i++) add_kind(all[i].row, out, out_n);
    return WADI_OK;
}

/* ---- devices ---- */

/* A kind whose devices are counted asks the machine. */
static bool by_processors(const wadi_device_choice *c, bool ask) {
    return (ask || c->row->count == NULL) && c->row->by_processors != NULL &&
           c->row->by_processors(c->number[0]);
}

bool wadi_device_idle(const wadi_device_choice *c, const wadi_device_choice *before, int n,
                      bool ask) {
    if (n == 0 || !by_processors(c, ask)) return false;
    for (int i = 0; i < n; i++)
        if (before[i].row != c->row && by_processors(&before[i], ask)) return true;
    return false;
}

static wadi_status add(const wadi_device_choice *c, wadi_device_choices *out, wadi_error *err) {
    const bool idle = wadi_device_idle(c, out->at, out->n, true);
    const int place = out->n;
    const size_t used = strlen(out->name), comma = used > 0, n = strlen(c->name);
    if (used + comma + n >= sizeof out->name) return too_many(err);
    WADI_TRY(add_to(out->at, &out->n, c, err));
    if (comma) out->name[used] = ',';
    memcpy(out->name + used + comma, c->name, n + 1); /* every run comes here */
    out->at[place].place = place;
    out->at[place].idle = idle;
    return WADI_OK;
}

/* Of several that somebody has named none is silently missing. One alone tells it when it is opened. */
static wadi_status check_usable(const wadi_device_choices *all, wadi_error *err) {
    for (int i = 0; i < all->n && all->n > 1; i++)
        for (int p = 0; p < all->at[i].parts; p++) {
            const wadi_device_choice *c = &all->at[i];
            wadi_device_facts facts;
            wadi_error why = {.status = WADI_OK};
            const wadi_status status = c->row->tell(c->number[p], &facts, &why);
            if (status != WADI_OK)
                return wadi_fail(err, status, "device: \"%s\" cannot be used: %s", c->name,
                                 wadi_text_unnamed(why.msg, c->name));
        }
    return WADI_OK;
}

/* What a machine has of the kind and can use. */
static wadi_status add_all_of(const wadi_device_row *table, const wadi_device_row *row,
                              wadi_device_choices *out, wadi_error *err) {
    int count = 1;
    wadi_error why = {.status = WADI_OK};
    const wadi_status asked = wadi_device_ask(row, &why);
    if (asked == WADI_CANCELLED) return wadi_fail(err, asked, "%s", why.msg);
    if (asked != WADI_OK) {
        wadi_logf(WADI_LOG_WARNING, "devices are left out of \"all\": %s", why.msg);
        return WADI_OK;
    }
    if (row->count != NULL && row->count(&count, NULL) != WADI_OK) count = 0;
    for (int i = 0; i < count && out->n < WADI_DEVICES_MOST; i++) {
        char name[64];
        wadi_device_choice c;
        wadi_device_facts facts;
        if (row->tell(i, &facts, NULL) != WADI_OK) continue;
        snprintf(name, sizeof name, row->count != NULL ? "%s:%d" : "%s", row->name, i);
        WADI_TRY(wadi_device_find_in(table, name, &c, err));
        WADI_TRY(add(&c, out, err));
    }
    return WADI_OK;
}

wadi_status wadi_device_list_in(const wadi_device_row *table, const char *name,
                                wadi_device_choices *out, wadi_error *err) {
    *out = (wadi_device_choices){.n = 0};
    for (const wadi_device_row *row = table; is_all(name) && row->name != NULL; row++)
        if (row->copies == 0) WADI_TRY(add_all_of(table, row, out, err));
    for (const char *rest = is_all(name) ? NULL : name; rest != NULL;) {
        wadi_device_choice c;
        WADI_TRY(next_in(table, name, &rest, &c, err));
        WADI_TRY(wadi_device_check(&c, err));
        WADI_TRY(add(&c, out, err));
    }
    if (!is_all(name)) WADI_TRY(check_usable(out, err));
    if (out->n > 0) return WADI_OK;
    wadi_device_choice first;
    WADI_TRY(wadi_device_find_in(table, NULL, &first, err));
    return add(&first, out, err);
}
