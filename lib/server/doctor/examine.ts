/** Looks at everything, in the order in which it can fail. */
import type { Config } from "../../core/config.ts";
import { dataFolderState } from "../data_lock.ts";
import { type Finding, ok, orProblem, problem, warning } from "./finding.ts";
import { checkDataFolder, checkDisk, checkVersions } from "./machine.ts";
import { checkMail } from "./mail.ts";
import { checkOutside, checkService, serviceAddress } from "./outside.ts";
import { checkSettings } from "./settings.ts";
import { checkStores } from "./stores.ts";

export interface ExamineOptions {
  /** An address that gets one mail. @default none */
  readonly sendTo?: string | null;
  /** PEM of certificates to trust in place of the usual ones. */
  readonly ca?: string;
}

/**
 * Works beside a running service and before its first start. Changes nothing: probes are taken back.
 *
 * @param env the environment, as the service gets it
 */
export async function examine(
  env: Readonly<Record<string, string>>,
  { sendTo = null, ca }: ExamineOptions = {},
): Promise<Finding[]> {
  const { findings, config } = checkSettings(env);
  const found = [...findings, ...checkVersions()];
  if (config === null) {
    const what = "Nothing else was looked at, because settings are wrong.";
    return [...found, warning("settings", what, "Mend them and ask again.")];
  }
  found.push(...await checkDataFolder(config), ...await checkDisk(config));
  const address = await serviceAddress(config);
  const isInUse = await isFolderInUse(config);
  if (isInUse && address === null) found.push(await silent(config));
  else found.push(...await checkRunning(address));
  found.push(
    ...await orProblem(
      "stores",
      "The stores cannot be looked at",
      "Look at the data folder and its rights.",
      () => checkStores(config, isInUse),
    ),
  );
  found.push(...await checkMail(config, sendTo, ca));
  if (address !== null) found.push(...await checkOutside(config, ca));
  return found;
}

async function checkRunning(address: string | null): Promise<readonly Finding[]> {
  if (address === null) {
    return [ok("service", "The service does not run here: what clients reach was not looked at.")];
  }
  return await orProblem(
    "service",
    "The service runs, but does not tell how it is",
    "Look at its log.",
    () => checkService(address),
  );
}

async function isFolderInUse({ dataDir }: Config): Promise<boolean> {
  return await dataFolderState(dataDir).then(({ isInUse }) => isInUse, () => false);
}

async function silent({ dataDir, host, port }: Config): Promise<Finding> {
  const { holder } = await dataFolderState(dataDir);
  const who = holder === null ? "A process" : `Process ${holder.pid} (${holder.address})`;
  return problem(
    "service",
    `${who} uses ${dataDir}, but nothing answers at ${host}:${port}.`,
    "Ask with the settings of that process (HOST, PORT), or look at its log.",
  );
}
