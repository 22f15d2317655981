/* Everything a user of the library includes. */
#ifndef WADI_WADI_H
#define WADI_WADI_H

#include "wadi/kernels.h"
#include "wadi/lang.h"
#include "wadi/log.h"
#include "wadi/profile.h"
#include "wadi/run.h"
#include "wadi/status.h"
#include "wadi/stream.h"
#include "wadi/type.h"
#include "wadi/watch.h"
#include "wadi/work.h"

#endif
