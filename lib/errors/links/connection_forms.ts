/** What the forms of trackers send, and what they show again. */
import { HttpError } from "fresh";
import type { Project } from "../../accounts/projects.ts";
import type { Backend } from "../../store/stores.ts";
import { checkConfirmation, CONFIRM_FIELD } from "../../ui/components/fields.tsx";
import type { FlashKind } from "../../ui/cookies.ts";
import { actionOf, attempt, fieldOf, type SecretOutcome } from "../../ui/form.ts";
import { trackerPath, trackersPath } from "../../ui/links.ts";
import { TrackerFailure } from "./ask.ts";
import {
  changeConnection,
  type Connection,
  type ConnectionInput,
  deleteConnection,
  renewHookSecret,
} from "./connections.ts";
import { testConnection } from "./link_actions.ts";
import { TRACKER_KINDS, type TrackerType } from "./tracker_types.ts";
import { t } from "../../core/language/translate.ts";

/** What came of a form of a tracker's page. */
export type TrackerOutcome = SecretOutcome<{ readonly connection: Connection }>;

type Act = (
  services: Backend,
  project: Project,
  connection: Connection,
  form: URLSearchParams,
  by: string,
) => Promise<TrackerOutcome>;

/**
 * Does what a form of a tracker's page asks for.
 *
 * @param by e-mail address of who does it
 * @throws {HttpError} 404 for a tracker that is gone, 400 for forms of somebody else
 */
export const actOnConnection: Act = async (services, project, connection, form, by) => {
  return await actionOf(ACTIONS, form)(services, project, connection, form, by);
};

const ACTIONS: Readonly<Record<string, Act>> = {
  async update(services, _project, connection, form, by) {
    const input = readConnectionForm(connection.type, form);
    const result = await attempt(() => changeConnection(services, connection, input, by));
    if (!result.ok) {
      return { kind: "refused", errors: result.errors, values: enteredValues(input) };
    }
    if (result.value === null) throw gone();
    const { connection: changed, hookSecret } = result.value;
    return hookSecret === null
      ? done(changed, t("{name} is saved.@@tracker", { name: changed.name }))
      : { kind: "renewed", connection: changed, secret: hookSecret };
  },

  async test(services, _project, connection) {
    try {
      return done(connection, await testConnection(services, connection));
    } catch (error) {
      if (error instanceof TrackerFailure) return done(connection, error.message, "danger");
      throw error;
    }
  },

  async renew(services, _project, connection, _form, by) {
    const renewed = await renewHookSecret(services, connection, by);
    if (renewed === null || renewed.hookSecret === null) throw gone();
    return { kind: "renewed", connection: renewed.connection, secret: renewed.hookSecret };
  },

  async delete({ sql }, project, connection, form) {
    const problem = checkConfirmation(form, connection.name);
    if (problem !== null) return { kind: "refused", errors: { [CONFIRM_FIELD]: problem } };
    await deleteConnection(sql, project.id, connection.connectionId);
    const text = t("{name} is removed.", { name: connection.name });
    return { kind: "done", location: trackersPath(project.id), text, tone: "ok" };
  },
};

function done(
  { projectId, connectionId }: Connection,
  text: string,
  tone: FlashKind = "ok",
): TrackerOutcome {
  return { kind: "done", location: trackerPath(projectId, connectionId), text, tone };
}

function gone(): HttpError {
  return new HttpError(404, t("This tracker does not exist any more."));
}

/** What the form of a tracker sends. */
export function readConnectionForm(type: TrackerType, form: URLSearchParams): ConnectionInput {
  const names = ["name", "token", "closes", ...TRACKER_KINDS[type].fields.map(({ name }) => name)];
  return Object.fromEntries(names.map((name) => [name, fieldOf(form, name)]));
}

/** What the form shows when it was refused: what was entered, but for the token. */
export function enteredValues({ token: _, ...input }: ConnectionInput): Record<string, string> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value ?? ""]));
}

/** What the form shows of a tracker. */
export function valuesOf({ name, settings, closesSince }: Connection): Record<string, string> {
  return { ...settings, name, closes: closesSince === null ? "" : "on" };
}

/** What the form of a new tracker shows. */
export function initialValues(type: TrackerType): Record<string, string> {
  const { fields, label } = TRACKER_KINDS[type];
  const initial = fields.map(({ name, initial: value }) => [name, value ?? ""]);
  return { ...Object.fromEntries(initial), name: label };
}
