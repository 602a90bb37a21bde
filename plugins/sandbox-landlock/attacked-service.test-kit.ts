import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { PWNED, attacks, taskAttacks } from "./attacks.test-kit.ts";
import { type KitOptions, processesWith, startSandbox } from "./sandbox.test-kit.ts";

export interface AttackedFacts {
  readonly options: Pick<KitOptions, "namespaces" | "runs" | "abiCap">;
  readonly rounds: number;
  readonly outside: string;
  readonly canary: string;
  readonly port: number;
  readonly abstract: string;
}

/**
 * A service in a process of its own, so that it may be of another user: runs every attack and
 * writes which got through.
 */
const facts = JSON.parse(process.argv[2]!) as AttackedFacts;
const { outside, port, abstract, canary, options, rounds } = facts;
const kit = await startSandbox(options);
await kit.run("true");
const through = new Set<string>();
const own = [process.pid, ...processesWith("confined-worker").filter((pid) => parentOf(pid) === process.pid)];
for (let round = 0; round < rounds; round++) {
  const tasks = own.flatMap((pid) => readdirSync(`/proc/${pid}/task`)).join(" ");
  const plain = attacks({ outside, port, host: process.pid, abstract });
  // Without namespaces a run may end the process that started it, and so itself.
  const all =
    options.namespaces === false
      ? plain.filter(([name]) => !name.startsWith("signal: "))
      : [...plain, ...taskAttacks({ tasks, descriptors: 24, apart: true })];
  for (const [name, command] of all) {
    const { stdout, stderr } = await kit.run(command, { timeoutMs: 30_000 });
    if ([PWNED, canary].some((sign) => (stdout + stderr).includes(sign))) through.add(name);
  }
}
if ((await kit.run("echo still here")).stdout !== "still here\n") through.add("it is gone");
const secret = readFileSync(path.join(outside, "secret"), "utf8");
if (!secret.includes(canary) || readdirSync(outside).includes("new"))
  through.add("what lies outside was changed");
await kit[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify([...through]));

/** Returns 0 if it has ended. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}
