import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Sandbox, ShellReader } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { beforeAll, afterAll, expect, test } from "vitest";
import autonomy from "../plugins/guard-autonomy/index.ts";
import commands from "../plugins/guard-commands/index.ts";
import paths from "../plugins/guard-paths/index.ts";
import secretFiles from "../plugins/redact-secret-files/index.ts";
import sandbox from "../plugins/sandbox-landlock/index.ts";
import shell from "../plugins/tool-shell/index.ts";

/**
 * The short form tries the same scripts every time; the long form 20,000 new ones over all tests,
 * GANTRY_FUZZ as many as it says.
 */
const seeded = (process.env["GANTRY_FUZZ"] ?? process.env["GANTRY_LONG"]) ? {} : { seed: 7 };
const TESTS = 4;
const runs = Math.ceil(
  Number(process.env["GANTRY_FUZZ"] ?? (process.env["GANTRY_LONG"] ? 20_000 : 80)) / TESTS,
);

const SECRET = "s3cret-0123456789-abcdef";
const GUARDED = [".bashrc", ".vscode/tasks.json", ".git/hooks/pre-commit"];
const MARKER = "ran-by-dd";

let host: TestHost;
/** The walls of this machine that hold by themselves, whatever a script is called. */
const held = { secret: false, guarded: false, blocked: false };

beforeAll(async () => {
  const config = { agent: { autonomy_level: "autonomous" } };
  host = await startTestHost({ plugins: [autonomy, commands, paths, sandbox, shell, secretFiles], config });
  restore();
  held.secret = !(await bare("cat .env")).includes(SECRET);
  await bare("for f in .bashrc .vscode/tasks.json; do echo changed > $f; done");
  held.guarded = changed().length === 0;
  restore();
  await bare(`dd if=/dev/null of=${MARKER}`);
  held.blocked = !existsSync(at(MARKER));
  restore();
});
afterAll(() => host.stop());

/** Runs a script behind the walls alone, with no guard in front. */
async function bare(script: string): Promise<string> {
  const { signal } = new AbortController();
  const argv = ["/bin/bash", "--norc", "--noprofile", "-c", script];
  const limits = { timeoutMs: 10_000, maxOutputBytes: 100_000, signal };
  const { stdout } = await host.slot(Sandbox).run({ argv, cwd: host.runtime.workspace, ...limits });
  return stdout;
}

function at(name: string): string {
  return path.join(host.runtime.workspace, name);
}

/**
 * Replaces only what changed, since the walls of one script serve the next as long as nothing was
 * replaced.
 */
function restore(): void {
  for (const name of ["out", "y", "l", MARKER]) rmSync(at(name), { recursive: true, force: true });
  for (const folder of ["sub", ".vscode", ".git/hooks"]) mkdirSync(at(folder), { recursive: true });
  put(".env", `TOKEN=${SECRET}\n`);
  put("a", "plain text\n");
  for (const name of GUARDED) put(name, "original\n");
  if (!existsSync(at("sub/link"))) symlinkSync("../.env", at("sub/link"));
}

function put(name: string, content: string): void {
  const about = lstatSync(at(name), { throwIfNoEntry: false });
  if (about?.isFile() && readFileSync(at(name), "utf8") === content) return;
  rmSync(at(name), { recursive: true, force: true });
  writeFileSync(at(name), content);
}

function changed(): readonly string[] {
  return GUARDED.filter((name) => !existsSync(at(name)) || readFileSync(at(name), "utf8") !== "original\n");
}

/** Returns true if the guards could see every word of the script. */
async function isWhollyKnown(script: string): Promise<boolean> {
  const reading = await host
    .slot(ShellReader)
    .read(script)
    .catch(() => undefined);
  const words = [...(reading?.commands.flat() ?? []), ...(reading?.files ?? [])];
  const opinions = await host.explain("shell", { command: script });
  const doubted = opinions.some(({ outcome }) => outcome !== undefined);
  return (
    reading !== undefined && !doubted && words.every(({ whole, pattern }) => whole || pattern !== undefined)
  );
}

function hex(text: string): string {
  return [...text].map((sign) => `\\x${sign.charCodeAt(0).toString(16)}`).join("");
}

/** A word spelled in one of the many ways that bash reads alike; the first part is run before. */
function spelled(word: string): fc.Arbitrary<readonly [before: string, word: string]> {
  const cut = fc.nat({ max: word.length - 1 });
  return fc.oneof(
    fc.constant(["", word] as const),
    cut.map((i) => ["", `${word.slice(0, i)}""${word.slice(i)}`] as const),
    cut.map((i) => ["", `${word.slice(0, i)}\\${word.slice(i)}`] as const),
    cut.map((i) => ["", `'${word.slice(0, i)}'${word.slice(i)}`] as const),
    fc.constant(["", `$'${hex(word)}'`] as const),
    fc.constant(["", `"$(echo ${word})"`] as const),
    fc.constant(["", `\`printf %s ${word}\``] as const),
    cut.map((i) => [`x=${word.slice(i)}; `, `${word.slice(0, i)}$x`] as const),
    cut.map((i) => [`x=${word.slice(i)}; `, `"${word.slice(0, i)}\${x}"`] as const),
    fc.constant([`read -r x <<< ${word}; `, `"$x"`] as const),
    fc.constant([`x=(${word}); `, `"\${x[0]}"`] as const),
    fc.constant([`printf -v x %s ${word}; `, `$x`] as const),
    fc.constant([`set -- ${word}; `, `"$1"`] as const),
    fc.constant(["", `\${none:-${word}}`] as const),
    fc.constant(["", `{${word},}`] as const),
  );
}

/** The same for a path: patterns, detours, links. */
function pathSpelled(name: string): fc.Arbitrary<readonly [before: string, word: string]> {
  const last = name.length - 1;
  const begun = name.slice(0, name.lastIndexOf("/") + 3);
  return fc.oneof(
    { weight: 3, arbitrary: spelled(name) },
    fc.constantFrom(
      ["", `${name.slice(0, last)}?`],
      ["", `${name.slice(0, last)}[${name[last]}]`],
      ["", `${begun}*`],
      ["", `./${name}`],
      ["", `sub/../${name}`],
      ["", `~/${name}`],
      ["", `$PWD/${name}`],
      ["", `"$HOME"/${name}`],
      ["cd sub; ", `../${name}`],
      [`ln -s ${name} l; `, "l"],
      [`ln -s "$PWD/${begun}"* l; `, "l"],
    ) as fc.Arbitrary<readonly [string, string]>,
  );
}

const wraps = [
  (line: string) => line,
  (line: string) => `( ${line} )`,
  (line: string) => `{ ${line}; }`,
  (line: string) => `if true; then ${line}; fi`,
  (line: string) => `true && ${line} | cat`,
  (line: string) => `f() { ${line}; }; f`,
  (line: string) => `bash -c '${line.replaceAll("'", "'\\''")}'`,
  (line: string) => `eval '${line.replaceAll("'", "'\\''")}'`,
  (line: string) => `x=; for _ in 1; do ${line}; done`,
];

function scripts(
  target: fc.Arbitrary<readonly [string, string]>,
  uses: readonly ((word: string) => string)[],
): fc.Arbitrary<string> {
  return fc
    .tuple(target, fc.constantFrom(...uses), fc.constantFrom(...wraps))
    .map(([[before, word], use, wrap]) => wrap(`${before}${use(word)}`));
}

const readings = [
  (word: string) => `cat ${word}`,
  (word: string) => `head -c 99 ${word}`,
  (word: string) => `grep -h . ${word}`,
  (word: string) => `while read -r line; do echo "$line"; done < ${word}`,
  (word: string) => `sed -n p ${word}`,
  (word: string) => `awk 1 ${word}`,
  (word: string) => `cp ${word} y; cat y`,
  (word: string) => `. ${word}; echo "$TOKEN"`,
  (word: string) => `mapfile -t l < ${word}; echo "\${l[@]}"`,
  (word: string) => `echo "$(< ${word})"`,
  (word: string) => `cat <<E\n$(cat ${word})\nE\n`,
  (word: string) => `ls ${word} | xargs cat`,
  (word: string) => `find . -name ${word} -exec cat {} +`,
  () => `grep -rh TOKEN .`,
  () => `cat sub/link`,
  () => `tar c . | strings`,
];
const writings = [
  (word: string) => `echo changed > ${word}`,
  (word: string) => `echo changed >> ${word}`,
  (word: string) => `cp a ${word}`,
  (word: string) => `tee ${word} < a`,
  (word: string) => `rm -f ${word}`,
  (word: string) => `mv ${word} y`,
  (word: string) => `sed -i s/original/changed/ ${word}`,
  (word: string) => `ln -sf a ${word}`,
  (word: string) => `truncate -s 0 ${word}`,
];
const runnings = [
  (word: string) => `${word} if=/dev/null of=${MARKER}`,
  (word: string) => `env ${word} if=/dev/null of=${MARKER}`,
  (word: string) => `command ${word} if=/dev/null of=${MARKER}`,
  (word: string) => `echo of=${MARKER} | xargs ${word} if=/dev/null`,
  (word: string) => `timeout 5 ${word} if=/dev/null of=${MARKER}`,
  (word: string) => `find a -exec ${word} if=/dev/null of=${MARKER} ";"`,
];

/** Checks every script through guards, walls and filters; `left` is what must not be left of it. */
async function holds(
  script: fc.Arbitrary<string>,
  left: (script: string, text: string) => Promise<string | undefined>,
): Promise<string> {
  const property = fc.asyncProperty(script, async (command) => {
    restore();
    const { text } = await host.call("shell", { command, timeout_seconds: 10 });
    const wrong = await left(command, text);
    if (wrong !== undefined) throw new Error(`${wrong}\n${command}\n${text}`);
  });
  const report = await fc.check(property, { numRuns: runs, ...seeded });
  const { message = "" } = (report.errorInstance ?? {}) as { message?: string };
  return report.failed ? `${fc.defaultReportMessage(report)}\n${message}` : "held";
}

test(
  "SEC-15: whatever a script calls a secret file, its text does not come out",
  { timeout: 3_600_000 },
  async () => {
    const held = await holds(scripts(pathSpelled(".env"), readings), async (_, text) =>
      text.includes(SECRET) ? "the secret came out" : undefined,
    );
    expect(held).toBe("held");
  },
);

test(
  "SEC-15: whatever a script calls a guarded file, it is what it was",
  { timeout: 3_600_000 },
  async () => {
    const target = fc.oneof(...GUARDED.map(pathSpelled));
    const result = await holds(scripts(target, writings), async (script) => {
      const names = changed();
      const mustHold = held.guarded || (await isWhollyKnown(script));
      return names.length > 0 && mustHold ? `changed: ${names.join(", ")}` : undefined;
    });
    expect(result).toBe("held");
  },
);

test("SEC-03: a blocked command is not run by another spelling", { timeout: 3_600_000 }, async () => {
  const target = fc.oneof(spelled("dd"), spelled("/usr/bin/dd"), spelled("/bin/dd"));
  const result = await holds(scripts(target, runnings), async (script) => {
    const mustHold = held.blocked || (await isWhollyKnown(script));
    return existsSync(at(MARKER)) && mustHold ? "dd ran" : undefined;
  });
  expect(result).toBe("held");
});

test(
  "SEC-13: a guard's refusal means that nothing of the script has run",
  { timeout: 3_600_000 },
  async () => {
    const target = fc.oneof(pathSpelled(".env"), pathSpelled(".bashrc"), spelled("dd"));
    const touching = [...readings, ...writings].map((use) => (word: string) => `touch out; ${use(word)}`);
    const property = fc.asyncProperty(scripts(target, touching), async (command) => {
      restore();
      const { decision } = await host.call("shell", { command, timeout_seconds: 10 });
      return decision !== "refused" || !existsSync(at("out"));
    });
    const report = await fc.check(property, { numRuns: runs, ...seeded });
    expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
  },
);
