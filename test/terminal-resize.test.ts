import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bin, environment } from "./helpers/cli.ts";
import { chunk, startModel } from "./helpers/model.ts";
import { programs } from "./helpers/programs.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const tmux = programs("tmux");
const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `word${from + at}`).join(" ");

test.runIf(tmux.here)(
  `TTY-10: a window that is resized while an answer comes loses no word and rewrites none${tmux.why}`,
  async () => {
    const { promise: resized, resolve: goOn } = Promise.withResolvers<void>();
    await using model = await startModel({
      raw: async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(chunk({ content: `${words(0, 60)}\n\n${words(60, 90)} ` }));
        await resized;
        response.write(chunk({ content: `${words(90, 120)}\n\nThe end.` }, "stop"));
        response.end("data: [DONE]\n\n");
      },
    });
    using home = tempDir(
      `default_provider = "${model.provider}"\ndefault_model = "m"\n[providers.custom]\nmax_retries = 0\n`,
    );
    const socket = path.join(home.dir, "tmux");
    const env = { ...environment(home), NO_COLOR: "", TERM: "screen" };
    const run = async (...args: readonly string[]): Promise<string> =>
      (await promisify(execFile)("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env })).stdout;
    const screen = (): Promise<string> => run("capture-pane", "-p", "-J", "-S", "-");
    const until = (text: string): Promise<void> => expect.poll(screen, { timeout: 30_000 }).toContain(text);
    try {
      await run("new-session", "-d", "-x", "80", "-y", "24", `${process.execPath} ${bin} agent --session s`);
      await until("stops an answer.");
      await run("send-keys", "go", "Enter");
      await until("word88");
      await run("resize-window", "-x", "37", "-y", "12");
      goOn();
      await until("The end.");
      await run("resize-window", "-x", "100", "-y", "30");
      await run("send-keys", "and", "Space", "more");
      await until("and more");
      const shown = await screen();
      const found = [...shown.matchAll(/word(\d+)/g)].map(([, at]) => Number(at));
      expect(found).toEqual(Array.from({ length: 120 }, (_, at) => at));
      expect(shown.match(/> go/g)).toHaveLength(1);
    } finally {
      await run("kill-server").catch(() => {});
    }
  },
);
