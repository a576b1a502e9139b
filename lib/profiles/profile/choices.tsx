import { findType } from "../trees/value_units.ts";
import { ChoiceLinks } from "../../ui/choice_links.tsx";
import { queryHref } from "../../ui/links_profiles.ts";
import { shapeParams } from "../shape.ts";
import { typeNames } from "../words.ts";
import { type LoadedProfile, partParams } from "./load_profile.ts";
import { ALL_THREADS } from "../profile_part.ts";
import { threadTitle } from "./threads.ts";

export interface ChoicesProps {
  readonly loaded: LoadedProfile;
  /** Of the page. */
  readonly path: string;
}

/** More are left to the address: a process may have a thousand threads. */
const MAX_THREADS = 24;

/** Which values of a profile are shown, and of which thread. */
export function Choices({ loaded, path }: ChoicesProps) {
  const { row, params, read, graph } = loaded;
  const shape = shapeParams(params.shape);
  const names = typeNames(read.types);
  return (
    <>
      {graph !== null && read.types.length > 1 && (
        <ChoiceLinks
          label="Values"
          choices={names}
          chosen={names[findType(read.types, graph.type)] ?? ""}
          hrefOf={(name) => {
            const type = read.types[names.indexOf(name)] ?? graph.type;
            const value = { kind: row.kind, type };
            return queryHref(path, [...partParams(loaded, {}, value), ...shape]);
          }}
        />
      )}
      <ThreadChoice loaded={loaded} path={path} />
    </>
  );
}

function ThreadChoice({ loaded, path }: ChoicesProps) {
  const { params, read: { part, threads } } = loaded;
  if (threads.length < 2) return null;
  const chosen = part.threadId ?? ALL_THREADS;
  const shown = threads.filter(({ id }, place) => place < MAX_THREADS || id === chosen);
  const titles = new Map([
    [ALL_THREADS, "All threads"],
    ...shown.map((thread) => [thread.id, titleAmong(thread, shown)] as const),
  ]);
  const idOf = (title: string) => [...titles].find(([, each]) => each === title)?.[0] ?? null;
  return (
    <>
      <ChoiceLinks
        label="Threads"
        choices={[...titles.values()]}
        chosen={titles.get(chosen) ?? ""}
        hrefOf={(title) =>
          queryHref(path, [
            ...partParams(loaded, { threadId: idOf(title) }),
            ...shapeParams(params.shape),
          ])}
      />
      {threads.length > shown.length && (
        <p class="mt-1 text-meta text-muted">
          {`${threads.length - shown.length} more threads, with fewer samples`}
        </p>
      )}
    </>
  );
}

/** Threads of a pool share their name: with the id they can be told apart. */
function titleAmong(
  thread: { readonly id: string; readonly name: string; readonly isActive: boolean },
  threads: readonly { readonly id: string; readonly name: string }[],
): string {
  const isAlone = threads.filter(({ name }) => name === thread.name).length === 1;
  const title = thread.name === "" || isAlone ? threadTitle(thread) : `${thread.name} ${thread.id}`;
  return thread.isActive ? `${title} (active)` : title;
}
