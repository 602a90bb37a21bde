import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { definePlugin, defineTool, ResultFilters, Tools } from "@gantry/sdk";
import { fakeProvider, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import sandbox from "../sandbox-landlock/index.ts";
import files from "../tool-files/index.ts";
import shell from "../tool-shell/index.ts";
import plugin from "./index.ts";
import { SecretTexts } from "./secret-texts.ts";

const env = [
  "# database",
  "DB_PASSWORD=hunter2",
  'export API_TOKEN="tk_live_0123456789"',
  "DATABASE_URL=postgres://app:sw0rdfish@db.example/app",
  "NODE_ENV=development",
  "PORT=3000",
].join("\n");
const key = [
  "-----BEGIN PRIVATE KEY-----",
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
  "-----END PRIVATE KEY-----",
].join("\n");

async function start(config: Record<string, unknown> = {}): Promise<TestHost> {
  const host = await startTestHost({ plugins: [plugin, sandbox, shell], config });
  const { workspace } = host.runtime;
  mkdirSync(path.join(workspace, "ops/tls"), { recursive: true });
  writeFileSync(path.join(workspace, ".env"), env);
  writeFileSync(path.join(workspace, "ops/tls/site.key"), key);
  return host;
}
/**
 * Spellings that no reader of shell text can tell; a wall that hides the file is welcome to make
 * them fail.
 */
const spellings = [
  "cat .en?",
  "cat $(echo .env)",
  "grep -r DB_ . ; grep -rh . ops",
  "x=nv; cat .e$x",
  "for f in .e*; do cat $f; done",
  "cat ops/tls/*",
  "cp .en? copy 2>/dev/null; cat copy; rm -f copy .en? 2>/dev/null; true",
  "tr a-z a-z < $(echo .env)",
];
const secrets = ["hunter2", "tk_live_0123456789", "sw0rdfish", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"];

test.each(spellings)("SEC-15: %j brings no text of a secret file before the model", async (command) => {
  await using host = await start();
  const { text } = await host.call("shell", { command });
  for (const secret of secrets) expect(text).not.toContain(secret);
});

/** A tool that answers what it is given, behind no walls. */
const echo = definePlugin({
  name: "tool-echo",
  provides: [Tools],
  setup: (host) =>
    host.provide(
      Tools,
      defineTool({
        name: "echo",
        description: "Answers.",
        input: Type.Object({ text: Type.String() }),
        run: async ({ args }) => args.text,
      }),
    ),
});

test("SEC-15: of any tool's answer the rest stays as it is, and the find is said and recorded", async () => {
  await using host = await startTestHost({ plugins: [plugin, echo] });
  writeFileSync(path.join(host.runtime.workspace, ".env"), env);
  const { text } = await host.call("echo", {
    text: "host db\npassword hunter2\nmode development, port 3000\n",
  });
  expect(text).toBe("host db\npassword [text of the secret file .env]\nmode development, port 3000\n");
  expect(host.audit).toContainEqual(
    expect.objectContaining({
      event_type: "security_refusal",
      tool: "echo",
      args: expect.objectContaining({ found: "text of .env" }),
      result: "taken out of the result",
    }),
  );
  expect(host.logs.map(({ message }) => message)).toContainEqual(expect.stringContaining("text of .env"));
});

test("SEC-15: a copy of a secret file under another name is seen through by the first call of a process", async () => {
  const calls = { file_read: { path: "copy.txt" }, file_search: { pattern: "TOKEN|MII" } };
  for (const [tool, args] of Object.entries(calls)) {
    await using host = await startTestHost({ plugins: [plugin, sandbox, files] });
    const { workspace } = host.runtime;
    writeFileSync(path.join(workspace, ".env"), env);
    writeFileSync(path.join(workspace, "a.pem"), key);
    writeFileSync(path.join(workspace, "copy.txt"), `${env}\n${key}\n`);
    const { text } = await host.call(tool, args);
    expect(text).toContain("[text of the secret file");
    for (const secret of ["tk_live_0123456789", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"])
      expect(text).not.toContain(secret);
  }
});

test("SEC-15: it is found inside JSON and addresses too", async () => {
  await using host = await start();
  writeFileSync(path.join(host.runtime.workspace, ".env"), 'SECRET_PHRASE=a "b" c/d&e\n');
  const command = `printf '%s\\n' '{"x": "a \\"b\\" c/d&e"}' 'http://h/?q=a%20%22b%22%20c%2Fd%26e'`;
  const { text } = await host.call("shell", { command });
  expect(text).toContain(
    '{"x": "[text of the secret file .env]"}\nhttp://h/?q=[text of the secret file .env]\n',
  );
});

test("SEC-15: secret_files says which files these are", async () => {
  await using host = await start({ security: { secret_files: ["plan.txt"] } });
  writeFileSync(path.join(host.runtime.workspace, "plan.txt"), "we strike at dawn\n");
  const { text } = await host.call("shell", { command: "echo we strike at dawn; echo hunter2" });
  expect(text).toContain("[text of the secret file plan.txt]\nhunter2\n");
});

test("SEC-15: where secret files hold more than can be looked for, results are withheld", async () => {
  await using host = await startTestHost({ plugins: [plugin, echo] });
  const at = (n: number): string => path.join(host.runtime.workspace, `.env.${n}`);
  const files = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(at);
  for (const [n, file] of files.entries())
    writeFileSync(file, Array.from({ length: 25_000 }, (_, i) => `${n}=${i + 100_000}`).join("\n"));
  expect(await host.call("echo", { text: "shown" })).toMatchObject({
    code: "RESULT_WITHHELD",
    text: expect.stringContaining("more stands in secret files than can be looked for"),
  });
});

test("SEC-15: in a turn the model is sent the filtered text", async () => {
  const model = fakeProvider([{ calls: [{ name: "shell", args: { command: "echo hunter2" } }] }, "done"]);
  await using host = await startTestHost({ plugins: [plugin, sandbox, shell, model] });
  writeFileSync(path.join(host.runtime.workspace, ".env"), env);
  await host.ask("go", { approvals: "yes" });
  expect(JSON.stringify(model.requests)).toContain("[text of the secret file .env]");
  expect(JSON.stringify(model.requests.at(-1)?.messages.filter(({ role }) => role === "tool"))).not.toContain(
    "hunter2",
  );
});

test("SEC-15: a filter that fails, hangs up or answers nonsense withholds the whole result", async () => {
  for (const filter of [
    () => Promise.reject(new Error("it broke")),
    () => undefined as never,
    () => ({ text: 7 }) as never,
  ]) {
    const broken = definePlugin({
      name: "broken",
      provides: [ResultFilters],
      setup: (host) => host.provide(ResultFilters, { name: "broken", filter }),
    });
    await using host = await startTestHost({ plugins: [broken, sandbox, shell] });
    const { decision, code, text } = await host.call("shell", { command: "echo shown" });
    expect([decision, code]).toEqual(["failed", "RESULT_WITHHELD"]);
    expect(text).not.toContain("shown");
  }
});

test("SEC-15: what takes a secret file's place while it is looked at holds nobody up and is not followed", async () => {
  await using host = await start();
  const { workspace } = host.runtime;
  const swap = spawn(
    "perl",
    [
      "-e",
      `use POSIX; $| = 1; open F, ">", "f"; print F "PASS=file-of-its-own\n"; close F;
      mkfifo("p", 0600); symlink("/dev/zero", "l"); print "on";
      while (-d ".") { for ("f", "p", "f", "l") { rename $_, ".env.swap"; rename ".env.swap", $_ } }`,
    ],
    { cwd: workspace, stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(swap.stdout!, "data");
  const texts = Array.from({ length: 800 }, () => new SecretTexts(workspace, (at) => at.includes(".env")));
  for (const one of texts) await one.refresh();
  expect(texts.filter((one) => !one.takeOut("hunter2").found)).toEqual([]);
  expect(texts.some((one) => one.takeOut("file-of-its-own").found)).toBe(true);
  swap.kill("SIGKILL");
});
