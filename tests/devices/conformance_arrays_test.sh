#!/bin/sh
# Programs of arrays, and with faults, on the device `cuda` over the doubles of NVIDIA's libraries. (cuda.sh)
exec sh "$WADI_SOURCE/tests/devices/cuda.sh" "" "arrayops combined faults fft levels pieces"
