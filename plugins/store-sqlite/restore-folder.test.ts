import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bin, environment } from "../../test/helpers/cli.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { layout } from "./layout.ts";
import { openFile } from "./open.ts";

const toml = 'default_provider = "demo"\n';
const known = layout.length;

function storeIn(dir: string): string {
  return path.join(dir, "state", "gantry.db");
}

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.runIf(canMount)(
  "FLR-13: restore --layout on a read-only disk names the place and the cure",
  async () => {
    using home = tempDir(toml);
    for (const count of [known - 1, known])
      (await openFile(storeIn(home.dir), layout.slice(0, count))).close();
    const state = path.dirname(storeIn(home.dir));
    const script =
      `cp -a '${state}' '${state}.copy' && mount -t tmpfs none '${state}' && ` +
      `cp -a '${state}.copy/.' '${state}' && mount -o remount,ro '${state}' && exec "$0" "$@"`;
    const words = [bin, "restore", "--layout", String(known - 1), "--yes"];
    const { stderr, status } = spawnSync("unshare", ["-m", "sh", "-c", script, process.execPath, ...words], {
      env: environment({ dir: home.dir }),
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/put back in .*state \(EROFS\): .*make it writable.*RESTORE_UNWRITABLE/),
    ]);
    expect(readdirSync(home.dir).filter((name) => name.startsWith("before-"))).toEqual([]);
  },
);
