/** What offline play needs besides the core, which the server gives: Python from the package `pyodide`,
 * fetched only when somebody wants it (`python:files`), and the service worker. */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const pyodide = new URL("node_modules/pyodide/", import.meta.url);
const RUNTIME = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"];
const PAGES = ["/", "/icon.svg", "/icon-192.png", "/icon-512.png", "/app.webmanifest"];

const hash = (data: string): string => createHash("sha256").update(data).digest("hex").slice(0, 10);

export function offline(): Plugin {
  const { version } = JSON.parse(readFileSync(new URL("package.json", pyodide), "utf8")) as { version: string };
  const folder = `assets/pyodide-${version}/`;
  // No package comes from elsewhere: of the list of them only its heading is needed.
  const { info } = JSON.parse(readFileSync(new URL("pyodide-lock.json", pyodide), "utf8")) as { info: object };
  const lock = JSON.stringify({ info, packages: {} });
  const files = new Map(RUNTIME.map((name) => [folder + name, readFileSync(new URL(name, pyodide))]));
  return {
    name: "offline",
    resolveId: (id) => (id === "python:files" ? `\0${id}` : undefined),
    load(id) {
      if (id !== "\0python:files") return undefined;
      const sizes = [...files].map(([name, data]) => [`/${name}`, data.length]);
      const bytes = [...files.values()].reduce((sum, data) => sum + gzipSync(data).length, 0);
      const parts = { folder: `/${folder}`, lock, bytes, files: sizes };
      return Object.entries(parts).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join("\n");
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const data = files.get(request.url?.slice(1) ?? "");
        if (data === undefined) return next();
        const type = { mjs: "text/javascript", wasm: "application/wasm" }[request.url?.split(".").pop() ?? ""];
        response.setHeader("Content-Type", type ?? "application/zip");
        response.end(data);
      });
    },
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: "asset", fileName, source });
    },
    writeBundle({ dir }, bundle) {
      const built = Object.keys(bundle).filter((name) => name.startsWith("assets/") && !files.has(name)).map((name) => `/${name}`);
      const source = readFileSync(new URL("service.js", import.meta.url), "utf8")
        .replace('"SHELL"', JSON.stringify([...PAGES, ...built.sort()]))
        .replace('"VERSION"', `"${hash(built.join())}"`);
      writeFileSync(`${dir}/service.js`, source);
    },
  };
}
