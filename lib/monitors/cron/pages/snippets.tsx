import { t } from "@/lib/core/language/translate.ts";
import { Folded } from "@/lib/ui/value_table.tsx";
import { CodeBlock } from "@/lib/ui/components/code_block.tsx";
import type { Language } from "@/lib/ui/components/highlight.ts";

interface SnippetsProps {
  /** Of a server key. */
  readonly dsn: string;
  readonly slug: string;
  /** As a crontab. */
  readonly schedule: string;
}

interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly language: Language;
  readonly code: string;
}

/** How a job reports itself, in the ways that stock clients have. */
export function Snippets(props: SnippetsProps) {
  return (
    <div class="space-y-2 text-left">
      {snippetsOf(props).map(({ id, title, language, code }, place) => (
        <Folded key={id} title={title} isOpen={place === 0}>
          <CodeBlock id={`cron-${id}`} label={title} language={language} code={code} />
        </Folded>
      ))}
    </div>
  );
}

function snippetsOf({ dsn, slug, schedule }: SnippetsProps): readonly Snippet[] {
  return [
    { id: "curl", title: t("curl, after the job"), language: "bash", code: curl(dsn, slug) },
    {
      id: "cli",
      title: t("sentry-cli, around any command"),
      language: "bash",
      code: `export SENTRY_DSN='${dsn}'\n` +
        `sentry-cli monitors run ${slug} --schedule '${schedule}' -- ./your-job.sh\n`,
    },
    { id: "node", title: "Node.js", language: "javascript", code: node(dsn, slug, schedule) },
    { id: "python", title: "Python", language: "python", code: python(dsn, slug, schedule) },
  ];
}

function curl(dsn: string, slug: string): string {
  const { protocol, host, pathname, username } = new URL(dsn);
  const parts = pathname.split("/");
  const project = parts.pop();
  const address = `${protocol}//${host}${parts.join("/")}/api/${project}/cron/${slug}/${username}/`;
  return `./your-job.sh; curl -fsS -m 10 --retry 3 "${address}?exit=$?"\n`;
}

function node(dsn: string, slug: string, schedule: string): string {
  return `import * as Sentry from "@sentry/node";
Sentry.init({ dsn: "${dsn}" });
await Sentry.withMonitor("${slug}", () => runTheJob(), {
  schedule: { type: "crontab", value: "${schedule}" },
  timezone: "Europe/Berlin",
  checkinMargin: 5,
  maxRuntime: 30,
});
`;
}

function python(dsn: string, slug: string, schedule: string): string {
  return `import sentry_sdk
from sentry_sdk.crons import monitor

sentry_sdk.init(dsn="${dsn}")

@monitor(monitor_slug="${slug}", monitor_config={
    "schedule": {"type": "crontab", "value": "${schedule}"},
    "timezone": "Europe/Berlin",
    "checkin_margin": 5,
    "max_runtime": 30,
})
def run_the_job():
    ...
`;
}
