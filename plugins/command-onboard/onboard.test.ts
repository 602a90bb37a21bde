import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFlags } from "./command.ts";
import { DOWN, emptyPlace, ENTER, gantry, gantryInTerminal, startOnboarding } from "./cli.test-kit.ts";

let mock: LLMock;
let address = "";
beforeAll(async () => {
  mock = await LLMock.create({ port: 0, auth: { apiKeys: ["sk-right-canary"] } });
  mock.onMessage("single word", { content: "ready" });
  mock.onMessage("hello", { content: "Hello from the model." });
  address = `${mock.url}/v1`;
});
afterAll(() => mock.stop());

const written = (configDir: string): Promise<string> =>
  readFile(path.join(configDir, "config.toml"), "utf8").catch(() => "");

test.concurrent("CLI-02: by flags, from nothing to a working first turn; the key stands there as a reference", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const env = { MY_KEY: "sk-right-canary" };
  const workspace = path.join(configDir, "..", "desk");
  const flags = [
    "--provider",
    `custom:${address}`,
    "--api-key-env",
    "MY_KEY",
    "--model",
    "gpt-4o",
    "--workspace",
    workspace,
  ];
  const done = await gantry(configDir, ["onboard", ...flags, "--autonomy", "supervised", "--yes"], env);
  expect(done).toMatchObject({ code: 0, stdout: `Wrote ${configDir}/config.toml\n` });
  expect(done.stderr).toContain('Next: gantry agent -m "hello"');
  const text = await written(configDir);
  expect(text).toContain('api_key = "${MY_KEY}"');
  expect(text).toContain('autonomy_level = "supervised"');
  expect(text + done.stdout + done.stderr).not.toContain("canary");
  expect((await stat(path.join(configDir, "config.toml"))).mode & 0o777).toBe(0o600);
  expect((await stat(configDir)).mode & 0o777).toBe(0o700);
  expect(await gantry(configDir, ["agent", "-m", "hello"], env)).toMatchObject({
    code: 0,
    stdout: "Hello from the model.\n",
  });
  expect((await stat(workspace)).isDirectory()).toBe(true);
});

test.concurrent("CLI-02: a key that the provider does not take is not written, and the reason is told without the key", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const done = await gantry(configDir, [
    "onboard",
    "--provider",
    `custom:${address}`,
    "--api-key",
    "sk-wrong-canary",
    "--model",
    "gpt-4o",
  ]);
  expect(done.code).toBe(1);
  expect(done.stderr).toContain("HTTP 401");
  expect(done.stderr).toContain("[ONBOARD_TEST_FAILED]");
  expect(done.stdout + done.stderr).not.toContain("canary");
  expect(await written(configDir)).toBe("");
});

test.concurrent("CLI-02: --no-test writes what cannot be asked yet, and a second run keeps the rest of the file", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  expect((await gantry(configDir, ["onboard", "--provider", "local-a", "--no-test"])).code).toBe(0);
  const again = await gantry(configDir, [
    "onboard",
    "--provider",
    "local-a",
    "--api-url",
    "http://127.0.0.1:9/v1",
    "--no-test",
    "--yes",
  ]);
  expect(again.code).toBe(0);
  expect(await written(configDir)).toBe('default_provider = "local-a"\napi_url = "http://127.0.0.1:9/v1"\n');
  const other = ["onboard", "--provider", "custom:http://127.0.0.1:9/v2", "--no-test", "--yes"];
  expect((await gantry(configDir, other)).code).toBe(0);
  // The address was that of the server before.
  expect(await written(configDir)).toBe('default_provider = "custom:http://127.0.0.1:9/v2"\n');
});

test("CLI-02: flags that cannot be meant are a usage error each", () => {
  for (const [options, code] of [
    [{ apiKey: "a", apiKeyEnv: "B" }, "ONBOARD_TWO_KEYS"],
    [{ apiKeyEnv: "NO_SUCH_VARIABLE" }, "ONBOARD_NO_VARIABLE"],
    [{ apiKeyEnv: "a b" }, "ONBOARD_BAD_VARIABLE"],
    [{ autonomy: "reckless" }, "ONBOARD_BAD_AUTONOMY"],
    [{ provider: "demo", apiUrl: "http://x" }, "ONBOARD_NO_ADDRESS"],
  ] as const) {
    expect(() => readFlags({ options }, {}, new Map([["demo", { name: "demo", offline: true }]]))).toThrow(
      expect.objectContaining({ code, exit: 2 }) as Error,
    );
  }
});

test.concurrent("CLI-02: without a terminal and without --provider, or with one that nobody serves, nothing is written and why is said", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const wrong = [
    [[], "ONBOARD_NO_TERMINAL"],
    [["--provider", "custom:example.com", "--no-test"], "CONFIG_WRONG_TYPE"],
    [["--provider", "no-such-provider"], "PROVIDER_UNKNOWN"],
  ] as const;
  for (const [flags, code] of wrong) {
    const done = await gantry(configDir, ["onboard", ...flags]);
    expect([flags, done.code, done.stderr]).toEqual([flags, 2, expect.stringContaining(`[${code}]`)]);
  }
  expect(await written(configDir)).toBe("");
});

test.concurrent("CLI-02: the key of one provider is not sent to the next one", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const first = [
    "onboard",
    "--provider",
    `custom:${address}`,
    "--api-key",
    "sk-right-canary",
    "--model",
    "gpt-4o",
  ];
  expect((await gantry(configDir, first)).code).toBe(0);
  const done = await gantry(configDir, ["onboard", "--provider", "custom:http://127.0.0.1:9/v1"]);
  expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining("ONBOARD_FOREIGN_KEY") as string });
  expect(await written(configDir)).toContain(`custom:${address}`);
});

test.concurrent("CLI-02: in a terminal, from nothing: a wrong key is told and corrected before anything is written, then the first turn works", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const terminal = gantryInTerminal(configDir, ["onboard"]);
  await terminal.see("Which model provider?");
  await terminal.answer("The offline demo", DOWN + DOWN + ENTER);
  await terminal.see("Its address");
  // The field is empty, so a whole address that is pasted stands there once.
  terminal.type(`${address}${ENTER}`);
  await terminal.see("Where is the key");
  expect(terminal.shown()).not.toContain("http://http");
  await terminal.answer("None", ENTER);
  await terminal.answer("The key", `sk-wrong-canary${ENTER}`);
  await terminal.see("HTTP 401");
  expect(await written(configDir)).toBe("");
  await terminal.see("What shall be changed?");
  await terminal.answer("Keep it", ENTER);
  await terminal.see("Where is the key");
  await terminal.answer("None", ENTER);
  await terminal.answer("The key", `sk-right-canary${ENTER}`);
  await terminal.answer("Which model?", ENTER);
  await terminal.see("It answers: ready");
  // The typed path replaces the proposed one.
  await terminal.answer("config/workspace", `${configDir}-desk${ENTER}`);
  await terminal.see("How much may the agent do");
  await terminal.answer("autonomous", ENTER);
  await terminal.see("Where shall people write");
  await terminal.answer("Telegram", ENTER);
  await terminal.see('api_key = "********"');
  await terminal.answer("Write them?", ENTER);
  await terminal.see("Next: gantry agent");
  await terminal.see("Then: gantry doctor");
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown()).not.toContain("canary");
  expect(await written(configDir)).toContain('api_key = "sk-right-canary"');
  expect(await written(configDir)).toContain(`workspace_path = "${configDir}-desk"`);
  expect(await gantry(configDir, ["agent", "-m", "hello"])).toMatchObject({
    code: 0,
    stdout: "Hello from the model.\n",
  });
});

test.concurrent("CLI-02: in a terminal, the chat-app channel and its four keys; Ctrl-C at the end writes nothing", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const walk = async (last: string): Promise<number> => {
    const terminal = await startOnboarding(configDir);
    await terminal.answer("chat app", DOWN + ENTER);
    await terminal.answer("Access token", `token-canary${ENTER}`);
    await terminal.answer("Phone number id", `1234${ENTER}`);
    await terminal.answer("Verify token", ENTER);
    await terminal.answer("app secret", "y");
    await terminal.answer("App secret", `secret-canary${ENTER}`);
    await terminal.answer("Who may write?", `5551234${ENTER}`);
    await terminal.answer("5551234 is not a number", `\u0015+15551234567${ENTER}`);
    await terminal.answer("Write them?", last);
    const code = await terminal.ended;
    expect(terminal.shown()).not.toContain("canary");
    return code;
  };
  expect(await walk("\u0003")).toBe(130);
  expect(await written(configDir)).toBe("");
  expect(await walk(ENTER)).toBe(0);
  const text = await written(configDir);
  expect(text).toContain('access_token = "token-canary"');
  expect(text).toMatch(/verify_token = "[0-9a-f]{32}"/);
  expect(text).toMatch(/allowed_numbers = \[ ?"\+15551234567" ?\]/);
  const doctor = await gantry(configDir, ["status", "--json"]);
  expect(doctor.code).toBe(0);
  expect(doctor.stdout).toContain("chatapp signature");
});

test.concurrent("CLI-02: Escape goes back to the question before, with all other answers kept; at the first one it ends", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const escape = "\u001b";
  const terminal = await startOnboarding(configDir);
  await terminal.answer("Where shall people write", escape);
  await terminal.see("Which directory");
  terminal.type(`${configDir}-desk${ENTER}`);
  await terminal.answer("Where shall people write", ENTER);
  await terminal.answer("Write them?", escape);
  await terminal.answer("Where shall people write", ENTER);
  await terminal.see(`${configDir}-desk`);
  await terminal.answer("Write them?", ENTER);
  expect(await terminal.ended).toBe(0);
  expect(await written(configDir)).toContain(`workspace_path = "${configDir}-desk"`);
  const again = gantryInTerminal(configDir, ["onboard"]);
  await again.answer("Which model provider?", escape);
  await again.see("Nothing was written.");
  expect(await again.ended).toBe(130);
});
