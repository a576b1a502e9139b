import {
  asObject,
  clippedName,
  clippedText,
  isEmpty,
  type Raw,
  readTextOrJson,
  readValues,
  repairFields,
} from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import type { DebugMeta, Sdk } from "./normalized_event.ts";

/** The SDK that sent, out of an object or its bare name; undefined when it did not say. */
export function normalizeSdk(value: unknown): Sdk | undefined {
  const raw = asObject(value) ?? (typeof value === "string" ? { name: value } : undefined);
  if (!raw || isEmpty(raw)) return undefined;
  repairFields(raw, ["name", "version"], (text) => clippedName(text, TEXT.name));
  repairFields(raw, ["integrations", "features"], readNames);
  repairFields(raw, ["packages"], readValues);
  return raw as Sdk;
}

/** Integrations are names, or in some SDKs objects. */
function readNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((name) =>
    clippedText(asObject(name)?.name, TEXT.name) ?? readTextOrJson(name) ?? ""
  );
}

/** Installed packages and their versions, `""` where the version is not known. */
export function normalizeModules(value: unknown): Record<string, string> | undefined {
  const modules = asObject(value);
  if (!modules || isEmpty(modules)) return undefined;
  repairFields(modules, Object.keys(modules), (version) => clippedText(version, TEXT.name) ?? "");
  return modules as Record<string, string>;
}

/** What native debuggers and source maps need: a list of images. */
export function normalizeDebugMeta(value: unknown): DebugMeta | undefined {
  const raw = asObject(value);
  if (!raw) return undefined;
  repairFields(raw, ["images"], (images) => filled(readValues(images)));
  return raw as DebugMeta;
}

/** Errors that the SDK met while it made the event. */
export function normalizeErrors(value: unknown): Raw[] | undefined {
  return filled(readValues(value));
}

function filled(list: Raw[]): Raw[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Elements of a client's fingerprint as text, out of a list or a single one; undefined when there is none. */
export function normalizeFingerprint(value: unknown): string[] | undefined {
  const elements = (Array.isArray(value) ? value : [value]).slice(0, COUNT.fingerprint)
    .map((element) => clippedText(readTextOrJson(element), TEXT.line))
    .filter((element) => element !== undefined);
  return elements.length > 0 ? elements : undefined;
}
