/** The uploads of a project as people see them. */
import { Button } from "../../ui/components/button.tsx";
import { Badge } from "../../ui/components/badge.tsx";
import { type CliClient, CliCommands } from "../../ui/cli_commands.tsx";
import { ConfirmByName } from "../../ui/components/fields.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { CursorPages, Nothing, RowTable } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatBytes, formatExact, NONE } from "../../ui/format.ts";
import { queryHref, sourceMapsPath } from "../../ui/links.ts";
import { SearchInput } from "../../ui/search_box.tsx";
import type { ArtifactBundle, ListedFile } from "./bundles.ts";
import { hyphenated } from "./debug_ids.ts";
import type { Space } from "./stored_files.ts";
import { type Message, message, rich, t } from "../../core/language/translate.ts";

/** What the page of a project's uploads shows. */
export interface UploadsData {
  readonly projectId: string;
  /** `""` for all. */
  readonly query: string;
  readonly bundles: readonly ArtifactBundle[];
  readonly nextCursor: string | null;
  readonly space: Space;
  readonly mayWrite: boolean;
  /** What a client is told, for those who have sent nothing yet. */
  readonly client: CliClient;
  /** What was wrong with the confirmation of a release's deletion. */
  readonly releaseError: string | undefined;
}

/** The list of uploads with its filter, or how to send the first. */
export function UploadsPanel(props: UploadsData) {
  const { projectId, query, bundles, nextCursor, space, mayWrite, client } = props;
  const isEmpty = bundles.length === 0 && query === "";
  const path = sourceMapsPath(projectId);
  return (
    <>
      <Panel
        title={t("Source maps")}
        id="source-maps"
        description={t(
          "What was uploaded to turn minified stack traces back into your source. It is deleted when no event has needed it for as long as events are kept, except the newest release's.",
        )}
        flush
      >
        {isEmpty ? <FirstUpload client={client} /> : (
          <>
            <form method="get" class="flex gap-2 border-b border-line p-3">
              <SearchInput
                query={query}
                label={t("Filter uploads")}
                placeholder={t("Release, dist, URL or debug id")}
                problems={[]}
                problemsId="no-problems"
              />
              <Button>{t("Filter")}</Button>
            </form>
            {bundles.length === 0
              ? (
                <Nothing>
                  {t("No upload has this in its release, dist, URLs or debug ids.")}
                </Nothing>
              )
              : <BundleTable {...props} />}
            <CursorPages
              page={{ previousCursor: null, nextCursor }}
              hrefOf={(cursor) =>
                queryHref(
                  path,
                  query ? [["query", query], ["cursor", cursor]] : [["cursor", cursor]],
                )}
              summary={<SpaceWords space={space} />}
            />
          </>
        )}
      </Panel>
      {mayWrite && <ReleaseDeletion {...props} />}
    </>
  );
}

function SpaceWords({ space: { usedBytes, maxBytes } }: { readonly space: Space }) {
  return (
    <span title={t("Stored compressed, each content once")}>
      {t("The organization uses {usedBytes} of {maxBytes}", {
        usedBytes: formatBytes(usedBytes),
        maxBytes: formatBytes(maxBytes),
      })}
    </span>
  );
}

function BundleTable({ projectId, bundles, mayWrite }: UploadsData) {
  const path = sourceMapsPath(projectId);
  return (
    <RowTable
      caption={t("Uploads")}
      density="comfortable"
      isWide
      rows={bundles}
      rowKey={({ bundleId }) => bundleId}
      columns={[
        {
          label: t("Release"),
          cellClass: "min-w-32",
          cell: ({ kind, release, dist }) =>
            kind === "proguard"
              ? <Badge>{t("ProGuard mapping")}</Badge>
              : release === ""
              ? (
                <span class="text-muted" title={t("Its files are found by their debug ids")}>
                  {t("none")}
                </span>
              )
              : (
                <span class="wrap-anywhere">
                  <a class="link" href={queryHref(path, [["query", release]])}>{release}</a>
                  {dist !== "" && (
                    <span class="text-muted">{` · ${t("dist {dist}", { dist })}`}</span>
                  )}
                </span>
              ),
        },
        {
          label: t("Files"),
          align: "right",
          cell: ({ bundleId, fileCount }) => (
            <a class="link" href={`${path}/${bundleId}`}>{formatExact(fileCount)}</a>
          ),
        },
        {
          label: t("Debug ids"),
          align: "right",
          cell: ({ debugIdCount }) => formatExact(debugIdCount),
        },
        {
          label: t("Size"),
          align: "right",
          cellClass: "whitespace-nowrap",
          cell: ({ sizeBytes }) => formatBytes(sizeBytes),
        },
        { label: t("Uploaded"), cell: ({ uploadedAt }) => <RelativeTime date={uploadedAt} /> },
        {
          label: t("Last used"),
          help: t("The day on which an event needed it last"),
          cell: ({ lastUsedOn }) => <DayOf date={lastUsedOn} />,
        },
        ...(mayWrite
          ? [{
            label: t("Delete"),
            isLabelHidden: true,
            cell: ({ bundleId }: ArtifactBundle) => <DeleteOne bundleId={bundleId} />,
          }]
          : []),
      ]}
    />
  );
}

function DayOf({ date }: { readonly date: Date }) {
  const day = date.toISOString().slice(0, 10);
  return <time datetime={day} class="whitespace-nowrap tabular-nums">{day}</time>;
}

function DeleteOne({ bundleId }: { readonly bundleId: string }) {
  return (
    <details>
      <summary class="inline-flex h-7 items-center rounded-md border border-line px-2 text-sm text-muted hover:border-danger hover:bg-danger-soft hover:text-danger">
        {t("Delete…")}
      </summary>
      <form method="post" class="mt-2 max-w-48 space-y-2 text-sm">
        <input type="hidden" name="action" value="delete" />
        <input type="hidden" name="bundle" value={bundleId} />
        <p>{t("New events of its program stay minified. Those that have come are as they are.")}</p>
        <Button kind="danger" size="sm">{t("Delete upload")}</Button>
      </form>
    </details>
  );
}

/** Offered where the filter is the very name of a release. */
function ReleaseDeletion({ query, bundles, releaseError }: UploadsData) {
  const count = bundles.filter(({ release }) => release === query).length;
  if (query === "" || count === 0) return null;
  return (
    <Panel title={t("All uploads of this release")} id="release" danger>
      <ConfirmByName
        name={query}
        action={t("Delete all")}
        idPrefix="release-"
        fields={{ action: "delete_release", release: query }}
        error={releaseError}
        consequence={t(
          "Deletes every upload of the release, with any dist. New events of it stay minified.",
        )}
      />
    </Panel>
  );
}

function FirstUpload({ client }: { readonly client: CliClient }) {
  const commands = `npx @sentry/cli sourcemaps inject dist
npx @sentry/cli sourcemaps upload dist
# ${t("now deploy what is in dist, without its .map files")}`;
  return (
    <>
      <EmptyState icon="inbox" title={t("No source maps yet")}>
        {t(
          "After the build and before the deployment, give each file a debug id and upload it with its map. The plugins for Vite, webpack, Rollup and esbuild do the same.",
        )}
      </EmptyState>
      <div class="px-4 pb-4">
        <CliCommands
          id="first-upload"
          label={t("Commands that upload source maps")}
          client={client}
          commands={commands}
        />
      </div>
    </>
  );
}

interface FilesPanelProps {
  readonly projectId: string;
  readonly bundle: ArtifactBundle;
  readonly files: readonly ListedFile[];
  readonly nextCursor: string | null;
}

const TYPE_WORDS: Readonly<Record<ListedFile["type"], Message>> = {
  source: message("source"),
  minified_source: message("minified"),
  source_map: message("source map"),
  indexed_ram_bundle: message("RAM bundle"),
  proguard: message("ProGuard mapping"),
};

/** The files of one upload. */
export function FilesPanel({ projectId, bundle, files, nextCursor }: FilesPanelProps) {
  const path = sourceMapsPath(projectId);
  return (
    <Panel
      title={bundle.release === ""
        ? t("Upload")
        : t("Upload of {release}", { release: bundle.release })}
      id="files"
      description={
        <>
          {rich("{n} file, uploaded {time}|{n} files, uploaded {time}", {
            n: bundle.fileCount,
            time: <RelativeTime date={bundle.uploadedAt} />,
          })}
          {bundle.dist !== "" && `, ${t("dist {dist}", { dist: bundle.dist })}`}
        </>
      }
      actions={<a class="link text-sm" href={path}>{t("All uploads")}</a>}
      flush
    >
      <RowTable
        caption={t("Files")}
        isWide
        rows={files}
        rowKey={({ place }) => place}
        columns={[
          {
            label: "URL",
            cellClass: "min-w-40 py-1.5",
            cell: ({ url }) => <code class="wrap-anywhere">{url || NONE}</code>,
          },
          {
            label: t("Type"),
            cellClass: "whitespace-nowrap",
            cell: ({ type }) => t(TYPE_WORDS[type]),
          },
          {
            label: t("Debug id"),
            cellClass: "whitespace-nowrap",
            cell: ({ debugId }) => <code>{debugId === null ? NONE : hyphenated(debugId)}</code>,
          },
          {
            label: t("Size"),
            align: "right",
            cellClass: "whitespace-nowrap",
            cell: ({ sizeBytes }) => formatBytes(sizeBytes),
          },
        ]}
      />
      {nextCursor !== null && (
        <CursorPages
          page={{ previousCursor: null, nextCursor }}
          hrefOf={(cursor) => queryHref(`${path}/${bundle.bundleId}`, [["cursor", cursor]])}
        />
      )}
    </Panel>
  );
}
