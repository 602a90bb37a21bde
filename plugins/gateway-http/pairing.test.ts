import { createHash } from "node:crypto";
import { scopes } from "@gantry/sdk/fill";
import { Store, type Json, Standings } from "@gantry/sdk";
import { createMemoryStore } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { Devices } from "./devices.ts";
import { startGateway, type Reply, type TestGateway } from "./gateway.test-kit.ts";
import { Pairing } from "@gantry/sdk/node";

const outcome = ({ status, json }: Reply): unknown[] => [status, json?.error?.code];
const settings = { pairing_code_length: 6, pairing_timeout_minutes: 10 };

/** Returns some code that is not the right one. */
function wrong(code: string): string {
  return code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
}

async function newCode(gateway: TestGateway): Promise<string> {
  return (await gateway.word("pair new")).out.trim();
}

test("GW-02: the code printed at the start pairs one device, once, and its token then chats", async () => {
  await using gateway = await startGateway();
  const [, code = ""] = /Pairing code: (\d{6}) /.exec(gateway.printed) ?? [];
  const paired = await gateway.ask("/pair", { body: { code, device_name: "phone" } });
  expect(paired.status).toBe(200);
  expect(paired.json).toEqual({
    token: expect.stringMatching(/^gt_[A-Za-z0-9_-]{43}$/),
    device_id: expect.any(String),
    may: scopes,
  });
  const reply = await gateway.ask("/api/chat", { body: { message: "hi" }, token: paired.json.token });
  expect([reply.status, reply.json.reply]).toEqual([200, "hello there"]);
  expect(outcome(await gateway.ask("/pair", { body: { code } }))).toEqual([403, "PAIR_CODE_INVALID"]);
  expect(gateway.host.audit.map(({ event_type, result, user }) => [event_type, result, user])).toEqual([
    ["pairing", "paired", `http:${paired.json.device_id}`],
    ["pairing", "refused: PAIR_CODE_INVALID", "http:unknown"],
  ]);
});

test("GW-02: neither code nor token is in the log, the audit log or the store", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  const { json } = await gateway.ask("/pair", { body: { code } });
  const { values } = gateway.host.slot(Store);
  const kept = JSON.stringify([
    gateway.host.logs,
    gateway.host.audit,
    await values.list("gateway.devices", { limit: 99 }),
    await values.list("gateway.codes", { limit: 99 }),
  ]);
  expect(kept).not.toContain(json.token);
  expect(kept).not.toContain(code);
  expect(gateway.host.logs.some(({ message }) => message.includes("Pairing code"))).toBe(false);
});

test("GW-02: a code has pairing_code_length digits and is dead after pairing_timeout_minutes", async () => {
  let now = Date.now();
  const pairing = new Pairing(
    createMemoryStore(),
    { pairing_code_length: 9, pairing_timeout_minutes: 3 },
    undefined,
    () => now,
  );
  const first = await pairing.create();
  expect(first.code).toMatch(/^\d{9}$/);
  now += 3 * 60_000;
  await expect(pairing.redeem(first.code, "a")).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
  const second = await pairing.create();
  now += 3 * 60_000 - 1;
  await expect(pairing.redeem(second.code, "a")).resolves.toEqual({ may: scopes });
});

test("GW-02: pairing_code_length and pairing_timeout_minutes hold for the code that is printed", async () => {
  await using gateway = await startGateway({
    gateway: { pairing_code_length: 8, pairing_timeout_minutes: 2 },
  });
  expect(gateway.printed).toMatch(/Pairing code: \d{8} \(one use, 2 minutes/);
  const asked = Date.now();
  const { out } = await gateway.word("pair new", [], { json: true });
  const { code, expires } = JSON.parse(out);
  expect(code).toMatch(/^\d{8}$/);
  expect(Date.parse(expires)).toBeGreaterThanOrEqual(asked + 120_000);
  expect(Date.parse(expires)).toBeLessThanOrEqual(Date.now() + 120_000);
});

test("SDK-21: several codes are open beside each other, and each pairs one device", async () => {
  await using gateway = await startGateway();
  const codes = [await newCode(gateway), await newCode(gateway)];
  for (const code of codes) expect((await gateway.ask("/pair", { body: { code } })).status).toBe(200);
  for (const code of codes)
    expect(outcome(await gateway.ask("/pair", { body: { code } }))).toEqual([403, "PAIR_CODE_INVALID"]);
});

test("ST-15: SDK-21: a code outlives its process, and its grant with it", async () => {
  const store = createMemoryStore();
  const grant = { may: ["talk"], name: "kitchen", days: 3 } as const;
  const { code } = await new Pairing(store, settings).create(grant);
  await new Pairing(store, settings).create();
  expect(await new Pairing(store, settings).redeem(code, "a")).toEqual(grant);
});

test("SDK-21: the hundred wrong guesses are shared by all codes that are open", async () => {
  const pairing = new Pairing(createMemoryStore(), settings);
  const codes = [
    await pairing.create(),
    await pairing.create(),
    await pairing.create(),
    await pairing.create(),
  ];
  for (let i = 0; i < 25; i += 1)
    await expect(pairing.redeem("no", `10.0.0.${i}`)).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
  for (const [i, { code }] of codes.entries())
    await expect(pairing.redeem(code, `10.0.1.${i}`)).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
});

test("SDK-21: of more than 16 open codes the oldest are dead", async () => {
  let now = Date.now();
  const pairing = new Pairing(createMemoryStore(), settings, undefined, () => (now += 1));
  const codes = [];
  for (let i = 0; i < 18; i += 1) codes.push(await pairing.create());
  for (const { code } of codes.slice(0, 2))
    await expect(pairing.redeem(code, code)).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
  for (const { code } of codes.slice(2)) await pairing.redeem(code, "a");
});

test("GW-02: of many who send the right code at once, one is paired", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, i) => gateway.ask("/pair", { body: { code }, from: `127.0.0.${i + 2}` })),
  );
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("GW-02: five failures lock a peer out, even with the right code, whatever headers it sends", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  const headers = {
    authorization: "Bearer x",
    "x-forwarded-for": "9.9.9.9",
    "x-real-ip": "8.8.8.8",
    forwarded: "for=7.7.7.7",
    accept: "a/b",
  };
  for (const [name, value] of Object.entries(headers))
    expect(
      (await gateway.ask("/pair", { body: { code: wrong(code) }, headers: { [name]: value } })).status,
    ).toBe(403);
  for (const body of [{ code: wrong(code) }, { code }]) {
    const locked = await gateway.ask("/pair", { body });
    expect(outcome(locked)).toEqual([429, "PAIR_LOCKED"]);
    expect(Number(locked.headers["retry-after"])).toBeGreaterThan(295);
    expect(Number(locked.headers["retry-after"])).toBeLessThanOrEqual(300);
  }
  expect(
    outcome(await gateway.ask("/pair", { body: { code }, headers: { "x-forwarded-for": "7.7.7.7" } })),
  ).toEqual([429, "PAIR_LOCKED"]);
  expect((await gateway.ask("/pair", { body: { code }, from: "127.0.0.9" })).status).toBe(200);
});

test("GW-02: many guesses at once are no way around the lockout", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  const all = await Promise.all(
    Array.from({ length: 10 }, () => gateway.ask("/pair", { body: { code: wrong(code) } })),
  );
  expect(all.filter(({ status }) => status === 403)).toHaveLength(5);
  expect(all.filter(({ status }) => status === 429)).toHaveLength(5);
});

test("GW-02: guesses that come in the same moment, by whatever door, are counted one by one", async () => {
  const pairing = new Pairing(createMemoryStore(), settings);
  await pairing.create();
  const guesses = Array.from({ length: 10 }, () => pairing.redeem("x", "telegram:7"));
  const codes = (await Promise.allSettled(guesses)).map(
    (one) => one.status === "rejected" && one.reason.code,
  );
  expect(codes.filter((code) => code === "PAIR_CODE_INVALID")).toHaveLength(5);
  expect(codes.filter((code) => code === "PAIR_LOCKED")).toHaveLength(5);
});

test("GW-02: a hundred wrong guesses end a code, from however many addresses they come", async () => {
  const pairing = new Pairing(createMemoryStore(), settings);
  const guess = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1)
      await expect(pairing.redeem("no", `10.0.0.${i}`)).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
  };
  const worn = await pairing.create();
  await guess(100);
  await expect(pairing.redeem(worn.code, "10.1.0.0")).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
  const next = await pairing.create();
  await guess(99);
  await expect(pairing.redeem(next.code, "10.1.0.0")).resolves.toEqual({ may: scopes });
});

test("GW-02: a lockout ends after 300 seconds", async () => {
  let now = Date.now();
  const pairing = new Pairing(createMemoryStore(), settings, undefined, () => now);
  const { code } = await pairing.create();
  for (let i = 0; i < 5; i += 1)
    await expect(pairing.redeem("no", "a")).rejects.toMatchObject({ code: "PAIR_CODE_INVALID" });
  now += 299_000;
  await expect(pairing.redeem(code, "a")).rejects.toMatchObject({ code: "PAIR_LOCKED", retryAfter: 1 });
  now += 1_001;
  await expect(pairing.redeem(code, "a")).resolves.toEqual({ may: scopes });
});

test("GW-02: requests without a body that could be a code cost no try", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  for (const body of ["", "{", "[]", JSON.stringify({ code: 1 }), JSON.stringify({ code: ["1"] }), "null"])
    expect((await gateway.ask("/pair", { body })).status).toBe(400);
  expect((await gateway.ask("/pair", { method: "GET" })).status).toBe(405);
  expect((await gateway.ask("/pair", { body: { code } })).status).toBe(200);
});

test("GW-02: a hundred requests by another method, with tokens that are wrong, cost no try", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, i) => gateway.ask("/pair", { method: "GET", token: `wrong${i}` })),
  );
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([405, 429]));
  expect((await gateway.ask("/pair", { body: { code } })).status).toBe(200);
});

test("GW-02: a revoked token is dead with the next request", async () => {
  await using gateway = await startGateway();
  const { token, device_id } = await gateway.pair("phone");
  const other = await gateway.pair("tablet");
  expect((await gateway.ask("/api/approvals", { token })).status).toBe(200);
  expect((await gateway.word("pair revoke", [device_id])).code).toBe(0);
  expect((await gateway.ask("/api/approvals", { token })).status).toBe(401);
  expect((await gateway.ask("/api/approvals", { token: other.token })).status).toBe(200);
  expect(gateway.host.audit).toContainEqual(
    expect.objectContaining({ event_type: "pairing", result: "revoked", args: { device_id } }),
  );
  await expect(gateway.word("pair revoke", [device_id])).rejects.toMatchObject({
    code: "GATEWAY_DEVICE_UNKNOWN",
  });
});

test("GW-02: pair list shows the devices and never a token or its hash", async () => {
  await using gateway = await startGateway();
  expect((await gateway.word("pair list")).err).toContain("gantry pair new");
  const { device_id } = await gateway.pair("my phone");
  const plain = await gateway.word("pair list");
  const rest = `${scopes.join()}  not used yet  my phone`;
  expect(plain.out).toMatch(new RegExp(`^${device_id}  \\S+Z  ${rest}\n$`));
  const { out } = await gateway.word("pair list", [], { json: true });
  const paired = expect.any(String);
  expect(JSON.parse(out)).toEqual([{ device_id, name: "my phone", paired, may: scopes, byId: true }]);
});

test("GW-02: pair list says of a token of an earlier release that it was not used since the upgrade", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair("my phone");
  const { values } = gateway.host.slot(Store);
  const [row] = await values.list<Record<string, Json>>("gateway.devices", { limit: 1 });
  const { may: _, ...earlier } = row!.value;
  await values.put("gateway.devices", row!.key, earlier);
  expect((await gateway.word("pair list")).out).toContain("  not used since the upgrade  my phone");
  expect(await gateway.ask("/api/openapi.json", { token })).toMatchObject({ status: 200 });
  await expect.poll(async () => (await gateway.word("pair list")).out).toMatch(/ {2}used \S+Z {2}my phone/);
});

test("GW-02: a token survives a restart and a device name cannot break a line", async () => {
  const store = createMemoryStore();
  const { token } = await new Devices(store.values).add("phone", { may: scopes, name: "phone" });
  expect(await new Devices(store.values).find(token)).toMatchObject({ caller: { name: "phone" } });
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  expect((await gateway.ask("/pair", { body: { code, device_name: "a\nb" } })).status).toBe(400);
});

test("GW-02: no pairing without its audit record", async () => {
  await using gateway = await startGateway();
  const code = await newCode(gateway);
  Object.defineProperty(gateway.host.audit, "push", {
    value: () => {
      throw new Error("disk full");
    },
  });
  const { status, json, text } = await gateway.ask("/pair", { body: { code } });
  expect([status, json.error.code]).toEqual([500, "GATEWAY_FAILED"]);
  expect(text).not.toContain("gt_");
  expect(JSON.parse((await gateway.word("pair list", [], { json: true })).out)).toEqual([]);
});

test("GW-02: with require_pairing off everybody on this machine may chat, and the gateway says so", async () => {
  await using gateway = await startGateway({ gateway: { require_pairing: false } });
  expect(gateway.printed).toBe("");
  expect((await gateway.ask("/health")).json).toMatchObject({ require_pairing: false, paired: false });
  const { status, json } = await gateway.ask("/api/chat", { body: { message: "hi" } });
  expect([status, json.reply]).toEqual([200, "hello there"]);
});

test("OPS-01: the log says that somebody guesses at codes, and pair token pairs without one while they do", async () => {
  await using gateway = await startGateway();
  for (let i = 0; i < 130; i += 1)
    await gateway.ask("/pair", { body: { code: "000000" }, from: `127.0.0.${2 + (i % 26)}` });
  const lines = gateway.host.logs.filter(({ detail }) => detail["code"] === "PAIR_GUESSED");
  expect(lines.some(({ message }) => message.includes("came from 127.0.0.2, which is locked out"))).toBe(
    true,
  );
  expect(lines.filter(({ message }) => message.includes("is dead"))).toHaveLength(1);
  const { code, out } = await gateway.word("pair token", ["laptop"]);
  expect(code).toBe(0);
  expect((await gateway.ask("/api/approvals", { token: out.trim() })).status).toBe(200);
  expect((await gateway.word("pair list")).out).toContain("laptop");
  await expect(gateway.word("pair token", ["a\nb"])).rejects.toMatchObject({ code: "GATEWAY_DEVICE_NAME" });
});

test.each([
  ["all scopes", { may: scopes }, true],
  ["talk alone", { may: ["talk"] }, false],
  ["all scopes for a day", { may: scopes, days: 1 }, false],
] as const)(
  "SDK-21: whether a release without scopes knows a token with %s",
  async (_what, grant, isKnown) => {
    const { values } = createMemoryStore();
    const { token } = await new Devices(values).add("phone", grant);
    const key = createHash("sha256").update(token).digest("hex");
    const { hash } = (await values.get<{ hash: string }>("gateway.devices", key)) ?? {};
    // An earlier release looks for this hash under this key.
    expect(hash === key).toBe(isKnown);
    expect(await new Devices(values).find(token)).toMatchObject({ caller: { may: grant.may } });
  },
);

test.each([
  [true, undefined],
  [false, "owner"],
])(
  "AGT-11: work of a caller without a device, pairing required: %s, goes on as %s",
  async (required, may) => {
    await using gateway = await startGateway({ gateway: { require_pairing: required } });
    expect(await gateway.host.slot(Standings).get("devices")?.trust("local")).toBe(may);
  },
);
