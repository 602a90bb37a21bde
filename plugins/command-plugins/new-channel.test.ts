import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./template/channel/index.ts";

test.each(["owner", "member"])(
  "SDK-21: a new channel answers the %s whom [people] names, with no list of its own",
  async (role) => {
    const directory = await mkdtemp(path.join(tmpdir(), "gantry-new-channel-"));
    const plugins = [plugin, fakeProvider(["Good day."]), memoryStore()];
    const config = {
      people: { ada: { role, example: ["ada"] } },
      plugins_config: { "channel-example": { directory } },
    };
    await using t = await startTestHost({ plugins, config });
    for (const name of ["ada", "eve"]) {
      const file = path.join(directory, `${name}.in`);
      await writeFile(file, "good morning");
      await utimes(file, 1, 1);
    }
    await t.serve();
    const answered = (name: string) => readFile(path.join(directory, `${name}.out`), "utf8");
    await expect.poll(() => answered("ada").catch(() => "")).toBe("Good day.");
    await expect
      .poll(() =>
        t.audit.filter(({ result }) => result.includes("CHANNEL_NOT_ALLOWED")).map(({ user }) => user),
      )
      .toEqual(["example:eve"]);
    await expect(answered("eve")).rejects.toThrow("ENOENT");
    await t.stop();
    await rm(directory, { recursive: true });
  },
);
