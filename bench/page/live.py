#!/usr/bin/env python3
"""The page of a run that goes on: what it costs the driver, and what Chromium shows of a real run.

    bench/page/live.py target/release/hoap cpu [ROUNDS]
        Runs of 10 s by turns with nobody, and with a browser's stream that is read to the end: the driver's CPU time of
        each (by the scheduler, nanoseconds), and that of the threads that serve and that end the intervals.
    bench/page/live.py target/release/hoap look FOLDER [steps] [repeat] [max-rate] [freshness] [void]
        Opens these runs on SQLite, or all, in headless Chromium, compares what each shows with its run folder, and
        leaves pictures of 390 and 1280 pixels in FOLDER. Exits with 1 where they differ or the console has an error."""
import base64, json, os, re, shutil, socket, statistics, subprocess, sys, tempfile, threading, time

if len(sys.argv) < 3 or sys.argv[2] not in ("cpu", "look") or sys.argv[2] == "look" and len(sys.argv) < 4:
    sys.exit(__doc__)
HOAP = os.path.abspath(sys.argv[1])


def start(place, line):
    """A run that serves its page, and the address."""
    run = subprocess.Popen([HOAP, *line.split()], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for told in run.stderr:
        found = re.search(r"page at http://([^/]+)/", told)
        if found:
            threading.Thread(target=run.stderr.read, daemon=True).start()
            return run, found[1]
    sys.exit(f"it told no address: {line}")


def stream(address):
    """Reads the events to their end, on a thread."""
    def read():
        with socket.create_connection(tuple(address.rsplit(":", 1))) as to:
            to.sendall(f"GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
            while to.recv(1 << 16):
                pass
    threading.Thread(target=read, daemon=True).start()


def spent(pid):
    """CPU seconds of a process, and those of its threads that serve and that end the intervals."""
    served, whole = 0, 0
    for task in os.listdir(f"/proc/{pid}/task"):
        name = open(f"/proc/{pid}/task/{task}/comm").read().strip()
        nanoseconds = int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0])
        whole += nanoseconds
        served += nanoseconds if name.startswith(("tokio", "command")) else 0
    return whole / 1e9, served / 1e9


def cpu(rounds):
    line = "run {} --target null:?latency_us={} -p recordcount=1000 --clients {} --warmup 1s --duration 12s --metrics 127.0.0.1:0 --out {}"
    what, latency = "ycsb-a", 1000
    for clients in [64, 4]:
        ratios, shares = [], []
        for n in range(rounds):
            cost = {}
            for listens in [False, True] if n % 2 else [True, False]:
                with tempfile.TemporaryDirectory() as place:
                    run, address = start(place, line.format(what, latency, clients, "run"))
                    if listens:
                        stream(address)
                    time.sleep(2)
                    before = spent(run.pid)
                    time.sleep(10)
                    after = spent(run.pid)
                    cost[listens] = [b - a for a, b in zip(before, after)]
                    run.kill()
                    run.wait()
            ratios.append(cost[True][0] / cost[False][0] - 1)
            shares.append((cost[True][1] - cost[False][1]) / cost[False][0])
            print(f"{what}, {clients} clients: driver {cost[False][0]:.4f} and {cost[True][0]:.4f} CPU s in 10 s; "
                  f"threads that serve {1e3 * cost[False][1]:.2f} and {1e3 * cost[True][1]:.2f} ms", flush=True)
        print(f"{what}, {clients} clients: with a browser {100 * statistics.median(ratios):+.2f} % (median), "
              f"threads that serve {100 * statistics.median(shares):+.3f} %")


class Chromium:
    """A headless browser, by its protocol over two pipes."""

    def __init__(self, profile):
        program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
        to_read, self.write_to = os.pipe()
        self.read_from, to_write = os.pipe()

        def pipes():
            low = os.dup(to_read), os.dup(to_write)
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
             "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.rest, self.next, self.session, self.errors = b"", 0, None, []
        page = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.read_from, 1 << 20)
                if not more:
                    sys.exit("Chromium ended")
                self.rest += more
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.errors.append(answer["params"]["entry"]["text"])
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"]["exception"].get("description", "an exception"))
            if answer.get("id") == self.next:
                return answer["result"] if "result" in answer else sys.exit(f"{method}: {answer}")

    def evaluate(self, script):
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def picture(self, width, file):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        time.sleep(1.5)
        height = self.evaluate("document.documentElement.scrollHeight")
        wide = self.evaluate("document.documentElement.scrollWidth")
        # What is not seen is not drawn.
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        time.sleep(1.5)
        png = self.ask("Page.captureScreenshot")["data"]
        open(file, "wb").write(base64.b64decode(png))
        return wide


SHOWN = """(() => {
  const figures = [...document.querySelectorAll('#live-figures > div')].map((d) => [d.querySelector('dt').textContent, d.querySelector('.value').textContent.trim()]);
  const table = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => [...row.cells].map((c) => c.textContent));
  return { path: location.pathname, state: (document.getElementById('live-state') || {}).textContent, figures: Object.fromEntries(figures),
    tables: Object.fromEntries(['throughput', 'transactions', 'operations'].map((id) => [id, table(id)])), charts: document.querySelectorAll('.plot svg').length };
})()"""
YCSB, CH2 = "load ycsb -p recordcount=2000 --target sqlite:kv.db", "load ch2pp -w 1 --scale-down 20 --target sqlite:bench.db"
# What is looked at: its load, its run, and the run's exit code.
RUNS = {
    "steps": (YCSB, "run ycsb-a --target sqlite:kv.db --clients 1,2 --warmup 1s --duration 20s", 0),
    "repeat": (YCSB, "run ycsb-a --target sqlite:kv.db --clients 2 --warmup 1s --duration 12s --repeat 2", 0),
    "max-rate": (YCSB, "run ycsb-b --target sqlite:kv.db --clients 2 --max-rate --sla p99=100ms --duration 2s --warmup 1s", 0),
    "freshness": (CH2, "run ch2pp --target sqlite:bench.db --tx-clients 2 --query-clients 0,1 --loops 4 --duration 12s --warmup 1s --freshness on", 0),
    "void": (CH2, "run ch2pp --operational sqlite:bench.db?lose_commit=100 --tx-clients 4 --query-clients 0 --duration 12s --warmup 1s", 1),
}


def look(folder, names):
    os.makedirs(folder, exist_ok=True)
    wrong = [line for name in names for line in look_at(folder, name)]
    print("\n".join(wrong) or "no difference, no error")
    sys.exit(bool(wrong))


def look_at(folder, name):
    """What is wrong with the page of this run."""
    load, line, code = RUNS[name]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        subprocess.run([HOAP, *load.split()], cwd=place, check=True, capture_output=True)
        run, address = start(place, f"{line} --metrics 127.0.0.1:0 --out run")
        browser = Chromium(f"{place}/profile")
        browser.ask("Page.navigate", url=f"http://{address}/")
        counts, last, wide = {}, None, {}
        pictures = [(1280, f"{name}-1280.png"), (390, f"{name}-390.png")]
        while run.poll() is None:
            now = browser.evaluate(SHOWN)
            if now and now["path"] == "/" and now.get("state"):
                last = now
                step = re.search(r"(?:run (\d+) of .*)?step (\d+)", now["state"], re.I)
                done = now["figures"].get("Operations of this step")
                if step and done:
                    key = int(step[1] or 0), int(step[2])
                    counts[key] = max(counts.get(key, 0), int(done.replace(",", "")))
                if counts and pictures and now["charts"]:
                    width, file = pictures.pop(0)
                    wide[width] = browser.picture(width, f"{folder}/{file}")
                    browser.ask("Emulation.clearDeviceMetricsOverride")
            time.sleep(0.2)
        time.sleep(1)
        end = browser.evaluate(SHOWN)
        browser.process.kill()
        wrong = list(browser.errors)
        wrong += [f"it is wider than {width} px: {is_}" for width, is_ in wide.items() if is_ > width]
        wrong += [f"no picture of {width} px" for width, _ in pictures]
        if run.returncode != code or end["path"] != "/report" or not end["charts"]:
            wrong.append(f"it exits with {run.returncode}, and after the end there is {end}")
        for (turn, number), shown in counts.items():
            record = json.load(open(f"{place}/run/{f'{turn:02}/' if turn else ''}run.json"))
            step = record["steps"][number - 1]
            has = sum(of["count"] for of in step["transactions"])
            print(f"{name}: run {turn}, step {number}: {shown:,} operations were shown last, {has:,} are in the folder")
            # The last interval of a short step, and what came while a picture was taken, is missed.
            if shown > has or step["seconds"] > 15 and shown < 0.5 * has:
                wrong.append(f"step {number}: {shown} shown, {has} in the folder")
    live = {id: rows for id, rows in last["tables"].items() if rows}
    for id, rows in live.items():
        # A screen leaves out columns by all rows that there are.
        lost = [row for row in rows if not any(set(row) <= set(whole) for whole in end["tables"][id])]
        wrong += [f"{id} of the live page, and not of the report: {row}" for row in lost]
    print(f"{name}: {sum(map(len, live.values()))} rows of {', '.join(live)} are those of the report; {end['charts']} charts in it")
    return [f"{name}: {line}" for line in wrong if line] + ([] if live else [f"{name}: no table"])


if sys.argv[2] == "cpu":
    cpu(int(sys.argv[3]) if len(sys.argv) > 3 else 5)
else:
    look(os.path.abspath(sys.argv[3]), sys.argv[4:] or list(RUNS))
