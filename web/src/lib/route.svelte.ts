/** Where we are: the part of the address after #. */

function read(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}

class Route {
  parts = $state.raw<string[]>(read());

  constructor() {
    addEventListener("hashchange", () => (this.parts = read()));
  }
}

export const route = new Route();

export function go(path: string): void {
  location.hash = `/${path}`;
}

/** The same place with another step, without a new entry in the browser's history. */
export function replacePath(path: string): void {
  history.replaceState(null, "", `#/${path}`);
}
