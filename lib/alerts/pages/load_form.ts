import type { Project } from "../../accounts/projects.ts";
import type { Services } from "../../server/services.ts";
import type { StoredRule } from "../rules.ts";
import { listChannels } from "../channels/channels.ts";
import { transactionNames } from "../../store/stats/transaction_names.ts";
import { environmentsOf } from "../../errors/tags.ts";
import { metricCompletionsPath } from "../../metrics/paths.ts";
import type { AlertFormView } from "./alert_form_page.tsx";
import { previewForm } from "./preview_form.ts";
import type { ReadForm } from "./read_form.ts";

export type LoadedForm = Omit<AlertFormView, "shell" | "project">;

/**
 * What the page of the alert form shows.
 *
 * @param rule the alert that is changed; null for a new one
 * @param showsErrors false as long as nobody has had a chance to fill the form in
 */
export async function loadAlertForm(
  services: Pick<Services, "sql" | "kv" | "log">,
  project: Project,
  form: ReadForm,
  rule: StoredRule | null,
  showsErrors: boolean,
): Promise<LoadedForm> {
  const { sql } = services;
  const [channels, environments, transactions, preview] = await Promise.all([
    listChannels(sql, project.id),
    environmentsOf(sql, project.id),
    transactionNames(sql, project.id),
    previewForm(services, project, form),
  ]);
  return {
    rule,
    ...form,
    errors: showsErrors ? form.errors : {},
    preview,
    channels,
    environments,
    transactions,
    completionsPath: metricCompletionsPath(project.id),
  };
}
