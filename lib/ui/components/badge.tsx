import { type Message, message, t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import type { Level, LogLevel } from "../../records/mod.ts";
import { initials } from "../format.ts";
import { classes, Icon, type IconName } from "./icon.tsx";

export type Tone = "neutral" | "accent" | "danger" | "warning" | "info" | "ok";

const TONES: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  danger: "bg-danger-soft text-danger",
  warning: "bg-warning-soft text-warning",
  info: "bg-info-soft text-info",
  ok: "bg-ok-soft text-ok",
};

interface BadgeProps {
  /** @default "neutral" */
  readonly tone?: Tone;
  /** A shape beside the word, so that the colour never speaks alone. */
  readonly icon?: IconName;
  /** Shown on hover. */
  readonly title?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A word with a colour and, where it carries meaning, a shape. */
export function Badge({ tone = "neutral", icon, title, class: extra, children }: BadgeProps) {
  return (
    <span
      title={title}
      class={classes(
        "inline-flex items-center gap-1 rounded-sm px-1.5 text-meta font-medium whitespace-nowrap",
        "h-5",
        TONES[tone],
        extra,
      )}
    >
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

const LEVEL_LOOKS: Record<Level, { word: Message; tone: Tone; icon: IconName }> = {
  fatal: { word: "fatal@@level", tone: "danger", icon: "fatal" },
  error: { word: "error@@level", tone: "danger", icon: "error" },
  warning: { word: "warning@@level", tone: "warning", icon: "warning" },
  info: { word: "info@@level", tone: "info", icon: "info" },
  debug: { word: "debug@@level", tone: "neutral", icon: "debug" },
};

/** The level of an event: colour, shape and word. */
export function LevelBadge({ level }: { readonly level: Level }) {
  const { word, tone, icon } = LEVEL_LOOKS[level];
  return <Badge tone={tone} icon={icon}>{t(word)}</Badge>;
}

const LOG_TONES: Readonly<Record<LogLevel, Tone>> = {
  trace: "neutral",
  debug: "neutral",
  info: "info",
  warn: "warning",
  error: "danger",
  fatal: "danger",
};

/** The level of a log: colour and word. */
export function LogLevelBadge({ level }: { readonly level: LogLevel }) {
  return <Badge tone={LOG_TONES[level]}>{level}</Badge>;
}

export type IssueStatus = "unresolved" | "resolved" | "ignored";

type StateWord = IssueStatus | "new" | "regressed" | "escalating" | "archived";

const STATUS_LOOKS: Record<
  StateWord,
  { tone: Tone; icon: IconName; word: Message; help: Message }
> = {
  unresolved: {
    word: "unresolved@@issue",
    tone: "warning",
    icon: "issues",
    help: message("Nobody has resolved it yet"),
  },
  new: {
    word: "new@@issue",
    tone: "info",
    icon: "issues",
    help: message("It began within the last seven days"),
  },
  regressed: {
    word: "regressed@@issue",
    tone: "danger",
    icon: "regressed",
    help: message("It happened again after it was resolved"),
  },
  escalating: {
    word: "escalating@@issue",
    tone: "danger",
    icon: "regressed",
    help: message("It happens more often than was expected"),
  },
  resolved: {
    word: "resolved@@issue",
    tone: "ok",
    icon: "ok",
    help: message("Reopens by itself when it happens again"),
  },
  ignored: {
    word: "archived@@issue",
    tone: "neutral",
    icon: "ignored",
    help: message("Still counted, but out of the list"),
  },
  archived: {
    word: "archived@@issue",
    tone: "neutral",
    icon: "ignored",
    help: message("Still counted, but out of the list"),
  },
};

/** What says more than the status does. */
const WORD_OF_SUBSTATUS: Readonly<Record<string, StateWord>> = {
  new: "new",
  regressed: "regressed",
  escalating: "escalating",
};

interface StatusBadgeProps {
  readonly status: IssueStatus;
  /** Of an unresolved issue: which kind it is of, such as `regressed`. */
  readonly substatus?: string | null;
}

/** The status of an issue: colour, shape and word, with its meaning on hover. */
export function StatusBadge({ status, substatus = null }: StatusBadgeProps) {
  const word = status === "unresolved"
    ? WORD_OF_SUBSTATUS[substatus ?? ""] ?? status
    : status === "ignored"
    ? "archived"
    : status;
  const look = STATUS_LOOKS[word];
  return <Badge tone={look.tone} icon={look.icon} title={t(look.help)}>{t(look.word)}</Badge>;
}

/** Written out in full, because Tailwind keeps only class names that it can read in the source. */
const FILLS = [
  "fill-series-1",
  "fill-series-2",
  "fill-series-3",
  "fill-series-4",
  "fill-series-6",
  "fill-series-7",
] as const;

interface AvatarProps {
  /** Person or project; the same name always gets the same colour. */
  readonly name: string;
  /** Edge in pixels. @default 24 */
  readonly size?: 20 | 24 | 32;
  /** `square` for projects, `round` for people. @default "round" */
  readonly shape?: "round" | "square";
}

/** Initials on a colour that follows from the name. Decorative: the name stands beside it. */
export function Avatar({ name, size = 24, shape = "round" }: AvatarProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" class="shrink-0">
      <rect
        width="24"
        height="24"
        rx={shape === "round" ? 12 : 5}
        class={classes(FILLS[hash(name) % FILLS.length], "opacity-20")}
      />
      <text
        x="12"
        y="12"
        dy="0.36em"
        text-anchor="middle"
        font-size={shape === "round" ? 10 : 11}
        font-weight="600"
        class="fill-ink"
      >
        {initials(name)}
      </text>
    </svg>
  );
}

function hash(text: string): number {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum;
}
