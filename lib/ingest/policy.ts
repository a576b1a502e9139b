import type { PrivacySettings, ProjectSettings } from "../accounts/projects.ts";
import type { Policy } from "../formats/decode_context.ts";
import type { JsonObject } from "../formats/json.ts";
import { compileRules, type FingerprintRules } from "../formats/sentry/fingerprint_rules.ts";
import type { NormalizedEvent } from "../formats/sentry/normalized_event.ts";
import { compileFilters, type Filters } from "./filters.ts";
import { Scrubber } from "./scrub.ts";
import { nameRules, plainName } from "./secrets.ts";

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
