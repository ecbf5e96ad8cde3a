/** Opening a table and coming back to it. */

import { recall, remember } from "../lib/device.svelte";
import { say } from "../lib/say.svelte";

/** Names for the bots of a table with so many seats. */
export function botNames(seats: number): string[] {
  const names = say("web.bot_names").split(",").map((name) => name.trim());
  const from = Math.floor(Math.random() * names.length);
  return Array.from({ length: seats - 1 }, (_, n) => names[(from + n) % names.length] ?? `Bot ${n + 1}`);
}

/** The table where a match of ours goes on, if there is one. */
export const rejoin = (): string | null => recall<string | null>("table", null);

export function keepTable(table: string | null): void {
  remember("table", table);
}
