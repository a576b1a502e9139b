import {
  checkedText,
  decodeFunctions,
  decodeLocations,
  decodeMappings,
  decodeStrings,
  decodeValueType,
} from "./decode_tables.ts";
import { decodeSamples } from "./decode_samples.ts";
import {
  LIMITS,
  noRepairs,
  PprofError,
  repairedDuration,
  repairedTime,
  type Repairs,
} from "./faults.ts";
import type { PprofProfile, ValueType } from "./profile.ts";
import { BYTES, refuseDamaged, Spans, tooMany, WireReader } from "./wire_reader.ts";

/** A profile, and what had to be repaired for it. */
export interface DecodedPprof {
  readonly profile: PprofProfile;
  readonly repairs: Readonly<Repairs>;
}

/**
 * Reads a profile and checks it as `google/pprof` does: what is referred to must be there, ids must differ, each
 * sample has a value of each type. Up to half of the samples may be damaged; they are left out.
 *
 * @param bytes the message without compression, see {@linkcode inflatePprof}
 * @throws {PprofError} invalid when it is no profile or too much of it is damaged, too_large when it has too many parts
 */
export function decodePprof(bytes: Uint8Array): DecodedPprof {
  if (bytes.length > LIMITS.rawBytes) throw tooLarge();
  if (bytes.length === 0) throw new PprofError("it is empty");
  const reader = new WireReader(bytes);
  return refuseDamaged(reader, () => decodeParts(reader, outlineOf(reader)));
}

/** A refusal of a profile of too many bytes. */
export function tooLarge(): PprofError {
  const mebibytes = LIMITS.rawBytes / (1024 * 1024);
  return new PprofError(`it is larger than ${mebibytes} MiB without compression`, "too_large");
}

function decodeParts(reader: WireReader, outline: Outline): DecodedPprof {
  const repairs = noRepairs();
  const strings = decodeStrings(reader, outline.strings, repairs);
  const sampleTypes = decodeSampleTypes(reader, outline, strings);
  const mappings = decodeMappings(reader, outline.mappings, strings.length);
  const functions = decodeFunctions(reader, outline.functions, strings.length);
  repairs.pairedFunctions = functions.ids.isWithoutIds &&
    outline.functions.count === outline.locations.count;
  const locations = decodeLocations(reader, outline.locations, {
    mappings: mappings.ids,
    functions: functions.ids,
    byPosition: repairs.pairedFunctions,
  });
  const tables = { types: sampleTypes.length, strings: strings.length, locations };
  const samples = decodeSamples(reader, outline.samples, tables, repairs);
  const profile = {
    sampleTypes,
    samples,
    locations: locations.table,
    functions: functions.table,
    mappings: mappings.table,
    strings,
    ...headOf(reader, outline, strings, repairs),
  };
  return { profile, repairs };
}

function decodeSampleTypes(
  reader: WireReader,
  { sampleTypes }: Outline,
  strings: readonly string[],
): ValueType[] {
  if (sampleTypes.count === 0) throw new PprofError("it has no sample types");
  return Array.from(
    { length: sampleTypes.count },
    (_, index) => decodeValueType(reader, sampleTypes, index, strings),
  );
}

function headOf(reader: WireReader, outline: Outline, strings: string[], repairs: Repairs) {
  const { periodType, comments, defaultSampleType } = outline;
  const textAt = (ref: number, what: string) =>
    strings[checkedText(ref, strings.length, () => what)] ?? "";
  return {
    timeNanos: repairedTime(outline.timeNanos ?? 0n, repairs),
    durationNanos: repairedDuration(outline.durationNanos, repairs),
    periodType: periodType.count === 0
      ? null
      : decodeValueType(reader, periodType, periodType.count - 1, strings),
    period: outline.period,
    comments: comments.map((ref) => textAt(ref, "a comment")),
    defaultSampleType: textAt(defaultSampleType, "the default sample type"),
  };
}

/** Where the parts of a profile stand among its bytes, and what it says of itself. Texts are places in its strings. */
class Outline {
  readonly sampleTypes = new Spans("sample type", LIMITS.sampleTypes);
  readonly samples = new Spans("sample", LIMITS.samples);
  readonly mappings = new Spans("mapping", LIMITS.mappings);
  readonly locations = new Spans("location", LIMITS.locations);
  readonly functions = new Spans("function", LIMITS.functions);
  readonly strings = new Spans("string", LIMITS.strings);
  readonly periodType = new Spans("period type", LIMITS.sampleTypes);
  /** By the number of their field. */
  readonly parts: readonly (Spans | null)[] = [
    null,
    ...[this.sampleTypes, this.samples, this.mappings, this.locations, this.functions],
    this.strings,
    ...[null, null, null, null],
    this.periodType,
  ];
  readonly comments: number[] = [];
  timeNanos: bigint | null = null;
  durationNanos = 0n;
  period = 0n;
  defaultSampleType = 0;
}

/**
 * Finds the parts of a profile, and refuses it when there are too many before any is made: an empty one takes two
 * bytes, and gzip makes twenty kilobytes of ten million.
 *
 * @throws {PprofError} too_large for too many, invalid for what is no profile
 */
function outlineOf(reader: WireReader): Outline {
  const outline = new Outline();
  let fields = 0;
  const { parts } = outline;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (++fields > LIMITS.fields) throw tooMany("fields", LIMITS.fields);
    const spans = field < parts.length ? parts[field] ?? null : null;
    if (spans === null) {
      readFact(reader, field, outline);
      continue;
    }
    const end = reader.lengthEnd();
    spans.add(reader.pos, end);
    reader.pos = end;
  }
  return outline;
}

function readFact(reader: WireReader, field: number, outline: Outline): void {
  switch (field) {
    case 9:
      // Bytes of two profiles in a row are those of one message with the parts of both.
      if (outline.timeNanos !== null) throw new PprofError("two profiles follow one another");
      outline.timeNanos = reader.bigInt64();
      return;
    case 10:
      outline.durationNanos = reader.bigInt64();
      return;
    case 12:
      outline.period = reader.bigInt64();
      return;
    case 13:
      readComments(reader, outline.comments);
      return;
    case 14:
      outline.defaultSampleType = reader.ref();
      return;
    default:
      reader.pass();
  }
}

function readComments(reader: WireReader, comments: number[]): void {
  const isPacked = reader.type === BYTES;
  const end = isPacked ? reader.lengthEnd() : reader.pos + 1;
  while (reader.pos < end) {
    if (comments.length === LIMITS.comments) throw tooMany("comments", LIMITS.comments);
    comments.push(isPacked ? reader.packedRef() : reader.ref());
  }
  if (isPacked && reader.pos !== end) throw reader.damaged();
}
