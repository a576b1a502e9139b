/** How one setting is read out of the environment: each wrong value in one sentence that names it, what was found and what is allowed. */

/** A setting that stops the start; `message` is the one line that the operator sees. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

const MIN_TOKEN_LENGTH = 16;

/** A value without blanks around it; null: not set, or empty. */
export function text(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value ? value : null;
}

/** @throws {ConfigError} */
export function integer(
  env: Environment,
  name: string,
  range: { default: number; min: number; max: number },
): number {
  const value = text(env, name);
  if (value === null) return range.default;
  const parsed = /^\d+$/.test(value) ? Number(value) : NaN;
  if (!(parsed >= range.min && parsed <= range.max)) {
    throw wrong(name, value, `a whole number from ${range.min} to ${range.max}`);
  }
  return parsed;
}

/** `true` or `1`; what is not set is false. @throws {ConfigError} */
export function flag(env: Environment, name: string): boolean {
  return oneOf(env, name, ["false", "true", "0", "1"]).replace("1", "true") === "true";
}

/** What is not set is the first. @throws {ConfigError} */
export function oneOf<const T extends string>(
  env: Environment,
  name: string,
  allowed: readonly [T, ...T[]],
): T {
  const value = text(env, name);
  if (value === null) return allowed[0];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw wrong(name, value, `one of ${allowed.join(", ")}`);
  return found;
}

/** An address as it was written. @throws {ConfigError} */
export function url(env: Environment, name: string, protocols: string[]): string | null {
  const value = text(env, name);
  if (value === null) return null;
  const allowed = `an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`;
  // Addresses of stores may hold passwords: they are never repeated in the message.
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed === null || !protocols.includes(parsed.protocol)) {
    throw wrong(name, parsed === null ? "text that is no URL" : `${parsed.protocol}//…`, allowed);
  }
  return value;
}

/** A token or key, which must be long. @throws {ConfigError} which does not repeat it */
export function secret(env: Environment, name: string): string | null {
  const value = text(env, name);
  if (value !== null && value.length < MIN_TOKEN_LENGTH) {
    throw wrong(name, `${value.length} characters`, `at least ${MIN_TOKEN_LENGTH}`);
  }
  return value;
}

/** What is said of a wrong value. */
export function wrong(name: string, found: string, allowed: string): ConfigError {
  return new ConfigError(`Cannot start: ${name} is ${found}, allowed is ${allowed}`);
}
