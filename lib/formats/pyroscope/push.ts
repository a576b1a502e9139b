import { isGzip } from "../pprof/inflate.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import { withLabels } from "../pprof/label_facts.ts";
import { type TimeRange, timeRange } from "../pprof/time_parameter.ts";
import { readUpload, type UploadBatch, uploadBatch } from "../pprof/upload.ts";
import { queryOf } from "../pprof/upload_parameters.ts";
import { type ApplicationName, readApplicationName } from "./application_name.ts";
import { collapsedToPprof } from "./collapsed.ts";
import { isForm, type ProfileForm, readForm } from "./form.ts";
import { readSampleTypeConfig } from "./sample_type_config.ts";
import { countedAs } from "./value_types.ts";

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
  const form: ProfileForm = isForm(context.contentType)
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
  if (named === "") return isForm(contentType) || isGzip(profile) ? "pprof" : "folded";
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
