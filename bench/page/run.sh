#!/usr/bin/env bash
# How large a page of 20 runs is, and when headless Chromium has drawn its first screen and all its charts:
#     bench/page/run.sh target/release/hoap [ROUNDS]
# The runs are made up (crates/report/examples/sample_runs.rs): CH2++, 7 steps each. Times count from the
# beginning of the load, in milliseconds.
set -euo pipefail
hoap=$(realpath -- "$1")
rounds=${2:-5}
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
mapfile -t names < <(yes ch2pp | head -n 20)
cargo run --quiet --profile "${PROFILE:-release}" -p hoap-report --example sample_runs -- "$place/runs" "${names[@]}"
"$hoap" report "$place"/runs/* -o "$place/page.html" >/dev/null
stat --format 'page: %s bytes' "$place/page.html"

# A picture that comes after 4 s: Chromium shows the document when all is there.
python3 - >"$place/port" <<'PY' &
import http.server, time
class Late(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(4)
        self.send_response(204)
        self.end_headers()
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Late)
print(server.server_port, flush=True)
server.serve_forever()
PY
server=$!
trap 'kill $server; rm -rf -- "$place"' EXIT
until [ -s "$place/port" ]; do sleep 0.1; done

# A copy that says in its title when it is drawn. The page's policy allows its own script alone.
timed() {
    local said="requestAnimationFrame(() => setTimeout(() => { document.title = 'drawn ' + \
Math.round(performance.now()) + ' ms, charts ' + document.querySelectorAll('svg').length }, 0))"
    local late
    late="<img src=http://127.0.0.1:$(cat "$place/port")/>"
    sed -e 's|<meta http-equiv="Content-Security-Policy"[^>]*>||' \
        -e "s|</body>|$late<script>$1 ; $said</script></body>|" "$place/page.html" >"$place/timed.html"
    for _ in $(seq "$rounds"); do
        timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --window-size=1280,900 --dump-dom \
            "file://$place/timed.html" 2>/dev/null | sed -n 's/.*<title>\(drawn [^<]*\).*/\1/p'
    done
}
echo "first screen"
timed ""
echo "all charts, as before printing"
timed "window.dispatchEvent(new Event('beforeprint'))"
