import { LIMITS } from "./limits.ts";
import { type Json, type JsonObject, put } from "../json.ts";

/** What of a resource tells one log from another: the rest is the same for all, and would be most of each. */
const PLACE =
  /^(?:service\.(?:name|namespace|instance\.id)|k8s\.(?:namespace|pod|deployment|container|cluster)\.name|container\.name|cloud\.region|faas\.name)$/;

/** The attributes of a resource that its logs are searched by. */
export function placeAttributes(resource: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => PLACE.test(name)));
}

/** Attributes with maps taken apart, their names joined by dots; lists of other than plain values as JSON text. */
export function flattened(attributes: JsonObject): JsonObject {
  const flat: JsonObject = {};
  let room: number = LIMITS.attributes;
  const add = (name: string, value: Json) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const key in value) add(`${name}.${key}`, value[key] ?? null);
    } else if (room-- > 0) put(flat, name.slice(0, LIMITS.name), plain(value));
  };
  for (const name in attributes) add(name, attributes[name] ?? null);
  return flat;
}

function plain(value: Json): Json {
  if (!Array.isArray(value)) return value;
  const isPlain = value.every((element) => typeof element !== "object" || element === null);
  return isPlain ? value : JSON.stringify(value);
}
