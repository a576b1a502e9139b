/** What transactions and spans add to the counts that pages read. */
import type { Measurement, SpanBatch, Transaction } from "../../records/mod.ts";
import { isFailedStatus, ownerIdOf } from "../../records/span_rules.ts";
import { callerName, OTHER_SPANS, OTHER_TRANSACTIONS } from "../../store/stats/name_caps.ts";
import { groupName, type Series, seriesOf } from "../../store/stats/series.ts";
import {
  idOf,
  type NamedSeries,
  type Observation,
  type StatTally,
} from "../../store/stats/stat_tally.ts";
import { nameOf } from "../../store/values.ts";

/** The vitals that browsers measure, in milliseconds but for `cls`. */
const VITALS: ReadonlySet<string> = new Set(["lcp", "inp", "cls", "fcp", "ttfb"]);
/** A tab in the background takes minutes to paint: that tells nothing of the page. */
const MAX_VITAL = 60_000;

/** Adds a transaction that is new. */
export function tallyTransaction(
  projectId: string,
  transaction: Transaction,
  tally: StatTally,
): void {
  const place = placeOf(transaction);
  const seen = {
    time: transaction.timestamp,
    value: transaction.durationMs,
    isFailed: transaction.isFailed,
    weight: weightOf(transaction),
    httpStatus: transaction.httpStatus,
    user: transaction.user,
    traceId: transaction.traceId,
  };
  tally.add(projectId, seriesOf({ kind: "total", ...place }), seen);
  const named = {
    name: nameOf(transaction.name),
    op: nameOf(transaction.op),
    httpMethod: nameOf(transaction.httpMethod),
    route: nameOf(transaction.route),
    protocol: transaction.sentAs === "entry" ? "otlp" : "sentry",
  };
  tally.add(projectId, seriesOf({ kind: "transaction", ...place, ...named }), seen);
  const { foldedName } = transaction;
  if (foldedName !== undefined) tally.addFolded(projectId, transaction.timestamp, foldedName);
  // Those of a segment stand on the span that it is as well.
  if (transaction.sentAs !== "transaction") return;
  const client = clientOf(Object.fromEntries(transaction.tags));
  for (const vital of transaction.measurements) {
    const page = { ...place, name: nameOf(transaction.name) };
    tallyVital(projectId, { page, client, vital, seen }, tally);
  }
}

interface MeasuredVital {
  readonly page: ReturnType<typeof placeOf> & Pick<Series, "name">;
  readonly client: ReturnType<typeof clientOf>;
  readonly vital: Measurement;
  readonly seen: Observation;
}

/** Counts a vital for its page, and for its page and kind of visitor. */
function tallyVital(
  projectId: string,
  { page, client, vital: { name: op, value }, seen }: MeasuredVital,
  tally: StatTally,
): void {
  if (!VITALS.has(op) || value < 0 || value > MAX_VITAL) return;
  const measured = { ...seen, value, isFailed: false, user: null, httpStatus: null };
  tally.add(projectId, seriesOf({ kind: "vital", ...page, op }), measured);
  tally.add(projectId, seriesOf({ kind: "visit", ...page, op, ...client }), measured);
}

/** Names of transactions that came along with spans, by {@linkcode entryKey}. */
export type EntryNames = ReadonlyMap<string, string>;

/** Tells one transaction from all others. */
export function entryKey(projectId: string, traceId: string, spanId: string): string {
  return `${projectId}/${traceId}/${spanId}`;
}

/** Adds the spans of a batch that are new. */
export function tallySpans(
  projectId: string,
  batch: SpanBatch,
  entryNames: EntryNames,
  tally: StatTally,
): void {
  const place = placeOf(batch);
  const works = worksOf(place);
  const weight = weightOf(batch);
  let [owner, parent]: [string | null, string] = [null, ""];
  for (const span of batch.spans) {
    const id = ownerIdOf(span) ?? "";
    if (id !== owner) {
      owner = id;
      parent = nameOf(
        entryNames.get(entryKey(projectId, batch.traceId, id)) ?? batch.transaction,
      );
    }
    const isWork = span.category !== "" && span.group !== "";
    if (!isWork && (span.measurements.length === 0 || parent === "")) continue;
    const seen = {
      time: new Date(span.end * 1000),
      value: (span.end - span.start) * 1000,
      isFailed: isFailedStatus(span.status),
      weight,
      httpStatus: null,
      user: null,
      traceId: batch.traceId,
    };
    if (isWork) tallyWork(projectId, works, { span, parent, seen }, tally);
    if (span.measurements.length === 0 || parent === "") continue;
    const [page, client] = [{ ...place, name: parent }, clientOf(span.data)];
    for (const vital of span.measurements) {
      tallyVital(projectId, { page, client, vital, seen }, tally);
    }
  }
}

interface SeenSpan {
  readonly span: SpanBatch["spans"][number];
  /** Name of the transaction. */
  readonly parent: string;
  readonly seen: Observation;
}

/** Counts a span for its group, and for its group within its transaction. */
function tallyWork(
  projectId: string,
  works: Works,
  { span, parent, seen }: SeenSpan,
  tally: StatTally,
): void {
  const { names } = tally;
  const known = works.named(span.category, groupOf(span.group));
  const work = names.admit(projectId, "span", known.name)
    ? known
    : works.named(span.category, OTHER_SPANS);
  tally.addTo(projectId, work.all, seen);
  const caller = work.calledBy(parent);
  const isAdmitted = names.admit(projectId, "caller", caller.key);
  tally.addTo(
    projectId,
    isAdmitted ? caller.named : work.calledBy(OTHER_TRANSACTIONS).named,
    seen,
  );
}

/** Remembered names and series: some 10 MB. They come in every request, and making their ids costs more than counting. */
const CAPACITY = 20_000;
const groups = new Map<string, string>();

function groupOf(group: string): string {
  let name = groups.get(group);
  if (name === undefined) {
    if (groups.size >= CAPACITY) groups.clear();
    groups.set(group, name = groupName(group));
  }
  return name;
}

const worksByPlace = new Map<string, Works>();
let remembered = 0;

function worksOf(place: Place): Works {
  const key = `${place.environment}\x1f${place.release}\x1f${place.service}`;
  let works = worksByPlace.get(key);
  if (works === undefined || remembered > CAPACITY) {
    if (remembered > CAPACITY) {
      worksByPlace.clear();
      remembered = 0;
    }
    worksByPlace.set(key, works = new Works(place));
  }
  return works;
}

/** What spans of one environment, release and service do. */
class Works {
  readonly #named = new Map<string, Map<string, Work>>();

  constructor(private readonly place: Place) {}

  named(category: string, name: string): Work {
    let names = this.#named.get(category);
    if (names === undefined) this.#named.set(category, names = new Map());
    let work = names.get(name);
    if (work === undefined) names.set(name, work = new Work({ ...this.place, name, category }));
    return work;
  }
}

interface Caller {
  /** What it is admitted by. */
  readonly key: string;
  readonly named: NamedSeries;
}

class Work {
  readonly name: string;
  readonly all: NamedSeries;
  readonly #callers = new Map<string, Caller>();

  constructor(private readonly facts: Place & Pick<Series, "name" | "category">) {
    this.name = facts.name;
    this.all = withId(seriesOf({ kind: "span", ...facts }));
    remembered++;
  }

  calledBy(parent: string): Caller {
    let caller = this.#callers.get(parent);
    if (caller === undefined) {
      const named = withId(seriesOf({ kind: "caller", ...this.facts, parent }));
      this.#callers.set(parent, caller = { key: callerName(this.name, parent), named });
      remembered++;
    }
    return caller;
  }
}

function withId(series: Series): NamedSeries {
  return { series, seriesId: idOf(series) };
}

type Place = ReturnType<typeof placeOf>;

function placeOf({ environment, release, service }: Transaction | SpanBatch) {
  return {
    environment: nameOf(environment),
    release: nameOf(release),
    service: nameOf(service),
  };
}

function weightOf({ clientSampleRate, serverSampleRate }: Transaction | SpanBatch): number {
  return 1 / (clientSampleRate * serverSampleRate);
}

/** What vitals are told apart by; `""` where the client does not say. */
type Client = Pick<Series, "browser" | "device" | "country">;

const MAX_NAME = 60;
/** Longer headers are not read to the end. */
const MAX_AGENT = 512;

/** Browser, kind of device and country out of attributes or tags, as Sentry's SDKs and OpenTelemetry name them. */
export function clientOf(data: Readonly<Record<string, unknown>>): Client {
  const first = (...names: readonly string[]): string => {
    for (const name of names) {
      const value = data[name];
      if (typeof value === "string" && value !== "") return value;
    }
    return "";
  };
  const agent = first("user_agent.original").slice(0, MAX_AGENT);
  return {
    browser: first("browser.name", "sentry.browser.name").slice(0, MAX_NAME) || browserOf(agent),
    device: deviceOf(data["browser.mobile"], agent) ||
      deviceClass(first("device.class", "device.family", "device", "device.model")) ||
      systemClass(first("client_os.name", "os.name")),
    country: first("user.geo.country_code", "geo.country_code", "client.geo.country.iso_code")
      .slice(0, MAX_NAME),
  };
}

/** Names as people know them; the order matters, since most agents claim to be others too. */
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

function browserOf(agent: string): string {
  return BROWSERS.find(([mark]) => mark.test(agent))?.[1] ?? "";
}

function deviceOf(isMobile: unknown, agent: string): string {
  if (isMobile === true || /\b(?:Mobile|iPhone|Android)\b/.test(agent)) return "mobile";
  return isMobile === false || agent !== "" ? "desktop" : "";
}

function deviceClass(named: string): string {
  if (/phone|pad|pixel|galaxy|android|mobile/i.test(named)) return "mobile";
  return /desktop|mac|^pc$/i.test(named) ? "desktop" : "";
}

/** People browse on phones with the one, and on computers with the other. */
function systemClass(system: string): string {
  if (/^(?:iOS|iPadOS|Android)$/i.test(system)) return "mobile";
  return /^(?:Windows|macOS|Mac OS X|Linux|Ubuntu|Chrome OS)$/i.test(system) ? "desktop" : "";
}
