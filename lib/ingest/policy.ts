import type { PrivacySettings, ProjectSettings } from "../accounts/project_settings.ts";
import { dropAddresses, dropAddressFields } from "./drop_addresses.ts";
import { compileFilters, type Filters, type Sender } from "./filters.ts";
import { Scrubber } from "./scrub.ts";
import { nameRules } from "./secrets.ts";
import { compileRules, type FingerprintRules } from "../formats/sentry/fingerprint_rules.ts";
import type { JsonObject } from "../formats/json.ts";
import type { NormalizedEvent } from "../formats/sentry/normalized_event.ts";

export type { Sender } from "./filters.ts";

/** What a project's settings make of a record before it is stored. Decoders ask it for every record. */
export interface Policy {
  /** False: neither the client's address nor one in a payload is stored. */
  readonly keepsAddresses: boolean;
  /**
   * Why the project does not want an event, as a machine word such as `browser_extensions`; or null. Asked after
   * normalising and before scrubbing.
   */
  filterEvent(event: NormalizedEvent, sender: Sender): string | null;
  /** The same for records that are no events: by release, address and user agent alone. */
  filterOther(release: string, sender: Sender): string | null;
  /** Takes secrets (and addresses, when they are not kept) out of an event, in place. */
  scrubEvent(event: NormalizedEvent): void;
  /** The same for free-form JSON: attributes, span data, contexts. In place. */
  scrubObject(object: JsonObject): void;
  /** A text without secrets. */
  scrubText(text: string): string;
  /** The fingerprint that the project's rules give an event, or null. Asked after scrubbing. */
  fingerprintOf(event: NormalizedEvent): readonly string[] | null;
}

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
