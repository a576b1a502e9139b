import type { Project } from "../../accounts/projects.ts";
import type { Services } from "../../server/services.ts";
import type { StoredRule } from "../rules.ts";
import type { FlashKind } from "../../ui/flash.ts";
import { testRule } from "../test_rule.ts";

/** Sends a test through the channels of an alert, and says which they are. */
export async function sendTest(
  { sql, config }: Pick<Services, "sql" | "config">,
  project: Project,
  rule: StoredRule,
): Promise<{ text: string; kind: FlashKind }> {
  const channels = await testRule({ sql, baseUrl: config.baseUrl }, project, rule);
  if (channels.length === 0) {
    return { text: "This alert has no channel: nobody was told.", kind: "warning" };
  }
  const names = channels.map(({ name }) => name).join(", ");
  return { text: `A test is on its way to ${names}.`, kind: "ok" };
}
