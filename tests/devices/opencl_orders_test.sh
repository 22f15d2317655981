#!/bin/sh
# Sorting and ranking, stencils, permutes whose targets data decides, and folds of what a filter keeps, on a device of OpenCL. (opencl.sh)
exec sh "$WADI_SOURCE/tests/devices/opencl.sh" "" "orders stencil targets masked"
