/** Python in a worker: runs `penultima.alone`, which is a whole table, and keeps its clock. */

import type { loadPyodide } from "pyodide";
import type { PyProxy } from "pyodide/ffi";
import type { Parts, Told, Wanted } from "./core";

interface Table extends PyProxy {
  receive(frame: string, at: number): PyProxy;
  wake(at: number): PyProxy;
  due(): number | undefined;
  rules(language: string): string;
  kept: string;
}

interface Alone extends PyProxy {
  editions(): PyProxy;
  problem(table: string, language: string): string;
  Alone: { open(table: string, at: number): Table; resume(kept: string, at: number): Table };
}

const HOME = "/core";
const utf8 = new TextDecoder();
let alone: Alone;
let table: Table | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

const tell = (told: Told): void => postMessage(told);

function text(bytes: PyProxy): string {
  const data = bytes.toJs() as Uint8Array;
  bytes.destroy();
  return utf8.decode(data);
}

async function load({ folder, core, lock }: Parts): Promise<void> {
  const pyodide = (await import(/* @vite-ignore */ `${folder}pyodide.mjs`)) as { loadPyodide: typeof loadPyodide };
  const python = await pyodide.loadPyodide({ indexURL: folder, lockFileContents: lock });
  for (const [path, source] of Object.entries(JSON.parse(core) as Record<string, string>)) {
    const file = `${HOME}/${path}`;
    python.FS.mkdirTree(file.slice(0, file.lastIndexOf("/")));
    python.FS.writeFile(file, source);
  }
  python.runPython(`import sys; sys.path.insert(0, "${HOME}")`);
  alone = python.pyimport("penultima.alone") as Alone;
  tell({ type: "ready", editions: text(alone.editions()) });
}

/** Tell what came of it, keep it, and see to what is due next. */
function pass(frames: PyProxy): void {
  const made = frames.toJs() as Uint8Array[];
  frames.destroy();
  if (table && made.length) tell({ type: "keep", kept: table.kept });
  for (const frame of made) tell({ type: "frame", text: utf8.decode(frame) });
  plan();
}

function plan(): void {
  clearTimeout(timer);
  const at = table?.due();
  if (at !== undefined) timer = setTimeout(() => table && pass(table.wake(Date.now())), Math.max(0, at - Date.now()));
}

function open(wanted: string, language: string): void {
  const problem = alone.problem(wanted, language);
  if (problem) tell({ type: "seated", problem });
  else sit(alone.Alone.open(wanted, Date.now()));
}

function rise(): void {
  clearTimeout(timer);
  table?.destroy();
  table = undefined;
}

function sit(made: Table): void {
  rise();
  table = made;
  tell({ type: "keep", kept: table.kept });
  tell({ type: "seated", problem: "" });
  plan();
}

async function obey(wanted: Wanted): Promise<void> {
  if (wanted.type === "load") await load(wanted);
  else if (wanted.type === "open") open(wanted.table, wanted.language);
  else if (wanted.type === "resume") sit(alone.Alone.resume(wanted.kept, Date.now()));
  else if (wanted.type === "rise") rise();
  else if (wanted.type === "frame" && table) pass(table.receive(wanted.text, Date.now()));
  else if (wanted.type === "rules" && table) tell({ type: "rules", text: table.rules(wanted.language) });
}

onmessage = (message: MessageEvent<Wanted>) => {
  const asked = message.data.type !== "frame" && message.data.type !== "rise";
  obey(message.data).catch((problem: unknown) => tell({ type: "failed", reason: String(problem), asked }));
};
