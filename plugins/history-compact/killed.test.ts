import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { gantry, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { windowServer } from "./window-server.test-kit.ts";

const kills = process.env["GANTRY_LONG"] ? 20 : 4;

test(
  "CTX-06: a process that is killed at any moment of making the history shorter leaves a conversation that goes on, whole",
  { timeout: 600_000 },
  async () => {
    let onSummary: (() => void) | undefined;
    await using server = await windowServer(8_000, undefined, undefined, () => onSummary?.());
    using home = tempDir(
      `default_provider = "${server.provider}"\ndefault_model = "m"\n[providers.custom]\ncontext_window = 8000\n[security]\nrate_limit_per_minute = 1000`,
    );
    using work = tempDir();
    const workspace = work.dir;
    await writeFile(path.join(workspace, "big.txt"), "a line of a big file\n".repeat(2_000));
    const run = { dir: home.dir, cwd: workspace };
    const turn = (text: string): readonly string[] => [
      "agent",
      "-C",
      workspace,
      "--session",
      "one",
      "-m",
      text,
    ];
    const said: string[] = ["My dog is called Rex."];
    expect(await gantry(turn(said[0] as string), run)).toMatchObject({ code: 0, err: "" });

    for (let killed = 0, n = 0; killed < kills; n += 1) {
      // Results are cut before anything is summed up, so what is said has to fill the window
      // itself.
      const text = `${n}: ${"long ".repeat(600)}read big.txt`;
      const { child, ended } = startGantry(turn(text), run);
      let isDue = false;
      onSummary = () => {
        isDue = true;
        // From before the summary arrives until after it was written down.
        void setTimeout((killed * 40) / kills).then(() => child.kill("SIGKILL"));
      };
      const { code } = await ended;
      if (isDue) killed += 1;
      expect(isDue || code === 0).toBe(true);
      if (code === 0) said.push(text);
      onSummary = undefined;
      const next = gantry(turn(`thanks ${n}`), run);
      // A killed process leaves its lane free at once: nobody waits for the end of its lease, which
      // is a minute.
      expect(await Promise.race([next, setTimeout(40_000)])).toMatchObject({ code: 0, out: "Done.\n" });
      said.push(`thanks ${n}`);
    }

    expect(server.taken.at(-1)).toContain("My dog is called Rex.");
    const { out } = await gantry(["sessions", "show", "one"], run);
    expect(said.filter((text) => !out.includes(text))).toEqual([]);
  },
);
