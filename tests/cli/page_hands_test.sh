#!/bin/sh
# The page of --http in somebody's hands, in a browser: each second it is drawn anew, and what he does with keys, pointer and scroll bars outlasts that. Texts stay texts,
# and nothing is wider than a phone.
set -u
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
[ -n "$browser" ] && [ -z "${WADI_SANITIZE:-}" ] || {
    echo "no browser is there: nobody looks at the page"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-h.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# Before the page's script: a program that answers.
cat >"$work/before" <<'SCRIPT'
<script>
"use strict";
const long = "<img src=x onerror=document.title='harmed'>" + "x".repeat(300);
const node = (id, kind) => ({kind, id, name: long, what: "raw", elements: 5, bytes: 40, chunks: 1, total: null, has_values: kind === "stage", busy_s: 0.1, beside: []});
const run = n => ({program: "p" + n, run: n, state: "running", can_drain: true, phase: 0, elapsed_s: 1, left_s: null, elements: 5, bytes_in: 40, bytes_out: 40, chunks: 1,
  chunk_elements: 5, failed_elements: 0, threads: 2, utilisation: 0.5, device: "cpu", schedule: "inside", memory: {used: 1, peak: 1, limit: 2},
  nodes: [node("0.in0", "source"), ...[...Array(12).keys()].map(i => node("0." + i, "stage"))], edges: [...Array(12).keys()].map(i => ({from: i, to: i + 1, queue: false, from_waits_s: 0, to_waits_s: 0})),
  devices: [], why: n === 1 ? long : "w"});
let runs = [run(1), run(2)], asked = [], answers = true;
window.fetch = async (path, how) => {
  asked.push(path);
  if (!answers) return new Promise((_, fail) => how.signal.addEventListener("abort", () => fail(how.signal.reason)));
  const said = (ok, body) => ({ok, text: async () => body, json: async () => body});
  if (path === "/view.json") return said(true, {process: "wadi", pid: 7, runs});
  if (path.startsWith("/tap")) return said(true, {sample: {first: 0, count: 2, parts: [{type: "f64", shape: [], series: true, rows: 1, columns: 2, row_step: 1, column_step: 1, values: [1, 2]}]}});
  return said(false, "run: not now");
};
</script>
SCRIPT
# Behind it: somebody who reads and acts.
cat >"$work/behind" <<'SCRIPT'
<script>
(async () => {
  const wrong = [], expect = (what, good) => { if (!good) wrong.push(what); };
  const $ = what => document.querySelector(what), state = () => $("#state").textContent;
  try {
    await look();
    expect("texts are texts", document.title === "wadi, process 7" && !$("#runs img") && $(".why").textContent === long);
    $('[data-run="2"] [data-verb="pause"]').focus();
    $('[data-run="2"] .scroll').scrollLeft = 70;
    await look();
    expect("the focus stays at its run", document.activeElement.closest("[data-run]").dataset.run === "2" && document.activeElement.dataset.verb === "pause");
    expect("what was scrolled stays", $('[data-run="2"] .scroll').scrollLeft === 70 && $('[data-run="1"] .scroll').scrollLeft === 0);
    $('[data-run="2"] .scroll').focus();
    await look();
    expect("what is scrolled by keys has the focus still", document.activeElement === $('[data-run="2"] .scroll'));
    $('[data-run="2"] [data-verb="pause"]').focus();
    runs[1].state = "paused";
    await look();
    expect("a key that is gone leaves the focus at its run", document.activeElement.dataset.verb === "resume" && document.activeElement.closest("[data-run]").dataset.run === "2");
    const key = $('[data-run="1"] [data-verb="pause"]');
    key.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
    await look();
    expect("a key that is pressed is not replaced", key.isConnected);
    key.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, buttons: 1}));
    await look();
    expect("a key that is pressed while the pointer moves is not replaced", key.isConnected);
    key.dispatchEvent(new PointerEvent("pointermove", {bubbles: true}));
    await look();
    expect("a key that was let go unseen is replaced", !key.isConnected);
    $('[data-run="1"] [data-verb="pause"]').dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
    $('[data-run="1"] [data-verb="pause"]').dispatchEvent(new PointerEvent("pointerup", {bubbles: true}));
    await act("pause", 1);
    while (looking) await new Promise(r => setTimeout(r, 1));
    await look();
    expect("a refusal can be read", state() === "run: not now" && asked.includes("/pause?run=1"));
    $('[data-run="1"] [data-verb="tap0.3"]').click();
    while (looking) await new Promise(r => setTimeout(r, 1));
    await look();
    expect("values are shown", $("svg.tap"));
    expect("nothing is wider than a phone: " + document.documentElement.scrollWidth + " of " + innerWidth, document.documentElement.scrollWidth <= innerWidth);
    const whole = $("svg.tap").getBoundingClientRect(), line = $("svg.tap polyline").getBoundingClientRect();
    expect("the line is whole", line.right <= whole.right + 1 && whole.right <= innerWidth);
    runs = [run(3)];
    await look();
    expect("runs that have ended are forgotten", past.size === 1 && past.has(3));
    runs = [];
    await look();
    refused.until = 0;
    await look();
    expect("no run is told", state() === "No run is under way.");
    answers = false;
    await look();
    expect("one that does not answer is told: " + state(), state().includes("stopped"));
  } catch (e) {
    wrong.push(e.stack);
  }
  document.body.replaceChildren(wrong.length ? "wrong: " + wrong.join("; ") : "all is well");
})();
</script>
SCRIPT
awk -v work="$work" 'function paste(name,  line) { while ((getline line < (work "/" name)) > 0) print line }
    /<script nonce/ { paste("before") }
    /^setInterval\(look/ { next }
    /^<\/body>/ { paste("behind") }
    { print }' "${WADI_SOURCE:?}/sched/watch/page.html" >"$work/page.html"
HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu --window-size=500,800 --virtual-time-budget=20000 --dump-dom \
    "file://$work/page.html?token=t" >"$work/dom" 2>"$work/said"
grep -q 'all is well' "$work/dom" && exit 0
grep -o 'wrong: .*' "$work/dom" || cat "$work/dom" "$work/said"
exit 1
