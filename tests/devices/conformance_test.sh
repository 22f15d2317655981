#!/bin/sh
# Programs of streams, and random ones, on the device `cuda` over the doubles of NVIDIA's libraries. (cuda.sh)
exec sh "$WADI_SOURCE/tests/devices/cuda.sh" "conformance rows" "conformance tree rows picks scatter stage_faults stages saved nested"
