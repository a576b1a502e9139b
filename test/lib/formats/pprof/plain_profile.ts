import { Profile } from "pprof-format";
import type { PprofProfile, ValueType } from "@/lib/formats/pprof/profile.ts";

export interface PlainLine {
  readonly name: string;
  readonly systemName: string;
  readonly file: string;
  readonly startLine: number;
  readonly line: number;
  readonly column: number;
}

export interface PlainLocation {
  readonly mapping: { readonly filename: string; readonly buildId: string } | null;
  readonly address: bigint;
  readonly lines: readonly PlainLine[];
}

export interface PlainLabel {
  readonly key: string;
  readonly text: string;
  readonly number: bigint;
  readonly unit: string;
}

export interface PlainSample {
  readonly stack: readonly PlainLocation[];
  readonly values: readonly bigint[];
  readonly labels: readonly PlainLabel[];
}

/** A profile without ids and places, to be compared with another. */
export interface PlainProfile {
  readonly sampleTypes: readonly ValueType[];
  readonly samples: readonly PlainSample[];
  readonly timeNanos: bigint;
  readonly durationNanos: bigint;
  readonly periodType: ValueType | null;
  readonly period: bigint;
  readonly comments: readonly string[];
  readonly defaultSampleType: string;
}

/** What we have read. */
export function plainOf(profile: PprofProfile): PlainProfile {
  const { samples, locations, functions, mappings, strings, sampleTypes } = profile;
  const text = (ref = 0) => strings[ref] ?? "";
  const places = Array.from({ length: locations.count }, (_, index): PlainLocation => {
    const mapping = locations.mappings[index] ?? -1;
    const [start = 0, end = 0] = locations.lineStarts.subarray(index, index + 2);
    return {
      mapping: mapping < 0 ? null : {
        filename: text(mappings.filenames[mapping]),
        buildId: text(mappings.buildIds[mapping]),
      },
      address: locations.addresses[index] ?? 0n,
      lines: range(start, end).map((at) => {
        const fn = locations.lineFunctions[at] ?? 0;
        return {
          name: text(functions.names[fn]),
          systemName: text(functions.systemNames[fn]),
          file: text(functions.filenames[fn]),
          startLine: functions.startLines[fn] ?? 0,
          line: locations.lines[at] ?? 0,
          column: locations.columns[at] ?? 0,
        };
      }),
    };
  });
  const { labels } = samples;
  const types = sampleTypes.length;
  return {
    sampleTypes,
    samples: range(0, samples.count).map((index) => {
      const [start = 0, end = 0] = samples.starts.subarray(index, index + 2);
      const [first = 0, last = 0] = labels.starts.subarray(index, index + 2);
      return {
        stack: range(start, end).map((at) => there(places[samples.locations[at] ?? -1])),
        values: [...samples.values.subarray(index * types, (index + 1) * types)],
        labels: range(first, last).map((at) => ({
          key: text(labels.keys[at]),
          text: text(labels.texts[at]),
          number: labels.numbers[at] ?? 0n,
          unit: text(labels.units[at]),
        })),
      };
    }),
    timeNanos: profile.timeNanos,
    durationNanos: profile.durationNanos,
    periodType: profile.periodType,
    period: profile.period,
    comments: profile.comments,
    defaultSampleType: profile.defaultSampleType,
  };
}

/** What Datadog's `pprof-format` reads, which returns numbers as they come, without sign. */
export function plainByOther(bytes: Uint8Array): PlainProfile {
  const profile = Profile.decode(bytes);
  const text = (ref: number | bigint) => profile.stringTable.strings[Number(ref)] ?? "";
  const type = (value: { type: number | bigint; unit: number | bigint }) => ({
    type: text(value.type),
    unit: text(value.unit),
  });
  const byId = <T extends { id: number | bigint }>(all: readonly T[]) =>
    new Map(all.map((one) => [BigInt(one.id), one]));
  const functions = byId(profile.function);
  const mappings = byId(profile.mapping);
  const places = new Map(profile.location.map(({ id, mappingId, address, line }) => {
    const mapping = mappings.get(BigInt(mappingId));
    const place: PlainLocation = {
      mapping: mapping === undefined
        ? null
        : { filename: text(mapping.filename), buildId: text(mapping.buildId) },
      address: BigInt(address),
      lines: line.map((one) => {
        const fn = there(functions.get(BigInt(one.functionId)));
        return {
          name: text(fn.name),
          systemName: text(fn.systemName),
          file: text(fn.filename),
          startLine: Number(fn.startLine),
          line: Number(one.line),
          column: Number(one.column),
        };
      }),
    };
    return [BigInt(id), place];
  }));
  return {
    sampleTypes: profile.sampleType.map(type),
    samples: profile.sample.map(({ locationId, value, label }) => ({
      stack: locationId.map((id) => there(places.get(BigInt(id)))),
      values: value.map(signed),
      labels: label.map(({ key, str, num, numUnit }) => ({
        key: text(key),
        text: text(str),
        number: signed(num),
        unit: text(numUnit),
      })),
    })),
    timeNanos: signed(profile.timeNanos),
    durationNanos: signed(profile.durationNanos),
    periodType: profile.periodType === undefined ? null : type(profile.periodType),
    period: signed(profile.period),
    comments: profile.comment.map(text),
    defaultSampleType: text(profile.defaultSampleType),
  };
}

function signed(value: number | bigint): bigint {
  return BigInt.asIntN(64, BigInt(value));
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The profile refers to what it does not have");
  return value;
}
