/* Names of devices, "KIND", "KIND:NUMBER" or "KIND:NUMBER+NUMBER", and what people are told of those there are. */
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
    wadi_status status;
    list_kinds(table, &kinds);
    if (*name == '\0')
        status = wadi_fail(err, WADI_INVALID, "device: a name is missing: expected %s",
                           wadi_text_str(&kinds));
    else
        status = wadi_fail(err, WADI_INVALID, "device: there is no \"%.60s\", only %s", name,
                           wadi_text_str(&kinds));
    wadi_text_fini(&kinds);
    return status;
}

/* ---- numbers ---- */

static wadi_status bad_number(const wadi_device_row *row, const char *name, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "device: \"%.60s\": expected a number behind \"%s:\"", name,
                     row->name);
}

static wadi_status no_number(const wadi_device_row *row, const char *name, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID,
                     "device: \"%.60s\": there is one \"%s\", which has no number", name,
                     row->name);
}

/* Up to the next plus, or the end. *at moves behind it. */
static bool read_number(const char **at, int *out) {
    char one[16];
    int64_t number = 0;
    const size_t n = strcspn(*at, "+");
    if (n >= sizeof one) return false;
    memcpy(one, *at, n);
    one[n] = '\0';
    *at += n;
    if (!wadi_args_number(one, 0, INT32_MAX, &number)) return false;
    *out = (int)number;
    return true;
}

static wadi_status add_number(int number, const char *name, wadi_device_choice *out,
                              wadi_error *err) {
    for (int i = 0; i < out->parts; i++)
        if (out->number[i] == number)
            return wadi_fail(err, WADI_INVALID, "device: \"%.60s\" names %d twice", name, number);
    if (out->parts == WADI_DEVICE_PARTS)
        return wadi_fail(err, WADI_INVALID, "device: \"%.60s\": more than %d work as one", name,
                         (int)WADI_DEVICE_PARTS);
    out->number[out->parts++] = number;
    return WADI_OK;
}

/* What stands behind the colon. */
static wadi_status read_numbers(const char *name, const char *text, wadi_device_choice *out,
                                wadi_error *err) {
    const wadi_device_row *row = out->row;
    out->parts = 0;
    for (const char *at = text;; at++) {
        int number = 0;
        if (!read_number(&at, &number)) return bad_number(row, name, err);
        WADI_TRY(add_number(number, name, out, err));
        if (*at == '\0') break;
    }
    if (out->parts > 1 && !row->apart)
        return wadi_fail(err, WADI_INVALID,
                         "device: \"%.60s\": only devices with memory of their own work as one",
                         name);
    return WADI_OK;
}

static void name_it(wadi_device_choice *c) {
    size_t used = (size_t)snprintf(c->name, sizeof c->name, "%.24s", c->row->name);
    if (!has_numbers(c->row) && c->parts == 1 && c->number[0] == 0) return;
    for (int i = 0; i < c->parts && used < sizeof c->name; i++)
        used += (size_t)snprintf(c->name + used, sizeof c->name - used, "%c%d", i == 0 ? ':' : '+',
                                 c->number[i]);
}

/* What stands behind the kind, from `rest` on. */
static wadi_status read_rest(const char *name, const char *rest, wadi_device_choice *out,
                             wadi_error *err) {
    const wadi_device_row *row = out->row;
    if (*rest == '\0') return WADI_OK;
    if (!has_numbers(row) && row->copies == 0) return no_number(row, name, err);
    return *rest == ':' ? read_numbers(name, rest + 1, out, err) : bad_number(row, name, err);
}

/* All but the name. */
static wadi_status read_choice(const wadi_device_row *table, const char *name,
                               wadi_device_choice *out, wadi_error *err) {
    *out = (wadi_device_choice){.row = table, .parts = 1};
    if (name == NULL) return WADI_OK;
    const size_t n = strcspn(name, ":+");
    for (const wadi_device_row *row = table; row->name != NULL; row++) {
        if (strlen(row->name) != n || strncmp(row->name, name, n) != 0) continue;
        out->row = row;
        return read_rest(name, name + n, out, err);
    }
    return no_kind(table, name, err);
}

wadi_status wadi_device_read_in(const wadi_device_row *table, const char *name,
                                wadi_device_choice *out, wadi_error *err) {
    WADI_TRY(read_choice(table, name, out, err));
    name_it(out);
    return WADI_OK;
}

/* ---- devices ---- */

static wadi_status no_such(const wadi_device_choice *c, int number, int count, wadi_error *err) {
    const char *kind = c->row->name;
    if (count == 0)
        return wadi_fail(err, WADI_INVALID,
                         "device: there is no \"%s:%d\": this machine has no %s device", kind,
                         number, kind);
    if (count == 1)
        return wadi_fail(err, WADI_INVALID, "device: there is no \"%s:%d\", only %s:0", kind,
                         number, kind);
    return wadi_fail(err, WADI_INVALID, "device: there is no \"%s:%d\", only %s:0 to %s:%d", kind,
                     number, kind, kind, count - 1);
}

/* The reason that a row's `count` gives, without the name of the kind in front. */
static const char *reason_of(const wadi_device_row *row, const wadi_error *why) {
    const size_t n = strlen(row->name);
    const bool named = strncmp(why->msg, row->name, n) == 0 && strncmp(why->msg + n, ": ", 2) == 0;
    return named ? why->msg + n + 2 : why->msg;
}

/* How many there are. */
static wadi_status count_of(const wadi_device_choice *c, int *out, wadi_error *err) {
    wadi_error why = {.status = WADI_OK};
    *out = c->row->copies > 0 ? c->row->copies : 1;
    if (!has_numbers(c->row)) return WADI_OK;
    wadi_status status = wadi_device_ask(c->row, &why);
    if (status == WADI_CANCELLED) return wadi_fail(err, status, "%s", why.msg);
    if (status == WADI_OK) status = c->row->count(out, &why);
    if (status != WADI_OK)
        return wadi_fail(err, status, "device: there is no \"%s\": %s", c->name,
                         reason_of(c->row, &why));
    return WADI_OK;
}

wadi_status wadi_device_check(const wadi_device_choice *c, wadi_error *err) {
    int count = 0;
    WADI_TRY(count_of(c, &count, err));
    for (int i = 0; i < c->parts; i++)
        if (c->number[i] >= count) return no_such(c, c->number[i], count, err);
    return WADI_OK;
}

wadi_status wadi_device_find_in(const wadi_device_row *table, const char *name,
                                wadi_device_choice *out, wadi_error *err) {
    WADI_TRY(wadi_device_read_in(table, name, out, err));
    return wadi_device_check(out, err);
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
    const wadi_status status = c->row->tell(c->number[0], &facts, &why);
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
        wadi_text_addf(out, "%-12s %s: none: %s\n", row->name, row->about, reason_of(row, &why));
        return;
    }
    if (count == 0)
        wadi_text_addf(out, "%-12s %s: none: this machine has no such device\n", row->name,
                       row->about);
    for (int i = 0; i < count; i++) {
        wadi_device_choice c = {.row = row, .parts = 1, .number = {i}};
        name_it(&c);
        describe_one(&c, out);
    }
}
