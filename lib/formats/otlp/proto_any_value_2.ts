/** Values and attributes of profiles, which may be places in the dictionary's texts. */
import { type Json, put } from "../json.ts";
import { LIMITS } from "./limits.ts";
import type { Attributed } from "./model.ts";
import { readValue } from "./proto_any_value.ts";
import { cleanText } from "./text.ts";
import type { ProfileReader } from "./proto_reader_2.ts";

const BYTES = 2;

/** Reads an `AnyValue`. @throws {Refusal} 400 or 413 */
export function readValueWithTexts(reader: ProfileReader, texts: readonly string[]): Json {
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
export function readAttributeWithTexts(
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
