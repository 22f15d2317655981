#!/bin/sh
# Programs of streams, and random ones, on the device `cuda` over the doubles of NVIDIA's libraries. (cuda.sh)
exec sh "$WADI_SOURCE/tests/devices/cuda.sh" "conformance rows" "conformance rows scatter stages saved"
