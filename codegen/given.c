/* Extents that whoever asks for a report gives numbers: "n=100,xs.0=3". */
#include "codegen/given.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

wadi_status wadi_given_check(const char *extents, wadi_error *err) {
    for (const char *at = extents; at != NULL && *at != '\0'; at += *at == ',') {
        const size_t name = strcspn(at, "=,");
        const size_t digits = at[name] == '=' ? strspn(at + name + 1, "0123456789") : 0;
        const char *end = at + name + 1 + digits;
        if (name == 0 || digits == 0 || digits > 15 || (*end != ',' && *end != '\0') ||
            strcmp(end, ",") == 0)
            return wadi_fail(err, WADI_INVALID,
                             "extents: \"%s\": expected NAME=NUMBER, with commas between", extents);
        at = end;
    }
    return WADI_OK;
}

bool wadi_given_extent(const char *given, const char *name, int64_t *out) {
    const size_t n = strlen(name);
    for (const char *at = given; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && at[n] == '=') {
            *out = strtoll(at + n + 1, NULL, 10);
            return true;
        }
    }
    return false;
}
