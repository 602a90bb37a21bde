import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import history from "../plugins/history-compact/index.ts";
import instructions from "../plugins/prompt-instructions/index.ts";
import net from "../plugins/net-undici/index.ts";
import chat from "../plugins/provider-chat-completions/index.ts";
import messages from "../plugins/provider-messages/index.ts";
import router from "../plugins/provider-router/index.ts";
import sandbox from "../plugins/sandbox-landlock/index.ts";
import store from "../plugins/store-sqlite/index.ts";
import files from "../plugins/tool-files/index.ts";
import { cachingServer } from "./helpers/caching-server.ts";
import { tempDir } from "./helpers/temp-dir.ts";

test.each(["custom", "messages-custom"])(
  "CACHE-01: CACHE-02: with %s a conversation of 50 turns costs at most 1.15 times what it would with a perfect cache",
  async (kind) => {
    using home = tempDir();
    const workspace = path.join(home.dir, "workspace");
    await mkdir(workspace);
    for (const [name, lines] of Object.entries({ "a.txt": 20, "b.txt": 400 }))
      await writeFile(path.join(workspace, name), "a line of a file\n".repeat(lines));
    await writeFile(path.join(workspace, "AGENTS.md"), "Answer briefly.\n");
    await using server = await cachingServer();
    await using t = await startTestHost({
      plugins: [history, files, instructions, net, chat, messages, router, sandbox, store],
      config: {
        default_provider: `${kind}:${server.url}`,
        default_model: "m",
        api_key: "key",
        security: { workspace_path: workspace },
      },
    });
    for (let i = 0; i < 50; i += 1) {
      const said =
        i % 4 === 3 ? `${i}: read ${i % 8 === 3 ? "b" : "a"}.txt` : `${i}: ${"and now? ".repeat(10)}`;
      expect(await t.ask(said)).toMatchObject({ reply: "Done." });
    }
    const { billed, ideal, requests } = server.bill();
    expect(requests).toBeGreaterThanOrEqual(62);
    expect(billed / ideal).toBeLessThanOrEqual(1.15);
  },
);
