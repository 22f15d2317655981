/* Steps on the files of a folder that other processes must not come between. */
#ifndef WADI_BASE_FOLDER_LOCK_H
#define WADI_BASE_FOLDER_LOCK_H

/* Locks the folder of the file `path` against others that do so, and returns what unlock takes. Waits for 2 s at most: whoever holds such a
 * lock needs it for moments, and a process that was stopped meanwhile must not stop all others. -1: the folder cannot be locked. */
int wadi_folder_lock(const char *path);
/* Less than 0 is fine. */
void wadi_folder_unlock(int lock);

#endif
