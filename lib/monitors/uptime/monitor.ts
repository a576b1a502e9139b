/** An uptime monitor: what people enter, and how it stands. */
import { z } from "zod";
import { DAY_MS, SECOND_MS } from "../../core/time.ts";
import { isChannelId } from "../../alerts/mod.ts";
import { registeredDomain } from "../probes/rdap.ts";
import { checkTarget, Target } from "../probes/target.ts";
import { type MaintenanceWindow, MAX_WINDOWS, WindowInput } from "./windows.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

export const INTERVAL_SEC = { default: 60, min: 20, max: 86_400 };
export const TRIES = { default: 3, min: 1, max: 10 };
export const RECOVERIES = { default: 2, min: 1, max: 10 };
export const CERTIFICATE_DAYS: readonly number[] = [30, 14, 7, 1];
/** More than a page shows at once, and than one project should ask of the instance. */
export const MAX_MONITORS = 200;
export const MAX_NAME = 120;

const wholeNumber = (least: number, most: number, error: () => string) =>
  z.number({ error }).int({ error }).min(least, { error }).max(most, { error });

/** What a monitor is beside its target, whose own check says what is wrong with it. */
const Settings = z.object({
  name: z.string({ error: () => t("Give the monitor a name.") }).trim().min(1, {
    error: () => t("Give the monitor a name."),
  })
    .max(MAX_NAME, {
      error: () =>
        t("A name has at most {n} character.|A name has at most {n} characters.", { n: MAX_NAME }),
    })
    // Postgres takes no NUL, and half a character is none.
    .transform((name) => name.replaceAll("\0", "").toWellFormed()),
  intervalSec: wholeNumber(
    INTERVAL_SEC.min,
    INTERVAL_SEC.max,
    () => t("The interval is 20 seconds to 24 hours."),
  ).default(INTERVAL_SEC.default),
  /** So many checks in a row must fail, 10 s apart, before an incident opens. */
  failureThreshold: wholeNumber(TRIES.min, TRIES.max, () => t("1 to 10 tries.")).default(
    TRIES.default,
  ),
  /** So many must succeed before it is over. */
  recoveryThreshold: wholeNumber(RECOVERIES.min, RECOVERIES.max, () => t("1 to 10 tries."))
    .default(RECOVERIES.default),
  /** Days before the end of its certificate, and of its domain, at which channels are told; none: of neither. */
  certificateDays: z.array(wholeNumber(1, 365, () => t("Days are 1 to 365.")), {
    error: () => t("Write days, as 30, 14, 7, 1."),
  }).max(10, { error: () => t("At most 10 warnings.") })
    .transform((days) => [...new Set(days)].sort((a, b) => b - a))
    .default([...CERTIFICATE_DAYS]),
  windows: z.array(WindowInput, { error: () => t("Windows are a list.") })
    .max(MAX_WINDOWS, {
      error: () =>
        t("At most {n} maintenance window.|At most {n} maintenance windows.", { n: MAX_WINDOWS }),
    })
    .default([]),
  channelIds: z.array(
    z.string().refine(isChannelId, { error: () => t("This is no id of a channel.") }),
    {
      error: () => t("Channels are a list of ids."),
    },
  ).max(50, { error: () => t("At most 50 channels.") }).transform((ids) => [...new Set(ids)])
    .default([]),
  isPaused: z.boolean().default(false),
});

export type MonitorInput = z.output<typeof Settings> & { readonly target: Target };

export interface InputProblem {
  /** Path of the property, as `target.url`; `""`: the monitor as a whole. */
  readonly field: string;
  /** A whole sentence. */
  readonly message: string;
}

/** Checks a monitor as the form and the API enter it; what is absent has its default. */
export function checkMonitor(
  input: Readonly<Record<string, unknown>>,
):
  | { readonly ok: true; readonly input: MonitorInput }
  | { readonly ok: false; readonly problems: readonly InputProblem[] } {
  const settings = Settings.safeParse(input);
  const target = checkTarget(input.target ?? {});
  const problems: InputProblem[] = [
    ...settings.success ? [] : settings.error.issues.map(({ path, message }) => ({
      field: path.join("."),
      message,
    })),
    ...target.ok ? [] : target.problems.map(({ field, message }) => ({
      field: field === "" ? "target" : `target.${field}`,
      message,
    })),
  ];
  if (!settings.success || !target.ok) return { ok: false, problems };
  if (target.target.timeoutMs > settings.data.intervalSec * SECOND_MS) {
    const message = t("The time limit must not be longer than the interval.");
    return { ok: false, problems: [{ field: "target.timeoutMs", message }] };
  }
  return { ok: true, input: { ...settings.data, target: target.target } };
}

export type MonitorState = "unknown" | "up" | "degraded" | "down";

/** A certificate as it was seen last. */
export interface SeenCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly names: readonly string[];
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  readonly daysLeft: number;
  readonly fingerprint: string;
  readonly protocol: string;
  readonly problem: string | null;
}

/** A monitor with how it stands. */
export interface Monitor extends Omit<MonitorInput, "target" | "windows"> {
  readonly projectId: string;
  /** UUID. */
  readonly monitorId: string;
  /** Without its secrets. */
  readonly target: Target;
  /** Its secrets, sealed; null: it has none. */
  readonly sealed: Uint8Array | null;
  readonly windows: readonly MaintenanceWindow[];
  readonly host: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string;
  /** Raised by every change of a person. */
  readonly version: number;
  readonly dueAt: Date;
  readonly state: MonitorState;
  readonly since: Date;
  readonly failures: number;
  readonly successes: number;
  /** The first of the checks in a row that say otherwise than the state. */
  readonly turningSince: Date | null;
  readonly isNetworkFailure: boolean;
  readonly isCutOff: boolean;
  readonly incidentId: string | null;
  readonly checkedAt: Date | null;
  readonly succeededAt: Date | null;
  readonly lastMs: number | null;
  readonly lastError: string;
  readonly countedUntil: Date | null;
  readonly certificate: SeenCertificate | null;
  readonly toldFingerprint: string;
  readonly toldDays: number | null;
  /** The registered domain of what is checked; `""` for none. */
  readonly domain: string;
  /** When its registration ends; null while no registry has told. */
  readonly domainEndsAt: Date | null;
  /** When the registry is asked again; null: it was not asked yet. */
  readonly domainDueAt: Date | null;
}

/** What is checked, in a line: `https://example.com/`, `db.example.com:5432`, `MX example.com`. */
export function targetWords(target: Target): string {
  switch (target.kind) {
    case "http":
      return target.url;
    case "dns":
      return `${target.type} ${target.name}`;
    case "ping":
      return target.host;
    default:
      return `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  }
}

/** Whom checks of a target reach. */
export function hostOfTarget(target: Target): string {
  switch (target.kind) {
    case "http":
      return new URL(target.url).hostname;
    case "dns":
      return target.nameServer ?? target.name;
    default:
      return target.host;
  }
}

/** The domain that somebody registered for what is checked, or `""`. Of pings none: they are for machines. */
export function domainOfTarget(target: Target): string {
  if (target.kind === "ping") return "";
  const host = target.kind === "dns" ? target.name : hostOfTarget(target);
  return registeredDomain(host) ?? "";
}

/** Whole days until a time; negative once it is over. */
export function daysUntil(end: Date, now: Date): number {
  return Math.floor((end.getTime() - now.getTime()) / DAY_MS);
}

export const KIND_LABELS: Readonly<Record<Target["kind"], Message>> = {
  http: message("HTTP"),
  tcp: message("TCP"),
  tls: message("TLS"),
  dns: message("DNS"),
  ping: message("Ping"),
};
