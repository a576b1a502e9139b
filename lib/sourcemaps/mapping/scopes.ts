/**
 * Names of functions. A map names the identifier at a place, which is as a rule what is called there, and not the function that
 * one is in: that is found in the minified file, and its name is translated by the map at the place where it is written.
 */
import { type AnyNode, parse } from "acorn";
import type { MapTable } from "./map_table.ts";

/** Larger files would take seconds and half a gigabyte to parse. */
const MAX_CHARS = 5 * 2 ** 20;
const MAX_NAME = 200;
/** Of a name that is written as `a.b.c`. */
const MAX_PIECES = 12;

export const ANONYMOUS = "<anonymous>";

/** What is known of a minified file beside its map. */
export interface Scopes {
  /** Places from which on another function goes, sorted: line, column (both from 0) and name. -1: in no function. */
  readonly starts: Int32Array;
  readonly names: readonly string[];
  /**
   * The file registers its debug id twice: the tool that uploaded it put a line in front that the deployed file may
   * not have.
   */
  readonly isDoubled: boolean;
}

/** A part of a name: an identifier that the map may translate, or text that stays. */
type Piece = string | { readonly text: string; readonly at: number };

interface FunctionScope {
  readonly start: number;
  readonly end: number;
  readonly name: readonly Piece[];
}

const SNIPPET = "_sentryDebugIds";

/** Finds the functions of a minified file, with names as the map has them; none where it is too large or cannot be parsed. */
export function readScopes(code: string, table: MapTable): Scopes {
  const [first = "", second = ""] = code.slice(0, 4_000).split("\n", 2);
  const isDoubled = first.includes(SNIPPET) && second.includes(SNIPPET);
  const functions = code.length > MAX_CHARS ? [] : functionsIn(code);
  const place = placesIn(code);
  const named = functions.map(({ start, end, name }) => ({
    start,
    end,
    name: translated(name, end, place, table),
  }));
  return { ...startsOf(named, place), isDoubled };
}

/** The function that a position is in: undefined when it is in none, or nothing is known. @param line and column from 0 */
export function scopeAt(
  { starts, names }: Scopes,
  line: number,
  column: number,
): string | undefined {
  let [low, high] = [0, starts.length / 3 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const startLine = starts[3 * middle] ?? 0;
    const isAfter = startLine > line ||
      startLine === line && (starts[3 * middle + 1] ?? 0) > column;
    if (isAfter) high = middle - 1;
    else low = middle + 1;
  }
  return high < 0 ? undefined : names[starts[3 * high + 2] ?? -1];
}

function functionsIn(code: string): FunctionScope[] {
  const options = {
    ecmaVersion: "latest",
    allowReturnOutsideFunction: true,
    allowHashBang: true,
    allowAwaitOutsideFunction: true,
  } as const;
  for (const sourceType of ["module", "script"] as const) {
    try {
      const found: FunctionScope[] = [];
      walk(parse(code, { ...options, sourceType }), [], null, found);
      return found;
    } catch {
      // Not of this kind, not JavaScript, or nested too deeply: frames keep their own names.
    }
  }
  return [];
}

/** @param held the name that an anonymous function gets from what holds it @param owner the name of the class around */
function walk(
  node: AnyNode,
  held: readonly Piece[],
  owner: readonly Piece[] | null,
  found: FunctionScope[],
): void {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      found.push({ start: node.start, end: node.end, name: node.id ? pieces(node.id) : held });
      return children(node, null, found);
    case "ClassDeclaration":
    case "ClassExpression":
      return children(node, node.id ? pieces(node.id) : held, found);
    case "VariableDeclarator":
      if (node.init) walk(node.init, pieces(node.id), owner, found);
      return walk(node.id, [], owner, found);
    case "AssignmentExpression":
    case "AssignmentPattern":
      walk(node.left, [], owner, found);
      return walk(node.right, pieces(node.left), owner, found);
    case "MethodDefinition":
    case "PropertyDefinition":
      walk(node.key, [], owner, found);
      if (node.value) walk(node.value, memberName(node, owner), owner, found);
      return;
    case "Property":
      walk(node.key, [], owner, found);
      return walk(node.value, propertyName(node), owner, found);
    default:
      return children(node, owner, found);
  }
}

function children(node: AnyNode, owner: readonly Piece[] | null, found: FunctionScope[]): void {
  for (const value of Object.values(node)) {
    if (isNode(value)) walk(value, [], owner, found);
    else if (Array.isArray(value)) {
      for (const each of value) if (isNode(each)) walk(each, [], owner, found);
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The name that is written as an identifier or as members of one; nothing for anything else. */
function pieces(node: AnyNode): Piece[] {
  switch (node.type) {
    case "Identifier":
      return [{ text: node.name, at: node.start }];
    case "PrivateIdentifier":
      return [{ text: `#${node.name}`, at: node.start }];
    case "ThisExpression":
      return ["this"];
    case "Literal":
      return typeof node.value === "string" ? [node.value] : [];
    case "MemberExpression": {
      const object = pieces(node.object);
      const property = node.computed && node.property.type !== "Literal"
        ? []
        : pieces(node.property);
      if (object.length === 0 || property.length === 0) return property;
      return object.length > MAX_PIECES ? object : [...object, ".", ...property];
    }
    default:
      return [];
  }
}

type Member = Extract<AnyNode, { type: "MethodDefinition" | "PropertyDefinition" }>;

function memberName(node: Member, owner: readonly Piece[] | null): Piece[] {
  const named = owner ?? [];
  if (node.type === "MethodDefinition" && node.kind === "constructor") {
    return named.length > 0 ? ["new ", ...named] : ["constructor"];
  }
  const key = node.computed ? [] : pieces(node.key);
  const accessor = node.type === "MethodDefinition" && (node.kind === "get" || node.kind === "set")
    ? [`${node.kind} `]
    : [];
  if (key.length === 0) return [];
  return named.length > 0 ? [...accessor, ...named, ".", ...key] : [...accessor, ...key];
}

function propertyName(node: Extract<AnyNode, { type: "Property" }>): Piece[] {
  const key = node.computed ? [] : pieces(node.key);
  if (key.length === 0) return [];
  return [...(node.kind === "init" ? [] : [`${node.kind} `]), "<object>.", ...key];
}

/** Offset → line and column, from 0. */
type Places = (offset: number) => readonly [line: number, column: number];

function placesIn(code: string): Places {
  const lines = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) lines.push(at + 1);
  return (offset) => {
    let [low, high] = [0, lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return [low, offset - (lines[low] ?? 0)];
  };
}

function translated(
  name: readonly Piece[],
  end: number,
  place: Places,
  table: MapTable,
): string {
  let isTranslated = false;
  const parts = name.map((piece) => {
    if (typeof piece === "string") return piece;
    const original = nameAt(...place(piece.at), table);
    if (original !== null) isTranslated = true;
    return original ?? piece.text;
  });
  if (!isTranslated) {
    // Some compilers put the name on the brace that closes the function.
    const last = nameAt(...place(end - 1), table);
    if (last !== null && (parts.length > 0 || last.startsWith("$async$"))) return cut(last);
  }
  return cut(folded(parts.join(""))) || ANONYMOUS;
}

/** The name that the map has exactly at a place, or right before it for the same place of the source. */
function nameAt(line: number, column: number, table: MapTable): string | null {
  const [found, before] = table.around(line, column) ?? [null, null];
  if (found === null || found.column < column - 1) return null;
  if (found.name !== null) return found.name;
  const isSame = before !== null && before.source === found.source && found.source >= 0 &&
    before.sourceLine === found.sourceLine && before.sourceColumn === found.sourceColumn;
  return isSame ? before.name : null;
}

/** `a.a.a.f` → `{a#3}.f` */
function folded(name: string): string {
  return name.replace(
    /(?<=^|\.)([^.\s]{1,100})(?:\.\1(?=\.|$)){2,}/g,
    (all: string, part: string) => `{${part}#${(all.length + 1) / (part.length + 1)}}`,
  );
}

function cut(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

function startsOf(
  functions: readonly { readonly start: number; readonly end: number; readonly name: string }[],
  place: Places,
): Pick<Scopes, "starts" | "names"> {
  const ids = new Map<string, number>();
  const idOf = (name: string) => {
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    return id;
  };
  const starts: number[] = [];
  const open: { readonly end: number; readonly id: number }[] = [];
  const closeUntil = (offset: number) => {
    while ((open.at(-1)?.end ?? Infinity) <= offset) {
      const end = open.pop()?.end ?? 0;
      starts.push(...place(end), open.at(-1)?.id ?? -1);
    }
  };
  for (const { start, end, name } of functions.toSorted((a, b) => a.start - b.start)) {
    closeUntil(start);
    const id = idOf(name);
    open.push({ end, id });
    starts.push(...place(start), id);
  }
  closeUntil(Number.MAX_SAFE_INTEGER);
  return { starts: Int32Array.from(starts), names: [...ids.keys()] };
}

const encoder = new TextEncoder();

/** Scopes as bytes. */
export function packScopes({ starts, names, isDoubled }: Scopes): Uint8Array {
  const words = encoder.encode(JSON.stringify({ names, isDoubled }));
  const whole = new Uint8Array(4 + starts.byteLength + words.length);
  new DataView(whole.buffer).setInt32(0, starts.length, true);
  whole.set(new Uint8Array(starts.buffer, starts.byteOffset, starts.byteLength), 4);
  whole.set(words, 4 + starts.byteLength);
  return whole;
}

/** What {@linkcode packScopes} made. @throws {Error} for anything else */
export function unpackScopes(bytes: Uint8Array): Scopes {
  const { buffer, byteOffset, byteLength } = bytes;
  const count = new DataView(buffer, byteOffset, byteLength).getInt32(0, true);
  const end = 4 + 4 * count;
  const starts = new Int32Array(bytes.slice(4, end).buffer);
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(end))), starts };
}
