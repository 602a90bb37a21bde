import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import paths from "../plugins/guard-paths/index.ts";
import redactor from "../plugins/redact-secret-files/index.ts";
import sandbox from "../plugins/sandbox-landlock/index.ts";
import shell from "../plugins/tool-shell/index.ts";
import { secretFileNames, secretFolderNames } from "../sdk/security/secret-names.ts";

const files = [
  ...secretFileNames.map((name) => name.replace("*", "own")),
  ...secretFolderNames.map((name) => `${name}/own`),
  ".env",
];
const token = (file: string): string => `tok-${Buffer.from(file).toString("hex")}`;

const run = async ({ args }: { readonly args: { readonly text: string } }): Promise<string> => args.text;

/** Answers what it is given, behind no walls; reads what it is told to. */
const tools = definePlugin({
  name: "tool-test",
  provides: [Tools],
  setup: (host) => {
    const input = Type.Object({ text: Type.String() });
    host.provide(Tools, defineTool({ name: "echo", description: "Answers.", input, run }));
    host.provide(
      Tools,
      defineTool({
        name: "read",
        description: "Reads.",
        input,
        effects: ({ text }) => ({ paths: [{ path: text, access: "read" }] }),
        run,
      }),
    );
  },
});

test.runIf(process.platform === "linux")(
  "SEC-15: each name that holds credentials is refused by text, masked by the walls and taken out of results",
  async () => {
    await using host = await startTestHost({ plugins: [sandbox, shell] });
    const { workspace } = host.runtime;
    for (const file of files) {
      mkdirSync(path.dirname(path.join(workspace, "sub", file)), { recursive: true });
      writeFileSync(path.join(workspace, "sub", file), `password=${token(file)}\n`);
    }
    mkdirSync(path.join(workspace, "sub/src/credentials"), { recursive: true });
    writeFileSync(path.join(workspace, "sub/src/credentials/form.ts"), "a form\n");
    const { text } = await host.call("shell", { command: "cd sub && grep -r . ." });
    expect(files.filter((file) => text.includes(token(file)))).toEqual([]);
    expect(text).toContain("a form");

    await using guarded = await startTestHost({ plugins: [paths, redactor, tools] });
    const refused = async (file: string): Promise<boolean> =>
      (await guarded.explain("read", { text: `sub/${file}` })).some(
        ({ outcome }) => outcome?.code === "PATH_SENSITIVE",
      );
    for (const file of files) {
      expect([file, await refused(file)]).toEqual([file, true]);
      mkdirSync(path.dirname(path.join(guarded.runtime.workspace, "sub", file)), { recursive: true });
      writeFileSync(path.join(guarded.runtime.workspace, "sub", file), `password=${token(file)}\n`);
    }
    const answer = await guarded.call("echo", { text: files.map(token).join("\n") });
    expect(files.filter((file) => answer.text.includes(token(file)))).toEqual([]);
  },
);
