#!/usr/bin/env python3
"""The pictures of the README, from a real run of the demo: docs/pictures/record.py HOAP

Writes demo.svg, a recording of the terminal at four times its speed, and page-light.png and page-dark.png, the first screen of the
demo's page. HOAP should have DuckDB built in. A test holds the recording's text to what `hoap demo` prints. Needs Chromium.
"""
import html
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

COLUMNS, ROWS, HEIGHT, WIDTH, SPEED = 100, 30, 17, 7.8, 4
HERE = pathlib.Path(__file__).parent
STYLE = """
svg { --back: #ffffff; --text: #1f2328; --quiet: #59636e; --command: #0550ae; --alert: #9a6700 }
@media (prefers-color-scheme: dark) {
  svg { --back: #0d1117; --text: #e6edf3; --quiet: #9198a1; --command: #79c0ff; --alert: #d29922 }
}
rect { fill: var(--back); stroke: var(--quiet) }
text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text); white-space: pre }
.command { fill: var(--command); font-weight: bold } .alert { fill: var(--alert) }
@media (prefers-reduced-motion: reduce) { #rolled, text { animation: none !important } }
@keyframes shown { from { visibility: hidden } to { visibility: visible } }
"""


def demo(hoap, folder):
    """The lines that the demo prints, each with the second of its coming."""
    start = time.monotonic()
    program = subprocess.Popen([hoap, "demo"], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [(0, "$ hoap demo")]
    for line in program.stdout:
        if not line.startswith("progress "):
            lines.append((time.monotonic() - start, line.rstrip("\n")))
    if program.wait() != 0:
        sys.exit("\n".join(line for _, line in lines))
    return lines


def recording(lines):
    """The terminal as SVG: without animation, its last rows."""
    shown, row, rolled = [], 0, []
    for at, line in lines:
        pieces = [line[i:i + COLUMNS] for i in range(0, len(line), COLUMNS)] or [""]
        kind = {"$": "command", "!": "alert"}.get(line[:1], "")
        text = html.escape(pieces[0], quote=False) + "".join(
            f'<tspan x="12" dy="{HEIGHT}">{html.escape(piece, quote=False)}</tspan>' for piece in pieces[1:])
        at = 1 + at / SPEED if shown else 0
        shown.append(f'<text x="12" y="{24 + row * HEIGHT}" class="{kind}" xml:space="preserve" '
                     f'style="animation: shown 0s {at:.2f}s both">{text}</text>')
        row += len(pieces)
        rolled.append((at, max(0, row - ROWS) * HEIGHT))
    end = rolled[-1][0]
    steps = " ".join(f"{100 * at / end:.2f}% {{ transform: translateY(-{by}px) }}" for at, by in [(0, 0)] + rolled)
    width, height = round(24 + COLUMNS * WIDTH), 20 + ROWS * HEIGHT
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>hoap demo, recorded</title>
<style>{STYLE}@keyframes rolled {{ {steps} }}
#rolled {{ transform: translateY(-{rolled[-1][1]}px); animation: rolled {end:.2f}s step-end }}</style>
<defs><clipPath id="window"><rect x="1" y="6" width="{width - 2}" height="{height - 12}"/></clipPath></defs>
<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>
<g clip-path="url(#window)"><g id="rolled">
{chr(10).join(shown)}
</g></g>
</svg>
"""


def picture(page, into, dark):
    text = page.read_text()
    if dark:
        text = text.replace("@media screen and (prefers-color-scheme: dark)", "@media screen")
    copy = page.with_name(into.stem + ".html")
    copy.write_text(text)
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None) or sys.exit("Chromium is not installed")
    subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=15000",
                    "--window-size=1280,860", f"--screenshot={into}", f"file://{copy}"], check=True, stderr=subprocess.DEVNULL)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        lines = demo(pathlib.Path(sys.argv[1]).resolve(), folder)
        (HERE / "demo.svg").write_text(recording(lines))
        page = pathlib.Path(folder) / "hoap-demo" / "report.html"
        picture(page, (HERE / "page-light.png").resolve(), False)
        picture(page, (HERE / "page-dark.png").resolve(), True)


main()
