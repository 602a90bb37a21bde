import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { guarded } from "./repositories.test-kit.ts";
import { linux, startSandbox, tiers } from "./sandbox.test-kit.ts";
import { sh } from "./view.test-kit.ts";

const prepared = `
git init -q .; mkdir -p conf/aws vault docs scripts cfg/vs husky
echo canary > conf/aws/key; ln -s conf/aws .aws; echo canary > vault/token; ln -s vault secrets
for file in scripts/pre-commit scripts/deep docs/agents.md cfg/vs/tasks.json husky/pre-push; do echo good > $file; done
ln -s ../../scripts/pre-commit .git/hooks/pre-commit; ln -s docs/agents.md between; ln -s between AGENTS.md
ln -s cfg/vs .vscode; ln -s husky .husky; ln -s ../scripts/deep husky/deep; ln -s notes.md CLAUDE.md`;
const makes = (at: string): void => void execFileSync("/bin/bash", ["--norc", "-c", prepared], { cwd: at });
const targets = "scripts/pre-commit scripts/deep docs/agents.md cfg/vs/tasks.json husky/pre-push".split(" ");

for (const runs of tiers)
  test.runIf(linux)(
    `SEC-15: what secret and guarded links lead to is closed like the links (${runs})`,
    async () => {
      await using kit = await startSandbox({ runs, guarded, secret: [".aws", "secrets"], prepare: makes });
      const { stdout } = await kit.run(
        `cat conf/aws/key vault/token; for at in ${targets.join(" ")}; do echo evil > $at; done`,
      );
      expect(stdout).not.toContain("canary");
      expect(sh(kit, `cat ${targets.join(" ")}`)).toBe("good\n".repeat(targets.length));
    },
  );

test.runIf(linux)(
  "RUN-02: a link on the way from a guarded name, and what is to be there, stay",
  async () => {
    await using kit = await startSandbox({ guarded, secret: [".aws"], prepare: makes });
    const { findings = [] } = await kit.run(
      "echo evil > evil; ln -sf evil between; echo evil > notes.md; mkdir -p conf/aws; echo evil > conf/aws/key",
    );
    expect(sh(kit, "cat AGENTS.md conf/aws/key; ls notes.md 2>&1 || true")).not.toContain("evil");
    const told = findings.map((one) => /taken over: ([\w./]+) /.exec(one)?.[1]).toSorted();
    expect(told.join(" ")).toBe("between conf/aws notes.md");
  },
);
