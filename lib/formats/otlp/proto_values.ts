import { type Json, type JsonObject, put } from "../json.ts";
import type { FieldReader, Message } from "./message.ts";
import { type Attributed, numberOrName } from "./model.ts";
import { OtlpReader } from "./proto_reader.ts";
import { LIMITS, textLimit, TOO_DEEP } from "./request.ts";

/** Reads the fields of OTLP's messages in protobuf. @throws {Refusal} 400 or 413, whatever it is asked for */
export class ProtoFields extends OtlpReader implements FieldReader {
  /** Reads the whole body as one message. @throws {Refusal} 400 when it is none */
  readWhole<T>({ byNumber }: Message<T, this>, target: T): T {
    return this.readAll((field, whole, reader) => byNumber[field]?.(whole, reader), target);
  }

  choice(): number {
    return this.uint();
  }

  value(): Json {
    return readValue(this);
  }

  attributes(target: Attributed): void {
    readAttribute(target, this);
  }

  inner<T>(fields: Message<T, this>, target: T): T {
    return this.table(fields.byNumber, target);
  }

  each<T>(add: (target: T, from: this) => void, target: T): void {
    if (this.isMessage) add(target, this);
  }
}

interface ValueTarget {
  value: Json;
  /** Levels of lists and maps that may follow. */
  readonly levels: number;
  readonly textLimit: number;
}

/** Reads an `AnyValue`: of several values in one the last holds, and none is null. @throws {Refusal} 400 or 413 */
export function readValue(
  reader: OtlpReader,
  limit: number = LIMITS.text,
  levels: number = LIMITS.depth,
): Json {
  const target: ValueTarget = { value: null, levels, textLimit: limit };
  return reader.message(valueField, target).value;
}

function valueField(field: number, target: ValueTarget, reader: OtlpReader): void {
  switch (field) {
    case 1:
      target.value = reader.text(target.textLimit);
      break;
    case 2:
      target.value = reader.bool();
      break;
    case 3:
      target.value = reader.int64();
      break;
    case 4:
      target.value = numberOrName(reader.double());
      break;
    case 5:
      target.value = target.levels === 0 ? TOO_DEEP : readList(reader, target.levels - 1);
      break;
    case 6:
      target.value = target.levels === 0 ? TOO_DEEP : readMap(reader, target.levels - 1);
      break;
    case 7:
      target.value = reader.base64(target.textLimit);
  }
}

interface ListTarget {
  readonly list: Json[];
  readonly levels: number;
}

function readList(reader: OtlpReader, levels: number): Json[] {
  return reader.message(listField, { list: [], levels }).list;
}

function listField(field: number, { list, levels }: ListTarget, reader: OtlpReader): void {
  if (field !== 1 || !reader.isMessage) return;
  reader.countElement();
  if (list.length < LIMITS.elements) list.push(readValue(reader, LIMITS.text, levels));
}

interface MapTarget {
  readonly map: JsonObject;
  readonly levels: number;
  count: number;
}

function readMap(reader: OtlpReader, levels: number): JsonObject {
  return reader.message(mapField, { map: {}, levels, count: 0 }).map;
}

function mapField(field: number, target: MapTarget, reader: OtlpReader): void {
  if (field !== 1 || !reader.isMessage) return;
  reader.countElement();
  if (target.count === LIMITS.elements) return;
  const { key, value } = readPair(reader, target.levels);
  if (key === "") return;
  put(target.map, key, value);
  target.count++;
}

/** Reads a `KeyValue` into the attributes of `target`, or counts it as dropped. @throws {Refusal} 400 or 413 */
function readAttribute(target: Attributed, reader: OtlpReader): void {
  if (!reader.isMessage) return;
  if (target.attributeCount === LIMITS.attributes) {
    target.droppedAttributes++;
    return;
  }
  const { key, value } = readPair(reader, LIMITS.depth);
  if (key === "") return;
  put(target.attributes, key, value);
  target.attributeCount++;
}

interface PairTarget {
  key: string;
  value: Json;
  readonly levels: number;
}

function readPair(reader: OtlpReader, levels: number): PairTarget {
  return reader.message(pairField, { key: "", value: null, levels });
}

function pairField(field: number, target: PairTarget, reader: OtlpReader): void {
  // Keys stand before values in what encoders write; a stack that does not follow one is cut like other texts.
  if (field === 1) target.key = reader.key();
  else if (field === 2) target.value = readValue(reader, textLimit(target.key), target.levels);
}
