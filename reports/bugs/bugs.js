// Only the losses of one protocol family. Without this script all are shown.

{
  const families = document.getElementById("families");

  function only(chosen) {
    for (const button of families.children) button.setAttribute("aria-pressed", String(button.value === chosen));
    for (const group of document.querySelectorAll(".group")) {
      const bugs = [...group.querySelectorAll("details.bug")];
      for (const bug of bugs) bug.hidden = chosen !== "" && bug.dataset.family !== chosen;
      const shown = bugs.filter((bug) => !bug.hidden).length;
      group.hidden = shown === 0;
      group.querySelector(".count").textContent = shown;
    }
  }

  if (families) {
    families.hidden = false;
    families.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) only(button.value);
    });
  }
}
