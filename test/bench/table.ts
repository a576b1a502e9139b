/** The report of the bench: figures as data, and the table that shows them. */

/** What a figure is held against. */
export interface Bound {
  readonly name: string;
  readonly value: number;
}

/** A line of the table. */
export interface Figure {
  readonly part: string;
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
  /** What this machine does of it when nothing stands before it. */
  readonly limit?: Bound | undefined;
  /** What another program does of it under the same load, in the same run. */
  readonly peer?: Bound | undefined;
}

/** What a part of the bench works with. */
export interface Bench {
  /** Of a database of its own. */
  readonly databaseUrl: string;
  /** How long each load lasts. */
  readonly seconds: number;
  /** Whether other programs are measured beside. */
  readonly withPeers: boolean;
}

const HEAD = ["figure", "ours", "limit", "ours ÷ limit", "peer", "ours ÷ peer"];

/** The table as Markdown, its columns in line. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ part, figure, unit, ours, limit, peer }) => [
    `${part}: ${figure}`,
    `${rounded(ours)} ${unit}`.trim(),
    limit === undefined ? "" : `${rounded(limit.value)} (${limit.name})`,
    ratio(ours, limit),
    peer === undefined ? "" : `${rounded(peer.value)} (${peer.name})`,
    ratio(ours, peer),
  ]);
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(HEAD), rule, ...rows.map(line)].join("\n");
}

function ratio(ours: number, bound: Bound | undefined): string {
  if (bound === undefined || bound.value === 0) return "";
  const value = ours / bound.value;
  return value < 0.1 ? value.toFixed(3) : value < 10 ? value.toFixed(2) : rounded(value);
}

/** Three digits that count, and all of those before the point. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}
