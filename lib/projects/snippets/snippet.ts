import type { Language } from "../../ui/components/highlight.ts";

/** One thing to paste, in the order of the page. */
export interface SnippetStep {
  /** What to do with it, as "Install". */
  readonly title: string;
  readonly language: Language;
  readonly code: string;
  /** A sentence under the title. */
  readonly note?: string;
}

/** How to send errors and traces from one kind of app. */
export interface Snippet {
  /** The SDK's name on the page, as "@sentry/node". */
  readonly sdk: string;
  /** Which of the project's keys belongs into it: a browser shows its key to everybody. */
  readonly key: "server" | "browser";
  /** Another kind of key is refused. @default false */
  readonly isKeyStrict?: boolean;
  /** One way or another is enough, so they have no numbers. @default false */
  readonly isChoice?: boolean;
  /** The steps with `dsn` filled in. */
  steps(dsn: string): readonly SnippetStep[];
}

/** What the test error of every snippet says, so that it is recognised on the Issues page. */
export const TEST_MESSAGE = "First error for Watchpost";

/** What the rate of traces in every snippet means. */
export const TRACING_NOTE =
  "The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.";
