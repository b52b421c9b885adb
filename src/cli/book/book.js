// The pages of `longhand book`: light or dark, search, copying a program. Without this script the pages lack these and nothing
// else. It stands in the head, so that the colours are right before anything is drawn.
"use strict";
(function () {
  var root = document.documentElement, index = null, waiting = null;

  function kept(value) { // localStorage may be forbidden
    try {
      if (value !== undefined) localStorage.setItem("longhand-theme", value);
      return localStorage.getItem("longhand-theme");
    } catch (e) { return null; }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  if (kept()) root.dataset.theme = kept();

  function startTheme() {
    var button = document.getElementById("theme");
    function say() { button.textContent = isDark() ? "Light" : "Dark"; }
    button.hidden = false;
    say();
    button.addEventListener("click", function () {
      root.dataset.theme = isDark() ? "light" : "dark";
      kept(root.dataset.theme);
      say();
    });
  }

  // A box that scrolls can be reached with the keyboard; one that does not need not be.
  function startBoxes() {
    document.querySelectorAll(".scroll").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  }

  function copy(text, done) {
    if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done); return; }
    var area = document.createElement("textarea");
    area.value = text;
    document.body.appendChild(area);
    area.select();
    if (document.execCommand("copy")) done();
    area.remove();
  }

  function startCopying() {
    document.querySelectorAll(".program pre").forEach(function (pre) {
      var box = document.createElement("div"), button = document.createElement("button");
      box.className = "code";
      button.type = "button";
      button.textContent = "Copy";
      pre.replaceWith(box);
      box.append(pre, button);
      button.addEventListener("click", function () {
        copy(pre.textContent, function () {
          button.textContent = "Copied";
          setTimeout(function () { button.textContent = "Copy"; }, 1500);
        });
      });
    });
  }

  // The index is a script and not a file to fetch: pages opened from a disk may not fetch.
  window.longhandIndex = function (list) {
    index = list;
    if (waiting) waiting();
  };

  function withIndex(then) {
    if (index) { then(); return; }
    if (waiting) { waiting = then; return; }
    waiting = then;
    var script = document.createElement("script");
    script.src = "search.js";
    document.head.appendChild(script);
  }

  // Every word must be there; a find in a title or heading counts more.
  function find(words) {
    return index.map(function (entry) {
      var head = (entry[1] + " " + entry[3]).toLowerCase(), text = entry[4].toLowerCase(), score = 0;
      var all = words.every(function (word) {
        var inHead = head.indexOf(word) >= 0, inText = text.indexOf(word) >= 0;
        score += (inHead ? 10 : 0) + (inText ? 1 : 0);
        return inHead || inText;
      });
      return { entry: entry, score: all ? score : 0 };
    }).filter(function (hit) { return hit.score; }).sort(function (a, b) { return b.score - a.score; }).slice(0, 20);
  }

  function excerpt(text, words) {
    var low = text.toLowerCase(), at = -1, p = document.createElement("div");
    words.forEach(function (word) { if (at < 0) at = low.indexOf(word); });
    var from = Math.max(0, at - 60), piece = text.slice(from, from + 160), rest = piece;
    p.append(from ? "… " : "");
    while (rest) {
      var first = -1, length = 0;
      words.forEach(function (word) {
        var k = rest.toLowerCase().indexOf(word);
        if (k >= 0 && (first < 0 || k < first)) { first = k; length = word.length; }
      });
      if (first < 0) { p.append(rest); break; }
      var mark = document.createElement("mark");
      mark.textContent = rest.slice(first, first + length);
      p.append(rest.slice(0, first), mark);
      rest = rest.slice(first + length);
    }
    return p;
  }

  function show(box, text) {
    var words = text.toLowerCase().split(/\s+/).filter(Boolean);
    box.replaceChildren();
    box.hidden = !words.length;
    if (!words.length) return;
    var hits = find(words), head = document.createElement("p"), list = document.createElement("ol");
    head.textContent = hits.length ? hits.length + (hits.length === 1 ? " place" : " places") : "Nothing was found.";
    hits.forEach(function (hit) {
      var e = hit.entry, item = document.createElement("li"), link = document.createElement("a");
      link.href = e[0] + ".html" + (e[2] === "top" ? "" : "#" + e[2]);
      link.textContent = e[3] === e[1] ? e[1] : e[1] + ": " + e[3];
      item.append(link, excerpt(e[4], words));
      list.append(item);
    });
    box.append(head);
    if (hits.length) box.append(list);
  }

  function startSearch() {
    var form = document.querySelector("form[role=search]"), input = document.getElementById("search"),
      box = document.getElementById("found");
    form.hidden = false;
    input.addEventListener("input", function () { withIndex(function () { show(box, input.value); }); });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var link = box.querySelector("a");
      if (link) link.focus();
    });
    document.addEventListener("keydown", function (event) {
      if (event.key === "/" && !/input|textarea/i.test(document.activeElement.tagName)) { event.preventDefault(); input.focus(); }
      if (event.key === "Escape" && input.value) { input.value = ""; show(box, ""); input.focus(); }
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var side = document.querySelector(".side details");
    if (side && matchMedia("(min-width: 64rem)").matches) side.open = true;
    startTheme();
    startCopying();
    startBoxes();
    startSearch();
    addEventListener("resize", startBoxes);
  });
})();
