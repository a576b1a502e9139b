import type { EventView } from "./event_view.ts";
import { asText, visible } from "./read.ts";

/** One of the few facts that stand above everything else of an event. */
export interface Highlight {
  readonly label: string;
  readonly value: string;
}

/** The columns of a stored event that are facts by themselves. */
export interface EventColumns {
  readonly environment: string;
  readonly release: string;
  readonly transaction: string;
}

/** Where, in which release, on what and for whom it happened: whatever of that is known. */
export function highlightsOf(event: EventColumns, view: EventView): readonly Highlight[] {
  const context = (key: string) => {
    const entries = Object.fromEntries(view.contexts.find((one) => one.key === key)?.entries ?? []);
    return [entries.name ?? entries.model, entries.version].map(asText).map((text) => text.trim())
      .filter(Boolean).join(" ");
  };
  const [firstOfUser] = view.user;
  const facts: [label: string, value: string][] = [
    ["Environment", visible(event.environment)],
    ["Release", visible(event.release)],
    ["Transaction", visible(event.transaction)],
    ["Browser", context("browser")],
    ["System", context("client_os") || context("os")],
    ["Runtime", context("runtime")],
    ["Device", context("device")],
    ["User", firstOfUser ? asText(firstOfUser[1]) : ""],
  ];
  return facts.filter(([, value]) => value !== "").map(([label, value]) => ({ label, value }));
}
