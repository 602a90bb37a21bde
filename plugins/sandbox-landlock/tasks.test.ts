import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { PWNED, taskAttacks } from "./attacks.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

/** Every thread and every descriptor of a process, as a script in bash spells them. */
function everything(pid: number | "self"): { readonly tasks: string; readonly descriptors: string } {
  const names = (folder: string): string => readdirSync(`/proc/${pid}/${folder}`).join(" ");
  return { tasks: names("task"), descriptors: names("fd") };
}

test.runIf(linux)(
  "SBX-06: no thread of the service is signalled, traced or read from a run, and no descriptor of it opens",
  { timeout: 60_000 },
  async () => {
    await using kit = await startSandbox();
    await kit.run("true");
    for (const [name, command] of taskAttacks(everything("self"))) {
      const { stdout } = await kit.run(command);
      expect(`${name}: ${stdout}`).not.toContain(PWNED);
    }
  },
);
