import { errors, GantryError } from "@gantry/sdk";
import { expect, test } from "vitest";
import {
  channelChecks,
  PlatformFailure,
  reach,
  rowsOf,
  sentOf,
  troubleOf,
  type FailureKind,
} from "./index.ts";

const rows = (what: string) => async () => [{ what, state: "ok", detail: "fine" } as const];
const sent = (kind: FailureKind, afterMs?: number) =>
  sentOf(() => Promise.reject(new PlatformFailure(kind, "no", afterMs)));
const scrub = (text: string): string => text.replaceAll("t0ken", "***");
const coded = (code: string): GantryError => new GantryError(code, { text: "no way to t0ken", exit: 1 }, []);

test.each<[string, Error, FailureKind]>([
  ["a network that cannot be reached", coded("NET_REFUSED"), "away"],
  ["a network that was slow", coded("NET_TIMEOUT"), "again"],
  ["a wrong configuration", errors.CHANNEL_INSECURE_URL("k", "http://t0ken"), "account"],
  ["what the channel itself refuses", coded("CHAT_ELSEWHERE"), "refused"],
  ["what nobody knows", new Error("t0ken is odd"), "again"],
])(
  "CC-10: what is thrown before a platform answers has a kind and holds no secret: %s",
  async (_, thrown, kind) => {
    const work = () => reach(() => Promise.reject(thrown), { scrub, refused: ["CHAT_ELSEWHERE"] });
    const failure = await work().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PlatformFailure);
    expect(failure).toMatchObject({ kind });
    expect((failure as Error).message).not.toContain("t0ken");
  },
);

test("CC-10: what a call that sends came to is said in the host's words, by the kind of its failure", async () => {
  const retry = { status: "retry", reason: "no" };
  expect(await sentOf(async () => 7)).toEqual({ status: "sent", id: "7" });
  for (const kind of ["account", "away", "paused"] as const)
    expect(await sent(kind)).toEqual({ ...retry, scope: "channel" });
  expect(await sent("paused", 9)).toEqual({ ...retry, scope: "channel", afterMs: 9 });
  expect(await sent("rate", 9)).toEqual({ ...retry, afterMs: 9 });
  expect(await sent("again")).toEqual(retry);
  for (const kind of ["form", "refused"] as const)
    expect(await sent(kind)).toEqual({ status: "refused", reason: "no" });
  expect(await sentOf(() => Promise.reject(new Error("odd")))).toMatchObject({ status: "retry" });
});

test("CC-10: a connection ends for good only where the account is refused, and waits as long as it is asked to", () => {
  expect(troubleOf(new PlatformFailure("account", "revoked"))).toEqual({ reason: "revoked", refused: true });
  expect(troubleOf(new PlatformFailure("rate", "slow", 9))).toEqual({ reason: "slow", afterMs: 9 });
  expect(troubleOf(new Error("odd"))).toEqual({ reason: "odd" });
});

test("CC-10: status and doctor show what is known without asking, channel doctor what the platform says", async () => {
  const checks = channelChecks("mail", { standing: rows("known"), platform: rows("asked") });
  const found = await Promise.all(
    checks.map(async ({ name, kind, run }) => [name, kind, (await run(AbortSignal.timeout(1_000)))[0]?.what]),
  );
  expect(found).toEqual([
    ["mail-status", "status", "known"],
    ["mail-doctor", "doctor", "known"],
    ["mail", "channel", "asked"],
  ]);
  expect(await rowsOf("mail", () => "fine")).toEqual([{ what: "mail", state: "ok", detail: "fine" }]);
  expect(await rowsOf("mail", () => Promise.reject(new Error("no")), "mend it")).toEqual([
    { what: "mail", state: "fail", detail: "no", cure: "mend it" },
  ]);
});
