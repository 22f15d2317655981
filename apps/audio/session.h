/* What a run over many inputs keeps in a folder (base/kept_folder.h), so that the same command goes on after its process was ended: which inputs
 * are done. Outputs appear only when they are complete, so an input that was at work is begun anew, and one that failed is tried again. */
#ifndef APPS_AUDIO_SESSION_H
#define APPS_AUDIO_SESSION_H

#include "apps/audio/options.h"

typedef struct flac_session flac_session;

/* Opens the folder o->state, with what an earlier process has left. The arguments are those of main: other inputs are refused, and so are other options,
 * unless o->accept_change. Errors: WADI_INVALID (it is of another command), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_session_open(const flac_options *o, int argc, char *const *argv,
                                             flac_session **out, wadi_error *err);
/* Whether input number i is done. NULL: it is not. */
bool flac_session_is_done(const flac_session *s, size_t i);
/* How many are; NULL: 0. */
size_t flac_session_done(const flac_session *s);
/* Whether there was a warning. NULL: no. */
bool flac_session_warned(const flac_session *s);
/* Input number i, which o names, begins. *out_ours: an output under its name is of an earlier try, and may be replaced. Without a session it is not.
 * Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_session_begin(flac_session *s, const flac_options *o, size_t i,
                                              bool *out_ours, wadi_error *err);
/* Input number i is done, or has failed. Noted on the disk when the next one begins. */
void flac_session_note(flac_session *s, size_t i, bool done, bool warned);
/* The process ends. If all inputs are done, the folder is removed. NULL is fine. Errors: as begin. */
WADI_NODISCARD wadi_status flac_session_close(flac_session *owned_s, wadi_error *err);

#endif
