import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Check, CheckRow } from "@gantry/sdk";
import type { AuthProfiles } from "./auth-profiles.ts";
import type { GenlangConfig } from "./config.ts";
import { unrenewable } from "./token-request.ts";
import { vendorAccounts } from "./vendor-files.ts";

const FILE = "auth-profiles.json";
const LOGIN = "Run `gantry auth login --provider genlang`.";

/** Returns the check of the logins; it has no row if all is well, or if there is none. */
export function loginCheck(configDir: string, profiles: AuthProfiles, config: GenlangConfig): Check {
  return {
    name: "genlang-logins",
    kind: "status",
    async run() {
      const path = join(configDir, FILE);
      return [...(await openToOthers(path)), ...(await unusable(profiles, config))];
    },
  };
}

async function openToOthers(path: string): Promise<CheckRow[]> {
  const mode = await stat(path).then(
    (facts) => facts.mode & 0o777,
    () => 0,
  );
  if ((mode & 0o077) === 0) return [];
  return [
    {
      what: FILE,
      state: "fail",
      detail: `open to other users (mode ${mode.toString(8)})`,
      cure: `Run \`chmod 600 ${path}\`.`,
    },
  ];
}

async function unusable(profiles: AuthProfiles, config: GenlangConfig): Promise<CheckRow[]> {
  const rows: CheckRow[] = [];
  const look = async (what: string, read: () => Promise<unknown>, cure: string): Promise<void> => {
    await read().catch((error: Error) => rows.push({ what, state: "fail", detail: error.message, cure }));
  };
  await look(FILE, async () => (await profiles.active())?.read(), LOGIN);
  for (const account of await vendorAccounts())
    await look(
      account.id,
      async () => {
        const ended = unrenewable(config, account, await account.read());
        if (ended) throw ended;
      },
      "Run the vendor CLI (`gemini`).",
    );
  return rows;
}
