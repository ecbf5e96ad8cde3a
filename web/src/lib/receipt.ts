/** What this device keeps of the fair deal (`penultima.receipt`): the promises of every attempt as
 * they were first seen. A server that changes one afterwards could choose the deal. */

import { recall, remember } from "./device.svelte";
import { codeOf, commitment, keeps, newSeed, peopleIn, SERVER } from "./fair";
import type { Deal, FairDeal } from "./fair";

const FORMAT = "penultima receipt 1";
const MOST_ATTEMPTS = 60; // of a table
const MOST_RECEIPTS = 60;
const DEALT = ["playing", "between", "over"];
const WHO = /^(server|[0-9])$/;
const HEX = /^[0-9a-f]{64}$/;

export type Given = Record<string, string>;
export type Broken =
  | "malformed" | "attempt_back" | "dealt_again" | "promise_missing" | "promise_changed"
  | "promise_added" | "seed_missing" | "seed_changed" | "dealt_without";

/** What was seen of one attempt to deal. */
export interface Attempt {
  attempt: number;
  matches: number; // that were over at the table before it
  seed: string | null; // our own
  given: boolean; // the server has taken our promise
  promises: Given;
  complete: boolean; // nobody may promise any more
  reveals: Given;
  dealt: boolean;
  over: boolean; // the match that was dealt
  hands: Record<string, string[]>; // our own after each deal, by round
}

export interface Kept {
  table: string;
  seat: number;
  server: string;
  attempts: Attempt[];
  format: string;
}

/** A server that does not keep to the fair deal. */
export class Unfair extends Error {
  constructor(
    readonly code: Broken,
    readonly who: string,
    readonly attempt = 0,
  ) {
    super(code);
  }
}

export interface Shown {
  stage: string;
  attempt: number;
  promises: Given;
  reveals: Given;
  matches: number;
}

const memory = new Map<string, Kept>();
const nameOf = (table: string, seat: number): string => `receipt.${table}.${seat}`;

/** The receipt of a seat that this device has, if it has one. */
export function find(table: string, seat: number): Kept | null {
  const name = nameOf(table, seat);
  return recall<Kept | null>(name, null) ?? memory.get(name) ?? null;
}

/** Those of a table. */
export function ofTable(table: string): Kept[] {
  return Array.from({ length: 10 }, (_, seat) => find(table, seat)).filter((kept) => kept !== null);
}

export class Receipt {
  #kept: Kept;

  /** Where `lasting` is false, it is forgotten with the page. */
  constructor(
    readonly table: string,
    readonly seat: number,
    readonly lasting: boolean,
  ) {
    const empty: Kept = { table, seat, server: globalThis.location?.origin ?? "", attempts: [], format: FORMAT };
    this.#kept = (lasting ? find(table, seat) : null) ?? empty;
  }

  /** Another window of this seat may have chosen a seed first: unless ours is the one that the
   * table has, both use that one. */
  #share(): void {
    const { last } = this;
    const theirs = find(this.table, this.seat)?.attempts.find(({ attempt }) => attempt === last?.attempt)?.seed;
    if (last && theirs && !this.ownIsIn) last.seed = theirs;
  }

  /** Keep it, on the disk where there is one to write to; whether there is. */
  keep(): boolean {
    if (!this.lasting) return true;
    const name = nameOf(this.table, this.seat);
    this.#share();
    memory.set(name, this.#kept);
    const others = recall<string[]>("receipts", []).filter((one) => one !== name);
    for (const old of others.slice(0, -MOST_RECEIPTS + 1)) remember(old, null);
    remember("receipts", [...others.slice(-MOST_RECEIPTS + 1), name]);
    remember(name, this.#kept);
    return recall<Kept | null>(name, null)?.attempts.length === this.#kept.attempts.length;
  }

  get last(): Attempt | undefined {
    return this.#kept.attempts.at(-1);
  }

  get own(): string {
    return String(this.seat);
  }

  get promise(): string | null {
    const { attempt = 0, seed = null } = this.last ?? {};
    return seed && commitment(this.table, attempt, this.own, seed);
  }

  /** Whether our own promise is among the others, as we gave it. */
  get ownIsIn(): boolean {
    return this.promise !== null && this.last?.promises[this.own] === this.promise;
  }

  get code(): string | null {
    const last = this.last;
    return last?.dealt ? codeOf(this.table, last.attempt, last.promises, last.reveals) : null;
  }

  /** Keep what a table shows. Throws `Unfair` where it is not what was shown or promised before. */
  see(shown: Shown): void {
    if (shown.attempt < 1 && !this.last) return;
    this.#reach(shown);
    for (const [who, text] of [...Object.entries(shown.promises), ...Object.entries(shown.reveals)])
      if (!WHO.test(who) || !HEX.test(text)) throw new Unfair("malformed", SERVER);
    this.#seePromises(shown);
    this.#seeReveals(shown);
    if (DEALT.includes(shown.stage) && this.last) {
      const [missing] = peopleIn(shown.promises).filter((who) => !(who in shown.reveals));
      if (missing !== undefined) throw new Unfair("dealt_without", missing);
      this.last.dealt = true;
      this.last.over ||= shown.stage === "over";
    }
  }

  #reach({ attempt, reveals, ...shown }: Shown): void {
    const last = this.last;
    const matches = shown.matches - (SERVER in reveals ? 1 : 0);
    if (last && attempt < last.attempt) throw new Unfair("attempt_back", SERVER, attempt);
    if (last && attempt > last.attempt && matches === last.matches && !last.over) {
      const owed = peopleIn(last.promises).some((who) => !(who in last.reveals));
      if (last.dealt || (last.complete && !owed)) throw new Unfair("dealt_again", SERVER, last.attempt);
    }
    if (last?.attempt === attempt) return;
    const fresh: Attempt = {
      attempt, matches, seed: null, given: false, promises: {}, complete: false, reveals: {}, dealt: false, over: false, hands: {},
    };
    this.#kept.attempts = [...this.#kept.attempts, fresh].slice(-MOST_ATTEMPTS);
  }

  #seePromises({ stage, promises }: Shown): void {
    const kept = this.last as Attempt;
    for (const who of [SERVER, ...peopleIn(kept.promises)]) {
      if (!(who in promises)) throw new Unfair("promise_missing", who);
      if (who in kept.promises && promises[who] !== kept.promises[who]) throw new Unfair("promise_changed", who);
    }
    const [added] = peopleIn(promises).filter((who) => !(who in kept.promises));
    if (kept.complete && added !== undefined) throw new Unfair("promise_added", added);
    kept.promises = { ...promises };
    kept.complete ||= stage === "revealing" || DEALT.includes(stage);
    if (kept.given) this.#ownMustBeIn();
  }

  #seeReveals({ promises, reveals }: Shown): void {
    const kept = this.last as Attempt;
    for (const who of Object.keys(kept.reveals)) if (!(who in reveals)) throw new Unfair("seed_missing", who);
    for (const [who, seed] of Object.entries(reveals))
      if (!keeps(this.table, kept.attempt, who, seed, promises[who])) throw new Unfair("seed_changed", who);
    kept.reveals = { ...reveals };
  }

  #ownMustBeIn(): void {
    if (!this.last || !(this.own in this.last.promises)) throw new Unfair("promise_missing", this.own);
    if (!this.ownIsIn) throw new Unfair("promise_changed", this.own);
  }

  /** Our own seed for the last attempt; two windows of one seat share it. */
  makeSeed(): void {
    if (this.last) this.last.seed ??= newSeed();
  }

  /** The server has taken our promise for an attempt. */
  taken(attempt: number): void {
    if (this.last?.attempt !== attempt) return;
    this.last.given = true;
    this.#ownMustBeIn();
  }

  /** Keep the hand that a round began with. */
  dealt(round: number, hand: string[]): void {
    if (this.last) this.last.hands = { ...this.last.hands, [round]: [...hand] };
  }
}

/** Whether a record shows what was kept; null where nothing was kept of its deal. */
export function agrees(kept: Kept, deal: FairDeal): boolean | null {
  const last = kept.attempts.find(({ attempt }) => attempt === deal.attempt);
  if (kept.table !== deal.table || !last) return null;
  const shown = new Map<number, Deal>([...deal.givenUp, deal].map((one) => [one.attempt, one]));
  return kept.attempts.every((one) => {
    const told = shown.get(one.attempt);
    if (!told) return !deal.listsAttempts || one.matches !== last.matches || one.attempt > deal.attempt;
    const who = new Set([...Object.keys(one.promises), ...(one.complete ? Object.keys(told.commitments) : [])]);
    return (
      [...who].every((name) => one.promises[name] === told.commitments[name]) &&
      Object.entries(one.reveals).every(([name, seed]) => told.seeds[name] === seed)
    );
  });
}
