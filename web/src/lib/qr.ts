/** QR codes (ISO 18004): bytes, error correction M, versions 1 to 6, which is room for any link. */

// By version: error correction words per block, blocks, data words in all.
const SIZES: [number, number, number][] = [
  [10, 1, 16], [16, 1, 28], [26, 1, 44], [18, 2, 64], [24, 2, 86], [16, 4, 108],
];

const EXP: number[] = [];
const LOG: number[] = [];
for (let n = 0, value = 1; n < 255; n++) {
  EXP[n] = value;
  LOG[value] = n;
  value = (value << 1) ^ (value & 128 ? 0x11d : 0);
}
const times = (a: number, b: number): number => (a && b ? (EXP[((LOG[a] ?? 0) + (LOG[b] ?? 0)) % 255] ?? 0) : 0);

/** The Reed-Solomon words that go with data. */
function correction(data: number[], count: number): number[] {
  let poly = [1];
  for (let n = 0; n < count; n++) {
    const next = [...poly, 0];
    poly.forEach((part, k) => (next[k + 1] = (next[k + 1] ?? 0) ^ times(part, EXP[n] ?? 0)));
    poly = next;
  }
  const rest = [...data, ...Array<number>(count).fill(0)];
  for (let n = 0; n < data.length; n++) {
    const lead = rest[n] ?? 0;
    if (lead) poly.forEach((part, k) => (rest[n + k] = (rest[n + k] ?? 0) ^ times(part, lead)));
  }
  return rest.slice(data.length);
}

function codewords(bytes: Uint8Array, version: number): number[] {
  const [extra, blocks, room] = SIZES[version - 1] as [number, number, number];
  const bits: number[] = [];
  const put = (value: number, length: number): void => {
    for (let n = length - 1; n >= 0; n--) bits.push((value >> n) & 1);
  };
  put(4, 4); // bytes
  put(bytes.length, 8);
  bytes.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data: number[] = [];
  for (let n = 0; n < bits.length; n += 8) data.push(parseInt(bits.slice(n, n + 8).join(""), 2));
  for (let n = 0; data.length < room; n++) data.push(n % 2 ? 17 : 236);
  const short = Math.floor(room / blocks);
  const parts: number[][] = [];
  for (let n = 0, from = 0; n < blocks; n++) {
    const length = short + (n >= blocks - (room % blocks) ? 1 : 0);
    parts.push(data.slice(from, (from += length)));
  }
  const woven = (lists: number[][]): number[] =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, n) =>
      lists.flatMap((list) => (n < list.length ? [list[n] ?? 0] : [])),
    ).flat();
  return [...woven(parts), ...woven(parts.map((part) => correction(part, extra)))];
}

const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

type Grid = (boolean | null)[][];

/** Finders, timing and alignment, which are the same for every code of a version. */
function frame(version: number): Grid {
  const size = 17 + 4 * version;
  const grid: Grid = Array.from({ length: size }, () => Array<boolean | null>(size).fill(null));
  const set = (x: number, y: number, dark: boolean): void => {
    const row = grid[y];
    if (row && x >= 0 && x < size) row[x] = dark;
  };
  for (let n = 0; n < size; n++) {
    set(n, 6, n % 2 === 0);
    set(6, n, n % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
    }
  }
  if (version > 1) {
    for (let dy = -2; dy <= 2; dy++) {
      for (let dx = -2; dx <= 2; dx++) {
        set(size - 7 + dx, size - 7 + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
    }
  }
  return grid;
}

/** The 15 bits that name the level of correction (M) and the mask. */
function withFormat(grid: Grid, mask: number): void {
  const size = grid.length;
  let rest = mask << 10; // M is 00
  for (let n = 14; n >= 10; n--) if ((rest >> n) & 1) rest ^= 0x537 << (n - 10);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const set = (x: number, y: number, n: number): void => {
    (grid[y] as (boolean | null)[])[x] = n < 0 || ((bits >> n) & 1) === 1;
  };
  for (let n = 0; n < 6; n++) set(8, n, n);
  set(8, 7, 6);
  set(8, 8, 7);
  set(7, 8, 8);
  for (let n = 9; n < 15; n++) set(14 - n, 8, n);
  for (let n = 0; n < 8; n++) set(size - 1 - n, 8, n);
  for (let n = 8; n < 15; n++) set(8, size - 15 + n, n);
  set(8, size - 8, -1);
}

function penalty(grid: Grid): number {
  const size = grid.length;
  let sum = 0;
  let dark = 0;
  const lines = [...grid, ...grid.map((_, x) => grid.map((row) => row[x] ?? false))];
  for (const line of lines) {
    const text = line.map((cell) => (cell ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
    sum += 40 * (text.match(/(?=10111010000|00001011101)/g)?.length ?? 0);
  }
  grid.forEach((row, y) =>
    row.forEach((cell, x) => {
      if (cell) dark++;
      if (x && y && row[x - 1] === cell && grid[y - 1]?.[x] === cell && grid[y - 1]?.[x - 1] === cell) sum += 3;
    }),
  );
  return sum + 10 * Math.floor(Math.abs((20 * dark) / size ** 2 - 10));
}

/** The squares of a code, row by row. */
export function qr(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = SIZES.findIndex(([, , room]) => bytes.length + 2 <= room) + 1;
  if (!version) throw new RangeError("too long for a code");
  const words = codewords(bytes, version);
  const empty = frame(version);
  withFormat(empty, 0);
  let best: Grid = empty;
  let least = Infinity;
  MASKS.forEach((masked, mask) => {
    const grid = empty.map((row) => [...row]);
    const size = grid.length;
    let bit = 0;
    for (let right = size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < size; step++) {
        const upward = ((right + 1) & 2) === 0;
        const y = upward ? size - 1 - step : step;
        for (const x of [right, right - 1]) {
          const row = grid[y] as (boolean | null)[];
          if (row[x] !== null) continue;
          const dark = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
          row[x] = dark !== masked(x, y);
          bit++;
        }
      }
    }
    withFormat(grid, mask);
    const found = penalty(grid);
    if (found < least) [best, least] = [grid, found];
  });
  return best.map((row) => row.map(Boolean));
}

/** The code as one path of unit squares. */
export function qrPath(text: string): { path: string; size: number } {
  const rows = qr(text);
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return { path, size: rows.length };
}
