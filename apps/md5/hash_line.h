/* One line of a list of hashes, as hashcat, John and the md5sum family write them. */
#ifndef APPS_MD5_HASH_LINE_H
#define APPS_MD5_HASH_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/md5/word_digest.h"

typedef enum md5_line {
    MD5_LINE_DIGEST,
    MD5_LINE_NOTHING, /* blank, or a comment that begins with '#' */
    MD5_LINE_BAD,
} md5_line;

/* Reads a line of n bytes, without its newline. A digest may be given as
 *
 *     DIGEST                       32 hexadecimal digits of either case
 *     {MD5}BASE64                  LDAP
 *     USER:DIGEST  USER:{MD5}..    hashcat --username
 *     DIGEST:WORD                  a line of a potfile: the word, or $HEX[..], has that digest; if it has not, it is taken for a salt
 *     DIGEST  NAME   DIGEST *NAME  md5sum, also with the backslash it puts before a line whose name it escaped
 *     MD5 (NAME) = DIGEST          BSD, md5sum --tag; MD5(NAME)= DIGEST, openssl
 *
 * MD5_LINE_BAD: *out_why says why. */
md5_line md5_line_read(const char *text, size_t n, uint8_t out[MD5_DIGEST], const char **out_why);

#endif
