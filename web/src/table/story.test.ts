import { expect, test } from "vitest";
import type { GameEvent, Moment, State } from "../net/frames";

Object.assign(globalThis, { matchMedia: () => ({ matches: false }) });
const { Story } = await import("./story.svelte");

const edition = {
  faces: [{ text: "r5", color: 0, number: 5 }],
  colors: [{ letter: "r", name: { en: "red" } }],
};
const event = (what: string, more: Partial<GameEvent> = {}): GameEvent => ({ what, ...more }) as GameEvent;
const moment = (seq: number, ...events: GameEvent[]): Moment => ({ seq, at: seq, entry: { type: "acted" }, events });
const playing = (scores = [0, 0], shown: unknown = null): State =>
  ({ stage: "playing", places: scores.map(() => ({})), view: { scores, shown } }) as unknown as State;

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

test("a page that comes later tells what was before, and shows the columns of earlier rounds", () => {
  const story = new Story();
  const earlier = [moment(1, event("cut", { seat: 0, card: "r5" })), moment(2, event("win_round", { seat: 1, points: 5 }))];
  story.take([], playing([0, 5]), { earlier, rounds: [[0, 5]] });
  expect(story.lines(edition as never, ["Ana", "Boris"], 0).length).toBe(2);
  expect(story.rounds).toEqual([[0, 5]]);
  expect(story.cuts).toEqual([]); // what is over is not shown again
  story.take([moment(3, event("win_round", { seat: 0, points: 7 }))], playing([7, 5]));
  expect(story.rounds).toEqual([[0, 5], [7, 0]]);
});

test("rounds that were missed come with the next line", () => {
  const story = new Story();
  story.take([], playing(), { earlier: [], rounds: [] });
  story.take([moment(9, event("win_round", { seat: 0, points: 7 }))], playing([7, 5]), { earlier: [], rounds: [[0, 5], [7, 0]] });
  expect(story.rounds).toEqual([[0, 5], [7, 0]]);
});

test("a round under the tally, and one that is blocked", () => {
  const story = new Story();
  const tally = [event("score", { seat: 0, points: 3 }), event("score", { seat: 1, points: 0 }), event("win_round", { seat: 1, points: 3 })];
  story.take([moment(1, ...tally)], playing([3, 0]));
  story.take([moment(2, event("block"))], playing([3, 0]));
  expect(story.rounds).toEqual([[3, 0], [0, 0]]);
});
