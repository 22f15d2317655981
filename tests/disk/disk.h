/* A model of a disk: what programs have changed on it, and what of that a crash leaves. A system promises to keep of a file what was forced onto
 * the disk (fsync), and of a folder the names that it had when the folder was. All else may be lost, or be there, in any mixture.
 * After "All file systems are not created equal" (Pillai et al., OSDI 2014) and CrashMonkey (Mohan et al., OSDI 2018). */
#ifndef TESTS_DISK_DISK_H
#define TESTS_DISK_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/disk/record.h"

typedef struct disk disk;

/* A change, as recorded. Names and data lie in the log. */
typedef struct disk_entry {
    disk_record is;
    char name[256], name2[256];
    const char *data;
} disk_entry;

typedef struct disk_log {
    char *bytes;
    int n;
    disk_entry *entry;
} disk_log;

/* What a crash leaves. */
typedef enum disk_left {
    DISK_ALL,    /* the program was killed: everything */
    DISK_TORN,   /* the same, and half of the write that would come next */
    DISK_SYNCED, /* the power went: only what was forced */
    DISK_NAMES,  /* all names, and of files only what was forced */
    DISK_DATA,   /* the other way round */
    DISK_SOME, /* of what was not forced, sectors at random, and the first few changes of each folder */
    DISK_LEFT
} disk_left;
extern const char *const disk_left_words[DISK_LEFT];

/* Reads what the recorder has told. */
disk_log disk_read_log(const char *path);
void disk_free_log(disk_log *log);

/* The folder as it is: all of it is forced. */
disk *disk_create(const char *folder);
void disk_destroy(disk *d);
/* The program does this. Changes elsewhere are ignored. */
void disk_apply(disk *d, const disk_entry *e);
/* Makes an empty folder look as a crash leaves the disk; next: the change that would come, NULL: none. Returns a digest of it. */
uint64_t disk_leave(const disk *d, disk_left left, const disk_entry *next, uint64_t seed,
                    const char *folder);

/* Removes what is in the folder. */
void disk_empty(const char *folder);

#endif
