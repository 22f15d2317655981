/* The table of chunk policies. A new policy is a file and a line here. */
#include "sched/policy.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

const wadi_policy_row wadi_policies[] = {
    {"probe", "measures sizes against each other; learned sizes are kept",
     wadi_policy_probe_create},
    {"paper", "grows while processors idle or time per element falls", wadi_policy_paper_create},
    {"fixed", "the same size always", wadi_policy_fixed_create},
    {NULL, NULL, NULL},
};

/* Steps of chunks of two sizes in turn are too long and too short by turns, so that only the average of what they lose means anything. A single
 * bad one counts as a few bad ones. */
int64_t wadi_policy_elapsed(wadi_policy_clock *c, int64_t step_ns, int64_t waited_ns,
                            int64_t read_ns) {
    static const double MEMORY = 64, MUCH = 8, MUCH_NS = 2e5;
    const int64_t rest_ns = step_ns - waited_ns;
    const int64_t slower_ns = rest_ns > read_ns ? rest_ns : read_ns;
    const double most = fmax(MUCH * c->lost_ns, MUCH_NS);
    c->lost_ns += (fmin((double)(step_ns - slower_ns), most) - c->lost_ns) / MEMORY;
    return slower_ns + (c->lost_ns > 0 ? (int64_t)c->lost_ns : 0);
}

wadi_status wadi_policy_find(const char *name, const wadi_policy_row **out, wadi_error *err) {
    wadi_text known;
    wadi_text_init(&known);
    for (const wadi_policy_row *row = wadi_policies; row->name != NULL; row++) {
        if (name == NULL || strcmp(name, row->name) == 0) {
            wadi_text_fini(&known);
            *out = row;
            return WADI_OK;
        }
        wadi_text_addf(&known, "%s%s", known.n > 0 ? ", " : "", row->name);
    }
    const wadi_status status = wadi_fail(err, WADI_INVALID, "no chunk policy \"%s\"; there are: %s",
                                         name, wadi_text_str(&known));
    wadi_text_fini(&known);
    return status;
}

wadi_status wadi_policy_create(const char *name, int64_t start, wadi_policy **out,
                               wadi_error *err) {
    const wadi_policy_row *row = NULL;
    WADI_TRY(wadi_policy_find(name, &row, err));
    return row->create(start, out, err);
}

void wadi_policy_destroy(wadi_policy *p) {
    if (p != NULL) p->ops->destroy(p);
}
