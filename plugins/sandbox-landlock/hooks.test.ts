import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { git, guarded, hook, prepare, work } from "./repositories.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

for (const namespaces of [true, false]) {
  const how = namespaces ? "held by the kernel" : "without namespaces";

  test.runIf(linux)(`SEC-15: hooks stay as they are wherever settings put them, ${how}`, async () => {
    const own = "#!/bin/sh\nexit 0\n";
    const settings: readonly (readonly string[])[] = [
      ["core.hooksPath", ".husky/_"],
      ["Core.HooksPath", "tools/hooks"],
      ["include.path", "../shared.ini"],
    ];
    await using kit = await startSandbox({
      namespaces,
      guarded,
      prepare: (workspace) => {
        prepare(workspace);
        const sm = path.join(workspace, "sm");
        for (const [key, value] of settings) git(sm, "config", "--add", key!, value!);
        for (const tree of ["sm", "wt"])
          mkdirSync(path.join(workspace, tree, "tools/hooks"), { recursive: true });
        writeFileSync(path.join(sm, "tools/hooks/pre-commit"), own, { mode: 0o755 });
        writeFileSync(path.join(sm, "shared.ini"), "");
      },
    });
    const at = (name: string): string => path.join(kit.workspace, name);
    const mark = at("MARK");
    const attack = ["sm/.husky/_", "sm/tools/hooks", "wt/tools/hooks", "wt/.husky/_"].map(hook).join("; ");
    const include = `printf '[core]\nfsmonitor = "touch ${mark}"\n' > sm/shared.ini`;
    await kit.run(`MARK=${mark}; (${attack}; ${include}) 2> /dev/null; echo ok > sm/tools/other`);
    for (const folder of ["sm", "wt"]) work(at(folder));
    expect(existsSync(mark)).toBe(false);
    expect(readFileSync(at("sm/tools/hooks/pre-commit"), "utf8")).toBe(own);
    expect(readFileSync(at("sm/tools/other"), "utf8")).toBe("ok\n");
  });
}
