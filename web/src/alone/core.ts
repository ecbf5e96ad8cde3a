/** The core on this device: fetched when it is wanted, kept, and asked through its worker. */

import { bytes, files, folder, lock } from "python:files";
import { unfolded } from "../cards/edition";
import type { Edition } from "../cards/edition";
import { recall, remember } from "../lib/device.svelte";
import { keepPages } from "../lib/service";
import type { NewTable } from "../net/frames";
import type { Socket } from "../net/link.svelte";
import type { Editions } from "../net/wire";

/** Where Python lies, what packages it has, and our modules as the server gave them. */
export interface Parts {
  folder: string;
  lock: string;
  core: string;
}

export type Wanted =
  | ({ type: "load" } & Parts)
  | { type: "open"; table: string; language: string }
  | { type: "resume"; kept: string }
  | { type: "rise" }
  | { type: "frame"; text: string }
  | { type: "rules"; language: string };

export type Told =
  | { type: "ready"; editions: string }
  | { type: "seated"; problem: string }
  | { type: "frame"; text: string }
  | { type: "keep"; kept: string }
  | { type: "rules"; text: string }
  | { type: "failed"; reason: string; asked: boolean };

const CACHE = "core";
const CORE = "/core.json";
const PATIENCE = 5_000; // for a server that does not answer, where there is a copy
const PING = 15_000; // or the line would seem to be lost
export const MEGABYTES = bytes / 1e6;

/** The match that goes on here, as `penultima.alone` has written it. */
export const kept = (): string => recall("alone", "");
/** Whether all is here, so that nothing has to be fetched. */
export const loaded = (): boolean => recall("alone.python", "") === folder;

/** What the browser keeps for want of a network, in a secure context. */
const cache = async (): Promise<Cache | null> => ("caches" in globalThis ? caches.open(CACHE) : null);

/** Our own modules: the server's, or those that it gave last. */
async function source(): Promise<string> {
  const store = await cache();
  const copy = await store?.match(CORE);
  try {
    const response = await fetch(CORE, copy ? { signal: AbortSignal.timeout(PATIENCE) } : {});
    if (!response.ok) throw new Error(CORE);
    await store?.put(CORE, response.clone());
    return await response.text();
  } catch (problem) {
    if (!copy) throw problem;
    return copy.text();
  }
}

/** Fetch Python, and forget that of an earlier build. */
async function fetchPython(progress: (share: number) => void): Promise<void> {
  const store = await cache();
  for (const { url } of (await store?.keys()) ?? []) {
    if (!new URL(url).pathname.startsWith(folder)) await store?.delete(url);
  }
  const total = files.reduce((sum, [, size]) => sum + size, 0);
  let got = 0;
  for (const [path] of files) {
    const response = await fetch(path);
    if (!response.ok || !response.body) throw new Error(path);
    const storing = store?.put(path, response.clone());
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      got += value.length;
      progress(Math.min(1, got / total));
    }
    await storing?.catch(() => {}); // a full disk: it is fetched again next time
  }
}

export class Core {
  editions: Edition[] = [];
  /** Is called when the table has broken down. */
  onfailure: () => void = () => {};
  #worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  #socket: Socket | null = null;
  #waiting: { answer: Told["type"]; resolve: (told: Told) => void; reject: (problem: Error) => void }[] = [];

  /** Fetch the core where it is not here yet, and start it. */
  static async load(progress: (share: number) => void): Promise<Core> {
    keepPages();
    if (!loaded()) await fetchPython(progress);
    progress(1);
    const core = await source();
    const made = new Core();
    try {
      const told = await made.#ask({ type: "load", folder, lock, core }, "ready");
      const { editions } = JSON.parse(told.editions) as Editions;
      made.editions = editions.map(({ edition, options }) => unfolded({ ...edition, options: { ...options } }));
    } catch (problem) {
      made.close();
      remember("alone.python", null);
      throw problem;
    }
    remember("alone.python", folder);
    return made;
  }

  private constructor() {
    this.#worker.onmessage = (message: MessageEvent<Told>) => this.#hear(message.data);
    this.#worker.onerror = (event) => this.#hear({ type: "failed", reason: event.message, asked: false });
  }

  close(): void {
    this.#worker.terminate();
  }

  /** Open a table; gives what is wrong with it, if anything is. */
  async open(table: NewTable, language: string): Promise<string> {
    return (await this.#ask({ type: "open", table: JSON.stringify(table), language }, "seated")).problem;
  }

  /** Go on with the match that was kept. */
  async resume(): Promise<void> {
    await this.#ask({ type: "resume", kept: kept() }, "seated");
  }

  /** Stop the match, which stays as it is kept. */
  rise(): void {
    this.#worker.postMessage({ type: "rise" } satisfies Wanted);
  }

  async rules(language: string): Promise<string> {
    return (await this.#ask({ type: "rules", language }, "rules")).text;
  }

  /** A line to the table that has been opened, for a `TableLink`. */
  socket = (): Socket => {
    const send = (wanted: Wanted): void => this.#worker.postMessage(wanted);
    const ping = setInterval(() => deliver(socket, JSON.stringify({ type: "ping", n: 0 })), PING);
    const socket: Socket = {
      onopen: null,
      onmessage: null,
      onclose: null,
      send: (text) => send({ type: "frame", text: String(text) }),
      close: () => {
        clearInterval(ping);
        if (this.#socket === socket) this.#socket = null;
      },
    };
    this.#socket = socket;
    queueMicrotask(() => socket.onopen?.call(socket as WebSocket, new Event("open")));
    return socket;
  };

  #ask<T extends Told["type"]>(wanted: Wanted, answer: T): Promise<Extract<Told, { type: T }>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ answer, resolve: resolve as (told: Told) => void, reject });
      this.#worker.postMessage(wanted);
    });
  }

  #hear(told: Told): void {
    if (told.type === "frame") deliver(this.#socket, told.text);
    else if (told.type === "keep") remember("alone", told.kept || null);
    else if (told.type === "failed") {
      const broken = !told.asked || !this.#waiting.length;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(told.reason));
      if (broken) this.onfailure();
    } else {
      const found = this.#waiting.findIndex(({ answer }) => answer === told.type);
      if (found >= 0) this.#waiting.splice(found, 1)[0]?.resolve(told);
    }
  }
}

function deliver(socket: Socket | null, text: string): void {
  socket?.onmessage?.call(socket as WebSocket, new MessageEvent("message", { data: text }));
}
