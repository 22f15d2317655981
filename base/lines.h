/* Where the lines of a text end: newlines, found 64 bytes at a time. */
#ifndef WADI_BASE_LINES_H
#define WADI_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WADI_LINES_BLOCK = 64 /* bytes that are looked at together */ };

/* Writes the positions of the newlines among the n < 2^32 bytes of `text` to ends[most], in order, and returns how many there are. Stops
 * early when there may be no room for those of the next WADI_LINES_BLOCK bytes, so `most` is at least that. *out_seen: how many bytes
 * were looked at. No other bytes are read. plain: without instructions that not every processor has. Entries behind those that are returned may be overwritten. */
size_t wadi_line_ends(const uint8_t *text, size_t n, bool plain, uint32_t *ends, size_t most,
                      size_t *out_seen);

#endif
