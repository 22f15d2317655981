# What transcripts may use: the programs, and readers of files that are independent of wadi.

PATH="$WADI_BUILD/cli:$WADI_BUILD/apps/audio:$WADI_BUILD/apps/md5:$WADI_BUILD/apps/gridding:$PATH"
examples=$WADI_SOURCE/docs/examples

# needs WHAT...: without it the transcript is left out. `program NAME` is there, `module NAME` can be loaded.
needs() {
    case $1 in
    program) command -v "$2" >/dev/null ;;
    module) wadi version | grep -q "^  module  *$2 .*(.*[A-Z].*)$" && ! wadi version | grep -q "module  *$2 .*not installed" ;;
    esac || { echo "skipped: no $1 $2"; exit 77; }
}

# le NUMBER BYTES: the number in so many bytes, the least significant first.
le() {
    _n=$1
    for _i in $(seq "$2"); do
        printf "\\$(printf %03o $((_n % 256)))"
        _n=$((_n / 256))
    done
}

# wav RAW CHANNELS BITS RATE: a WAV file on standard output, of the samples in RAW.
wav() {
    _size=$(wc -c <"$1") _frame=$(($2 * $3 / 8))
    printf RIFF && le $((_size + 36)) 4 && printf 'WAVEfmt ' && le 16 4 && le 1 2 && le "$2" 2
    le "$4" 4 && le $(($4 * _frame)) 4 && le $_frame 2 && le "$3" 2
    printf data && le "$_size" 4 && cat "$1"
}

# sound BYTES: so many bytes that are the same every time, and no two seconds of them alike.
sound() {
    seq 1000000 | head -c "$1"
}

# flac_about FILE: what stands before the frames of a FLAC file (RFC 9639, section 8), block by block, and how many bytes follow.
flac_about() {
    head -c 60000 "$1" | od -A n -v -t u1 | awk -v size="$(wc -c <"$1")" '
        function be(at, n, v) { for (v = 0; n > 0; n--) v = v * 256 + b[at++]; return v }
        function le(at, v) { return b[at] + 256 * b[at + 1] + 65536 * b[at + 2] }
        function text(at, n, s) { for (s = ""; n > 0; n--) s = s sprintf("%c", b[at++]); return s }
        function hex(at, n, s) { for (s = ""; n > 0; n--) s = s sprintf("%02x", b[at++]); return s }
        { for (i = 1; i <= NF; i++) b[++n] = $i }
        END {
            if (text(1, 4) != "fLaC") { print "no fLaC"; exit }
            for (at = 5; !last; at = next_at) {
                last = b[at] >= 128; type = b[at] % 128; length_ = be(at + 1, 3); at += 4; next_at = at + length_
                if (type == 0) {
                    least = be(at + 4, 3); most = be(at + 7, 3)
                    frames = most == 0 ? "unknown" : least > 0 && least <= most ? "known" : "wrong"
                    printf "blocks %d to %d, frames %s, rate %d, channels %d, bits %d, samples %d\nmd5 %s\n", be(at, 2), be(at + 2, 2), frames,
                        int(be(at + 10, 3) / 16), int(b[at + 12] / 2) % 8 + 1, b[at + 12] % 2 * 16 + int(b[at + 13] / 16) + 1,
                        b[at + 13] % 16 * 4294967296 + be(at + 14, 4), hex(at + 18, 16)
                } else if (type == 1) {
                    for (zeros = 0; zeros < length_ && b[at + zeros] == 0; zeros++) ;
                    print "padding " length_ (zeros == length_ || next_at > n ? "" : ", not of zeros")
                } else if (type == 2) printf "application %s %d\n", text(at, 4), length_ - 4
                else if (type == 3) {
                    printf "seek points"
                    for (i = at; i < next_at; i += 18) if (b[i] < 255) printf " %d:%d", be(i, 8), be(i + 16, 2); else printf " -"
                    print ""
                } else if (type == 4) {
                    at += 4 + le(at); count = le(at); at += 4
                    printf "tags %d\n", count
                    for (; count > 0; count--) { print "  " text(at + 4, le(at)); at += 4 + le(at) }
                } else if (type == 6) {
                    kind = be(at, 4); mime = be(at + 4, 4); words = be(at + 8 + mime, 4); i = at + 12 + mime + words
                    printf "picture %d \"%s\" \"%s\" %dx%dx%d/%d, %d bytes\n", kind, text(at + 8, mime), text(at + 12 + mime, words),
                        be(i, 4), be(i + 4, 4), be(i + 8, 4), be(i + 12, 4), be(i + 16, 4)
                } else printf "block of type %d, %d bytes\n", type, length_
            }
            print "sound " (size > next_at - 1 ? "follows" : "is missing")
        }'
}

# cards FILE: the header of a FITS file, without comments and blanks.
cards() {
    head -c 5760 "$1" | fold -w 80 | sed 's| */ [a-z].*$||; s/ *$//; /^END$/q'
}

# pixels FILE N: the last N x N of a FITS file's numbers of 32 bits as it has them, row by row from below, to four places.
pixels() {
    tail -c +$(($(cards "$1" | wc -l) * 80 / 2880 * 2880 + 2881)) "$1" | head -c $((4 * $2 * $2)) | od -A n -v -t f4 --endian=big | awk -v n="$2" '
        { for (i = 1; i <= NF; i++) printf "%.4f%s", $i + 0, ++k % n ? " " : "\n" }' | sed 's/-0\.0000/0.0000/g'
}

# dirty FILE N SCALE [FACTOR]: the dirty image of N x N pixels of lines "u v w re im weight" (none: 1), from the sum that says what it is;
# u, v and w times the factor.
dirty() {
    grep -v '^#' "$1" | awk -v n="$2" -v scale="$3" -v factor="${4:-1}" '
        NF >= 5 { u[++k] = $1 * factor; v[k] = $2 * factor; w[k] = $3 * factor; re[k] = $4; im[k] = $5; g[k] = NF > 5 ? $6 : 1; all += g[k] }
        END {
            for (y = 0; y < n; y++)
                for (x = 0; x < n; x++) {
                    l = (n / 2 - x) * scale; m = (y - n / 2) * scale; sum = 0
                    for (i = 1; i <= k; i++) {
                        a = 6.283185307179586 * (u[i] * l + v[i] * m + w[i] * (sqrt(1 - l * l - m * m) - 1))
                        sum += g[i] * (re[i] * cos(a) - im[i] * sin(a))
                    }
                    printf "%.4f%s", sum / all, x == n - 1 ? "\n" : " "
                }
        }' | sed 's/-0\.0000/0.0000/g'
}

# near IS OUGHT: tables of numbers that are the same but for the fourth place.
near() {
    awk 'NR == FNR { for (i = 1; i <= NF; i++) is[FNR, i] = $i; next }
        { for (i = 1; i <= NF; i++) if (!((FNR, i) in is) || ($i - is[FNR, i]) ^ 2 > 2e-8) print "line " FNR ": " is[FNR, i] ", not " $i }' "$1" "$2"
}

# uvfits PRODUCTS FIRST STEP CHANNELS: visibilities in UVFITS on standard output, from lines "u v w antenna antenna seconds" and then "re
# im weight" for each product of each channel, all of them integers: baselines are in nanoseconds, visibilities in hundredths, the
# channels at 150 MHz and every 50 MHz on, the phase centre is at 83.5, 22 degrees, the time counts from 2015-01-01.
uvfits() {
    printf '%b' "$(awk -v products="$1" -v first="$2" -v step="$3" -v channels="$4" '
        function card(name, value) { head = head sprintf("%-80s", sprintf(value == "" ? "%s" : "%-8s= %20s", name, value)); cards++ }
        function axis(n, length_, type, value, width) {
            card("NAXIS" n, length_)
            if (type != "") { later = later n " " type " " value " " width "\n" }
        }
        function int32(x) {
            if (x < 0) x += 4294967296
            return sprintf("\\0%03o\\0%03o\\0%03o\\0%03o", x / 16777216, x / 65536 % 256, x / 256 % 256, x % 256)
        }
        { for (i = 1; i <= 3; i++) body = body int32($i); body = body int32(256 * $4 + $5) int32($6); words += 5
          for (i = 7; i <= NF; i++) { body = body int32((i - 6) % 3 ? $i : $i * 100); words++ } }
        END {
            card("SIMPLE", "T"); card("BITPIX", 32); card("NAXIS", 6); axis(1, 0)
            axis(2, 3, "COMPLEX", 1, 1); axis(3, products, "STOKES", first, step); axis(4, channels, "FREQ", "150.0E6", "50.0E6")
            axis(5, 1, "RA", 83.5, 1); axis(6, 1, "DEC", 22, 1)
            card("GROUPS", "T"); card("PCOUNT", 5); card("GCOUNT", NR); card("BSCALE", "0.01"); card("BZERO", "0.0")
            n = split(later, line, "\n")
            for (i = 1; i < n; i++) {
                split(line[i], of, " ")
                card("CTYPE" of[1], sprintf("%-20s", sprintf("\047%-8s\047", of[2]))); card("CRVAL" of[1], of[3]); card("CDELT" of[1], of[4])
                card("CRPIX" of[1], "1.0")
            }
            split("UU VV WW BASELINE DATE", of, " ")
            for (i = 1; i <= 5; i++) {
                card("PTYPE" i, sprintf("%-20s", sprintf("\047%-8s\047", of[i])))
                card("PSCAL" i, i <= 3 ? "1.0E-9" : i == 4 ? "1.0" : "1.1574074074074073E-5"); card("PZERO" i, i == 5 ? "2457023.5" : "0.0")
            }
            card("OBJECT", "\047CRAB    \047"); card("TELESCOP", "\047TOY     \047"); card("EPOCH", "2000.0"); card("END", "")
            while (cards % 36) { head = head sprintf("%80s", ""); cards++ }
            for (; words % 720; words++) body = body "\\0000\\0000\\0000\\0000"
            print head body "\\c"
        }')"
}
