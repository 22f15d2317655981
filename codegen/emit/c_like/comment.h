/* Comments and strings in generated text. What they say comes from users: names of programs, arrays and routines, and places in their files. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_COMMENT_H
#define WADI_CODEGEN_EMIT_C_LIKE_COMMENT_H

#include "base/text.h"

/** Appends a comment: `before`, `text`, `after`. Characters of `text` that could end the comment, begin another or join lines become '?'. */
void wadi_c_comment(wadi_text *out, const char *before, const char *text, const char *after);
/** Appends a string literal of `text`, whatever is in it. */
void wadi_c_string(wadi_text *out, const char *text);

#endif
