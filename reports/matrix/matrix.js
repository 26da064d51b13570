// Filters, two versions side by side, and stories that open below the table of their cell. Without this script all tables are shown.

{
  const form = document.getElementById("filters");
  const blocks = [...document.querySelectorAll(".block")];
  const list = document.getElementById("stories");
  const legend = document.getElementById("legend");
  const stories = [...document.querySelectorAll("details.bug")];
  const names = [...new Set([...form.querySelectorAll("input")].map((box) => box.name))];
  const said = document.getElementById("differing");

  function filter() {
    const chosen = names.map((name) => new Set([...form.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value)));
    for (const block of blocks) {
      block.hidden = !JSON.parse(block.dataset.words).some((words) => words.every((word, at) => chosen[at].has(word)));
    }
    const shown = blocks.filter((block) => !block.hidden);
    const linked = new Set(shown.flatMap((block) => [...block.querySelectorAll(".cells a")].map((link) => link.hash)));
    for (const story of stories) story.hidden = !linked.has("#" + story.id) && location.hash !== "#" + story.id;
    compare(shown, form.elements.one, form.elements.other);
  }

  function compare(shown, one, other) {
    said.replaceChildren();
    if (!one.value || !other.value || one.value === other.value) return;
    const [first, second] = [one, other].map((box) => box.selectedOptions[0].textContent);
    const lines = [];
    for (const block of shown) {
      for (const row of block.querySelectorAll("tbody tr")) {
        const cells = JSON.parse(row.dataset.cells);
        const [here, there] = [cells[one.value], cells[other.value]];
        if (here === there) continue;
        const faults = row.querySelector("th").innerText.replaceAll("\n", "; ");
        lines.push(element("li", `${block.querySelector("h2").textContent}, with ${faults}: ${here} in ${first}, ${there} in ${second}`));
      }
    }
    said.append(element("p", lines.length ? `${first} and ${second} differ in ${lines.length} rows:` : `${first} and ${second} do not differ here.`));
    if (lines.length) {
      const differences = element("ul");
      differences.append(...lines);
      said.append(differences);
    }
  }

  function putBack() {
    list.querySelector("h2").after(legend);
    for (const story of stories) list.append(story);
    document.querySelector(".place")?.remove();
    document.querySelector(".chosen")?.classList.remove("chosen");
  }

  form.hidden = false;
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("everything").addEventListener("click", () => {
    for (const box of form.querySelectorAll("input")) box.checked = true;
    filter();
  });

  document.querySelector(".matrix").addEventListener("click", (event) => {
    const link = event.target.closest(".cells a");
    if (!link) return;
    event.preventDefault();
    const again = link.parentElement.classList.contains("chosen");
    putBack();
    if (again) return;
    const story = document.getElementById(link.hash.slice(1));
    const place = element("div", undefined, "place");
    place.append(legend, story);
    link.closest(".block").append(place);
    link.parentElement.classList.add("chosen");
    story.hidden = false;
    story.open = true;
    history.replaceState(null, "", link.hash);
    story.scrollIntoView({ block: "nearest" });
  });

  filter();
}
