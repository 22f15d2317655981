/* What a run over many inputs keeps in a folder (base/kept_folder.h), so that the same command goes on after its process was ended: how many
 * inputs are done. Outputs appear only when they are complete, so an input that was at work is begun anew. */
#ifndef APPS_AUDIO_SESSION_H
#define APPS_AUDIO_SESSION_H

#include "apps/audio/options.h"

typedef struct flac_session flac_session;

/* Opens the folder o->state, with what an earlier process has left. The arguments are those of main: other inputs are refused, and so are other options,
 * unless o->accept_change. Errors: WADI_INVALID (it is of another command), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_session_open(const flac_options *o, int argc, char *const *argv,
                                             flac_session **out, wadi_error *err);
/* The first input that is not done. NULL: 0. */
size_t flac_session_first(const flac_session *s);
/* Whether one of those before has failed, or there was a warning. NULL: no. */
bool flac_session_failed(const flac_session *s);
bool flac_session_warned(const flac_session *s);
/* Input number i, which o names, begins. *out_done: it was done by an earlier process, which could not note it. *out_ours: an output under its name is
 * that of an earlier process, and may be replaced. Without a session both are false. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_session_begin(flac_session *s, const flac_options *o, size_t i,
                                              bool *out_done, bool *out_ours, wadi_error *err);
/* All inputs before number n are done. Noted on the disk when the next one begins. */
void flac_session_note(flac_session *s, size_t n, bool failed, bool warned);
/* The process ends, all inputs being done or not; NULL is fine. Errors: as begin. */
WADI_NODISCARD wadi_status flac_session_close(flac_session *owned_s, bool all, wadi_error *err);

#endif
