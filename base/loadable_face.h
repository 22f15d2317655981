/* The two symbols that a module exports. Only modules include this. */
#ifndef WADI_BASE_LOADABLE_FACE_H
#define WADI_BASE_LOADABLE_FACE_H

#include "base/loadable.h"
#include "base/loadable_stamp.h"

#define WADI_LOADABLE_EXPORT __attribute__((visibility("default")))

extern WADI_LOADABLE_EXPORT const char wadi_loadable_stamp[];
extern WADI_LOADABLE_EXPORT const wadi_loadable wadi_loadable_face;

/* Defines them. */
#define WADI_LOADABLE(licence, version, offers)             \
    const char wadi_loadable_stamp[] = WADI_LOADABLE_STAMP; \
    const wadi_loadable wadi_loadable_face = {(licence), (version), (offers), wadi_task_adopt}

#endif
