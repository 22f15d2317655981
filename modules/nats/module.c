/* Work over JetStream, the part of a NATS server that keeps messages (nats.io). */
#include "base/loadable_face.h"
#include "modules/nats/inside.h"
#include "modules/nats/place.h"
#include "sched/work/jet.h"

static const char *version(void) {
    return "libnats " NATS_VERSION_STRING;
}

static const wadi_jet_work_offer work = {wadi_nats_open};
static const wadi_jet_streams_offer streams = {wadi_nats_place_read, wadi_nats_place_write};
static const wadi_loadable_offer offers[] = {
    {"work", &work}, {"jobs", &wadi_nats_jobs}, {"streams", &streams}, {0}};

WADI_LOADABLE("Apache-2.0", version, offers);
