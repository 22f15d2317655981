/* The parts of the module cfitsio, which module.c offers. Their types are described in connectors/offers.h. */
#ifndef WADI_MODULES_CFITSIO_H
#define WADI_MODULES_CFITSIO_H

#include "connectors/offers.h"

wadi_status wadi_cfitsio_sink(const char *path, const wadi_image_info *info, wadi_sink **out,
                              wadi_error *err);
wadi_status wadi_cfitsio_read(const char *path, const char *key, wadi_fits_cube *out,
                              wadi_error *err);
wadi_status wadi_cfitsio_vis_open(const char *path, const wadi_vis_options *options, wadi_vis **out,
                                  wadi_error *err);
wadi_status wadi_cfitsio_vis_setups(const char *path, const wadi_vis_options *options,
                                    wadi_vis_setup_list *out, wadi_error *err);

#endif
