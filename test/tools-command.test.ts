import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SDK_LEVEL } from "@gantry/sdk";
import { expect, test } from "vitest";
import { gantry, tempDir } from "./helpers/cli.ts";

test("SDK-12: tools call runs a tool through every guard and puts its result on stdout", async () => {
  using home = tempDir("");
  const listed = await gantry(["tools", "list", "--json"], home);
  expect((JSON.parse(listed.out) as { name: string }[]).map(({ name }) => name)).toContain("file_list");
  const free = await gantry(["tools", "call", "file_list", '{"path":"."}'], home);
  expect(free.code).toBe(0);
  const asked = await gantry(["tools", "call", "file_write", '{"path":"a.txt","content":"x"}'], home);
  expect([asked.code, asked.out, asked.err]).toEqual([3, "", expect.stringContaining("APPROVAL_NO_PERSON")]);
  const approved = await gantry(
    ["tools", "call", "--yes", "file_write", '{"path":"a.txt","content":"x"}'],
    home,
  );
  expect(approved.code).toBe(0);
  const refused = await gantry(["tools", "call", "--yes", "file_read", '{"path":"/etc/shadow"}'], home);
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("PATH_")]);
});

test("SDK-12: SEC-16: tools call shows no secret of the configuration either", async () => {
  using home = tempDir('api_key = "seeded-canary-0123456789"\n');
  mkdirSync(path.join(home.dir, "workspace"));
  writeFileSync(path.join(home.dir, "workspace/copy.txt"), "the key is seeded-canary-0123456789, says Ann\n");
  const { out } = await gantry(["tools", "call", "file_read", '{"path":"copy.txt"}'], home);
  expect(out).toMatch(/the key is .*, says Ann/);
  expect(out).not.toContain("canary");
});

test("CLI-05: a guard that stops a call over the network, and not over a policy, ends it with exit code 1", async () => {
  using home = tempDir('extra_plugins = ["./away.js"]\n');
  const stop = '({ verdict: "refuse", code: "NET_REFUSED", reason: "It cannot be reached." })';
  const code = `export default { name: "away", sdk: ${SDK_LEVEL}, summary: "Away.", taps: ["beforeToolCall"], setup: ({ hooks }) => void hooks.beforeToolCall.tap(() => ${stop}) };`;
  writeFileSync(path.join(home.dir, "away.js"), code);
  const { code: exit, err } = await gantry(["tools", "call", "file_list", '{"path":"."}'], home);
  expect([exit, err]).toEqual([1, expect.stringContaining("[NET_REFUSED]")]);
});

test("SEC-21: calls of one conversation hold what they took in; another begins anew, and the refusal says so and which rule would help", async () => {
  using home = tempDir(
    '[agent]\nautonomy_level = "autonomous"\n[security]\nallowed_domains = ["example.com"]\n',
  );
  const call = (...options: string[]) =>
    gantry(["tools", "call", "shell", '{"command":"perl -v"}', ...options], home);
  expect((await call()).code).toBe(0);
  const refused = await call();
  expect(refused.code).toBe(3);
  expect(refused.err).toContain("a new conversation holds neither");
  expect(refused.err).toContain('allow it by name in security.allow, as ["shell: perl -v"].');
  expect((await call("--session", "other")).code).toBe(0);
});

test("SDK-12: tools call says what is wrong with its words", async () => {
  using home = tempDir("");
  expect(await gantry(["tools", "call", "file_list", "{"], home)).toMatchObject({ code: 2 });
  expect(await gantry(["tools", "call", "nothing"], home)).toMatchObject({
    code: 1,
    err: expect.stringContaining("TOOL_UNKNOWN"),
  });
});

test("SDK-13: plugins inspect shows the facts of a path that is not listed yet and does not set it up", async () => {
  using home = tempDir("");
  const file = path.join(home.dir, "new.js");
  const code = `export default { name: "new", sdk: ${SDK_LEVEL}, summary: "Not yet.", setup() { throw new Error("set up"); } };`;
  writeFileSync(file, code);
  const { code: exit, out } = await gantry(["plugins", "inspect", file], home);
  expect([exit, out]).toEqual([0, expect.stringContaining("Not yet.")]);
  writeFileSync(path.join(home.dir, "package.json"), '{ "type": "module", "exports": "./new.js" }');
  const inFolder = await gantry(["plugins", "inspect", home.dir], home);
  expect([inFolder.code, inFolder.out]).toEqual([0, out]);
});
