import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { windowServer, type WindowServer } from "../../plugins/history-compact/window-server.test-kit.ts";
import { said, startGantry, tempDir } from "../helpers/cli.ts";
import { talk } from "../helpers/pty.ts";
import { freePort, Platform, unbounded } from "./platform.ts";

const isLong = process.env["GANTRY_LONG"] !== undefined;
const turns = isLong ? 200 : 8;
const windows = isLong ? [8_000, 16_000] : [8_000];
const rule = "Always address me as Captain.";
const fact = "My dog is called Rex.";
const sizes = [1, 40, 400] as const;

/** A configuration directory whose workspace holds a rule and big files. */
function home({ provider }: WindowServer, more: string = "") {
  const made = tempDir(`default_provider = "${provider}"\ndefault_model = "m"\n${more}`);
  const workspace = path.join(made.dir, "workspace");
  mkdirSync(path.join(workspace, ".git"), { recursive: true });
  writeFileSync(path.join(workspace, "AGENTS.md"), rule);
  for (const size of sizes)
    writeFileSync(path.join(workspace, `big-${size}.txt`), `a line of ${size} KB\n`.repeat(size * 60));
  return made;
}

function words(i: number): string {
  if (i === 0) return fact;
  return i % 3 === 0 ? `thanks for ${i}` : `${i}: read big-${sizes[i % sizes.length]}.txt`;
}

function expectKnown({ taken }: WindowServer): void {
  const last = taken.at(-1) ?? "";
  expect(last).toContain(fact);
  expect(last).toContain(rule);
}

test.each(windows)(
  "CTX-02: on the chat-app, with a window of %i tokens, every message of a long conversation with big files is answered, and its beginning is known at the end",
  { timeout: 1_800_000 },
  async (window) => {
    await using server = await windowServer(window);
    const platform = new Platform();
    const graph = await platform.start();
    const port = await freePort();
    const channel = `access_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["+491"]`;
    using made = home(
      server,
      [
        `[gateway]\nport = ${port}\n${unbounded}\n[endpoints]\ngraph_url = "${graph}"`,
        `[channels_config.chatapp]\n${channel}\napp_secret = "${platform.secret}"`,
      ].join("\n"),
    );
    const { child, ended } = startGantry(["daemon"], {
      dir: made.dir,
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
    });
    try {
      await said(child, "stderr", /Gantry is ready/);
      for (let i = 0; i < turns; i += 1) {
        expect(await platform.deliver(`http://127.0.0.1:${port}`, "491", `id-${i}`, words(i))).toBe(true);
        await platform.until(() => platform.replies.length > i);
      }
    } finally {
      child.kill("SIGTERM");
      await ended;
      platform.stop();
    }
    expect(platform.replies.map(({ body }) => body)).toEqual(Array(turns).fill("Done."));
    expectKnown(server);
  },
);

test.each(windows)(
  "CTX-02: TTY-02: in the terminal, with a window of %i tokens, every line of a long conversation with big files is answered, and its beginning is known at the end",
  { timeout: 1_800_000 },
  async (window) => {
    await using server = await windowServer(window);
    using made = home(server);
    await using person = talk(["agent"], { dir: made.dir });
    await person.until(/> $/);
    for (let i = 0; i < turns; i += 1) {
      person.type(`${words(i)}\r`);
      await person.until(/Done\.[^]*> $/);
    }
    expect(server.taken.length).toBeGreaterThanOrEqual(turns);
    expectKnown(server);
  },
);
