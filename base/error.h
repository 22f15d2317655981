/* How code inside wadi fails: one line that fills the caller's wadi_error and returns the status.
 *
 *     if (n < 0) return wadi_fail(err, WADI_INVALID, "take: count is %d, expected >= 0", n);
 *
 * Bad input never aborts. WADI_ASSERT is only for bugs in wadi itself, and vanishes with NDEBUG. */
#ifndef WADI_BASE_ERROR_H
#define WADI_BASE_ERROR_H

#include <stdlib.h>

#include "wadi/status.h"

/* wadi_fail(err, status, format, ...): records status, message and this line in err (when not NULL); returns status. */
#define wadi_fail(err, status, ...) wadi_fail_here((err), (status), __FILE__, __LINE__, __VA_ARGS__)

/* wadi_fail_at(err, loc, status, format, ...): the same, and records the user's place. */
#define wadi_fail_at(err, loc, status, ...) \
    wadi_fail_here_at((err), (loc), (status), __FILE__, __LINE__, __VA_ARGS__)

/* wadi_fail_errno(err, number, format, ...): the same, and appends ": " and the system's words for `number`, an errno. The status
 * is WADI_MEMORY for ENOMEM, WADI_CANCELLED for ECANCELED, else WADI_IO. */
#define wadi_fail_errno(err, number, ...) \
    wadi_fail_errno_here((err), (number), __FILE__, __LINE__, __VA_ARGS__)

/* The system's words for `number`, an errno. Any thread may call it, which is not so of strerror. */
void wadi_errno_words(int number, char *out, size_t room);

/* The functions behind the macros. */
wadi_status wadi_fail_here(wadi_error *err, wadi_status status, const char *file, int line,
                           const char *format, ...) WADI_PRINTF(5, 6);
wadi_status wadi_fail_here_at(wadi_error *err, wadi_loc at, wadi_status status, const char *file,
                              int line, const char *format, ...) WADI_PRINTF(6, 7);
wadi_status wadi_fail_errno_here(wadi_error *err, int number, const char *file, int line,
                                 const char *format, ...) WADI_PRINTF(5, 6);

/* Returns from the calling function when expr is not WADI_OK. Not for functions that hold resources: those have a done label. */
#define WADI_TRY(expr)                                          \
    do {                                                        \
        const wadi_status wadi_try_status = (expr);             \
        if (wadi_try_status != WADI_OK) return wadi_try_status; \
    } while (0)

/* Returns WADI_INVALID from a public function whose argument `pointer` is NULL: "wadi_run_go: run is NULL". */
#define WADI_GIVEN(err, pointer)                                                         \
    do {                                                                                 \
        if (!(pointer))                                                                  \
            return wadi_fail((err), WADI_INVALID, "%s: %s is NULL", __func__, #pointer); \
    } while (0)

/* Aborts and names the place if a condition that wadi itself guarantees does not hold. With NDEBUG the condition is not evaluated;
 * sizeof avoids warnings about unused names. */
#ifdef NDEBUG
#define WADI_ASSERT(cond) ((void)sizeof(!(cond)))
#else
#define WADI_ASSERT(cond) ((cond) ? (void)0 : wadi_assert_failed(#cond, __FILE__, __LINE__))
#endif

_Noreturn void wadi_assert_failed(const char *cond, const char *file, int line);

#define WADI_UNUSED(x) ((void)(x))

#endif
