import type { Project } from "../accounts/projects.ts";
import type { StoredRule } from "./rules.ts";
import type { Sql } from "../store/database.ts";
import { type Channel, listChannels } from "./channels/channels.ts";
import { enqueueNotice } from "./deliveries/enqueue.ts";
import type { Notice } from "./deliveries/notice.ts";
import { alertPath } from "../ui/paths.ts";
import { sourceWords } from "./words.ts";

/**
 * Sends a notice that says it is a test to the channels of a rule, whether it is muted or not.
 *
 * @param baseUrl address of the service, without a slash at its end
 * @returns the channels that will hear of it; none when the rule has none
 */
export async function testRule(
  { sql, baseUrl }: { readonly sql: Sql; readonly baseUrl: string },
  project: Pick<Project, "id" | "name">,
  rule: StoredRule,
  now: Date = new Date(),
): Promise<Channel[]> {
  const channels = (await listChannels(sql, project.id))
    .filter(({ channelId }) => rule.channelIds.includes(channelId));
  if (channels.length === 0) return [];
  const url = baseUrl + alertPath(project.id, rule.ruleId);
  const notice: Notice = {
    projectId: project.id,
    projectName: project.name,
    state: "test",
    severity: "info",
    title: `Test of the alert "${rule.name}"`,
    text: "Somebody has pressed the test button: this channel works. Nothing is wrong.",
    url,
    ruleUrl: url,
    ruleName: rule.name,
    facts: [{ label: "Watches", value: sourceWords(rule.source) }],
    incidentKey: `${project.id}/${rule.ruleId}/test`,
    occurredAt: now,
  };
  await enqueueNotice(sql, notice, channels.map(({ channelId }) => channelId));
  return channels;
}
