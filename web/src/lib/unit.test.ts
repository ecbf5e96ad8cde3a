import { expect, test } from "vitest";
import type { EditionFile } from "../cards/edition";
import { sorts, unfolded } from "../cards/edition";
import { AA, contrast, deepened, inkOn, PAPER } from "../cards/color";
import { around, fan } from "../table/layout";
import { codeOf, commitment, hex } from "./fair";
import { blocks } from "./markdown";
import { cutName } from "./names";
import { sha256 } from "./sha256";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("cuts names between what readers take for characters", () => {
  const family = "👩\u200d👩\u200d👧";
  expect(cutName("x".repeat(30))).toBe("x".repeat(24));
  expect(cutName(family.repeat(9))).toBe(family.repeat(8)); // 40 of Unicode's
  expect(cutName("x".repeat(23) + family + "y")).toBe("x".repeat(23) + family);
  expect(cutName("e\u0301".repeat(30))).toBe("e\u0301".repeat(20));
});

test("hashes as FIPS 180-4 says", () => {
  expect(hex(sha256(bytes("abc")))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hex(sha256(bytes("")))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  expect(hex(sha256(bytes(long)))).toBe("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
});

test("commits as the server does", () => {
  expect(commitment("T", 1, "server", "00".repeat(32)).slice(0, 8)).toBe("39744917");
});

test("makes the code that all clients show", () => {
  expect(codeOf("T", 1, { server: "00".repeat(32) }, {})).toBe("d3ch-em5v");
});

test("signs can be read on a card of any color", () => {
  for (let n = 0; n < 4096; n++) {
    const hue = `#${[8, 4, 0].map((by) => ((n >> by) & 15).toString(16).repeat(2)).join("")}`;
    expect(contrast(inkOn(hue), hue)).toBeGreaterThanOrEqual(AA);
    expect(contrast(deepened(hue), PAPER)).toBeGreaterThanOrEqual(AA);
  }
});

test("everybody sits somewhere, in order, whoever looks", () => {
  for (let seats = 2; seats <= 10; seats++) {
    for (let me = 0; me < seats; me++) {
      const { left, top, right } = around(seats, me);
      const order = [...left].reverse().concat(top, right);
      expect(order).toEqual(Array.from({ length: seats - 1 }, (_, n) => (me + 1 + n) % seats));
    }
  }
});

test("any hand fits its width, and every card can be pressed", () => {
  for (const width of [344, 720, 1080]) {
    for (let count = 1; count <= 36; count++) {
      const { spots, card } = fan(count, width, 62);
      for (const [n, spot] of spots.entries()) {
        expect(spot.x).toBeGreaterThanOrEqual(0);
        expect(spot.x + card).toBeLessThanOrEqual(width + 0.01);
        expect(spot.y + card * 1.5).toBeLessThanOrEqual(62 * 1.5 + 9.01);
        const next = spots[n + 1];
        if (next && next.y === spot.y) expect(next.x - spot.x).toBeGreaterThanOrEqual(24);
      }
    }
  }
});

test("reads the Markdown of the rules", () => {
  const found = blocks("# A\n\n| x | y |\n| --- | --- |\n| 1 | **2** |\n\n- **T1** one *(ours)*\n- two\n");
  expect(found.map((block) => block.kind)).toEqual(["heading", "table", "list"]);
  const [cards] = blocks("| a |\n| --- |\n| \\*A\\|B\\* |\n");
  const text = cards?.kind === "table" ? cards.rows[0]?.[0]?.map((span) => span.text).join("") : "";
  expect(text).toBe("*A|B*");
});

test("finds a card for each row of the deck's table", () => {
  const name = (word: string) => ({ en: word, es: word, ru: word });
  const color = (letter: string) => ({ letter, name: name(letter), hue: "#1f5fbf", shape: "circle" as const });
  const card = { copies: 1, numbers: [], symbol: null, name: null, points: null, effect: "none" as const, amount: null };
  const file: EditionFile = {
    id: "own",
    name: name("Own"),
    colors: [color("r"), color("b")],
    cards: [
      { ...card, numbers: [1, 2], marked: true, colors: ["r"] },
      { ...card, numbers: [1, 2], marked: false, colors: ["b"] },
      { ...card, symbol: "S", name: name("North"), points: 5, marked: false, colors: ["r"] },
      { ...card, symbol: "S", name: name("South"), points: 5, marked: false, colors: ["b"] },
    ],
    wilds: [],
    about: null,
    sheet: null,
    mark: null,
    options: {},
    sources: {},
  };
  const edition = unfolded(file);
  expect(sorts(edition).map((faces) => faces.map((face) => face.text))).toEqual([
    ["r1"], ["r2"], ["rS", "bS"], ["b1"], ["b2"],
  ]);
  expect([edition.symbols.get("rS")?.en, edition.symbols.get("bS")?.en]).toEqual(["North", "South"]);
});
