"use strict";
// What the page does without a script stays as it is: this adds a search, hides
// areas in which nothing is shown, and opens the contract that a link points to.
(() => {
  const contracts = [...document.querySelectorAll("details.contract")];
  const areas = [...document.querySelectorAll(".area")];
  const boxes = [...document.querySelectorAll(".filters input")];
  const search = document.getElementById("search");
  const words = new Map(contracts.map((c) => [c, c.querySelector("summary").textContent.toLowerCase()]));

  const show = () => {
    const off = boxes.filter((b) => !b.checked).map((b) => b.id.replace("show-", "in-"));
    const wanted = search.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const contract of contracts) {
      const hidden = off.some((name) => contract.classList.contains(name)) ||
        !wanted.every((word) => words.get(contract).includes(word));
      contract.hidden = hidden;
      if (!hidden) count++;
    }
    for (const area of areas) {
      area.hidden = ![...area.querySelectorAll("details.contract")].some((c) => !c.hidden);
    }
    document.getElementById("shown").textContent = `${count} of ${contracts.length} shown`;
  };

  const reveal = () => {
    // A link may lead to what is inside of a contract, which opens it without a script too.
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details.contract");
    if (!target) return;
    if (target.hidden) {
      search.value = "";
      for (const box of boxes) box.checked = true;
      show();
    }
    target.open = true;
    target.scrollIntoView();
    target.querySelector("summary").focus({ preventScroll: true });
  };

  const openAll = (open) => {
    for (const contract of contracts) if (!contract.hidden) contract.open = open;
  };

  search.addEventListener("input", show);
  for (const box of boxes) box.addEventListener("change", show);
  document.getElementById("open").addEventListener("click", () => openAll(true));
  document.getElementById("close").addEventListener("click", () => openAll(false));
  // A second click on the same link changes no hash, and has to open it again.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) reveal();
  });
  window.addEventListener("hashchange", reveal);
  document.getElementById("tools").hidden = false;
  show();
  reveal();
})();
