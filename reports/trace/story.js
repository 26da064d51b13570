// Keys, the step in the address, and what else could have happened. Without this script the story can still be read and opened.

const stories = [...document.querySelectorAll(".story")];

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function rowsOf(story) {
  return [...story.querySelectorAll(":scope li[id]")];
}

function select(row, open) {
  const story = row.closest(".story");
  for (const other of rowsOf(story)) {
    if (other !== row && other.classList.contains("here")) {
      other.classList.remove("here");
      other.firstElementChild.open = false;
    }
  }
  row.classList.add("here");
  const details = row.firstElementChild;
  if (open !== undefined) details.open = open;
  details.firstElementChild.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  keepAddress(row);
}

function keepAddress(row) {
  // The address of the explorer keeps the whole walk instead.
  if (!location.hash.startsWith("#walk=")) history.replaceState(null, "", "#" + row.id);
}

function current(story) {
  return story.querySelector("li.here");
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || /^(input|select|textarea)$/i.test(event.target.tagName)) return;
  const story = event.target.closest?.(".story") ?? (stories.length === 1 ? stories[0] : null);
  if (!story) return;
  const rows = rowsOf(story);
  const at = rows.indexOf(current(story));
  const wanted = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (wanted === undefined) return;
  event.preventDefault();
  select(rows[Math.max(0, Math.min(rows.length - 1, wanted))], true);
});

function listed(title, items) {
  const details = element("details");
  details.append(element("summary", title));
  const list = element("ul");
  list.append(...items);
  details.append(list);
  return details;
}

function violation(names, data) {
  return names.map((name) => " ✗ " + data.texts[name]).join("");
}

function possible([step, changed, violated, next], data, taken) {
  const item = element("li");
  const inside = element("details");
  const summary = element("summary", data.texts[step], step === taken ? "good" : "");
  if (step === taken) summary.append(element("span", " (this is what happened)", "dim"));
  if (violated.length) summary.append(element("span", violation(violated, data), "bad"));
  inside.append(summary, element("p", data.texts[changed] || "nothing changes"));
  const further = element("ul");
  for (const [name, ...broken] of next) {
    const line = element("li", data.texts[name]);
    if (broken.length) line.append(element("span", violation(broken, data), "bad"));
    further.append(line);
  }
  inside.append(element("p", next.length ? "Then could happen:" : "Then nothing can happen.", "dim"), further);
  item.append(inside);
  return item;
}

function refusal([guard, steps], data) {
  const item = element("li");
  const inside = element("details");
  const names = [...new Set(steps.map((step) => data.texts[step].split("(")[0]))];
  inside.append(element("summary", names.join(", ") + ": "));
  inside.firstChild.append(element("code", data.texts[guard]));
  const list = element("ul");
  list.append(...steps.map((step) => element("li", data.texts[step])));
  inside.append(list);
  item.append(inside);
  return item;
}

function showBeyond(box, data) {
  const [could, could_not, taken] = data.states[Number(box.dataset.state)];
  const refused = could_not.reduce((sum, [, steps]) => sum + steps.length, 0);
  box.replaceChildren(
    listed(`What can happen next: ${could.length} steps`, could.map((one) => possible(one, data, taken))),
    listed(`What cannot: ${refused} steps, and the guard that refuses each`, could_not.map((one) => refusal(one, data))),
  );
}

for (const story of stories) {
  const source = story.querySelector(".beyond-data");
  let data;
  story.addEventListener(
    "toggle",
    (event) => {
      const row = event.target.parentElement;
      if (!row?.id || !event.target.open) return;
      const box = event.target.querySelector(".beyond");
      if (box && source && !box.dataset.shown) {
        data ??= JSON.parse(source.textContent);
        showBeyond(box, data);
        box.dataset.shown = "yes";
      }
    },
    true,
  );
  story.addEventListener("click", (event) => {
    const row = event.target.closest("summary")?.parentElement.parentElement;
    if (row?.id && event.target.closest("summary").parentElement === row.firstElementChild) {
      for (const other of rowsOf(story)) other.classList.toggle("here", other === row);
      keepAddress(row);
    }
  });
}

function fromAddress() {
  const row = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (!row) return;
  for (let outer = row; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
  if (row.matches(".story .step")) select(row, true);
  else row.scrollIntoView();
}

addEventListener("hashchange", fromAddress);
fromAddress();
