/* MD5 (RFC 1321) in the array language: for every message of a stream, whether its digest may be one of the wanted ones.
 *
 * "May be" means that only the first word of the digest is looked up in a bitmap, so the receiver has to confirm each hit. Messages have
 * three classes with a program each. Thus short words run one per SIMD lane, and message words that are known to be zero are folded away:
 *   short   at most 15 bytes: a record of message words 0 to 3 and the length
 *   medium  at most 55 bytes, one block: words 0 to 13 and the length
 *   long    any length: u32[blocks, 16], padded as RFC 1321 section 3.1 and 3.2 say
 * Each program reads the stream "words", gives the stream "tried" of pairs (the element, bool), and has an input "bitmap".
 */
#ifndef APPS_MD5_HASH_H
#define APPS_MD5_HASH_H

#include <stdint.h>

#include "wadi/lang.h"

typedef enum md5_class { MD5_SHORT, MD5_MEDIUM, MD5_LONG, MD5_CLASSES } md5_class;

enum { MD5_SHORT_BYTES = 15, MD5_MEDIUM_BYTES = 55, MD5_SHORT_WORDS = 4, MD5_MEDIUM_WORDS = 14 };

/* Bit (digest word 0 >> (32 - log2_bits)) of the bitmap u32[2^log2_bits / 32] is set for wanted digests. */
void md5_build(md5_class class, int log2_bits);
/* The same for short words in one array: input "words", a vector of records, and output "hits", a vector of bool. */
void md5_build_whole(int log2_bits);

/* The first word of the digest of a message of one block m[16], padded as RFC 1321 section 3.1 and 3.2 say. */
wadi_exp md5_first_word(const wadi_exp *m);

/* Message words of an element of the class; the length in bits comes after them. MD5_LONG: 0. */
int md5_class_words(md5_class class);
const char *md5_class_name(md5_class class);

#endif
