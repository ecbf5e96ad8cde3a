/** What has happened at a table, as far as this page has seen it. */

import type { Edition } from "../cards/edition";
import { knows, sayAny } from "../lib/say.svelte";
import { tell } from "../lib/tell";
import type { Entry, GameEvent, Moment, Shown, State } from "../net/frames";

const MOST_LINES = 400;
const BUBBLE = 4000;
const DRAWN = 6000;
const TOLD = new Set(["sat", "rose", "hosted", "away", "back", "paused", "voided"]);

type Line = { event: GameEvent } | { entry: Entry };

export interface Cut {
  seat: number;
  card: string;
}

export class Story {
  #lines = $state.raw<Line[]>([]);
  #latest = $state.raw<Line[]>([]);
  said = $state<Record<number, string>>({});
  cuts = $state.raw<Cut[]>([]); // the dealer draw, while it is shown
  shown = $state.raw<Shown | null>(null); // a hand shown to us, until it is closed
  rounds = $state.raw<number[][]>([]); // points by seat
  #scores: number[] | null = null;

  take(moments: Moment[], state: State): void {
    const events = moments.flatMap((moment) => moment.events);
    const fresh = moments.flatMap(({ entry, events: happened }): Line[] => [
      ...(TOLD.has(String(entry.type)) ? [{ entry }] : []),
      ...happened.map((event) => ({ event })),
    ]);
    if (fresh.length) {
      this.#lines = [...this.#lines, ...fresh].slice(-MOST_LINES);
      this.#latest = fresh;
    }
    for (const { entry } of moments) if (entry.type === "said") this.#bubble(entry);
    const cuts = events.filter((event) => event.what === "cut");
    if (cuts.length) {
      const drawn = cuts.map(({ seat, card }) => ({ seat: seat ?? 0, card: card ?? "" }));
      this.cuts = drawn;
      setTimeout(() => this.cuts === drawn && (this.cuts = []), DRAWN);
      this.rounds = [];
      this.#scores = [];
    }
    for (const { what, seat, cards } of events) {
      if (what === "show" && cards) this.shown = { of: seat ?? 0, cards: [...cards] };
    }
    if (state.stage !== "playing") this.shown = null;
    this.#score(state);
  }

  #bubble({ seat, phrase }: Entry): void {
    if (seat === undefined || seat === null || !phrase) return;
    this.said[seat] = phrase;
    setTimeout(() => this.said[seat] === phrase && delete this.said[seat], BUBBLE);
  }

  #score(state: State): void {
    const scores = state.view?.scores;
    if (!scores) return;
    const ended = state.stage === "between" || state.stage === "over";
    const before = this.#scores;
    if (ended && before && scores.some((score, seat) => score !== (before[seat] ?? 0))) {
      this.rounds = [...this.rounds, scores.map((score, seat) => score - (before[seat] ?? 0))];
    }
    this.#scores = scores;
  }

  lines(edition: Edition, names: string[], reader: number | null): string[] {
    return this.#lines.map((line) => told(line, edition, names, reader));
  }

  latest(edition: Edition, names: string[], reader: number | null): string[] {
    return this.#latest.map((line) => told(line, edition, names, reader));
  }
}

function told(line: Line, edition: Edition, names: string[], reader: number | null): string {
  if ("event" in line) return tell(edition, names, reader, line.event);
  const { type, place, seat, on, name } = line.entry;
  const player = name ?? names[place ?? seat ?? 0] ?? "";
  const host = names[seat ?? 0] ?? "";
  const form = formOf(type, on, seat);
  const key = `web.entry.${form}`;
  if (reader !== null && (place ?? seat) === reader && knows(`${key}.you`)) return sayAny(`${key}.you`, { host });
  if (form === "let_bot" && seat === reader) return sayAny(`${key}.by_you`, { player });
  return sayAny(key, { player, host });
}

/** The message of an entry; a bot that plays for somebody may have been asked to by the host. */
function formOf(type: string | undefined, on: boolean | undefined, seat: number | null | undefined): string {
  if (type === "paused") return on ? "paused" : "resumed";
  return type === "away" && seat !== null && seat !== undefined ? "let_bot" : String(type);
}
