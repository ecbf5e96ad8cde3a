/** Every sentence, from the project's one catalogue; only the language in use is loaded. */

import type catalogue from "../../../src/penultima/locale/en.json";
import type { Language, Names } from "../cards/edition";

type Leaf = string | { other: string };
type Keys<T, Prefix extends string> = {
  [Name in keyof T & string]: T[Name] extends Leaf
    ? `${Prefix}${Name}`
    : Keys<T[Name], `${Prefix}${Name}.`>;
}[keyof T & string];
export type Key = Keys<Pick<typeof catalogue, "card" | "event" | "talk" | "why" | "ask" | "fair" | "web">, "">;
export type Details = Record<string, string | number>;

export const LANGUAGES: Language[] = ["en", "es", "ru"];

const load: Record<Language, () => Promise<{ default: Record<string, unknown> }>> = {
  en: () => import("messages:en"),
  es: () => import("messages:es"),
  ru: () => import("messages:ru"),
};

type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
type Messages = Map<string, string | Plural>;

function flatten(node: Record<string, unknown>, prefix: string, flat: Messages): Messages {
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === "string") flat.set(prefix + name, value);
    else if (value && typeof value === "object") {
      if ("other" in value) flat.set(prefix + name, value as Plural);
      else flatten(value as Record<string, unknown>, `${prefix}${name}.`, flat);
    }
  }
  return flat;
}

class Speech {
  language = $state<Language>("en");
  #messages = $state.raw<Messages>(new Map());
  #plurals = new Intl.PluralRules("en");

  async speak(language: Language): Promise<void> {
    const messages = flatten((await load[language]()).default, "", new Map());
    this.#plurals = new Intl.PluralRules(language);
    this.#messages = messages;
    this.language = language;
    document.documentElement.lang = language;
  }

  knows(key: string): boolean {
    return this.#messages.has(key);
  }

  say(key: string, details: Details = {}): string {
    const found = this.#messages.get(key);
    if (found === undefined) return key;
    const text =
      typeof found === "string"
        ? found
        : (found[this.#plurals.select(Number(details.count))] ?? found.other);
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ""));
  }
}

const speech = new Speech();

export const speak = (language: Language): Promise<void> => speech.speak(language);
export const language = (): Language => speech.language;
export const knows = (key: string): boolean => speech.knows(key);
export const nameIn = (names: Names): string => names[speech.language] ?? names.en;

/** A message with its details filled in; `count` chooses the plural. */
export function say(key: Key, details: Details = {}): string {
  return speech.say(key, details);
}

/** The same for keys that are put together while the program runs. */
export function sayAny(key: string, details: Details = {}): string {
  return speech.say(key, details);
}

/** The first of a person's languages that we speak. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const known = LANGUAGES.find((one) => tag.toLowerCase().startsWith(one));
    if (known) return known;
  }
  return "en";
}
