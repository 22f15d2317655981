/* A value that is not understood must not be taken for the usual one in silence: WADI_FAST_MATH=1 would leave a user waiting for speed. */
#include "base/environment.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/log.h"

static const struct {
    const char *name;
    bool usual;
} switches[WADI_SWITCH_COUNT] = {[WADI_SWITCH_FAST_MATH] = {"WADI_FAST_MATH", false},
                                 [WADI_SWITCH_LEARN] = {"WADI_LEARN", true},
                                 [WADI_SWITCH_WATCH] = {"WADI_WATCH", true}};

static const struct {
    const char *name;
    double least, most;
} limits[WADI_LIMIT_COUNT] = {[WADI_LIMIT_PATIENCE] = {"WADI_PATIENCE", 0.001, 1e6},
                              [WADI_LIMIT_CC] = {"WADI_CC_TIMEOUT", 0, 1e8}};

static atomic_bool told_switch[WADI_SWITCH_COUNT], told_limit[WADI_LIMIT_COUNT];

/* What the variable says; NULL: nothing. */
static const char *said_by(const char *name) {
    const char *said = getenv(name);
    return said != NULL && *said != '\0' ? said : NULL;
}

bool wadi_switch_is_on(wadi_switch s) {
    const bool usual = switches[s].usual;
    const char *said = said_by(switches[s].name);
    if (said == NULL) return usual;
    if (strcmp(said, "on") == 0) return true;
    if (strcmp(said, "off") == 0) return false;
    if (!atomic_exchange(&told_switch[s], true))
        wadi_logf(WADI_LOG_WARNING,
                  "%s is \"%.40s\": it may be \"on\" or \"off\", and counts as \"%s\"",
                  switches[s].name, said, usual ? "on" : "off");
    return usual;
}

double wadi_limit_seconds(wadi_limit l, double usual) {
    const char *said = said_by(limits[l].name);
    char *end = NULL;
    if (said == NULL) return usual;
    const double s = wadi_format_read_f64(said, &end);
    if (end != said && *end == '\0' && s >= limits[l].least && s <= limits[l].most) return s;
    if (!atomic_exchange(&told_limit[l], true))
        wadi_logf(WADI_LOG_WARNING, "%s is \"%.40s\": it may be %g to %g seconds, and counts as %g",
                  limits[l].name, said, limits[l].least, limits[l].most, usual);
    return usual;
}
