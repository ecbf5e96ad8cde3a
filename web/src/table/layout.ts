/** Where things lie: opponents round the table, cards in the hand. */

export interface Sides {
  left: number[];
  top: number[];
  right: number[];
}

// How many opponents sit left, opposite and right, by how many there are.
const SIDES: [number, number, number][] = [
  [0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 2, 1], [1, 3, 1], [2, 2, 2], [2, 3, 2], [2, 4, 2], [3, 3, 3],
];

/** The other seats as they sit: the next to the left first, round to the right of `me`. */
export function around(seats: number, me: number): Sides {
  const others = Array.from({ length: seats - 1 }, (_, n) => (me + 1 + n) % seats);
  const [left = 0, top = 0] = SIDES[others.length] ?? [0, others.length, 0];
  return {
    left: others.slice(0, left).reverse(),
    top: others.slice(left, left + top),
    right: others.slice(left + top),
  };
}

export interface Spot {
  x: number;
  y: number;
  turn: number;
}

export interface Fan {
  spots: Spot[];
  card: number; // width of a card
}

const LEAST_STEP = 25; // of a card that can still be pressed
const ROW = 0.56; // how much of a card a row leaves to the one above it
const LEAN = 0.16; // how far outer cards lean over

/** The cards of a hand side by side in a box of fixed height, overlapping as far as needed: many
 * cards lie in several rows and are smaller, so that nothing else has to move. */
export function fan(count: number, room: number, largest: number): Fan {
  let rows = 1;
  let card = largest;
  const most = (): number => Math.max(1, Math.floor((room - card * (1 + 2 * LEAN)) / LEAST_STEP) + 1);
  while (rows * most() < count && rows < 3) {
    rows += 1;
    card = largest / (1 + ROW * (rows - 1));
  }
  const margin = card * LEAN;
  const width = room - 2 * margin;
  const per = Math.ceil(count / rows);
  const spots = Array.from({ length: count }, (_, n): Spot => {
    const row = Math.floor(n / per);
    const here = Math.min(per, count - row * per);
    const step = here > 1 ? Math.min(card * 0.86, (width - card) / (here - 1)) : 0;
    const from = margin + (width - card - step * (here - 1)) / 2;
    const off = n - row * per - (here - 1) / 2;
    const reach = Math.max(1, (here - 1) / 2);
    return {
      x: from + step * (n - row * per),
      y: row * card * 1.5 * ROW + (rows > 1 ? 0 : (off / reach) ** 2 * Math.min(9, here * 1.4)),
      turn: rows > 1 ? 0 : Math.min(3.2, 22 / Math.max(here, 4)) * off,
    };
  });
  return { spots, card };
}

/** Hand cards with a key each that stays when the hand changes: the n-th red 7. */
export function keyed(hand: string[]): { key: string; text: string }[] {
  const seen = new Map<string, number>();
  return hand.map((text) => {
    const n = seen.get(text) ?? 0;
    seen.set(text, n + 1);
    return { key: `${text}#${n}`, text };
  });
}
