/** What the page of uploads loads, and what its forms do. */
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { roleAllows } from "../../accounts/members.ts";
import { checkConfirmation } from "../../ui/components/fields.tsx";
import type { Backend } from "../../store/stores.ts";
import { DELETE_UPLOADS, deleteBundles, listBundles } from "./bundles.ts";
import type { UploadsData } from "./page.tsx";
import { dropUnused, spaceOf } from "./stored_files.ts";
import { t } from "../../core/language/translate.ts";

const PAGE = 50;

/** @param url of the page, with its filter */
export async function loadUploads(
  { sql, config }: Backend,
  { organization, project, role }: ProjectAccess,
  url: URL,
): Promise<UploadsData> {
  const query = url.searchParams.get("query")?.trim().slice(0, 1_000) ?? "";
  const cursor = url.searchParams.get("cursor");
  const [page, space] = await Promise.all([
    listBundles(sql, project.id, { query, cursor, limit: PAGE }),
    spaceOf(sql, organization.id, config.sourceMapsMaxBytes),
  ]);
  return {
    projectId: project.id,
    query,
    bundles: page.rows,
    nextCursor: page.nextCursor,
    space,
    mayWrite: roleAllows(role, DELETE_UPLOADS),
    client: {
      url: config.baseUrl,
      organization: organization.slug,
      project: project.slug,
      mayMakeTokens: roleAllows(role, "token:write"),
    },
    releaseError: undefined,
  };
}

/** Does what a form of the page asks for. @returns the sentence about it, or what was wrong */
export async function actOnUploads(
  services: Backend,
  { organization, project }: ProjectAccess,
  form: URLSearchParams,
): Promise<string | { readonly releaseError: string }> {
  const isRelease = form.get("action") === "delete_release";
  const release = form.get("release") ?? "";
  const error = isRelease ? checkConfirmation(form, release) : null;
  if (error !== null) return { releaseError: error };
  const doomed = isRelease ? { release } : { bundleIds: [form.get("bundle") ?? ""] };
  const count = await deleteBundles(services.sql, project.id, doomed);
  await dropUnused(services, organization.id, services.stopping);
  return count === 0
    ? t("It was deleted already.")
    : t("Deleted {n} upload.|Deleted {n} uploads.", { n: count });
}
