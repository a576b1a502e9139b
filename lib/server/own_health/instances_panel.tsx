import { t } from "../../core/language/translate.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatDuration, formatExact, withDecimalMark } from "../../ui/format.ts";
import type { Instance } from "./instances.ts";

interface InstancesPanelProps {
  /** Null while Deno KV is away. */
  readonly instances: readonly Instance[] | null;
}

/** The processes that serve on these stores, and those that are gone without having been stopped. */
export function InstancesPanel({ instances }: InstancesPanelProps) {
  const isEmpty = instances === null || instances.length === 0;
  return (
    <Panel
      title={t("Processes")}
      id="processes"
      description={t(
        "All that serve on these stores; each reports every 15 seconds. One that was not stopped and is gone is shown for an hour.",
      )}
      flush={!isEmpty}
    >
      {isEmpty
        ? (
          <p class="text-muted">
            {instances === null
              ? t("Deno KV does not respond.")
              : t("This process reports in a few seconds.")}
          </p>
        )
        : <InstanceTable instances={instances} />}
    </Panel>
  );
}

function InstanceTable({ instances }: { readonly instances: readonly Instance[] }) {
  return (
    <Table
      isWide
      caption={t("Processes")}
      columns={[
        { label: t("Process") },
        { label: t("Version") },
        { label: t("Started") },
        { label: t("Isolates"), align: "right" },
        { label: t("Requests"), align: "right" },
        { label: t("Timers are late by"), align: "right" },
        { label: t("Last seen") },
      ]}
    >
      {instances.map((instance) => <InstanceRow key={instance.id} {...instance} />)}
    </Table>
  );
}

function InstanceRow(
  { id, host, port, version, startedAt, isolates, isThis, isGone, seenAt, ...load }: Instance,
) {
  const { requestsASecond, lagSec } = load;
  const tone = isGone ? "text-muted" : "";
  return (
    <Row>
      <Cell class={tone}>
        <span class="whitespace-nowrap">{host === "" ? id.slice(0, 8) : `${host}:${port}`}</span>
        {" "}
        {isThis && <Badge>{t("this one")}</Badge>}
        {isGone && <Badge tone="warning" icon="warning">{t("gone@@process")}</Badge>}
      </Cell>
      <Cell class={tone}>{version}</Cell>
      <Cell class={tone}>
        <RelativeTime date={startedAt} />
      </Cell>
      <Cell align="right" class={tone}>{formatExact(isolates)}</Cell>
      <Cell align="right" class={tone}>
        {isGone || requestsASecond === null
          ? "–"
          : t("{rate}/s", { rate: withDecimalMark(requestsASecond.toFixed(1)) })}
      </Cell>
      <Cell align="right" class={tone}>
        {isGone || lagSec === null ? "–" : formatDuration(lagSec * 1_000)}
      </Cell>
      <Cell class={tone}>
        <RelativeTime date={seenAt} />
      </Cell>
    </Row>
  );
}
