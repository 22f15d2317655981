/* Status codes and errors of every fallible call.
 *
 * A call returns a status. The message, the place in wadi that noticed the error, and the place in the user's program that caused
 * it go into a wadi_error, which the caller owns and which may be NULL. Nothing here allocates, so an error can always be reported. */
#ifndef WADI_STATUS_H
#define WADI_STATUS_H

/* Around the declarations of a public header: C linkage, and visible outside the shared library. */
#if defined(__cplusplus)
#define WADI_EXTERN_C_BEGIN extern "C" {
#define WADI_EXTERN_C_END }
#else
#define WADI_EXTERN_C_BEGIN
#define WADI_EXTERN_C_END
#endif
#if defined(__GNUC__)
#define WADI_BEGIN_DECLS _Pragma("GCC visibility push(default)") WADI_EXTERN_C_BEGIN
#define WADI_END_DECLS WADI_EXTERN_C_END _Pragma("GCC visibility pop")
#define WADI_NODISCARD __attribute__((warn_unused_result))
#define WADI_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define WADI_BEGIN_DECLS WADI_EXTERN_C_BEGIN
#define WADI_END_DECLS WADI_EXTERN_C_END
#define WADI_NODISCARD
#define WADI_PRINTF(format_at, first_at)
#endif

WADI_BEGIN_DECLS

/* The result of a call. */
typedef enum wadi_status {
    WADI_OK = 0,
    WADI_INVALID,     /* an argument or a program that cannot mean anything */
    WADI_SHAPE,       /* extents or ranks do not fit */
    WADI_TYPE,        /* element types do not fit */
    WADI_MEMORY,      /* allocation failed or the memory budget is too small */
    WADI_IO,          /* file, socket or format of outside data */
    WADI_DEVICE,      /* a device failed */
    WADI_COMPILE,     /* the kernel compiler is missing or failed */
    WADI_FAULT,       /* a running program divided by zero, indexed out of bounds, ... */
    WADI_CANCELLED,   /* stopped by request */
    WADI_UNSUPPORTED, /* meaningful, but not available here */
    WADI_INTERNAL     /* a bug in wadi */
} wadi_status;

/* A place in source text: the user's call, or a line of a program file. file is NULL when unknown. */
typedef struct wadi_loc {
    const char *file;
    int line;
    const char *
        call; /* the function called there, if it is built from several operators: "histogram"; else NULL */
    const char *array; /* the array that is indexed there, for faults; else NULL */
} wadi_loc;

/* What went wrong. `file` and `line` are the place in wadi that noticed it; `at` is the place in the user's program, if known. */
typedef struct wadi_error {
    wadi_status status;
    char msg[512];
    const char *file;
    int line;
    wadi_loc at;
} wadi_error;

/* A short lower-case word for a status, never NULL: "ok", "shape", ... The string is static. */
const char *wadi_status_name(wadi_status status);

WADI_END_DECLS

#endif
