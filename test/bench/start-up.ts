import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startModelServer } from "./model-server.ts";
import { cli, inPairs, peak } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

/** `--version`, and one turn from the shell with the base plugins, against a bare `node -e 0`. */
export async function startUpRows(): Promise<readonly Row[]> {
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  const model = await startModelServer();
  try {
    await writeFile(
      path.join(dir, "config.toml"),
      `default_provider = "custom:${model.url}"\ndefault_model = "m"\n`,
    );
    const env = { SERVICE_CONFIG_DIR: dir };
    const bare = ["-e", "0"];
    const turn = [cli, "agent", "-m", "hi"];
    const version = await inPairs([cli, "--version"], bare, env);
    const oneTurn = await inPairs(turn, bare, env);
    return [
      atMost("gantry --version, against a bare node", version.ratio, 1.1, "x"),
      atMost("one turn from the shell, against a bare node", oneTurn.ratio, 3.6, "x"),
      atMost("one turn from the shell, peak memory", await peak(turn, env), 62, " MiB"),
    ];
  } finally {
    model.close();
    await rm(dir, { recursive: true, force: true });
  }
}
