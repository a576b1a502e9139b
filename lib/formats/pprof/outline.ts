import { LIMITS } from "./limits.ts";
import { PprofError } from "./pprof_error.ts";
import { BYTES, Spans, tooMany, type WireReader } from "./wire_reader.ts";

/** Where the parts of a profile stand among its bytes, and what it says of itself. Texts are places in its strings. */
export class Outline {
  readonly sampleTypes = new Spans("sample type", LIMITS.sampleTypes);
  readonly samples = new Spans("sample", LIMITS.samples);
  readonly mappings = new Spans("mapping", LIMITS.mappings);
  readonly locations = new Spans("location", LIMITS.locations);
  readonly functions = new Spans("function", LIMITS.functions);
  readonly strings = new Spans("string", LIMITS.strings);
  readonly periodType = new Spans("period type", LIMITS.sampleTypes);
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
export function outlineOf(reader: WireReader): Outline {
  const outline = new Outline();
  let fields = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (++fields > LIMITS.fields) throw tooMany("fields", LIMITS.fields);
    const spans = spansOf(outline, field);
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

function spansOf(outline: Outline, field: number): Spans | null {
  switch (field) {
    case 1:
      return outline.sampleTypes;
    case 2:
      return outline.samples;
    case 3:
      return outline.mappings;
    case 4:
      return outline.locations;
    case 5:
      return outline.functions;
    case 6:
      return outline.strings;
    case 11:
      return outline.periodType;
    default:
      return null;
  }
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
