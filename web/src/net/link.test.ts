/** What becomes of a command, whatever the table makes of it. */

import { beforeEach, expect, test } from "vitest";
import type { Socket, TableLink } from "./link.svelte";

const heard = new Map<string, () => void>();
Object.assign(globalThis, {
  matchMedia: () => ({ matches: false }),
  addEventListener: (name: string, listener: () => void) => heard.set(name, listener),
  removeEventListener: () => {},
  document: { addEventListener: () => {}, removeEventListener: () => {}, visibilityState: "visible" },
});
const { TableLink: Link } = await import("./link.svelte");

/** The end of a line that a test holds. */
class Line implements Socket {
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  sent: Record<string, unknown>[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {}

  say(frame: object): void {
    this.onmessage?.call(this as never, { data: JSON.stringify(frame) } as MessageEvent);
  }

  welcome(): void {
    const state = { stage: "between", places: [], decision: 0, left_out: [], promises: {}, reveals: {}, attempt: 0, race: null };
    const edition = { colors: [], cards: [], wilds: [], name: { en: "" } };
    this.say({ type: "welcome", now: 0, seq: 1, seat: 0, server: "1", settings: { edition }, state, moments: [], rounds: [] });
  }
}

let lines: Line[] = [];
let link: TableLink;

beforeEach(() => {
  lines = [];
  link = new Link("abc234", null, undefined, () => {
    const made = new Line();
    lines.push(made);
    return made;
  });
  lines[0]!.welcome();
});

const line = (): Line => lines.at(-1)!;

test("a command that is not understood is answered all the same", async () => {
  const [first, second] = [link.send({ type: "ready" }), link.send({ type: "begin" })];
  line().say({ type: "problem", code: "not_understood", message: "", id: line().sent[1]!.id });
  expect(await second).toBe("not_understood");
  line().say({ type: "answer", id: line().sent[0]!.id, refused: null, seat: null });
  expect(await first).toBe(null);
});

test("a problem without an id is that of the command sent first", async () => {
  const [first, second] = [link.send({ type: "ready" }), link.send({ type: "begin" })];
  line().say({ type: "problem", code: "too_long", message: "", id: null });
  expect(await first).toBe("not_understood");
  line().say({ type: "answer", id: line().sent[1]!.id, refused: "not_host", seat: null });
  expect(await second).toBe("not_host");
});

test("what was not understood is not sent again", async () => {
  const lost = link.send({ type: "ready" });
  line().say({ type: "problem", code: "not_understood", message: "", id: line().sent[0]!.id });
  await lost;
  heard.get("online")?.();
  line().onclose?.call(line() as never, {} as CloseEvent);
  link.close();
  expect(lines.slice(1).flatMap(({ sent }) => sent)).toEqual([]);
});

test("nothing is waited for at a table that has said goodbye", async () => {
  const last = link.send({ type: "ready" });
  line().say({ type: "bye", reason: "moved", retry: null });
  expect(await last).toBe("closed");
  expect(await link.send({ type: "ready" })).toBe("closed");
});

test("nothing is waited for on a line that is closed", async () => {
  const last = link.send({ type: "ready" });
  link.close();
  expect(await last).toBe("closed");
});

test("what was not answered is sent again on the next line", async () => {
  const command = link.send({ type: "ready" });
  const [before] = line().sent;
  line().say({ type: "bye", reason: "restart", retry: 0 });
  await new Promise((done) => setTimeout(done, 20));
  expect(lines.length).toBe(2);
  line().welcome();
  expect(line().sent.at(-1)).toEqual(before);
  line().say({ type: "answer", id: before!.id, refused: null, seat: null });
  expect(await command).toBe(null);
});
