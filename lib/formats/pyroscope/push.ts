import { formIn, isMultipart } from "../../core/multipart.ts";
import { Refusal } from "../../core/refusal.ts";
import type { DecodeContext } from "../decode_context.ts";
import { asObject, type Raw, readText } from "../fields.ts";
import { isGzip } from "../pprof/compression.ts";
import { badParameter, unreadableBody } from "../pprof/faults.ts";
import { LabelValues, withLabels } from "../pprof/labels.ts";
import {
  queryOf,
  readUpload,
  type TimeRange,
  timeRange,
  type UploadBatch,
  uploadBatch,
} from "../pprof/upload.ts";
import { collapsedToPprof, countedAs } from "./collapsed.ts";

/** What agents call the formats that are taken. */
const FORMATS: Readonly<Record<string, "pprof" | "folded" | "lines">> = {
  pprof: "pprof",
  folded: "folded",
  collapsed: "folded",
  groups: "folded",
  lines: "lines",
};

const PLATFORMS: Readonly<Record<string, string>> = {
  gospy: "go",
  nodespy: "node",
  pyspy: "python",
  rbspy: "ruby",
  dotnetspy: "csharp",
  phpspy: "php",
  javaspy: "java",
  "pyroscope-rs": "rust",
};

/** What is said of a push beside its body. */
interface Push {
  readonly query: URLSearchParams;
  readonly name: ApplicationName;
  readonly range: TimeRange;
}

/**
 * Makes the record of a push.
 *
 * @throws {Refusal} 400 for parameters or a body that can not be read, 413 for what is too large, 415 for formats
 * that are not taken
 */
export async function decodePush(body: Uint8Array, context: DecodeContext): Promise<UploadBatch> {
  const query = queryOf(context);
  const name = readApplicationName(query.get("name") ?? "");
  const range = timeRange(query, context.receivedAt);
  // Before the form is read: that of a recording has other fields.
  if (isRecording(query.get("format") ?? "", body)) throw javaRecording();
  const form: ProfileForm = isMultipart(context.contentType)
    ? await readForm(body, context.contentType)
    : { profile: body, sampleTypeConfig: "" };
  if (isRecording("", form.profile)) throw javaRecording();
  const upload = readUpload(await toPprof(form, { query, name, range }, context));
  const hints = readSampleTypeConfig(form.sampleTypeConfig);
  const { labels } = name;
  const sender = withLabels(NOBODY, labels);
  const facts = {
    ...sender,
    ...range,
    service: sender.service || name.application,
    platform: valueIn(PLATFORMS, query.get("spyName") ?? "") ?? "",
    kindHint: hints.kindHint || name.suffix,
    isDelta: hints.isDelta ?? undefined,
    labels: labels.lists(),
  };
  return uploadBatch(upload, facts, context);
}

const NOBODY = { service: "", environment: "", release: "", instance: "" };

/** The pprof that a push brings, or what becomes of its collapsed stacks. */
async function toPprof(
  { profile }: ProfileForm,
  { query, name, range }: Push,
  { contentType }: DecodeContext,
): Promise<Uint8Array> {
  const format = formatOf(query.get("format") ?? "", contentType, profile);
  if (format === "pprof") return profile;
  const rate = Number(query.get("sampleRate") ?? "");
  const counted = countedAs(name.suffix, query.get("units") ?? "", rate);
  return await collapsedToPprof(profile, { counted, hasCounts: format === "folded", ...range });
}

/** Agents that name no format send forms with a pprof, or collapsed stacks. */
function formatOf(named: string, contentType: string, profile: Uint8Array) {
  if (named === "") return isMultipart(contentType) || isGzip(profile) ? "pprof" : "folded";
  const format = valueIn(FORMATS, named.toLowerCase());
  if (format === undefined) throw unsupportedFormat();
  return format;
}

/** Whether it is a recording of Java Flight Recorder, as the format says or the bytes do. */
function isRecording(format: string, bytes: Uint8Array): boolean {
  const magic = bytes[0] === 0x46 && bytes[1] === 0x4c && bytes[2] === 0x52 && bytes[3] === 0;
  return magic || format.toLowerCase() === "jfr";
}

function javaRecording(): Refusal {
  return new Refusal(
    415,
    "Recordings of Java Flight Recorder (JFR), all that Pyroscope's Java agent sends, are not taken. Let async-profiler " +
      "write collapsed stacks, or make pprof of recordings: jfrconv -o pprof in.jfr out.pb.gz, to /api/v1/profiles/pprof",
    { kind: "unsupported", reason: "jfr" },
  );
}

function unsupportedFormat(): Refusal {
  return new Refusal(
    415,
    "This format is not taken: send pprof, or collapsed stacks as folded or lines",
    { kind: "unsupported", reason: "profile_format" },
  );
}

function valueIn<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** What `name` of a push says, as `shop.cpu{env=prod,region=eu}`. */
interface ApplicationName {
  /** `shop` */
  readonly application: string;
  /** `cpu`, or `""`. */
  readonly suffix: string;
  readonly labels: LabelValues;
}

/** What agents append to the name, as Pyroscope knows it. */
const SUFFIX =
  /^(.+)\.(cpu|wall|itimer|inuse_objects|inuse_space|alloc_objects|alloc_space|goroutines|mutex_count|mutex_duration|block_count|block_duration|lock_count|lock_duration|exceptions|live)$/;

/** Reads `name`. @throws {Refusal} 400 when it names nothing or its braces are not closed */
export function readApplicationName(name: string): ApplicationName {
  const brace = name.indexOf("{");
  const full = (brace < 0 ? name : name.slice(0, brace)).trim();
  if (full === "") throw badParameter("name", "is missing: it names the application");
  const labels = new LabelValues();
  if (brace >= 0) addLabels(name.slice(brace).trim(), labels);
  const [, application = full, suffix = ""] = SUFFIX.exec(full) ?? [];
  return { application, suffix, labels };
}

function addLabels(braces: string, labels: LabelValues): void {
  if (!braces.endsWith("}")) throw badParameter("name", "has a brace that is not closed");
  for (const pair of braces.slice(1, -1).split(",")) {
    if (pair.trim() === "") continue;
    const equals = pair.indexOf("=");
    if (equals < 1) throw badParameter("name", `has the label "${pair}", which is not key=value`);
    labels.add(pair.slice(0, equals), unquoted(pair.slice(equals + 1).trim()));
  }
}

function unquoted(value: string): string {
  return /^".*"$/.test(value) ? value.slice(1, -1) : value;
}

/** What an agent puts into a form. */
interface ProfileForm {
  readonly profile: Uint8Array;
  /** JSON text, or `""`. */
  readonly sampleTypeConfig: string;
}

/** Agents send three. */
const MAX_FIELDS = 32;

/** Reads `multipart/form-data`. @throws {Refusal} 400 when it is none, or has no field `profile` */
async function readForm(body: Uint8Array, contentType: string): Promise<ProfileForm> {
  const form = await formIn(body, contentType, MAX_FIELDS);
  if (form === "no boundary") throw unreadableBody("The form's Content-Type has no boundary");
  if (form === "too many fields") {
    throw unreadableBody(`The form has more than ${MAX_FIELDS} fields`);
  }
  if (form === "not whole") {
    throw unreadableBody("The body is not the form that its Content-Type says");
  }
  const profile = await bytesOf(form.get("profile"));
  if (profile === null) throw unreadableBody('The form has no field "profile"');
  const config = await bytesOf(form.get("sample_type_config"));
  return {
    profile,
    sampleTypeConfig: config === null ? "" : new TextDecoder().decode(config),
  };
}

async function bytesOf(field: FormDataEntryValue | null): Promise<Uint8Array | null> {
  if (field === null) return null;
  return typeof field === "string" ? new TextEncoder().encode(field) : await field.bytes();
}

/** What an agent says of the values of its profile. */
interface SampleTypeHints {
  /** What the profile tells of, or `""`: mutex and block profiles have the same types. */
  readonly kindHint: string;
  /** Null: it says nothing. False: values were counted since the process began. */
  readonly isDelta: boolean | null;
}

const NOTHING: SampleTypeHints = { kindHint: "", isDelta: null };
const KIND = /^(mutex|block|goroutine|exception|lock)/;

/** Reads `sample_type_config`, a JSON object by sample type; what is none says nothing. */
function readSampleTypeConfig(text: string): SampleTypeHints {
  const types = Object.values(objectIn(text)).flatMap((type): Raw[] => {
    const object = asObject(type);
    return object === undefined ? [] : [object];
  });
  if (types.length === 0) return NOTHING;
  const kinds = types.flatMap((type) => KIND.exec(readText(type["display-name"]) ?? "")?.[1] ?? []);
  return {
    kindHint: kinds[0] ?? "",
    isDelta: !types.some(({ cumulative }) => cumulative === true),
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}
