import { CONTEXT_FACTS, USER_FACTS } from "../../records/event_facts.ts";
import { clippedName, readText } from "../fields.ts";
import { TEXT } from "../limits.ts";
import { userKey } from "./user.ts";
import type { NormalizedEvent, Pair } from "./normalized_event.ts";

/**
 * What an event is found by beside its tags: the rest of its user, all its exceptions, and what its contexts say. Tags
 * that say the same are not repeated.
 */
export function searchFacts(event: NormalizedEvent, tags: readonly Pair[]): Pair[] {
  const known = new Set(tags.map(([key, value]) => `${key}\n${value}`));
  const facts = new Map<string, Pair>();
  for (const [key, sent] of factsOf(event)) {
    const value = clippedName(sent, TEXT.name);
    const id = `${key}\n${value}`;
    if (value && !known.has(id)) facts.set(id, [key, value]);
  }
  return [...facts.values()];
}

function* factsOf(event: NormalizedEvent): Generator<[key: string, value: string | undefined]> {
  const { user } = event;
  const identity = userKey(user);
  for (const [kind, field] of Object.entries(USER_FACTS)) {
    const value = readText(user?.[field]);
    // The first one identifies the user, and issues know it already.
    if (`${kind}:${value}` !== identity) yield [`user.${kind}`, value];
  }
  yield ["user.name", readText(user?.name)];
  for (const { type, value } of event.exception?.values ?? []) {
    yield ["error.type", readText(type)];
    yield ["error.value", readText(value)];
  }
  yield ["http.method", readText(event.request?.method)];
  for (const [context, fields] of Object.entries(CONTEXT_FACTS)) {
    for (const field of fields) {
      yield [`${context}.${field}`, readText(event.contexts?.[context]?.[field])];
    }
  }
}
