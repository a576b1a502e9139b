import { LabelValues } from "../pprof/label_values.ts";
import { badParameter } from "../pprof/refusals.ts";

/** What `name` of a push says, as `shop.cpu{env=prod,region=eu}`. */
export interface ApplicationName {
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
