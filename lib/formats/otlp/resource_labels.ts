import type { Label } from "../../records/mod.ts";
import { isLonger, type LabelBook, type Labels } from "../metrics/label_book.ts";
import { labelText } from "../metrics/label_text.ts";
import { LIMITS } from "../metrics/limits.ts";
import type { Policy } from "../../ingest/policy.ts";
import { type JsonObject, put } from "../json.ts";

/** What says how a process was started or measured, not which one it is; some of it is very long. */
const DROPPED = /^(?:telemetry\.sdk\.|process\.(?:command|executable\.|owner$))/;

/** What all series of a resource have. It is made once: a resource may have hundreds of libraries. */
export class ResourceLabels {
  readonly labels: readonly Label[];
  /** Lists of labels by the bytes that points' attributes were read from, by library. */
  readonly #known: Map<string, Map<string, Labels>>;

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

  /** Lists of labels that were seen of a library of this resource. */
  known(scope: string): Map<string, Labels> {
    let known = this.#known.get(scope);
    if (known === undefined) {
      known = new Map();
      this.#known.set(scope, known);
      this.book.spend(scope);
    }
    return known;
  }
}

/** Attributes as labels, without those that say nothing. */
export function labelsIn(attributes: JsonObject, book: LabelBook): Label[] {
  const labels: Label[] = [];
  for (const name in attributes) {
    const text = labelText(attributes[name]);
    if (name !== "" && text !== "") labels.push(book.label(name, text));
  }
  return labels;
}
