/* Freeing a view, and its words. */
#include "sched/view.h"

void wadi_view_fini(wadi_view *v) {
    wadi_vec_free(&v->nodes);
    wadi_vec_free(&v->edges);
}

const char *wadi_view_state_name(wadi_view_state s) {
    static const char *const names[] = {[WADI_VIEW_RUNS] = "running",
                                        [WADI_VIEW_PAUSED] = "paused",
                                        [WADI_VIEW_DRAINS] = "draining",
                                        [WADI_VIEW_OVER] = "over"};
    return names[s];
}

const char *wadi_view_kind_name(wadi_view_kind k) {
    static const char *const names[] = {
        [WADI_VIEW_SOURCE] = "source", [WADI_VIEW_STAGE] = "stage", [WADI_VIEW_END] = "end"};
    return names[k];
}
