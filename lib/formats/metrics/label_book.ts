import { Buffer } from "node:buffer";
import type { Policy } from "../decode_context.ts";
import { type Label, type Metric, SeriesIdentity, type Temporality } from "../../records/mod.ts";
import { type Json, type JsonObject, put } from "../json.ts";
import { type Fault, LIMITS } from "./limits.ts";

/** What a series is known by. Equal lists of one request are the same object. */
export type Labels = readonly Label[];

/** UTF-16 units of all texts that a book remembers, about: a series with ten labels of its own has 500. */
const MAX_CHARACTERS = 20_000_000;
/** What an entry costs beside its texts. */
const ENTRY_CHARACTERS = 64;
const LABEL_CHARACTERS = 8;

/**
 * Labels and lists of them that were seen lately. The same few thousand series come again with every request, and
 * reading their labels anew would cost more than all the rest of a point. What labels become depends on a project's
 * policy: each has a book of its own.
 */
export class LabelBook {
  readonly #labels = new Map<string, Label>();
  readonly #numbers = new Map<Label, number>();
  readonly #lists = new Map<string, Labels>();
  readonly #memories = new Map<string, Map<string, unknown>>();
  readonly #identities = new Map<string, MetricIdentities>();
  #characters = 0;

  constructor(private readonly policy: Policy) {}

  /** The label as the project wants it stored, without secrets; null for none. */
  scrubbed(key: string, value: string): Label | null {
    const object: JsonObject = {};
    put(object, key, value);
    this.policy.scrubObject(object);
    const text = labelText(object[key]);
    return key === "" || text === "" ? null : this.label(key, text);
  }

  /** The one object for a label. */
  label(key: string, value: string): Label {
    const text = `${key}\0${value}`;
    let label = this.#labels.get(text);
    if (label === undefined) {
      label = [key, value];
      this.#labels.set(text, label);
      this.#numbers.set(label, this.#numbers.size);
      this.#characters += 2 * text.length + ENTRY_CHARACTERS;
    }
    return label;
  }

  /**
   * The list of these labels. It takes no longer where their texts are long: many series may share them.
   *
   * @param labels of this book, without repeated keys and empty values; they are sorted in place
   * @returns why there is no such list, where they are too many or too long
   */
  listOf(labels: Label[]): Labels | Fault {
    if (labels.length > LIMITS.labels) return "too_many_labels";
    labels.sort(byKey);
    const name = labels.map((label) => this.#numbers.get(label)).join();
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    if (labels.some(isTooLong)) return "label_too_long";
    const length = labels.reduce((sum, [, value]) => sum + value.length, 0);
    if (length > LIMITS.values) return "labels_too_long";
    this.#lists.set(name, labels);
    this.#characters += labels.length * LABEL_CHARACTERS + ENTRY_CHARACTERS;
    return labels;
  }

  /**
   * What a reader remembers under a name of its own, such as lists by the bytes that they were read from. It is
   * forgotten along with the lists.
   */
  memory<T>(name: string): Map<string, T> {
    let memory = this.#memories.get(name);
    if (memory === undefined) {
      memory = new Map();
      this.#memories.set(name, memory);
      this.spend(name);
    }
    return memory as Map<string, T>;
  }

  /** The series of numbers that a metric has with a temporality. */
  identities(metric: Metric, temporality: Temporality): MetricIdentities {
    const { kind, unit, name, description } = metric;
    const key = `${temporality}\0${kind}\0${unit}\0${name}\0${description}`;
    let known = this.#identities.get(key);
    if (known === undefined) {
      known = new MetricIdentities(this, metric, temporality);
      this.#identities.set(key, known);
      this.spend(key);
    }
    return known;
  }

  /** Notes that a memory has one more key. */
  spend(key: string): void {
    this.#characters += key.length + ENTRY_CHARACTERS;
  }

  /** Starts anew when there is too much in it. Not within a request, whose equal lists shall be one. */
  tidy(): void {
    if (this.#characters <= MAX_CHARACTERS) return;
    this.#labels.clear();
    this.#numbers.clear();
    this.#lists.clear();
    this.#memories.clear();
    this.#identities.clear();
    this.#characters = 0;
  }
}

/** The series of one metric and temporality, by the lists of a book. */
export class MetricIdentities {
  readonly #series = new Map<Labels, SeriesIdentity>();

  constructor(
    private readonly book: LabelBook,
    readonly metric: Metric,
    readonly temporality: Temporality,
  ) {}

  /** The one object for a series. */
  of(labels: Labels): SeriesIdentity {
    let series = this.#series.get(labels);
    if (series === undefined) {
      series = new SeriesIdentity(this.metric, this.temporality, labels);
      this.#series.set(labels, series);
      this.book.spend("");
    }
    return series;
  }
}

function byKey([a]: Label, [b]: Label): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isTooLong([key, value]: Label): boolean {
  return isLonger(key, LIMITS.keyBytes) || isLonger(value, LIMITS.valueBytes);
}

/** Whether a text has more bytes in UTF-8, of which a UTF-16 unit takes one to three. */
export function isLonger(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return 3 * text.length > bytes && Buffer.byteLength(text) > bytes;
}

const books = new WeakMap<Policy, LabelBook>();

/** The book for requests of projects with this policy, tidied for the next one. */
export function labelBook(policy: Policy): LabelBook {
  let book = books.get(policy);
  if (book === undefined) {
    book = new LabelBook(policy);
    books.set(policy, book);
  }
  book.tidy();
  return book;
}

/** A value as a label has it: texts as they are, numbers and truth values in words, lists and maps as JSON. */
export function labelText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
