import type { Policy } from "../decode_context.ts";
import type { Label, SeriesIdentity } from "../../records/mod.ts";
import { type JsonObject, put } from "../json.ts";
import {
  isLonger,
  type LabelBook,
  type Labels,
  labelText,
  type MetricIdentities,
} from "../metrics/label_book.ts";
import { type Fault, LIMITS } from "../metrics/limits.ts";
import { SeriesMemory, type SeriesWalk } from "../metrics/series_memory.ts";
import { senderOf } from "./resource_attributes.ts";

/** Names under which the scope's three come. What of them has the same value is not kept twice. */
const SOURCES = {
  service: ["service.name"],
  environment: ["deployment.environment.name", "deployment.environment", "environment", "env"],
  release: ["service.version", "vcs.ref.head.revision", "deployment.id"],
} as const;
const THREE = ["service", "environment", "release"] as const;
/** All that the three are read from. */
const SCOPE_NAMES = new Set<string>([...THREE, ...Object.values(SOURCES).flat()]);

/** What is left of labels when the three are read from them. */
interface Scoped {
  /** The three, as far as they are known. */
  readonly three: readonly Label[];
  /** Of {@linkcode SCOPE_NAMES}, those that stay. */
  readonly others: readonly Label[];
}

/** Makes labels of points that share a resource and a library. */
export class LabelSpace {
  /** Lists by the bytes that points' attributes were read from. */
  readonly known: Map<string, Labels>;
  readonly #memories: Map<MetricIdentities, SeriesMemory<SeriesIdentity>>;
  readonly #common: readonly Label[];
  readonly #scopeLabels: readonly Label[];
  readonly #scoped: Scoped;

  /** @param scope name of the library, or `""` */
  constructor(private readonly resource: ResourceLabels, scope: string) {
    const { labels, book } = resource;
    const { lists, series } = resource.known(scope);
    this.known = lists;
    this.#memories = series;
    const name = scope === "" ? [] : [book.label("otel.scope.name", scope)];
    this.#common = [...labels.filter(([key]) => !SCOPE_NAMES.has(key)), ...name];
    this.#scopeLabels = labels.filter(([key]) => SCOPE_NAMES.has(key));
    this.#scoped = this.#scopedOf([]);
  }

  /**
   * The labels of a point: its own attributes before those of the resource.
   *
   * @param attributes of the point, which lose their secrets in place
   * @param key to remember the list by in {@linkcode known}
   * @returns why it has none, where they are too many or too long
   */
  labelsOf(attributes: JsonObject, key: string | null = null): Labels | Fault {
    const { book, policy } = this.resource;
    policy.scrubObject(attributes);
    const own = labelsIn(attributes, book);
    const ownScope = own.filter(([name]) => SCOPE_NAMES.has(name));
    const { three, others } = ownScope.length === 0 ? this.#scoped : this.#scopedOf(ownScope);
    const list = book.listOf([
      ...this.#common.filter(([name]) => !Object.hasOwn(attributes, name)),
      ...own.filter(([name]) => !SCOPE_NAMES.has(name)),
      ...others,
      ...three,
    ]);
    if (key !== null && typeof list !== "string") {
      this.known.set(key, list);
      book.spend(key);
    }
    return list;
  }

  /** The series of a metric by the bytes that their points' attributes were read from. */
  memoryOf(identities: MetricIdentities): SeriesMemory<SeriesIdentity> {
    let memory = this.#memories.get(identities);
    if (memory === undefined) {
      memory = new SeriesMemory();
      this.#memories.set(identities, memory);
      this.resource.book.spend("");
    }
    return memory;
  }

  /** Remembers which series bytes of attributes stand for. @param key of the bytes */
  learn(
    walk: SeriesWalk<SeriesIdentity>,
    key: string,
    bytes: Uint8Array,
    series: SeriesIdentity,
  ): void {
    walk.learn(key, bytes, series);
    this.resource.book.spend(key);
    this.resource.book.spend(key);
  }

  /** Reads the three, of which a label of exactly their name on the point wins. */
  #scopedOf(own: readonly Label[]): Scoped {
    const { book } = this.resource;
    const merged = new Map([...this.#scopeLabels, ...own]);
    const mine = new Map(own);
    const sender = senderOf(Object.fromEntries(merged));
    if (sender.service === "") merged.delete("service.name");
    const three: Label[] = [];
    for (const name of THREE) {
      const value = mine.get(name) ?? (sender[name] || merged.get(name));
      merged.delete(name);
      if (value === undefined) continue;
      three.push(book.label(name, value));
      for (const source of SOURCES[name]) if (merged.get(source) === value) merged.delete(source);
    }
    return { three, others: [...merged].map(([name, value]) => book.label(name, value)) };
  }
}

/** What says how a process was started or measured, not which one it is; some of it is very long. */
const DROPPED = /^(?:telemetry\.sdk\.|process\.(?:command|executable\.|owner$))/;

/** By the bytes that points' attributes were read from. */
interface KnownOfScope {
  readonly lists: Map<string, Labels>;
  readonly series: Map<MetricIdentities, SeriesMemory<SeriesIdentity>>;
}

/** What all series of a resource have. It is made once: a resource may have hundreds of libraries. */
export class ResourceLabels {
  readonly labels: readonly Label[];
  /** By library. */
  readonly #known: Map<string, KnownOfScope>;

  /** @param attributes as sent, which lose their secrets in place; those that are too long for a label are left out */
  constructor(attributes: JsonObject, readonly book: LabelBook, readonly policy: Policy) {
    const kept: JsonObject = {};
    for (const name in attributes) {
      const isIdentified = name === "process.pid" &&
        Object.hasOwn(attributes, "service.instance.id");
      const value = attributes[name] ?? null;
      if (isIdentified || DROPPED.test(name)) continue;
      if (isLonger(labelText(value), LIMITS.valueBytes)) continue;
      put(kept, name, value);
    }
    policy.scrubObject(kept);
    this.labels = labelsIn(kept, book);
    this.#known = book.memory(JSON.stringify(kept));
  }

  /** What was seen of a library of this resource. */
  known(scope: string): KnownOfScope {
    let known = this.#known.get(scope);
    if (known === undefined) {
      known = { lists: new Map(), series: new Map() };
      this.#known.set(scope, known);
      this.book.spend(scope);
    }
    return known;
  }
}

/** Attributes as labels, without those that say nothing. */
function labelsIn(attributes: JsonObject, book: LabelBook): Label[] {
  const labels: Label[] = [];
  for (const name in attributes) {
    const text = labelText(attributes[name]);
    if (name !== "" && text !== "") labels.push(book.label(name, text));
  }
  return labels;
}
