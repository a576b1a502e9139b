import { type Role, roleAllows } from "../../accounts/members.ts";
import type { Sql } from "../../store/database.ts";
import type { FlashKind } from "../../ui/cookies.ts";
import { fieldOf } from "../../ui/form.ts";
import { ISSUE_SORTS } from "../issues.ts";
import { pinSearch, unpinSearch } from "./habits.ts";
import { changeSearch, deleteSearch, saveSearch } from "./saved_searches.ts";
import { t } from "../../core/language/translate.ts";

interface Acting {
  readonly project: { readonly id: string; readonly organizationId: string };
  readonly userId: string;
  readonly role: Role;
  readonly form: URLSearchParams;
}

interface Told {
  readonly kind: FlashKind;
  readonly text: string;
}

function gone(): Told {
  return { kind: "warning", text: t("There is no such search that you can change.") };
}

/**
 * Does what a form about saved searches asks for.
 *
 * @returns what to tell the person
 * @throws {InvalidInput} for a name or search that cannot be kept
 */
export async function actOnSearches(
  sql: Sql,
  { project, userId, role, form }: Acting,
): Promise<Told> {
  const place = { organizationId: project.organizationId, userId };
  const by = { ...place, mayChangeShared: roleAllows(role, "project:write") };
  const id = fieldOf(form, "search");
  const search = {
    name: fieldOf(form, "name"),
    query: fieldOf(form, "query"),
    sort: ISSUE_SORTS.find((each) => each === fieldOf(form, "sort")) ?? "last_seen",
    isShared: form.has("isShared"),
  };
  switch (fieldOf(form, "action")) {
    case "save": {
      const { name, isShared } = await saveSearch(sql, place, search);
      return done(
        isShared ? t("“{name}” is saved and shared.", { name }) : t("“{name}” is saved.", { name }),
      );
    }
    case "change": {
      const changed = await changeSearch(sql, by, id, search);
      return changed === null ? gone() : done(t("“{name}” is changed.", { name: changed.name }));
    }
    case "delete":
      return await deleteSearch(sql, by, id) ? done(t("The search is deleted.")) : gone();
    case "pin":
      await pinSearch(sql, place, project.id, search);
      return done(t("Your list of this project begins with it from now on."));
    case "unpin":
      await unpinSearch(sql, place, project.id);
      return done(t("Your list begins with all unresolved issues."));
    default:
      return { kind: "danger", text: t("This is nothing that can be done with a search.") };
  }
}

function done(text: string): Told {
  return { kind: "ok", text };
}
