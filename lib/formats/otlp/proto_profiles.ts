import { LIMITS } from "./limits.ts";
import { newGroup, newScope, type ResourceGroup, type Scope } from "./model.ts";
import { Budget } from "./budget.ts";
import {
  newDictionary,
  newProfile,
  newSample,
  type OtlpProfile,
  type OtlpProfiles,
  type OtlpSample,
} from "./profiles_model_2.ts";
import { readAttributeWithTexts } from "./proto_any_value_2.ts";
import { tablesField, textsField, valueTypeField } from "./proto_dictionary.ts";
import { type ProfileField, ProfileReader } from "./proto_reader_2.ts";

const BYTES = 2;

/**
 * Reads an `ExportProfilesServiceRequest`. The dictionary comes last on the wire and is named everywhere: the body is
 * gone through three times, each time for what the time before made readable.
 *
 * @throws {Refusal} 400 when it is none, 413 when there is too much of it
 */
export function readProfiles(body: Uint8Array): OtlpProfiles {
  const budget = new Budget();
  const dictionary = newDictionary();
  for (const table of [textsField, tablesField]) {
    new ProfileReader(body, budget).readWhole((field, target, reader) => {
      if (field === 2 && reader.isMessage) reader.part(table, target);
    }, dictionary);
  }
  const groupField = groupHandler(dictionary.texts);
  const groups: ResourceGroup<OtlpProfile>[] = [];
  new ProfileReader(body, budget).readWhole((field, list, reader) => {
    if (field !== 1 || !reader.isMessage) return;
    budget.group();
    list.push(reader.part(groupField, newGroup()));
  }, groups);
  return { groups, dictionary };
}

function groupHandler(texts: readonly string[]): ProfileField<ResourceGroup<OtlpProfile>> {
  const scopeField = scopeHandler(texts);
  return (field, group, reader) => {
    if (!reader.isMessage) return;
    if (field === 2) {
      reader.budget.group();
      group.scopes.push(reader.part(scopeField, newScope()));
    } else if (field === 1) {
      reader.part((inner, target, resource) => {
        if (inner === 1) readAttributeWithTexts(target, resource, texts);
      }, group);
    }
  };
}

function scopeHandler(texts: readonly string[]): ProfileField<Scope<OtlpProfile>> {
  return (field, scope, reader) => {
    if (!reader.isMessage) return;
    if (field === 2) {
      reader.budget.profile();
      scope.items.push(reader.part(profileField, newProfile()));
    } else if (field === 1) {
      reader.part((inner, target, sent) => {
        if (inner === 1) target.name = sent.text(LIMITS.name);
        else if (inner === 2) target.version = sent.text(LIMITS.name);
        else if (inner === 3) readAttributeWithTexts(target, sent, texts);
      }, scope);
    }
  };
}

function profileField(field: number, profile: OtlpProfile, reader: ProfileReader): void {
  switch (field) {
    case 1:
      profile.type = reader.part(valueTypeField, { type: 0, unit: 0 });
      break;
    case 2:
      if (reader.isMessage) {
        reader.budget.sample();
        const sample = reader.part(sampleField, newSample());
        profile.isOlder ||= sample.isOlder;
        profile.samples.push(sample);
      }
      break;
    case 3:
      profile.time = reader.nanos();
      break;
    case 4:
      profile.duration = reader.nanos();
      break;
    case 5:
      profile.periodType = reader.part(valueTypeField, { type: 0, unit: 0 });
      break;
    case 6:
      profile.period = reader.bigInt64();
      break;
    case 7:
      profile.profileId = reader.id();
      break;
    case 8:
      // It was the id until October 2025; now it is a count.
      if (reader.type === BYTES) profile.isOlder = true;
      break;
    case 9:
      profile.originalFormat = reader.text(LIMITS.name);
      break;
    case 10:
      profile.original = reader.bytesOf();
      break;
    case 11:
      reader.placesInto(profile.attributes);
  }
}

function sampleField(field: number, sample: OtlpSample, reader: ProfileReader): void {
  switch (field) {
    case 1:
      sample.stack = reader.uint();
      break;
    case 2:
      reader.placesInto(sample.attributes);
      break;
    case 3:
      // It was a list, of attributes, until March 2026; and the next one was no list, but the link.
      if (reader.type === BYTES) sample.isOlder = true;
      sample.link = reader.uint();
      break;
    case 4:
      if (reader.type !== BYTES) sample.isOlder = true;
      reader.int64sInto(sample.values);
      break;
    case 5:
      reader.nanosInto(sample.times);
  }
}
