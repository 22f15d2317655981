#!/bin/sh
# Programs of arrays, and at the edges of shapes and types, on the device `cuda` over the doubles of NVIDIA's libraries. (cuda.sh)
SPARSE=yes exec sh "$WADI_SOURCE/tests/devices/cuda.sh" "" "arrays arrayops combined complex corners extremes faults fft guards lanes levels perils pieces"
