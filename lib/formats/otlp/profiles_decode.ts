import { parseRequest } from "./json.ts";
import { type Message, message } from "./message.ts";
import { newGroup, newScope, type ResourceGroup, type Scope } from "./model.ts";
import { RESOURCE, SCOPE } from "./decode.ts";
import { Budget, LIMITS, tooManyBytes, tooManyParts } from "./profiles_limits.ts";
import {
  newDictionary,
  newProfile,
  type OtlpAttribute,
  type OtlpDictionary,
  type OtlpFunction,
  type OtlpLine,
  type OtlpLocation,
  type OtlpMapping,
  type OtlpProfile,
  type OtlpProfileLink,
  type OtlpProfiles,
  type OtlpValueType,
} from "./profiles_model.ts";
import { JsonProfileFields, type ProfileFields, ProtoProfileFields } from "./profiles_readers.ts";
import { refuseDamaged } from "./proto_reader.ts";
import { bodyEncoding, LIMITS as OTLP_LIMITS } from "./request.ts";

/**
 * Reads an `ExportProfilesServiceRequest`.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 413 for too many profiles or parts, 400 for what is no such request
 */
export function decodeProfiles(body: Uint8Array, contentType: string): OtlpProfiles {
  const encoding = bodyEncoding(body, contentType);
  if (body.length > LIMITS.bytes) throw tooManyBytes();
  const budget = new Budget();
  const dictionary = newDictionary();
  const { texts } = dictionary;
  if (encoding === "json") {
    const raw = parseRequest(body, { parts: LIMITS.jsonParts, tooMany: tooManyParts });
    return readInTurn(
      dictionary,
      (table, target) => new JsonProfileFields(budget, texts).read(raw, table, target),
    );
  }
  return refuseDamaged(() =>
    readInTurn(
      dictionary,
      (table, target) => new ProtoProfileFields(body, budget, texts).readWhole(table, target),
    )
  );
}

/**
 * The dictionary comes last on the wire and is named everywhere: the body is gone through three times, each time for
 * what the time before made readable.
 */
function readInTurn(
  dictionary: OtlpDictionary,
  read: <T>(table: Message<T, ProfileFields>, target: T) => T,
): OtlpProfiles {
  read(DICTIONARY_TEXTS, dictionary);
  read(DICTIONARY_TABLES, dictionary);
  const groups = read(REQUEST, []);
  return { groups, dictionary };
}

const VALUE_TYPE = message<OtlpValueType, ProfileFields>(
  [1, "typeStrindex", (type, from) => type.type = from.uint()],
  [2, "unitStrindex", (type, from) => type.unit = from.uint()],
);

const PROFILE = message<OtlpProfile, ProfileFields>(
  [1, "sampleType", (profile, from) => profile.type = from.optional(VALUE_TYPE, newValueType())],
  [2, "samples", (profile, from) => from.each(addSample, profile)],
  [3, "timeUnixNano", (profile, from) => profile.time = from.nanos()],
  [4, "durationNano", (profile, from) => profile.duration = from.nanos()],
  [5, "periodType", (profile, from) => {
    profile.periodType = from.optional(VALUE_TYPE, newValueType());
  }],
  [6, "period", (profile, from) => profile.period = from.bigInt64()],
  [7, "profileId", (profile, from) => profile.profileId = from.profileId()],
  // It was the id until October 2025; now it is a count.
  [8, "", markOlder],
  // The names of fields changed as well: `sample` became `samples`.
  [0, "sample", markOlder],
  [9, "originalPayloadFormat", (profile, from) => {
    profile.originalFormat = from.text(OTLP_LIMITS.name);
  }],
  [10, "originalPayload", (profile, from) => profile.original = from.bytes()],
  [11, "attributeIndices", (profile, from) => profile.attributes = from.places(profile.attributes)],
);

function newValueType(): OtlpValueType {
  return { type: 0, unit: 0 };
}

function addSample(profile: OtlpProfile, from: ProfileFields): void {
  const sample = from.sample();
  profile.isOlder ||= sample.isOlder;
  profile.samples.push(sample);
}

function markOlder(profile: OtlpProfile, from: ProfileFields): void {
  if (from.isList) profile.isOlder = true;
}

const SCOPE_PROFILES = message<Scope<OtlpProfile>, ProfileFields>(
  [1, "scope", (scope, from) => from.inner(SCOPE, scope)],
  [2, "profiles", (scope, from) => from.each(addProfile, scope)],
);

const RESOURCE_PROFILES = message<ResourceGroup<OtlpProfile>, ProfileFields>(
  [1, "resource", (group, from) => from.inner(RESOURCE, group)],
  [2, "scopeProfiles", (group, from) => from.each(addScope, group)],
);

/** `ExportProfilesServiceRequest`, without its dictionary. */
const REQUEST = message<ResourceGroup<OtlpProfile>[], ProfileFields>(
  [1, "resourceProfiles", (groups, from) => from.each(addGroup, groups)],
);

function addGroup(groups: ResourceGroup<OtlpProfile>[], from: ProfileFields): void {
  from.budget.group();
  groups.push(from.inner(RESOURCE_PROFILES, newGroup()));
}

function addScope({ scopes }: ResourceGroup<OtlpProfile>, from: ProfileFields): void {
  from.budget.group();
  scopes.push(from.inner(SCOPE_PROFILES, newScope()));
}

function addProfile({ items }: Scope<OtlpProfile>, from: ProfileFields): void {
  from.budget.profile();
  items.push(from.inner(PROFILE, newProfile()));
}

const MAPPING = message<OtlpMapping, ProfileFields>(
  [1, "memoryStart", (mapping, from) => mapping.start = from.bigUint64()],
  [2, "memoryLimit", (mapping, from) => mapping.limit = from.bigUint64()],
  [3, "fileOffset", (mapping, from) => mapping.offset = from.bigUint64()],
  [4, "filenameStrindex", (mapping, from) => mapping.filename = from.uint()],
  [5, "attributeIndices", (mapping, from) => mapping.attributes = from.places(mapping.attributes)],
);

const LINE = message<OtlpLine, ProfileFields>(
  [1, "functionIndex", (line, from) => line.function = from.uint()],
  [2, "line", (line, from) => line.line = from.uint()],
  [3, "column", (line, from) => line.column = from.uint()],
);

const LOCATION = message<OtlpLocation, ProfileFields>(
  [1, "mappingIndex", (location, from) => location.mapping = from.uint()],
  [2, "address", (location, from) => location.address = from.bigUint64()],
  [3, "lines", (location, from) => from.each(addLine, location)],
  [
    4,
    "attributeIndices",
    (location, from) => location.attributes = from.places(location.attributes),
  ],
);

function addLine({ lines }: OtlpLocation, from: ProfileFields): void {
  lines.push(from.inner(LINE, { function: 0, line: 0, column: 0 }));
}

const FUNCTION = message<OtlpFunction, ProfileFields>(
  [1, "nameStrindex", (found, from) => found.name = from.uint()],
  [2, "systemNameStrindex", (found, from) => found.systemName = from.uint()],
  [3, "filenameStrindex", (found, from) => found.filename = from.uint()],
  [4, "startLine", (found, from) => found.startLine = from.uint()],
);

const LINK = message<OtlpProfileLink, ProfileFields>(
  [1, "traceId", (link, from) => link.traceId = from.id(16)],
  [2, "spanId", (link, from) => link.spanId = from.id(8)],
);

const ATTRIBUTE = message<OtlpAttribute, ProfileFields>(
  [1, "keyStrindex", (attribute, from) => attribute.key = from.uint()],
  [2, "value", (attribute, from) => attribute.value = from.value()],
  [3, "unitStrindex", (attribute, from) => attribute.unit = from.uint()],
);

const STACK = message<{ locations: number[] }, ProfileFields>(
  [1, "locationIndices", (stack, from) => stack.locations = from.places(stack.locations)],
);

/** The texts of a `ProfilesDictionary`, which all else names. */
const TEXTS = message<OtlpDictionary, ProfileFields>(
  [
    5,
    "stringTable",
    (dictionary, from) =>
      from.rows(({ texts }, row) => texts.push(row.tableText(LIMITS.text)), dictionary),
  ],
);

/** The other tables, once the texts are known. */
const TABLES = message<OtlpDictionary, ProfileFields>(
  [1, "mappingTable", (dictionary, from) => from.rows(addMapping, dictionary)],
  [2, "locationTable", (dictionary, from) => from.rows(addLocation, dictionary)],
  [3, "functionTable", (dictionary, from) => from.rows(addFunction, dictionary)],
  [4, "linkTable", (dictionary, from) => from.rows(addLink, dictionary)],
  [6, "attributeTable", (dictionary, from) => from.rows(addAttribute, dictionary)],
  [7, "stackTable", (dictionary, from) => from.rows(addStack, dictionary)],
);

/** `ExportProfilesServiceRequest`, only its dictionary. */
const DICTIONARY_TEXTS = message<OtlpDictionary, ProfileFields>(
  [2, "dictionary", (dictionary, from) => from.inner(TEXTS, dictionary)],
);
const DICTIONARY_TABLES = message<OtlpDictionary, ProfileFields>(
  [2, "dictionary", (dictionary, from) => from.inner(TABLES, dictionary)],
);

function addMapping({ mappings }: OtlpDictionary, from: ProfileFields): void {
  mappings.push(
    from.inner(MAPPING, { start: 0n, limit: 0n, offset: 0n, filename: 0, attributes: [] }),
  );
}

function addLocation({ locations }: OtlpDictionary, from: ProfileFields): void {
  locations.push(from.inner(LOCATION, { mapping: 0, address: 0n, lines: [], attributes: [] }));
}

function addFunction({ functions }: OtlpDictionary, from: ProfileFields): void {
  functions.push(from.inner(FUNCTION, { name: 0, systemName: 0, filename: 0, startLine: 0 }));
}

function addLink({ links }: OtlpDictionary, from: ProfileFields): void {
  links.push(from.inner(LINK, { traceId: "", spanId: "" }));
}

function addAttribute({ attributes }: OtlpDictionary, from: ProfileFields): void {
  attributes.push(from.inner(ATTRIBUTE, { key: 0, value: null, unit: 0 }));
}

function addStack({ stacks }: OtlpDictionary, from: ProfileFields): void {
  stacks.push(from.inner(STACK, { locations: [] }).locations);
}
