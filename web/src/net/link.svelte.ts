/** One seat's line to its table: connects, resumes, sends again what was not answered. */

import { unfolded } from "../cards/edition";
import type { Edition } from "../cards/edition";
import { newSeed } from "../lib/fair";
import { Unfair } from "../lib/receipt";
import { VERSION } from "./frames";
import type * as wire from "./wire";
import type { Command, Entry, Expected, Frame, Moment, Past, Settings, State } from "./frames";
import { OwnPart } from "./part";
import type { Notice } from "./part";

export type Line = "connecting" | "open" | "lost" | "ended";
/** Shows what happened: `apply` puts the new state in place. */
export type Listener = (moments: Moment[], apply: () => void) => void;

const SILENCE = 40_000; // the server pings more often than that
const MOST_WAITING = 32; // the server knows copies of no more commands than these
const FIRST_WAIT = 250;
const MOST_WAIT = 5_000;

/** What frames go over: a WebSocket, or whatever stands in for one. */
export type Socket = Pick<WebSocket, "send" | "close" | "onopen" | "onmessage" | "onclose">;

const overNetwork = (): Socket => new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws`);

interface Waiting {
  text: string;
  resolve: (refused: string | null) => void;
}

/** Whether an entry says that somebody else has freed a seat. */
const isRemoval = ({ type, place, seat }: Entry, mine: number): boolean =>
  type === "rose" && place === mine && typeof seat === "number" && seat !== mine;

export class TableLink {
  line = $state<Line>("connecting");
  ended = $state<string | null>(null);
  settings = $state.raw<Settings | null>(null);
  edition = $state.raw<Edition | null>(null);
  state = $state.raw<State | null>(null);
  seat = $state<number | null>(null);
  why: wire.Why | null = null; // what stood in the way of the action that was refused last
  advice = $state.raw<{ decision: number; actions: Expected[] } | null>(null);
  removed = $state(false); // the host has taken our seat from us
  signal = $state<number | null>(null); // the race whose signal was given
  outdated = $state(false); // the server is another version than when this page was loaded
  #offset = 0; // the server's clock less ours
  #seq: number | null = null;
  #server: string | null = null;
  #socket: Socket | null = null;
  #waiting = new Map<string, Waiting>();
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heard = 0;
  broken = $state.raw<Unfair | null>(null); // how the server broke the fair deal
  code = $state<string | null>(null); // of the deal, for players to compare
  notices = $state.raw<Notice[]>([]); // what to know of the deal
  readonly #part: OwnPart;
  #listener: Listener = (_, apply) => apply();
  #watch = (): void => {
    if (document.visibilityState !== "visible") return;
    if (this.line === "lost" || (this.#socket && Date.now() - this.#heard > SILENCE)) this.#connect();
  };

  constructor(
    readonly table: string,
    readonly token: string | null,
    /** Is told of everything that happens, shown or not. */
    readonly heard: (moments: Moment[], state: State, past: Past | null) => void = () => {},
    readonly connect: () => Socket = overNetwork,
  ) {
    this.#part = new OwnPart(table, connect === overNetwork);
    addEventListener("online", this.#watch);
    document.addEventListener("visibilitychange", this.#watch);
    this.#connect();
  }

  listen(listener: Listener): () => void {
    this.#listener = listener;
    return () => (this.#listener = (_, apply) => apply());
  }

  close(): void {
    removeEventListener("online", this.#watch);
    document.removeEventListener("visibilitychange", this.#watch);
    clearTimeout(this.#timer);
    this.#end();
  }

  /** The server's time now, in milliseconds. */
  now(): number {
    return Date.now() + this.#offset;
  }

  /** Send a command; the answer is null, or the code of a refusal. It comes whatever happens: no
   * screen waits for a table that has not understood, or that is gone. */
  send(command: Command): Promise<string | null> {
    if (this.line === "ended") return Promise.resolve("closed");
    if (this.#waiting.size >= MOST_WAITING) return Promise.resolve("too_often");
    const id = newSeed().slice(0, 24);
    const text = JSON.stringify({ ...command, id });
    return new Promise((resolve) => {
      this.#waiting.set(id, { text, resolve });
      if (this.line === "open") this.#socket?.send(text);
    });
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#drop();
    const socket = this.connect();
    this.#socket = socket;
    this.#heard = Date.now();
    socket.onopen = () => {
      const hello = { type: "hello", version: VERSION, table: this.table, token: this.token, since: this.#seq ?? 0 };
      socket.send(JSON.stringify(hello));
    };
    socket.onmessage = (message) => {
      this.#heard = Date.now();
      this.#take(JSON.parse(message.data as string) as Frame);
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#lost();
    };
    this.#timer = setTimeout(() => this.#listenForSilence(socket), SILENCE / 4);
  }

  #listenForSilence(socket: Socket): void {
    if (this.#socket !== socket) return;
    if (Date.now() - this.#heard > SILENCE) this.#lost();
    else this.#timer = setTimeout(() => this.#listenForSilence(socket), SILENCE / 4);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #lost(after?: number): void {
    this.#drop();
    clearTimeout(this.#timer);
    if (this.line === "ended") return;
    this.line = "lost";
    const wait = after ?? Math.min(MOST_WAIT, FIRST_WAIT * 2 ** this.#tries) * (0.5 + Math.random() / 2);
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  #take(frame: Frame): void {
    switch (frame.type) {
      case "welcome":
        this.#offset = frame.now - Date.now();
        this.settings = frame.settings;
        this.edition ??= unfolded(frame.settings.edition);
        this.#server ??= frame.server;
        this.outdated = this.#server !== frame.server;
        this.#tries = 0;
        this.line = "open";
        this.#part.again();
        if (this.#seq === null) {
          this.#show([], frame, { earlier: frame.moments, rounds: frame.rounds });
        } else this.#show(frame.moments, frame, { earlier: [], rounds: frame.rounds });
        for (const { text } of this.#waiting.values()) this.#socket?.send(text);
        break;
      case "news":
        this.#show(frame.moments, frame, null);
        break;
      case "answer":
        this.why = frame.why;
        this.#answer(frame.id, frame.refused);
        break;
      case "advice":
        this.advice = frame;
        this.#answer(frame.id, null);
        break;
      case "here":
        if (this.state) {
          const places = this.state.places.map((place, n) => ({ ...place, here: frame.places.includes(n) }));
          this.state = { ...this.state, places };
        }
        break;
      case "ping":
        this.#socket?.send(JSON.stringify({ type: "pong", n: frame.n }));
        break;
      case "go":
        this.signal = frame.race;
        break;
      case "problem":
        // Frames are answered in the order in which they were sent.
        this.#answer(frame.id ?? this.#waiting.keys().next().value ?? "", "not_understood");
        console.error(`${frame.code}: ${frame.message}`);
        break;
      case "bye":
        if (frame.retry === null) {
          this.ended = frame.reason;
          this.#end();
        } else this.#lost(frame.retry);
    }
  }

  #answer(id: string, refused: string | null): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve(refused);
  }

  /** There is no coming back: nothing will be answered any more. */
  #end(): void {
    this.line = "ended";
    this.#drop();
    for (const id of [...this.#waiting.keys()]) this.#answer(id, "closed");
  }

  #show(moments: Moment[], { seq, seat, state }: Pick<wire.News, "seq" | "seat" | "state">, past: Past | null): void {
    if (!this.#holds(() => this.#part.see(seat, state, moments))) return;
    this.code = this.#part.lasting ? (this.#part.receipt?.code ?? null) : null;
    this.notices = this.#part.notices(seat, state);
    const news = moments.filter((moment) => this.#seq === null || moment.seq > this.#seq);
    this.#seq = seq;
    const mine = this.seat;
    if (seat !== null) this.removed = false;
    else if (mine !== null && news.some(({ entry }) => isRemoval(entry as Entry, mine))) this.removed = true;
    this.#listener(news, () => {
      this.seat = seat;
      if (state.decision !== this.advice?.decision) this.advice = null;
      if (!state.race) this.signal = null;
      this.state = state;
      this.heard(news, state, past);
    });
    this.#deal(seat, state);
  }

  /** Our part in the fair deal: promise a seed, and show it when all have promised. */
  #deal(seat: number | null, state: State): void {
    const command = this.#part.due(seat, state);
    if (!command) return;
    void this.send(command).then((refused) => {
      if (refused === null && command.type === "promise") this.#holds(() => this.#part.taken(state.attempt));
    });
  }

  /** Whether the server keeps to the fair deal; if not, we play no further with it. */
  #holds(look: () => void): boolean {
    try {
      look();
      return this.broken === null;
    } catch (problem) {
      if (!(problem instanceof Unfair)) throw problem;
      this.broken = problem;
      this.ended = "unfair";
      this.#end();
      return false;
    }
  }
}
