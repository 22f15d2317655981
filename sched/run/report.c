/* Reports of workers. Their texts come from elsewhere: whoever shows them replaces what could control a terminal. */
#include "sched/run/report.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "sched/devices.h"

void wadi_report_begin(const wadi_run *x, wadi_report *out) {
    char host[65] = "";
    wadi_device_facts facts = {.memory = 0};
    *out = (wadi_report){.ns = 0};
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    wadi_text_addf(&out->worker, "%s:%ld", host, (long)getpid());
    wadi_text_add(&out->version, WADI_VERSION);
    wadi_text_add(&out->device, x->chosen.name);
    if (x->chosen.row->tell == NULL ||
        x->chosen.row->tell(x->chosen.number[0], &facts, NULL) != WADI_OK)
        return;
    if (facts.name[0] != '\0') wadi_text_addf(&out->device, " %s", facts.name);
}

void wadi_report_put(wadi_report *r, const wadi_run *x, int64_t ns, wadi_text *out) {
    wadi_text_clear(&r->kernels);
    if (x->loader.kernels != NULL) x->loader.kernels(x->loader.self, &r->kernels);
    wadi_state_put_text(out, wadi_text_str(&r->worker));
    wadi_state_put_text(out, wadi_text_str(&r->version));
    wadi_state_put_text(out, wadi_text_str(&r->device));
    wadi_state_put_text(out, wadi_text_str(&r->kernels));
    wadi_state_put(out, ns);
    if (r->worker.failed || r->version.failed || r->device.failed || r->kernels.failed)
        out->failed = true;
}

wadi_status wadi_report_take(wadi_state_reader *from, wadi_report *out, wadi_error *err) {
    *out = (wadi_report){.ns = 0};
    wadi_text *const texts[] = {&out->worker, &out->version, &out->device, &out->kernels};
    wadi_status status = WADI_OK;
    for (size_t i = 0; status == WADI_OK && i < sizeof texts / sizeof *texts; i++)
        status = wadi_state_take_text(from, texts[i], NULL);
    if (status == WADI_OK) status = wadi_state_take_count(from, INT64_MAX, &out->ns, NULL);
    if (status == WADI_OK) return WADI_OK;
    wadi_report_fini(out);
    return status == WADI_MEMORY
               ? wadi_fail(err, WADI_MEMORY, "an answer: out of memory")
               : wadi_fail(err, WADI_IO, "it does not tell which worker it is from");
}

void wadi_report_fini(wadi_report *r) {
    wadi_text_fini(&r->worker);
    wadi_text_fini(&r->version);
    wadi_text_fini(&r->device);
    wadi_text_fini(&r->kernels);
    *r = (wadi_report){.ns = 0};
}
