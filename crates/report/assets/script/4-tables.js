// A long table is made of its CSV when its line is opened.
function parse(text) {
  const rows = [[]];
  let field = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') { field += c; i++; }
    else if (c === '"') quoted = !quoted;
    else if (!quoted && (c === "," || c === "\n")) {
      rows[rows.length - 1].push(field);
      field = "";
      if (c === "\n") rows.push([]);
    } else field += c;
  }
  return rows.filter((row) => row.length);
}
function make(box) {
  const href = box.querySelector("a[download]").getAttribute("href");
  const [head, ...rows] = parse(decodeURIComponent(href.slice(href.indexOf(",") + 1)));
  const numeric = head.map((_, n) => rows.every((row) => row[n] === "" || Number.isFinite(Number(row[n]))));
  const cell = (row, kind, text, n) => {
    const made = document.createElement(kind);
    if (numeric[n]) made.className = "n";
    // Six digits: the file has them all.
    made.textContent = text === "" ? "–" : numeric[n] && kind === "td" ? String(Number(Number(text).toPrecision(6))) : text;
    row.append(made);
    return made;
  };
  const table = document.createElement("table");
  const title = document.createElement("span");
  title.textContent = box.dataset.title;
  table.createCaption().append(title);
  const top = table.createTHead().insertRow();
  head.forEach((text, n) => { cell(top, "th", text, n).scope = "col"; });
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((text, n) => cell(line, "td", text, n));
  }
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", box.dataset.title);
  scroll.append(table);
  box.prepend(scroll);
}
for (const box of document.querySelectorAll(".late")) {
  box.closest("details").addEventListener("toggle", () => make(box), { once: true });
}
