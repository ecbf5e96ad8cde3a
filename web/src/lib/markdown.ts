/** The little Markdown that the rules are written in, as blocks to show. */

export interface Span {
  text: string;
  kind: "plain" | "strong" | "soft" | "code";
}

export type Block =
  | { kind: "heading"; level: number; spans: Span[] }
  | { kind: "text"; spans: Span[] }
  | { kind: "list"; items: Span[][] }
  | { kind: "table"; head: Span[][]; rows: Span[][][] };

function spans(text: string): Span[] {
  const found: Span[] = [];
  const pattern = /\\([\\`*_|[\]<>#])|\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`/g;
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), kind: "plain" });
    const [, sign, strong, soft, code] = match; // a sign after a backslash stands for itself
    const kind = sign !== undefined ? "plain" : strong !== undefined ? "strong" : soft !== undefined ? "soft" : "code";
    found.push({ text: sign ?? strong ?? soft ?? code ?? "", kind });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), kind: "plain" });
  return found;
}

const cells = (line: string): Span[][] =>
  line.slice(1, -1).split(/(?<!\\)\|/).map((cell) => spans(cell.trim()));

export function blocks(markdown: string): Block[] {
  const found: Block[] = [];
  for (const line of markdown.split("\n")) {
    const last = found.at(-1);
    const heading = /^(#+) (.*)$/.exec(line);
    if (!line.trim()) continue;
    if (heading) found.push({ kind: "heading", level: heading[1]?.length ?? 1, spans: spans(heading[2] ?? "") });
    else if (line.startsWith("- ")) {
      if (last?.kind === "list") last.items.push(spans(line.slice(2)));
      else found.push({ kind: "list", items: [spans(line.slice(2))] });
    } else if (line.startsWith("|")) {
      if (last?.kind !== "table") found.push({ kind: "table", head: cells(line), rows: [] });
      else if (!/^\|[ :|-]+$/.test(line)) last.rows.push(cells(line));
    } else found.push({ kind: "text", spans: spans(line) });
  }
  return found;
}
