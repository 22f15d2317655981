/* PICTURE blocks from the command line: [TYPE]|[MIME]|[TEXT]|[WIDTHxHEIGHTxDEPTH[/COLOURS]]|FILE, or the name of a file alone. */
#ifndef APPS_AUDIO_PICTURE_H
#define APPS_AUDIO_PICTURE_H

#include "base/text.h"
#include "wadi/status.h"

/* The body of a block. TYPE is a number of RFC 9639, section 8.8 (3, the front cover, when left out). MIME and the size are
 * read from the first bytes of PNG, JPEG and GIF when left out. MIME "-->" says that FILE is a URL, which is stored instead. Errors: WADI_INVALID
 * (the specification), WADI_UNSUPPORTED (no size given and none found), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_picture_make(const char *specification, wadi_text *out,
                                             wadi_error *err);

#endif
