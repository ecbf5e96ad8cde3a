import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

// The sections of the project's catalogue that this client says.
const SECTIONS = ["language", "card", "event", "ask", "web"];

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
  plugins: [messages(), svelte()],
  build: {
    outDir: "../src/penultima/web",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
});
