import { asObject, type Raw } from "../fields.ts";
import type { Json } from "../json.ts";
import { valueOf } from "./any_value.ts";
import { field, idOf, objectsIn, textOf } from "./fields.ts";
import type { Budget } from "./budget.ts";
import { LIMITS } from "./profiles_limits_2.ts";
import type { OtlpDictionary, OtlpLocation, OtlpValueType } from "./profiles_model_2.ts";
import { placeOf, placesOf, uint64Of } from "./json_fields.ts";

/** Reads a `ProfilesDictionary`. @throws {Refusal} 413 when there is too much of it */
export function dictionaryOf(raw: Raw, budget: Budget): OtlpDictionary {
  const table = (name: string): unknown[] => {
    const list = field(raw, name);
    return Array.isArray(list) ? list : [];
  };
  // A row that is no object keeps its place: others are named by theirs.
  const rows = (name: string): Raw[] => table(name).map((row) => asObject(row) ?? {});
  const texts = table("stringTable").map((text) => textOf(text, LIMITS.text));
  return {
    texts,
    mappings: rows("mappingTable").map((row) => ({
      start: uint64Of(field(row, "memoryStart")),
      limit: uint64Of(field(row, "memoryLimit")),
      offset: uint64Of(field(row, "fileOffset")),
      filename: placeOf(field(row, "filenameStrindex")),
      attributes: placesOf(field(row, "attributeIndices"), budget),
    })),
    locations: rows("locationTable").map((row) => locationOf(row, budget)),
    functions: rows("functionTable").map((row) => ({
      name: placeOf(field(row, "nameStrindex")),
      systemName: placeOf(field(row, "systemNameStrindex")),
      filename: placeOf(field(row, "filenameStrindex")),
      startLine: placeOf(field(row, "startLine")),
    })),
    links: rows("linkTable").map((row) => ({
      traceId: idOf(field(row, "traceId"), 16),
      spanId: idOf(field(row, "spanId"), 8),
    })),
    attributes: rows("attributeTable").map((row) => ({
      key: placeOf(field(row, "keyStrindex")),
      value: valueWithTexts(row.value, texts),
      unit: placeOf(field(row, "unitStrindex")),
    })),
    stacks: rows("stackTable").map((row) => placesOf(field(row, "locationIndices"), budget)),
  };
}

/** An `AnyValue`, which may be a place in the texts. */
export function valueWithTexts(sent: unknown, texts: readonly string[]): Json {
  const value = valueOf(sent);
  if (value !== null) return value;
  return texts[placeOf(field(asObject(sent) ?? {}, "stringValueStrindex"))] || null;
}

/** A `ValueType`, or null. */
export function valueTypeOf(sent: unknown): OtlpValueType | null {
  const raw = asObject(sent);
  if (raw === undefined) return null;
  return {
    type: placeOf(field(raw, "typeStrindex")),
    unit: placeOf(field(raw, "unitStrindex")),
  };
}

function locationOf(row: Raw, budget: Budget): OtlpLocation {
  return {
    mapping: placeOf(field(row, "mappingIndex")),
    address: uint64Of(row.address),
    lines: objectsIn(row.lines).map((line) => ({
      function: placeOf(field(line, "functionIndex")),
      line: placeOf(line.line),
      column: placeOf(line.column),
    })),
    attributes: placesOf(field(row, "attributeIndices"), budget),
  };
}
