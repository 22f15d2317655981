/* Names of devices, "KIND" or "KIND:NUMBER", and what people are told of those there are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "sched/devices.h"

static bool has_numbers(const wadi_device_row *row) {
    return row->count != NULL;
}

/* ---- names ---- */

/* "cpu, null, opencl:N" */
static void list_kinds(const wadi_device_row *table, wadi_text *out) {
    for (const wadi_device_row *row = table; row->name != NULL; row++)
        wadi_text_addf(out, "%s%s%s", row == table ? "" : ", ", row->name,
                       has_numbers(row) ? ":N" : "");
}

static wadi_status no_kind(const wadi_device_row *table, const char *name, wadi_error *err) {
    wadi_text kinds = {0};
    list_kinds(table, &kinds);
    const wadi_status status = wadi_fail(
        err, WADI_INVALID, "device: there is no \"%.60s\", only %s", name, wadi_text_str(&kinds));
    wadi_text_fini(&kinds);
    return status;
}

/* What stands behind the colon. */
static wadi_status read_number(const wadi_device_row *row, const char *name, const char *text,
                               int *out, wadi_error *err) {
    int64_t n = 0;
    if (!has_numbers(row) && row->copies == 0)
        return wadi_fail(err, WADI_INVALID,
                         "device: there is one \"%s\", without a number: \"%.60s\"", row->name,
                         name);
    if (!wadi_args_number(text, 0, INT32_MAX, &n))
        return wadi_fail(err, WADI_INVALID, "device: \"%.60s\": expected a number behind \"%s:\"",
                         name, row->name);
    *out = (int)n;
    return WADI_OK;
}

wadi_status wadi_device_kind_in(const wadi_device_row *table, const char *name,
                                const wadi_device_row **out, int *out_number, wadi_error *err) {
    *out_number = 0;
    *out = table;
    if (name == NULL) return WADI_OK;
    const size_t n = strcspn(name, ":");
    for (const wadi_device_row *row = table; row->name != NULL; row++) {
        if (strlen(row->name) != n || strncmp(row->name, name, n) != 0) continue;
        *out = row;
        return name[n] == ':' ? read_number(row, name, name + n + 1, out_number, err) : WADI_OK;
    }
    return no_kind(table, name, err);
}

/* ---- devices ---- */

static void name_it(wadi_device_choice *c) {
    if (has_numbers(c->row) || c->number > 0)
        snprintf(c->name, sizeof c->name, "%.24s:%d", c->row->name, c->number);
    else
        snprintf(c->name, sizeof c->name, "%.24s", c->row->name);
}

static wadi_status no_such(const wadi_device_choice *c, int count, wadi_error *err) {
    const char *kind = c->row->name;
    if (count == 0)
        return wadi_fail(err, WADI_INVALID,
                         "device: there is no \"%s\": this machine has no %s device", c->name,
                         kind);
    if (count == 1)
        return wadi_fail(err, WADI_INVALID, "device: there is no \"%s\", only %s:0", c->name, kind);
    return wadi_fail(err, WADI_INVALID, "device: there is no \"%s\", only %s:0 to %s:%d", c->name,
                     kind, kind, count - 1);
}

/* Whether there is a device of that number. */
static wadi_status check_count(const wadi_device_choice *c, wadi_error *err) {
    int count = 0;
    wadi_error why = {.status = WADI_OK};
    if (c->number < c->row->copies) return WADI_OK;
    if (c->row->copies > 0) return no_such(c, c->row->copies, err);
    if (!has_numbers(c->row)) return WADI_OK;
    const wadi_status status = c->row->count(&count, &why);
    if (status != WADI_OK)
        return wadi_fail(err, status, "device: there is no \"%s\": %s", c->name, why.msg);
    return c->number < count ? WADI_OK : no_such(c, count, err);
}

wadi_status wadi_device_find_in(const wadi_device_row *table, const char *name,
                                wadi_device_choice *out, wadi_error *err) {
    WADI_TRY(wadi_device_kind_in(table, name, &out->row, &out->number, err));
    name_it(out);
    return check_count(out, err);
}

/* ---- what people are told ---- */

/* "7.8 GiB" */
static void add_memory(int64_t bytes, wadi_text *out) {
    const double gib = (double)bytes / (double)(INT64_C(1) << 30);
    if (bytes <= 0) return;
    if (gib >= 1)
        wadi_text_addf(out, ", %.1f GiB", gib);
    else
        wadi_text_addf(out, ", %" PRId64 " MiB", bytes >> 20);
}

static void describe_one(const wadi_device_choice *c, wadi_text *out) {
    wadi_device_facts facts = {.memory = 0};
    wadi_error why = {.status = WADI_OK};
    const wadi_status status = c->row->tell(c->number, &facts, &why);
    wadi_text_addf(out, "%-12s %s", c->name, facts.name[0] != '\0' ? facts.name : c->row->about);
    if (facts.versions[0] != '\0') wadi_text_addf(out, ", %s", facts.versions);
    add_memory(facts.memory, out);
    wadi_text_addf(out, " (kernels in %s)", c->row->language);
    if (status != WADI_OK) wadi_text_addf(out, ": cannot be used: %s", why.msg);
    wadi_text_add(out, "\n");
}

void wadi_device_describe(const wadi_device_row *row, wadi_text *out) {
    int count = 1;
    wadi_error why = {.status = WADI_OK};
    if (has_numbers(row) && row->count(&count, &why) != WADI_OK) {
        wadi_text_addf(out, "%-12s %s: none: %s\n", row->name, row->about, why.msg);
        return;
    }
    if (count == 0)
        wadi_text_addf(out, "%-12s %s: none: this machine has no such device\n", row->name,
                       row->about);
    for (int i = 0; i < count; i++) {
        wadi_device_choice c = {.row = row, .number = i};
        name_it(&c);
        describe_one(&c, out);
    }
}
