import { asObject, type Raw } from "../../sentry/fields.ts";
import { tooManyItems, tooManyParts, unreadable } from "../refusals.ts";
import { LIMITS } from "../limits.ts";
import { newGroup, newScope, type ResourceGroup, type Scope } from "../model.ts";
import { readAttributes } from "./any_value.ts";
import { field, objectsIn, textOf } from "./fields.ts";

/** Where the lists of a signal are, and what reads one item. */
export interface JsonSignal<T> {
  readonly what: "spans" | "logs";
  readonly groups: string;
  readonly scopes: string;
  readonly items: string;
  readonly readItem: (raw: Raw) => T;
}

const decoder = new TextDecoder();

/**
 * Reads what traces and logs have in common: a list of resources, each with scopes, each with items.
 *
 * @param body an export request as JSON
 * @throws {Refusal} 400 when it is none, 413 when it has too many items or parts
 */
export function readGroups<T>(body: Uint8Array, signal: JsonSignal<T>): ResourceGroup<T>[] {
  if (body.length === 0) return [];
  refuseFloods(body);
  const groups = objectsIn(field(parse(body), signal.groups))
    .map((raw) => ({ raw, scopes: objectsIn(field(raw, signal.scopes)) }));
  let items = 0;
  for (const { scopes } of groups) {
    for (const scope of scopes) items += listIn(scope, signal.items).length;
  }
  if (items > LIMITS[signal.what]) throw tooManyItems(signal.what);
  return groups.map(({ raw, scopes }) => readGroup(raw, scopes, signal));
}

function parse(body: Uint8Array): Raw {
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(body));
  } catch {
    throw unreadable("JSON");
  }
  const raw = asObject(parsed);
  if (raw === undefined) throw unreadable("JSON", "it is no object");
  return raw;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Counts brackets before the parser makes objects of them; those in texts as well, of which there are fewer. */
function refuseFloods(body: Uint8Array): void {
  let brackets = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) brackets++;
  }
  if (brackets > LIMITS.brackets) throw tooManyParts();
}

function listIn(raw: Raw, name: string): unknown[] {
  const list = field(raw, name);
  return Array.isArray(list) ? list : [];
}

function readGroup<T>(
  raw: Raw,
  scopes: readonly Raw[],
  signal: JsonSignal<T>,
): ResourceGroup<T> {
  const group = newGroup<T>();
  readAttributes(group, asObject(raw.resource) ?? {});
  for (const scope of scopes) group.scopes.push(readScope(scope, signal));
  return group;
}

function readScope<T>(raw: Raw, { items, readItem }: JsonSignal<T>): Scope<T> {
  const scope = newScope<T>();
  const sent = asObject(raw.scope) ?? {};
  scope.name = textOf(sent.name, LIMITS.name);
  scope.version = textOf(sent.version, LIMITS.name);
  readAttributes(scope, sent);
  for (const item of objectsIn(listIn(raw, items))) scope.items.push(readItem(item));
  return scope;
}
