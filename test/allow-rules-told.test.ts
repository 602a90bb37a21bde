import { expect, test } from "vitest";
import { gantry, tempDir } from "./helpers/cli.ts";

test("CLI-01: status says which rules of security.allow cover less than they seem to, and no other word does", async () => {
  using home = tempDir('[security]\nallow = ["shell: git *", "shell: env *", "shell: git status"]\n');
  const { out, err } = await gantry(["status"], { dir: home.dir });
  expect(err).toBe("");
  expect(out).toContain("security.allow holds `shell: git *`, whose `*` covers no option");
  expect(out).toContain("security.allow holds `shell: env *`, which covers no command");
  expect(out).not.toContain("`shell: git status`");
  expect((await gantry(["sessions", "list"], { dir: home.dir })).err).not.toContain("security.allow");
});
