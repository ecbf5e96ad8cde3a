/** Events told as sentences, to one reader: `penultima.telling` in the browser. */

import { colorOf, faceColor, faceOf, isWild, symbolOf } from "../cards/edition";
import type { Edition } from "../cards/edition";
import type { GameEvent } from "../net/frames";
import type { Why } from "../net/wire";
import { knows, nameIn, say, sayAny } from "./say.svelte";
import type { Details } from "./say.svelte";

/** A card without its color: "7", "Draw Two". */
export function symbolName(edition: Edition, text: string): string {
  const face = faceOf(edition, text);
  if (face.number !== null) return String(face.number);
  const names = edition.symbols.get(face.text);
  return names ? nameIn(names) : symbolOf(face);
}

/** A card by its name: "red 7", "Wild". */
export function cardName(edition: Edition, text: string): string {
  const face = faceOf(edition, text);
  const symbol = symbolName(edition, text);
  if (isWild(face)) return say("card.wild", { symbol });
  const color = faceColor(edition, face);
  return say(face.number === null ? "card.symbol" : "card.number", {
    symbol,
    color: color ? nameIn(color.name) : "",
  });
}

export function colorName(edition: Edition, letter: string): string {
  const color = colorOf(edition, letter);
  return color ? nameIn(color.name) : letter;
}

/** The message of an event; some have one for each way it can go. */
function formOf(event: GameEvent, reader: number | null): string {
  if (event.what === "play" && event.color != null) return "play_wild";
  if ((event.what === "draw" || event.what === "show") && event.cards != null) {
    const theirs = reader !== null && (event.seat === reader || event.other === reader);
    return theirs ? event.what : `${event.what}_open`;
  }
  if (event.what === "challenge") return event.guilty ? "guilty" : "innocent";
  if (event.what === "reverse" || event.what === "rotate") {
    return `${event.what}.${event.direction === 1 ? "left" : "right"}`;
  }
  return event.what;
}

export function tell(edition: Edition, names: string[], reader: number | null, event: GameEvent): string {
  let key = `event.${formOf(event, reader)}`;
  if (reader !== null) {
    if (event.seat === reader && knows(`${key}.you`)) key += ".you";
    else if (event.other === reader && knows(`${key}.to_you`)) key += ".to_you";
  }
  const details: Details = { number: event.count ?? 0, count: event.points ?? event.count ?? 0 };
  if (event.seat != null) details.player = names[event.seat] ?? "";
  if (event.other != null) details.other = names[event.other] ?? "";
  if (event.card != null) details.card = cardName(edition, event.card);
  if (event.cards != null) {
    const cards = event.cards.map((card) => cardName(edition, card));
    details.cards = cards.length ? cards.join(", ") : say("web.table.nothing");
  }
  if (event.color != null) details.color = colorName(edition, event.color);
  return sayAny(key, details);
}

/** What stands in the way of an action. */
export function tellWhy(edition: Edition, why: Why): string {
  return sayAny(`why.${why.code}`, {
    card: why.card === null ? "" : cardName(edition, why.card),
    top: why.top === null ? "" : cardName(edition, why.top),
    color: why.color === null ? "" : colorName(edition, why.color),
    count: why.count ?? 0,
  });
}

/** An action in a few words: "red 7", "Wild, blue", "Draw". */
export function actionName(edition: Edition, names: string[], action: string | null, due = 0): string {
  if (action === null) return say("web.act.pass");
  const [head = "", tail = ""] = action.split(":");
  if (edition.faces.some((face) => face.text === head)) {
    const card = cardName(edition, head);
    return tail ? say("web.act.wild", { card, color: colorName(edition, tail) }) : card;
  }
  if (head === "color") return colorName(edition, tail);
  return sayAny(`web.act.${head}`, { count: due, player: names[Number(tail)] ?? "" });
}
