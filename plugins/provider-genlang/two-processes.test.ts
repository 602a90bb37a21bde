import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { home, vendor } from "./vendor.test-kit.ts";

const child = new URL("warmup.test-child.ts", import.meta.url).pathname;

function warmup(configDir: string, endpoints: object): Promise<string> {
  const args = [
    "--conditions=gantry-source",
    "--disable-warning=ExperimentalWarning",
    child,
    configDir,
    JSON.stringify(endpoints),
  ];
  const running = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    running.stdout.on("data", (piece: Buffer) => (text += String(piece)));
    running.once("error", reject).once("close", () => resolve(text.trim()));
  });
}

test.each<["auth-profiles" | "vendor CLI OAuth"]>([["auth-profiles"], ["vendor CLI OAuth"]])(
  "GEN-06: two processes that find the same old token of %s refresh it once, and no secret lies open in the store",
  async (source) => {
    using clean = home();
    const tokens = {
      access_token: "CANARY-old",
      refresh_token: "CANARY-refresh",
      client_id: "c",
      client_secret: "CANARY-s",
      expiry_date: 1,
    };
    const profile = { provider: "genlang", name: "d", ...tokens };
    if (source === "auth-profiles") {
      clean.put("config/auth-profiles.json", {
        version: 1,
        active: { genlang: "genlang:d" },
        profiles: { "genlang:d": profile },
      });
    } else {
      clean.put("config/.keep", "");
      clean.put(".gemini/oauth_creds.json", tokens);
    }
    await using server = await vendor({
      "/token": () => ({ json: { access_token: "CANARY-new", expires_in: 3600 }, afterMs: 400 }),
    });
    const configDir = join(clean.path, "config");
    const said = await Promise.all([1, 2].map(() => warmup(configDir, server.endpoints)));
    for (const line of said) expect(line).toContain(`ready with the OAuth token of ${source}`);
    expect(server.at("/token")).toHaveLength(1);
    const store = ["gantry.db", "gantry.db-wal"]
      .map((name) => readIfThere(join(configDir, "state", name)))
      .join("");
    expect(store.length).toBeGreaterThan(0);
    expect(store).not.toContain("CANARY");
  },
);

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
