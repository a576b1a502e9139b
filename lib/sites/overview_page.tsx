import { type Message, t } from "../core/language/translate.ts";
import { sampledOf } from "../store/stats/stats.ts";
import { VitalStrip } from "../traces/mod.ts";
import { LinkButton } from "../ui/components/button.tsx";
import { classes, Icon, type IconName } from "../ui/components/icon.tsx";
import { newMonitorPath } from "../ui/links.ts";
import { ProjectPage } from "../ui/scoped_page.tsx";
import { answerOf, type Finding, findingsOf, sendsNothing, type Verdict } from "./findings.ts";
import type { SiteOverview, SiteView } from "./overview.ts";
import {
  ErrorsPanel,
  ReleasePanel,
  SlowPagesPanel,
  Unread,
  UptimePanel,
  VisitorsPanel,
} from "./overview_panels.tsx";
import { siteUrl } from "./site_host.ts";

/** A site on one page: is it up, what is there to look at, and then each thing by itself. */
export function SitePage(view: SiteView) {
  const { shell, pageScope, site, mayAddMonitors } = view;
  const { project } = pageScope;
  const { uptime, vitals, host } = site;
  const hasMonitors = uptime.kind === "read" && uptime.value.length > 0;
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="site"
      description={host === null ? t("How your site does.") : <bdi>{host}</bdi>}
      actions={mayAddMonitors && hasMonitors && (
        <LinkButton href={newMonitorPath(project.id, isWatched(site) ? null : siteUrl(host))}>
          {t("Add monitor")}
        </LinkButton>
      )}
      {...vitals.kind === "read" && { sampled: sampledOf([...vitals.value.values()]) }}
    >
      <AnswerBox {...view} />
      <div class="mt-4 gap-4 *:mb-4 *:break-inside-avoid lg:columns-2">
        {uptime.kind === "failed"
          ? <Unread title={t("Uptime")} sentence={uptime.sentence} />
          : hasMonitors && <UptimePanel {...pageScope} monitors={uptime.value} />}
        {sendsNothing(site) ? <VisitorsPanel {...view} /> : (
          <>
            <ErrorsPanel {...view} />
            {vitals.kind === "failed"
              ? <Unread title={t("Web Vitals")} sentence={vitals.sentence} />
              : <VitalStrip {...pageScope} vitals={vitals.value} />}
            <SlowPagesPanel {...view} />
          </>
        )}
        <ReleasePanel {...view} />
      </div>
    </ProjectPage>
  );
}

/** Whether a monitor checks the host that visitors' browsers name. */
function isWatched({ uptime, host }: SiteOverview): boolean {
  return uptime.kind === "read" && uptime.value.some(({ monitor }) => monitor.host === host);
}

const LOOKS: Readonly<
  Record<Verdict, { readonly box: string; readonly ink: string; readonly icon: IconName }>
> = {
  ok: { box: "border-ok bg-ok-soft", ink: "text-ok", icon: "ok" },
  warning: { box: "border-warning bg-warning-soft", ink: "text-warning", icon: "warning" },
  danger: { box: "border-danger bg-danger-soft", ink: "text-danger", icon: "error" },
  neutral: { box: "border-line bg-surface", ink: "text-muted", icon: "info" },
};
/** What the icon says, for those who do not see it. */
const SAID: Readonly<Record<Verdict, Message>> = {
  ok: "Good",
  warning: "Look at this",
  danger: "Bad",
  neutral: "For information",
};

/** The answer first, then a line for each thing that was looked at. */
function AnswerBox({ site, pageScope, mayAddMonitors }: SiteView) {
  const { uptime, host } = site;
  const { verdict, title, words } = answerOf(uptime, pageScope.now);
  const { box, ink, icon } = LOOKS[verdict];
  const findings = findingsOf(site, pageScope);
  const isUnwatched = uptime.kind === "read" && uptime.value.length === 0;
  return (
    <section
      aria-labelledby="answer"
      class="overflow-hidden rounded-lg border border-line bg-surface"
    >
      <div class={classes("flex gap-3 border-b p-4", box)}>
        <Icon name={icon} size={32} class={ink} />
        <div class="min-w-0">
          <h2 id="answer" class="text-lg font-semibold">{title} {bidding(findings)}</h2>
          <p class="wrap-anywhere">{words}</p>
          {isUnwatched && !mayAddMonitors && <p>{t("A member of the organization can add one.")}
          </p>}
          {isUnwatched && mayAddMonitors && (
            <p class="mt-3">
              <LinkButton
                kind="primary"
                icon="plus"
                href={newMonitorPath(pageScope.project.id, siteUrl(host))}
              >
                {t("Add monitor")}
              </LinkButton>
            </p>
          )}
        </div>
      </div>
      <ul class="divide-y divide-line">
        {findings.map((finding) => (
          <li key={finding.words}>
            <FindingLine {...finding} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many things somebody should look at. */
function bidding(findings: readonly Finding[]): string {
  const count =
    findings.filter(({ verdict }) => verdict === "warning" || verdict === "danger").length;
  return count === 0 ? "" : t("{n} thing needs a look.|{n} things need a look.", { n: count });
}

function FindingLine({ verdict, words, href }: Finding) {
  const { ink, icon } = LOOKS[verdict];
  return (
    <a href={href} class="flex items-start gap-3 px-4 py-2.5 hover:bg-hover">
      <Icon name={icon} class={classes("mt-[3px]", ink)} />
      <span class="min-w-0 flex-1 wrap-anywhere">
        <span class="sr-only">{t(SAID[verdict])}:</span> <bdi>{words}</bdi>
      </span>
      <Icon name="chevron-right" size={14} class="mt-1 text-faint" />
    </a>
  );
}
