import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Commands } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import router from "../provider-router/index.ts";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";
import { home, vendor } from "./vendor.test-kit.ts";
import type { Reply, Seen } from "./vendor.test-kit.ts";

const OLD = {
  access_token: "CANARY-at",
  refresh_token: "CANARY-rt",
  client_id: "c",
  client_secret: "CANARY-cs",
  expiry_date: 1,
};
const FRESH = { ...OLD, expiry_date: Date.now() + 3_600_000 };
const profiles = (tokens: object) => ({
  version: 1,
  active: { genlang: "genlang:d" },
  profiles: { "genlang:d": { provider: "genlang", name: "d", ...tokens } },
});

/** Servers that give back all they were sent, in every way they can. */
const parrot = ({ auth, query, raw }: Seen): string =>
  `${auth} ${query["key"]} key=${query["key"]} ${encodeURIComponent(String(query["key"]))} ${raw}`;
const replies: readonly [string, (seen: Seen) => Reply][] = [
  ...[400, 401, 403, 404, 429, 500].map((status): [string, (seen: Seen) => Reply] => [
    `HTTP ${status}`,
    (seen) => ({ status, json: { error: { code: status, message: parrot(seen), status: parrot(seen) } } }),
  ]),
  ["a page", (seen) => ({ status: 502, json: `<html>${parrot(seen)}</html>` })],
  ["a body that is no JSON", (seen) => ({ json: parrot(seen) })],
  ["an error in the stream", (seen) => ({ sse: [{ error: { code: 400, message: parrot(seen) } }] })],
  ["an event that is no JSON", (seen) => ({ sse: [parrot(seen)] })],
];

const sources: readonly [
  string,
  { readonly api_key?: string; readonly own?: object },
  Record<string, unknown>,
  Record<string, string>,
][] = [
  ["api_key", { api_key: "CANARY key/+&" }, {}, {}],
  ["providers.genlang.api_key", { own: { api_key: "CANARY-key" } }, {}, {}],
  ["GENLANG_API_KEY", {}, {}, { GENLANG_API_KEY: "CANARY-key" }],
  ["CLOUDVENDOR_API_KEY", {}, {}, { CLOUDVENDOR_API_KEY: "CANARY-key" }],
  ["auth-profiles", {}, { "config/auth-profiles.json": profiles(FRESH) }, {}],
  ["auth-profiles that are over", {}, { "config/auth-profiles.json": profiles(OLD) }, {}],
  [
    "the vendor CLI",
    {},
    { ".gemini/oauth_creds.json": FRESH, ".gemini-x-home/.gemini/oauth_creds.json": OLD },
    {},
  ],
  [
    "broken files",
    {},
    {
      ".gemini/oauth_creds.json": '{"access_token":"CANARY',
      "config/auth-profiles.json": profiles({ ...OLD, access_token: ["CANARY"] }),
    },
    {},
  ],
];

const told = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(work).catch((error: Error) => [error.message, error.stack]);

function filesIn(place: string): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "auth-profiles.json")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
}

test.each(sources)(
  "GEN-05: a secret from %s is in no answer, error, log, audit record or file, whatever fails",
  async (_, { own, ...config }, files, env) => {
    using clean = home({ "config/.keep": "", ...files }, env);
    const configDir = join(clean.path, "config");
    const said: unknown[] = [];
    for (const [name, answer] of replies) {
      await using server = await vendor({ "": answer });
      await using gantry = await startTestHost({
        plugins: [store, net, router, plugin],
        configDir,
        config: {
          default_provider: "genlang",
          endpoints: server.endpoints,
          ...config,
          providers: { genlang: { max_retries: 0, ...own } },
        },
      });
      const signal = new AbortController().signal;
      const provider = await gantry.resolveProvider({ provider: "genlang", model: undefined });
      const ask = gantry.ask("hi", { provider: "genlang", model: "m" });
      const status = gantry.slot(Commands).get("auth status");
      const line = (text: string): void => void said.push(text);
      const run = {
        args: [],
        options: { json: true },
        out: line,
        err: line,
        interactive: false,
        signal,
        serve: async () => 0,
      };
      said.push(
        name,
        await ask,
        await told(provider.warmup?.(signal)),
        await told(provider.models?.(signal)),
        await told(provider.credential?.()),
      );
      said.push(await told(status?.run(run)), gantry.logs, gantry.audit);
      expect(server.seen.length + Object.keys(files).length, "something was asked, or read").toBeGreaterThan(
        0,
      );
    }
    const everything = JSON.stringify(said) + filesIn(configDir).join("");
    expect(everything.match(/.{60}CANARY.{20}/g) ?? []).toEqual([]);
    expect(everything).not.toContain("CANARY");
  },
);
