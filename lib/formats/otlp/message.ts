import type { Json } from "../json.ts";
import type { Attributed } from "./model.ts";

/**
 * What a table asks of a field's value, in whichever encoding it came. A value of another type reads as unset: `""`, 0
 * or null.
 */
export interface FieldReader {
  /** A text cut to `limit` UTF-16 units. */
  text(limit: number): string;
  /** An id as hex digits; `""` when all zero. @param size in bytes, for base64 in JSON */
  id(size: 8 | 16): string;
  /** A count, flags or a place in a table. */
  uint(): number;
  /** An enum. @param names in JSON, by number, without `prefix` */
  choice(prefix: string, names: readonly string[]): number;
  /** Nanoseconds since 1970, to the last digit. */
  nanos(): bigint;
  /** Milliseconds since 1970 with microseconds. */
  millis(): number;
  /** A `fixed64`; beyond 2^53 the nearest that a double holds. */
  count(): number;
  /** An `sfixed64`, or null. */
  whole(): number | null;
  double(): number | null;
  sint(): number;
  /** Adds the numbers of a list. */
  fixed64s(list: number[]): void;
  doubles(list: number[]): void;
  varints(list: number[]): void;
  /** An `AnyValue`. */
  value(): Json;
  /** Adds `KeyValue`s to the attributes of `target`. */
  attributes(target: Attributed): void;
  /** Reads a message into `target`. */
  inner<T>(fields: Message<T, this>, target: T): T;
  /** Calls `add` for every message of a repeated field. */
  each<T>(add: (target: T, from: this) => void, target: T): void;
}

/** Reads one field of a message into `target`. */
export type Take<T, R> = (target: T, from: R) => void;

/** A field: its number in protobuf, its name in JSON in lowerCamelCase, and how both are read. 0 and `""` for none. */
export type Field<T, R = FieldReader> = readonly [number: number, name: string, take: Take<T, R>];

/** What a message consists of. `R` is the reader that its fields need. */
export interface Message<T, R = FieldReader> {
  /** Fields by their numbers in protobuf; what is not here is skipped. */
  readonly byNumber: readonly (Take<T, R> | undefined)[];
  /** Fields by their names in JSON, and by those in the protocol's definition, which stand back. */
  readonly byName: ReadonlyMap<string, { readonly name: string; readonly take: Take<T, R> }>;
}

/** The table of a message's fields, which both encodings read it by. */
export function message<T, R = FieldReader>(...fields: readonly Field<T, R>[]): Message<T, R> {
  const last = Math.max(...fields.map(([number]) => number));
  const byNumber: (Take<T, R> | undefined)[] = new Array(last + 1).fill(undefined);
  const byName = new Map<string, { name: string; take: Take<T, R> }>();
  for (const [number, name, take] of fields) {
    if (number > 0) byNumber[number] = take;
    if (name !== "") byName.set(snakeCase(name), { name, take }).set(name, { name, take });
  }
  return { byNumber, byName };
}

/** Names of fields are ours, and few. */
const snakeCases = new Map<string, string>();

/** A name as the protocol's definition writes it. */
export function snakeCase(camel: string): string {
  let snake = snakeCases.get(camel);
  if (snake === undefined) {
    snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCases.set(camel, snake);
  }
  return snake;
}
