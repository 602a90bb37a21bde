import { access, constants, stat } from "node:fs/promises";
import { errors, type CheckRow, type Runtime } from "@gantry/sdk";

/** The configuration file, its directory and the workspace: there, ours, and closed to others. */
export async function checkFiles({ configDir, configFile, workspace }: Runtime): Promise<readonly CheckRow[]> {
  const rows = await Promise.all([
    checkPrivate("configuration", configFile, "600", {
      what: "configuration",
      state: "warn",
      detail: `${errors.CONFIG_MISSING(configFile).message.split(":")[0]}: the defaults are in force`,
      cure: "Run `gantry onboard`, or `gantry config init`.",
    }),
    checkPrivate("config directory", configDir, "700"),
    checkWorkspace(workspace),
  ]);
  return rows;
}

async function checkPrivate(what: string, path: string, mode: string, missing?: CheckRow): Promise<CheckRow> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? "unreadable");
  if (typeof found === "string") {
    if (found === "ENOENT" && missing) return missing;
    return { what, state: "fail", detail: `${path} cannot be looked at (${found})`, cure: "Check the path and who owns it." };
  }
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) {
    return { what, state: "fail", detail: `${path} belongs to another user`, cure: `Run \`chown ${uid} ${path}\`.` };
  }
  const others = found.mode & 0o077;
  if (others !== 0 && process.platform !== "win32") {
    const detail = `${path} is open to other users (mode ${(found.mode & 0o777).toString(8)})`;
    return { what, state: "fail", detail, cure: `Run \`chmod ${mode} ${path}\`.` };
  }
  return { what, state: "ok", detail: path };
}

async function checkWorkspace(workspace: string): Promise<CheckRow> {
  try {
    await access(workspace, constants.R_OK | constants.W_OK | constants.X_OK);
    return { what: "workspace", state: "ok", detail: workspace };
  } catch (error) {
    const detail = `${workspace} cannot be used (${(error as NodeJS.ErrnoException).code})`;
    return { what: "workspace", state: "fail", detail, cure: "Make it writable for this user, or change security.workspace_path." };
  }
}
