/* Lines of the dictionaries: the words. A buffer always holds whole lines; whoever packs the words walks through it.
 *
 * A word is the bytes before a newline, or before the end of its file. An empty line is the empty word. A carriage return
 * before the newline is dropped unless the options say otherwise. "$HEX[...]" stands for the bytes it spells. A word longer
 * than MD5_LONGEST bytes is skipped and counted. A UTF-8 byte order mark before the first word of a file does not belong to
 * the word. */
#ifndef APPS_MD5_READER_H
#define APPS_MD5_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/md5/input.h"
#include "apps/md5/pack.h"

enum {
    MD5_LONGEST = 16 << 20,
    MD5_READ_AHEAD = 16 /* bytes behind the last line that may be read */
};

enum { MD5_LINES = 1024 /* whose ends are known ahead */ };

/* Where to go on: after `words` words, at `offset` of file number `file`. */
typedef struct md5_place {
    int file;
    int64_t offset, words;
} md5_place;

typedef struct md5_reader {
    md5_input *in;
    bool keep_cr, plain; /* plain: see apps/md5/pack.h */
    uint8_t *buffer;     /* [cap + room] */
    size_t cap;
    const uint8_t *at, *stop,
        *end; /* complete words from `at` to `stop`, and the beginning of the next one up to `end` */
    int file;                  /* the file that is in the buffer */
    int64_t base;              /* where in this file the buffer begins */
    bool file_ended, skipping; /* skipping: inside a word that is too long */
    int64_t words, too_long;
    int joined; /* files that are one line with carriage returns in it, as old Macs ended lines */
    int joined_file; /* the first of them */
    /* the ends of the next lines, as in apps/md5/pack.h; the first line that has not been taken is number `line` */
    const uint8_t *text;
    size_t line, lines;
    uint32_t line_end[1 + MD5_LINES];
} md5_reader;

WADI_NODISCARD wadi_status md5_reader_init(md5_reader *r, md5_input *in, bool keep_cr,
                                           wadi_error *err);
void md5_reader_fini(md5_reader *r);
WADI_NODISCARD wadi_status md5_reader_go_to(md5_reader *r, md5_place place, wadi_error *err);

/* Reads more words; only when at == stop. *out_done: there are no more. */
WADI_NODISCARD wadi_status md5_reader_refill(md5_reader *r, bool *out_done, wadi_error *err);
/* Whether all words have been taken and a refill would wait for a pipe. */
bool md5_reader_waits(const md5_reader *r);
/* The next lines whose ends are known, as many as *out_n; none only when at == stop. md5_reader_pass takes n of them. */
md5_lines md5_reader_lines(md5_reader *r, int64_t *out_n);
void md5_reader_pass(md5_reader *r, int64_t n);
/* Takes the next word; only when at < stop. It is borrowed until the refill. A $HEX word is decoded in place. */
const uint8_t *md5_reader_next(md5_reader *r, size_t *out_n);
md5_place md5_reader_place(const md5_reader *r);

#endif
