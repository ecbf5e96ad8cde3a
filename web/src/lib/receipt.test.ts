/** What a device keeps of a deal, and when it holds the server to it. */

import { beforeEach, expect, test } from "vitest";
import { commitment } from "./fair";
import type { Receipt, Unfair } from "./receipt";

const stored = new Map<string, string>();
Object.assign(globalThis, {
  matchMedia: () => ({ matches: false }),
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  },
});
const { Receipt: Kept } = await import("./receipt");

const SERVER = "ab".repeat(32);
const promising = (promises: Record<string, string> = {}) => ({
  stage: "promising", attempt: 1, promises: { server: SERVER, ...promises }, reveals: {}, matches: 0,
});

function broken(look: () => void): string {
  try {
    look();
  } catch (problem) {
    return (problem as Unfair).code;
  }
  return "";
}

let table = "";
let one: Receipt;
beforeEach(() => {
  table += "a"; // what storage forgets, the page still knows
  one = new Kept(table, 0, true);
});

test("two windows of one seat use the same seed", () => {
  const other = new Kept(table, 0, true);
  for (const window of [one, other]) window.see(promising());
  one.makeSeed();
  one.keep();
  other.makeSeed();
  other.keep();
  expect(other.promise).toBe(one.promise);
});

test("of two seeds the one counts that the table has", () => {
  const other = new Kept(table, 0, true);
  for (const window of [one, other]) {
    window.see(promising());
    window.makeSeed(); // at the same moment
  }
  one.keep();
  const taken = one.promise ?? "";
  stored.clear();
  other.keep(); // was the last to write
  for (const window of [one, other]) {
    window.see(promising({ 0: taken }));
    window.keep();
  }
  one.taken(1);
  expect([one.ownIsIn, other.ownIsIn]).toEqual([true, true]);
});

test("a page that is loaded again knows what it was shown", () => {
  one.see(promising({ 1: "cd".repeat(32) }));
  one.keep();
  const again = new Kept(table, 0, true);
  expect(broken(() => again.see(promising()))).toBe("promise_missing");
  expect(broken(() => again.see(promising({ 1: "ef".repeat(32) })))).toBe("promise_changed");
  expect(broken(() => again.see({ ...promising(), attempt: 0 }))).toBe("attempt_back");
  const revealing = { ...promising({ 1: "cd".repeat(32) }), stage: "revealing" };
  expect(broken(() => again.see(revealing))).toBe("");
  const late = { ...revealing, promises: { ...revealing.promises, 2: "00".repeat(32) } };
  expect(broken(() => again.see(late))).toBe("promise_added");
  expect(broken(() => again.see({ ...revealing, reveals: { 1: "00".repeat(32) } }))).toBe("seed_changed");
  expect(broken(() => again.see({ ...revealing, stage: "playing" }))).toBe("dealt_without");
});

test("a whole deal is not made again in the same match", () => {
  const seed = "12".repeat(32);
  const whole = {
    ...promising({ 1: commitment(table, 1, "1", seed) }), stage: "revealing", reveals: { 1: seed },
  };
  one.see(whole);
  expect(broken(() => one.see({ ...promising(), attempt: 2 }))).toBe("dealt_again");
  const over = new Kept("abc235", 0, false);
  over.see({ ...promising(), stage: "over" });
  expect(broken(() => over.see({ ...promising(), attempt: 2 }))).toBe("");
});
