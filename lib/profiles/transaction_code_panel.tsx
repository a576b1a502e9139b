import type { Project } from "../accounts/projects.ts";
import { Panel } from "../ui/components/panel.tsx";
import { visible } from "../ui/read.ts";
import { type Scope, scopeParams } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import { Graphs } from "./graphs.tsx";
import type { Waited } from "./load_selection.ts";
import { type Params, valueId } from "./params.ts";
import { profilingHref } from "../ui/links_profiles.ts";
import { PLAIN } from "./shape.ts";
import { combiningWords, valueName } from "./words.ts";
import type { TransactionCode } from "./load_transaction_code.ts";

export interface TransactionCodePanelProps {
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
      title="Where the time goes in code"
      id="code"
      description={ready === null ? "Profiles of these transactions." : codeWords(ready)}
      actions={
        <a class="link text-sm" href={profilingHref(projectId, "", scope, params)}>
          Open in Profiling
        </a>
      }
    >
      <Graphs
        project={project}
        id="code-graph"
        title={`Code of ${visible(name)}`}
        reading={ready === null
          ? code as Exclude<typeof code, { kind: "ready" }>
          : { kind: "ready", value: ready.treeOf }}
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
  const ofThreads = labels.length === 0 ? name : `${name} of the threads that ran them`;
  return `${ofThreads}. ${combiningWords(merged)}`;
}
