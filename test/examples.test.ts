import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
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
  GANTRY_API_KEY: "sk-example",
  GITHUB_TOKEN: "ghp-example",
  MAIL_PASSWORD: "p",
  SERVICE_DISCORD_BOT_TOKEN: "discord-example",
  SERVICE_SLACK_BOT_TOKEN: "xoxb-example",
  SERVICE_SLACK_APP_TOKEN: "xapp-example",
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

test("SDK-05: there is a configuration to copy for each kind of place", () => {
  expect(configurations.toSorted()).toEqual([
    "browser.toml",
    "discord.toml",
    "email.toml",
    "laptop.toml",
    "mcp-servers.toml",
    "raspberry.toml",
    "read-only.toml",
    "slack.toml",
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
  expect(names.includes("channel-email")).toBe(file === "email.toml");
  expect(names.includes("channel-discord")).toBe(file === "discord.toml");
  expect(names.includes("channel-slack")).toBe(file === "slack.toml");
});

test("SDK-05: the read-only configuration refuses to run and to write, and lets read", async () => {
  expect(await decided("shell", { command: "ls" })).toBe("refuse");
  expect(await decided("file_write", { path: "a.txt", content: "x" })).toBe("refuse");
  expect(await decided("file_read", { path: "/etc/hostname" })).toBe("refuse");
  expect(await decided("file_list", { path: "." })).toBe("allow");
});

test("SDK-05: the read-only configuration offers the tools that read, and no other", async () => {
  const { stdout } = await gantry("read-only.toml", "tools", "list", "--json");
  const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(["file_find", "file_list", "file_read", "file_search", "send_file"]);
});

test.each(["auto_approve_tools", "blocked_commands"])(
  "SDK-05: security.%s of the laptop configuration begins with the default",
  async (key) => {
    const valueIn = async (file: string): Promise<readonly string[]> => {
      const { stdout } = await gantry(file, "config", "get", `security.${key}`, "--json");
      return JSON.parse(stdout) as string[];
    };
    const usual = await valueIn("telegram.toml");
    const ours = await valueIn("laptop.toml");
    expect(ours.slice(0, usual.length)).toEqual(usual);
    expect(ours.length).toBeGreaterThan(usual.length);
  },
);

test("MCP-02: each server of mcp-servers.toml is opened to what it needs, and offers the tools it names", async () => {
  const { stdout } = await gantry("mcp-servers.toml", "config", "get", "mcp.servers", "--json");
  const servers = JSON.parse(stdout) as Record<string, Readonly<Record<string, readonly string[]>>>;
  const having = (key: string): readonly string[] =>
    Object.keys(servers).filter((name) => servers[name]?.[key] !== undefined);
  expect(Object.keys(servers).toSorted()).toEqual(["fetch", "files", "git", "github", "memory"]);
  expect(having("tools").length).toBe(5);
  expect(having("write_paths")).toEqual(["memory"]);
  expect(having("allowed_domains").toSorted()).toEqual(["fetch", "github"]);
  expect(having("headers")).toEqual(["github"]);
  for (const { read_paths = [], write_paths = [], allowed_domains = [] } of Object.values(servers)) {
    for (const at of [...read_paths, ...write_paths]) expect(at.split("/").length).toBeGreaterThan(2);
    expect(allowed_domains).not.toContain("*");
  }
  const { stdout: listed } = await gantry("mcp-servers.toml", "mcp", "list", "--json");
  const { servers: rows } = JSON.parse(listed) as { servers: { state: string }[] };
  expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "not accepted"));
});

test("SDK-05: every example plugin is short and says what it needs in its package.json", async () => {
  const folders = (await readdir(examples)).filter((name) =>
    existsSync(path.join(examples, name, "package.json")),
  );
  expect(folders.length).toBeGreaterThan(12);
  for (const folder of folders) {
    const { exports, gantry: stated } = JSON.parse(
      await readFile(path.join(examples, folder, "package.json"), "utf8"),
    ) as {
      exports: string;
      gantry: { needs: string[]; provides: string[]; taps: string[] };
    };
    for (const file of (await readdir(path.join(examples, folder))).filter((name) =>
      /(?<!\.test|\.test-kit|\.d)\.[jt]s$/.test(name),
    )) {
      const code = await readFile(path.join(examples, folder, file), "utf8");
      expect([folder, file, code.split("\n").length <= 150]).toEqual([folder, file, true]);
    }
    const { default: plugin } = (await import(path.join(examples, folder, exports))) as {
      default: { needs?: Record<string, { id: string }>; provides?: { id: string }[]; taps?: string[] };
    };
    const facts = {
      needs: Object.values(plugin.needs ?? {}).map(({ id }) => id),
      provides: (plugin.provides ?? []).map(({ id }) => id),
      taps: plugin.taps ?? [],
    };
    const { needs, provides, taps } = stated;
    expect({ needs, provides, taps }).toEqual(facts);
  }
});

test("DIS-03: the container's configuration is valid, and what the container file and compose.yaml say fits it", async () => {
  const { code, stderr } = await gantry("container/config.toml", "plugins", "list");
  expect([code, stderr]).toEqual([0, ""]);
  const [file, compose, config] = await Promise.all(
    ["Containerfile", "compose.yaml", "config.toml"].map((name) =>
      readFile(path.join(examples, "container", name), "utf8"),
    ),
  );
  const lines = (file ?? "").split("\n");
  expect(lines.findLast((line) => line.startsWith("USER "))).toBe("USER 10001:10001");
  expect(file).toMatch(/^HEALTHCHECK [^]*GET \/health /m);
  expect(file).toMatch(/^ENV .*\bINVOCATION_ID=\w+$/m);
  expect(file).toMatch(/^VOLUME \/var\/lib\/gantry$/m);
  expect(compose).toMatch(/^ {4}read_only: true$/m);
  expect(compose).toMatch(/^ {4}cap_drop: \[ALL\]$/m);
  const [, subnet = "?"] = /subnet: (\S+)/.exec(compose ?? "") ?? [];
  expect(config).toContain(`trusted_proxies = ["${subnet}"]`);
});
