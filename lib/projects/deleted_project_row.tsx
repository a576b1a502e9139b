import type { DeletedProjectState } from "./deletion.ts";
import { Button } from "../ui/components/button.tsx";
import { ExactTime } from "../ui/components/exact_time.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { formatExact } from "../ui/format.ts";

/** One deleted project: who deleted it, until when it can be restored, or how far its purge is. */
export function DeletedProjectRow({ deleted }: { readonly deleted: DeletedProjectState }) {
  const { project, deletedAt, deletedBy, purgeAt, purgedRows } = deleted;
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-0 grow">
        <p class="font-medium wrap-anywhere">
          {project.name} <span class="text-muted">· {project.slug} · id {project.id}</span>
        </p>
        <p class="text-sm text-muted wrap-anywhere">
          Deleted <RelativeTime date={deletedAt} /> by {deletedBy} · {purgedRows === null
            ? (
              <>
                can be restored until <ExactTime date={purgeAt} />
              </>
            )
            : `being deleted for good: ${formatExact(purgedRows)} rows and files so far`}
        </p>
      </div>
      {purgedRows === null && (
        <form method="post">
          <input type="hidden" name="action" value="restore" />
          <input type="hidden" name="project" value={project.id} />
          <Button size="sm">Restore</Button>
        </form>
      )}
    </li>
  );
}
