import { LIMITS } from "./profiles_limits_2.ts";
import type {
  OtlpDictionary,
  OtlpFunction,
  OtlpLine,
  OtlpLocation,
  OtlpMapping,
  OtlpProfileLink,
  OtlpValueType,
} from "./profiles_model_2.ts";
import { readValueWithTexts } from "./proto_any_value_2.ts";
import type { ProfileReader } from "./proto_reader_2.ts";

/** Takes the texts of a `ProfilesDictionary`, which all else names. @throws {Refusal} 400 or 413 */
export function textsField(
  field: number,
  { texts }: OtlpDictionary,
  reader: ProfileReader,
): void {
  if (field !== 5 || !reader.isMessage) return;
  reader.budget.part();
  texts.push(reader.text(LIMITS.text));
}

/** Takes the other tables of a `ProfilesDictionary`, once its texts are known. @throws {Refusal} 400 or 413 */
export function tablesField(
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
export function valueTypeField(field: number, type: OtlpValueType, reader: ProfileReader): void {
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
