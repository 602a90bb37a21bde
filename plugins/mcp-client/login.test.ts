import { readFileSync, statSync } from "node:fs";
import { Redactors } from "@gantry/sdk/fill";
import { expect, test } from "vitest";
import { storeFile } from "../../test/helpers/stores.ts";
import { authServer, guardedServer } from "./auth-server.test-kit.ts";
import { listen } from "./http-server.test-kit.ts";
import { everywhere, fileOf, login, startFar, yes } from "./login.test-kit.ts";
import { accept, startMcp, word } from "./mcp.test-kit.ts";

test.each([false, true])(
  "MCP-13: mcp login (pasted: %s) gets tokens by PKCE for this resource, and the tools are used",
  async (paste) => {
    const auth = await authServer();
    const server = await guardedServer(auth);
    await using t = await startFar(server.url, everywhere);
    await expect(accept(t, "far")).rejects.toMatchObject({ code: "MCP_LOGIN" });
    const { code, lines, address } = await login(t, { paste });
    expect(code).toBe(0);
    const query = Object.fromEntries(address.searchParams);
    expect(query).toMatchObject({ code_challenge_method: "S256", resource: server.url });
    const [form] = auth.asked;
    expect(form?.get("resource")).toBe(server.url);
    // CVE-2026-34511: who sees the state must not have the verifier.
    expect(JSON.stringify(query)).not.toContain(String(form?.get("code_verifier")));
    expect(statSync(fileOf(t)).mode & 0o777).toBe(0o600);
    expect(lines.join("\n")).not.toContain("CANARY");
    await accept(t, "far");
    await expect.poll(() => t.call("far_hum", {}, yes)).toMatchObject({ text: "hummed" });
  },
);

test("MCP-13: a token that has ended is refreshed once, for all that use it at the time", async () => {
  const auth = await authServer();
  const server = await guardedServer(auth);
  const kept = storeFile();
  await using t = await startFar(server.url, everywhere, {}, undefined, kept.plugin());
  await login(t);
  await accept(t, "far");
  await using other = await startFar(server.url, everywhere, {}, t.configDir, kept.plugin());
  auth.valid.clear();
  const before = auth.asked.length;
  const results = await Promise.all([t, other].map((host) => host.call("far_hum", {}, yes)));
  expect(results.map(({ text }) => text)).toEqual(["hummed", "hummed"]);
  expect(auth.asked.slice(before).map((form) => form.get("grant_type"))).toEqual(["refresh_token"]);
});

test("MCP-13: a server that names another issuer gets it nothing, and the owner is told", async () => {
  const [auth, evil] = [await authServer(), await authServer()];
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await login(t);
  await accept(t, "far");
  server.at = evil;
  expect(await t.call("far_hum", {}, yes)).toMatchObject({ code: "MCP_LOGIN_ISSUER" });
  await expect(accept(t, "far")).rejects.toMatchObject({ code: "MCP_LOGIN_ISSUER" });
  // Not even by a person who was not asked.
  await expect(login(t, { say: false })).rejects.toMatchObject({ code: "MCP_LOGIN_HOST" });
  expect(evil.got.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(JSON.stringify(evil.got)).not.toContain("CANARY");
});

test("MCP-13: what the owner has registered at one issuer no other is shown", async () => {
  const client = { id: "mine", secret: "CANARY-secret" };
  const [auth, evil] = [await authServer({ client }), await authServer({ client })];
  const server = await guardedServer(auth);
  const keys = { oauth_client_id: client.id, oauth_client_secret: client.secret };
  await using t = await startFar(server.url, everywhere, keys);
  await login(t);
  expect(auth.asked[0]?.get("client_secret")).toBe(client.secret);
  server.at = evil;
  await expect(login(t)).rejects.toMatchObject({ code: "MCP_LOGIN_ISSUER" });
  expect(JSON.stringify([evil.got, evil.asked.map(String)])).not.toContain("CANARY");
  expect(evil.asked).toEqual([]);
});

test("MCP-13: metadata and logins at special addresses are not reached, also with the owner's yes", async () => {
  const hidden = await listen((_, response) => response.writeHead(200).end("{}"));
  const auth = await authServer();
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, [server.place]);
  for (const metadata of [`http://${hidden.place}/metadata`, "http://169.254.169.254/latest/meta-data"]) {
    server.metadata = metadata;
    await expect(login(t)).rejects.toThrow(/./);
  }
  server.metadata = `http://${server.place}/.well-known/oauth-protected-resource/mcp`;
  await expect(login(t)).rejects.toThrow(/./);
  expect([hidden.got, auth.got]).toEqual([[], []]);
});

test("MCP-13: a host that nobody said yes to is not asked anything", async () => {
  const auth = await authServer();
  const elsewhere = auth.issuer.replace("127.0.0.1", "127.0.0.2");
  const server = await guardedServer({ issuer: elsewhere, valid: auth.valid });
  await using t = await startFar(server.url, [...everywhere, "127.0.0.2"]);
  await expect(login(t, { say: false })).rejects.toMatchObject({
    code: "MCP_LOGIN_HOST",
    message: expect.stringContaining("127.0.0.2"),
  });
  expect(auth.got).toEqual([]);
});

test("MCP-13: the code of an answer that names another issuer is not redeemed", async () => {
  const auth = await authServer({ iss: "https://other.example" });
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await expect(login(t)).rejects.toThrow(/issuer/i);
  expect(auth.asked).toEqual([]);
});

test("MCP-13: the token goes to its server alone, also if that redirects to another", async () => {
  const auth = await authServer();
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await login(t);
  const other = await listen((_, response) => response.writeHead(200).end("{}"));
  server.moved = other.url;
  await expect(accept(t, "far")).rejects.toMatchObject({ code: "MCP_FAILED" });
  expect(server.got.at(-1)?.headers.authorization).toContain("CANARY-access");
  expect(other.got).toEqual([]);
});

test("MCP-13: a login belongs to the address that it was made for", async () => {
  const auth = await authServer();
  const [server, other] = [await guardedServer(auth), await guardedServer(auth)];
  await using t = await startFar(server.url, everywhere);
  await login(t);
  await using u = await startFar(other.url, everywhere, {}, t.configDir);
  await expect(accept(u, "far")).rejects.toMatchObject({ code: "MCP_LOGIN" });
  expect(JSON.stringify(other.got)).not.toContain("CANARY");
});

test("MCP-13: mcp logout forgets the login, and a program has none", async () => {
  const auth = await authServer();
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await login(t);
  expect(readFileSync(fileOf(t), "utf8")).toContain("CANARY-refresh");
  await word(t, "logout", ["far"]);
  expect(() => statSync(fileOf(t))).toThrow("ENOENT");
  await expect(accept(t, "far")).rejects.toMatchObject({ code: "MCP_LOGIN" });
  await using local = await startMcp({ near: { command: "/bin/true" } });
  await expect(word(local, "login", ["near"])).rejects.toMatchObject({ code: "MCP_LOGIN_NO_URL" });
});

test("MCP-13: a server that echoes its login or a header is heard without it", async () => {
  const auth = await authServer();
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere, { headers: { "X-Pass": "Card CANARY-header-1" } });
  await login(t);
  await accept(t, "far");
  server.echoes = true;
  await expect.poll(async () => (await t.call("far_hum", {}, yes)).text).toContain("x-pass");
  const { text } = await t.call("far_hum", {}, yes);
  expect(text).not.toContain("CANARY");
  expect(text).toContain("Bearer [redacted secret]");
});

test("MCP-13: tokens of logins are taken out of what leaves, also those that were refreshed", async () => {
  const auth = await authServer();
  const server = await guardedServer(auth);
  await using t = await startFar(server.url, everywhere);
  await login(t);
  const [first] = auth.valid;
  await accept(t, "far");
  auth.valid.clear();
  await expect.poll(() => t.call("far_hum", {}, yes)).toMatchObject({ text: "hummed" });
  const [second] = auth.valid;
  const redactor = t.slot(Redactors).get("mcp-logins");
  expect(await redactor?.redact(`It is ${first} or ${second}.`)).toBe(
    "It is [redacted secret] or [redacted secret].",
  );
});
