import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { authServer, guardedServer } from "./auth-server.test-kit.ts";
import { everywhere, fileOf, login, startFar, yes } from "./login.test-kit.ts";
import { accept } from "./mcp.test-kit.ts";

test("MCP-13: a login page at a host that nobody said yes to is not shown", async () => {
  const auth = await authServer({ page: "https://accounts.example/authorize" });
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await expect(login(t, { say: false, paste: true })).rejects.toMatchObject({
    code: "MCP_LOGIN_HOST",
    message: expect.stringContaining("accounts.example"),
  });
});

test.each([
  "file:///etc/passwd",
  "vscode://x/authorize",
  "ssh://x",
  "http://accounts.example/authorize",
  "http://127.0.0.1.accounts.example/authorize",
])("MCP-13: %s is no login page, also with the owner's yes", async (page) => {
  const auth = await authServer({ page });
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await expect(login(t, { paste: true })).rejects.toMatchObject({
    code: "MCP_LOGIN_FAILED",
    message: expect.stringContaining("not https"),
  });
});

test("MCP-13: the scopes that a call lacked are bounded, plain, and named at the next login", async () => {
  const auth = await authServer();
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await login(t);
  await accept(t, "far");
  server.lacks = `\u009b2J admin:everything ${"z".repeat(9_000)}`;
  const { code, text } = await t.call("far_hum", {}, yes);
  expect(code).toBe("MCP_LOGIN_SCOPE");
  expect(text).toContain("(admin:everything)");
  expect(readFileSync(fileOf(t), "utf8")).not.toMatch(/zzz|\u009b/);
  const { lines, address } = await login(t);
  expect(address.searchParams.get("scope")).toBe("admin:everything");
  const named = lines.findIndex((line) => line.includes("admin:everything") && !line.includes("://"));
  expect([named >= 0, named < lines.indexOf(address.href)]).toEqual([true, true]);
});
