import { readFileSync, truncateSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { FakeDiscord, token as discordToken } from "../../plugins/channel-discord/fake-discord.test-kit.ts";
import { appToken, botToken } from "../../plugins/channel-slack/fake-slack.test-kit.ts";
import { startWorkspace } from "../../plugins/channel-slack/slack.test-kit.ts";
import { startPostgres } from "../../plugins/store-postgres/server.test-kit.ts";
import { gantry, tempDir } from "../helpers/cli.ts";
import { programs } from "../helpers/programs.ts";
import { serveHeld, telegramTable, type Held, type HeldOptions, type Told } from "./held-service.ts";
import { limitedDisk, mountDisk } from "./small-disk.ts";

const minute = 60_000;
/** GANTRY_FAULT_MINUTES holds them for less. */
const heldMs = Number(process.env["GANTRY_FAULT_MINUTES"] ?? 20) * minute;
/** A refused account is tried again every five minutes, and must hold for half a minute. */
const backMs = 7 * minute;
const postgres = programs("initdb");

interface Fault {
  /** The part that it is told as. */
  readonly part: string;
  begin(service: Held): unknown;
  end(service: Held): unknown;
}

/** A fault with the service that it needs around it. */
type Made = Fault & Omit<HeldOptions, "dir" | "owner"> & Partial<HeldOptions> & { remove?(): unknown };

interface Outcome {
  readonly part: string;
  readonly told: readonly Told[];
  readonly began: number;
  readonly ended: number;
  readonly log: string;
}

const modelFails = (fault: number | "hangs"): Made => ({
  part: "model",
  begin: ({ model }) => (model.fault = fault),
  end: ({ model }) => (model.fault = undefined),
});

/** So many calls fail that the fault lasts until they are taken away. */
const forEver = <Failure>(failure: Failure): Failure[] => Array<Failure>(100_000).fill(failure);

const telegram = { part: "channel:telegram", tables: telegramTable };
const conflict =
  "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const chatapp = { part: "channel:chatapp", owner: "telegram" } as const;

const faults: Readonly<Record<string, () => Made | Promise<Made | undefined>>> = {
  "a model that refuses connections": () => ({
    part: "model",
    begin: ({ model }) => model.stop(),
    end: ({ model }) => model.start(),
  }),
  "a model that answers 401": () => modelFails(401),
  "a model that answers 429": () => modelFails(429),
  "a model that answers 500": () => modelFails(500),
  "a model that hangs": () => modelFails("hangs"),
  "Telegram that answers 401": () => ({
    ...telegram,
    begin: ({ telegram: api }) => (api.revoked = true),
    end: ({ telegram: api }) => (api.revoked = false),
  }),
  "Telegram that answers 409": () => ({
    ...telegram,
    begin: ({ telegram: api }) =>
      api.failures.push(...forEver({ method: "getUpdates", code: 409, description: conflict })),
    end: ({ telegram: api }) => (api.failures.length = 0),
  }),
  "Telegram that is silent": () => ({
    ...telegram,
    begin: ({ telegram: api }) => api.failures.push(...forEver({ how: "silent" as const })),
    end: ({ telegram: api }) => (api.failures.length = 0),
  }),
  "a chat-app that answers 401": () => ({
    ...chatapp,
    begin: ({ platform }) => ([platform.refuses, platform.refusal] = [() => true, 401]),
    end: ({ platform }) => (platform.refuses = () => false),
  }),
  "a chat-app that is silent": () => ({
    ...chatapp,
    begin: ({ platform }) => (platform.hangs = true),
    end({ platform }) {
      platform.hangs = false;
      platform.hangUp();
    },
  }),
  "Slack that refuses the token": () =>
    slack((api) => {
      for (const token of [botToken, appToken]) api.revoked.add(token);
      api.socketMode.cut();
    }),
  "Slack that is silent": () =>
    slack((api) => {
      api.socketMode.isDeaf = true;
      api.failures.push(...forEver({ how: "silent" as const }));
    }),
  "Discord that refuses the token": () =>
    discord((api) => {
      api.revoked = true;
      api.gateway.drop(4_004);
    }),
  "Discord that is silent": () =>
    discord((api) => {
      api.gateway.deaf = true;
      api.gateway.silent = true;
      api.failures.push(...forEver({ how: "silent" as const }));
    }),
  "a full disk": async () => {
    const home = tempDir();
    const disk = mountDisk(home.dir, 160);
    const remove = (): void => {
      disk?.remove();
      home[Symbol.dispose]();
    };
    if (!disk) return void remove();
    return { part: "disk", dir: disk.dir, begin: () => disk.fill(0), end: () => disk.free(0), remove };
  },
  "a store that cannot be written": async () => {
    const home = tempDir();
    const disk = limitedDisk(home.dir);
    return {
      part: "store",
      dir: disk.dir,
      begin: ({ pid }) => disk.fill(pid),
      end: ({ pid }) => disk.free(pid),
      remove: () => home[Symbol.dispose](),
    };
  },
  "a database that is gone": async () => {
    if (!postgres.here) return undefined;
    const server = await startPostgres();
    return {
      part: "store",
      tables: `[store]\nbackend = "postgres"\nurl = "${await server.database()}"`,
      begin: () => server.crash(),
      end: () => server.start(),
      remove: () => server.stop(),
    };
  },
  "an audit log that was cut": () => ({
    part: "audit",
    async begin({ dir }) {
      for (let i = 0; i < 3; i += 1)
        await gantry(["tools", "call", "memory_recall", '{"query":"x"}'], { dir });
      const log = path.join(dir, "audit.jsonl");
      const whole = readFileSync(log, "utf8").trimEnd();
      truncateSync(log, Buffer.byteLength(whole.slice(0, whole.lastIndexOf("\n") + 1)));
    },
    end: ({ dir }) => gantry(["audit", "acknowledge", "a trial"], { dir }),
  }),
};

async function slack(begin: (api: Awaited<ReturnType<typeof startWorkspace>>) => void): Promise<Made> {
  const api = await startWorkspace();
  return {
    part: "channel:slack",
    endpoints: `slack_url = "${api.url}"`,
    tables: `[channels.slack]\nbot_token = "${botToken}"\napp_token = "${appToken}"\nallowed_users = ["UADA00001"]`,
    begin: () => begin(api),
    end() {
      api.revoked.clear();
      api.failures.length = 0;
      api.socketMode.isDeaf = false;
    },
    remove: () => api[Symbol.asyncDispose](),
  };
}

async function discord(begin: (api: FakeDiscord) => void): Promise<Made> {
  const api = await FakeDiscord.start();
  return {
    part: "channel:discord",
    endpoints: `discord_url = "${api.url}"`,
    tables: `[channels.discord]\nbot_token = "${discordToken}"\nallowed_user_ids = ["111111111111111111"]`,
    begin: () => begin(api),
    end() {
      api.revoked = false;
      api.failures.length = 0;
      [api.gateway.deaf, api.gateway.silent] = [false, false];
    },
    remove: () => api[Symbol.asyncDispose](),
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Holds a fault while a member writes each minute; then waits until the owner was told its end. */
async function held(made: Made): Promise<Outcome> {
  const home = tempDir();
  const service = await serveHeld({ ...made, dir: made.dir ?? home.dir, owner: made.owner ?? "chatapp" });
  try {
    // Connected for a while, and looked at.
    await pause(45_000);
    const began = Date.now();
    await made.begin(service);
    while (Date.now() < began + heldMs) {
      void service.write();
      await pause(Math.min(minute, began + heldMs - Date.now()));
    }
    const ended = Date.now();
    await made.end(service);
    for (let i = 0; i < backMs / 20_000; i += 1) {
      void service.write();
      await pause(20_000);
      if (service.told().length > 1 && i > 3) break;
    }
    return { part: made.part, told: service.told(), began, ended, log: service.log() };
  } finally {
    await service.stop();
    await made.remove?.();
    home[Symbol.dispose]();
  }
}

/** All of them wait, so they do it side by side; each service has its own start. */
describe("a fault that is held for twenty minutes", () => {
  const outcomes = new Map<string, Promise<Outcome | undefined>>();
  beforeAll(async () => {
    for (const [name, make] of Object.entries(faults)) {
      const made = await make();
      const outcome = made ? held(made) : Promise.resolve(undefined);
      outcome.catch(() => {});
      outcomes.set(name, outcome);
      await pause(2_000);
    }
  }, 10 * minute);

  test.for(Object.keys(faults))(
    "FLR-12: %s: the owner reads one beginning and one end, and both are true",
    { timeout: heldMs + backMs + 5 * minute },
    async (name, { annotate, skip }) => {
      const outcome = await outcomes.get(name);
      if (!outcome) return skip("this machine cannot make the fault");
      const { part, told, began, ended, log } = outcome;
      const lines = told.map(({ text, at }) => `${Math.round((at - began) / 1_000)} s: ${text}`);
      await annotate(`it ended after ${Math.round((ended - began) / 1_000)} s; ${lines.join(" | ")}`);
      await annotate(log);
      expect(lines).toEqual([
        expect.stringContaining(`Alert: ${part}: `),
        expect.stringContaining(`Over: ${part} works again.`),
      ]);
      const [alert, over] = told as [Told, Told];
      expect(alert.at).toBeLessThan(ended);
      expect(over.at).toBeGreaterThan(ended);
    },
  );
});
