/** The fair deal (`penultima.fair`): this side promises a seed before it knows the others. */

import { sha256 } from "./sha256";

export const SERVER = "server";
const DOMAIN = "penultima fair deal 1 ";
const encoder = new TextEncoder();

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const unhex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** The hash of parts with a zero byte between each two. */
function hashed(what: string, parts: Uint8Array[]): Uint8Array {
  const all = [encoder.encode(DOMAIN + what), ...parts];
  const whole = new Uint8Array(all.reduce((sum, part) => sum + part.length + 1, -1));
  let place = 0;
  for (const part of all) {
    whole.set(part, place);
    place += part.length + 1;
  }
  return sha256(whole);
}

const text = (value: string | number): Uint8Array => encoder.encode(String(value));

export function newSeed(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

export function commitment(table: string, attempt: number, who: string, seed: string): string {
  return hex(hashed("commit", [text(table), text(attempt), text(who), unhex(seed)]));
}

/** The key that seeds make, its bytes as hex. */
export function keyOf(table: string, attempt: number, seeds: Record<string, string>): string {
  const people = Object.keys(seeds).filter((who) => who !== SERVER);
  people.sort((one, other) => Number(one) - Number(other));
  const parts = [text(table), text(attempt), unhex(seeds[SERVER] ?? "")];
  for (const who of people) parts.push(text(who), unhex(seeds[who] ?? ""));
  return hex(hashed("key", parts));
}

export interface FairDeal {
  table: string;
  attempt: number;
  commitments: Record<string, string>;
  seeds: Record<string, string>;
  key: string;
}

/** The lines of a record that tell how its key came about. */
export function readRecord(record: string): FairDeal | null {
  const deal: FairDeal = { table: "", attempt: 0, commitments: {}, seeds: {}, key: "" };
  for (const line of record.split("\n")) {
    const [word, first = "", second = ""] = line.split(" ");
    if (word === "deal") [deal.table, deal.attempt] = [first, Number(second)];
    else if (word === "commit") deal.commitments[first] = second;
    else if (word === "reveal") deal.seeds[first] = second;
    else if (word === "key") deal.key = first;
  }
  return deal.table ? deal : null;
}

export interface Verdict {
  promised: boolean; // every seed is the one that was promised
  key: boolean; // the seeds make the key
  own: boolean | null; // our own seed is among them; null if this device has none
}

export function judged(deal: FairDeal, own: string | null): Verdict {
  const who = Object.keys(deal.seeds);
  const promised =
    SERVER in deal.seeds &&
    who.length === Object.keys(deal.commitments).length &&
    who.every((one) => commitment(deal.table, deal.attempt, one, deal.seeds[one] ?? "") === deal.commitments[one]);
  return {
    promised,
    key: keyOf(deal.table, deal.attempt, deal.seeds) === deal.key,
    own: own === null ? null : Object.values(deal.seeds).includes(own),
  };
}
