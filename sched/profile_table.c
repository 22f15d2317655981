/* A profile as a table with a line for each row. Lines of the compute thread have a share of the run, and the shares add up to all of it. */
#include "sched/profile_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

typedef struct table {
    wadi_text *out;
    const wadi_profile_row *row;
    int n;
    double elapsed;   /* of the run */
    double bandwidth; /* of the machine; 0: not known */
    double narrow,
        wide; /* operations per second of the machine, of numbers below 8 bytes and others; 0: not known */
    int threads;
    bool devices; /* there are several */
} table;

static bool is_step(const wadi_profile_row *r) {
    return r->kind <= WADI_PROFILE_CONTROL;
}

/* Whether the device computes in the memory that was measured. */
static bool is_of_host(const wadi_profile_row *r) {
    return strcmp(r->device, "cpu") == 0 || strcmp(r->device, "null") == 0;
}

/* 12.3 M, with a prefix of thousands. */
static void print_count(const table *t, int width, double x, const char *unit) {
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int k = 0;
    char text[32];
    for (; x >= 9999.5 && k < 5; k++) x /= 1000;
    if (k == 0)
        wadi_format(text, sizeof text, "%.0f %s", x, unit);
    else
        wadi_format(text, sizeof text, "%.*f %s%s", x < 99.95 ? 1 : 0, x, prefix[k], unit);
    wadi_text_addf(t->out, " %*s", width, text);
}

static void print_speed(const table *t, const wadi_profile_row *r) {
    const double bytes = (double)(r->bytes_read + r->bytes_written);
    const double rate = r->seconds > 0 ? bytes / r->seconds : 0;
    const bool moves = bytes > 0 && r->seconds > 0;
    if (!moves) {
        wadi_text_addf(t->out, " %9s %8s %6s", "", "", "");
        return;
    }
    print_count(t, 9, bytes, "B");
    wadi_text_addf(t->out, " %8.2f", rate / 1e9);
    if (t->bandwidth > 0 && is_step(r) && is_of_host(r))
        wadi_text_addf(t->out, " %4.0f %%", 100 * rate / t->bandwidth);
    else
        wadi_text_addf(t->out, " %6s", "");
}

/* Operations per second, and which part of the time the machine would need at its peak. */
static void print_operations(const table *t, const wadi_profile_row *r) {
    const double all = r->operations_f32 + r->operations_f64;
    if (all <= 0 || r->seconds <= 0) {
        wadi_text_addf(t->out, " %8s %6s", "", "");
        return;
    }
    wadi_text_addf(t->out, " %8.2f", all / r->seconds / 1e9);
    if (t->narrow > 0 && t->wide > 0 && is_of_host(r))
        wadi_text_addf(t->out, " %4.0f %%",
                       100 * (r->operations_f32 / t->narrow + r->operations_f64 / t->wide) /
                           r->seconds);
    else
        wadi_text_addf(t->out, " %6s", "");
}

static void print_row(const table *t, const wadi_profile_row *r) {
    char where[32] = "";
    if (r->phase >= 0 && r->stage >= 0)
        snprintf(where, sizeof where, "%d.%d", r->phase, r->stage);
    else if (r->phase >= 0)
        snprintf(where, sizeof where, "%d", r->phase);
    wadi_text_addf(t->out, "%-5s %-7s", where, r->schedule != NULL ? r->schedule : "");
    if (t->devices) wadi_text_addf(t->out, " %-9s", r->device);
    wadi_text_addf(t->out, " %8.3f", 1e3 * r->seconds);
    if (r->beside)
        wadi_text_addf(t->out, " %7s", "beside");
    else
        wadi_text_addf(t->out, " %5.1f %%", t->elapsed > 0 ? 100 * r->seconds / t->elapsed : 0);
    if (is_step(r) && r->seconds > 0)
        wadi_text_addf(t->out, " %4.0f %%", 100 * r->busy / (r->seconds * t->threads));
    else
        wadi_text_addf(t->out, " %6s", "");
    if (r->calls > 0)
        wadi_text_addf(t->out, " %8" PRId64, r->calls);
    else
        wadi_text_addf(t->out, " %8s", "");
    if (r->elements > 0)
        print_count(t, 8, (double)r->elements, "");
    else
        wadi_text_addf(t->out, " %8s", "");
    print_speed(t, r);
    print_operations(t, r);
    wadi_text_addf(t->out, "  %s\n", r->name);
}

static bool has_several(const table *t) {
    const char *first = NULL;
    for (int i = 0; i < t->n; i++) {
        const char *name = t->row[i].device;
        if (name[0] == '\0') continue;
        if (first != NULL && strcmp(first, name) != 0) return true;
        first = name;
    }
    return false;
}

static void print_head(const table *t) {
    wadi_text_addf(t->out, "%-5s %-7s", "where", "sched.");
    if (t->devices) wadi_text_addf(t->out, " %-9s", "device");
    wadi_text_addf(t->out, " %8s %7s %6s %8s %8s %9s %8s %6s %8s %6s  %s\n", "ms", "share", "busy",
                   "calls", "elements", "moved", "GB/s", "peak", "Gop/s", "peak", "what");
}

void wadi_profile_table_print(const wadi_profile_table *p, wadi_text *out) {
    table t = {.out = out,
               .row = p->row,
               .n = p->n,
               .elapsed = p->elapsed,
               .threads = p->threads,
               .bandwidth = wadi_machine_bandwidth(),
               .narrow = wadi_machine_arithmetic(WADI_F32),
               .wide = wadi_machine_arithmetic(WADI_F64)};
    double sum = 0;
    t.devices = has_several(&t);
    print_head(&t);
    for (int i = 0; i < t.n; i++) {
        print_row(&t, &t.row[i]);
        if (!t.row[i].beside) sum += t.row[i].seconds;
    }
    wadi_text_addf(out,
                   "these are %.3f of %.3f ms, x %d threads; memory copies reach %.2f GB/s here, "
                   "products and sums "
                   "%.0f Gop/s of f32, %.0f of f64\n",
                   1e3 * sum, 1e3 * t.elapsed, t.threads, t.bandwidth / 1e9, t.narrow / 1e9,
                   t.wide / 1e9);
}
