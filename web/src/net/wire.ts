// Made by `make wire` from the server's structs: do not edit.

/** An action, and the number of the decision it answers (`Table.decision`). */
export interface Act {
  type: "act";
  action: string;
  decision: number;
  id: string;
}

/** The host seats a bot. */
export interface AddBot {
  type: "add_bot";
  place: number;
  bot: string;
  name?: string | null;
  id: string;
}

/** Where other devices find the server; null where they cannot. */
export interface Address {
  address: string | null;
}

/** To `hint`: every action with its estimated chance to win the round, best first. */
export interface Advice {
  type: "advice";
  id: string;
  decision: number;
  actions: Record<string, unknown>[];
}

/** A round: its decisions, and every seat's chance of winning it after the deal and after each of them, for who sees all hands. */
export interface Analysis {
  decisions: Decision[];
  chances: number[][];
}

/** To every command: done, or refused with a code. A copy of a command gets the same answer. */
export interface Answer {
  type: "answer";
  id: string;
  refused: string | null;
  seat: number | null;
  why: Why | null;
}

/** The host begins the match, or the next one; empty places are filled with bots. */
export interface Begin {
  type: "begin";
  id: string;
}

export interface BotSeat {
  place: number;
  bot: string;
  name?: string | null;
}

/** The last frame. Come back after `retry` milliseconds, unless it is null. */
export interface Bye {
  type: "bye";
  reason: string;
  retry: number | null;
}

/** Colored cards: a set of numbers, or one symbol, in every color or in some. */
export interface CardEntry {
  copies: number;
  numbers: number[];
  symbol: string | null;
  name: Name | null;
  points: number | null;
  effect: "demand" | "draw" | "give" | "none" | "race" | "reverse" | "skip";
  amount: number | null;
  marked: boolean;
  colors: string[] | null;
}

export interface ColorEntry {
  letter: string;
  name: Name;
  hue: string;
  shape: "circle" | "diamond" | "hexagon" | "square" | "star" | "triangle";
}

/** Play on oneself, after a bot did. */
export interface ComeBack {
  type: "back";
  id: string;
}

/** What a seat did, the chance that it had of winning the round, and what looked best. */
export interface Decision {
  seat: number;
  action: string;
  chance: number | null;
  best: string | null;
  best_chance: number | null;
}

/** Press in a race; `reaction` is the time from what was painted to the press, as the client measured it, in milliseconds. */
export interface Drop {
  type: "drop";
  race: number;
  reaction: number;
  id: string;
}

/** The file as it is written. */
export interface EditionFile {
  id: string;
  name: Name;
  colors: ColorEntry[];
  cards: CardEntry[];
  about: Name | null;
  sheet: string | null;
  mark: Name | null;
  wilds: WildEntry[];
  options: Record<string, string | number | boolean>;
  sources: Record<string, string>;
}

/** An edition, and the options that it is played by where nobody says otherwise. */
export interface EditionOffer {
  edition: EditionFile;
  options: Options;
}

export interface Editions {
  editions: EditionOffer[];
}

/** `what` happened to `seat`; the other fields are set where they say more. The `cards` of a draw and of a shown hand are not for everybody: `view` decides. */
export interface Event {
  what: string;
  seat?: number | null;
  card?: string | null;
  cards?: string[] | null;
  color?: string | null;
  count?: number | null;
  other?: number | null;
  why?: string | null;
  points?: number | null;
  direction?: number | null;
  guilty?: boolean | null;
}

/** What a player looked like at the table. */
export interface Face {
  bot: boolean;
  picture: string | null;
}

/** What is wrong with a request, and the remedy. */
export interface Fault {
  code: string;
  message: string;
}

export interface GetReady {
  type: "ready";
  id: string;
}

/** An attempt to deal that came to nothing, and the seats that did not show their seeds. */
export interface GivenUp {
  attempt: number;
  missing: number[];
}

/** The signal of a race: press now. */
export interface Go {
  type: "go";
  race: number;
}

export interface Health {
  status: string;
}

/** The first frame. Without a token one watches. `since` is the last `seq` seen. */
export interface Hello {
  type: "hello";
  version: number;
  table: string;
  token?: string | null;
  since?: number | null;
}

/** Who of the people is connected. */
export interface Here {
  type: "here";
  places: number[];
}

/** What to expect of every action, where the table allows hints. */
export interface Hint {
  type: "hint";
  id: string;
}

export interface History {
  matches: PastMatch[];
}

/** Give up one's place for good. */
export interface Leave {
  type: "leave";
  id: string;
}

/** The host lets a bot play for the person whose turn it is, who has not decided for long. It plays until that person acts or comes back. `decision` is the one that is waited for. */
export interface LetBot {
  type: "let_bot";
  place: number;
  decision: number;
  id: string;
}

export interface Lobby {
  tables: TableSummary[];
}

/** Something that happened: an entry of the log without its secrets, and the game's events. */
export interface Moment {
  seq: number;
  at: number;
  entry: Record<string, unknown>;
  events: Event[];
}

export interface MoveCode {
  code: string;
  until: number;
}

/** A one-time code from the device that has the seat. */
export interface MoveSeat {
  code: string;
}

/** A name in the three languages. */
export interface Name {
  en: string;
  es: string;
  ru: string;
}

/** A table to open. `edition` is the id or name of one that ships; `own` a TOML text. */
export interface NewTable {
  edition?: string | null;
  own?: string | null;
  options?: Record<string, string | number | boolean>;
  seats?: number;
  name?: string | null;
  picture?: string | null;
  bots?: BotSeat[];
  clock?: number;
  public?: boolean;
  watchers?: boolean;
  hints?: boolean;
}

/** What has happened, and how things stand after it. */
export interface News {
  type: "news";
  seq: number;
  seat: number | null;
  moments: Moment[];
  state: State;
}

/** Every option of the rules; the defaults are those of the English sheet, house rules off. */
export interface Options {
  drawn_no_match: string;
  drawn_by_choice: string;
  challengers: string;
  catch_window: string;
  call_duty: string;
  demand: string;
  race: string;
  scoring: string;
  target: number;
  hand_size: number;
  stacking: string;
  seven_zero: boolean;
  jump_in: boolean;
  draw_until_playable: boolean;
  forced_play: boolean;
  no_bluffing: boolean;
  auto_call: boolean;
}

export interface PassHost {
  type: "pass_host";
  place: number;
  id: string;
}

/** A finished match of a person. `number` counts the matches of its table from 1. */
export interface PastMatch {
  table: string;
  number: number;
  edition: string;
  ended: number;
  seat: number;
  names: string[];
  scores: number[];
  won: boolean;
  rounds: number;
  faces: Face[];
}

/** The host stops the clock between two rounds, or lets it go on. */
export interface Pause {
  type: "pause";
  on: boolean;
  id: string;
}

/** A new token: whoever has it is that person. */
export interface Person {
  token: string;
}

/** To be answered at once with a `pong` of the same `n`. */
export interface Ping {
  type: "ping";
  n: number;
}

/** A seat and who has it. `here`: connected; `away`: a bot plays for the person. */
export interface PlaceState {
  kind: string;
  name: string;
  picture: string | null;
  bot: string | null;
  away: boolean;
  ready: boolean;
  here: boolean;
}

export interface Pong {
  type: "pong";
  n: number;
}

/** A frame that could not be understood; nothing has changed. `id` is that of the command, where it could be read: there is no other answer to it. */
export interface Problem {
  type: "problem";
  code: string;
  message: string;
  id: string | null;
}

export interface Promise {
  type: "promise";
  promise: string;
  id: string;
}

/** Any public table that waits for people, or a new one. */
export interface QuickMatch {
  name?: string;
  picture?: string | null;
  edition?: string | null;
}

export interface RaceState {
  race: number;
  racers: number[];
}

/** The host frees a place before the match. */
export interface Remove {
  type: "remove";
  place: number;
  id: string;
}

export interface Replay {
  names: string[];
  ruleset: Record<string, unknown>;
  fair: boolean;
  steps: Step[];
}

export interface Reveal {
  type: "reveal";
  seed: string;
  id: string;
}

export interface Say {
  type: "say";
  phrase: string;
  id: string;
}

export interface Seated {
  table: string;
  seat: number | null;
}

/** What does not change while a table is open. */
export interface Settings {
  table: string;
  edition: EditionFile;
  options: Options;
  ruleset: string;
  seats: number;
  public: boolean;
  watchers: boolean;
  hints: boolean;
  clock: number;
  idle: number;
}

/** Take a place: the one asked for, or the first that is free. Whoever says no name is given one, and so is whoever wants to be called "you". */
export interface Sit {
  type: "sit";
  name?: string;
  place?: number | null;
  picture?: string | null;
  id: string;
}

/** All that a seat may know of its table now. */
export interface State {
  stage: string;
  places: PlaceState[];
  host: number | null;
  decision: number;
  since: number;
  deadline: number | null;
  paused: boolean;
  attempt: number;
  promises: Record<string, string>;
  reveals: Record<string, string>;
  left_out: number[];
  given_up: GivenUp[];
  matches: number;
  race: RaceState | null;
  view: View | null;
}

/** By edition, and for all of them under "all". */
export interface Statistics {
  editions: Record<string, Record<string, number>>;
}

/** Who did what in a record, and how things stood then, with all hands open. */
export interface Step {
  seat: number | null;
  action: string | null;
  events: Record<string, unknown>[];
  hands: string[][];
  view: View;
}

export interface TableSummary {
  table: string;
  edition: string;
  name: Record<string, string>;
  seats: number;
  people: number;
  free: number;
  stage: string;
  public: boolean;
  watchers: boolean;
  clock: number;
  opened: number;
}

/** A game as one seat knows it; `legal` are the actions it may take now, `bluffs` those cards of theirs that would be put down wrongly (A5). */
export interface View {
  seat: number | null;
  hand: string[];
  counts: number[];
  discard: string[];
  pile: number;
  color: string | null;
  turn: number;
  direction: number;
  dealer: number;
  phase: string;
  drawn: string | null;
  due: number;
  by: number | null;
  called: number[];
  exposed: number[];
  dropped: number[];
  jump: boolean;
  round: number;
  decisions: number;
  renewals: number;
  scores: number[];
  lacked: number[][];
  shown: Record<string, unknown> | null;
  over: string | null;
  winner: number | number[] | null;
  legal: string[];
  bluffs: string[];
}

/** The answer to `hello`. `seat` is null for a watcher and for who has not sat down yet. */
export interface Welcome {
  type: "welcome";
  version: number;
  server: string;
  now: number;
  seq: number;
  seat: number | null;
  settings: Settings;
  state: State;
  moments: Moment[];
  rounds: number[][];
}

/** What stands in the way of an action, from what its seat knows: a code and its details. */
export interface Why {
  code: string;
  card: string | null;
  top: string | null;
  color: string | null;
  count: number | null;
}

export interface WildEntry {
  symbol: string;
  copies: number;
  name: Name;
  points: number;
  effect: "demand" | "draw" | "give" | "none" | "race" | "reverse" | "skip";
  amount: number | null;
  challengeable: boolean;
}

export type Incoming = Hello | Pong | Sit | AddBot | Remove | PassHost | LetBot | Leave | Begin | Promise | Reveal | Act | Drop | Pause | Hint | ComeBack | GetReady | Say;
export type Outgoing = Welcome | News | Answer | Advice | Here | Ping | Go | Problem | Bye;
