import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import { onPermissionAsked } from "@/lib/accounts/authorize.ts";
import {
  addMember,
  type InstancePermission,
  type Permission,
  type Role,
} from "@/lib/accounts/members.ts";
import { joinTeam, listTeams, setTeamRole } from "@/lib/accounts/teams.ts";
import {
  type Asker,
  ASKERS,
  passes,
  type Right,
  type RightRow,
  rightsDocument,
  strictest,
} from "@/test/support/rights.ts";
import { everyPage } from "../../support/every_page.ts";
import { person } from "../../support/people.ts";
import { type Acme, acme, type Answer, type Visitor } from "../../support/ui_app.ts";

/** What is sent where an empty form is not even looked at; incomplete all the same, so that nothing changes. */
const FORMS: Readonly<Record<string, Record<string, string>>> = {
  "/organizations/[organization]/settings": { action: "invite", role: "viewer" },
  "/organizations/[organization]/settings/tokens": { action: "create" },
  "/projects/[project]/settings/keys": { action: "create" },
};

const DOCUMENT = new URL("../../../docs/rights.md", import.meta.url);

Deno.test("every page and every method of the API is for those whom docs/rights.md names, and nobody else", async (t) => {
  await using app = await acme();
  const paths = await everyPage(app);
  const organization = app.organization.id;
  const forms: typeof FORMS = {
    ...FORMS,
    "/instance": { organization, quota: "many" },
    "/projects/new": { organization },
  };
  const visitors = await visitorsOf(app);
  const rows: RightRow[] = [];
  for (const { pattern, path } of paths) {
    for (const method of ["GET", "POST"] as const) {
      const ask = (asker: Asker) => askPage(visitors[asker], method, path, forms[pattern] ?? {});
      const asked = await recorded(() => ask("instance admin"));
      const most = outcome(asked.answer);
      const right = strictest(asked.permissions) ?? rightOf(outcome(await ask("nobody")));
      if (most === "not there" && right === "nothing") continue;
      const row = { method, path: pattern, right };
      rows.push(row);
      await t.step(`${method} ${pattern} asks for ${right}`, async () => {
        for (const asker of ASKERS) {
          const answer = await ask(asker);
          const expected = passes(asker, row) ? answers(most, right) : refusals(asker, right);
          const found = outcome(answer);
          assert.ok(
            expected.includes(found),
            `as ${asker}: ${answer.status}, not ${expected.join(" or ")}`,
          );
        }
      });
    }
  }
  // Of a stream, each answer would last until the app stops: setup_stream_test.ts asks for it.
  const stream = "/projects/[project]/setup/stream";
  rows.push({ method: "GET", path: stream, right: "project:read" });
  const document = rightsDocument(rows);
  if (Deno.env.get("WRITE_RIGHTS")) await Deno.writeTextFile(DOCUMENT, document);
  assert.equal(
    await Deno.readTextFile(DOCUMENT),
    document,
    "docs/rights.md is stale: run `deno task rights`, and look at what it changes",
  );
});

Deno.test("whoever sees only their teams' projects finds no other on any page", async () => {
  await using app = await acme();
  const { kv } = app.services;
  const paths = await everyPage(app);
  const { visitor } = await app.member("member");
  const settings = { showsOnlyTeamProjects: true };
  await updateOrganization(kv, app.organization.id, { settings });
  for (const { pattern, path } of paths) {
    if (pattern === "/sign-out") continue;
    for (const method of ["GET", "POST"] as const) {
      const answer = await askPage(visitor, method, path, FORMS[pattern] ?? {});
      const message = `${method} ${pattern}: ${answer.status}`;
      if (pattern.includes("[project]")) assert.equal(outcome(answer), "not there", message);
      else assert.doesNotMatch(answer.html, /projects\/1\b|>Shop</, message);
    }
  }
});

type Outcome = "let in" | "sign in first" | "forbidden" | "not there" | "failed";

function outcome({ status, location }: Answer): Outcome {
  if (status === 303 && location?.startsWith("/sign-in?next=")) return "sign in first";
  if (status === 401) return "sign in first";
  if (status === 403) return "forbidden";
  if (status === 404 || status === 405) return "not there";
  return status < 500 ? "let in" : "failed";
}

/** Of what asks for no permission. */
function rightOf(forNobody: Outcome): Right {
  return forNobody === "sign in first" ? "account" : "nothing";
}

/** How somebody is answered who passes; where no permission is asked, what is there may differ with who looks. */
function answers(most: Outcome, right: Right): readonly Outcome[] {
  return right === "nothing" || right === "account" ? ["let in", "not there"] : [most];
}

/** How somebody is turned away. */
function refusals(asker: Asker, right: Right): readonly Outcome[] {
  if (asker === "nobody") return ["sign in first"];
  if (right === "instance:admin") return ["forbidden", "not there"];
  return asker === "stranger" ? ["not there"] : ["forbidden"];
}

/** What a piece of work asks of `authorize()`. */
async function recorded(
  work: () => Promise<Answer>,
): Promise<{ answer: Answer; permissions: (Permission | InstancePermission)[] }> {
  const permissions: (Permission | InstancePermission)[] = [];
  onPermissionAsked((permission) => permissions.push(permission));
  try {
    return { answer: await work(), permissions };
  } finally {
    onPermissionAsked(null);
  }
}

async function visitorsOf(app: Acme): Promise<Readonly<Record<Asker, Visitor>>> {
  const { kv } = app.services;
  const teamAdmin = await person(kv, "captain");
  const by = { role: "owner", userId: null } as const;
  await addMember(kv, by, app.organization.id, teamAdmin.id, "member");
  const [team] = (await listTeams(kv, app.organization)).filter(({ isEveryone }) => !isEveryone);
  assert.ok(team);
  await setTeamRole(kv, await joinTeam(kv, team, teamAdmin.id), teamAdmin.id, "admin");
  const captain = app.visitor();
  await captain.signIn(teamAdmin.email);
  const of = async (role: Role) => (await app.member(role)).visitor;
  return {
    "nobody": app.visitor(),
    "stranger": await stranger(app),
    "viewer": await of("viewer"),
    "member": await of("member"),
    "team admin": captain,
    "admin": await of("admin"),
    "manager": await of("manager"),
    "owner": await of("owner"),
    "instance admin": app.owner,
  };
}

async function askPage(
  visitor: Visitor,
  method: "GET" | "POST",
  path: string,
  form: Record<string, string>,
): Promise<Answer> {
  // What happens after the gate is not asked for: signing out would change who is asking.
  const cookies = [...visitor.cookies];
  const answer = method === "GET" ? await visitor.get(path) : await visitor.post(path, form);
  visitor.cookies.clear();
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return answer;
}

async function stranger(app: Acme): Promise<Visitor> {
  const { kv } = app.services;
  const user = await person(kv, "stranger");
  await createOrganization(kv, { name: "Elsewhere", ownerId: user.id });
  const visitor = app.visitor();
  await visitor.signIn(user.email);
  return visitor;
}
