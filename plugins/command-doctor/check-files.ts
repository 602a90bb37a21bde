import { access, chmod, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { foreignOnTheWay, homesIn, isInside } from "@gantry/sdk/node";
import { errors, type CheckRow, type Runtime } from "@gantry/sdk";
import { configHash, readRunning } from "@gantry/sdk/node";

/** The configuration file, its directory and the workspace: there, ours, and closed to others. */
export async function checkFiles({
  configDir,
  configFile,
  workspace,
  problems,
}: Runtime): Promise<readonly CheckRow[]> {
  const [file, ...others] = await Promise.all([
    checkPrivate("configuration", configFile, "600", await missingFile(configDir, configFile)),
    checkPrivate("config directory", configDir, "700"),
    checkWorkspace(workspace, configDir),
  ]);
  const wrong = problems.map(({ code, message, curedBy }): CheckRow => {
    const stopped = curedBy === undefined ? "nothing else starts" : "no daemon and no gateway starts";
    const cure = `Mend it: until then ${stopped}. All below is as if it did not stand there.`;
    return { what: "configuration", state: "fail", detail: `${message} [${code}]`, cure };
  });
  return [...(wrong.length > 0 && file.state === "ok" ? [] : [file]), ...wrong, ...others];
}

async function missingFile(configDir: string, configFile: string): Promise<CheckRow> {
  const row = { what: "configuration", state: "warn" } as const;
  const detail = `${errors.CONFIG_MISSING(configFile).message.split(":")[0]}`;
  const running = await readRunning(configDir);
  if (!running || running.config === configHash(undefined)) {
    const cure = "Run `gantry onboard`, or `gantry config init`.";
    return { ...row, detail: `${detail}: the defaults are in force`, cure };
  }
  const cure = "Put the file back, then run `gantry config reload`.";
  return { ...row, detail: `${detail}, by which the running service goes on`, cure };
}

/**
 * Returns the cure if other users can read the configuration, which holds secrets: either mode
 * closes it.
 */
export async function openToOthers({ configDir, configFile }: Runtime): Promise<string | undefined> {
  const none: CheckRow = { what: "configuration", state: "ok", detail: configFile };
  const rows = await Promise.all([
    checkPrivate("configuration", configFile, "600", none),
    checkPrivate("config directory", configDir, "700"),
  ]);
  if (rows.some(({ state }) => state !== "fail")) return undefined;
  return rows.map(({ detail, cure }) => `${detail}. ${cure}`).join(" ");
}

async function checkPrivate(what: string, file: string, mode: string, missing?: CheckRow): Promise<CheckRow> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error.code ?? "unreadable");
  if (typeof found === "string") {
    if (found === "ENOENT" && missing) return missing;
    return {
      what,
      state: "fail",
      detail: `${file} cannot be looked at (${found})`,
      cure: "Check the path and who owns it.",
    };
  }
  const uid = process.getuid?.();
  if (uid !== undefined && found.uid !== uid) {
    return {
      what,
      state: "fail",
      detail: `${file} belongs to another user`,
      cure: `Run \`chown ${uid} ${file}\`.`,
    };
  }
  const others = found.mode & 0o077;
  if (others !== 0 && process.platform !== "win32") {
    const detail = `${file} is open to other users (mode ${(found.mode & 0o777).toString(8)})`;
    const cure = `Run \`chmod ${mode} ${file}\`.`;
    const fix = { label: "Close it to other users", run: () => chmod(file, Number.parseInt(mode, 8)) };
    return { what, state: "fail", detail, cure, fix };
  }
  return { what, state: "ok", detail: file };
}

const apart = "Set security.workspace_path to a folder of its own.";

/** Returns why a workspace that works is not a good place, all reasons in one row. */
async function dangerOf(workspace: string, configDir: string): Promise<CheckRow | undefined> {
  const foreign = await foreignOnTheWay(path.join(workspace, "AGENTS.md"), workspace);
  const material = "so its AGENTS.md counts as material from outside";
  const reasons = [
    ...(foreign ? [`${foreign.at}: ${foreign.why}, ${material}`] : []),
    ...(homesIn(await realpath(workspace)).length > 0 ? [`${workspace} holds a home, ${material}`] : []),
    ...(isInside(await realpath(configDir), workspace)
      ? [`${workspace} holds the configuration directory, so tools can neither list it nor make a file in it`]
      : []),
  ];
  if (reasons.length === 0) return undefined;
  const cure = foreign ? `Run \`${foreign.cure}\`.${reasons.length > 1 ? ` ${apart}` : ""}` : apart;
  return { what: "workspace", state: "warn", detail: reasons.join("; "), cure };
}

async function checkWorkspace(workspace: string, configDir: string): Promise<CheckRow> {
  try {
    await access(workspace, constants.R_OK | constants.W_OK | constants.X_OK);
    return (await dangerOf(workspace, configDir)) ?? { what: "workspace", state: "ok", detail: workspace };
  } catch (error) {
    const detail = `${workspace} cannot be used (${(error as NodeJS.ErrnoException).code})`;
    return {
      what: "workspace",
      state: "fail",
      detail,
      cure: "Make it writable for this user, or change security.workspace_path.",
    };
  }
}
