/* Raw files as places. For a name of another format, such as out.csv, a raw sink is refused unless the user names it
 * (@raw:out.csv), because a later reader would take the bytes for that format. */
#include <string.h>
#include <sys/stat.h>

#include "base/args.h"
#include "base/ascii.h"
#include "base/error.h"
#include "connectors/connectors.h"

wadi_status wadi_place_one_part(const wadi_place *p, const char *what, wadi_error *err) {
    if (p->parts == 1 && p->part[0].fields == 1) return WADI_OK;
    return wadi_fail(err, WADI_TYPE,
                     "%s: the elements of %s are one array of scalars, but the program declares "
                     "tuples or records",
                     p->at, what);
}

bool wadi_place_number(const char *option, size_t n, int64_t low, int64_t high, int64_t *out) {
    char digits[16];
    const char *value = memchr(option, '=', n);
    if (value == NULL) return false;
    const size_t m = n - (size_t)(value + 1 - option);
    if (m >= sizeof digits) return false;
    memcpy(digits, value + 1, m);
    digits[m] = '\0';
    return wadi_args_number(digits, low, high, out);
}

/* raw takes all places that no other connector recognises. */
static bool is_any(const char *at) {
    return *at != '\0';
}

static wadi_status raw_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    WADI_TRY(wadi_place_one_part(p, "a raw file", err));
    const wadi_part *part = &p->part[0];
    if (p->rank >= 0 && p->rank != part->rank)
        return wadi_fail(err, WADI_SHAPE,
                         "%s: the shape has %d extents, but the program declares %d", p->at,
                         p->rank, part->rank);
    if (!part->fixed)
        return wadi_fail(err, WADI_SHAPE,
                         "%s: a raw file does not tell the shape of an element; give it, as in "
                         "3x4:@%s",
                         p->at, p->at);
    return wadi_source_raw(p->at, part, &out->source, err);
}

/* The ending of a file's name, after the dot; NULL: it has none. */
static const char *ending_of(const char *at) {
    const char *slash = strrchr(at, '/');
    const char *name = slash != NULL ? slash + 1 : at;
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot != name && dot[1] != '\0' ? dot + 1 : NULL;
}

/* Whether the name means no other format: its ending is raw, bin, dat and the like, the name of a type, a number, or missing. */
static bool is_plain(const char *at) {
    static const char *const plain[] = {"raw", "bin", "dat", "data", "out", "tmp"};
    const char *ending = ending_of(at);
    if (ending == NULL) return true;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (wadi_ascii_alike(ending, plain[i])) return true;
    for (int t = 0; t < WADI_TYPE_COUNT; t++)
        if (wadi_ascii_alike(ending, wadi_type_name((wadi_type)t))) return true;
    return strspn(ending, "0123456789") == strlen(ending);
}

/* A device or a FIFO: whoever reads it knows what comes. */
static bool is_stream(const char *at) {
    struct stat about;
    return stat(at, &about) == 0 && !S_ISREG(about.st_mode);
}

static wadi_status raw_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    if (!p->named && !is_plain(p->at) && !is_stream(p->at))
        return wadi_fail(err, WADI_INVALID,
                         "%s: wadi does not write \"%s\" files; @raw:%s writes the bytes of the "
                         "arrays alone, without their shapes",
                         p->at, ending_of(p->at), p->at);
    return wadi_sink_raw(p->at, out, err);
}

const wadi_connector wadi_connector_row_raw = {
    .name = "raw",
    .about = "a file of records in the machine's byte order: source of one shape, sink of any",
    .recognises = is_any,
    .source = raw_source,
    .sink = raw_sink,
};
