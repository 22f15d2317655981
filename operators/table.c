/* One line per operator. A new one is a new file and a line here. */
#include "operators/table.h"

#include "operators/rules.h"

static const wadi_op *const rows[] = {
    /* made of nothing */
    &wadi_op_input,
    &wadi_op_use,
    &wadi_op_unit,
    &wadi_op_generate,
    /* elements */
    &wadi_op_map,
    &wadi_op_imap,
    &wadi_op_zip_with,
    /* places */
    &wadi_op_backpermute,
    &wadi_op_replicate,
    &wadi_op_slice,
    &wadi_op_reshape,
    &wadi_op_assert_shape,
    &wadi_op_transpose,
    &wadi_op_reverse,
    &wadi_op_take,
    &wadi_op_drop,
    &wadi_op_gather,
    &wadi_op_concat,
    &wadi_op_compute,
    &wadi_op_spread,
    /* reductions, scans, permutation */
    &wadi_op_fold,
    &wadi_op_fold1,
    &wadi_op_scanl,
    &wadi_op_scanl1,
    &wadi_op_permute,
    &wadi_op_fold_seg,
    &wadi_op_fold1_seg,
    &wadi_op_scanl_seg,
    &wadi_op_scanl1_seg,
    &wadi_op_compact,
    &wadi_op_partition,
    &wadi_op_expand,
    /* control */
    &wadi_op_acond,
    &wadi_op_awhile,
    &wadi_op_foreign,
    &wadi_op_lifted,
    /* sequences */
    &wadi_op_produce,
    &wadi_op_stream_in,
    &wadi_op_map_seq,
    &wadi_op_take_seq,
    &wadi_op_drop_seq,
    &wadi_op_filter_seq,
    &wadi_op_expand_seq,
    &wadi_op_windows,
    &wadi_op_batch,
    &wadi_op_scan_seq,
    &wadi_op_elements,
    &wadi_op_tabulate,
    &wadi_op_tabulate_min,
    &wadi_op_from_seq,
    &wadi_op_fold_seq,
    &wadi_op_fold_batch,
    &wadi_op_stream_out,
};

static const wadi_op_table table = {rows, (int)(sizeof rows / sizeof rows[0])};

const wadi_op_table *wadi_operators(void) {
    return &table;
}
