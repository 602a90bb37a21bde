import { spawn, execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import * as grammar from "unbash";
import { expect, test } from "vitest";
import { readShell } from "../reading.ts";
import { UNKNOWN, type Arg } from "../syntax/words.ts";

const runs = Number(process.env["GANTRY_FUZZ"] ?? (process.env["GANTRY_LONG"] ? 5_000 : 120));

/**
 * Options that each of these programs may be given, right and wrong ones; a quoted one may hold a
 * space.
 */
const options: Readonly<Record<string, readonly string[]>> = {
  env: optionsIn(
    "-i - -u -uA --unset=A --uns -S -Sqb '-S qa' --split-string=qb '--spl=qa x' -v --debug -C -C. --chdir=. A=1 = -- " +
      "-a --ignore-s -iS --null -0",
  ),
  nice: optionsIn("-n -n5 5 -5 --5 --adjustment=5 --adj -n1x -- -"),
  nohup: optionsIn("-- -x"),
  timeout: optionsIn(
    "5 5s 1x -k -k1 -s -sTERM TERM --signal=TERM --sig --kill-after=1 --k 1 -v --fore --preserve-status -f -p -- .1",
  ),
  stdbuf: optionsIn("-oL -o L -i0 -e 0 --output=L --out --error=0 --"),
  setsid: optionsIn("-w -f -c -wf --wait --fork --wa --"),
  flock: optionsIn("f -n -w 1 -w1 -c -x -s -e -o -E 3 --command --nonb --timeout=1 'qa x' --close -nx -F"),
  ionice: optionsIn("-c 3 -c3 -n 7 -t --class idle --classdata=1 -p --cl=2"),
  chrt: optionsIn("-b -i -o 0 1 --batch --idle --other -v --max -a"),
  taskset: optionsIn("1 -c 0 --cpu-list -a -p 3 0x1"),
  xargs: optionsIn(
    "-0 -n 1 -n1 -I {} -I{} -i -ix x -L -L1 -l -P 2 -r -t --max-args=1 --max-a --replace --replace=x -d -d, -a f -E x " +
      "-s 100 --no-run --",
  ),
  find: optionsIn(". f -name f -exec -execdir {} '{}' \\; ';' + -type -print ! -o \\( \\) -maxdepth 1 -true"),
  sh: optionsIn("-c -e -ec -x +x -s -- -o errexit 'qa x' \"qb; qa\" f -"),
  bash: optionsIn(
    "-c -e -ce --norc --noprofile --posix -O extglob +O -o errexit 'qa x' \"qb|qa\" -- -s --rcfile f - +e -i",
  ),
};

function optionsIn(text: string): readonly string[] {
  return text.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
}

const installed = Object.keys(options).filter((program) => {
  try {
    return execFileSync("/bin/sh", ["-c", `command -v ${program}`], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});

const GIVEN_TEXT = /^(?:(?:[-+][oO]|--rcfile) \S+ |[-+](?!-? )\S* )*-\w*c/;

/**
 * True for a shell that runs a file or its input, and for a command that is known only at run time.
 */
function runsUnread([head, ...args]: readonly Arg[]): boolean {
  const isShell = /^(ba)?sh$/.test(head?.text ?? "");
  const isRead = GIVEN_TEXT.test(args.map(({ text }) => text).join(" "));
  return (isShell && !isRead) || head?.guess.includes(UNKNOWN) === true;
}

async function ranIn(folder: string, script: string): Promise<readonly string[]> {
  const log = path.join(folder, `log-${Math.random()}`);
  const env = { PATH: `${folder}/bin:/usr/bin:/bin`, LOG: log, HOME: folder };
  const child = spawn("/bin/bash", ["--norc", "--noprofile", "-c", script], {
    cwd: folder,
    env,
    detached: true,
    stdio: "ignore",
  });
  const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), 2_000);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  const text = await readFile(log, "utf8").catch(() => "");
  await rm(log, { force: true });
  return [...new Set(text.split("\n").filter(Boolean))];
}

test(
  "SEC-03: whatever a real wrapper starts, in whatever order its options stand, the guard saw",
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "gantry-wrappers-"));
    execFileSync("/bin/mkdir", [path.join(folder, "bin")]);
    for (const name of ["qa", "qb"]) {
      const file = path.join(folder, "bin", name);
      await writeFile(file, `#!/bin/sh\necho ${name} >> "\${LOG:-${folder}/lost}"\n`);
      await chmod(file, 0o755);
    }
    await writeFile(path.join(folder, "f"), "x\n");
    const wrapper = fc
      .constantFrom(...installed)
      .chain((program) =>
        fc
          .array(fc.constantFrom(...(options[program] as readonly string[])), { maxLength: 4 })
          .map((words) => [program, ...words].join(" ")),
      );
    const script = fc
      .tuple(
        fc.array(wrapper, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("qa", "qa x", "qb -c qa", "-- qa", "qa \\;", "qa {} +"),
        fc.constantFrom("", " < f"),
      )
      .map(([wrappers, command, input]) => `${wrappers.join(" ")} ${command}${input}`);
    let ranAndAllowed = 0;
    const property = fc.asyncProperty(script, async (text) => {
      const { commands, unreadable, steered } = readShell(text, grammar);
      if (unreadable.size + steered.size > 0 || commands.some(runsUnread)) return true;
      const ran = await ranIn(folder, text);
      if (ran.length > 0) ranAndAllowed++;
      const seen = new Set(commands.map(([head]) => head?.text));
      return ran.every((name) => seen.has(name));
    });
    const report = await fc.check(property, { numRuns: runs });
    await rm(folder, { recursive: true, force: true });
    expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
    expect(ranAndAllowed).toBeGreaterThan(0);
  },
);
