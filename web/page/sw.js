/* The service worker: after the first visit the whole book is there without a network. What is shown is what was kept; a newer version of it
 * is fetched beside and shown the next time. It answers for files of this folder alone. */
"use strict";
const cacheName = "longhand";
const core = ["index.html", "book.css", "page.css", "pictures.css", "book.js", "page.js", "search.js", "contents.js", "engine.js", "fast.js", "names.js", "names-model.js", "sentences.js", "sentences-model.js", "micro.text.js", "gpt.text.js", "front.text.js", "longhand-math.woff2", "icon.svg", "longhand.webmanifest",
  "practice.html", "play.html", "teach.html", "model.html"];

async function keep(cache, file) {
  try {
    const answer = await fetch(file, { cache: "no-cache" });
    if (answer.ok) await cache.put(file, answer);
  } catch { /* without a network what was kept stays */ }
}

/* Every lesson that the list of contents names, one after another: nobody waits for it. */
async function keepLessons(cache) {
  const list = await cache.match("contents.js"), text = list ? await list.text() : "";
  for (const found of text.matchAll(/"name":"([\w-]+)"/g)) {
    await keep(cache, found[1] + ".html");
    await keep(cache, found[1] + ".text.js");
  }
}

self.addEventListener("install", event => {
  event.waitUntil((async () => {
    const cache = await caches.open(cacheName);
    await Promise.all(core.map(file => keep(cache, file)));
    self.skipWaiting();
  })());
});

self.addEventListener("activate", event => {
  event.waitUntil((async () => {
    await self.clients.claim();
    await keepLessons(await caches.open(cacheName));
  })());
});

self.addEventListener("fetch", event => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(cacheName), name = address.pathname.endsWith("/") ? "index.html" : address.pathname;
    const kept = await cache.match(name), fresh = fetch(event.request).then(answer => {
      if (answer.ok) cache.put(name, answer.clone());
      return answer;
    });
    if (!kept) return fresh;
    fresh.catch(() => {});
    return kept;
  })());
});
