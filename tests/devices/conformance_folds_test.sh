#!/bin/sh
# Programs of folds, scans, orders, stencils and states on the device `cuda` over the doubles of NVIDIA's libraries. (cuda.sh) `apart`, `coverage`,
# `fission`, `passes` and `plain` choose devices of their own or look at the compiler.
SPARSE=yes exec sh "$WADI_SOURCE/tests/devices/cuda.sh" "" "masked orders pairs random scalars scans segments sequences siblings states stencil targets tops"
