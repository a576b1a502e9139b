import { t } from "@/lib/core/language/translate.ts";
import { type RowColumn, RowTable } from "@/lib/ui/components/table.tsx";
import { RelativeTime } from "@/lib/ui/components/values.tsx";
import { ERROR_WORDS, type ProcessingError } from "../processing_errors.ts";

interface ErrorTableProps {
  readonly errors: readonly ProcessingError[];
  /** Whether they are of several jobs. @default false */
  readonly withSlug?: boolean;
}

/** Problems with check-ins as they were meant, and what whoever sends them can do. */
export function ErrorTable({ errors, withSlug = false }: ErrorTableProps) {
  const columns: RowColumn<ProcessingError>[] = [
    { label: t("When"), cell: ({ notedAt }) => <RelativeTime date={notedAt} /> },
    {
      label: t("Environment"),
      class: "max-w-40 truncate",
      cell: ({ environment }) => environment,
    },
    {
      label: t("What was wrong"),
      class: "wrap-anywhere",
      cell: ({ type, detail }) => (
        <>
          {t(ERROR_WORDS[type])}
          {detail !== "" && <span class="block text-muted">{detail}</span>}
          <code class="block text-meta text-faint">{type}</code>
        </>
      ),
    },
  ];
  const slug: RowColumn<ProcessingError> = { label: t("Cron job"), cell: ({ slug }) => slug };
  return (
    <RowTable
      caption={t("Problems with check-ins")}
      isWide
      columns={withSlug ? [slug, ...columns] : columns}
      rows={errors}
      rowKey={({ errorId }) => errorId}
    />
  );
}
