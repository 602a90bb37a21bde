import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, expect, onTestFinished, test } from "vitest";
import { freePort } from "./e2e/platform.ts";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { startModel, type Answer, type ModelServer } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const node = path.dirname(process.execPath);
const mending = "sed -i 's/total = 1/total = 0/' sum.mjs && node check.mjs";
const shell = (command: string): Answer => ({ calls: [{ name: "shell", args: { command } }] });

const sum = `export const sum = (all) => {
  let total = 1;
  for (const one of all) total += one;
  return total;
};
`;
const check = `import { sum } from "./sum.mjs";
if (sum([1, 2]) !== 3) throw new Error("sum is " + sum([1, 2]));
console.log("all is well");
`;

/** A folder with a test that fails, and a configuration in which commands are tried first. */
function repository(model: ModelServer, more = "") {
  const home = tempDir(
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"`,
      "[agent]\ntry_first = true",
      `[security]\nruns = "view"\nallow = ["shell: node check.mjs"]`,
      `[security.sandboxing]\nallowed_read_paths = ["/usr", "/lib", "/lib64", "/bin", "$WORKSPACE", "${node}"]`,
      `[runtime]\nmax_memory_mb = 8192\n${more}`,
    ].join("\n"),
  );
  const folder = path.join(home.dir, "workspace");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "sum.mjs"), sum);
  writeFileSync(path.join(folder, "check.mjs"), check);
  return {
    ...home,
    [Symbol.dispose]: () => home[Symbol.dispose](),
    sum: () => readFileSync(path.join(folder, "sum.mjs"), "utf8"),
  };
}

function skipWithoutViews(question: string, { skip }: TestContext): void {
  const [, why] = /Not tried first: (.*)/.exec(question) ?? [];
  if (why !== undefined) skip(why);
}

test.runIf(process.platform === "linux")(
  "AGT-08: with try_first a failing test is mended with one question, which shows that it passes",
  async (at) => {
    await using model = await startModel(shell("node check.mjs"), shell(mending), "The test passes now.");
    using home = repository(model);
    await using person = talk(["agent"], { dir: home.dir });
    await person.until(/> $/);
    person.type("mend the test\r");
    const asked = await person.until(/\[y\/[^\]]*\]\s*$/);
    skipWithoutViews(asked, at);
    expect(asked).toContain("Tried first, without network: exit code 0.");
    expect(asked).toContain("  |   > all is well\r\n  | The command:\r\n  |   $ sed -i ");
    expect(asked).toContain("  | -  let total = 1;\r\n  | +  let total = 0;");
    expect(home.sum()).toContain("total = 1");
    person.type("y\r");
    await person.until(/The test passes now\.[^]*> $/);
    expect(home.sum()).toContain("total = 0");
  },
);

/** The view that a client has of an open question. */
interface Shown {
  readonly id: string;
  readonly preview: string;
  readonly diff: string;
  readonly warnings: readonly string[];
}

test.runIf(process.platform === "linux").for(["allow", "deny"])(
  "RUN-04: over HTTP a question shows what was tried, and %s decides on it",
  async (decision, at) => {
    await using model = await startModel(shell(mending), "done");
    const port = await freePort();
    using home = repository(model, `[gateway]\nport = ${port}\n`);
    const { child } = startGantry(["gateway"], { dir: home.dir });
    onTestFinished(() => void child.kill());
    await said(child, "stderr", /Gantry is ready/);
    const token = (await gantry(["pair", "token"], { dir: home.dir })).out.trim();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/api`;
    const body = JSON.stringify({ message: "mend the test", stream: true });
    const answer = await fetch(`${url}/chat`, { method: "POST", headers, body });
    const open = async (): Promise<readonly Shown[]> =>
      ((await (await fetch(`${url}/approvals`, { headers })).json()) as { approvals: Shown[] }).approvals;
    await expect.poll(open).toHaveLength(1);
    const [{ id, preview, diff, warnings } = {} as Shown] = await open();
    skipWithoutViews(warnings.join("\n"), at);
    expect(preview).toContain("  > all is well");
    expect(diff).toContain("-  let total = 1;\n+  let total = 0;");
    expect(home.sum()).toContain("total = 1");
    const decided = { method: "POST", headers, body: JSON.stringify({ decision }) };
    expect((await fetch(`${url}/approvals/${id}`, decided)).status).toBe(200);
    expect(await answer.text()).toContain("event: done");
    expect(home.sum()).toContain(decision === "allow" ? "total = 0" : "total = 1");
  },
);
