/** The protocol as this client uses it: `wire.ts` is made of the server's structs, and where they
 * leave open what a text can be, it is said here. */

import type * as wire from "./wire";
import type { Moment } from "./wire";

export type { Decision, Moment, NewTable, Options as AllOptions, PastMatch, PlaceState as Place, Seated, Settings, State, View } from "./wire";
export type GameEvent = wire.Event;
export type Options = Record<string, string | number | boolean>;

type WithoutId<T> = T extends { id: string } ? Omit<T, "id"> : never;
export type Command = WithoutId<Exclude<wire.Incoming, wire.Hello | wire.Pong>>;

/** What a bot expects of an action; of none at all, where an interrupt may be let pass. */
export interface Expected {
  action: string | null;
  win: number;
}

export type Frame = Exclude<wire.Outgoing, wire.Advice> | (Omit<wire.Advice, "actions"> & { actions: Expected[] });

/** An entry of a table's log, as far as it is told. */
export interface Entry {
  type?: string;
  seat?: number | null;
  place?: number;
  name?: string;
  phrase?: string;
  on?: boolean;
}

/** What had happened before a page came to its table, or came back. */
export interface Past {
  earlier: Moment[];
  rounds: number[][]; // what each brought, by seat
}

/** A hand that was shown in a challenge. */
export interface Shown {
  of: number;
  cards: string[];
}

/** One step of a finished match, every hand open. */
export type Step = Omit<wire.Step, "events"> & { events: GameEvent[] };
export type Replay = Omit<wire.Replay, "steps" | "ruleset"> & { steps: Step[]; ruleset: { edition: string } };

export type TableSummary = Omit<wire.TableSummary, "name"> & { name: wire.Name };
export type Statistics = Record<string, { matches: number; won: number; rounds: number }>;

export const VERSION = 1;
export const BOTS = ["easy", "basic", "sharp"] as const;
export const PHRASES = [
  "hello", "good_luck", "nice", "ouch", "hurry", "thinking",
  "sorry", "thanks", "well_played", "again", "bye",
] as const;
