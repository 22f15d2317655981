/* The two checksums of a FLAC frame (RFC 9639, sections 9.1.8 and 9.3): both start at 0 and take the most significant bit
 * first. To continue over more data, pass the result of the last call. */
#ifndef APPS_AUDIO_CRC_H
#define APPS_AUDIO_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Polynomial x^8 + x^2 + x + 1; over the frame header. */
uint8_t flac_crc8(uint8_t crc, const void *data, size_t n);

/* Polynomial x^16 + x^15 + x^2 + 1; over the whole frame. */
uint16_t flac_crc16(uint16_t crc, const void *data, size_t n);

#endif
