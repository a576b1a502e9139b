/** Fields of a log line. Values are written as JSON; an `Error` as its name, message and code. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line an entry to standard output, errors and warnings included: the collector tells by the level. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** @param cause for whoever watches Watchpost, when no field has it; not written */
  error(message: string, fields?: LogFields, cause?: unknown): void;
}

type Level = "info" | "warn" | "error";

/**
 * Makes the logger.
 *
 * @param format `text` for people, `json` for collectors: `{"time","level","message",…fields}`
 * @param write where finished lines go, without line end
 * @param always fields of every line
 */
export function createLogger(
  format: "text" | "json",
  write: (line: string) => void = writeToStdout,
  always: LogFields = {},
): Logger {
  const render = format === "json" ? jsonLine : textLine;
  const entry = (level: Level) => (message: string, fields: LogFields = {}) =>
    write(render(new Date(), level, message, { ...always, ...sanitize(fields) }));
  return { info: entry("info"), warn: entry("warn"), error: entry("error") };
}

const SECRET_NAME = /passw|secret|token|authorization|cookie|credential|api_?key|public_?key|dsn/i;
const MASK = "***";
const MAX_TEXT_LENGTH = 2_000;
const MAX_DEPTH = 4;

function sanitize(fields: LogFields): Record<string, unknown> {
  return sanitizeRecord(fields, 0);
}

function sanitizeRecord(record: object, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    // Assigned, it would be the prototype.
    if (name === "__proto__") continue;
    const isSecret = value !== null && value !== undefined && isNameOfSecret(name);
    clean[name] = isSecret ? MASK : sanitizeValue(value, depth);
  }
  return clean;
}

/** The names that lines have, which are few, and whether they are those of secrets. */
const names = new Map<string, boolean>();
const MAX_NAMES = 1_000;

function isNameOfSecret(name: string): boolean {
  let isSecret = names.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET_NAME.test(name);
    if (names.size < MAX_NAMES) names.set(name, isSecret);
  }
  return isSecret;
}

function sanitizeValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return shorten(maskAddresses(value));
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) return sanitizeError(value);
  if (value instanceof Date || typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "…";
  if (Array.isArray(value)) return value.map((item) => sanitizeValue(item, depth + 1));
  return sanitizeRecord(value, depth + 1);
}

/** Only what says what went wrong: errors of the Postgres driver also carry the statement's parameters. */
function sanitizeError(error: Error): Record<string, unknown> {
  const code = "code" in error ? { code: String(error.code) } : {};
  const cause = error.cause instanceof Error ? { cause: sanitizeError(error.cause) } : {};
  return { name: error.name, message: shorten(maskAddresses(error.message)), ...code, ...cause };
}

/** `scheme://user:password@host` appears in messages of drivers, ingest keys in addresses. */
function maskAddresses(text: string): string {
  const masked = maskKeys(text);
  return masked.includes("://") ? masked.replace(/(\w:\/\/)[^\s/@]+@/g, `$1${MASK}@`) : masked;
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}

function jsonLine(time: Date, level: Level, message: string, fields: LogFields): string {
  return JSON.stringify({ time, level, message: maskAddresses(message), ...fields });
}

function textLine(time: Date, level: Level, message: string, fields: LogFields): string {
  const words = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${textValue(value)}`);
  const text = maskAddresses(message).replaceAll(/\s*[\r\n]+\s*/g, " ");
  return `${time.toISOString()} ${level.padEnd(5)} ${text}${words.join("")}`;
}

/** Bare where that is readable and unambiguous, as JSON otherwise. */
function textValue(value: unknown): string {
  const isBare = typeof value === "string" && /^[^\s"=]+$/.test(value);
  return isBare ? value : JSON.stringify(value);
}

/** Lines wait this long for others: a system call each would be a tenth of what a busy ingest costs. */
const FLUSH_MS = 20;
const encoder = new TextEncoder();
let waiting = "";

function writeToStdout(line: string): void {
  if (waiting === "") Deno.unrefTimer(setTimeout(flushLog, FLUSH_MS));
  waiting += `${line}\n`;
}

/** Pipes take so much as one piece: other isolates write their lines in between. */
const PIECE_BYTES = 4_096;
const LINE_END = 10;

/** Writes the lines that still wait. */
export function flushLog(): void {
  let bytes = encoder.encode(waiting);
  waiting = "";
  try {
    while (bytes.length > 0) {
      const end = bytes.lastIndexOf(LINE_END, PIECE_BYTES - 1) + 1;
      const piece = bytes.subarray(0, end || PIECE_BYTES);
      bytes = bytes.subarray(Deno.stdout.writeSync(piece));
    }
  } catch {
    // A log on a full disk, or a reader that went away, is no reason to end the service.
  }
}

// `Deno.exit()` comes here too.
addEventListener("unload", flushLog);

/** As much of a key as the pages show, so that whoever looks can tell which one it is. */
const SHOWN = 8;

/** What follows the monitor in addresses for check-ins, also a key that was mistyped or written with percent signs. */
const IN_CRON_PATH = /(\/api\/\d+\/cron\/[^/?#\s"]+\/)([^/?#\s"]+)/g;
/** What follows a project in addresses of the API that name a key, which it does by the key itself. */
const IN_KEYS_PATH = /(\/keys\/)((?:[0-9a-f]|%[0-9a-f]{2}){32,})/gi;
const IN_QUERY = /([?&]sentry_key=)([^&#\s"]+)/g;
/** In the address of a loader. */
const IN_SCRIPT_PATH = /(\/js\/)([0-9a-f]{32,})/gi;
/** What follows project and job in addresses for pings. */
const IN_PING_PATH = /(\/ping\/)([^/?#\s"]+)/g;
const MARKS = ["/cron/", "/keys/", "/js/", "/ping/", "sentry_key="];

/** Shortens the ingest keys in a text that has addresses, which may carry one in the path or the query. */
export function maskKeys(text: string): string {
  // Most texts have neither, and the log has many.
  if (!MARKS.some((mark) => text.includes(mark))) return text;
  return text.replace(IN_CRON_PATH, shortened).replace(IN_KEYS_PATH, shortened)
    .replace(IN_SCRIPT_PATH, shortened).replace(IN_PING_PATH, shortened)
    .replace(IN_QUERY, shortened);
}

function shortened(_all: string, before: string, key: string): string {
  return `${before}${key.slice(0, SHOWN)}…`;
}
