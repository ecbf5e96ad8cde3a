/** SHA-256, since a page from a plain address in the local network has no `crypto.subtle`. */

const PRIMES = (() => {
  const found: number[] = [];
  for (let n = 2; found.length < 64; n++) if (found.every((p) => n % p)) found.push(n);
  return found;
})();
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0;
const K = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

export function sha256(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  padded.set(data);
  padded[data.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  words.setUint32(padded.length - 4, data.length << 3);
  const state = [...START];
  const w = new Int32Array(64);
  const at = (list: ArrayLike<number>, n: number): number => list[n] as number;
  for (let block = 0; block < padded.length; block += 64) {
    for (let n = 0; n < 16; n++) w[n] = words.getInt32(block + 4 * n);
    for (let n = 16; n < 64; n++) {
      const [x, y] = [at(w, n - 15), at(w, n - 2)];
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w[n] = at(w, n - 16) + s0 + at(w, n - 7) + s1;
    }
    let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
    for (let n = 0; n < 64; n++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + at(K, n) + at(w, n)) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => (state[n] = (at(state, n) + word) | 0));
  }
  const result = new DataView(new ArrayBuffer(32));
  state.forEach((word, n) => result.setInt32(4 * n, word));
  return new Uint8Array(result.buffer);
}
