import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { bin, root } from "./helpers/cli.ts";

const examples = path.join(root, "examples");
const env = {
  TEAM_API_KEY: "sk-example",
  CHATAPP_TOKEN: "t",
  CHATAPP_VERIFY: "v",
  CHATAPP_SECRET: "s",
  TELEGRAM_TOKEN: "t",
};

async function gantry(
  file: string,
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const configDir = await mkdtemp(path.join(tmpdir(), "gantry-example-"));
  try {
    await copyFile(path.join(examples, file), path.join(configDir, "config.toml"));
    const { PATH = "" } = process.env;
    return await new Promise((resolve) => {
      const options = { env: { ...env, PATH, HOME: configDir, SERVICE_CONFIG_DIR: configDir } };
      execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  } finally {
    await rm(configDir, { recursive: true, force: true });
  }
}

async function decided(tool: string, args: object): Promise<string> {
  const { stdout } = await gantry(
    "read-only.toml",
    "policy",
    "explain",
    tool,
    JSON.stringify(args),
    "--json",
  );
  return (JSON.parse(stdout) as { decision: string }).decision;
}

const configurations = (await readdir(examples)).filter((file) => file.endsWith(".toml"));

test("SDK-05: there are four configurations to copy", () => {
  expect(configurations.toSorted()).toEqual([
    "laptop.toml",
    "read-only.toml",
    "team-gateway.toml",
    "telegram.toml",
  ]);
});

test.for(configurations)("SDK-05: %s is valid and its plugins load", async (file) => {
  const { code, stdout, stderr } = await gantry(file, "plugins", "list", "--json");
  expect([code, stderr]).toEqual([0, ""]);
  const { loaded } = JSON.parse(stdout) as { loaded: { name: string }[] };
  const names = loaded.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["guard-commands", "guard-paths", "guard-network", "audit-file"]),
  );
  expect(names.includes("channel-chatapp")).toBe(file === "team-gateway.toml");
  expect(names.includes("channel-telegram")).toBe(file === "telegram.toml");
});

test("SDK-05: the read-only configuration refuses to run and to write, and lets read", async () => {
  expect(await decided("shell", { command: "ls" })).toBe("refuse");
  expect(await decided("file_write", { path: "a.txt", content: "x" })).toBe("refuse");
  expect(await decided("file_read", { path: "/etc/hostname" })).toBe("refuse");
  expect(await decided("file_list", { path: "." })).toBe("allow");
});

test("SDK-05: every example plugin is short and says what it needs in its package.json", async () => {
  const folders = (await readdir(examples)).filter((name) => !name.includes("."));
  expect(folders.map((name) => name.split("-")[0]).toSorted()).toEqual([
    "channel",
    "guard",
    "provider",
    "tool",
    "turn",
  ]);
  for (const folder of folders) {
    const { exports, gantry: stated } = JSON.parse(
      await readFile(path.join(examples, folder, "package.json"), "utf8"),
    ) as {
      exports: string;
      gantry: { needs: string[]; provides: string[]; taps: string[] };
    };
    for (const file of (await readdir(path.join(examples, folder))).filter((name) =>
      /(?<!\.test|\.d)\.[jt]s$/.test(name),
    )) {
      const code = await readFile(path.join(examples, folder, file), "utf8");
      expect([folder, file, code.split("\n").length <= 80]).toEqual([folder, file, true]);
    }
    const { default: plugin } = (await import(path.join(examples, folder, exports))) as {
      default: { needs?: Record<string, { id: string }>; provides?: { id: string }[]; taps?: string[] };
    };
    const facts = {
      needs: Object.values(plugin.needs ?? {}).map(({ id }) => id),
      provides: (plugin.provides ?? []).map(({ id }) => id),
      taps: plugin.taps ?? [],
    };
    expect(stated).toEqual(facts);
  }
});
