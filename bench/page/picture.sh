#!/usr/bin/env bash
# A picture of one section of a page, as the docs show them: bench/page/picture.sh PAGE SECTION PICTURE.png [WIDTH]
# SECTION is the section's id, such as configurations. Needs Chromium.
set -euo pipefail
page=$1 section=$2 picture=$3 width=${4:-1000}
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
# A copy with that section alone, which has its height as its title once its charts are drawn, as they are where they can be
# seen. The page's policy allows its own script alone.
rest="<style>body > :not(main), main > :not(#$section) { display: none } main { padding: 16px }</style>
<script>setTimeout(() => { document.title = 'height ' + document.getElementById('$section').getBoundingClientRect().height }, 5000)</script>"
python3 - "$page" "$place/copy.html" "$rest" <<'P'
import re, sys
page, copy, rest = sys.argv[1:]
text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", open(page).read())
open(copy, "w").write(text.replace("</body>", rest + "</body>"))
P
draw=("$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=15000)
dom=$("${draw[@]}" --window-size="$width,9000" --dump-dom "file://$place/copy.html" 2>/dev/null)
height=$(sed -n 's/.*<title>height \([0-9]*\).*/\1/p' <<<"$dom" | head -n 1)
"${draw[@]}" --window-size="$width,$((${height:?no section $section in $page} + 40))" --screenshot="$picture" "file://$place/copy.html" 2>/dev/null
