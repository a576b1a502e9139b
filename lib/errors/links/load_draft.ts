import type { Project } from "../../accounts/projects.ts";
import type { Backend } from "../../store/stores.ts";
import { fieldOf } from "../../ui/form.ts";
import { viewEvent } from "../event/view.ts";
import { findEventOfIssue } from "../events.ts";
import type { Issue } from "../issues.ts";
import { shortIdOf } from "../workflow/short_id.ts";
import type { Connection } from "./connections.ts";
import { draftOf } from "./draft.ts";
import { labelsOf } from "./reading.ts";
import type { Draft } from "./tracker.ts";

/** The draft of an issue in a tracker, by the issue's newest event. */
export async function loadDraft(
  { sql, config }: Backend,
  project: Project,
  issue: Issue,
  { type, settings }: Connection,
): Promise<Draft> {
  const event = await findEventOfIssue(sql, project.id, issue.id, "latest");
  const view = event && viewEvent(event.payload);
  const shortId = shortIdOf(project.slug, issue.number);
  const draft = draftOf(
    { ...issue, projectId: project.id, shortId },
    view,
    type,
    config.baseUrl,
  );
  return { ...draft, labels: labelsOf(settings.labels ?? "") };
}

/** The draft as a form sends it. */
export function readDraft(form: URLSearchParams): Draft {
  return {
    title: fieldOf(form, "title"),
    body: form.get("body")?.replaceAll("\r\n", "\n") ?? "",
    labels: labelsOf(fieldOf(form, "labels")),
    assignee: fieldOf(form, "assignee"),
  };
}
