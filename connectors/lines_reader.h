/* A text as lines, or as words: what stands between blanks and ends of lines. The reader finds up to WADI_SPANS of them ahead. */
#ifndef WADI_CONNECTORS_LINES_READER_H
#define WADI_CONNECTORS_LINES_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lines.h"
#include "wadi/status.h"

enum {
    WADI_SPANS = 1024,
    WADI_LINE_SLACK = 16 /* bytes behind a span that may be read */
};

typedef struct wadi_lines_reader {
    int fd;
    char *path;
    bool regular;        /* a file that can be read from the middle */
    bool words, keep_cr; /* keep_cr: a carriage return in front of a newline belongs to the line */
    int64_t bytes;       /* of a regular file, when it was opened; -1: of another */
    uint8_t *text;       /* [room + WADI_LINE_SLACK] */
    size_t room, end;    /* bytes that it has room for, and has */
    int64_t base;        /* where text[0] lies in the file */
    bool ended;          /* text[end] is the end of the file */
    size_t at;           /* up to here lie the spans that have been found; */
    size_t scanned;      /* up to here are no further ends of lines */
    int next, spans;     /* of the spans below, those from `next` on have not been taken */
    uint32_t begin[WADI_SPANS], stop[WADI_SPANS]; /* positions in text */
} wadi_lines_reader;

/* Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_lines_reader_open(wadi_lines_reader *r, const char *path,
                                                  wadi_error *err);
/* Harmless if all zero but for fd = -1. */
void wadi_lines_reader_close(wadi_lines_reader *r);

/* At the beginning of the file: passes a byte order mark of UTF-8, and `lines` lines. */
WADI_NODISCARD wadi_status wadi_lines_reader_skip(wadi_lines_reader *r, int64_t lines,
                                                  wadi_error *err);
/* If all spans have been taken: finds more. There are none afterwards only at the end. Waits for a pipe. Errors: WADI_IO, WADI_INVALID (a line of more than
 * 1 GiB), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_lines_reader_find(wadi_lines_reader *r, wadi_error *err);

/* The byte of the file at which the next span begins, or is looked for. */
int64_t wadi_lines_reader_place(const wadi_lines_reader *r);
/* Whether it can go to this byte of a regular file: one at which a line begins; of words, any one. */
bool wadi_lines_reader_has(const wadi_lines_reader *r, int64_t place);
/* Goes there. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_lines_reader_go_to(wadi_lines_reader *r, int64_t place,
                                                   wadi_error *err);

#endif
