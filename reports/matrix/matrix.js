// Filters, two versions side by side, and stories that open below the row of their cell.

{
  const form = document.getElementById("filters");
  const rows = [...document.querySelectorAll(".cells tbody tr[data-version]")];
  const homes = new Map([...document.querySelectorAll("details.bug")].map((story) => [story.id, story.nextSibling]));
  const names = [...new Set([...form.querySelectorAll("input")].map((box) => box.name))];
  const words = (row) => [...row.querySelectorAll("td.word")].map((cell) => cell.textContent);

  function filter() {
    const chosen = names.map((name) => new Set([...form.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value)));
    const [one, other] = [form.elements.one.value, form.elements.other.value];
    for (const row of rows) {
      const kept = words(row).every((word, at) => chosen[at].has(word));
      row.hidden = !kept || (one !== "" && other !== "" && ![one, other].includes(row.dataset.version));
    }
    compare(one, other);
  }

  function compare(one, other) {
    for (const cell of document.querySelectorAll(".differs")) cell.classList.remove("differs");
    const said = document.getElementById("differing");
    said.textContent = "";
    if (!one || !other || one === other) return;
    const keyed = new Map(rows.map((row) => [[row.dataset.version, ...words(row)].join(), row]));
    let count = 0;
    for (const row of rows.filter((each) => each.dataset.version === one && !each.hidden)) {
      const beside = keyed.get([other, ...words(row)].join());
      row.querySelectorAll("td").forEach((cell, at) => {
        const there = beside?.querySelectorAll("td")[at];
        if (there && there.textContent !== cell.textContent) {
          count += 1;
          cell.classList.add("differs");
          there.classList.add("differs");
        }
      });
    }
    said.textContent = `${one} and ${other} differ in ${count} cells.`;
  }

  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());

  document.querySelector(".cells").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    const story = document.getElementById(link.hash.slice(1));
    const row = link.closest("tr");
    const shown = document.querySelector(".place");
    const again = shown?.previousElementSibling === row && shown.contains(story);
    for (const [id, next] of homes) {
      const moved = document.getElementById(id);
      if (shown?.contains(moved)) document.querySelector(".matrix").insertBefore(moved, next);
    }
    shown?.remove();
    if (again) return;
    const place = document.createElement("tr");
    place.className = "place";
    const cell = document.createElement("td");
    cell.colSpan = row.cells.length;
    cell.append(story);
    place.append(cell);
    row.after(place);
    story.open = true;
    history.replaceState(null, "", link.hash);
    story.scrollIntoView({ block: "nearest" });
  });

  filter();
}
