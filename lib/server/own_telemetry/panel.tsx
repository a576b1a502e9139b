/** What the Instance page shows of who watches Watchpost itself, and how that is switched on and off. */
import { addAudit } from "../../accounts/audit.ts";
import { keyOf } from "../../accounts/kv.ts";
import type { Organization } from "../../accounts/organizations.ts";
import { createProject, findProject, type Project } from "../../accounts/projects.ts";
import { rich, t } from "../../core/language/translate.ts";
import { MEASURES } from "../../core/measures/measures.ts";
import { Button } from "../../ui/components/button.tsx";
import { HiddenFields, Select } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { redirectWithFlash } from "../../ui/cookies.ts";
import { fieldOf } from "../../ui/form.ts";
import { formatExact } from "../../ui/format.ts";
import type { Services } from "../services.ts";
import type { OwnWay } from "./outbox.ts";
import { type WatchChoice, watchChoice, watchProject } from "./receiver.ts";

/** Who is told of this instance, and how that goes. */
export interface OwnTelemetryView {
  /** Host of `SERVICE_WATCH_DSN`. */
  readonly watchHost: string | null;
  /** Chosen here. */
  readonly project: Project | null;
  /** Host of `SERVICE_OTLP_ENDPOINT`. */
  readonly otlpHost: string | null;
}

/** Reads the state; KV must be there, as for the page. */
export async function loadOwnTelemetry({ config, kv }: Services): Promise<OwnTelemetryView> {
  const { watchDsn, otlp } = config;
  return {
    watchHost: watchDsn === null ? null : new URL(watchDsn).host,
    project: watchDsn === null ? await watchProject(kv) : null,
    otlpHost: otlp === null ? null : new URL(otlp.endpoint).host,
  };
}

/** @param organizations in which the project may be made */
export function OwnTelemetryPanel({ telemetry: { watchHost, project, otlpHost }, organizations }: {
  readonly telemetry: OwnTelemetryView;
  readonly organizations: readonly { readonly organization: Organization }[];
}) {
  return (
    <Panel
      title={t("Watchpost about itself")}
      id="watch"
      description={t(
        "Its own unexpected errors, the slowest requests, commits and clocks of each minute, and profiles of its processor time can go to a project, as those of any program. Nothing of what projects sent is in them.",
      )}
    >
      {watchHost !== null
        ? (
          <p>
            {t("They go to {host}, as SERVICE_WATCH_DSN says.", { host: watchHost })}{" "}
            <Sent way="watch" />
          </p>
        )
        : project !== null
        ? <Chosen {...project} />
        : <Choose organizations={organizations} />}
      {otlpHost !== null && (
        <p class="mt-3">
          {t("Measures and traces go to {host} by OTLP.", { host: otlpHost })} <Sent way="otlp" />
        </p>
      )}
    </Panel>
  );
}

function Chosen({ id, name }: Project) {
  return (
    <div class="flex flex-wrap items-start justify-between gap-3">
      <p>
        {rich("They go to the project <a>{name}</a>.", {
          name,
          a: (words) => <a class="link font-medium" href={`/projects/${id}`}>{words}</a>,
        })} <Sent way="watch" />
      </p>
      <form method="post">
        <HiddenFields pairs={[["action", "watch-stop"]]} />
        <Button size="sm">{t("Stop watching")}</Button>
      </form>
    </div>
  );
}

function Choose({ organizations }: {
  readonly organizations: readonly { readonly organization: Organization }[];
}) {
  if (organizations.length === 0) {
    return <p class="text-muted">{t("There is no organization yet.")}</p>;
  }
  return (
    <form method="post" class="flex flex-wrap items-end gap-3">
      <HiddenFields pairs={[["action", "watch-start"]]} />
      <Select
        name="organization"
        idPrefix="watch-"
        label={t("Organization of the project")}
        options={organizations.map(({ organization: { id, name } }) => ({
          value: id,
          label: name,
        }))}
      />
      <Button>{t("Watch Watchpost")}</Button>
    </form>
  );
}

/** Of this process. */
function Sent({ way }: { readonly way: OwnWay }) {
  const at = MEASURES.ownSentAt.total(way);
  const dropped = MEASURES.ownPieces.total(way, "dropped");
  return (
    <span class="text-sm text-muted tabular-nums">
      {at === 0
        ? t("This process has not sent anything yet.")
        : rich("Sent last {ago}, {n} piece so far.|Sent last {ago}, {n} pieces so far.", {
          ago: <RelativeTime date={new Date(at * 1_000)} />,
          n: MEASURES.ownPieces.total(way, "sent"),
        })}
      {dropped > 0 && ` ${t("{n} dropped.", { n: formatExact(dropped) })}`}
    </span>
  );
}

const NAME = "Watchpost";

/** What the page's forms of this panel ask for, by their field `action`. */
export const WATCH_ACTIONS = {
  async "watch-start"({ kv }: Services, form: URLSearchParams): Promise<Response> {
    const organizationId = fieldOf(form, "organization");
    // The project of an earlier time has its history.
    const chosen = await watchChoice(kv);
    const former = chosen === null ? null : await findProject(kv, chosen.projectId);
    const project = former ??
      await createProject(kv, { organizationId, name: NAME, platform: "node-deno" });
    await choose(kv, { projectId: project.id, isOn: true });
    return redirectWithFlash("/instance#watch", t("Watchpost sends what it does to a project."));
  },

  async "watch-stop"({ kv }: Services): Promise<Response> {
    const chosen = await watchChoice(kv);
    if (chosen !== null) await choose(kv, { ...chosen, isOn: false });
    return redirectWithFlash("/instance#watch", t("Watchpost tells nobody of itself any more."));
  },
} as const;

async function choose(kv: Deno.Kv, choice: WatchChoice): Promise<void> {
  await addAudit(kv.atomic().set(keyOf.watch(), choice), {
    event: "instance.edit",
    projectId: choice.projectId,
    target: { kind: "instance", id: "watch", label: NAME },
    changes: { watch: [!choice.isOn, choice.isOn] },
  }).commit();
}
