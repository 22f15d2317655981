/* nats://HOST[:PORT]/JOB: a server that keeps items and answers (docs/DAYS.md). The module "nats" does the work. */
#include "base/error.h"
#include "base/loadable.h"
#include "sched/work/jet.h"
#include "sched/work/jet_address.h"

static wadi_status check(const char *address, wadi_error *err) {
    wadi_jet_address a;
    wadi_status st = wadi_jet_address_read(address, &a, err);
    if (st == WADI_OK && a.job[0] == '\0')
        st = wadi_fail(err, WADI_INVALID,
                       "%.200s: the name of a job is missing: expected " WADI_JET_FORM, address);
    wadi_jet_address_fini(&a);
    return st;
}

static wadi_status open_end(const wadi_workq_options *options, wadi_workq **out, wadi_error *err) {
    const void *ops = NULL;
    if (options->curve_secret != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "%.200s: keys of CURVE and tokens (--key, --token, WADI_TOKEN) are not "
                         "for a NATS server; its "
                         "own are settings "
                         "of the address: nkey, creds, token, ca",
                         options->address);
    WADI_TRY(wadi_loadable_get("nats", "work", &ops, err));
    return ((const wadi_jet_work_offer *)ops)->open(options, out, err);
}

const wadi_way wadi_way_nats = {"nats", WADI_JET_FORM, check, open_end};
