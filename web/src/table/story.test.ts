import { expect, test } from "vitest";
import type { GameEvent, Moment, State } from "../net/frames";

Object.assign(globalThis, { matchMedia: () => ({ matches: false }) });
const { Story } = await import("./story.svelte");

const event = (what: string, more: Partial<GameEvent> = {}): GameEvent => ({ what, ...more }) as GameEvent;
const moment = (seq: number, ...events: GameEvent[]): Moment => ({ seq, at: seq, entry: { type: "acted" }, events });
const playing = (scores = [0, 0], shown: unknown = null): State =>
  ({ stage: "playing", places: [], view: { scores, shown } }) as unknown as State;

test("a hand that is shown is shown once, not whenever one of its cards is played", () => {
  const story = new Story();
  const hand = { of: 1, cards: ["r5", "b7"] };
  story.take([moment(1, event("show", { seat: 1, other: 0, cards: hand.cards }))], playing([0, 0], hand));
  expect(story.shown).toEqual(hand);
  story.shown = null; // closed
  story.take([moment(2, event("play", { seat: 1, card: "r5" }))], playing([0, 0], { of: 1, cards: ["b7"] }));
  expect(story.shown).toBe(null);
});

test("nobody sees a hand that is shown to another", () => {
  const story = new Story();
  story.take([moment(1, event("show", { seat: 1, other: 2 }))], playing());
  expect(story.shown).toBe(null);
});

test("a hand that was shown is gone with its round", () => {
  const story = new Story();
  story.take([moment(1, event("show", { seat: 1, other: 0, cards: ["r5"] }))], playing());
  story.take([moment(2, event("win_round", { seat: 1, points: 5 }))], { ...playing([0, 5]), stage: "between" });
  expect(story.shown).toBe(null);
});
