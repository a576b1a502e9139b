import { asObject, type Raw } from "../fields.ts";
import { tooManyItems, tooManyParts } from "./refusals.ts";
import { LIMITS } from "./limits.ts";
import { newGroup, newScope, type ResourceGroup, type Scope } from "./model.ts";
import { readAttributes } from "./any_value.ts";
import { field, objectsIn, textOf } from "./fields.ts";
import { parseRequest } from "./parse_request.ts";

/** Where the lists of a signal are, and what reads one item. */
export interface JsonSignal<T> {
  readonly what: "spans" | "logs";
  readonly groups: string;
  readonly scopes: string;
  readonly items: string;
  readonly readItem: (raw: Raw) => T;
}

const PARTS = { parts: LIMITS.jsonParts, tooMany: tooManyParts };

/**
 * Reads what traces and logs have in common: a list of resources, each with scopes, each with items.
 *
 * @param body an export request as JSON
 * @throws {Refusal} 400 when it is none, 413 when it has too many items or parts
 */
export function readGroups<T>(body: Uint8Array, signal: JsonSignal<T>): ResourceGroup<T>[] {
  const sent = objectsIn(field(parseRequest(body, PARTS), signal.groups));
  if (sent.length > LIMITS.groups) throw tooManyParts();
  const groups = sent
    .map((raw) => ({ raw, scopes: objectsIn(field(raw, signal.scopes)) }));
  let items = 0;
  let places = groups.length;
  for (const { scopes } of groups) {
    places += scopes.length;
    for (const scope of scopes) items += listIn(scope, signal.items).length;
  }
  if (items > LIMITS[signal.what]) throw tooManyItems(signal.what);
  if (places > LIMITS.groups) throw tooManyParts();
  return groups.map(({ raw, scopes }) => readGroup(raw, scopes, signal));
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
