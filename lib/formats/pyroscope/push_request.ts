import { PprofError } from "../pprof/faults.ts";
import { refuseDamaged, WireReader } from "../pprof/wire_reader.ts";

/** Profiles of one program and kind. */
export interface PushSeries {
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** Each a pprof, compressed or not. */
  readonly profiles: readonly Uint8Array[];
}

/** Agents send one to three; each is read by itself, and may unpack to 32 MiB. */
const MAX_PROFILES = 32;
const MAX_LABELS = 100;

const utf8 = new TextDecoder();

/**
 * Reads a `push.v1.PushRequest` of Pyroscope: series of labels and raw profiles.
 * https://github.com/grafana/pyroscope/blob/main/api/push/v1/push.proto
 *
 * @throws {PprofError} for what is no such message, or brings too much
 */
export function readPushRequest(bytes: Uint8Array): PushSeries[] {
  const reader = new WireReader(bytes);
  return refuseDamaged(reader, () => {
    const series: PushSeries[] = [];
    let left = MAX_PROFILES;
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field !== 1) {
        reader.pass();
        continue;
      }
      if (left === 0) throw tooMany();
      const outer = reader.enter();
      const one = readSeries(reader, left);
      reader.leave(outer);
      // One without profiles counts as well: there may be a million of them.
      left = Math.max(0, left - Math.max(1, one.profiles.length));
      series.push(one);
    }
    return series;
  });
}

function readSeries(reader: WireReader, most: number): PushSeries {
  const labels: [string, string][] = [];
  const profiles: Uint8Array[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) {
      const [name, value] = readPair(reader);
      if (labels.length < MAX_LABELS) labels.push([utf8.decode(name), utf8.decode(value)]);
    } else if (field === 2) {
      const [profile] = readPair(reader);
      if (profiles.length === most) throw tooMany();
      profiles.push(profile);
    } else {
      reader.pass();
    }
  }
  return { labels, profiles };
}

/** The first two fields of a message, which are texts or bytes. */
function readPair(reader: WireReader): [Uint8Array, Uint8Array] {
  const pair: [Uint8Array, Uint8Array] = [new Uint8Array(), new Uint8Array()];
  const outer = reader.enter();
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field > 2) {
      reader.pass();
      continue;
    }
    const end = reader.lengthEnd();
    pair[field - 1] = reader.buf.subarray(reader.pos, end);
    reader.pos = end;
  }
  reader.leave(outer);
  return pair;
}

function tooMany(): PprofError {
  return new PprofError(`it brings more than ${MAX_PROFILES} profiles`, "too_large");
}
