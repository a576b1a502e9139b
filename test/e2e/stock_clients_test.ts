import assert from "node:assert/strict";
import { type ApiIssue, issuesOf } from "../support/api_client.ts";
import { ADMIN_TOKEN, startServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";
import { goClient, type Installed, nodeClient, pythonClient } from "./clients/install.ts";

/** "Within two seconds", as the promise goes. */
const SEEN_WITHIN_MS = 2_000;

interface Expected {
  readonly title: string;
  readonly culprit: RegExp;
}

function stockClient(name: string, client: Installed | null, expected: Expected[]): void {
  Deno.test({
    name: `the stock ${name} SDK's errors are on the Issues page within two seconds`,
    ignore: client === null,
    async fn() {
      await using server = await startServer();
      const project = await server.createProject(`${name} shop`);
      await client?.run(project.serverDsn);
      for (const { title, culprit } of expected) {
        const issue = await waitFor<ApiIssue>(
          `issue "${title}"`,
          async () =>
            (await issuesOf(server.url, ADMIN_TOKEN, project)).find((one) => one.title === title),
          SEEN_WITHIN_MS,
        );
        assert.equal(issue.count, "1");
        assert.match(issue.culprit, culprit);
      }
    },
  });
}

stockClient("Node", await nodeClient(), [
  { title: "PaymentError: Cannot charge order 4711", culprit: /chargeCard/ },
  { title: "Stock below 10 for item 4711", culprit: /^/ },
]);

stockClient("Python", await pythonClient(), [
  { title: "ImportFailed: row cannot be imported", culprit: /import_rows/ },
]);

stockClient("Go", await goClient(), [
  { title: "*fmt.wrapError: cannot reserve item 4711: no stock left", culprit: /main/ },
]);
