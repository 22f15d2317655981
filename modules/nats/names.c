/* Names of streams and subjects: WADI_JOB_items, wadi.JOB.item.EPOCH.do. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "modules/nats/inside.h"

static const char prefix[] = "WADI_";

static const char *const words[WADI_NATS_STREAMS] = {"record", "items", "answers", "dead"};

void wadi_nats_stream_name(const char *job, wadi_nats_stream s, char out[WADI_NATS_SUBJECT]) {
    (void)snprintf(out, WADI_NATS_SUBJECT, "%s%s_%s", prefix, job, words[s]);
}

bool wadi_nats_stream_job(const char *name, wadi_nats_stream s, char out_job[WADI_NATS_SUBJECT]) {
    const char *end = strrchr(name, '_');
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || end < name + sizeof prefix) return false;
    const size_t n = (size_t)(end - name) - (sizeof prefix - 1);
    if (n > WADI_JET_NAME_MOST || strcmp(end + 1, words[s]) != 0) return false;
    memcpy(out_job, name + sizeof prefix - 1, n);
    out_job[n] = '\0';
    return wadi_jet_name_fits(out_job);
}

void wadi_nats_filter(const char *job, wadi_nats_stream s, const char *epoch,
                      char out[WADI_NATS_SUBJECT]) {
    wadi_nats_subject(job, out, "%s.%s.do", s == WADI_NATS_ITEMS ? "item" : "answer", epoch);
}

void wadi_nats_consumer_name(const char *epoch, char out[WADI_NATS_SUBJECT]) {
    (void)snprintf(out, WADI_NATS_SUBJECT, "taker-%.20s", epoch);
}

void wadi_nats_subject(const char *job, char out[WADI_NATS_SUBJECT], const char *format, ...) {
    const int n = snprintf(out, WADI_NATS_SUBJECT, "wadi.%s.", job);
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(out + n, (size_t)(WADI_NATS_SUBJECT - n), format, args);
    va_end(args);
}
