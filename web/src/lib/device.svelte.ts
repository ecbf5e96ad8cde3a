/** What this device remembers: who its owner is and what they like. */

import type { Language, Order } from "../cards/edition";
import { preferred } from "./say.svelte";

export interface Preferences {
  name: string;
  avatar: string;
  language: Language;
  order: Order;
  sound: boolean;
  calm: boolean; // no motion
  large: boolean; // large text
  bot: string;
  learned: boolean; // has played the first game
}

const KEY = "penultima";

/** Storage may be full, forbidden or absent: then things are forgotten with the page. */
export function recall<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`${KEY}.${name}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(`${KEY}.${name}`);
    else localStorage.setItem(`${KEY}.${name}`, JSON.stringify(value));
  } catch {
    // Forgotten with the page.
  }
}

export const AVATARS = ["fox", "cat", "owl", "bear", "rabbit", "frog", "panda", "penguin", "koala", "mouse", "lion", "whale"];

const known = recall<Partial<Preferences>>("preferences", {});

export const preferences = $state<Preferences>({
  name: "",
  avatar: AVATARS[Math.floor(Math.random() * AVATARS.length)] ?? "fox",
  language: preferred(navigator.languages),
  order: "color",
  sound: false,
  calm: matchMedia("(prefers-reduced-motion: reduce)").matches,
  large: false,
  bot: "basic",
  learned: false,
  ...known,
});

export function keepPreferences(): void {
  remember("preferences", $state.snapshot(preferences));
  document.documentElement.dataset.text = preferences.large ? "large" : "";
  document.documentElement.dataset.motion = preferences.calm ? "less" : "";
}
