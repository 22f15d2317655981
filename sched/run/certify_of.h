/* What a certificate is of: the lines that another run must have as well, if it is to come to the same. */
#ifndef WADI_SCHED_RUN_CERTIFY_OF_H
#define WADI_SCHED_RUN_CERTIFY_OF_H

#include "sched/certificate/certificate.h"
#include "sched/run/state.h"

/* Appends them, with digests as that certificate has them; NULL: as new ones have them. With all bound. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certify_describe(const wadi_run *x, const wadi_certificate *like,
                                                 wadi_text *out, wadi_error *err);
/* Whether these lines, of wadi_certify_describe, are those of the certificate. Errors: WADI_INVALID, which says what it is of; WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certify_compare(const char *lines, const wadi_certificate *like,
                                                wadi_error *err);

#endif
