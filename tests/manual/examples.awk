# Makes C of the C examples of a document: `awk -v part=blocks` prints the blocks that begin with ```c, with their lines;
# `part=table` prints X(line, expected, expression) for each row of a table with the heads call, types, meaning, example and
# value.
/^```/ {
    inside = !inside
    is_c = inside && $0 == "```c"
    if (is_c && part == "blocks") printf "#line %d \"%s\"\n", FNR + 1, FILENAME
    next
}
is_c && part == "blocks" { print }
!/^\|/ { is_calls = 0 }
/^\| call \| types \| meaning \| example \| value \|$/ { is_calls = 1 }
is_calls && part == "table" && /^\| `wadi_/ {
    n = split($0, cell, / \| /)
    value = cell[n]
    code = cell[n - 1]
    sub(/ *\|$/, "", value)
    gsub(/`/, "", value)
    gsub(/`/, "", code)
    gsub(/["\\]/, "\\\\&", value)
    printf "X(%d, \"%s\", %s)\n", FNR, value, code
}
