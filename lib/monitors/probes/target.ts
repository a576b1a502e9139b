/** What is looked at, as people enter it: its kinds, and whether an input makes one. For forms, the API, and what is stored. */
import { isIP } from "node:net";
import { z } from "zod";
import { hostOf } from "../../core/addresses.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

export type Target = z.output<typeof Target>;
export type HttpTarget = Extract<Target, { kind: "http" }>;
export type TcpTarget = Extract<Target, { kind: "tcp" }>;
export type TlsTarget = Extract<Target, { kind: "tls" }>;
export type DnsTarget = Extract<Target, { kind: "dns" }>;
export type PingTarget = Extract<Target, { kind: "ping" }>;

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export const FAMILIES = ["any", "4", "6"] as const;
export const COMPARISONS = ["=", "!=", ">", "<", "exists"] as const;
/** Those that Deno resolves. */
export const RECORD_TYPES = [
  "A",
  "AAAA",
  "CAA",
  "CNAME",
  "MX",
  "NAPTR",
  "NS",
  "PTR",
  "SOA",
  "SRV",
  "TXT",
] as const;

export const TIMEOUT_MS = { default: 10_000, min: 1_000, max: 30_000 };
export const REDIRECTS = { default: 5, max: 10 };
const MAX_URL = 2_048;
const MAX_BODY = 16_384;
const MAX_HEADERS = 30;
const MAX_HEADER_VALUE = 4_096;
const MAX_KEYWORD = 500;
const MAX_JSON_PATH = 200;

const text = (most: number, error: () => string) => z.string({ error }).max(most, { error });
const oneOf = <const T extends readonly string[]>(values: T, what: Message) =>
  z.enum(values, {
    error: () => t("{what} is one of {values}.", { what: t(what), values: values.join(", ") }),
  });
const wholeNumber = (least: number, most: number, error: () => string) =>
  z.number({ error }).int({ error }).min(least, { error }).max(most, { error });

const timing = {
  /** From resolving the name to the last byte. */
  timeoutMs: wholeNumber(
    TIMEOUT_MS.min,
    TIMEOUT_MS.max,
    () => t("The time limit is 1 to 30 seconds."),
  ).default(TIMEOUT_MS.default),
  /** Longer than this is degraded; null: never. */
  slowMs: wholeNumber(1, TIMEOUT_MS.max, () => t("Slow is 1 to 30,000 ms.")).nullable().default(
    null,
  ),
};
const family = oneOf(FAMILIES, message("The family of addresses")).default("any");
const hostSentence = () => t("Write a host name or an address, as db.example.com or 192.0.2.1.");
/** As resolvers take them; none is an option of a command. */
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;
const host = text(253, hostSentence).trim().toLowerCase().transform((value, context) => {
  const found = hostOf(value);
  if (found !== null && (isIP(found) !== 0 || HOST_NAME.test(found))) return found;
  context.addIssue({ code: "custom", message: hostSentence() });
  return z.NEVER;
});
const port = wholeNumber(1, 65_535, () => t("A port is 1 to 65535."));

/** Header values end at a line's end; more would be another header. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** Those that make the frame of a request, and the one that is ours. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "keep-alive",
  "te",
  "trailer",
  "expect",
  "proxy-connection",
  "proxy-authorization",
  "traceparent",
]);

const Header = z.tuple([
  z.string().trim().regex(FIELD_NAME, {
    error: () => t("A header's name has letters, digits and hyphens."),
  })
    .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), {
      error: () => t("This header is set by the check itself."),
    }),
  text(
    MAX_HEADER_VALUE,
    () =>
      t("A header has at most {n} character.|A header has at most {n} characters.", {
        n: MAX_HEADER_VALUE,
      }),
  ).trim().regex(
    FIELD_VALUE,
    { error: () => t("A header's value is one line.") },
  ),
], { error: () => t("A header is a name and a value.") });

const ADDRESS_SENTENCE = message("Write an address that starts with https:// or http://.");
const Http = z.object({
  kind: z.literal("http"),
  url: text(
    MAX_URL,
    () =>
      t("An address has at most {n} character.|An address has at most {n} characters.", {
        n: MAX_URL,
      }),
  ).trim()
    .superRefine(
      (value, context) => {
        const message = problemOfUrl(value);
        if (message !== null) context.addIssue({ code: "custom", message });
      },
    ),
  method: oneOf(METHODS, message("The method")).default("GET"),
  headers: z.array(Header, { error: () => t("Headers are a list of names and values.") })
    .max(MAX_HEADERS, {
      error: () => t("At most {n} header.|At most {n} headers.", { n: MAX_HEADERS }),
    })
    .default([]),
  body: text(
    MAX_BODY,
    () =>
      t("A body has at most {n} character.|A body has at most {n} characters.", { n: MAX_BODY }),
  )
    .default(""),
  basicAuth: z.object({
    user: text(200, () => t("A user name has at most 200 characters.")).regex(/^[^:]*$/, {
      error: () => t("A user name holds no colon."),
    }),
    password: text(1_000, () => t("A password has at most 1000 characters.")),
  }).nullable().default(null),
  /** As `200-299,301`. */
  expectedStatus: text(200, () => t("Write statuses, as 200-299,301.")).trim().refine(
    (value) => statusRanges(value) !== null,
    { error: () => t("Write statuses from 100 to 599, as 200-299,301.") },
  ).default("200-299"),
  keyword: z.object({
    text: text(
      MAX_KEYWORD,
      () =>
        t("A keyword has at most {n} character.|A keyword has at most {n} characters.", {
          n: MAX_KEYWORD,
        }),
    ).min(1, {
      error: () => t("Write the text to look for."),
    }),
    /** It must not be there. */
    isAbsent: z.boolean().default(false),
  }).nullable().default(null),
  json: z.object({
    path: text(
      MAX_JSON_PATH,
      () =>
        t("A path has at most {n} character.|A path has at most {n} characters.", {
          n: MAX_JSON_PATH,
        }),
    ).trim().refine(
      (value) => jsonPath(value) !== null,
      { error: () => t("Write a path, as status or data.items[0].name.") },
    ),
    comparison: oneOf(COMPARISONS, message("The comparison")),
    /** Not used by `exists`. */
    value: text(
      MAX_KEYWORD,
      () =>
        t("A value has at most {n} character.|A value has at most {n} characters.", {
          n: MAX_KEYWORD,
        }),
    ).default(""),
  }).nullable().default(null),
  /** 0: a redirect is an answer like any other. */
  maxRedirects: wholeNumber(
    0,
    REDIRECTS.max,
    () => t("0 to {max} redirects are followed.", { max: REDIRECTS.max }),
  )
    .default(REDIRECTS.default),
  /** Follow redirects from https to http as well. */
  allowsDowngrade: z.boolean().default(false),
  family,
  ignoresTls: z.boolean().default(false),
  /** Speak HTTP/2 where the server offers it. */
  http2: z.boolean().default(false),
  ...timing,
});

const Tcp = z.object({ kind: z.literal("tcp"), host, port, family, ...timing });
const Tls = z.object({
  kind: z.literal("tls"),
  host,
  port: port.default(443),
  /** What the certificate must be for; null: the host. */
  servername: host.nullable().default(null),
  family,
  ...timing,
});
const Dns = z.object({
  kind: z.literal("dns"),
  name: text(253, () => t("Write a name, as example.com.")).trim().toLowerCase().regex(
    /^(?=.{1,253}$)(?:[\w-]{1,63}\.)*[\w-]{1,63}\.?$/,
    { error: () => t("Write a name, as example.com.") },
  ),
  type: oneOf(RECORD_TYPES, message("The type of record")).default("A"),
  /** One record a line; null: any record will do. */
  expected: text(2_000, () => t("Write at most 2000 characters.")).trim().transform((value) =>
    value || null
  )
    .nullable().default(null),
  /** `equals`: these records and no others. */
  match: oneOf(["equals", "contains"], message("The comparison")).default("equals"),
  /** Address with or without port; null: the system's. */
  nameServer: text(
    60,
    () => t("Write the address of a name server, as 192.0.2.53 or 192.0.2.53:5353."),
  )
    .trim().refine((value) => nameServerOf(value) !== null, {
      error: () => t("Write the address of a name server, as 192.0.2.53 or 192.0.2.53:5353."),
    }).nullable().default(null),
  ...timing,
});
const Ping = z.object({ kind: z.literal("ping"), host, family, ...timing });

/** The check of input. Input may leave out what has a default. */
export const Target = z.discriminatedUnion("kind", [Http, Tcp, Tls, Dns, Ping], {
  error: () => t("Choose what is checked: http, tcp, tls, dns or ping."),
});

export interface TargetProblem {
  /** Path of the property, as `url` or `headers.0.1`. */
  readonly field: string;
  /** A whole sentence. */
  readonly message: string;
}

export type CheckedTarget =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly problems: readonly TargetProblem[] };

/** Whether an input, of a form or of the API, makes a target. */
export function checkTarget(input: unknown): CheckedTarget {
  const checked = Target.safeParse(input);
  if (checked.success) return { ok: true, target: checked.data };
  const problems = checked.error.issues.map(({ path, message }) => ({
    field: path.join("."),
    message,
  }));
  return { ok: false, problems };
}

function problemOfUrl(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    return t(ADDRESS_SENTENCE);
  }
  if (url.username !== "" || url.password !== "") {
    return t(
      "The address must not hold a user name or a password: enter them as basic authentication.",
    );
  }
  return url.port === "0" ? t("A port is 1 to 65535.") : null;
}

/** The ranges of statuses in `200-299,301`, or null when it is no such list. */
export function statusRanges(list: string): readonly (readonly [number, number])[] | null {
  const ranges = list.split(",").map((part): [number, number] => {
    const [, from = "", to = from] = /^\s*([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?\s*$/.exec(part) ?? [];
    return [Number(from), Number(to)];
  });
  return ranges.every(([from, to]) => from >= 100 && from <= to) ? ranges : null;
}

/** The steps of a path such as `data.items[0].name` or `$["a b"]`, or null when it is none. */
export function jsonPath(path: string): readonly string[] | null {
  const STEP = /\.?([^.[\]"\s][^.[\]"]*)|\[(\d{1,9})\]|\["([^"]+)"\]/y;
  const steps: string[] = [];
  const text = path.replace(/^\$\.?/, "");
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return null;
    steps.push(found[1] ?? found[2] ?? found[3] ?? "");
  }
  return path === "" ? null : steps;
}

/** Address and port of a name server. */
export function nameServerOf(value: string): { ipAddr: string; port: number } | null {
  const [, six, sixPort, four, fourPort] =
    /^(?:\[([\da-f:.]+)\](?::(\d{1,5}))?|(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5}))?)$/i.exec(value) ??
      (/^[\da-f]*:[\da-f:.]+$/i.test(value) ? [value, value] : []);
  const found = hostOf(six ?? four ?? "");
  const number = Number(sixPort ?? fourPort ?? 53);
  if (found === null || number < 1 || number > 65_535) return null;
  return { ipAddr: found, port: number };
}
