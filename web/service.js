/** Keeps the pages of one build, so that the app opens without a network; a new build replaces them.
 *
 * What people do is never kept: only files that the build names, and what the page itself has put
 * into the cache for offline play. The build fills in both constants. */

const PAGES = "SHELL";
const NAME = `pages-${"VERSION"}`;
const PATIENCE = 3000; // for a network that does not answer

const kept = (request) => caches.match(request, { ignoreVary: true });

async function replace() {
  for (const name of await caches.keys()) {
    if (name.startsWith("pages-") && name !== NAME) await caches.delete(name);
  }
  await clients.claim();
}

async function freshFirst(request, otherwise) {
  try {
    const found = await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
    if (found.status < 500) return found;
  } catch {
    // No network, or no answer.
  }
  return (await kept(otherwise)) ?? Response.error();
}

addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(PAGES)).then(() => skipWaiting()));
});
addEventListener("activate", (event) => event.waitUntil(replace()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (!/^\/(api|admin)\b/.test(pathname)) event.respondWith(freshFirst(request, "/"));
  } else if (pathname.startsWith("/assets/")) {
    event.respondWith(kept(request).then((found) => found ?? fetch(request)));
  } else if (PAGES.includes(pathname)) {
    event.respondWith(freshFirst(request, request));
  }
});
