import { asObject, clip, clippedText, type Raw, readTextOrJson } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import type { LogEntry } from "./normalized_event.ts";

/**
 * The message of an event out of `logentry` and `message`, each of which may be a text or an object, or
 * undefined when there is none. A template that came with parameters alone is filled in.
 */
export function normalizeMessage(logentry: unknown, message: unknown): LogEntry | undefined {
  const entry = asEntry(logentry) ?? asEntry(message);
  if (!entry) return undefined;
  const template = textOf(entry.message);
  let formatted = textOf(entry.formatted) ?? (entry === message ? undefined : textOf(message));
  const params = paramsOf(entry.params);
  if (template && !formatted && params) formatted = clip(fillIn(template, params), TEXT.message);
  if (!template && !formatted) return undefined;
  entry.message = template;
  entry.formatted = formatted === template ? undefined : formatted;
  entry.params = params;
  return entry as LogEntry;
}

function asEntry(value: unknown): Raw | undefined {
  const text = clippedText(value, TEXT.message);
  if (text !== undefined) return { message: text };
  const entry = asObject(value);
  return entry && (textOf(entry.message) || textOf(entry.formatted)) ? entry : undefined;
}

function textOf(value: unknown): string | undefined {
  return clip(readTextOrJson(value), TEXT.message) || undefined;
}

function paramsOf(value: unknown): Json[] | JsonObject | undefined {
  if (Array.isArray(value)) return value.length > 0 ? value : undefined;
  if (typeof value === "object" && value !== null) return value as JsonObject;
  return value === undefined || value === null ? undefined : [value as Json];
}

/** `%s` and its kin, `%(name)s`, `{}`, `{0}`, `{name}`; `%%` and `{{` stand for themselves. */
const PLACEHOLDER =
  /%%|%(?:\((\w{1,64})\))?[-+ #0]{0,5}\d{0,5}(?:\.\d{1,5})?[sdifuxXoeEgGrcvqtTO]|\{\{|\{(\w{0,64})(?:![rsa])?\}/g;

/** Puts parameters into a template of printf's or Python's style; a placeholder without parameter stays. */
function fillIn(template: string, params: Json[] | JsonObject): string {
  const texts = new Map<string, string>();
  const textFor = (key: string): string => {
    const text = texts.get(key) ??
      clip(readTextOrJson((params as JsonObject)[key]) ?? "None", TEXT.line);
    texts.set(key, text);
    return text;
  };
  let next = 0;
  return template.replace(PLACEHOLDER, (match, percentName?: string, braceName?: string) => {
    if (match === "%%" || match === "{{") return match.slice(1);
    const key = percentName || braceName || String(next++);
    return Object.hasOwn(params, key) ? textFor(key) : match;
  });
}
