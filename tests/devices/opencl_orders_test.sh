#!/bin/sh
# Sorting and ranking, stencils, and permutes whose targets data decides, on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "orders stencil targets"
