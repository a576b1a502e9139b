import { isIP } from "node:net";
import {
  asBag,
  asObject,
  clip,
  clippedName,
  clippedText,
  isEmpty,
  type Raw,
  readText,
  readTextOrJson,
  readValues,
  repairFields,
  repairTexts,
  unsliced,
} from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { type Json, type JsonObject, parseJsonText, put } from "../json.ts";
import { COUNT, TEXT } from "../limits.ts";
import type { Contexts, DebugMeta, Pair, RequestInfo, Sdk, User } from "./normalized_event.ts";

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

function filled<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Elements of a client's fingerprint as text, out of a list or a single one; undefined when there is none. */
export function normalizeFingerprint(value: unknown): string[] | undefined {
  const elements = (Array.isArray(value) ? value : [value]).slice(0, COUNT.fingerprint)
    .map((element) => clippedText(readTextOrJson(element), TEXT.line))
    .filter((element) => element !== undefined);
  return elements.length > 0 ? elements : undefined;
}

const METHOD = /^[A-Z_-]{3,32}$/;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The HTTP request that was being served, or made, when it happened; undefined when nothing is known of it. */
export function normalizeRequest(value: unknown): RequestInfo | undefined {
  const raw = asObject(value);
  if (!raw || isEmpty(raw)) return undefined;
  const query = splitUrl(raw);
  const method = readText(raw.method)?.trim().toUpperCase();
  raw.method = method && METHOD.test(method) ? method : undefined;
  raw.query_string = filled(pairsOf(raw.query_string, "&")) ?? filled(pairsOf(query, "&"));
  const headers = readPairs(raw.headers);
  const cookies = pairsOf(raw.cookies, ";");
  raw.headers = filled(headers.filter(([name]) => name.toLowerCase() !== "cookie"));
  raw.cookies = filled(cookies.length > 0 ? cookies : cookiesOf(headers));
  repairFields(raw, ["env"], asBag);
  const request = raw as RequestInfo;
  readBody(request);
  return request;
}

/** Cuts query and fragment off the URL; the fragment goes to its field, the query is returned. */
function splitUrl(raw: Raw): string | undefined {
  const url = clippedText(raw.url, 4 * TEXT.url);
  raw.fragment = clippedText(raw.fragment, TEXT.url);
  const [beforeFragment, fragment] = splitOnce(url ?? "", "#");
  const [path, query] = splitOnce(beforeFragment, "?");
  raw.url = clip(path, TEXT.url) || undefined;
  raw.fragment ??= clip(fragment, TEXT.url) || undefined;
  return query;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [unsliced(text.slice(0, at)), unsliced(text.slice(at + 1))];
}

function pairsOf(value: unknown, separator: "&" | ";"): Pair[] {
  if (typeof value !== "string") return readPairs(value);
  const text = value.startsWith("?") ? value.slice(1) : value;
  return splitPairs(clip(text, TEXT.body), separator);
}

function cookiesOf(headers: Pair[]): Pair[] {
  return headers.filter(([name]) => name.toLowerCase() === "cookie")
    .flatMap(([, cookies]) => splitPairs(cookies, ";"));
}

/** Parses a body that came as text into what it says, if its type or its first character tells how. */
function readBody(request: RequestInfo): void {
  const body = request.data;
  if (body === null || body === "") {
    repairFields(request as Raw, ["data"], () => undefined);
  }
  if (typeof body !== "string" || body === "") return;
  const type = request.headers?.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const json = body.length <= TEXT.body ? jsonIn(body) : undefined;
  if (json !== undefined) {
    request.data = json;
    request.inferred_content_type ??= JSON_TYPE;
  } else if (type?.startsWith(FORM_TYPE)) {
    request.data = formFields(splitPairs(clip(body, TEXT.body), "&"));
    request.inferred_content_type ??= FORM_TYPE;
  } else {
    request.data = clip(body, TEXT.body);
  }
}

function jsonIn(text: string): Json | undefined {
  if (!/^\s{0,20}[[{]/.test(text)) return undefined;
  try {
    return parseJsonText(text);
  } catch {
    return undefined; // text that only begins like JSON is kept as text
  }
}

function formFields(pairs: Pair[]): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of pairs) {
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (before === undefined) put(fields, name, value);
    else put(fields, name, Array.isArray(before) ? [...before, value] : [before, value]);
  }
  return fields;
}

/**
 * A pair list in any form: an object, or `[[name, value], …]`. A list as value becomes one pair per element;
 * pairs without a name or with a null value are left out.
 *
 * @param limit UTF-16 units of a name and of a value
 */
export function readPairs(value: unknown, limit: number = TEXT.pair): Pair[] {
  const pairs: Pair[] = [];
  const entries = Array.isArray(value) ? value : Object.entries(asObject(value) ?? {});
  for (const entry of entries) {
    if (!Array.isArray(entry)) continue;
    const name = clip(readTextOrJson(entry[0]), limit);
    if (!name) continue;
    for (const element of Array.isArray(entry[1]) ? entry[1] : [entry[1]]) {
      if (pairs.length === COUNT.pairs) return pairs;
      const text = clip(readTextOrJson(element), limit);
      if (text !== undefined) pairs.push([name, text]);
    }
  }
  return pairs;
}

/** Pairs out of `a=1&b=2` or, with another separator, `a=1; b=2`; percent escapes are decoded where they are valid. */
function splitPairs(text: string, separator: "&" | ";"): Pair[] {
  const pairs: Pair[] = [];
  for (const part of text.split(separator, COUNT.pairs)) {
    const equals = part.indexOf("=");
    const name = decodePart(equals < 0 ? part : part.slice(0, equals), separator);
    const value = equals < 0 ? "" : decodePart(part.slice(equals + 1), separator);
    if (name) pairs.push([clip(name, TEXT.pair), clip(value, TEXT.pair)]);
  }
  return pairs;
}

function decodePart(text: string, separator: "&" | ";"): string {
  const plain = unsliced((separator === "&" ? text.replaceAll("+", " ") : text).trim());
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain).replaceAll("\0", "\ufffd");
  } catch {
    return plain; // a stray % is no reason to lose the value
  }
}

interface AddressRule {
  /** The address that the request came from, or null when it is not known. */
  readonly clientAddress: string | null;
  readonly platform: string;
  /** `sdk.settings.infer_ip`: `auto`, `never`, or not said. */
  readonly inferIp: unknown;
  readonly request: RequestInfo | undefined;
}

const USER_TEXTS = [
  ["id", TEXT.name],
  ["email", TEXT.email],
  ["username", TEXT.name],
  ["name", TEXT.name],
  ["segment", TEXT.name],
] as const;
const USER_FIELDS = new Set([...USER_TEXTS.map(([key]) => key), "ip_address", "geo", "data"]);

/** SDKs of these platforms run on the user's device, so the address they send from is the user's. */
const CLIENT_PLATFORMS = new Set(["javascript", "cocoa", "objc"]);

/** Asks for the address that the request came from. */
const AUTO = "{{auto}}";

/** Who was affected, or undefined when nothing is known; unknown fields move into `data`. */
export function normalizeUser(value: unknown, rule: AddressRule): User | undefined {
  const raw = asObject(value) ?? {};
  raw.ip_address = readAddress(raw.ip_address, rule);
  repairTexts(raw, USER_TEXTS);
  repairFields(raw, ["geo"], asObject);
  raw.data = otherFields(raw);
  const user: Raw = {};
  for (const key of USER_FIELDS) if (raw[key] !== undefined) user[key] = raw[key];
  return isEmpty(user) ? undefined : user as User;
}

function otherFields(raw: Raw): Raw | undefined {
  const data: Raw = { ...asBag(raw.data) };
  for (const [key, value] of Object.entries(raw)) {
    if (!USER_FIELDS.has(key) && value !== null && value !== undefined) put(data, key, value);
  }
  return isEmpty(data) ? undefined : data;
}

function readAddress(sent: unknown, rule: AddressRule): string | undefined {
  const address = clippedText(sent, TEXT.word)?.trim();
  if (address && isIP(address)) return address;
  if (rule.inferIp === "never") return undefined;
  const infers = rule.inferIp === "auto" || address === AUTO || CLIENT_PLATFORMS.has(rule.platform);
  const remote = clippedText(rule.request?.env?.REMOTE_ADDR, TEXT.word);
  if (remote && isIP(remote)) return remote;
  return infers ? rule.clientAddress ?? undefined : undefined;
}

/** Identity for "users affected": the most specific field known, as `id:7`; null for nobody. */
export function userKey(user: User | undefined): string | null {
  if (user?.id) return `id:${user.id}`;
  if (user?.username) return `username:${user.username}`;
  if (user?.email) return `email:${user.email}`;
  if (user?.ip_address) return `ip:${user.ip_address}`;
  return null;
}

/** Named facts about the surroundings, completed by what the `User-Agent` tells; undefined when there are none. */
export function normalizeContexts(
  value: unknown,
  request: RequestInfo | undefined,
): Contexts | undefined {
  const contexts: Record<string, JsonObject> = {};
  for (const [name, sent] of Object.entries(asObject(value) ?? {})) {
    const context = asBag(sent);
    if (context) put(contexts, name.slice(0, TEXT.path).toWellFormed(), context);
  }
  for (const name of VERSIONED_CONTEXTS) if (contexts[name]) trimNameAndVersion(contexts[name]);
  repairTrace(contexts);
  addUserAgent(contexts, request);
  return Object.keys(contexts).length > 0 ? contexts as Contexts : undefined;
}

const VERSIONED_CONTEXTS = ["os", "client_os", "runtime", "browser"];

/** Node's `os.version` ends in a newline. */
function trimNameAndVersion(context: JsonObject): void {
  repairFields(
    context,
    ["name", "version"],
    (value) => typeof value === "string" ? value.trim() : value,
  );
}

function repairTrace(contexts: Record<string, JsonObject>): void {
  const trace: Raw | undefined = contexts.trace;
  if (!trace) return;
  repairFields(trace, ["trace_id"], readTraceId);
  repairFields(trace, ["span_id", "parent_span_id"], readSpanId);
}

/** On a server the `os` is its own, so the browser's goes under `client_os`, as at Sentry. */
function addUserAgent(
  contexts: Record<string, JsonObject>,
  request: RequestInfo | undefined,
): void {
  const header = request?.headers?.find(([name]) => name.toLowerCase() === "user-agent")?.[1];
  if (!header) return;
  const { browser, os, device } = readUserAgent(header);
  if (browser) contexts.browser ??= contextOf(browser);
  if (os) contexts[contexts.os ? "client_os" : "os"] ??= contextOf(os);
  if (device) contexts.device ??= { model: device };
}

function contextOf({ name, version }: Product): JsonObject {
  return version === undefined ? { name } : { name, version };
}

/** What a `User-Agent` header tells. */
interface UserAgent {
  readonly browser?: Product;
  readonly os?: Product;
  /** As `iPhone`, `Pixel 8`. */
  readonly device?: string;
}

interface Product {
  readonly name: string;
  readonly version?: string;
}

/** Browsers first that also claim to be one of the later ones. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/([\d.]{1,20})/],
  ["Opera", /\b(?:OPR|Opera)[/ ]([\d.]{1,20})/],
  ["Samsung Internet", /\bSamsungBrowser\/([\d.]{1,20})/],
  ["Yandex Browser", /\bYaBrowser\/([\d.]{1,20})/],
  ["Firefox iOS", /\bFxiOS\/([\d.]{1,20})/],
  ["Firefox", /\bFirefox\/([\d.]{1,20})/],
  ["Chrome Mobile iOS", /\bCriOS\/([\d.]{1,20})/],
  ["Headless Chrome", /\bHeadlessChrome\/([\d.]{1,20})/],
  ["Chrome Mobile", /\bChrome\/([\d.]{1,20}) Mobile\b/],
  ["Chrome", /\bChrom(?:e|ium)\/([\d.]{1,20})/],
  ["Mobile Safari", /\bVersion\/([\d.]{1,20}) Mobile\/\w{1,20} Safari\b/],
  ["Safari", /\bVersion\/([\d.]{1,20}) Safari\b/],
  ["Internet Explorer", /\b(?:MSIE |Trident\/.{1,40}rv:)([\d.]{1,20})/],
  ["Googlebot", /\bGooglebot\/([\d.]{1,20})/],
  ["curl", /^curl\/([\d.]{1,20})/],
];

const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Windows", /\bWindows (?:NT )?([\d.]{1,10})/],
  ["iOS", /\b(?:iPhone|iPad|iPod).{0,20}? OS ([\d_]{1,12})/],
  ["macOS", /\bMac OS X ([\d_.]{1,12})/],
  ["Android", /\bAndroid ([\d.]{1,10})/],
  ["Chrome OS", /\bCrOS \w{1,20} ([\d.]{1,20})/],
  ["Linux", /\bLinux\b()/],
];

const DEVICES = [
  /\b(iPhone|iPad|iPod)\b/,
  /\bAndroid [\d.]{1,10}; ([^;)]{1,60}?)(?: Build\b|[;)])/,
];

/** The kernel's version numbers are not what people know Windows by; 10 and 11 tell browsers the same. */
const WINDOWS: ReadonlyMap<string, string> = new Map([
  ["10.0", ">=10"],
  ["6.3", "8.1"],
  ["6.2", "8"],
  ["6.1", "7"],
]);

/** Longer headers are not read to the end. */
const MAX_USER_AGENT = 512;

/** The parts of a `User-Agent` header that can be told; a rough reading that covers the browsers of the day. */
export function readUserAgent(header: string): UserAgent {
  const text = header.slice(0, MAX_USER_AGENT);
  const browser = firstMatch(text, BROWSERS);
  const os = firstMatch(text, SYSTEMS);
  const device = DEVICES.map((pattern) => pattern.exec(text)?.[1]).find((name) => name);
  return { ...(browser && { browser }), ...(os && { os }), ...(device && { device }) };
}

function firstMatch(
  text: string,
  table: readonly (readonly [name: string, pattern: RegExp])[],
): Product | undefined {
  for (const [name, pattern] of table) {
    const match = pattern.exec(text);
    if (!match) continue;
    const version = match[1]?.replaceAll("_", ".");
    if (!version) return { name };
    return { name, version: name === "Windows" ? WINDOWS.get(version) ?? version : version };
  }
  return undefined;
}
