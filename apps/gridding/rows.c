/* Declaring the components of a row. */
#include "apps/gridding/rows.h"

#include <stdio.h>

static wadi_component component(wadi_type type, int rank, const char *const *extents) {
    return (wadi_component){.elem = wadi_scalar_elem(type), .rank = rank, .extents = extents};
}

wadi_seq grid_rows_in(const wadi_vis_info *info) {
    static const char *const three[] = {"3"}, *const two[] = {"2"};
    char channels[24], pols[24];
    (void)snprintf(channels, sizeof channels, "%lld", (long long)info->channels);
    (void)snprintf(pols, sizeof pols, "%lld", (long long)info->pols);
    const char *const table[] = {channels, pols};
    const wadi_component parts[WADI_VIS_PARTS] = {[WADI_VIS_UVW] = component(WADI_F64, 1, three),
                                                  [WADI_VIS_PAIR] = component(WADI_I32, 1, two),
                                                  [WADI_VIS_TIME] = component(WADI_F64, 0, NULL),
                                                  [WADI_VIS_DATA] = component(WADI_C128, 2, table),
                                                  [WADI_VIS_WEIGHT] =
                                                      component(WADI_F32, 2, table)};
    return wadi_stream_in("rows", WADI_VIS_PARTS, parts);
}
