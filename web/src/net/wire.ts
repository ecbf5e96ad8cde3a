/** What goes over the wire, as `server/wire.py` and `docs/protocol.md` have it. */

import type { EditionFile, Names } from "../cards/edition";

export const VERSION = 1;
export type Options = Record<string, string | number | boolean>;
export type Stage = "gathering" | "promising" | "revealing" | "playing" | "between" | "over" | "closed";
export type Phase =
  | "name" | "turn" | "drawn" | "demand" | "stack" | "challenge" | "give" | "race" | "swap" | "over";

export interface Place {
  kind: "empty" | "person" | "bot";
  name: string;
  bot: string | null;
  away: boolean;
  ready: boolean;
  here: boolean;
}

/** A game as one seat knows it (`penultima.view.View`). */
export interface View {
  seat: number | null;
  hand: string[];
  counts: number[];
  discard: string[];
  pile: number;
  color: string | null;
  turn: number;
  direction: number;
  dealer: number;
  phase: Phase;
  drawn: string | null;
  due: number;
  by: number | null;
  called: number[];
  exposed: number[];
  dropped: number[];
  round: number;
  scores: number[];
  shown: { of: number; cards: string[] } | null;
  over: "round" | "match" | null;
  winner: number | number[] | null;
  legal: string[];
  bluffs: string[];
}

export interface State {
  stage: Stage;
  places: Place[];
  host: number | null;
  decision: number;
  since: number;
  deadline: number | null;
  paused: boolean;
  attempt: number;
  promises: Record<string, string>;
  reveals: Record<string, string>;
  left_out: number[];
  matches: number;
  race: { race: number; racers: number[] } | null;
  view: View | null;
}

/** What happened in the game (`penultima.event.Event`). */
export interface GameEvent {
  what: string;
  seat?: number;
  card?: string;
  cards?: string[];
  color?: string;
  count?: number;
  other?: number;
  why?: string;
  points?: number;
  direction?: number;
  guilty?: boolean;
}

export interface Entry {
  type: string;
  seat?: number | null;
  place?: number;
  name?: string;
  phrase?: string;
  on?: boolean;
  race?: number;
}

export interface Moment {
  seq: number;
  at: number;
  entry: Entry;
  events: GameEvent[];
}

export interface Settings {
  table: string;
  edition: EditionFile;
  options: Options;
  ruleset: string;
  seats: number;
  public: boolean;
  watchers: boolean;
  hints: boolean;
  clock: number;
}

/** What a bot expects of an action; of none at all, where an interrupt may be let pass. */
export interface Expected {
  action: string | null;
  win: number;
}

export type Frame =
  | { type: "welcome"; version: number; server: string; now: number; seq: number; seat: number | null; settings: Settings; state: State; moments: Moment[] }
  | { type: "news"; seq: number; seat: number | null; moments: Moment[]; state: State }
  | { type: "answer"; id: string; refused: string | null; seat: number | null }
  | { type: "advice"; id: string; decision: number; actions: Expected[] }
  | { type: "here"; places: number[] }
  | { type: "ping"; n: number }
  | { type: "go"; race: number }
  | { type: "problem"; code: string; message: string }
  | { type: "bye"; reason: string; retry: number | null };

export type Command =
  | { type: "sit"; name: string; place?: number | null }
  | { type: "add_bot"; place: number; bot: string; name?: string | null }
  | { type: "remove"; place: number }
  | { type: "pass_host"; place: number }
  | { type: "leave" }
  | { type: "begin" }
  | { type: "promise"; promise: string }
  | { type: "reveal"; seed: string }
  | { type: "act"; action: string; decision: number }
  | { type: "drop"; race: number; reaction: number }
  | { type: "pause"; on: boolean }
  | { type: "hint" }
  | { type: "back" }
  | { type: "ready" }
  | { type: "say"; phrase: string };

export interface NewTable {
  edition?: string;
  own?: string;
  options?: Options;
  seats: number;
  name?: string;
  bots?: { place: number; bot: string; name?: string }[];
  clock?: number;
  public?: boolean;
  watchers?: boolean;
  hints?: boolean;
}

export interface Seated {
  table: string;
  seat: number | null;
}

export interface TableSummary {
  table: string;
  edition: string;
  name: Names;
  seats: number;
  people: number;
  free: number;
  stage: Stage;
  watchers: boolean;
  clock: number;
  opened: number;
}

export interface PastMatch {
  table: string;
  number: number;
  edition: string;
  ended: number;
  seat: number;
  names: string[];
  scores: number[];
  won: boolean;
  rounds: number;
}

/** One step of a finished match, every hand open. */
export interface Step {
  seat: number | null;
  action: string | null;
  events: GameEvent[];
  hands: string[][];
  view: View;
}

export interface Replay {
  names: string[];
  ruleset: { edition: string; options: Options };
  fair: boolean;
  steps: Step[];
}

/** What a bot thought of a decision, from what its seat knew. */
export interface Thought {
  seat: number;
  action: string;
  chance: number | null;
  best: string | null;
  best_chance: number | null;
}

export type Statistics = Record<string, { matches: number; won: number; rounds: number }>;

export const BOTS = ["easy", "basic", "sharp"] as const;
export const PHRASES = [
  "hello", "good_luck", "nice", "ouch", "hurry", "thinking",
  "sorry", "thanks", "well_played", "again", "bye",
] as const;
