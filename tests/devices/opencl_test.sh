#!/bin/sh
# Random programs, and programs of rows, picks and faults of stages, on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "conformance" "conformance tree rows picks random stage_faults short_filters"
