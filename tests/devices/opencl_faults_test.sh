#!/bin/sh
# Programs with faults, permutes and programs of many operators on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "faults scatter combined perils"
