/** The actions that the server offers, sorted by what they look like on the table. */

import type { Edition } from "../cards/edition";
import { say, sayAny } from "../lib/say.svelte";
import type { Details } from "../lib/say.svelte";
import { cardName } from "../lib/tell";
import type { View } from "../net/frames";

const head = (action: string): string => action.split(":")[0] ?? "";
const tail = (action: string): string => action.split(":")[1] ?? "";

/** The cards of a hand that can be played. */
export function playableOf(legal: string[], hand: string[]): Set<string> {
  const heads = new Set(legal.map(head));
  return new Set(hand.filter((text) => heads.has(text)));
}

/** The colors that go with a wild card, or with `color`. */
export const colorsOf = (legal: string[], what: string): string[] =>
  legal.filter((action) => action.includes(":") && head(action) === what).map(tail);

/** The seats that `give` or `swap` may name. */
export const seatsOf = (legal: string[], what: "give" | "swap"): number[] =>
  legal.filter((action) => head(action) === what).map((action) => Number(tail(action)));

/** The message that asks for what the moment offers, as in `tui/plain.py`. */
function asked(view: View): [string, Details] {
  const details = { count: view.due };
  if (view.phase === "drawn" && view.drawn !== null) {
    const plays = view.legal.some((action) => head(action) === view.drawn);
    if (!plays) return [view.legal.includes("draw") ? "ask.drawn_again" : "ask.drawn_keep", details];
    if (!view.legal.includes("keep")) {
      return [view.legal.includes("draw") ? "ask.drawn_more" : "ask.drawn_play", details];
    }
  }
  return [`ask.${view.phase}`, details];
}

/** What the moment asks of us, or whom the table waits for. */
export function questionOf(view: View, edition: Edition, names: string[], me: number | null): string {
  if (view.turn !== me) return say("web.table.waiting", { player: names[view.turn] ?? "" });
  const [key, details] = asked(view);
  return sayAny(key, {
    ...details,
    card: view.drawn ? cardName(edition, view.drawn) : "",
    player: view.by === null ? "" : (names[view.by] ?? ""),
  });
}
