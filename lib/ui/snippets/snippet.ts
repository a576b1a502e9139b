import type { Language } from "../highlight.ts";

/** One thing to paste, in the order of the page. */
export interface SnippetStep {
  /** What to do with it, as "Install". */
  readonly title: string;
  readonly language: Language;
  readonly code: string;
  /** A sentence under the title. */
  readonly note?: string;
}

/** How to send errors from one kind of app. */
export interface Snippet {
  /** The SDK's name on the page, as "@sentry/node". */
  readonly sdk: string;
  /** Which of the project's keys belongs into it: a browser shows its key to everybody. */
  readonly key: "server" | "browser";
  /** The steps with `dsn` filled in. */
  steps(dsn: string): readonly SnippetStep[];
}

/** What the test error of every snippet says, so that it is recognised on the Issues page. */
export const TEST_MESSAGE = "First error for Watchpost";
