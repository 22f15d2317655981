/* The table of chunk policies. A new policy is a file and a line here. */
#include "sched/policy.h"

#include <string.h>

#include "base/error.h"

const wadi_policy_row wadi_policies[] = {
    {"probe", "measures sizes against each other; learned sizes are kept",
     wadi_policy_probe_create},
    {"paper", "grows while processors idle or time per element falls", wadi_policy_paper_create},
    {"fixed", "the same size always", wadi_policy_fixed_create},
    {NULL, NULL, NULL},
};

wadi_status wadi_policy_create(const char *name, int64_t start, wadi_policy **out,
                               wadi_error *err) {
    wadi_text known;
    wadi_text_init(&known);
    for (const wadi_policy_row *row = wadi_policies; row->name != NULL; row++) {
        if (name == NULL || strcmp(name, row->name) == 0) {
            wadi_text_fini(&known);
            return row->create(start, out, err);
        }
        wadi_text_addf(&known, "%s%s", known.n > 0 ? ", " : "", row->name);
    }
    const wadi_status status = wadi_fail(err, WADI_INVALID, "no chunk policy \"%s\"; there are: %s",
                                         name, wadi_text_str(&known));
    wadi_text_fini(&known);
    return status;
}

void wadi_policy_destroy(wadi_policy *p) {
    if (p != NULL) p->ops->destroy(p);
}
