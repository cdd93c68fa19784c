#!/usr/bin/env bash
# How long a browser takes to open a page: bench/page/open.sh PAGE [TIMES]. Needs Chromium; HOAP_CHROMIUM names it.
# A line each time: milliseconds from the navigation's start to the first contentful paint (an element with text is on
# the screen) and to the end of the load event (everything is parsed, the scripts have run; charts near the view are drawn).
set -euo pipefail
page=${1:?name a page} times=${2:-5} work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
probe='<script>addEventListener("load", () => { const end = performance.now(); const paint = () => {
  const p = performance.getEntriesByName("first-contentful-paint")[0];
  if (!p && performance.now() < 10000) return setTimeout(paint, 20);
  document.title = `TOOK ${p ? p.startTime.toFixed(0) : "?"} ${end.toFixed(0)} KOOT`; };
  paint(); });</script></body>'
python3 - "$page" "$work/page.html" "$probe" <<'P'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
head, tail = text.rsplit("</body>", 1)
open(sys.argv[2], "w", encoding="utf-8").write(head + sys.argv[3] + tail)
P
echo "$(stat -c %s "$page") bytes"
echo "paint load"
for _ in $(seq "$times"); do
    rm -rf "$work/profile"
    "${HOAP_CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --disable-background-networking --timeout=10000 \
        --user-data-dir="$work/profile" --window-size=1280,900 --dump-dom "file://$work/page.html" 2>/dev/null |
        grep -o 'TOOK [0-9?]* [0-9]* KOOT' | head -n 1 | cut -d' ' -f2,3
done
