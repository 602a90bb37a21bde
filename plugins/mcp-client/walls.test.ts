import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { accept, folder, linux, offered, serverFile, small, startMcp } from "./mcp.test-kit.ts";

const yes = { approvals: "yes" } as const;
const denied = /^E(?:ACCES|NOENT|PERM|ROFS)$/;

const reading = (file: string) => small({ read_paths: [process.execPath, serverFile, file] });

describe.runIf(linux)("a server that is a program", () => {
  test("MCP-01: its tools are tools here, named after it, once they are accepted", async () => {
    await using t = await startMcp({ small: small() });
    expect(await offered(t)).toEqual([]);
    await accept(t, "small");
    await expect.poll(() => offered(t)).toContain("small_peek");
    expect(await t.call("small_learn", {}, yes)).toMatchObject({ decision: "approved", text: "learnt" });
  });

  test("MCP-02: it reads nothing of the workspace, the configuration or the home", async () => {
    await using t = await startMcp({ small: small() });
    await accept(t, "small");
    const { workspace } = t.runtime;
    const secret = path.join(folder(), "secret");
    for (const file of [path.join(workspace, "secret"), path.join(t.configDir, "secret"), secret]) {
      writeFileSync(file, "the secret");
      expect((await t.call("small_peek", { path: file }, yes)).text).toMatch(denied);
    }
    expect((await t.call("small_peek", { path: path.join(homedir(), ".ssh") }, yes)).text).toMatch(denied);
    const { text } = await t.call("small_peek", { path: serverFile }, yes);
    expect(text).toContain("A small MCP server");
  });

  test("MCP-02: it reads the paths of its own table, and no other server does", async () => {
    const [mine, theirs] = [path.join(folder(), "mine"), path.join(folder(), "theirs")];
    for (const file of [mine, theirs]) writeFileSync(file, `text of ${path.basename(file)}`);
    await using t = await startMcp({ a: reading(mine), b: reading(theirs) });
    for (const name of ["a", "b"]) await accept(t, name);
    expect((await t.call("a_peek", { path: mine }, yes)).text).toBe("text of mine");
    expect((await t.call("a_peek", { path: theirs }, yes)).text).toMatch(denied);
    expect((await t.call("b_peek", { path: theirs }, yes)).text).toBe("text of theirs");
  });

  test("MCP-02: it writes the paths that its table opens for that, and none that it may read", async () => {
    const [open, shut] = [folder(), folder()];
    const read_paths = [process.execPath, serverFile, shut];
    const servers = { small: small({ read_paths, write_paths: [open] }) };
    await using t = await startMcp(servers);
    await accept(t, "small");
    const jot = (at: string) => t.call("small_jot", { path: path.join(at, "note") }, yes);
    expect((await jot(open)).text).toBe("jotted");
    expect((await jot(shut)).text).toMatch(denied);
    expect([readdirSync(open), readdirSync(shut)]).toEqual([["note"], []]);
  });

  test("MCP-02: it reaches no address that its table does not name", async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    let visits = 0;
    server.on("connection", () => (visits += 1));
    await using t = await startMcp({ small: small() });
    await accept(t, "small");
    const { port } = server.address() as AddressInfo;
    const { text } = await t.call("small_ring", { path: `127.0.0.1 ${port}` }, yes);
    expect(text).not.toBe("connected");
    expect(visits).toBe(0);
  });
});
