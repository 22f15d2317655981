# A transcript with what its commands have said now: see play.sh. Lines that the transcript's patterns match stay as they are.

# The text as a regular expression that matches it alone.
function plain(text) {
    gsub(/[\\.^$*+?()\[\]{}|]/, "\\\\&", text)
    return text
}

# What stands between < and >, as a regular expression; "" if it is no pattern.
function pattern(name, out) {
    if (name == "version") return "[0-9]+(\\.[0-9]+)+[0-9a-z.+~-]*"
    if (name == "path") return "/[^ :;\"]*"
    if (name == "hex") return "[0-9a-f]+"
    if (name == "text") return ".+"
    if (name !~ /^d(\.d+)?$/) return ""
    out = "[0-9]+"
    if (name == "d") return out
    out = out "\\."
    gsub(/d/, "[0-9]", name)
    return out substr(name, index(name, ".") + 1)
}

function expression(line, at, end, inner, out) {
    out = "^"
    while ((at = index(line, "<")) > 0) {
        end = index(substr(line, at), ">")
        inner = end > 0 ? pattern(substr(line, at + 1, end - 2)) : ""
        out = out plain(substr(line, 1, at - 1)) (inner != "" ? "(" inner ")" : "<")
        line = substr(line, inner != "" ? at + end : at + 1)
    }
    return out plain(line) "$"
}

# The line as the transcript has it, or as it is new.
function kept(line, i) {
    for (i = 1; i <= lines; i++)
        if (old[i] == line || (old[i] ~ /<[a-z.]+>/ && line ~ expression(old[i]))) return old[i]
    return line
}

function without_folder(line, at) {
    while ((at = index(line, work)) > 0)
        line = substr(line, 1, at - 1) "<work>" substr(line, at + length(work))
    return line
}

function say(kind, mark, file, line, n, i, text) {
    file = said "/" command "." kind
    n = 0
    while ((getline line <file) > 0) text[++n] = without_folder(line)
    close(file)
    for (i = 1; i <= n; i++) {
        line = text[i]
        if (mark != "") line = line == "" ? mark : mark " " line
        else if (line ~ /^([$>!?] |[>!]$|[#\\])/ || (line == "" && i == n)) line = "\\" line
        print kept(line)
    }
    if (n == 0 && kind == "status") print "? the script ended"
}

# What the latest command says, and the empty lines that stood behind it.
function finish(i, status) {
    if (!command) return
    say("out", "")
    say("err", "!")
    status = said "/" command ".status"
    if ((getline i <status) <= 0) print "? nothing: an earlier command has ended the script"
    else if (i != 0) print kept("? " i)
    close(status)
    for (i = lines; i > 0 && old[i] == ""; i--) print ""
    lines = 0
}

/^\$ / {
    if (!aside) finish()
    aside = 0
    command++
    more = 1
    print
    next
}
/^>/ && more { print; next }
/^#/ && !aside { finish(); aside = 1 }
{ more = 0 }
!command || aside { aside = 1; print; next }
{ old[++lines] = $0 }
END { if (!aside) finish() }
