/** Where we are: the part of the address after #. */

function read(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
}

/** What cannot be decoded stays as it is: an address mistyped is one that leads nowhere. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
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
