import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { guarded, work } from "./repositories.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

const foreign = (folder: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]);

for (const namespaces of [true, false]) {
  const how = namespaces ? "held by the kernel" : "without namespaces";

  test.runIf(linux)(
    `SEC-15: nothing runs where a name hides what lies beneath it, since it is not UTF-8, ${how}`,
    async () => {
      await using kit = await startSandbox({ namespaces, guarded });
      const folder = foreign(kit.workspace);
      mkdirSync(folder);
      writeFileSync(Buffer.concat([folder, Buffer.from("/.env")]), "hunter2");
      await expect(kit.run("cat caf*/.env")).rejects.toThrow("UTF-8");
    },
  );

  test.runIf(linux)(
    `SEC-15: what a run makes under such a name gets one that is looked at, ${how}`,
    async () => {
      await using kit = await startSandbox({ namespaces, guarded });
      const mark = path.join(kit.workspace, "MARK");
      const { findings } = await kit.run(
        `mkdir -p $'\\xff/\\xfe/src'; cd $'\\xff/\\xfe/src'; git init -q .; printf '[core]\\n\\tfsmonitor = "touch ${mark}"\\n' >> .git/config; cd ../../..; ln -s $'\\xff/\\xfe/src' src`,
      );
      expect(JSON.stringify(findings)).toContain("not UTF-8");
      expect((await kit.run("echo on; echo _*/_*/src")).stdout).toMatch(
        /on\n_\.renamed-\w+\/_\.renamed-\w+\/src/,
      );
      for (const at of [kit.workspace, path.join(kit.workspace, "src")]) if (existsSync(at)) work(at);
      expect(existsSync(mark)).toBe(false);
    },
  );
}
