/** A line's part in the fair deal (`penultima.dealing`): what it keeps, promises and shows. */

import { peopleIn, SERVER } from "../lib/fair";
import { Receipt } from "../lib/receipt";
import type { Command, Entry, Moment, State } from "./frames";

const DEALS = ["dealt", "continued"]; // what begins a round
const DEALT = ["playing", "between", "over"];

/** What people are to know of a deal. */
export interface Notice {
  key: "fair.alone" | "fair.own_out" | "fair.forgotten";
}

export class OwnPart {
  receipt: Receipt | null = null; // of the seat that we have
  kept = true; // nothing of it would be forgotten with the page
  #done = "";

  constructor(
    readonly table: string,
    readonly lasting: boolean,
  ) {}

  /** Keep what is shown before anything is answered to it; throws `Unfair`. */
  see(seat: number | null, state: State, moments: Moment[]): void {
    if (seat === null) {
      this.receipt = null;
      return;
    }
    if (this.receipt?.seat !== seat) this.receipt = new Receipt(this.table, seat, this.lasting);
    try {
      this.receipt.see(state);
    } finally {
      this.kept = this.receipt.keep() && this.kept;
    }
    const type = (moments.at(-1)?.entry as Entry | undefined)?.type ?? "";
    if (!DEALS.includes(type) || !state.view) return;
    this.receipt.dealt(state.view.round, state.view.hand);
    this.kept = this.receipt.keep() && this.kept;
  }

  /** The promise of a seed of our own, and the seed when everybody has promised. */
  due(seat: number | null, state: State): Command | null {
    const { receipt } = this;
    const step = `${state.attempt} ${state.stage}`;
    if (seat === null || !receipt || this.#done === step) return null;
    if (state.stage === "promising" && !state.left_out.includes(seat) && !(seat in state.promises)) {
      receipt.makeSeed();
      this.kept = receipt.keep() && this.kept;
      this.#done = step;
      return { type: "promise", promise: receipt.promise ?? "" };
    }
    if (state.stage === "revealing" && receipt.ownIsIn && !(seat in state.reveals)) {
      this.#done = step;
      return { type: "reveal", seed: receipt.last?.seed ?? "" };
    }
    return null;
  }

  /** The server has taken our promise; throws `Unfair`. */
  taken(attempt: number): void {
    this.receipt?.taken(attempt);
    this.receipt?.keep();
  }

  /** On a new connection what was not done may have to be done again. */
  again(): void {
    this.#done = "";
  }

  notices(seat: number | null, state: State): Notice[] {
    if (!this.lasting || !DEALT.includes(state.stage) || !(SERVER in state.promises)) return [];
    const found: Notice[] = [];
    if (!peopleIn(state.promises).length) found.push({ key: "fair.alone" });
    else if (seat !== null && !(seat in state.promises)) found.push({ key: "fair.own_out" });
    if (seat !== null && !this.kept) found.push({ key: "fair.forgotten" });
    return found;
  }
}
