#!/bin/sh
# wadi run --http: who may see the page and who may not, what it says, and that nobody from outside holds up the run. Prometheus' own parser reads
# the metrics, and a browser shows the page, where these are installed.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
command -v python3 >/dev/null || {
    echo "python3 is not there: nobody asks for the page"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-p.XXXXXX") || exit 1
running=
trap '[ -z "$running" ] || kill -9 $running 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run"

wrong() {
    echo "FAILED: $*"
    : >failed
}

cat >means.wadi <<'PROGRAM'
program means
stream_in s : seq(f64[2])
t = map_seq s (x) {
    m = fold 0.0 x (a, b) { add a b }
    yield m
}
stream_out "t" t
PROGRAM
head -c 16000 /dev/zero >in.raw

# refused TEXT ARGUMENTS...
refused() {
    want=$1
    shift
    "$wadi" run means.wadi s=@in.raw t=@refused.raw "$@" 2>said && wrong "$* runs"
    grep -qF -e "$want" said || wrong "$*: $(cat said)"
    [ ! -e refused.raw ] || wrong "$*: it has run"
}
refused '"8080" is not an address' --http 8080
refused '"127.0.0.1:99999" is not an address' --http 127.0.0.1:99999
refused '"example.org:80" is not an address' --http example.org:80
refused '"::1:80" is not an address' --http ::1:80
refused 'can be reached from other machines: that takes a token' --http 0.0.0.0:0
refused 'can be reached from other machines: that takes a token' --http '[::]:0'
refused 'missing' --http 127.0.0.1:0 --http-token missing
echo short >token
refused 'token: expected a token of 16 to 128' --http 127.0.0.1:0 --http-token token
WADI_MODULES=/none "$wadi" run means.wadi s=@in.raw t=@refused.raw --http 127.0.0.1:0 2>said && wrong "it runs without the module"
grep -q 'libmicrohttpd.*wadi-http' said || wrong "what is missing is not named: $(cat said)"

"$wadi" version | grep -q 'module  *http .*: libmicrohttpd' || {
    [ ! -e failed ] || exit 1
    echo "the module http is not built: there is no page"
    exit 77
}

mkfifo pipe
exec 3<>pipe
# begin ARGUMENTS...: a run that waits for more elements; $url is its page
begin() {
    : >message # of the run before
    "$wadi" run means.wadi s=@pipe t=@out.raw --chunk 100 "$@" 2>message &
    running=$!
    tries=0
    until grep -q 'the run is shown at' message || [ $tries -ge 600 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    url=$(sed -n 's/^wadi: the run is shown at //p' message)
    cat in.raw >&3
}

begin --http 127.0.0.1:0
cat >ask.py <<'PROGRAM'
import http.client, json, struct, sys, time, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
token = urllib.parse.parse_qs(url.query)["token"][0]
assert url.hostname == "127.0.0.1" and len(token) == 32, url
def ask(path, method="GET", body=None, **headers):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    c.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
    r = c.getresponse()
    return r.status, r.read().decode(), r
bearer = {"Authorization": "Bearer " + token}

# who may ask
assert ask("/health")[:2] == (200, "ok\n")
for path in "/", "/view.json", "/metrics", "/why", "/tap":
    assert ask(path)[0] == 401
    assert ask(path + "?token=" + "0" * 32)[0] == 401
    assert ask(path + "?token=" + token[:-1])[0] == 401
    assert ask(path + "?token=" + token + "0")[0] == 401
    assert ask(path, Authorization="Bearer x")[0] == 401
    assert ask(path, Authorization="Basic " + token)[0] == 401
    good = 409 if path == "/tap" else 200 # of which stage?
    assert ask(path + "?token=" + token)[0] == good
    assert ask(path, **bearer)[0] == good
    assert ask(path, Host="evil.example", **bearer)[0] == 403
    assert ask(path, Host="127.0.0.1:1", **bearer)[0] == 403
    assert ask(path, Host="localhost:%d" % url.port, **bearer)[0] == good
    assert ask(path, Origin="http://evil.example", **bearer)[0] == 403
    assert ask(path, "POST", **bearer)[0] == 405
    assert ask(path, "POST", **bearer)[2].getheader("Allow") == "GET"
assert ask("/health", Host="evil.example")[0] == 403
assert ask("/nothing?token=" + token)[0] == 404
assert ask("/../etc/passwd?token=" + token)[0] == 404
for verb in "/pause", "/resume", "/drain":
    assert ask(verb, **bearer)[0] == 405
    assert ask(verb + "?token=" + token, "POST")[0] == 401 # a form of another page could do that

# what is said
status, page, r = ask("/?token=" + token)
open("page.html", "w").write(page)
assert "@NONCE@" not in page and page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
policy = r.getheader("Content-Security-Policy")
assert policy.startswith("default-src 'none'; connect-src 'self'; style-src 'nonce-") and policy != ask("/?token=" + token)[2].getheader("Content-Security-Policy")
assert r.getheader("Access-Control-Allow-Origin") is None and r.getheader("Cache-Control") == "no-store"
assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page # nothing from outside
def run():
    view = json.loads(ask("/view.json", **bearer)[1])
    return view["runs"][0]
limit = time.monotonic() + 60
while run()["elements"] < 1000:
    assert time.monotonic() < limit
assert run()["program"] == "means" and ask("/why", **bearer)[1].startswith("means: ")

metrics = ask("/metrics", **bearer)
assert metrics[2].getheader("Content-Type").startswith("text/plain; version=0.0.4")
lines = metrics[1].splitlines()
assert 'wadi_elements_total{run="1",program="means",stage="0.in0",name="s"} 1000' in lines, lines
try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("python3-prometheus-client is not there: its parser does not see the metrics")
else:
    families = {f.name: f for f in text_string_to_metric_families(metrics[1])}
    assert set(families) == {"wadi_" + n for n in """runs elements bytes expected_elements link_fill_bytes link_limit_bytes link_fill_chunks link_limit_chunks
        link_sender_waits_seconds link_receiver_waits_seconds run_seconds busy_seconds chunks chunk_elements failed_elements utilisation_ratio
        memory_bytes memory_peak_bytes memory_limit_bytes paused stage_busy_seconds left_seconds device_busy_seconds device_workers
        elsewhere_workers elsewhere_fill_items elsewhere_limit_items elsewhere_fill_bytes elsewhere_limit_bytes elsewhere_answers_in_turn
        elsewhere_answers_per_second elsewhere_items elsewhere_elements elsewhere_paused""".split()}, set(families)
    values = {s.labels["stage"]: s.value for s in families["wadi_elements"].samples}
    assert values == {"0.in0": 1000, "0.0": 1000, "0.out0": 1000} and families["wadi_elements"].type == "counter"
    busy = {s.labels["stage"]: s.value for s in families["wadi_stage_busy_seconds"].samples}
    assert set(busy) == set(values) and 0 < busy["0.0"] < 60, busy
    assert [s.labels["device"] for s in families["wadi_device_busy_seconds"].samples] == ["cpu"]
    assert not [s for n, f in families.items() for s in f.samples if n.startswith("wadi_elsewhere")] # there are no workers
    assert all(f.type in ("counter", "gauge") and f.documentation for f in families.values())

# what is done
assert ask("/pause?run=1", "POST", **bearer)[0] == 200 and run()["state"] == "paused"
assert ask("/resume", "POST", "a body that nobody wants" * 1000, **bearer)[0] == 200 and run()["state"] == "running"
assert ask("/pause?run=2", "POST", **bearer)[0] == 409
assert ask("/pause?run=x", "POST", **bearer)[0] == 400
status, words, r = ask("/drain", "POST", **bearer)
assert status == 409 and "is not saved" in words
assert ask("/view.json?run=1&token=" + token)[0] == 200

# values of a stage that was asked for, once more has come
def tap(stage, run=1):
    status, words, r = ask("/tap?run=%d&stage=%s" % (run, stage), **bearer)
    return json.loads(words)["sample"] if status == 200 else status
assert tap("0.0") is None and tap("0.in0") is None
assert tap("0.7") == tap("0.0", 2) == 409 and tap("0.0%20run=2") == tap("x") == tap("0" * 1000) == tap("") == 400
with open("pipe", "wb") as pipe:
    pipe.write(struct.pack("d", 1 / 3) * 2000) # 1000 elements of two numbers, both a third
while run()["elements"] < 2000:
    assert time.monotonic() < limit
sample = tap("0.0")
assert sample["count"] == 100 and sample["first"] >= 1000 and not sample["cut"], sample
part, = sample["parts"]
assert part["type"] == "f64" and part["shape"] == [] and part["series"] and part["values"] == [2 / 3] * 100, part
sample = tap("0.in0")
part, = sample["parts"]
assert sample["first"] >= 1000, sample
assert part["shape"] == [2] and not part["series"] and part["values"] == [1 / 3, 1 / 3], part
PROGRAM
python=python3 # one that has the parser, if there is any
/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null && python=/usr/bin/python3
"$python" ask.py "$url" || wrong "the page"

# The page's own functions, without a browser: the document keeps what is made.
cat >page.js <<'PROGRAM'
const assert = require("assert"), page = require("fs").readFileSync("page.html", "utf8");
const element = name => ({name, inside: [], setAttribute() {}, addEventListener() {}, append(...more) { this.inside.push(...more); }});
const script = page.slice(page.indexOf('"use strict";'), page.indexOf("let looking"));
const {count, size, busy, remember, table} = new Function("location", "document", script + "return {count, size, busy, remember, table};")(
  {search: ""}, {createElement: element, createElementNS: (_, name) => element(name)});
assert.deepStrictEqual([480, 1234, 0].map(count), ["480", "1.23 k", "0"]);
assert.strictEqual(size([3, 4]), 5);
assert.strictEqual(size(-2), -2);
for (const v of ["nan", "-inf", ["inf", 3], [3, "nan"], ["inf", "inf"]]) assert(Number.isNaN(size(v)), v);
const node = (kind, has_values, busy_s) => ({kind, has_values, busy_s, id: "0.0", name: "", what: "", elements: 1, bytes: 1, total: null, beside: [{device: "b", busy_s: 9}]});
const run = t => ({run: 1, elapsed_s: t, phase: 0, devices: [], nodes: [node("source", false, t / 2), node("stage", true, t)]});
remember(run(10)); // device b does nothing more from now on
const samples = remember(run(20));
assert.strictEqual(busy(samples, run(20).nodes[0], 0), "50 %, b 0 %");
const buttons = e => e.name === "button" ? 1 : e.inside ? e.inside.map(buttons).reduce((a, b) => a + b, 0) : 0;
assert.strictEqual(buttons(table(run(20), samples)), 1); // none of what is only counted
PROGRAM
if command -v node >/dev/null; then
    node page.js || wrong "the page's functions"
else
    echo "node is not there: nobody calls the page's functions"
fi

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ] && [ -z "${WADI_SANITIZE:-}" ]; then
    HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom "$url&tap=1/0.0" >dom 2>browser
    for text in '<h1 id="title">wadi, process' 'means, run 1: running' 'compute waits for the source' '>0.in0<' '<td>2.00 k</td>' 'class="spark"' \
        'aria-label="values as a line"' 'f64[], of each element: 0.6667 to 0.6667' ' of 100 <svg' \
        'data-verb="pause"'; do
        grep -qF -e "$text" dom || wrong "the browser shows no $text: $(cat dom browser | cut -c 1-2000)"
    done
else
    echo "no browser is there: nobody looks at the page"
fi

# Many who connect, say little and never end: others have to wait, and the run does not.
cat >crowd.py <<'PROGRAM'
import socket, sys, time, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
crowd = []
for i in range(80):
    s = socket.create_connection((url.hostname, url.port), timeout=60)
    try:
        s.sendall((b"", b"GET /", b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"\0\xff" * 100, b"POST /pause HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n")[i % 5])
    except OSError:
        pass # it is turned away
    crowd.append(s)
print("here", flush=True)
sys.stdin.read()
PROGRAM
mkfifo hold
python3 crowd.py "$url" <hold >crowd &
crowd=$!
exec 4>hold
tries=0
until [ -s crowd ] || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
cat in.raw >&3
tries=0
until "$wadi" top --once >said && grep -q '0.out0 .* 3.00 k ' said || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
[ $tries -lt 600 ] || wrong "a crowd holds up the run: $(cat said)"
kill -INT $running
wait $running
[ $? -eq 130 ] || wrong "the run does not end beside a crowd: $(cat message)"
running=
exec 4>&-
wait $crowd || wrong "the crowd"

# The other programs: what they are asked for with a wrong address, and that they say it.
for program in audio/wadi-flac md5/wadi-md5 gridding/wadi-grid gridding/wadi-vis-send; do
    case $program in
    audio/*) set -- in.wav ;;
    md5/*) set -- -m wanted dictionary ;;
    */wadi-vis-send) set -- --to "ipc://$work/nobody" --wait 0.1 in.uvfits ;;
    *) set -- -o out.fits in.uvfits ;;
    esac
    "$WADI_BUILD/apps/$program" --http 8080 "$@" 2>said && wrong "$program runs"
    grep -q 'http: "8080" is not an address' said || wrong "$program: $(cat said)"
    "$WADI_BUILD/apps/$program" --http-token token "$@" 2>said && wrong "$program runs"
    grep -q 'without --http there is no page' said || wrong "$program: $(cat said)"
    "$WADI_BUILD/apps/$program" --http 127.0.0.1:0 "$@" 2>said && wrong "$program runs"
    grep -q 'the run is shown at http://127.0.0.1:[0-9]*/?token=' said || wrong "$program: $(cat said)"
done

# A token of one's own, which is not told.
echo my-own-token_0123456789 >token
begin --http 127.0.0.1:0 --http-token token
grep -q 'my-own-token' message && wrong "the token is told"
python3 - "$url" <<'PROGRAM' || wrong "a token from a file"
import sys, urllib.request
assert urllib.request.urlopen(sys.argv[1] + "why?token=my-own-token_0123456789").read().startswith(b"means: ")
PROGRAM
refused "cannot listen there: Address already in use" --http "$(echo "$url" | sed "s,http://,,; s,/,,")"
kill -9 $running
wait $running
running=

[ ! -e failed ]
