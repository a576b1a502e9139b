import type { FilterSettings, PrivacySettings, ProjectSettings } from "../accounts/projects.ts";
import type { Policy, Sender } from "../formats/decode_context.ts";
import type { JsonObject } from "../formats/json.ts";
import { compileRules, type FingerprintRules } from "../formats/sentry/fingerprint_rules.ts";
import type { Exception, NormalizedEvent } from "../formats/sentry/normalized_event.ts";
import { Scrubber } from "./scrub.ts";
import { nameRules, plainName } from "./secrets.ts";
import { addressMatcher, globBudget, globMatcher } from "../core/matchers.ts";
import { readUserAgent } from "../formats/sentry/surroundings.ts";

/** Policies by their settings' text. Projects share one as long as they have the same settings. */
const compiled = new Map<string, Policy>();
/** Some kilobytes each. */
const MAX_COMPILED = 500;

/** Compiles settings; those that were seen lately cost one look-up. */
export function policyOf(settings: ProjectSettings): Policy {
  const { privacy, filters, fingerprintRules } = settings;
  const key = JSON.stringify([privacy, filters, fingerprintRules]);
  let policy = compiled.get(key);
  if (policy === undefined) {
    policy = compile(privacy, compileFilters(filters), compileRules(fingerprintRules));
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(key, policy);
  }
  return policy;
}

function compile(
  { scrubs, extraFields, safeFields, keepsAddresses }: PrivacySettings,
  filters: Filters,
  rules: FingerprintRules,
): Policy {
  const scrubber = new Scrubber(nameRules(extraFields, safeFields));
  return {
    keepsAddresses,
    filterEvent: filters.filterEvent,
    filterOther: filters.filterOther,
    scrubEvent(event) {
      if (!keepsAddresses) dropAddresses(event);
      if (scrubs) scrubber.scrubEvent(event);
    },
    scrubObject(object) {
      if (!keepsAddresses) dropAddressFields(object);
      if (scrubs) scrubber.scrubObject(object);
    },
    scrubText: (text) => scrubs ? scrubber.scrubText(text) : text,
    fingerprintOf: (event) => rules.match(event)?.fingerprint ?? null,
  };
}

/** Headers, variables and attributes that hold the address of a person. */
const ADDRESS_FIELDS = new Set([
  "cfconnectingip",
  "clientaddress",
  "clientip",
  "fastlyclientip",
  "forwarded",
  "httpclientip",
  "httpforwarded",
  "httpxforwardedfor",
  "httpxrealip",
  "netpeerip",
  "netsockpeeraddr",
  "networkpeeraddress",
  "remoteaddr",
  "trueclientip",
  "useripaddress",
  "xclientip",
  "xforwardedfor",
  "xrealip",
]);

/** Takes the addresses of people out of an event, in place. */
function dropAddresses(event: NormalizedEvent): void {
  const { user, request } = event;
  if (user !== undefined) {
    delete user.ip_address;
    delete user.geo;
    if (Object.keys(user).length === 0) delete event.user;
  }
  if (request?.headers !== undefined) {
    request.headers = request.headers.filter(([name]) => !ADDRESS_FIELDS.has(plainName(name)));
  }
  if (request?.env !== undefined) dropAddressFields(request.env);
  const trace = event.contexts?.trace;
  const data = trace?.data;
  if (typeof data === "object" && data !== null && !Array.isArray(data)) dropAddressFields(data);
}

/** The same for free-form attributes. */
function dropAddressFields(object: JsonObject): void {
  for (const name of Object.keys(object)) {
    if (ADDRESS_FIELDS.has(plainName(name))) delete object[name];
  }
}

export interface Filters {
  /** The name of the filter that an event falls under, or null. */
  filterEvent(event: NormalizedEvent, sender: Sender): string | null;
  /** The same for what is no event. */
  filterOther(release: string, sender: Sender): string | null;
}

/** Longer headers are not searched: they are no browser's. */
const MAX_USER_AGENT = 512;

/** Compiles a project's inbound filters. Their names are the reasons that outcomes are counted with. */
export function compileFilters(settings: FilterSettings): Filters {
  const isAddress = addressMatcher(settings.addresses);
  const isRelease = globMatcher(settings.releases);
  const isMessage = globMatcher(settings.messages);

  function filterOther(release: string, { clientAddress, userAgent }: Sender): string | null {
    if (isAddress(clientAddress)) return "address";
    if (release !== "" && isRelease(release, globBudget())) return "release";
    if (settings.crawlers && userAgent !== null && isCrawler(userAgent)) return "crawlers";
    return null;
  }

  return {
    filterOther,
    filterEvent(event, sender) {
      const userAgent = userAgentOf(event) ?? sender.userAgent;
      const other = filterOther(event.release ?? "", { ...sender, userAgent });
      if (other !== null) return other;
      if (isAddress(event.user?.ip_address ?? null)) return "address";
      if (settings.localhost && isLocal(event)) return "localhost";
      if (settings.legacyBrowsers && isLegacyBrowser((userAgent ?? "").slice(0, MAX_USER_AGENT))) {
        return "legacy_browsers";
      }
      if (settings.browserExtensions && isOfExtension(event)) return "browser_extensions";
      const budget = globBudget();
      if (
        settings.messages.length > 0 && messagesOf(event).some((text) => isMessage(text, budget))
      ) {
        return "message";
      }
      return null;
    },
  };
}

/**
 * Words by which crawlers name themselves. Libraries for this take every program that is no browser for a bot, and
 * `curl` is a client like any other to an API.
 */
const CRAWLER =
  /(?:[a-z]bot|\bbots?|[a-z]spider|\bspider|crawler)(?![a-z])|slurp|facebookexternalhit|ia_archiver|mediapartners-google|feedfetcher|bingpreview|chrome-lighthouse|headlesschrome/i;
/** A make of phones. */
const NO_CRAWLER = /\bcubot\b/i;

function isCrawler(userAgent: string): boolean {
  const text = userAgent.slice(0, MAX_USER_AGENT);
  return CRAWLER.test(text) && !NO_CRAWLER.test(text);
}

function userAgentOf({ request }: NormalizedEvent): string | undefined {
  return request?.headers?.find(([name]) => name.toLowerCase() === "user-agent")?.[1];
}

const LOCAL_HOST = /^(?:localhost|.{0,200}\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)$/i;

function isLocal({ request, user }: NormalizedEvent): boolean {
  const address = user?.ip_address;
  if (address === "::1" || address?.startsWith("127.")) return true;
  const url = request?.url ?? "";
  return URL.canParse(url) && LOCAL_HOST.test(new URL(url).hostname);
}

function isOfExtension({ exception }: NormalizedEvent): boolean {
  return exception?.values.some((one) =>
    isExtensionMessage(one.value ?? "") ||
    one.stacktrace?.frames.some(({ abs_path, filename }) =>
      isExtensionSource(abs_path ?? filename ?? "")
    )
  ) ?? false;
}

/** What a person reads as the message: of events, and of each exception with and without its type. */
function messagesOf({ logentry, exception }: NormalizedEvent): string[] {
  const texts = [logentry?.formatted, logentry?.message].filter((text) => text !== undefined);
  for (const one of exception?.values ?? []) texts.push(...textsOf(one));
  return texts;
}

function textsOf({ type, value }: Exception): string[] {
  if (type === undefined || value === undefined) return [type ?? value ?? ""];
  return [value, `${type}: ${value}`];
}

/** The first major version of each browser that still has what the web is written for today. */
const OLDEST: Readonly<Record<string, number>> = {
  "Internet Explorer": Infinity,
  "Edge": 79,
  "Chrome": 63,
  "Chrome Mobile": 63,
  "Firefox": 67,
  "Safari": 12,
  "Mobile Safari": 12,
  "Opera": 51,
};

const OLDEST_ANDROID_BROWSER = /\bAndroid [1-3]\./;
const OPERA_MINI = /\bOpera Mini\//;

/** Whether a `User-Agent` names a browser that is no longer supported by anybody. */
function isLegacyBrowser(userAgent: string): boolean {
  if (OPERA_MINI.test(userAgent) || OLDEST_ANDROID_BROWSER.test(userAgent)) return true;
  const { browser } = readUserAgent(userAgent);
  const oldest = browser === undefined || !Object.hasOwn(OLDEST, browser.name)
    ? undefined
    : OLDEST[browser.name];
  if (oldest === undefined) return false;
  const major = parseInt(browser?.version ?? "", 10);
  return Number.isNaN(major) ? oldest === Infinity : major < oldest;
}

const EXTENSION_SOURCE =
  /^(?:chrome|moz|ms-browser|safari|safari-web|webkit)-extension:\/\/|^webkit-masked-url:\/\//i;

/** Whether a frame's file belongs to an extension of the browser. */
function isExtensionSource(path: string): boolean {
  return EXTENSION_SOURCE.test(path);
}

/** What extensions and injected scripts are known to fail with, where no frame tells of them. */
const EXTENSION_MESSAGES = [
  "Extension context invalidated",
  "The message port closed before a response was received",
  "Could not establish connection. Receiving end does not exist",
  "plugin.setSuspendState is not a function",
  "_avast_submit",
  "__gCrWeb",
  "conduitPage",
  "atomicFindClose",
  "canvas.contentDocument",
  "Can't find variable: ZiteReader",
  "top.GLOBALS",
  "originalCreateNotification",
  "fb_xd_fragment",
  "miscellaneous_bindings",
  "jid1-",
];

/** Whether an error's text is one of those that extensions leave behind. */
function isExtensionMessage(text: string): boolean {
  return EXTENSION_MESSAGES.some((message) => text.includes(message));
}
