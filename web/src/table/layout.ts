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
  height: number;
}

const LEAST_STEP = 25; // of a card that can still be pressed

/** The cards of a hand side by side, overlapping as far as needed, in as few rows as can be. */
export function fan(count: number, room: number, card: number): Fan {
  const tall = card * 1.5;
  const margin = card * 0.16; // outer cards lean over
  const width = room - 2 * margin;
  const most = Math.max(1, Math.floor((width - card) / LEAST_STEP) + 1);
  const rows = Math.max(1, Math.ceil(count / most));
  const per = Math.ceil(count / rows);
  const spots: Spot[] = [];
  for (let n = 0; n < count; n++) {
    const row = Math.floor(n / per);
    const here = Math.min(per, count - row * per);
    const step = here > 1 ? Math.min(card * 0.82, (width - card) / (here - 1)) : 0;
    const from = margin + (width - card - step * (here - 1)) / 2;
    const off = n - row * per - (here - 1) / 2;
    const bow = rows > 1 ? 0 : Math.min(3.2, 22 / Math.max(here, 4));
    const reach = Math.max(1, (here - 1) / 2);
    spots.push({
      x: from + step * (n - row * per),
      y: row * tall * 0.56 + (rows > 1 ? 0 : (off / reach) ** 2 * Math.min(9, here * 1.4)),
      turn: bow * off,
    });
  }
  return { spots, height: tall + (rows - 1) * tall * 0.56 };
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
