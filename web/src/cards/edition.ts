/** A deck as the server describes it: faces, colors, names. What a card does is said by words and
 * pictures only; which card may be played is never decided here. */

import type { CardEntry, ColorEntry, EditionFile, Name } from "../net/wire";

export type Language = keyof Name;
export type Names = Name;
export type Color = ColorEntry;
export type Effect = CardEntry["effect"];
export type { EditionFile };

export interface Face {
  text: string;
  color: number;
  number: number | null;
  points: number;
  count: number;
  effect: Effect;
  amount: number;
  challengeable: boolean;
  marked: boolean;
}

/** An edition with its faces listed one by one, in the order of the deck. */
export interface Edition extends EditionFile {
  faces: Face[];
  /** What the symbol on a face is called, by the text of the face. */
  symbols: Map<string, Names>;
}

export function unfolded(file: EditionFile): Edition {
  const faces = file.colors.flatMap((color, place) => {
    const own = file.cards.filter((entry) => entry.colors?.includes(color.letter) ?? true);
    const numbers = own.flatMap((entry) => entry.numbers.map((number) => face(entry, color.letter, place, number)));
    numbers.sort((one, other) => (one.number ?? 0) - (other.number ?? 0));
    const symbols = own.filter((entry) => !entry.numbers.length);
    return [...numbers, ...symbols.map((entry) => face(entry, color.letter, place, null))];
  });
  for (const wild of file.wilds) {
    const { symbol: text, points, copies: count, effect, challengeable } = wild;
    faces.push({ text, color: -1, number: null, points, count, effect, amount: wild.amount ?? 0, challengeable, marked: false });
  }
  const symbols = new Map<string, Names>();
  for (const { symbol, name, colors } of file.cards) {
    if (!symbol || !name) continue;
    for (const { letter } of file.colors) {
      if (colors?.includes(letter) ?? true) symbols.set(letter + symbol, name);
    }
  }
  for (const { symbol, name } of file.wilds) symbols.set(symbol, name);
  return { ...file, faces, symbols };
}

function face(entry: CardEntry, letter: string, color: number, number: number | null): Face {
  return {
    text: `${letter}${number ?? entry.symbol ?? ""}`,
    color,
    number,
    points: entry.points ?? number ?? 0,
    count: entry.copies,
    effect: entry.effect,
    amount: entry.amount ?? 0,
    challengeable: false,
    marked: entry.marked,
  };
}

/** The edition of an id or of a name in any language, as `penultima.edition.named` finds it. */
export function editionNamed(editions: Edition[], name: string): Edition | undefined {
  const plain = (text: string): string => text.trim().toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  const wanted = plain(name);
  return editions.find((one) => [one.id, ...Object.values(one.name)].some((known) => plain(known) === wanted));
}

export const isWild = (face: Face): boolean => face.color < 0;

export function faceOf(edition: Edition, text: string): Face {
  const found = edition.faces.find((face) => face.text === text);
  if (!found) throw new Error(`no card ${text} in ${edition.id}`);
  return found;
}

export function colorOf(edition: Edition, letter: string): Color | undefined {
  return edition.colors.find((color) => color.letter === letter);
}

export function faceColor(edition: Edition, face: Face): Color | undefined {
  return edition.colors[face.color];
}

/** The sign of a face without its color: "7", "+2", "W4". */
export function symbolOf(face: Face): string {
  return isWild(face) ? face.text : face.text.slice(1);
}

/** The faces by rows of the deck's table in the rules: those that differ in nothing but color. */
export function sorts(edition: Edition): Face[][] {
  const found = new Map<string, Face[]>();
  for (const face of edition.faces) {
    const { points, effect, amount, challengeable, marked } = face;
    const key = JSON.stringify([symbolOf(face), isWild(face), points, effect, amount, challengeable, marked]);
    found.set(key, [...(found.get(key) ?? []), face]);
  }
  return [...found.values()];
}

export type Order = "color" | "number";

/** A hand in the order that its holder likes: by color or by number, wild cards last. */
export function sorted(edition: Edition, hand: string[], order: Order): string[] {
  const place = new Map(edition.faces.map((face, n) => [face.text, n]));
  const rank = (text: string): number[] => {
    const face = faceOf(edition, text);
    const kind = place.get(text) ?? 0;
    const wild = isWild(face) ? 1 : 0;
    if (order === "color" || wild) return [wild, kind];
    const symbol = face.number ?? 100 + edition.faces.findIndex((f) => symbolOf(f) === symbolOf(face));
    return [wild, symbol, kind];
  };
  return [...hand].sort((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    const n = a.findIndex((value, index) => value !== b[index]);
    return n < 0 ? 0 : (a[n] ?? 0) - (b[n] ?? 0);
  });
}
