/** Cards on their way: what moved is measured before and after, and travels between the two. */

import type { GameEvent } from "../net/frames";

const EASE = "cubic-bezier(.22,.8,.3,1)";
const TRAVEL = 420;
const APART = 70;
const MOST_FLYING = 5; // of one draw: more says no more

export class Motion {
  /** Where own cards lay before the news, by key. */
  #hand = new Map<string, DOMRect>();

  constructor(
    readonly root: HTMLElement,
    readonly me: number | null,
  ) {}

  #rect(selector: string): DOMRect | null {
    return this.root.querySelector(selector)?.getBoundingClientRect() ?? null;
  }

  #seat(seat: number): DOMRect | null {
    return seat === this.me ? this.#rect("[data-hand]") : this.#rect(`[data-seat="${seat}"] [data-cards]`);
  }

  before(): void {
    this.#hand.clear();
    for (const card of this.root.querySelectorAll<HTMLElement>("[data-card]")) {
      this.#hand.set(card.dataset.card ?? "", card.getBoundingClientRect());
    }
  }

  /** Move what the events say has moved, now that the new state is on the page. */
  after(events: GameEvent[]): void {
    const fresh = this.#freshCards();
    let wait = 0;
    for (const event of events) {
      const seat = event.seat ?? -1;
      if (event.what === "play") this.#play(seat, event.card ?? "");
      else if (event.what === "draw") {
        const from = this.#rect("[data-pile]");
        if (seat === this.me) fresh.splice(0).forEach((card, n) => travel(card, from, wait + n * APART));
        else this.#fly(from, this.#seat(seat), event.count ?? 1, wait);
        wait += APART * 2;
      } else if (event.what === "renew") this.#fly(this.#rect("[data-discard]"), this.#rect("[data-pile]"), 4, 0);
      else if (event.what === "swap") this.#exchange(seat, event.other ?? -1, fresh);
      else if (event.what === "rotate") {
        const seats = this.root.querySelectorAll("[data-seat]").length + (this.me === null ? 0 : 1);
        const step = event.direction ?? 1;
        for (let one = 0; one < seats; one++) this.#fly(this.#seat(one), this.#seat((one + step + seats) % seats), 2, 0);
        fresh.splice(0);
      } else if (event.what === "turn_up") this.#top(this.#rect("[data-pile]"));
      if (event.what === "skip" || event.what === "catch") this.#shake(seat);
    }
  }

  /** Elements of own cards that were not there before. */
  #freshCards(): HTMLElement[] {
    const cards = [...this.root.querySelectorAll<HTMLElement>("[data-card]")];
    return cards.filter((card) => !this.#hand.has(card.dataset.card ?? ""));
  }

  #play(seat: number, card: string): void {
    if (seat !== this.me) return this.#top(this.#seat(seat));
    const gone = [...this.#hand].filter(([key]) => key.startsWith(`${card}#`)).pop();
    this.#top(gone?.[1] ?? this.#seat(seat));
  }

  #top(from: DOMRect | null): void {
    const top = this.root.querySelector<HTMLElement>("[data-discard] [data-top]");
    if (top) travel(top, from, 0);
  }

  #exchange(one: number, other: number, fresh: HTMLElement[]): void {
    const [a, b] = [this.#seat(one), this.#seat(other)];
    this.#fly(a, b, 3, 0);
    this.#fly(b, a, 3, 0);
    fresh.splice(0);
  }

  #shake(seat: number): void {
    const chip = this.root.querySelector(`[data-seat="${seat}"]`);
    chip?.animate({ transform: ["none", "translateX(-5px)", "translateX(5px)", "none"] }, { duration: 300 });
  }

  /** Backs of cards that fly from one place to another and are gone. */
  #fly(from: DOMRect | null, to: DOMRect | null, count: number, wait: number): void {
    const sky = this.root.querySelector("[data-sky]");
    if (!from || !to || !sky) return;
    for (let n = 0; n < Math.min(count, MOST_FLYING); n++) {
      const back = document.createElement("i");
      back.className = "flying";
      sky.append(back);
      const place = (rect: DOMRect, scale: number): string =>
        `translate(${rect.x + rect.width / 2 - 22}px, ${rect.y + rect.height / 2 - 33}px) scale(${scale})`;
      const flight = back.animate(
        [
          { transform: place(from, 1.2), opacity: 1 },
          { transform: place(to, 0.7), opacity: 1, offset: 0.85 },
          { transform: place(to, 0.6), opacity: 0 },
        ],
        { duration: TRAVEL, delay: wait + n * APART, easing: EASE, fill: "both" },
      );
      flight.onfinish = flight.oncancel = () => back.remove();
    }
  }
}

/** Let an element that is in its place come there from another one. */
function travel(element: HTMLElement, from: DOMRect | null, wait: number): void {
  const to = element.getBoundingClientRect();
  if (!from || !to.width) return;
  const x = from.x + from.width / 2 - (to.x + to.width / 2);
  const y = from.y + from.height / 2 - (to.y + to.height / 2);
  const scale = Math.min(1.3, Math.max(0.35, from.height / to.height));
  element.animate(
    [{ translate: `${x}px ${y}px`, scale: String(scale), rotate: "-8deg" }, { translate: "0 0", scale: "1", rotate: "0deg" }],
    { duration: TRAVEL, delay: wait, easing: EASE, fill: "backwards" },
  );
}
