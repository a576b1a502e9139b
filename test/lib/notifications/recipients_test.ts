import assert from "node:assert/strict";
import { DEFAULT_PREFERENCES } from "@/lib/notifications/preferences.ts";
import { type Activity, candidates, wants } from "@/lib/notifications/recipients.ts";

function activity(fields: Partial<Activity>): Activity {
  return {
    id: "1",
    projectId: "7",
    issueId: "3",
    type: "set_resolved",
    actorKind: "user",
    actorId: "ann",
    data: {},
    changeId: null,
    createdAt: new Date(),
    ...fields,
  };
}

const CONCERNED = {
  subscribers: ["ann", "bob"],
  deaf: ["carl"],
  assignees: ["dora", "carl"],
  owners: ["frida", "carl"],
};

function told(
  fields: Partial<Activity>,
  named: { assigned?: string[]; mentioned?: string[]; owned?: string[] } = {},
) {
  const all = { assigned: [], mentioned: [], owned: [], ...named };
  return Object.fromEntries(candidates(activity(fields), CONCERNED, all));
}

Deno.test("who takes part in an issue and who has it are told of a change, but not who wants to hear nothing", () => {
  assert.deepEqual(told({}), {
    ann: "participating",
    bob: "participating",
    dora: "participating",
  });
});

Deno.test("whom an issue is assigned to is told of that, also who did not take part before", () => {
  assert.deepEqual(told({ type: "assigned" }, { assigned: ["erik"] }), {
    ann: "participating",
    bob: "participating",
    dora: "participating",
    erik: "assigned",
  });
});

Deno.test("who is named in a comment is told, whatever else they want to hear of the issue", () => {
  const note = told({ type: "note" }, { mentioned: ["carl", "bob"] });
  assert.equal(note.carl, "mentioned");
  assert.equal(note.bob, "mentioned");
  assert.equal(note.ann, "participating");
});

Deno.test("that an issue came back is a reason of its own", () => {
  assert.equal(told({ type: "set_regression" }).bob, "returned");
  assert.equal(told({ type: "set_escalating" }).dora, "returned");
});

Deno.test("a new issue is told to its owners alone, and its coming back to them as well", () => {
  assert.deepEqual(told({ type: "first_seen" }, { owned: ["erik", "carl"] }), { erik: "owned" });
  assert.equal(told({ type: "set_regression" }).frida, "returned");
  assert.equal(told({ type: "set_resolved" }).frida, undefined);
});

Deno.test("nobody is told of what changes nothing for others", () => {
  for (const type of ["mark_reviewed", "set_public", "auto_set_ongoing"]) {
    assert.deepEqual(told({ type }), {});
  }
});

Deno.test("nobody is told of what they did themselves, unless they ask for it", () => {
  assert.equal(wants(DEFAULT_PREFERENCES, "ann", activity({}), "participating"), false);
  assert.equal(wants(DEFAULT_PREFERENCES, "bob", activity({}), "participating"), true);
  const own = { ...DEFAULT_PREFERENCES, own: true };
  assert.equal(wants(own, "ann", activity({}), "participating"), true);
});

Deno.test("nobody is told of what they switched off, or of a project that they muted", () => {
  const off = { ...DEFAULT_PREFERENCES, returned: false };
  assert.equal(wants(off, "bob", activity({}), "returned"), false);
  assert.equal(wants(off, "bob", activity({}), "participating"), true);
  const muted = { ...DEFAULT_PREFERENCES, mutedProjects: ["7"] };
  assert.equal(wants(muted, "bob", activity({}), "mentioned"), false);
});
