/* A table with a line for each row of the profile. Lines of the compute thread have a share of the run, and the shares add up to all of it. */
#include "cli/profile.h"

#include <inttypes.h>
#include <string.h>

typedef struct table {
    FILE *out;
    const wadi_profile_row *row;
    int n;
    double elapsed;   /* of the run */
    double bandwidth; /* of the machine; 0: not known */
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
        snprintf(text, sizeof text, "%.0f %s", x, unit);
    else
        snprintf(text, sizeof text, "%.*f %s%s", x < 99.95 ? 1 : 0, x, prefix[k], unit);
    fprintf(t->out, " %*s", width, text);
}

static void print_speed(const table *t, const wadi_profile_row *r) {
    const double bytes = (double)(r->bytes_read + r->bytes_written);
    const double rate = r->seconds > 0 ? bytes / r->seconds : 0;
    const bool moves = bytes > 0 && r->seconds > 0;
    if (!moves) {
        fprintf(t->out, " %9s %8s %6s", "", "", "");
        return;
    }
    print_count(t, 9, bytes, "B");
    fprintf(t->out, " %8.2f", rate / 1e9);
    if (t->bandwidth > 0 && is_step(r) && is_of_host(r))
        fprintf(t->out, " %4.0f %%", 100 * rate / t->bandwidth);
    else
        fprintf(t->out, " %6s", "");
}

static void print_row(const table *t, const wadi_profile_row *r) {
    char where[32] = "";
    if (r->phase >= 0 && r->stage >= 0)
        snprintf(where, sizeof where, "%d.%d", r->phase, r->stage);
    else if (r->phase >= 0)
        snprintf(where, sizeof where, "%d", r->phase);
    fprintf(t->out, "%-5s %-7s", where, r->schedule != NULL ? r->schedule : "");
    if (t->devices) fprintf(t->out, " %-9s", r->device);
    fprintf(t->out, " %8.3f", 1e3 * r->seconds);
    if (r->beside)
        fprintf(t->out, " %7s", "beside");
    else
        fprintf(t->out, " %5.1f %%", t->elapsed > 0 ? 100 * r->seconds / t->elapsed : 0);
    if (is_step(r) && r->seconds > 0)
        fprintf(t->out, " %4.0f %%", 100 * r->busy / (r->seconds * t->threads));
    else
        fprintf(t->out, " %6s", "");
    if (r->calls > 0)
        fprintf(t->out, " %8" PRId64, r->calls);
    else
        fprintf(t->out, " %8s", "");
    if (r->elements > 0)
        print_count(t, 8, (double)r->elements, "");
    else
        fprintf(t->out, " %8s", "");
    print_speed(t, r);
    fprintf(t->out, "  %s\n", r->name);
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
    fprintf(t->out, "%-5s %-7s", "where", "sched.");
    if (t->devices) fprintf(t->out, " %-9s", "device");
    fprintf(t->out, " %8s %7s %6s %8s %8s %9s %8s %6s  %s\n", "ms", "share", "busy", "calls",
            "elements", "moved", "GB/s", "peak", "what");
}

void wadi_cli_print_profile(wadi_run *run, FILE *out) {
    wadi_run_stats s = {0};
    table t = {.out = out};
    if (wadi_run_profile(run, &t.row, &t.n, NULL) != WADI_OK) return;
    wadi_run_stats_get(run, &s);
    t.elapsed = s.elapsed_s;
    t.threads = s.threads;
    t.bandwidth = wadi_machine_bandwidth();
    t.devices = has_several(&t);
    print_head(&t);
    double sum = 0;
    for (int i = 0; i < t.n; i++) {
        print_row(&t, &t.row[i]);
        if (!t.row[i].beside) sum += t.row[i].seconds;
    }
    fprintf(out, "these are %.3f of %.3f ms, x %d threads; memory copies reach %.2f GB/s here\n",
            1e3 * sum, 1e3 * t.elapsed, t.threads, t.bandwidth / 1e9);
}
