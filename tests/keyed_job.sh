# What tests of workers that share keys begin with, behind begin.sh: a program, its input `all`, what comes of it without workers, and `run`, which says the last words to `said`.
# shellcheck shell=sh

# A step takes so long that home gains by it. Its state is a number, and an array beside it; behind the end each key comes with its last state.
cat >keyed.wadi <<'PROGRAM'
program keyed
stream_in s : seq(u8)
m = map_seq s (i) {
    k = unit { rem (convert i64 (the i)) 11 }
    yield k, i
}
g = generate 3 (j) { convert f64 j }
t = scan_by_key m 0.5 (z, k, i) {
    n = unit { add (convert i64 (the i)) 20000 }
    a = generate n (j) { convert f64 j }
    b = map a (x) { sin (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    q = unit { add (mul (the z) 0.9) (the f) }
    yield q
}
u = fold_by_key m g 1 (h, c, k, i) {
    n = unit { add (convert i64 (the i)) 20000 }
    a = generate n (j) { convert f64 j }
    b = map a (x) { cos (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    p = map h (x) { add (mul x 0.9) (the f) }
    d = unit { add (the c) 1 }
    yield p, d
}
v = map_seq u (k, p, d) {
    y = unit { add (p ! 1) (convert f64 (add (the k) (the d))) }
    yield y
}
stream_out "t" t
stream_out "v" v
PROGRAM
awk 'BEGIN { for (i = 0; i < 250; i++) printf "\\%03o", i }' >numbers.octal
printf "$(cat numbers.octal)" >numbers
cat numbers numbers >all
"$wadi" run keyed.wadi s=@all t=@t.want.raw v=@v.want.raw 2>said || wrong "without workers: $(cat said)"

same() { # WHAT
    cmp t.want.raw t.got.raw || wrong "$1: other states: $(cat said)"
    cmp v.want.raw v.got.raw || wrong "$1: other last states: $(cat said)"
    rm -f t.got.raw v.got.raw
}
run="$wadi run keyed.wadi t=@t.got.raw v=@v.got.raw --chunk 10 --threads 1"
