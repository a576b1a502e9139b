import { Panel } from "../ui/components/panel.tsx";
import { visible } from "../ui/json.ts";
import { CommitLine } from "./pages/parts.tsx";
import type { SuspectCommit } from "./suspects.ts";
import { rich, t } from "../core/language/translate.ts";

/** The commits that changed the files in which an error happened; nothing when none is known. */
export function SuspectCommits({ commits }: { readonly commits: readonly SuspectCommit[] }) {
  if (commits.length === 0) return null;
  return (
    <Panel
      id="suspect-commits"
      title={commits.length === 1 ? t("Suspect commit") : t("Suspect commits")}
      flush
    >
      <ul class="divide-y divide-line">
        {commits.map((commit) => (
          <li key={commit.commitId} class="px-4 py-2">
            <CommitLine commit={commit} />
            <span class="block truncate text-meta text-muted" title={commit.path}>
              {rich("changed {path}", { path: <code>{visible(commit.path)}</code> })}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
