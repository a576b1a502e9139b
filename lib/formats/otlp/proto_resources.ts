import { LIMITS } from "./limits.ts";
import { type Attributed, newGroup, newScope, type ResourceGroup, type Scope } from "./model.ts";
import { readAttribute } from "./proto_any_value.ts";
import { type FieldHandler, OtlpReader } from "./reader.ts";

/** Reads one item, such as a span, as a message. */
export type ItemReader<T> = (reader: OtlpReader) => T;

/**
 * Reads what traces and logs have in common: a list of resources, each with scopes, each with items.
 *
 * @param body an export request as protobuf
 * @throws {Refusal} 400 when it is none, 413 when it has too many parts
 */
export function readGroups<T>(body: Uint8Array, readItem: ItemReader<T>): ResourceGroup<T>[] {
  const scopeField = scopeHandler(readItem);
  const groupField = groupHandler(scopeField);
  const groups: ResourceGroup<T>[] = [];
  return new OtlpReader(body).readAll((field, list, reader) => {
    if (field === 1 && reader.isMessage) list.push(reader.message(groupField, newGroup<T>()));
  }, groups);
}

function groupHandler<T>(scopeField: FieldHandler<Scope<T>>): FieldHandler<ResourceGroup<T>> {
  return (field, group, reader) => {
    if (field === 1) reader.message(resourceField, group);
    else if (field === 2 && reader.isMessage) {
      group.scopes.push(reader.message(scopeField, newScope<T>()));
    }
  };
}

/** Takes a field of a `Resource`. */
export function resourceField(field: number, group: Attributed, reader: OtlpReader): void {
  if (field === 1) readAttribute(group, reader);
  else if (field === 2) group.droppedAttributes += reader.uint();
}

function scopeHandler<T>(readItem: ItemReader<T>): FieldHandler<Scope<T>> {
  return (field, scope, reader) => {
    if (field === 1) reader.message(instrumentationField, scope);
    else if (field === 2 && reader.isMessage) scope.items.push(readItem(reader));
  };
}

/** Takes a field of an `InstrumentationScope`. */
export function instrumentationField(
  field: number,
  scope: Attributed & { name: string; version: string },
  reader: OtlpReader,
): void {
  switch (field) {
    case 1:
      scope.name = reader.text(LIMITS.name);
      break;
    case 2:
      scope.version = reader.text(LIMITS.name);
      break;
    case 3:
      readAttribute(scope, reader);
      break;
    case 4:
      scope.droppedAttributes += reader.uint();
  }
}
