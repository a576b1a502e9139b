import { decodeLocations } from "./decode_locations.ts";
import { decodeSamples } from "./decode_samples.ts";
import {
  checkedText,
  decodeFunctions,
  decodeMappings,
  decodeStrings,
  decodeValueType,
} from "./decode_tables.ts";
import { LIMITS } from "./limits.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { PprofError } from "./pprof_error.ts";
import type { PprofProfile, ValueType } from "./profile.ts";
import { noRepairs, repairedDuration, repairedTime, type Repairs } from "./repairs.ts";
import { refuseDamaged, WireReader } from "./wire_reader.ts";

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
