// The explorer: every click sends the whole walk to the server of this page, and shows what it answers.

{
  const $ = (id) => document.getElementById(id);
  const rows = document.querySelector(".explore ol");
  let steps = [];
  let undone = [];
  let shown = 0;
  let searching = null;
  let lanes = [];
  const bookmarks = [];

  function make(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function say(text, bad) {
    $("said").textContent = text;
    $("said").className = bad ? "bad" : "";
  }

  async function ask(name, values) {
    const answered = await fetch("api/" + name, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(values),
    });
    const found = await answered.json();
    if (!answered.ok) throw new Error(found.error);
    return found;
  }

  async function go(wanted, kept) {
    document.body.classList.add("busy");
    try {
      const same = steps.findIndex((step, at) => wanted[at] !== step);
      const common = Math.min(same < 0 ? steps.length : same, wanted.length);
      const first = Math.min(shown, common + 1);
      const found = await ask("walk", { steps: wanted, first, lanes });
      while (rows.children.length > found.first) rows.lastElementChild.remove();
      rows.insertAdjacentHTML("beforeend", found.rows);
      draw(found);
      steps = found.steps;
      undone = kept ?? [];
      shown = rows.children.length;
      say("");
      show(found);
      remember();
      rows.lastElementChild.scrollIntoView({ block: "nearest" });
    } catch (error) {
      say(error.message, true);
    } finally {
      document.body.classList.remove("busy");
    }
  }

  function draw(found) {
    lanes = found.lanes;
    const story = document.getElementById("step");
    story.style.setProperty("--most", lanes.length * story.dataset.most + "px");
    story.style.setProperty("--least", lanes.length * found.least + "px");
    story.querySelector(".head svg").innerHTML = found.head;
    $("idle").hidden = found.idle.length === 0;
    $("idle").firstElementChild.textContent = found.idle.join(", ");
    $("idle").dataset.lanes = JSON.stringify([...lanes, ...found.idle]);
  }

  function show(found) {
    const judged = found.properties.map((one) => {
      if (one.kind === "sometimes") return one.met ? make("span", "✓ " + one.name, "ok good") : null;
      if (one.holds === false) return make("span", "✗ " + one.name, "broken");
      return null;
    });
    const held = found.properties.filter((one) => one.kind !== "sometimes" && one.holds);
    const rest = make("details");
    rest.append(make("summary", `✓ ${held.length} hold`), make("p", held.map((one) => one.name).join(", ")));
    $("properties").replaceChildren(...judged.filter(Boolean), rest);
    $("count").textContent = `${found.possible.length} steps`;
    const idling = found.possible.filter((one) => !one.changes.length && !one.violates.length);
    $("possible").replaceChildren(...found.possible.filter((one) => !idling.includes(one)).map(choice));
    $("idling").hidden = !idling.length;
    $("idling").firstElementChild.textContent = idling.length === 1 ? "1 step that changes nothing" : `${idling.length} steps that change nothing`;
    $("idling").lastElementChild.replaceChildren(...idling.map(choice));
    const refused = found.refused.reduce((sum, one) => sum + one.steps.length, 0);
    $("refused-count").textContent = `${refused} steps, each with the guard that refuses it`;
    $("refused").replaceChildren(...found.refused.map(refusal));
    $("fields").textContent = found.fields;
    $("undo").disabled = steps.length === 0;
    $("redo").disabled = undone.length === 0;
    $("parting").replaceChildren();
  }

  function choice(one) {
    const item = make("li");
    const button = make("button", one.step, "step-button");
    button.type = "button";
    button.title = one.rule;
    if (one.changes.length) button.append(make("span", one.changes.join(". "), "changes"));
    if (one.violates.length) button.append(make("span", one.violates.map((name) => "✗ " + name).join(" "), "broken"));
    button.addEventListener("click", () => go([...steps, one.step]));
    item.append(button);
    return item;
  }

  function refusal(one) {
    const item = make("li");
    const inside = make("details");
    const names = [...new Set(one.steps.map((step) => step.split("(")[0]))];
    const summary = make("summary", names.join(", ") + ": ");
    summary.append(make("code", one.guard));
    const list = make("ul");
    list.append(...one.steps.map((step) => make("li", step)));
    inside.append(summary, list);
    item.append(inside);
    return item;
  }

  function remember() {
    history.replaceState(null, "", "#walk=" + encodeURIComponent(JSON.stringify(steps)));
  }

  function remembered() {
    if (!location.hash.startsWith("#walk=")) return null;
    try {
      const found = JSON.parse(decodeURIComponent(location.hash.slice(6)));
      return Array.isArray(found) && found.every((step) => typeof step === "string") ? found : null;
    } catch {
      return null;
    }
  }

  const undo = () => steps.length && go(steps.slice(0, -1), [steps.at(-1), ...undone]);
  const redo = () => undone.length && go([...steps, undone[0]], undone.slice(1));

  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  $("restart").addEventListener("click", () => go([], [...steps, ...undone]));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(input|textarea)$/i.test(event.target.tagName)) return;
    if (event.key === "u") undo();
    if (event.key === "r") redo();
  });

  rows.addEventListener("toggle", (event) => {
    const row = event.target.parentElement;
    const more = row?.id && event.target.open ? event.target.querySelector(".more") : null;
    const number = Number(row?.id?.split("-").at(-1));
    if (!more || more.querySelector(".back") || number >= steps.length) return;
    const button = make("button", "Go back to here", "back");
    button.type = "button";
    button.addEventListener("click", () => go(steps.slice(0, number), [...steps.slice(number), ...undone]));
    more.prepend(button);
  }, true);

  $("unfold").addEventListener("click", () => {
    lanes = JSON.parse($("idle").dataset.lanes);
    shown = 0;
    go(steps, undone);
  });

  $("find").addEventListener("submit", async (event) => {
    event.preventDefault();
    const compiled = event.submitter?.name === "compiled";
    const begun = Date.now();
    const search = crypto.randomUUID();
    const telling = setInterval(async () => {
      const { tried } = await ask("progress", { search }).catch(() => ({ tried: null }));
      const states = tried === null ? "" : `: ${tried.toLocaleString("en")} states`;
      if (searching === search) say(`Searching for ${Math.round((Date.now() - begun) / 1000)} s${states} …`);
    }, 1000);
    searching = search;
    say("Searching …");
    try {
      const found = await ask("find", { steps, where: event.target.elements.where.value, compiled, search });
      searching = null;
      if (found.steps) {
        const further = found.steps.length - (compiled ? 0 : steps.length);
        await go(found.steps);
        say(further ? `A shortest way there has ${further} steps.` : "It is so here.");
      } else {
        const tried = found.tried.toLocaleString("en");
        say(found.complete ? `There is no such state: all ${tried} states were tried.` : `Undecided: none among the first ${tried} states.`);
      }
    } catch (error) {
      say(error.message, true);
    } finally {
      searching = null;
      clearInterval(telling);
    }
  });

  $("beside").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const found = await ask("beside", { steps, other: event.target.elements.other.value });
      const parts = found.step === null
        ? [make("p", `${found.other} takes the same steps to the same states.`)]
        : [make("p", found.refused ? `They part at step ${found.step}: ${found.other} refuses it.` : `They part at step ${found.step}.`, "bad")];
      if (found.refused) parts.push(make("code", found.refused));
      if (found.differences.length) {
        const list = make("ul");
        list.append(...found.differences.map((line) => make("li", line)));
        parts.push(list);
      }
      $("parting").replaceChildren(...parts);
      if (found.step !== null) document.getElementById("step-" + found.step)?.scrollIntoView({ block: "nearest" });
    } catch (error) {
      $("parting").replaceChildren(make("p", error.message, "bad"));
    }
  });

  $("bookmark").addEventListener("click", () => {
    const kept = [...steps];
    if (bookmarks.some((other) => JSON.stringify(other) === JSON.stringify(kept))) return;
    bookmarks.push(kept);
    const button = make("button", kept.length ? `step ${kept.length}: ${kept.at(-1)}` : "the start", "step-button");
    button.type = "button";
    button.addEventListener("click", () => go(kept));
    const item = make("li");
    item.append(button);
    $("bookmarks").append(item);
  });

  $("link").addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It works as long as this explorer runs on this port with this token.");
  });

  for (const button of document.querySelectorAll(".export")) {
    button.addEventListener("click", async () => {
      try {
        const found = await ask("export", { steps, format: button.value });
        const link = make("a");
        link.href = URL.createObjectURL(new Blob([found.text], { type: "text/plain" }));
        link.download = found.name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      } catch (error) {
        say(error.message, true);
      }
    });
  }

  go(remembered() ?? JSON.parse($("begin").textContent).steps);
}
