import { type KeyType, otlpTarget } from "../../accounts/keys.ts";
import { type Message, t } from "../../core/language/translate.ts";
import type { Language } from "../../ui/components/highlight.ts";
import { STEP_TEXTS } from "./step_texts.ts";

/** One thing to paste, in the order of the page. */
export interface SnippetStep {
  /** What to do with it, as "Install". */
  readonly title: string;
  readonly language: Language;
  readonly code: string;
  /** A sentence under the title. */
  readonly note?: string;
}

/** How to send something from one kind of app. */
export interface Snippet {
  /** Id of the platform (see platforms.tsx), `sites`, `opentelemetry`, `metrics` or `profiling`. */
  readonly platform: string;
  readonly label: Message;
  /** The SDK's name on the page, as "@sentry/node". */
  readonly sdk: string;
  /**
   * Which of the project's keys belongs into it: a browser shows its key to everybody, and what is for a site takes a
   * browser key where there is no site key.
   */
  readonly key: KeyType;
  /** Another kind of key is refused. @default false */
  readonly isKeyStrict?: boolean;
  /** One way or another is enough, so they have no numbers. @default false */
  readonly isChoice?: boolean;
  /** The steps with `dsn` filled in. */
  steps(dsn: string): readonly SnippetStep[];
}

/** What a snippet says of the project: where to send, and with which key. */
interface Target {
  readonly dsn: string;
  /** Base address, to which OpenTelemetry's exporters and agents add their own paths. */
  readonly endpoint: string;
  readonly publicKey: string;
  /** Address of uploads of profiles, with the parameters that everybody sends. */
  readonly upload: string;
}

/**
 * A snippet whose steps are written one below the other, each with a title, if need be a note, and code:
 *
 *     ## Install
 *     With Rails add sentry-rails.
 *     ~~~bash
 *     bundle add sentry-ruby
 *     ~~~
 */
export function snippet(
  about: Omit<Snippet, "steps">,
  write: (target: Target) => string,
): Snippet {
  return {
    ...about,
    steps(dsn) {
      const { endpoint, publicKey } = otlpTarget(dsn);
      const upload = `${endpoint}/api/v1/profiles/pprof?service=my-service&environment=production`;
      return readSteps(write({ dsn, endpoint, publicKey, upload }));
    },
  };
}

/** In the reader's language; names of languages and products are what they are. */
function said(text: string): string {
  const known: Message | undefined = STEP_TEXTS.find((each) => each === text);
  return known === undefined ? text : t<Message>(known);
}

function readSteps(text: string): SnippetStep[] {
  const steps = text.matchAll(/^## (.+)\n([^~]*)~~~(\w+)\n([\s\S]*?)\n~~~$/gm);
  return Array.from(steps, ([, title = "", note = "", language, code = ""]) => ({
    title: said(title),
    ...(note !== "" && { note: said(note.trim().replaceAll("\n", " ")) }),
    language: language as Language,
    code,
  }));
}
