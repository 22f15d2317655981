/* Choosing products and their coefficients. Stokes parameters from products of feeds: Hamaker & Bregman 1996, A&AS 117, 161,
 * with the signs of the IAU:
 *   I = (XX + YY)/2 = (RR + LL)/2      Q = (XX - YY)/2 = (RL + LR)/2
 *   U = (XY + YX)/2 = (RL - LR)/2i     V = (XY - YX)/2i = (RR - LL)/2 */
#include "apps/gridding/polarisation.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

static const struct {
    int code;
    const char *name;
} names[] = {{WADI_STOKES_I, "I"},   {WADI_STOKES_Q, "Q"},   {WADI_STOKES_U, "U"},
             {WADI_STOKES_V, "V"},   {WADI_STOKES_RR, "RR"}, {WADI_STOKES_LL, "LL"},
             {WADI_STOKES_RL, "RL"}, {WADI_STOKES_LR, "LR"}, {WADI_STOKES_XX, "XX"},
             {WADI_STOKES_YY, "YY"}, {WADI_STOKES_XY, "XY"}, {WADI_STOKES_YX, "YX"}};
enum { NAMES = sizeof names / sizeof names[0] };

const char *grid_stokes_name(int stokes) {
    for (int i = 0; i < NAMES; i++)
        if (names[i].code == stokes) return names[i].name;
    return NULL;
}

int grid_stokes_code(const char *name) {
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i].name, name) == 0) return names[i].code;
    return 0;
}

static const struct {
    int stokes, of[2];
    grid_mix mix;
} mixes[] = {
    {WADI_STOKES_I, {WADI_STOKES_XX, WADI_STOKES_YY}, {.re = {0.5, 0.5}, .mean = true}},
    {WADI_STOKES_I, {WADI_STOKES_RR, WADI_STOKES_LL}, {.re = {0.5, 0.5}, .mean = true}},
    {WADI_STOKES_Q, {WADI_STOKES_XX, WADI_STOKES_YY}, {.re = {0.5, -0.5}}},
    {WADI_STOKES_Q, {WADI_STOKES_RL, WADI_STOKES_LR}, {.re = {0.5, 0.5}}},
    {WADI_STOKES_U, {WADI_STOKES_XY, WADI_STOKES_YX}, {.re = {0.5, 0.5}}},
    {WADI_STOKES_U, {WADI_STOKES_RL, WADI_STOKES_LR}, {.im = {-0.5, 0.5}}},
    {WADI_STOKES_V, {WADI_STOKES_XY, WADI_STOKES_YX}, {.im = {-0.5, 0.5}}},
    {WADI_STOKES_V, {WADI_STOKES_RR, WADI_STOKES_LL}, {.re = {0.5, -0.5}}},
};

/* Place of a code on the file's axis; -1: not there. */
static int find(const wadi_vis_info *info, int code) {
    for (int64_t p = 0; p < info->pols; p++)
        if (info->stokes[p] == code) return (int)p;
    return -1;
}

static bool choose(const wadi_vis_info *info, int stokes, grid_mix *out) {
    const int direct = find(info, stokes);
    if (direct >= 0) {
        *out = (grid_mix){.stokes = stokes, .n = 1, .at = {direct, direct}, .re = {1}};
        return true;
    }
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        const int a = find(info, mixes[i].of[0]), b = find(info, mixes[i].of[1]);
        if (mixes[i].stokes != stokes || a < 0 || b < 0) continue;
        *out = mixes[i].mix;
        out->stokes = stokes;
        out->n = 2;
        out->at[0] = a;
        out->at[1] = b;
        return true;
    }
    return false;
}

wadi_status grid_mix_choose(const wadi_vis_info *info, int stokes, const char *name, grid_mix *out,
                            wadi_error *err) {
    wadi_text list = {0};
    if (choose(info, stokes != 0 ? stokes : WADI_STOKES_I, out)) return WADI_OK;
    if (stokes == 0 && choose(info, info->stokes[0], out)) return WADI_OK;
    for (int64_t p = 0; p < info->pols; p++) {
        const char *has = grid_stokes_name(info->stokes[p]);
        wadi_text_addf(&list, "%s%s", p > 0 ? ", " : "", has != NULL ? has : "?");
    }
    const char *wish = grid_stokes_name(stokes);
    const wadi_status status = wadi_fail(
        err, WADI_INVALID, "%s: no polarisation %s in it, and none to make it of: it has %s", name,
        wish != NULL ? wish : "I", wadi_text_str(&list));
    wadi_text_fini(&list);
    return status;
}
