/**
 * Base64 VLQ, as `mappings` have it, one segment at a time. Libraries decode a map as a whole into a list for each segment: for
 * the eight million that a map may have, more than a gigabyte.
 */
import { BadMap } from "./problems.ts";

/** A segment, its fields added up; -1 for what it does not have. Broken maps have other negative numbers. */
export interface Segment {
  line: number;
  column: number;
  source: number;
  sourceLine: number;
  sourceColumn: number;
  name: number;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUE = new Int8Array(128).fill(-1);
for (let value = 0; value < DIGITS.length; value++) VALUE[DIGITS.charCodeAt(value)] = value;

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const MAX_FIELDS = 5;
const MAX_VALUE = 2 ** 31 - 1;

/**
 * Calls `each` for every segment in the order written, always with the same object.
 *
 * @throws {BadMap} for what is no VLQ
 */
export function eachSegment(mappings: string, each: (segment: Segment) => void): void {
  const at: Segment = { line: 0, column: 0, source: -1, sourceLine: 0, sourceColumn: 0, name: -1 };
  const sums = [0, 0, 0, 0];
  eachGroup(mappings, (values, count, line) => {
    if (line !== at.line) {
      at.line = line;
      at.column = 0;
    }
    if (count !== 1 && count !== 4 && count !== 5) {
      throw new BadMap(`The source map has a segment of ${count} fields.`);
    }
    at.column = added(at.column, values[0]);
    const hasSource = count >= 4;
    if (hasSource) { for (let i = 0; i < 3; i++) sums[i] = added(sums[i], values[i + 1]); }
    if (count === 5) sums[3] = added(sums[3], values[4]);
    at.source = hasSource ? sums[0] ?? -1 : -1;
    at.sourceLine = hasSource ? sums[1] ?? 0 : 0;
    at.sourceColumn = hasSource ? sums[2] ?? 0 : 0;
    at.name = count === 5 ? sums[3] ?? -1 : -1;
    each(at);
  });
}

/** A place from which on a function of a source goes, in Metro's maps. */
export interface FunctionStart {
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
  readonly name: number;
}

/** Metro's mappings of functions: column, name and line, the latter two added up over all. @throws {BadMap} */
export function functionStarts(mappings: string): FunctionStart[] {
  const starts: FunctionStart[] = [];
  let [line, column, name, group] = [1, 0, 0, 0];
  eachGroup(mappings, (values, _count, groupLine) => {
    if (groupLine !== group) {
      group = groupLine;
      column = 0;
    }
    column = added(column, values[0]);
    name = added(name, values[1]);
    line = added(line, values[2]);
    starts.push({ line, column, name });
  });
  return starts.sort((a, b) => a.line - b.line || a.column - b.column);
}

function added(sum = 0, value = 0): number {
  const result = sum + value;
  if (Math.abs(result) > MAX_VALUE) {
    throw new BadMap("The source map has a position outside of any file.");
  }
  return result;
}

function eachGroup(
  text: string,
  each: (values: Int32Array, count: number, line: number) => void,
): void {
  const values = new Int32Array(MAX_FIELDS);
  let [line, count, value, shift] = [0, 0, 0, 0];
  const end = () => {
    if (shift > 0) throw new BadMap("The mappings of the source map are cut off.");
    if (count > 0) each(values, count, line);
    count = 0;
    values.fill(0);
  };
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA || code === SEMICOLON) {
      end();
      if (code === SEMICOLON) line++;
      continue;
    }
    const digit = code < 128 ? VALUE[code] ?? -1 : -1;
    if (digit < 0 || shift > 30) {
      throw new BadMap("The mappings of the source map are garbage.");
    }
    value += (digit & 31) * 2 ** shift;
    if ((digit & 32) !== 0) {
      shift += 5;
      continue;
    }
    if (value > 2 * MAX_VALUE + 1 || count === MAX_FIELDS) {
      throw new BadMap("The mappings of the source map are garbage.");
    }
    values[count++] = (value & 1) === 1 ? -Math.floor(value / 2) : Math.floor(value / 2);
    value = shift = 0;
  }
  end();
}
