/** The fair deal (`penultima.fair`): this side promises a seed before it knows the others. */

import { sha256 } from "./sha256";

export const SERVER = "server";
const CODE_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
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
  const parts = [text(table), text(attempt), unhex(seeds[SERVER] ?? "")];
  for (const who of peopleIn(seeds)) parts.push(text(who), unhex(seeds[who] ?? ""));
  return hex(hashed("key", parts));
}

/** Who gave something besides the server, in order of seats. */
export const peopleIn = (given: Record<string, string>): string[] =>
  Object.keys(given)
    .filter((who) => who !== SERVER)
    .sort((one, other) => Number(one) - Number(other));

/** Whether a seed is the one that was promised. */
export const keeps = (table: string, attempt: number, who: string, seed: string, promise: string | undefined): boolean =>
  commitment(table, attempt, who, seed) === promise;

/** What players compare: different where they were shown different promises. */
export function codeOf(table: string, attempt: number, promises: Record<string, string>, seeds: Record<string, string>): string {
  const parts = [text(table), text(attempt)];
  for (const who of [SERVER, ...peopleIn(promises)]) parts.push(text(who), unhex(promises[who] ?? ""));
  for (const who of peopleIn(seeds)) parts.push(text(who), unhex(seeds[who] ?? ""));
  let number = 0n;
  for (const byte of hashed("code", parts).slice(0, 5)) number = number * 256n + BigInt(byte);
  const letters = Array.from({ length: 8 }, (_, n) => CODE_LETTERS[Number((number >> BigInt(35 - 5 * n)) & 31n)]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** What was promised and shown in one attempt to deal. */
export interface Deal {
  attempt: number;
  commitments: Record<string, string>;
  seeds: Record<string, string>;
  missing: number[];
}

export interface FairDeal extends Deal {
  table: string;
  key: string;
  listsAttempts: boolean; // records of earlier versions do not
  givenUp: Deal[]; // the attempts that came to nothing
  without: number[]; // people whose seeds did not go in
  code: string;
}

const empty = (attempt: number, missing: number[]): Deal => ({ attempt, commitments: {}, seeds: {}, missing });
const seats = (list: string): number[] => list.split(",").map(Number);

/** The lines of a record that tell how its key came about. */
export function readRecord(record: string): FairDeal | null {
  const deal: FairDeal = { ...empty(0, []), table: "", key: "", listsAttempts: false, givenUp: [], without: [], code: "" };
  let open: Deal = deal;
  for (const line of record.split("\n")) {
    const [word, first = "", second = ""] = line.split(" ");
    if (word === "seat") break;
    if (word === "fair") deal.listsAttempts = true;
    else if (word === "deal") [deal.table, deal.attempt] = [first, Number(second)];
    else if (word === "given_up") deal.givenUp.push((open = empty(Number(first), seats(second))));
    else if (word === "attempt") open = deal;
    else if (word === "commit") open.commitments[first] = second;
    else if (word === "reveal") open.seeds[first] = second;
    else if (word === "without") deal.without = seats(first);
    else if (word === "code") deal.code = first;
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
  const whole = (one: Deal): boolean =>
    SERVER in one.commitments &&
    Object.entries(one.seeds).every(([who, seed]) => keeps(deal.table, one.attempt, who, seed, one.commitments[who]));
  const count = Object.keys(deal.seeds).length;
  const listed = deal.givenUp.every((one, n) => one.attempt === deal.attempt - deal.givenUp.length + n && whole(one));
  const code = codeOf(deal.table, deal.attempt, deal.commitments, deal.seeds);
  return {
    promised:
      SERVER in deal.seeds && count === Object.keys(deal.commitments).length && whole(deal) && listed &&
      (!deal.listsAttempts || deal.code === code),
    key: keyOf(deal.table, deal.attempt, deal.seeds) === deal.key,
    own: own === null ? null : Object.values(deal.seeds).includes(own),
  };
}
