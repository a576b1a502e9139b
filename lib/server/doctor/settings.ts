/** Whether the settings are known, right, and go together. */
import { type Config, ConfigError, readConfig, SETTING_NAMES } from "../../core/config.ts";
import { readIdentity } from "../certificate.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";

type Environment = Readonly<Record<string, string>>;

export interface SettingsReport {
  readonly findings: readonly Finding[];
  /** Null while a setting is wrong. */
  readonly config: Config | null;
}

const CHECK = "settings";

export function checkSettings(env: Environment): SettingsReport {
  const { wrong, config } = wrongSettings(env);
  const found = [
    ...wrong,
    ...unknownSettings(env),
    ...config === null ? [] : contradictions(config, env),
  ];
  const set = SETTING_NAMES.filter((name) => env[name]).length;
  const findings = found.length === 0
    ? [ok(CHECK, `${set} of ${SETTING_NAMES.length} settings are set, and they go together.`)]
    : found;
  return { findings, config: wrong.length === 0 ? config : null };
}

/** A start tells one of them; whoever asks the doctor wants all. */
function wrongSettings(env: Environment): { wrong: Finding[]; config: Config | null } {
  const wrong: Finding[] = [];
  const left: Record<string, string> = { ...env };
  while (true) {
    try {
      return { wrong, config: readConfig(left) };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const reason = reasonOf(error);
      wrong.push(
        problem(CHECK, `${reason}.`, "Set it to what is allowed, as docs/settings.md has it."),
      );
      const name = /^([A-Z0-9_]+) is /.exec(reason)?.[1];
      // One that is missing, rather than wrong: what comes after it is not known.
      if (name === undefined || left[name] === undefined) return { wrong, config: null };
      delete left[name];
    }
  }
}

const OUR_PREFIX = /^(?:SERVICE|SMTP|S3|DENO_KV|TLS)_/;
/** Read by Deno, or by the tests. */
const FOREIGN = /^(?:DENO_(?!KV_)|TEST_)/;
/** Of the letters of a name, that may be wrong in a typo. */
const TYPO = { ours: 1 / 3, others: 1 / 8 };

/** Names that look like settings and are none. */
function unknownSettings(env: Environment): Finding[] {
  return Object.keys(env).toSorted().flatMap((name) => {
    if (SETTING_NAMES.includes(name) || FOREIGN.test(name) || env[name] === "") return [];
    const isOurs = OUR_PREFIX.test(name);
    const likely = likelyName(name, isOurs ? TYPO.ours : TYPO.others);
    if (likely === null && !isOurs) return [];
    return [
      warning(
        CHECK,
        `${name} is no setting of Watchpost: it changes nothing.`,
        likely === null
          ? "Take it away, or look for the right name in docs/settings.md."
          : `Call it ${likely}, if that is what you meant.`,
      ),
    ];
  });
}

function likelyName(name: string, share: number): string | null {
  const [nearest] = SETTING_NAMES.map((known) => ({ known, steps: stepsBetween(name, known) }))
    .toSorted((a, b) => a.steps - b.steps);
  if (nearest === undefined || nearest.steps > Math.floor(name.length * share)) return null;
  return nearest.known;
}

/** Letters to change, put in, take away or exchange with their neighbour, to make one text of another. */
export function stepsBetween(left: string, right: string): number {
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const isSame = left[i - 1] === right[j - 1];
      const steps = [
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] &&
        left[i - 2] === right[j - 1];
      if (isSwapped) steps.push((before[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    [before, last] = [last, row];
  }
  return last[right.length] ?? 0;
}

/** What is set, as `readConfig()` sees it. */
const isSet = (env: Environment, name: string) => (env[name] ?? "").trim() !== "";

/** Settings that are right by themselves and not together. */
function contradictions(config: Config, env: Environment): Finding[] {
  const { isolates, databaseUrl, adminToken, metricsToken, smtp } = config;
  const found: Finding[] = [...addresses(config, env), ...unused(env), ...certificateFiles(config)];
  if (isolates > 1 && databaseUrl === null) {
    found.push(warning(
      CHECK,
      `SERVICE_ISOLATES is ${isolates}, but the embedded Postgres works in a single thread.`,
      "Set SERVICE_ISOLATES to 1, or DATABASE_URL to a server.",
    ));
  }
  if (adminToken !== null && adminToken === metricsToken) {
    found.push(problem(
      CHECK,
      "SERVICE_METRICS_TOKEN is the same as SERVICE_ADMIN_TOKEN: whoever reads metrics may do everything.",
      "Give them different values.",
    ));
  }
  if (smtp?.security === "none" && smtp.login !== null && !isThisMachine(smtp.host)) {
    found.push(warning(
      CHECK,
      `The password of the mail server goes to ${smtp.host} in the clear, because SMTP_SECURITY is none.`,
      "Set SMTP_SECURITY to starttls or tls.",
    ));
  }
  return found;
}

function addresses({ baseUrl, host, s3, tls, platform }: Config, env: Environment): Finding[] {
  const found: Finding[] = [];
  const { hostname, protocol } = new URL(baseUrl);
  if (isThisMachine(hostname) && !isThisMachine(host)) {
    found.push(warning(
      CHECK,
      `DSNs and links name ${baseUrl}, which other machines cannot reach.`,
      "Set SERVICE_BASE_URL to the address by which clients reach this service.",
    ));
  }
  const trustsProxy = !["", "0", "false"].includes((env.SERVICE_TRUST_PROXY ?? "").trim());
  if (protocol === "https:" && !trustsProxy && tls === null && platform === null) {
    found.push(warning(
      CHECK,
      "SERVICE_BASE_URL is https, so a proxy is in front, but SERVICE_TRUST_PROXY is not set: all clients seem to have its address.",
      "Set SERVICE_TRUST_PROXY, if that proxy sets X-Forwarded-For.",
    ));
  }
  if (
    s3 !== null && s3.endpoint.startsWith("http:") && !isThisMachine(new URL(s3.endpoint).hostname)
  ) {
    found.push(warning(
      CHECK,
      "S3_ENDPOINT is http: what is stored goes over the network in the clear.",
      "Use https, unless that network is yours alone.",
    ));
  }
  return found;
}

/** Their contents: what the service would say at its start. */
function certificateFiles(config: Config): Finding[] {
  try {
    readIdentity(config);
    return [];
  } catch (error) {
    return [
      problem(CHECK, `${reasonOf(error)}.`, "See docs/operations.md, “HTTPS without a proxy”."),
    ];
  }
}

/** What means something together with another one only. */
const NEEDS: readonly (readonly [name: string, needed: string])[] = [
  ["SMTP_FROM", "SMTP_HOST"],
  ["SMTP_PORT", "SMTP_HOST"],
  ["SMTP_USERNAME", "SMTP_HOST"],
  ["SMTP_PASSWORD", "SMTP_HOST"],
  ["SMTP_SECURITY", "SMTP_HOST"],
  ["S3_REGION", "S3_ENDPOINT"],
  ["DENO_KV_ACCESS_TOKEN", "DENO_KV_URL"],
  ["SERVICE_AUTH_HEADER_FROM", "SERVICE_AUTH_HEADER"],
  ["SERVICE_AUTH_HEADER_CREATE", "SERVICE_AUTH_HEADER"],
];

function unused(env: Environment): Finding[] {
  return NEEDS.filter(([name, needed]) => isSet(env, name) && !isSet(env, needed))
    .map(([name, needed]) =>
      warning(
        CHECK,
        `${name} changes nothing while ${needed} is not set.`,
        `Set ${needed} as well, or take ${name} away.`,
      )
    );
}

function isThisMachine(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(host);
}
