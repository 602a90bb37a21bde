import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root, said, startGantry, tempDir } from "../../test/helpers/cli.ts";

interface Settings {
  readonly agent_servers: Readonly<
    Record<string, { readonly command: string; readonly args: readonly string[] }>
  >;
}

test.each(["zed.json", "jetbrains-acp.json"])(
  "ACP-01: what examples/%s has an editor start answers it",
  async (file) => {
    const settings = JSON.parse(readFileSync(path.join(root, "examples", file), "utf8")) as Settings;
    const { command, args } = settings.agent_servers["Gantry"]!;
    expect([command, args.includes("/home/me/code")]).toEqual(["gantry", true]);
    using home = tempDir("");
    using code = tempDir();
    const words = args.map((word) => (word === "/home/me/code" ? code.dir : word));
    const { child, ended } = startGantry(words, { ...home, input: null });
    const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } };
    const open = { jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: code.dir, mcpServers: [] } };
    child.stdin?.write(`${JSON.stringify(hello)}\n${JSON.stringify(open)}\n`);
    expect(await said(child, "stdout", /"sessionId"/)).toContain('"agentInfo":{"name":"gantry"');
    child.stdin?.end();
    expect((await ended).code).toBe(0);
  },
);
