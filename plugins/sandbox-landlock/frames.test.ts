import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import {
  type SandboxKit,
  confinedOf,
  linux,
  processesWith,
  startSandbox,
  until,
} from "./sandbox.test-kit.ts";

const OWN = "#!/bin/sh\nexit 0\n";
const HOOK = ".git/hooks/pre-commit";
const guarded = [".git/hooks", ".git/config", ".envrc"];
const result = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  stdout: "",
  stderr: "",
  droppedBytes: 0,
  findings: [],
};

function prepare(workspace: string): void {
  mkdirSync(path.join(workspace, ".git/hooks"), { recursive: true });
  writeFileSync(path.join(workspace, HOOK), OWN, { mode: 0o755 });
  writeFileSync(path.join(workspace, "large"), "x".repeat(5_000));
}

/** Returns code that sends these messages about the run under way, whose number replaces `ID`. */
const saying = (...messages: readonly unknown[]): string =>
  messages.map((one) => `raw(${JSON.stringify(JSON.stringify(one))}.replaceAll('"ID"', id))`).join("; ");

/** Sends lengths alone, of what never comes. */
const lengths = (text: number, data: number): string =>
  `const h = Buffer.alloc(8); h.writeUInt32LE(${text}, 0); h.writeUInt32LE(${data}, 4); socket.write(h)`;

const id = "ID";
const wrong: Readonly<Record<string, string>> = {
  "a fault that is null": saying({ id, fault: null }),
  "a fault without words": saying({ id, fault: { fault: "unseen", path: {}, reason: { toString: 1 } } }),
  "half a result": saying({ id, value: { stdout: 5 } }),
  "findings that are a number": saying({ id, value: { ...result, findings: 5 } }),
  "a time that was not limited": saying({ id, value: { ...result, timedOut: "x" } }),
  "more than it was asked": saying({ id, value: { ...result, more: 1 } }),
  "more output than was asked for": saying({ id, value: { ...result, stdout: "x".repeat(100_000) } }),
  "an answer to nobody": saying({ id: 4711, value: result }),
  "what was not asked at all": saying({ id, before: { held: [], kept: [] } }),
  "no object": saying(null),
  "no JSON": "raw('{')",
  "bytes that nobody asked for": `raw(JSON.stringify({ id, value: ${JSON.stringify(result)} }), Buffer.alloc(9))`,
  "that very much will follow": lengths(240_000_000, 0),
  "that very many bytes will follow": lengths(2, 240_000_000),
  "nothing more": "socket.destroy()",
};

const ways = [
  ["view", {}],
  ["direct", { runs: "direct" }],
  ["without namespaces", { namespaces: false }],
] as const;

for (const [how, options] of ways) {
  test.runIf(linux)(
    `SBX-05: a process that says what it was not asked is ended and its run is lost; the next one runs, ${how}`,
    async () => {
      await using kit = await startSandbox({ ...options, hostile: true, guarded, prepare });
      const seen: Record<string, unknown> = {};
      const all = process.env.GANTRY_LONG || how === "view";
      const cases = Object.entries(wrong).filter((_, i) => all || i % 4 === 0);
      for (const [what, code] of cases) {
        await kit.run("true");
        const said = await kit.run(`EVIL ${code}`).catch(String);
        seen[what] = [said, (await kit.run("echo alive")).stdout];
      }
      const lost = ["Error: the confined process ended", "alive\n"];
      expect(seen).toEqual(Object.fromEntries(cases.map(([what]) => [what, lost])));
    },
  );

  test.runIf(linux)(
    `SBX-05: a process that does not answer in time is killed, whatever holds it, ${how}`,
    async () => {
      await using kit = await startSandbox({ ...options, hostile: true, lateMs: 500 });
      await expect(kit.run("EVIL ''", { timeoutMs: 1 })).rejects.toThrow(/ended/);
      const abort = new AbortController();
      const up = path.join(kit.workspace, "up");
      const tell = `process.getBuiltinModule("fs").writeFileSync(${JSON.stringify(up)}, "")`;
      const aborted = kit.run(`EVIL ${tell}`, { signal: abort.signal });
      aborted.catch(() => undefined);
      await until(() => existsSync(up));
      abort.abort();
      await expect(aborted).rejects.toThrow(/ended/);
      expect((await kit.run("echo alive")).stdout).toBe("alive\n");
    },
  );

  test.runIf(linux)(
    `SBX-05: a process that is stopped holds up neither a run nor the end, ${how}`,
    async () => {
      await using kit = await startSandbox({ ...options, lateMs: 500 });
      const stopped = async (timeoutMs: number): Promise<{ readonly over: Promise<unknown> }> => {
        const word = `900.${process.pid}${Math.floor(performance.now())}`;
        const run = kit.run(`sleep ${word}`, { timeoutMs });
        run.catch(() => undefined);
        await until(() => processesWith(`sleep\0${word}`).length > 0);
        for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGSTOP");
        return { over: Promise.allSettled([run]) };
      };
      const { over: first } = await stopped(1_000);
      expect(await first).toMatchObject([{ status: "rejected" }]);
      expect((await kit.run("echo alive")).stdout).toBe("alive\n");
      const { over } = await stopped(900_000);
      await kit.confinement.close();
      expect(await over).toMatchObject([{ status: "rejected" }]);
      expect(confinedOf(process.pid)).toEqual([]);
    },
  );
}

test.runIf(linux)("SBX-05: what a process says of files is held to what was asked", async () => {
  await using kit = await startSandbox({ runs: "direct", hostile: true, prepare });
  const file = path.join(kit.workspace, "large");
  const { signal } = new AbortController();
  const answers = [
    [{ do: "read", path: file, maxBytes: 10 }, { bytes: 5_000 }, 11],
    [{ do: "write", path: file, data: "", keepBytes: 10 }, { existed: true, kept: true }, 11],
    [
      { do: "list", path: kit.workspace, limit: 9 },
      { entries: [{ name: "../x", kind: "file", bytes: 1 }], more: false },
      0,
    ],
    [
      { do: "list", path: kit.workspace, limit: 0 },
      { entries: [{ name: "x", kind: "file", bytes: 1 }], more: false },
      0,
    ],
  ] as const;
  for (const [request, value, bytes] of answers) {
    await kit.run("true");
    const data = `Buffer.alloc(${bytes})`;
    const answer = `later((_, id) => raw(JSON.stringify({ id, value: ${JSON.stringify(value)} }), ${data})); socket.resume()`;
    const run = kit.run(`EVIL ${answer}`);
    run.catch(() => undefined);
    // The run has reached its process once that is not free any more.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(kit.confinement.request(request as never, signal)).rejects.toThrow(/ended/);
    await expect(run).rejects.toThrow(/ended/);
  }
});

/** Puts something else at one place of a value. */
function mutated(value: unknown, at: readonly number[], other: unknown): unknown {
  const [first, ...rest] = at;
  if (first === undefined || typeof value !== "object" || value === null) return other;
  const keys = Object.keys(value);
  if (keys.length === 0) return other;
  const key = keys[first % keys.length]!;
  const changed = mutated((value as Record<string, unknown>)[key], rest, other);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}

const right: readonly unknown[] = [
  { id, value: result },
  { id, fault: { fault: "failed", path: "/", verb: "read", reason: "why" } },
  { built: { abi: 1, listener: 1, masks: 0, processes: true } },
];

/**
 * Returns the next run's output, the content of a guarded file and the names in a folder outside.
 */
async function stateOf(kit: SandboxKit, outside: string): Promise<readonly unknown[]> {
  const { stdout } = await kit.run("echo alive");
  return [stdout, readFileSync(path.join(kit.workspace, HOOK), "utf8"), readdirSync(outside)];
}

test.runIf(linux)(
  "SEC-13: whatever a process says, its run ends, the next one runs and nothing is written",
  { timeout: 900_000 },
  async () => {
    const canary = mkdtempSync(path.join(tmpdir(), "gantry-canary-"));
    onTestFinished(() => rmSync(canary, { recursive: true, force: true }));
    await using kit = await startSandbox({ hostile: true, guarded, prepare });
    const other = fc.oneof(fc.jsonValue(), fc.constantFrom("../x", `${canary}/x`, "ID", -1, 1e300, [], {}));
    const message = fc
      .tuple(fc.constantFrom(...right), fc.array(fc.nat(9), { maxLength: 4 }), other)
      .map((one) => mutated(...one));
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 3 }), async (messages) => {
        await kit.run("true");
        await kit
          .run(`EVIL ${saying(...messages)}; setTimeout(() => socket.destroy())`)
          .catch(() => undefined);
        // If its answer came first, the next run may have been given to the process before it was
        // found out.
        await kit.run("true").catch(() => undefined);
        expect(await stateOf(kit, canary)).toEqual(["alive\n", OWN, []]);
      }),
      { numRuns: process.env.GANTRY_LONG ? 300 : 8 },
    );
  },
);
