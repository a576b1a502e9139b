import { t } from "../core/language/translate.ts";
import { type KeyUsage, keyUsage, listRefused, type RefusedRequest } from "../usage/mod.ts";
import { HttpError } from "fresh";
import {
  checkOrigins,
  checkRate,
  createKey,
  deleteKey,
  findKeyOf,
  type IngestKey,
  KEY_TYPES,
  type KeyChanges,
  listKeys,
  reissueKey,
  updateKey,
} from "../accounts/keys.ts";
import { type Project, updateSettings } from "../accounts/projects.ts";
import { InvalidInput } from "../core/errors.ts";
import type { Backend } from "../store/stores.ts";
import { checkConfirmation, CONFIRM_FIELD, type FormErrors } from "../ui/components/fields.tsx";
import { attempt, fieldOf, unknownForm } from "../ui/form.ts";
import { DAY_MS } from "../core/time.ts";

/** A form that was refused: which key it was for (`""` for a new one), what it asked for, and why. */
export interface RefusedForm {
  readonly key: string;
  readonly action: string;
  readonly errors: FormErrors;
}

/** What stands for the project's own form among the keys' ids. */
export const PROJECT_FORM = "project";

/**
 * Does what a form of the keys page asks for.
 *
 * @returns what happened, as a sentence, or why it was refused
 * @throws {HttpError} 404 for keys that are gone or another project's, 400 for forms of somebody else
 */
export async function actOnKeys(
  kv: Deno.Kv,
  project: Project,
  form: URLSearchParams,
): Promise<string | RefusedForm> {
  const action = form.get("action") ?? "";
  if (action === "create") return await create(kv, project, form);
  if (action === "project_rate") return await setProjectRate(kv, project, form);
  const key = await findKeyOf(kv, project.id, fieldOf(form, "key"));
  // A key of another project is as good as none: knowing its id gives no right to it.
  if (key === null) throw new HttpError(404, t("This key does not exist any more."));
  switch (action) {
    case "update":
      return await update(kv, key, form);
    case "enable":
      await updateKey(kv, key.publicKey, { isActive: true });
      return t("{name} is enabled.", { name: key.name });
    case "disable":
      await updateKey(kv, key.publicKey, { isActive: false });
      return t("{name} is disabled: apps that use it are refused from now on.", { name: key.name });
    case "reissue":
    case "revoke":
      return await endPublicKey(kv, key, action, form);
    default:
      throw unknownForm();
  }
}

async function create(
  kv: Deno.Kv,
  project: Project,
  form: URLSearchParams,
): Promise<string | RefusedForm> {
  const result = await attempt(async () => {
    const { type, name, ...changes } = readChanges(form);
    const made = await createKey(kv, { projectId: project.id, name, type });
    return await updateKey(kv, made.publicKey, changes) ?? made;
  });
  return result.ok
    ? `${result.value.name} is created.`
    : { key: "", action: "create", errors: result.errors };
}

async function update(
  kv: Deno.Kv,
  key: IngestKey,
  form: URLSearchParams,
): Promise<string | RefusedForm> {
  const result = await attempt(() => updateKey(kv, key.publicKey, readChanges(form)));
  if (!result.ok) return { key: key.id, action: "update", errors: result.errors };
  return t("{name} is saved.", { name: result.value?.name ?? key.name });
}

/** @throws {InvalidInput} for the first field that is wrong */
function readChanges(form: URLSearchParams): Required<Omit<KeyChanges, "isActive">> {
  const type = KEY_TYPES.find((each) => each === form.get("type"));
  if (type === undefined) throw new InvalidInput("type", t("Choose a type of key."));
  return {
    name: fieldOf(form, "name"),
    type,
    allowedOrigins: checkOrigins(fieldOf(form, "origins").split(/[\s,]+/)),
    ratePerSec: readRate(form),
  };
}

function readRate(form: URLSearchParams): number | null {
  const text = fieldOf(form, "rate");
  return checkRate(text === "" ? null : Number(text));
}

async function endPublicKey(
  kv: Deno.Kv,
  key: IngestKey,
  action: "reissue" | "revoke",
  form: URLSearchParams,
): Promise<string | RefusedForm> {
  const problem = checkConfirmation(form, key.name);
  if (problem !== null) return { key: key.id, action, errors: { [CONFIRM_FIELD]: problem } };
  if (action === "revoke") {
    await deleteKey(kv, key.publicKey);
    return t("{name} is revoked.", { name: key.name });
  }
  await reissueKey(kv, key.publicKey);
  return t("{name} has a new DSN; the old one is refused from now on.", { name: key.name });
}

async function setProjectRate(
  kv: Deno.Kv,
  project: Project,
  form: URLSearchParams,
): Promise<string | RefusedForm> {
  const result = await attempt(() =>
    Promise.resolve().then(() => updateSettings(kv, project.id, { ratePerSec: readRate(form) }))
  );
  return result.ok
    ? t("The project's rate limit is saved.")
    : { key: PROJECT_FORM, action: "project_rate", errors: result.errors };
}

export interface KeysOfProject {
  readonly keys: readonly IngestKey[];
  /** By key id, of the last 24 hours. */
  readonly usage: ReadonlyMap<string, KeyUsage>;
  /** Newest first. */
  readonly refused: readonly RefusedRequest[];
}

/** The keys of a project, how they are used, and what was refused. */
export async function loadKeys(
  { kv, sql }: Pick<Backend, "kv" | "sql">,
  projectId: string,
  now: Date = new Date(),
): Promise<KeysOfProject> {
  const start = new Date(now.getTime() - DAY_MS);
  const [keys, usage, refused] = await Promise.all([
    listKeys(kv, projectId),
    keyUsage(sql, projectId, { start, end: new Date(now.getTime() + DAY_MS) }),
    listRefused(sql, projectId),
  ]);
  return { keys, usage, refused };
}

/** What the doctor calls each key. */
export function keyNamesOf(keys: readonly IngestKey[]): ReadonlyMap<string, string> {
  return new Map(keys.map(({ id, name }) => [id, name]));
}
