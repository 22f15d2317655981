/* The methods. methods.c puts them in order. */
#ifndef WADI_APPS_GRIDDING_METHODS_H
#define WADI_APPS_GRIDDING_METHODS_H

#include "apps/gridding/method.h"

extern const grid_method grid_wstack, grid_wproj, grid_aw, grid_simple, grid_direct;

#endif
