import { t } from "../core/language/translate.ts";
import type { Project } from "../accounts/projects.ts";
import type { Sql } from "../store/database.ts";
import { Panel } from "../ui/components/panel.tsx";
import { visible } from "../ui/json.ts";
import { type Params, profilingHref, sectionPath } from "../ui/links.ts";
import { type Scope, scopeParams } from "../ui/scope.ts";
import { Graphs } from "./graphs.tsx";
import type { Merged } from "./merge/merge.ts";
import {
  type LabelPair,
  NO_PARAMS,
  PLAIN,
  type ProfileValueChoice,
  readProfilingParams,
  type Side,
  valueId,
} from "./params.ts";
import type { ProfileScope } from "./queries/profile_query.ts";
import { chooseValue } from "./queries/profiled_services.ts";
import { listProfiles } from "./queries/stored_profiles.ts";
import {
  mergedTree,
  type MergeServices,
  profileScope,
  profileSelection,
  sharedMerge,
  steadyInterval,
  type Waited,
  waitedWithin,
  whenReady,
} from "./selection.ts";
import type { CallTree } from "./trees/stacks.ts";
import { combiningWords, valueName } from "./words.ts";

interface TransactionCodePanelProps {
  readonly project: Project;
  readonly scope: Scope;
  /** Of the transactions. */
  readonly name: string;
  readonly code: Waited<TransactionCode>;
  /** Address of the page as it was asked for. */
  readonly page: URL;
}

/** Where the time of transactions goes in code: the flame graph of their profiles. */
export function TransactionCodePanel(props: TransactionCodePanelProps) {
  const { project, scope, name, code, page } = props;
  const projectId = project.id;
  const ready = code.kind === "ready" ? code.value : null;
  const params: Params = [
    ["transaction", name],
    ...ready === null ? [] : [["profile_type", valueId(ready.value)] as const],
    ...ready?.labels.map((pair) => ["label", pair.join("=")] as const) ?? [],
  ];
  return (
    <Panel
      title={t("Where the time goes in code")}
      id="code"
      description={ready === null ? t("Profiles of these transactions.") : codeWords(ready)}
      actions={
        <a class="link text-sm" href={profilingHref(projectId, "", scope, params)}>
          {t("Open in Profiling")}
        </a>
      }
    >
      <Graphs
        project={project}
        id="code-graph"
        title={t("Code of {transaction}", { transaction: visible(name) })}
        reading={whenReady(code, ({ treeOf }) => treeOf)}
        shape={PLAIN}
        page={page}
        dataPath={`${sectionPath(projectId, "transactions")}/flamegraph`}
        dataParams={[...scopeParams(scope), ["name", name]]}
        pageParams={[...scopeParams(scope), ...params]}
        linkPath={sectionPath(projectId, "profiling")}
        exports={[]}
        platform={ready?.platform}
        prefix="code_"
      />
    </Panel>
  );
}

function codeWords({ merged, value, labels }: TransactionCode): string {
  const name = valueName(value.kind, value.type);
  const what = labels.length === 0
    ? `${name}.`
    : t("{values} of the threads that ran them.", { values: name });
  return `${what} ${combiningWords(merged)}`;
}

/** All profiles of the transactions of one name. */
export interface TransactionCode {
  readonly merged: Merged;
  readonly value: ProfileValueChoice;
  /** Which samples were chosen of profiles that are of such a transaction as a whole; empty for all. */
  readonly labels: readonly LabelPair[];
  /** Of the newest profile of the project, for telling own code from others. */
  readonly platform: string;
  readonly treeOf: (side: Side) => CallTree;
}

/** What the profiles of transactions are looked for as that do not say which transaction they are of. */
const LIKELY: readonly ProfileValueChoice[] = [
  { kind: "wall", type: { type: "wall", unit: "nanoseconds" } },
  { kind: "cpu", type: { type: "cpu", unit: "nanoseconds" } },
];

/** The thread that ran a transaction, of all that Python's SDK samples beside it, most of which wait. */
const ACTIVE_THREAD: LabelPair = ["active_thread", "true"];

/**
 * Merges the profiles of the transactions of one name.
 *
 * @param limitMs how long to wait for it; `Infinity`: as long as it takes
 * @returns null when there are none
 */
export async function loadTransactionCode(
  services: MergeServices,
  projectId: string,
  scope: Scope,
  name: string,
  limitMs: number,
  now: Date = new Date(),
): Promise<Waited<TransactionCode> | null> {
  const params = readProfilingParams(new URLSearchParams({ transaction: name }));
  const where = profileScope(projectId, scope, steadyInterval(scope, now), params);
  const platform = await platformIn(services.sql, where);
  if (platform === null) return null;
  const waited = await waitedWithin(mergeOfName(services, where), limitMs);
  if (waited.kind !== "ready") return waited;
  if (waited.value === null) return null;
  const { merged, value, labels } = waited.value;
  const treeOf = (side: Side) => mergedTree(merged, value, PLAIN, side);
  return { kind: "ready", value: { merged, value, labels, platform, treeOf } };
}

/** Platform of the newest profile of the time, whatever its transaction; null when there is none. */
async function platformIn(sql: Sql, where: ProfileScope): Promise<string | null> {
  const { transaction: _, ...whole } = where;
  const { rows: [newest] } = await listProfiles(sql, whole, { limit: 1 });
  return newest?.platform ?? null;
}

async function mergeOfName(services: MergeServices, where: ProfileScope) {
  const [named, labels] = await Promise.all([
    chooseValue(services.sql, where),
    threadLabels(services.sql, where),
  ]);
  const chosen = labels.length === 0 ? where : { ...where, labels };
  for (const value of named === null ? LIKELY : [named]) {
    const merged = await sharedMerge(services, profileSelection(chosen, value, NO_PARAMS));
    if (merged.profiles > 0) return { merged, value, labels };
  }
  return null;
}

/** Merges that choose among samples are not kept: only where the newest profile has several threads they have to. */
async function threadLabels(sql: Sql, where: ProfileScope): Promise<LabelPair[]> {
  const { rows: [newest] } = await listProfiles(sql, where, { limit: 1 });
  const { active_thread: active = [], thread_id: threads = [] } = newest?.labels ?? {};
  return active.includes(ACTIVE_THREAD[1]) && threads.length > 1 ? [ACTIVE_THREAD] : [];
}
