import { Buffer } from "node:buffer";
import { asObject, type Raw, readInteger } from "../fields.ts";
import { type Json, put } from "../json.ts";
import { field, idOf, objectsIn, parseRequest, textOf, valueOf } from "./json.ts";
import {
  type Attributed,
  cleanText,
  newGroup,
  newScope,
  type ResourceGroup,
  type Scope,
} from "./model.ts";
import {
  Budget,
  LIMITS as ImportedLIMITS,
  LIMITS as PROFILE_LIMITS,
  tooManyParts,
} from "./profiles_limits.ts";
import type {
  OtlpDictionary,
  OtlpLocation,
  OtlpProfile,
  OtlpProfiles,
  OtlpValueType,
} from "./profiles_model.ts";
import { LIMITS } from "./request.ts";

const PARTS = { parts: PROFILE_LIMITS.jsonParts, tooMany: tooManyParts };

/**
 * Reads an `ExportProfilesServiceRequest`.
 *
 * @param body JSON
 * @throws {Refusal} 400 when it is none, 413 when there is too much of it
 */
export function profilesOf(body: Uint8Array): OtlpProfiles {
  const raw = parseRequest(body, PARTS);
  const budget = new Budget();
  const dictionary = dictionaryOf(asObject(raw.dictionary) ?? {}, budget);
  const surroundings = { texts: dictionary.texts, budget };
  const groups = objectsIn(field(raw, "resourceProfiles"))
    .map((group) => groupOf(group, surroundings));
  return { groups, dictionary };
}

interface Surroundings {
  readonly texts: readonly string[];
  readonly budget: Budget;
}

function groupOf(raw: Raw, surroundings: Surroundings): ResourceGroup<OtlpProfile> {
  surroundings.budget.group();
  const group = newGroup<OtlpProfile>();
  readAttributes(group, asObject(raw.resource) ?? {}, surroundings);
  for (const scope of objectsIn(field(raw, "scopeProfiles"))) {
    group.scopes.push(scopeOf(scope, surroundings));
  }
  return group;
}

function scopeOf(raw: Raw, surroundings: Surroundings): Scope<OtlpProfile> {
  surroundings.budget.group();
  const scope = newScope<OtlpProfile>();
  const sent = asObject(raw.scope) ?? {};
  scope.name = textOf(sent.name, LIMITS.name);
  scope.version = textOf(sent.version, LIMITS.name);
  readAttributes(scope, sent, surroundings);
  for (const profile of objectsIn(raw.profiles)) {
    surroundings.budget.profile();
    scope.items.push(profileOf(profile, surroundings.budget));
  }
  return scope;
}

function readAttributes(target: Attributed, raw: Raw, { texts }: Surroundings): void {
  for (const pair of objectsIn(raw.attributes).slice(0, LIMITS.attributes)) {
    const key = textOf(pair.key, LIMITS.name) ||
      cleanText(texts[placeOf(field(pair, "keyStrindex"))] ?? "", LIMITS.name);
    if (key === "") continue;
    put(target.attributes, key, valueWithTexts(pair.value, texts));
    target.attributeCount++;
  }
}

function profileOf(raw: Raw, budget: Budget): OtlpProfile {
  return {
    type: valueTypeOf(field(raw, "sampleType")),
    samples: objectsIn(raw.samples).map((sample) => ({
      stack: placeOf(field(sample, "stackIndex")),
      link: placeOf(field(sample, "linkIndex")),
      attributes: placesOf(field(sample, "attributeIndices"), budget),
      values: int64sOf(sample.values, budget),
      times: int64sOf(field(sample, "timestampsUnixNano"), budget),
      isOlder: false,
    })),
    time: uint64Of(field(raw, "timeUnixNano")),
    duration: uint64Of(field(raw, "durationNano")),
    periodType: valueTypeOf(field(raw, "periodType")),
    period: int64Of(raw.period),
    profileId: profileIdOf(field(raw, "profileId")),
    attributes: placesOf(field(raw, "attributeIndices"), budget),
    originalFormat: textOf(field(raw, "originalPayloadFormat"), LIMITS.name),
    original: bytesOf(field(raw, "originalPayload")),
    // The names of fields changed as well: `sample` became `samples`.
    isOlder: Array.isArray(raw.sample),
  };
}

/** Reads a `ProfilesDictionary`. @throws {Refusal} 413 when there is too much of it */
function dictionaryOf(raw: Raw, budget: Budget): OtlpDictionary {
  const table = (name: string): unknown[] => {
    const list = field(raw, name);
    return Array.isArray(list) ? list : [];
  };
  // A row that is no object keeps its place: others are named by theirs.
  const rows = (name: string): Raw[] => table(name).map((row) => asObject(row) ?? {});
  const texts = table("stringTable").map((text) => textOf(text, ImportedLIMITS.text));
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
function valueWithTexts(sent: unknown, texts: readonly string[]): Json {
  const value = valueOf(sent);
  if (value !== null) return value;
  return texts[placeOf(field(asObject(sent) ?? {}, "stringValueStrindex"))] || null;
}

/** A `ValueType`, or null. */
function valueTypeOf(sent: unknown): OtlpValueType | null {
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

/** Readers of single fields that only profiles have, on top of those that all of OTLP's JSON has. */

const INT64 = /^[+-]?\d{1,20}$/;
const UUID_HEX = /^[0-9a-f]{32}$/i;
const ZEROS = /^0*$/;
/** Of 16 bytes, the padding included. */
const BASE64_ID = 24;

/** A place in a table; 0 for none. */
function placeOf(value: unknown): number {
  return readInteger(value) ?? 0;
}

/** Places in a table. What is none leads nowhere. @throws {Refusal} 413 for too many */
function placesOf(value: unknown, budget: Budget): number[] {
  if (!Array.isArray(value)) return [];
  budget.places(value.length);
  return value.map((place: unknown) => readInteger(place) ?? Infinity);
}

/** An exact number of 64 bits, as a text or a number; 0 for what is none. */
function int64Of(value: unknown): bigint {
  if (typeof value === "number" && Number.isFinite(value)) {
    return BigInt.asIntN(64, BigInt(Math.trunc(value)));
  }
  return typeof value === "string" && INT64.test(value) ? BigInt.asIntN(64, BigInt(value)) : 0n;
}

/** The same without sign. */
function uint64Of(value: unknown): bigint {
  return BigInt.asUintN(64, int64Of(value));
}

/** Exact numbers. @throws {Refusal} 413 for too many */
function int64sOf(value: unknown, budget: Budget): bigint[] {
  if (!Array.isArray(value)) return [];
  budget.values(value.length);
  return value.map(int64Of);
}

/** An id of 16 bytes as hex digits, which collectors write, or base64; `""` for none. */
function profileIdOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const hex = value.length === BASE64_ID ? Buffer.from(value, "base64").toString("hex") : value;
  return UUID_HEX.test(hex) && !ZEROS.test(hex) ? hex.toLowerCase() : "";
}

/** Bytes of base64, standard or URL-safe; null for none. */
function bytesOf(value: unknown): Uint8Array | null {
  if (typeof value !== "string" || value === "") return null;
  return new Uint8Array(Buffer.from(value, "base64"));
}
