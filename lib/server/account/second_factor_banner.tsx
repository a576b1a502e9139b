/** Which organizations wait for a person's second factor, and telling of it on every page. */
import type { VNode } from "preact";
import type { Actor } from "../../accounts/authorize.ts";
import { listOrganizationsOf, type Organization } from "../../accounts/organizations.ts";
import { lacksSecondFactor, SECURITY_PATH } from "../../accounts/second_factor_rule.ts";
import { hasSecondFactor } from "../../accounts/second_factors.ts";
import { rich } from "../../core/language/translate.ts";
import { Alert } from "../../ui/components/panel.tsx";
import { formatDate } from "../../ui/format_time.ts";

/** The names of organizations that show nothing to this person until they have a second factor. */
export async function organizationsThatWait(kv: Deno.Kv, actor: Actor): Promise<string[]> {
  if (actor.kind !== "user") return [];
  const organizations = await listOrganizationsOf(kv, actor.user.id);
  const waiting = await Promise.all(
    organizations.map(async (each) => await lacksSecondFactor(kv, actor, each) ? [each.name] : []),
  );
  return waiting.flat();
}

/** Says on every page what an organization requires, or will require, and where to set it up. */
export async function secondFactorBanners(kv: Deno.Kv, actor: Actor): Promise<VNode[]> {
  if (actor.kind !== "user" || actor.isStrong === true) return [];
  const ruling = (await listOrganizationsOf(kv, actor.user.id))
    .filter(({ secondFactorFrom }) => secondFactorFrom !== undefined);
  if (ruling.length === 0 || await hasSecondFactor(kv, actor.user.id)) return [];
  return ruling.map((each) => <SecondFactorBanner key={each.id} organization={each} />);
}

function SecondFactorBanner({ organization }: { readonly organization: Organization }) {
  const { name, secondFactorFrom = new Date() } = organization;
  const link = (words: string) => <a href={SECURITY_PATH} class="link">{words}</a>;
  return (
    <Alert kind="warning" class="mb-4">
      {secondFactorFrom.getTime() > Date.now()
        ? rich("From {date} on {organization} requires a second factor. <a>Set one up</a>", {
          date: formatDate(secondFactorFrom),
          organization: name,
          a: link,
        })
        : rich("{organization} requires a second factor. <a>Set one up</a> to see its projects.", {
          organization: name,
          a: link,
        })}
    </Alert>
  );
}
