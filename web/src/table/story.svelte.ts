/** What has happened at a table, as far as this page has seen it or was told when it came. */

import type { Edition } from "../cards/edition";
import { knows, sayAny } from "../lib/say.svelte";
import { tell } from "../lib/tell";
import type { Entry, GameEvent, Moment, Past, Shown, State } from "../net/frames";

const MOST_LINES = 400;
const BUBBLE = 4000;
const DRAWN = 6000;
const MOST_LATEST = 12;
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

  take = (moments: Moment[], state: State, past: Past | null = null): void => {
    if (past) {
      this.#write(past.earlier);
      this.rounds = past.rounds;
    }
    const events = moments.flatMap((moment) => moment.events);
    this.#write(moments);
    for (const { entry } of moments) if (entry.type === "said") this.#bubble(entry);
    const cuts = events.filter((event) => event.what === "cut");
    if (cuts.length) {
      const drawn = cuts.map(({ seat, card }) => ({ seat: seat ?? 0, card: card ?? "" }));
      this.cuts = drawn;
      setTimeout(() => this.cuts === drawn && (this.cuts = []), DRAWN);
      this.rounds = [];
    }
    const points = past ? null : pointsOf(events, state.places.length);
    if (points) this.rounds = [...this.rounds, points];
    for (const { what, seat, cards } of events) {
      if (what === "show" && cards) this.shown = { of: seat ?? 0, cards: [...cards] };
    }
    if (state.stage !== "playing") this.shown = null;
  };

  /** Put moments into the log. */
  #write(moments: Moment[]): void {
    const told = moments.map(({ entry, events }): Line[] => [
      ...(TOLD.has(String(entry.type)) ? [{ entry }] : []),
      ...events.map((event) => ({ event })),
    ]);
    const fresh = told.flat();
    if (!fresh.length) return;
    this.#lines = [...this.#lines, ...fresh].slice(-MOST_LINES);
    this.#latest = fresh.slice(-MOST_LATEST);
  }

  #bubble({ seat, phrase }: Entry): void {
    if (seat === undefined || seat === null || !phrase) return;
    this.said[seat] = phrase;
    setTimeout(() => this.said[seat] === phrase && delete this.said[seat], BUBBLE);
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

/** What a round that has just ended brought every seat, as `penultima.server.story` says it. */
function pointsOf(events: GameEvent[], seats: number): number[] | null {
  if (!events.some(({ what }) => what === "win_round" || what === "block")) return null;
  const told = events.some(({ what }) => what === "score") ? "score" : "win_round";
  const points = Array.from({ length: seats }, () => 0);
  for (const { what, seat, points: brought } of events) if (what === told && seat != null) points[seat] = brought ?? 0;
  return points;
}
