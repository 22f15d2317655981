/* Parsing and checking --skip and --until. */
#include "apps/audio/range.h"

#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/text.h"

static const int64_t MOST = INT64_C(1) << 36; /* samples of a FLAC stream (RFC 9639, section 8.2) */

bool flac_range_given(const flac_range *r) {
    return r->skip.given || r->until.given;
}

/* "MM:SS", "MM:SS.ssss" */
static bool parse_time(const char *text, const char *colon, double *out) {
    char minutes[16] = "";
    int64_t m = 0;
    double s = 0;
    const size_t n = (size_t)(colon - text);
    if (n >= sizeof minutes || strspn(colon + 1, "0123456789.") != strlen(colon + 1)) return false;
    memcpy(minutes, text, n);
    if (!wadi_args_number(minutes, 0, MOST / 60, &m)) return false;
    if (!wadi_args_real(colon + 1, 0, 60, &s) || s >= 60) return false;
    *out = 60 * (double)m + s;
    return true;
}

bool flac_point_parse(const char *text, bool signs, flac_point *out) {
    *out = (flac_point){.given = true};
    if (signs && (*text == '+' || *text == '-'))
        out->from = *text++ == '+' ? FLAC_FROM_SKIP : FLAC_FROM_END;
    const char *colon = strchr(text, ':');
    out->is_time = colon != NULL;
    if (colon != NULL) return parse_time(text, colon, &out->seconds);
    return *text >= '0' && *text <= '9' && wadi_args_number(text, 0, MOST, &out->samples);
}

static int64_t in_samples(const flac_point *p, int rate) {
    return p->is_time ? (int64_t)(p->seconds * rate) : p->samples;
}

static wadi_status beyond(const char *path, const char *option, int64_t at, int64_t frames,
                          wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s: %s: sample %lld; it has only %lld", path, option,
                     (long long)at, (long long)frames);
}

static wadi_status end_of(const flac_range *r, const char *path, int rate, int64_t frames,
                          int64_t from, int64_t *out, wadi_error *err) {
    const int64_t n = in_samples(&r->until, rate);
    *out = frames;
    if (!r->until.given) return WADI_OK;
    if (r->until.from == FLAC_FROM_END) {
        if (frames < 0)
            return wadi_fail(err, WADI_INVALID, "%s: --until: the end of the input is not known",
                             path);
        *out = frames - n;
    } else {
        *out = r->until.from == FLAC_FROM_SKIP ? from + n : n;
    }
    if (frames >= 0 && *out > frames) return beyond(path, "--until", *out, frames, err);
    if (*out > from) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "%s: --until: sample %lld is not behind sample %lld, where "
                     "--skip leads",
                     path, (long long)*out, (long long)from);
}

wadi_status flac_range_resolve(const flac_range *r, const char *path, int rate, int64_t frames,
                               int64_t *out_from, int64_t *out_to, wadi_error *err) {
    *out_from = in_samples(&r->skip, rate);
    if (frames >= 0 && r->skip.given && *out_from >= frames)
        return beyond(path, "--skip", *out_from, frames, err);
    return end_of(r, path, rate, frames, *out_from, out_to, err);
}
