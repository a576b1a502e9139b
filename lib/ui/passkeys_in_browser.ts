/** The browser's half of passkeys. */

/** Sends a step to the server; what it needs, or what is wrong. */
interface Answered {
  readonly options?: unknown;
  /** Where to go: it was right. */
  readonly location?: string;
  /** What was wrong, in the reader's language. */
  readonly error?: string;
}

/** Whether this browser can show and make passkeys. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";
}

/** Whether the browser suggests passkeys in the field for the email. */
export async function suggestsPasskeys(): Promise<boolean> {
  return hasPasskeys() && await PublicKeyCredential.isConditionalMediationAvailable();
}

interface Use {
  /** What answers `action=options`, and judges what comes of them. */
  readonly path: string;
  /** Where to go then. */
  readonly next: string;
  readonly signal?: AbortSignal;
  /** Waits until the person chooses one in the field for the email. @default false */
  readonly isSuggested?: boolean;
  /** Is told of what was shown, while the server judges it. */
  readonly onShown?: (judged: Promise<string | null>) => void;
}

/**
 * Shows a passkey, and goes on when it was right.
 *
 * @returns what was wrong, or null
 * @throws {DOMException} when nothing was chosen
 */
export async function showPasskey(
  { path, next, signal, isSuggested = false, onShown }: Use,
): Promise<string | null> {
  const answer = await send(path, { action: "options" });
  if (answer.options === undefined) return answer.error ?? null;
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
      answer.options as PublicKeyCredentialRequestOptionsJSON,
    ),
    ...isSuggested ? { mediation: "conditional" as const } : {},
    ...signal === undefined ? {} : { signal },
  });
  // Whoever gave up meanwhile asks anew.
  signal?.throwIfAborted();
  const judged = finish(path, { action: "use", next, response: jsonOf(credential) });
  onShown?.(judged);
  return await judged;
}

/**
 * Makes a passkey, and goes on when it was taken.
 *
 * @param name what its owner calls it
 * @returns what was wrong, or null
 * @throws {DOMException} when none was made
 */
export async function makePasskey(path: string, name: string): Promise<string | null> {
  const answer = await send(path, { action: "options" });
  if (answer.options === undefined) return answer.error ?? null;
  const credential = await navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
      answer.options as PublicKeyCredentialCreationOptionsJSON,
    ),
  });
  return await finish(path, { action: "add", name, response: jsonOf(credential) });
}

function jsonOf(credential: Credential | null): string {
  return JSON.stringify(credential);
}

async function finish(path: string, fields: Record<string, string>): Promise<string | null> {
  const { location: place, error } = await send(path, fields);
  if (place === undefined) return error ?? null;
  location.assign(place);
  return null;
}

async function send(path: string, fields: Record<string, string>): Promise<Answered> {
  const response = await fetch(path, { method: "POST", body: new URLSearchParams(fields) });
  if (response.redirected) return { location: response.url };
  return await response.json();
}
