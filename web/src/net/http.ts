/** Requests to the server, and who we are for it. */

import { unfolded } from "../cards/edition";
import type { Edition } from "../cards/edition";
import { recall, remember } from "../lib/device.svelte";
import { language } from "../lib/say.svelte";
import type { NewTable, PastMatch, Replay, Seated, Statistics, TableSummary } from "./frames";
import type { Address, Analysis, Editions, MoveCode } from "./wire";

/** A request that was refused; the message is the server's, in our language. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

async function ask(method: string, path: string, token: string | null, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = { "Accept-Language": language() };
  if (token) headers.Authorization = `Bearer ${token}`;
  const text = typeof body === "string";
  if (body !== undefined) headers["Content-Type"] = text ? "text/plain" : "application/json";
  const sent = body === undefined ? null : text ? body : JSON.stringify(body);
  const response = await fetch(`/api/${path}`, { method, headers, body: sent });
  if (response.ok) return response;
  const fault = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
  throw new Refused(fault.code ?? "", fault.message ?? "");
}

const json = async <T>(response: Promise<Response>): Promise<T> => (await response).json() as Promise<T>;

const newToken = async (): Promise<string> => (await json<{ token: string }>(ask("POST", "people", null))).token;

/** The token of this device's n-th person; 0 is its owner, the others pass the device on. */
export async function tokenOf(person = 0): Promise<string> {
  const tokens = recall<string[]>("tokens", []);
  const found = tokens[person] ?? (await newToken());
  const now = recall<string[]>("tokens", []);
  now[person] ??= found;
  remember("tokens", now);
  return now[person];
}

export const ownToken = (): string | null => recall<string[]>("tokens", [])[0] ?? null;

/** Where other devices find the server: a page on the server's own machine has to ask; null: nowhere. */
export async function outside(): Promise<string | null> {
  if (!/^(localhost|127\.|\[::1\])/.test(location.hostname)) return location.origin;
  const { address } = await json<Address>(ask("GET", "address", null));
  return address && address.replace(/\/$/, "");
}

let editions: Promise<Edition[]> | null = null;

export function allEditions(): Promise<Edition[]> {
  editions ??= json<Editions>(ask("GET", "editions", null))
    .then((found) => found.editions.map(({ edition, options }) => unfolded({ ...edition, options: { ...options } })))
    .catch((problem: unknown) => {
      editions = null;
      throw problem;
    });
  return editions;
}

export async function openTable(table: NewTable, person = 0): Promise<Seated> {
  return json(ask("POST", "tables", await tokenOf(person), table));
}

export async function quickMatch(name: string, picture: string): Promise<Seated> {
  return json(ask("POST", "quick", await tokenOf(), { name, picture }));
}

/** A code with which another device takes our seat. */
export const moveCode = async (table: string): Promise<MoveCode> =>
  json(ask("POST", `tables/${table}/move`, await tokenOf()));

export const takeSeat = async (code: string): Promise<Seated> => json(ask("POST", "move", await tokenOf(), { code }));

export const lobby = async (): Promise<TableSummary[]> =>
  (await json<{ tables: TableSummary[] }>(ask("GET", "tables", null))).tables;

export const rulesOf = async (path: string): Promise<string> =>
  (await ask("GET", `${path}?lang=${language()}`, ownToken())).text();

export const record = async (table: string, match: number): Promise<string> =>
  (await ask("GET", `tables/${table}/matches/${match}`, await tokenOf())).text();

export const history = async (): Promise<PastMatch[]> =>
  (await json<{ matches: PastMatch[] }>(ask("GET", "me/history", await tokenOf()))).matches;

export const forget = async (): Promise<void> => void (await ask("DELETE", "me/history", await tokenOf()));

export const statistics = async (): Promise<Statistics> =>
  (await json<{ editions: Statistics }>(ask("GET", "me/statistics", await tokenOf()))).editions;

export const replayed = (text: string): Promise<Replay> => json(ask("POST", "replay", ownToken(), text));

export const analysed = (text: string, round: number): Promise<Analysis> =>
  json(ask("POST", `analysis/${round}`, ownToken(), text));
