import { writeFileSync } from "node:fs";
import path from "node:path";
import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { bin, environment, tempDir } from "./helpers/cli.ts";

/** A provider that says its version and how many messages it has seen. */
function provider(version: number): string {
  return `
import { definePlugin } from "@gantry/sdk";
export default definePlugin({
  name: "provider-draft",
  taps: ["resolveProvider"],
  setup(host) {
    host.hooks.resolveProvider.tap(() => ({
      name: "draft",
      capabilities: { nativeToolCalling: true, vision: false, streaming: true },
      async *chat({ messages }: { messages: { role: string }[] }) {
        const said = messages.filter(({ role }) => role === "user").length;
        yield { type: "text" as const, text: "draft ${version} saw " + said + " of yours." };
        yield { type: "stop" as const, reason: "EndTurn" as const };
      },
    }));
  },
});
`;
}

test(
  "SDK-04: agent --watch starts again when a plugin under work changes, and the conversation goes on",
  { timeout: 300_000 },
  async () => {
    using home = tempDir('plugins = ["./draft.ts", "store-sqlite"]\n');
    const file = path.join(home.dir, "draft.ts");
    writeFileSync(file, provider(1));
    const terminal = spawn(process.execPath, [bin, "agent", "--watch", "--session", "kept"], {
      cwd: home.dir,
      env: environment({ dir: home.dir }),
      cols: 120,
      rows: 40,
    });
    let seen = "";
    const waits: { pattern: RegExp; resolve: () => void }[] = [];
    terminal.onData((text) => {
      seen += text;
      for (const wait of waits.splice(0)) {
        if (wait.pattern.test(seen)) wait.resolve();
        else waits.push(wait);
      }
    });
    const until = (pattern: RegExp): Promise<void> =>
      pattern.test(seen) ? Promise.resolve() : new Promise((resolve) => waits.push({ pattern, resolve }));
    try {
      await until(/Conversation kept[\s\S]*> /);
      terminal.write("one\r");
      await until(/draft 1 saw 1 of yours/);
      writeFileSync(file, provider(2));
      await until(/draft 1[\s\S]*Conversation kept[\s\S]*> /);
      terminal.write("two\r");
      await until(/draft 2 saw 2 of yours/);
      writeFileSync(file, "this is no plugin");
      await until(/PLUGIN_IMPORT_FAILED[\s\S]*starts again when a file changes/);
      writeFileSync(file, provider(3));
      await until(/file changes[\s\S]*Conversation kept[\s\S]*> /);
      terminal.write("three\r");
      await until(/draft 3 saw 3 of yours/);
      writeFileSync(file, 'process.stdout.write("round and round"); for (;;);');
      await until(/round and round/);
      writeFileSync(file, provider(4));
      await until(/round and round[\s\S]*Conversation kept[\s\S]*> /);
    } finally {
      const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
      terminal.write("\r/exit\r");
      expect(await ended).toBe(0);
    }
  },
);
