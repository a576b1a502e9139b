import { asObject, type Raw } from "../fields.ts";
import { put } from "../json.ts";
import { field, objectsIn, textOf } from "./fields.ts";
import { parseRequest } from "./parse_request.ts";
import { LIMITS } from "./limits.ts";
import {
  type Attributed,
  newGroup,
  newScope,
  type ResourceGroup,
  type Scope,
} from "./model.ts";
import { cleanText } from "./text.ts";
import { Budget } from "./budget.ts";
import { LIMITS as PROFILE_LIMITS } from "./profiles_limits_2.ts";
import type { OtlpProfile, OtlpProfiles } from "./profiles_model_2.ts";
import { tooManyParts } from "./profiles_refusals.ts";
import { dictionaryOf, valueTypeOf, valueWithTexts } from "./dictionary.ts";
import { bytesOf, int64Of, int64sOf, placeOf, placesOf, profileIdOf, uint64Of } from "./json_fields.ts";

const PARTS = { parts: PROFILE_LIMITS.jsonParts, tooMany: tooManyParts };

/**
 * Reads an `ExportProfilesServiceRequest`.
 *
 * @param body JSON
 * @throws {Refusal} 400 when it is none, 413 when there is too much of it
 */
export function profilesOf(body: Uint8Array): OtlpProfiles {
  const raw = parseRequest(body, PARTS);
  const budget = new Budget();
  const dictionary = dictionaryOf(asObject(raw.dictionary) ?? {}, budget);
  const surroundings = { texts: dictionary.texts, budget };
  const groups = objectsIn(field(raw, "resourceProfiles"))
    .map((group) => groupOf(group, surroundings));
  return { groups, dictionary };
}

interface Surroundings {
  readonly texts: readonly string[];
  readonly budget: Budget;
}

function groupOf(raw: Raw, surroundings: Surroundings): ResourceGroup<OtlpProfile> {
  surroundings.budget.group();
  const group = newGroup<OtlpProfile>();
  readAttributes(group, asObject(raw.resource) ?? {}, surroundings);
  for (const scope of objectsIn(field(raw, "scopeProfiles"))) {
    group.scopes.push(scopeOf(scope, surroundings));
  }
  return group;
}

function scopeOf(raw: Raw, surroundings: Surroundings): Scope<OtlpProfile> {
  surroundings.budget.group();
  const scope = newScope<OtlpProfile>();
  const sent = asObject(raw.scope) ?? {};
  scope.name = textOf(sent.name, LIMITS.name);
  scope.version = textOf(sent.version, LIMITS.name);
  readAttributes(scope, sent, surroundings);
  for (const profile of objectsIn(raw.profiles)) {
    surroundings.budget.profile();
    scope.items.push(profileOf(profile, surroundings.budget));
  }
  return scope;
}

function readAttributes(target: Attributed, raw: Raw, { texts }: Surroundings): void {
  for (const pair of objectsIn(raw.attributes).slice(0, LIMITS.attributes)) {
    const key = textOf(pair.key, LIMITS.name) ||
      cleanText(texts[placeOf(field(pair, "keyStrindex"))] ?? "", LIMITS.name);
    if (key === "") continue;
    put(target.attributes, key, valueWithTexts(pair.value, texts));
    target.attributeCount++;
  }
}

function profileOf(raw: Raw, budget: Budget): OtlpProfile {
  return {
    type: valueTypeOf(field(raw, "sampleType")),
    samples: objectsIn(raw.samples).map((sample) => ({
      stack: placeOf(field(sample, "stackIndex")),
      link: placeOf(field(sample, "linkIndex")),
      attributes: placesOf(field(sample, "attributeIndices"), budget),
      values: int64sOf(sample.values, budget),
      times: int64sOf(field(sample, "timestampsUnixNano"), budget),
      isOlder: false,
    })),
    time: uint64Of(field(raw, "timeUnixNano")),
    duration: uint64Of(field(raw, "durationNano")),
    periodType: valueTypeOf(field(raw, "periodType")),
    period: int64Of(raw.period),
    profileId: profileIdOf(field(raw, "profileId")),
    attributes: placesOf(field(raw, "attributeIndices"), budget),
    originalFormat: textOf(field(raw, "originalPayloadFormat"), LIMITS.name),
    original: bytesOf(field(raw, "originalPayload")),
    // The names of fields changed as well: `sample` became `samples`.
    isOlder: Array.isArray(raw.sample),
  };
}
