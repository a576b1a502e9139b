import { rich, t } from "@/lib/core/language/translate.ts";
import { Button, CopyField } from "@/lib/ui/components/button.tsx";
import { CodeBlock } from "@/lib/ui/components/code_block.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { Folded } from "@/lib/ui/value_table.tsx";
import type { Monitor } from "../monitors.ts";
import { Snippets } from "./snippets.tsx";

interface PingPanelProps {
  readonly monitor: Monitor;
  readonly pingUrl: string | null;
  readonly dsn: string;
  readonly mayWrite: boolean;
}

/** How the job reports: by its own address, or by the clients that there are. */
export function PingPanel({ monitor, pingUrl, dsn, mayWrite }: PingPanelProps) {
  const { slug, config } = monitor;
  const schedule = config?.schedule_type === "crontab" ? config.schedule : "30 4 * * *";
  return (
    <Panel
      title={t("How the job reports")}
      id="report"
      description={t("Whoever knows the address may report for this job, and do nothing else.")}
    >
      <div class="space-y-4">
        {pingUrl === null
          ? (
            <p class="text-muted">
              {t("The address for pings is shown to those who may see the keys of the project.")}
            </p>
          )
          : (
            <>
              <CopyField id="ping-url" value={pingUrl} what={t("address for pings")} />
              <CodeBlock
                id="ping-example"
                label={t("A job that pings")}
                language="bash"
                code={exampleOf(pingUrl)}
              />
              <PingWords />
              {mayWrite && (
                <form method="post">
                  <Button size="sm" name="action" value="renew-ping">{t("New address")}</Button>
                </form>
              )}
            </>
          )}
        <Folded title={t("With sentry-cli or an SDK")}>
          <Snippets dsn={dsn} slug={slug} schedule={schedule} />
        </Folded>
      </div>
    </Panel>
  );
}

function exampleOf(url: string): string {
  return `curl -fsS -m 10 --retry 3 ${url}/start
./your-job.sh > job.log 2>&1; status=$?
tail -c 10000 job.log | curl -fsS -m 10 --retry 3 --data-binary @- ${url}/$status
`;
}

function PingWords() {
  return (
    <ul class="list-disc space-y-0.5 pl-5 text-sm text-muted">
      <li>
        {rich(
          "{start} begins a run, the address alone ends it well, {fail} ends it badly, and {zero} to {most} by the exit status of the job.",
          {
            start: <code>/start</code>,
            fail: <code>/fail</code>,
            zero: <code>/0</code>,
            most: <code>/255</code>,
          },
        )}
      </li>
      <li>
        {rich("{log} adds to the log of the run. Of what is posted the last 10 KB are kept.", {
          log: <code>/log</code>,
        })}
      </li>
      <li>
        {rich("{rid} with a UUID tells runs apart that overlap; {environment} where it runs.", {
          rid: <code>?rid=</code>,
          environment: <code>?environment=</code>,
        })}
      </li>
    </ul>
  );
}
