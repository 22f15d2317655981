/* What the applications are measured on, made anew and the same on every machine. */
#ifndef WADI_BENCH_DEVICES_APP_INPUTS_H
#define WADI_BENCH_DEVICES_APP_INPUTS_H

#include <stdbool.h>

#include "wadi/status.h"

/* The MD5 digest of the last word of bench_make_words, "the last word", as hexadecimal digits. */
#define BENCH_LAST_WORD "4236213d79c017e107136e6b02758d4f"

/* WAV, two channels of 16 bits at 44.1 kHz: two minutes; quick: half a second. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_make_sound(const char *path, bool quick, wadi_error *err);
/* Ten million words; quick: 1000. */
WADI_NODISCARD wadi_status bench_make_words(const char *path, bool quick, wadi_error *err);
/* A million visibilities of three sources, as text; quick: 200. */
WADI_NODISCARD wadi_status bench_make_visibilities(const char *path, bool quick, wadi_error *err);

#endif
