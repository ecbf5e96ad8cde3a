import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import type { Plugin } from "vite";
import { offline } from "./offline.ts";

// The sections of the project's catalogue that this client says.
const SECTIONS = ["language", "card", "event", "talk", "why", "ask", "fair", "web"];

/** `messages:LANGUAGE` is the catalogue of a language, less what only other clients say. */
function messages(): Plugin {
  return {
    name: "messages",
    resolveId: (id) => (id.startsWith("messages:") ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith("\0messages:")) return undefined;
      const language = id.slice("\0messages:".length);
      const file = new URL(`../src/penultima/locale/${language}.json`, import.meta.url).pathname;
      this.addWatchFile(file);
      const whole = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
      const part = Object.fromEntries(SECTIONS.map((name) => [name, whole[name]]));
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(part))})`;
    },
  };
}

export default defineConfig({
  logLevel: "warn",
  base: "/",
  plugins: [messages(), offline(), svelte()],
  worker: { format: "es" },
  build: {
    outDir: "../src/penultima/web",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // Few files: what the first page needs, what a table needs, and one for each other screen.
        codeSplitting: {
          groups: [
            { name: "table", test: /src\/(table|net\/(link|part)|screens\/(Room|Gather|Shuffling|Rules(Sheet|Text)))|lib\/(fair|receipt|DealNotes|Unfair|sha256|qr|sound|markdown)/, priority: 1 },
            { name: "app", test: /node_modules|vite\/|src\/(main|App|app|cards|lib|net|screens\/(Home|Page|Settings|opening))/, priority: 2 },
          ],
        },
      },
    },
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true }, "/core.json": "http://127.0.0.1:8000" } },
});
