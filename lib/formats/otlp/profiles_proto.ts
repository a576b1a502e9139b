import { type Json, put } from "../json.ts";
import {
  type Attributed,
  cleanText,
  newGroup,
  newScope,
  type ResourceGroup,
  type Scope,
} from "./model.ts";
import { Budget, LIMITS as ImportedLIMITS } from "./profiles_limits.ts";
import {
  newDictionary,
  newProfile,
  newSample,
  type OtlpDictionary,
  type OtlpFunction,
  type OtlpLine,
  type OtlpLocation,
  type OtlpMapping,
  type OtlpProfile,
  type OtlpProfileLink,
  type OtlpProfiles,
  type OtlpSample,
  type OtlpValueType,
} from "./profiles_model.ts";
import { type FieldHandler, OtlpReader } from "./proto_reader.ts";
import { readValue } from "./proto_values.ts";
import { LIMITS } from "./request.ts";

const BYTES = 2;

/**
 * Reads an `ExportProfilesServiceRequest`. The dictionary comes last on the wire and is named everywhere: the body is
 * gone through three times, each time for what the time before made readable.
 *
 * @throws {Refusal} 400 when it is none, 413 when there is too much of it
 */
export function readProfiles(body: Uint8Array): OtlpProfiles {
  const budget = new Budget();
  const dictionary = newDictionary();
  for (const table of [textsField, tablesField]) {
    new ProfileReader(body, budget).readWhole((field, target, reader) => {
      if (field === 2 && reader.isMessage) reader.part(table, target);
    }, dictionary);
  }
  const groupField = groupHandler(dictionary.texts);
  const groups: ResourceGroup<OtlpProfile>[] = [];
  new ProfileReader(body, budget).readWhole((field, list, reader) => {
    if (field !== 1 || !reader.isMessage) return;
    budget.group();
    list.push(reader.part(groupField, newGroup()));
  }, groups);
  return { groups, dictionary };
}

function groupHandler(texts: readonly string[]): ProfileField<ResourceGroup<OtlpProfile>> {
  const scopeField = scopeHandler(texts);
  return (field, group, reader) => {
    if (!reader.isMessage) return;
    if (field === 2) {
      reader.budget.group();
      group.scopes.push(reader.part(scopeField, newScope()));
    } else if (field === 1) {
      reader.part((inner, target, resource) => {
        if (inner === 1) readAttributeWithTexts(target, resource, texts);
      }, group);
    }
  };
}

function scopeHandler(texts: readonly string[]): ProfileField<Scope<OtlpProfile>> {
  return (field, scope, reader) => {
    if (!reader.isMessage) return;
    if (field === 2) {
      reader.budget.profile();
      scope.items.push(reader.part(profileField, newProfile()));
    } else if (field === 1) {
      reader.part((inner, target, sent) => {
        if (inner === 1) target.name = sent.text(LIMITS.name);
        else if (inner === 2) target.version = sent.text(LIMITS.name);
        else if (inner === 3) readAttributeWithTexts(target, sent, texts);
      }, scope);
    }
  };
}

function profileField(field: number, profile: OtlpProfile, reader: ProfileReader): void {
  switch (field) {
    case 1:
      profile.type = reader.part(valueTypeField, { type: 0, unit: 0 });
      break;
    case 2:
      if (reader.isMessage) {
        reader.budget.sample();
        const sample = reader.part(sampleField, newSample());
        profile.isOlder ||= sample.isOlder;
        profile.samples.push(sample);
      }
      break;
    case 3:
      profile.time = reader.nanos();
      break;
    case 4:
      profile.duration = reader.nanos();
      break;
    case 5:
      profile.periodType = reader.part(valueTypeField, { type: 0, unit: 0 });
      break;
    case 6:
      profile.period = reader.bigInt64();
      break;
    case 7:
      profile.profileId = reader.id();
      break;
    case 8:
      // It was the id until October 2025; now it is a count.
      if (reader.type === BYTES) profile.isOlder = true;
      break;
    case 9:
      profile.originalFormat = reader.text(LIMITS.name);
      break;
    case 10:
      profile.original = reader.bytesOf();
      break;
    case 11:
      reader.placesInto(profile.attributes);
  }
}

function sampleField(field: number, sample: OtlpSample, reader: ProfileReader): void {
  switch (field) {
    case 1:
      sample.stack = reader.uint();
      break;
    case 2:
      reader.placesInto(sample.attributes);
      break;
    case 3:
      // It was a list, of attributes, until March 2026; and the next one was no list, but the link.
      if (reader.type === BYTES) sample.isOlder = true;
      sample.link = reader.uint();
      break;
    case 4:
      if (reader.type !== BYTES) sample.isOlder = true;
      reader.int64sInto(sample.values);
      break;
    case 5:
      reader.nanosInto(sample.times);
  }
}

/** Takes the texts of a `ProfilesDictionary`, which all else names. @throws {Refusal} 400 or 413 */
function textsField(
  field: number,
  { texts }: OtlpDictionary,
  reader: ProfileReader,
): void {
  if (field !== 5 || !reader.isMessage) return;
  reader.budget.part();
  texts.push(reader.text(ImportedLIMITS.text));
}

/** Takes the other tables of a `ProfilesDictionary`, once its texts are known. @throws {Refusal} 400 or 413 */
function tablesField(
  field: number,
  dictionary: OtlpDictionary,
  reader: ProfileReader,
): void {
  if (!reader.isMessage) return;
  switch (field) {
    case 1:
      dictionary.mappings.push(reader.part(mappingField, newMapping()));
      break;
    case 2:
      dictionary.locations.push(reader.part(locationField, newLocation()));
      break;
    case 3:
      dictionary.functions.push(
        reader.part(functionField, { name: 0, systemName: 0, filename: 0, startLine: 0 }),
      );
      break;
    case 4:
      dictionary.links.push(reader.part(linkField, { traceId: "", spanId: "" }));
      break;
    case 6:
      dictionary.attributes.push(readAttribute(reader, dictionary.texts));
      break;
    case 7:
      dictionary.stacks.push(reader.part(stackField, []));
  }
}

/** Takes a field of a `ValueType`. */
function valueTypeField(field: number, type: OtlpValueType, reader: ProfileReader): void {
  if (field === 1) type.type = reader.uint();
  else if (field === 2) type.unit = reader.uint();
}

function newMapping(): OtlpMapping {
  return { start: 0n, limit: 0n, offset: 0n, filename: 0, attributes: [] };
}

function newLocation(): OtlpLocation {
  return { mapping: 0, address: 0n, lines: [], attributes: [] };
}

function mappingField(field: number, mapping: OtlpMapping, reader: ProfileReader): void {
  switch (field) {
    case 1:
      mapping.start = reader.bigUint64();
      break;
    case 2:
      mapping.limit = reader.bigUint64();
      break;
    case 3:
      mapping.offset = reader.bigUint64();
      break;
    case 4:
      mapping.filename = reader.uint();
      break;
    case 5:
      reader.placesInto(mapping.attributes);
  }
}

function locationField(field: number, location: OtlpLocation, reader: ProfileReader): void {
  switch (field) {
    case 1:
      location.mapping = reader.uint();
      break;
    case 2:
      location.address = reader.bigUint64();
      break;
    case 3:
      if (reader.isMessage) {
        location.lines.push(reader.part(lineField, { function: 0, line: 0, column: 0 }));
      }
      break;
    case 4:
      reader.placesInto(location.attributes);
  }
}

function lineField(field: number, line: OtlpLine, reader: ProfileReader): void {
  switch (field) {
    case 1:
      line.function = reader.uint();
      break;
    case 2:
      line.line = reader.uint();
      break;
    case 3:
      line.column = reader.uint();
  }
}

function functionField(field: number, found: OtlpFunction, reader: ProfileReader): void {
  switch (field) {
    case 1:
      found.name = reader.uint();
      break;
    case 2:
      found.systemName = reader.uint();
      break;
    case 3:
      found.filename = reader.uint();
      break;
    case 4:
      found.startLine = reader.uint();
  }
}

function linkField(field: number, link: OtlpProfileLink, reader: ProfileReader): void {
  if (field === 1) link.traceId = reader.id();
  else if (field === 2) link.spanId = reader.id();
}

function stackField(field: number, stack: number[], reader: ProfileReader): void {
  if (field === 1) reader.placesInto(stack);
}

function readAttribute(reader: ProfileReader, texts: readonly string[]) {
  return reader.part((field, attribute, inner) => {
    if (field === 1) attribute.key = inner.uint();
    else if (field === 2) attribute.value = readValueWithTexts(inner, texts);
    else if (field === 3) attribute.unit = inner.uint();
  }, { key: 0, value: null as ReturnType<typeof readValueWithTexts>, unit: 0 });
}

/** Values and attributes of profiles, which may be places in the dictionary's texts. */

/** Reads an `AnyValue`. @throws {Refusal} 400 or 413 */
function readValueWithTexts(reader: ProfileReader, texts: readonly string[]): Json {
  if (!reader.isMessage) return null;
  const start = reader.pos;
  const value = readValue(reader);
  if (value !== null) return value;
  // Once more for the one field that no other signal has.
  reader.pos = start;
  reader.type = BYTES;
  const { place } = reader.part((field, target, inner) => {
    if (field === 8) target.place = inner.uint();
  }, { place: 0 });
  return texts[place] || null;
}

/** Reads a `KeyValue` into the attributes of `target`, or counts it as dropped. @throws {Refusal} 400 or 413 */
function readAttributeWithTexts(
  target: Attributed,
  reader: ProfileReader,
  texts: readonly string[],
): void {
  if (!reader.isMessage) return;
  const { key, value } = reader.part((field, pair, inner) => {
    if (field === 1) pair.key = inner.key();
    else if (field === 2) pair.value = readValueWithTexts(inner, texts);
    else if (field === 3) pair.key = cleanText(texts[inner.uint()] ?? "", LIMITS.name);
  }, { key: "", value: null as Json });
  if (key === "") return;
  if (target.attributeCount === LIMITS.attributes) {
    target.droppedAttributes++;
    return;
  }
  put(target.attributes, key, value);
  target.attributeCount++;
}

const VARINT = 0;
const FIXED64 = 1;

/** Takes one field of a message of profiles. */
type ProfileField<T> = (field: number, target: T, reader: ProfileReader) => void;

/** Reads messages of profiles, which have what no others have: lists of packed numbers, exact ones of 64 bits, bytes. */
class ProfileReader extends OtlpReader {
  constructor(bytes: Uint8Array, readonly budget: Budget) {
    super(bytes);
  }

  /** Reads the whole body as one message. @throws {Refusal} 400 when it is none, 413 when there is too much of it */
  readWhole<T>(handle: ProfileField<T>, target: T): T {
    return this.readAll(handle as FieldHandler<T>, target);
  }

  /** Reads a message into `target`, and counts it. @throws {Refusal} 400 or 413 */
  part<T>(handle: ProfileField<T>, target: T): T {
    this.budget.part();
    return this.message(handle as FieldHandler<T>, target);
  }

  /** Reads places in a table, packed or one at a time. @throws {Refusal} 413 */
  placesInto(list: number[]): void {
    this.#each((reader) => {
      reader.budget.places();
      list.push(reader.readVarint());
    }, VARINT);
  }

  /** Reads exact numbers with sign, packed or one at a time. @throws {Refusal} 413 */
  int64sInto(list: bigint[]): void {
    this.#each((reader) => {
      reader.budget.values();
      list.push(reader.#int64());
    }, VARINT);
  }

  /** Reads times in nanoseconds, packed or one at a time. @throws {Refusal} 413 */
  nanosInto(list: bigint[]): void {
    this.#each((reader) => {
      reader.budget.values();
      list.push(reader.#fixed64());
    }, FIXED64);
  }

  /** An exact number with sign; 0 when unset. */
  bigInt64(): bigint {
    return this.type === VARINT ? this.#int64() : 0n;
  }

  /** An exact number without sign; 0 when unset. */
  bigUint64(): bigint {
    return BigInt.asUintN(64, this.bigInt64());
  }

  /** A time in nanoseconds, of a fixed size or not; 0 when unset. */
  nanos(): bigint {
    return this.type === FIXED64 ? this.#fixed64() : this.bigUint64();
  }

  /** A view of bytes; null for none. @throws {Refusal} 400 */
  bytesOf(): Uint8Array | null {
    if (this.type !== BYTES) return null;
    const end = this.readVarint() + this.pos;
    const bytes = this.buf.subarray(this.pos, end);
    this.pos = end;
    return bytes;
  }

  #each(read: (reader: ProfileReader) => void, single: number): void {
    if (this.type === single) read(this);
    else if (this.type === BYTES) {
      const end = this.readVarint() + this.pos;
      while (this.pos < end) {
        // Beyond the body there are no bytes that could end a number, nor any of a fixed size.
        if (this.pos >= this.length) throw new RangeError("a list goes on beyond the body");
        read(this);
      }
      if (this.pos !== end) throw new RangeError("a list ends within a number");
    }
  }

  #int64(): bigint {
    const start = this.pos;
    const number = this.readVarint(true);
    if (Number.isSafeInteger(number)) return BigInt(number);
    let value = 0n;
    for (let at = start, shift = 0n; at < this.pos; at++, shift += 7n) {
      value |= BigInt((this.buf[at] ?? 0) & 0x7f) << shift;
    }
    return BigInt.asIntN(64, value);
  }

  #fixed64(): bigint {
    const low = this.readFixed32();
    return BigInt(this.readFixed32()) << 32n | BigInt(low);
  }
}
