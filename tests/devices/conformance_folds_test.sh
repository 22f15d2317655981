#!/bin/sh
# Programs of folds, scans, orders, segments and stencils on the device `cuda` over the doubles of NVIDIA's libraries. (cuda.sh)
exec sh "$WADI_SOURCE/tests/devices/cuda.sh" "" "masked orders pairs scalars scans segments siblings stencil"
