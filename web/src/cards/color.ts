/** Colors as numbers: how well two of them can be told apart (WCAG 2), and mixing. */

export const PAPER = "#fffdf6";
export const BLACK = "#000000";
export const WILD = "#23242f";
export const AA = 4.5;

type Channels = [number, number, number];

function channels(hex: string): Channels {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function luminance(hex: string): number {
  const [r, g, b] = channels(hex).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Channels;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colors, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

export function mix(one: string, other: string, share: number): string {
  const [a, b] = [channels(one), channels(other)];
  const parts = a.map((part, n) => Math.round(part + ((b[n] ?? 0) - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** The ink for small signs on a color: white paper or black, one of which always reaches AA. */
export function inkOn(hue: string): string {
  return contrast("#ffffff", hue) >= AA ? "#ffffff" : contrast(PAPER, hue) >= AA ? PAPER : BLACK;
}

/** A color darkened just as far as it must be to be read on paper. */
export function deepened(hue: string): string {
  for (let share = 0; share < 1; share += 0.05) {
    const found = mix(hue, "#101014", share);
    if (contrast(found, PAPER) >= AA) return found;
  }
  return "#101014";
}
