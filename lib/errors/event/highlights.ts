import type { EventView } from "./event_view.ts";
import { asText, visible } from "../../ui/read.ts";

/** One of the few facts that stand above everything else of an event. */
export interface Highlight {
  readonly label: string;
  readonly value: string;
  /** What issues are found by that have the same; null where the event has no such tag. */
  readonly tag: readonly [key: string, value: string] | null;
}

/** The columns of a stored event that are facts by themselves. */
export interface EventColumns {
  readonly environment: string;
  readonly release: string;
  readonly transaction: string;
  readonly tags: readonly (readonly [key: string, value: string])[];
}

/** Where, in which release, on what and for whom it happened: whatever of that is known. */
export function highlightsOf(event: EventColumns, view: EventView): readonly Highlight[] {
  const context = (key: string) => {
    const entries = Object.fromEntries(view.contexts.find((one) => one.key === key)?.entries ?? []);
    return [entries.name ?? entries.model, entries.version].map(asText).map((text) => text.trim())
      .filter(Boolean).join(" ");
  };
  const [firstOfUser] = view.user;
  const facts: [label: string, value: string, tag: string][] = [
    ["Environment", visible(event.environment), "environment"],
    ["Release", visible(event.release), "release"],
    ["Transaction", visible(event.transaction), "transaction"],
    ["Browser", context("browser"), "browser"],
    ["System", context("client_os") || context("os"), context("client_os") ? "client_os" : "os"],
    ["Runtime", context("runtime"), "runtime"],
    ["Device", context("device"), "device"],
    ["User", firstOfUser ? asText(firstOfUser[1]) : "", "user"],
  ];
  return facts.filter(([, value]) => value !== "").map(([label, value, key]) => ({
    label,
    value,
    tag: event.tags.find(([each]) => each === key) ?? null,
  }));
}
