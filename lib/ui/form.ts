/** Reading forms and telling what is wrong with them; every page with a form goes through here. */
import { t } from "../core/language/translate.ts";
import { HttpError } from "fresh";
import { z } from "zod";
import { Denied, HashingBusy, InvalidInput } from "../core/errors.ts";
import { formIn, isMultipart } from "../core/multipart.ts";
import { readBody } from "../core/read_body.ts";
import type { FormErrors } from "./components/fields.tsx";
import type { FlashKind } from "./cookies.ts";

/** Far above most of our forms; without a limit, a stranger could fill the memory through sign-in. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * Reads a form as browsers send it without files.
 *
 * @param maxBytes 64 KiB when absent
 * @throws {HttpError} 415 for another content type
 * @throws {Refusal} 413 above `maxBytes`, 408 when it comes too slowly, as `readBody()`
 */
export async function readForm(
  request: Request,
  maxBytes: number = MAX_FORM_BYTES,
): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim();
  if (type !== "application/x-www-form-urlencoded") {
    throw new HttpError(415, t("This address takes HTML forms only."));
  }
  const bytes = await readBody(request, { maxBytes });
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** A field of a form without outer blanks; `""` when it is missing. */
export function fieldOf(form: URLSearchParams, name: string): string {
  return form.get(name)?.trim() ?? "";
}

/** For a form that the page does not have: somebody else's, or one of a page that was loaded long ago. */
export function unknownForm(): HttpError {
  return new HttpError(400, t("This form is not one that Watchpost understands."));
}

/**
 * What a form asks for by its field `action`.
 *
 * @param actions those of the page, by name
 * @throws {HttpError} 400 for another one
 */
export function actionOf<Action>(
  actions: Readonly<Record<string, Action>>,
  form: URLSearchParams,
): Action {
  const name = fieldOf(form, "action");
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw unknownForm();
  return action;
}

/** What came of a form of something that may have a secret. `Renewed`: what it is the secret of. */
export type SecretOutcome<Renewed> =
  | {
    readonly kind: "done";
    readonly location: string;
    readonly text: string;
    readonly tone: FlashKind;
  }
  /** The secret is to be shown this once. */
  | ({ readonly kind: "renewed"; readonly secret: string } & Renewed)
  | {
    readonly kind: "refused";
    readonly errors: FormErrors;
    /** What the form shows; absent: what is stored. */
    readonly values?: Readonly<Record<string, string>>;
  };

/** A field of a schema for `checkForm()`: its text without outer blanks, `""` when it is missing. */
export const textField = z.array(z.string()).transform(([text = ""]) => text.trim());

/** A checkbox of a schema for `checkForm()`. */
export const checkboxField = z.array(z.string()).transform(([value]) => value === "on");

/**
 * Checks a form by a schema whose fields begin with `textField` or `checkboxField`, as the API checks its bodies.
 *
 * @throws {InvalidInput} with the first error, in the order of the schema's fields
 */
export function checkForm<Fields extends z.ZodRawShape>(
  form: URLSearchParams,
  schema: z.ZodObject<Fields>,
): z.output<z.ZodObject<Fields>> {
  const names = Object.keys(schema.shape);
  const result = schema.safeParse(
    Object.fromEntries(names.map((name) => [name, form.getAll(name)])),
  );
  if (result.success) return result.data;
  const { path = [], message = "" } = result.error.issues[0] ?? {};
  throw new InvalidInput(String(path[0] ?? ""), message);
}

/** Why a form did not do its work. */
export interface FormRefusal {
  readonly ok: false;
  readonly errors: FormErrors;
  /** What the page with the errors is answered with: 403 for who may not, 422 for what cannot be taken. */
  readonly status: 403 | 422;
}

/**
 * Does what a form asks for.
 *
 * @returns what it returned, or the error to show beside the field
 * @throws whatever is not about the input
 */
export async function attempt<T>(
  action: () => Promise<T>,
): Promise<{ ok: true; value: T } | FormRefusal> {
  try {
    return { ok: true, value: await action() };
  } catch (error) {
    if (error instanceof InvalidInput) {
      return { ok: false, errors: { [error.field]: error.message }, status: 422 };
    }
    // What is refused to this role for this very choice, such as making somebody an owner.
    if (error instanceof Denied && error.status === 403) {
      return { ok: false, errors: { "": error.message }, status: 403 };
    }
    if (error instanceof HashingBusy) {
      return {
        ok: false,
        errors: { "": t("Too many people sign in right now. Try again in a moment.") },
        status: 422,
      };
    }
    throw error;
  }
}

/**
 * A path of this service to go to after a form, or `fallback` for everything else: a link that somebody
 * was sent must not lead elsewhere after the sign-in.
 */
export function localPath(text: string | null, fallback: string): string {
  if (!text?.startsWith("/") || !URL.canParse(text, "http://local.invalid")) return fallback;
  const { origin, pathname, search, hash } = new URL(text, "http://local.invalid");
  // `//host` and `/\host` are other hosts to a browser.
  return origin === "http://local.invalid" && !pathname.startsWith("//")
    ? pathname + search + hash
    : fallback;
}

/** A dashboard of many panels is a tenth of this. */
const MAX_UPLOAD_BYTES = 1_000_000;
/** No form of ours has a third of them. */
const MAX_UPLOAD_FIELDS = 32;

/**
 * Reads a form that may have files, which become fields with their text.
 *
 * @throws {HttpError} 415 for another content type or a body that is no form
 * @throws {Refusal} 413 above 1 MB, 408 when it comes too slowly, as `readBody()`
 */
export async function readUpload(
  request: Request,
  maxBytes: number = MAX_UPLOAD_BYTES,
): Promise<ReadonlyMap<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  if (!isMultipart(type)) return new Map(await readForm(request, maxBytes));
  const fields = new Map<string, string>();
  for (const [name, value] of await uploadOf(request, type, maxBytes)) {
    fields.set(name, typeof value === "string" ? value : await value.text());
  }
  return fields;
}

/** A file of a form, with the name that it has where it comes from. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the one file of a form, byte for byte.
 *
 * @param maxBytes of the whole form
 * @returns null when none was chosen
 * @throws as `readUpload()`, and 415 for a form that can have no files
 */
export async function readFile(
  request: Request,
  name: string,
  maxBytes: number = MAX_UPLOAD_BYTES,
): Promise<SentFile | null> {
  const type = request.headers.get("content-type") ?? "";
  if (!isMultipart(type)) throw new HttpError(415, t("This address takes HTML forms only."));
  const value = (await uploadOf(request, type, maxBytes)).get(name);
  return value instanceof File && value.size > 0
    ? { name: value.name, bytes: await value.bytes() }
    : null;
}

async function uploadOf(request: Request, type: string, maxBytes: number): Promise<FormData> {
  const form = await formIn(await readBody(request, { maxBytes }), type, MAX_UPLOAD_FIELDS);
  if (form instanceof FormData) return form;
  throw new HttpError(415, t("This form could not be read. Open the page here and try again."));
}
