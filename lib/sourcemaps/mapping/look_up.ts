import { type ContextLines, contextLines } from "./context_lines.ts";
import { type Mapped, MapTable } from "./map_table.ts";
import { scopeAt, type Scopes, unpackScopes } from "./scopes.ts";

/** A place in a generated file, both from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a frame comes from. */
export interface Place {
  /** As the map has it, with its root; null where it has no name. */
  readonly source: string | null;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The identifier at that place: as a rule what is called there. */
  readonly name: string | null;
  /** The function that it is in; absent: nothing is known. */
  readonly scope?: string;
  /** The build tool counts the source among libraries. */
  readonly isIgnored: boolean;
  /** Null when the map does not have the text. */
  readonly context: ContextLines | null;
  /** The deployed file has a line less than the one that was uploaded. */
  readonly isShifted: boolean;
}

/** A compiled map with what is known of its minified file. */
export interface OpenTable {
  readonly table: MapTable;
  readonly scopes: Scopes | null;
  /** What it takes in memory. */
  readonly bytes: number;
}

/** @param scopes from `packScopes()`; null when there is no minified file @throws {Error} when the bytes are something else */
export function openTable(table: Uint8Array, scopes: Uint8Array | null): OpenTable {
  return {
    table: new MapTable(table),
    scopes: scopes && unpackScopes(scopes),
    bytes: table.byteLength + (scopes?.byteLength ?? 0),
  };
}

/** Looks up frames of one file. @returns for each the place, or null where the map has none */
export function lookUp(
  { table, scopes }: OpenTable,
  positions: readonly Position[],
): (Place | null)[] {
  const texts = new Map<number, string | null>();
  const textOf = (source: number) => {
    const known = texts.get(source);
    if (known !== undefined) return known;
    const text = table.text(source);
    texts.set(source, text);
    return text;
  };
  const shift = scopes?.isDoubled && isShifted(table, positions) ? 1 : 0;
  return positions.map((position) => {
    const line = position.line + shift;
    const found = inSource(table, line, position.column);
    if (found === null) return null;
    const { source, sourceLine, sourceColumn, name } = found;
    const text = textOf(source);
    const scope = table.functionAt(source, sourceLine, sourceColumn) ??
      (scopes === null ? undefined : scopeAt(scopes, line, position.column));
    return {
      source: table.sourceName(source),
      line: sourceLine + 1,
      column: sourceColumn + 1,
      name,
      ...scope === undefined ? {} : { scope },
      isIgnored: table.isIgnored(source),
      context: text === null ? null : contextLines(text, sourceLine, sourceColumn),
      isShifted: shift > 0,
    };
  });
}

function inSource(table: MapTable, line: number, column: number): Mapped | null {
  const found = table.find(line, column);
  return found === null || found.source < 0 ? null : found;
}

/** Some frame has no place where it says that it is, and one on the line below. */
function isShifted(table: MapTable, positions: readonly Position[]): boolean {
  return positions.some(({ line, column }) =>
    inSource(table, line, column) === null && inSource(table, line + 1, column) !== null
  );
}
