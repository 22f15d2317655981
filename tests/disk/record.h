/* What calls/recorder.c tells of the changes that a program makes on the disk: records, one after another, in the order of the changes. */
#ifndef TESTS_DISK_RECORD_H
#define TESTS_DISK_RECORD_H

#include <stdint.h>

typedef enum disk_change {
    DISK_FILE,   /* `file` was made in `folder` under `name` */
    DISK_FOLDER, /* the same of a folder */
    DISK_WRITE,  /* `file` has `data` from byte `at` on */
    DISK_CUT,    /* `file` has `at` bytes */
    DISK_SYNC,   /* a file or a folder was forced onto the disk */
    DISK_RENAME, /* `name` of `folder` is `name2` of `folder2` now */
    DISK_LINK,   /* the same, and it has its first name as well */
    DISK_REMOVE  /* `folder` has no `name` any more */
} disk_change;

/* The numbers of files and folders are those of their inodes. Behind it come both names and the data. */
typedef struct disk_record {
    uint64_t file, folder, folder2;
    int64_t at, data_bytes;
    int32_t change, name_bytes, name2_bytes, unused;
} disk_record;

#endif
