import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Net, Sandbox, definePlugin, errors } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { openShell, said, startOpenHost } from "./open.test-kit.ts";
import { sandboxPlugin } from "./plugin.ts";
import { linux, processesWith, until } from "./sandbox.test-kit.ts";

/** Sleeps that nobody else has, by their seconds. */
const seconds = (): string => `6${process.pid}.${Math.floor(performance.now() * 1000)}`;
/** Returns a script whose children stay, leave their group and leave their session. */
const scatter = (n: string): string =>
  `sleep ${n} & setsid sleep ${n} & (setsid setsid sleep ${n} &) ; set -m; sleep ${n} &`;

test.runIf(linux)(
  "SBX-11: an opened process and its owner talk over its descriptors, both ways, until it ends",
  async () => {
    await using t = await startOpenHost();
    const opened = await openShell(
      t,
      'read a; echo "one $a"; echo two >&2; read b <&3; echo "four $b" >&4; echo "five" >&3; exit 7',
      { pipes: 2 },
    );
    opened.stdin.write("first\n");
    opened.pipes[0]!.writable.write("second\n");
    const all = [opened.stdout, opened.stderr, opened.pipes[0]!.readable, opened.pipes[1]!.readable];
    expect(await Promise.all(all.map((stream) => text(stream)))).toEqual([
      "one first\n",
      "two\n",
      "five\n",
      "four second\n",
    ]);
    expect(await opened.ended).toEqual({ exitCode: 7, signal: null, reason: "exited", findings: [] });
  },
);

test.runIf(linux)("SBX-11: what it wrote before it ended can be read after its end", async () => {
  await using t = await startOpenHost();
  const opened = await openShell(t, "echo last words; echo last complaint >&2");
  await opened.ended;
  expect(await Promise.all([text(opened.stdout), text(opened.stderr)])).toEqual([
    "last words\n",
    "last complaint\n",
  ]);
});

test.runIf(linux)(
  "SBX-11: a flood waits in the kernel until somebody reads it, and then arrives whole",
  { timeout: 300_000 },
  async () => {
    await using t = await startOpenHost();
    const total = 64 * 1024 * 1024;
    // Says once for a whole second nothing more went out; a reader that took all in would leave it
    // nothing to say.
    const flood = `use Fcntl; fcntl(STDOUT, F_SETFL, O_NONBLOCK | fcntl(STDOUT, F_GETFL, 0)); my ($sent, $said) = (0, 0);
      my $piece = "x" x 65536;
      while ($sent < ${total}) { my $rest = ${total} - $sent; my $n = syswrite STDOUT, $piece, $rest < 65536 ? $rest : 65536;
        if (defined $n) { $sent += $n; next } my $w = ""; vec($w, 1, 1) = 1; next if select undef, $w, undef, 1;
        syswrite STDERR, "waits after $sent\\n" unless $said++ }`;
    const opened = await openShell(t, `exec perl -e '${flood}'`);
    const [line] = (await once(createInterface({ input: opened.stderr }), "line")) as [string];
    expect(Number(/^waits after (\d+)$/.exec(line)![1])).toBeLessThan(4 * 1024 * 1024);
    let bytes = 0;
    for await (const piece of opened.stdout) bytes += (piece as Buffer).length;
    expect(bytes).toBe(total);
    expect(await opened.ended).toMatchObject({ exitCode: 0, reason: "exited" });
  },
);

test.runIf(linux)(
  "SBX-11: its owner ends it with all that it started, whatever groups and sessions its processes moved to",
  async () => {
    await using t = await startOpenHost();
    const n = seconds();
    const opened = await openShell(t, `${scatter(n)} wait`);
    await until(() => processesWith(`sleep\0${n}`).length >= 4);
    expect(await opened.close()).toMatchObject({ reason: "closed", signal: "SIGKILL" });
    expect(processesWith(`sleep\0${n}`)).toEqual([]);
    expect(await text(opened.stdout)).toBe("");
  },
);

test.runIf(linux)("SBX-11: it ends with the plugin that owns it, and with a conversation", async () => {
  const [mine, theirs] = [seconds(), seconds()];
  const conversation = new AbortController();
  const owner = definePlugin({
    name: "owner-test",
    needs: { sandbox: Sandbox },
    setup: (host) =>
      host.onReady(async () => {
        const open = (n: string, signal: AbortSignal) =>
          host.needs.sandbox.open({ argv: ["/bin/bash", "-c", `${scatter(n)} wait`], signal });
        await open(mine, host.signal);
        await open(theirs, AbortSignal.any([host.signal, conversation.signal]));
      }),
  });
  await using t = await startOpenHost(true, [owner]);
  await until(() => processesWith(`sleep\0${mine}`).length >= 4);
  await until(() => processesWith(`sleep\0${theirs}`).length >= 4);
  conversation.abort();
  await until(() => processesWith(theirs).length === 0);
  expect(processesWith(`sleep\0${mine}`)).toHaveLength(4);
  await t.stop();
  expect(processesWith(mine)).toEqual([]);
});

test.runIf(linux)("SBX-11: kill -9 of the service leaves no process behind", async () => {
  const n = seconds();
  const kit = new URL("./opening-service.test-kit.ts", import.meta.url).pathname;
  const args = ["--conditions=gantry-source", kit, `${scatter(n)} wait`];
  const service = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  await until(() => processesWith(`sleep\0${n}`).length >= 4);
  service.kill("SIGKILL");
  await once(service, "exit");
  await until(() => processesWith(n).length === 0);
  expect(processesWith(n)).toEqual([]);
});

test.runIf(linux)(
  "SBX-11: it reads and writes what it was opened with and nothing else, not even the workspace",
  async () => {
    await using t = await startOpenHost();
    const { workspace } = t.runtime;
    for (const folder of ["in", "out"]) mkdirSync(path.join(workspace, folder));
    for (const file of ["in/a", "secret"]) writeFileSync(path.join(workspace, file), `text of ${file}\n`);
    const script = `cat ${workspace}/in/a; cat ${workspace}/secret; ls ${workspace}; touch ${workspace}/in/b; touch ${workspace}/out/c && echo made; cat /etc/shadow; pwd >&2; [ "$PWD" = "$HOME" ] && touch mine && echo own`;
    const inside = await said(t, script, { read: ["$WORKSPACE/in"], write: ["$WORKSPACE/out"] });
    expect(inside.split("\n")).toEqual(expect.arrayContaining(["text of in/a", "made", "own"]));
    expect(inside).not.toMatch(/text of secret|root:/);
    expect([existsSync(`${workspace}/in/b`), existsSync(`${workspace}/out/c`)]).toEqual([false, true]);
    const bare = await said(t, `cat ${workspace}/in/a; touch ${workspace}/out/d; echo "at $PWD"`);
    expect(bare).not.toContain("text of");
    expect(existsSync(`${workspace}/out/d`)).toBe(false);
    const [, own] = /^at (.*)$/m.exec(bare)!;
    expect([existsSync(own!), path.dirname(own!)]).toEqual([true, "/"]);
  },
);

test.runIf(linux)(
  "MCP-03: a program's own folder in the configuration's opens for reading, and nothing around it",
  async () => {
    await using t = await startOpenHost();
    const { configDir } = t;
    const program = path.join(configDir, "programs/one");
    mkdirSync(program, { recursive: true });
    for (const file of ["programs/one/a", "programs/b", "c"])
      writeFileSync(path.join(configDir, file), `text of ${file}\n`);
    const script = `cat ${program}/a; cat ${configDir}/programs/b ${configDir}/c; touch ${program}/d; echo end`;
    const own = await said(t, script, { program });
    expect(own).toContain("text of programs/one/a");
    expect(own).not.toMatch(/text of (?:programs\/b|c)/);
    expect(existsSync(`${program}/d`)).toBe(false);
    for (const wide of [configDir, path.dirname(configDir), `${program}/../..`])
      expect(await said(t, script, { program: wide })).not.toContain("text of");
  },
);

test.runIf(linux)("SBX-11: a secret file in the folder that it was opened with is closed to it", async () => {
  await using t = await startOpenHost();
  const folder = path.join(t.runtime.workspace, "part");
  mkdirSync(folder);
  for (const file of [".env", "open"]) writeFileSync(path.join(folder, file), `text of ${file}\n`);
  const script = `cat ${folder}/open ${folder}/.env; echo changed > ${folder}/.env`;
  const inside = await said(t, script, { write: ["$WORKSPACE/part"] });
  expect(inside).toContain("text of open");
  expect(inside.includes("text of .env")).toBe(false);
  expect(readFileSync(path.join(folder, ".env"), "utf8")).toBe("text of .env\n");
});

test.runIf(linux)(
  "SBX-11: it reaches the domains that it was opened with, through the proxy, and nothing else",
  async () => {
    const server = createServer((_, response) => response.end("from the server\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const asked: string[] = [];
    const net: Net = {
      check: async () => undefined,
      fetch: async () => Promise.reject(errors.NET_BLOCKED("everything", "this is a test")),
      connect: async (host, _, __, domains = ["owner.test"]) => {
        asked.push(`${host} of ${domains.join()}`);
        if (!domains.includes(host)) throw errors.NET_BLOCKED(host, "it is not among them");
        return connect(port, "127.0.0.1");
      },
    };
    const filler = definePlugin({ name: "net-test", provides: [Net], setup: (h) => h.provide(Net, net) });
    await using t = await startOpenHost(true, [filler]);
    const visit = `for h in one.test two.test owner.test; do curl -sS http://$h/; done; curl -sS --noproxy '*' http://127.0.0.1:${port}/`;
    expect(await said(t, visit, { domains: ["one.test"] })).toMatch(
      /^from the server\n.*two\.test is not allowed.*\n.*owner\.test is not allowed.*\n[^]*curl: /,
    );
    expect(asked).toEqual(["one.test of one.test", "two.test of one.test", "owner.test of one.test"]);
    const none = await said(t, `env | grep -ci _proxy; ${visit}`);
    expect(none).not.toContain("from the server");
    expect(asked).toHaveLength(3);
    const { proxy } = await openShell(t, "sleep 60", { domains: ["one.test"] });
    const stranger = `curl -sS -x ${proxy!.replace(/\/\/.*@/, "//")} http://one.test/`;
    expect(await said(t, stranger, { domains: ["two.test"] })).toContain(
      "serves only what the service started",
    );
    server.closeAllConnections();
    server.close();
  },
);

test.runIf(linux)("SBX-11: its limits are its own", async () => {
  await using t = await startOpenHost();
  expect(await said(t, "ulimit -n; ulimit -Hn", { limits: { max_file_descriptors: 77 } })).toBe("77\n77\n");
  expect(await said(t, "ulimit -n")).toBe("256\n");
});

test.runIf(linux)("SBX-11: idle, it is ended; as long as something goes through, it is not", async () => {
  await using t = await startOpenHost();
  const idle = await openShell(t, "cat", { idleMs: 100 });
  const busy = await openShell(t, "for i in $(seq 24); do echo $i; sleep 0.1; done", { idleMs: 2_000 });
  busy.stdout.resume();
  expect(await idle.ended).toMatchObject({ reason: "idle" });
  expect(await busy.ended).toMatchObject({ reason: "exited", exitCode: 0 });
});
test.runIf(linux)(
  "SBX-11: what cannot be started, is ended already, or would stay without walls is refused with the reason",
  async () => {
    await using t = await startOpenHost();
    await using narrow = await startOpenHost(false);
    await expect(openShell(narrow, "true")).rejects.toMatchObject({
      code: "SANDBOX_UNWALLED",
      message: expect.stringContaining("there are no namespaces"),
    });
    const { signal } = new AbortController();
    const open = t.slot(Sandbox).open({ argv: ["/no/such/program"], signal });
    await expect(open).rejects.toMatchObject({ code: "RUN_FAILED" });
    await expect(openShell(t, "true", { pipes: 4 })).rejects.toMatchObject({ code: "RUN_FAILED" });
    const late = t.slot(Sandbox).open({ argv: ["/bin/true"], signal: AbortSignal.abort(new Error("gone")) });
    await expect(late).rejects.toThrow("gone");
    const base = new URL("./index.ts", import.meta.url).href;
    await using bare = await startTestHost({ plugins: [sandboxPlugin(base, { abiCap: 0 })] });
    await expect(openShell(bare, "true")).rejects.toMatchObject({ code: "SANDBOX_UNWALLED" });
    const off = { security: { sandboxing: { landlock_enabled: false } } };
    await using switched = await startTestHost({ plugins: [sandboxPlugin(base)], config: off });
    await expect(openShell(switched, "true")).rejects.toMatchObject({ code: "SANDBOX_UNWALLED" });
    const sandbox = t.slot(Sandbox);
    await t.stop();
    await expect(sandbox.open({ argv: ["/bin/true"], signal })).rejects.toMatchObject({
      code: "SANDBOX_CLOSED",
    });
  },
);
