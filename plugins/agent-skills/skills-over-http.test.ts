import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { memoryStore, fakeProvider } from "@gantry/sdk/testing";
import { assert, asyncProperty, integer, nat, pre } from "fast-check";
import { expect, test } from "vitest";
import { startGateway } from "../gateway-http/gateway.test-kit.ts";
import plugin from "./index.ts";
import { changes, place, useHome, work, write } from "./skills.test-kit.ts";

useHome();

/** A gateway that serves skills, and what asks its routes with a token for everything. */
async function served() {
  const gateway = await startGateway({
    plugins: [plugin, memoryStore(), fakeProvider(["ok"])],
    config: { security: { workspace_path: work() } },
    gateway: { requests_per_minute: 10_000 },
  });
  const { token, device_id } = await gateway.pair();
  const ask = async (name: string, body?: object) => {
    const at = `/api/acceptance/skills${name}`;
    const { status, json } = await gateway.ask(at, { token, ...(body && { body }) });
    return { status, json };
  };
  return Object.assign(gateway, { routes: ask, device: `http:${device_id}` });
}

test("AGT-13: a skill is listed, looked at and accepted over HTTP, audited as the device's", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const row = { id: folder, name: "rhyme", detail: "How to rhyme." };
  expect((await t.routes("")).json).toEqual({ rows: [{ ...row, state: "not accepted" }] });
  const { json: look } = await t.routes("/look", { id: folder });
  expect(look).toMatchObject({ state: "not accepted", text: expect.stringContaining("rhymes.") });
  await t.routes("/accept", { id: folder, digest: look.digest });
  expect((await t.routes("")).json).toEqual({ rows: [{ ...row, state: "accepted" }] });
  const args = { skill: "rhyme", folder, hash: look.digest };
  const said = { args, result: "skill is accepted", user: t.device };
  expect(t.host.audit).toContainEqual(expect.objectContaining(said));
});

test("AGT-13: a skill that changes after the look is not accepted over HTTP", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const { digest } = (await t.routes("/look", { id: folder })).json;
  await writeFile(path.join(folder, "notes.txt"), "Other notes.");
  const { status, json } = await t.routes("/accept", { id: folder, digest });
  expect([status, json.error.code]).toEqual([403, "SKILL_OTHER"]);
  expect((await t.routes("")).json.rows).toMatchObject([{ state: "not accepted" }]);
});

test("AGT-13: what changed since a skill was accepted is a diff, files beside it too", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const { digest } = (await t.routes("/look", { id: folder })).json;
  await t.routes("/accept", { id: folder, digest });
  const file = path.join(folder, "SKILL.md");
  await writeFile(file, (await readFile(file, "utf8")).replace("rhymes", "prose\u200b"));
  await writeFile(path.join(folder, "scripts", "run.sh"), "echo ran\n");
  const { json } = await t.routes("/look", { id: folder });
  expect(json.state).toBe("changed");
  expect(json.changes).toMatch(/^-.*run\.sh  9 bytes.*sha256[^]*^\+.*run\.sh  9 bytes/m);
  expect(json.changes).toMatch(/^-.*Say it in rhymes\.\n\+.*Say it in prose\\u200b\./m);
});

/** Accepts a skill over HTTP as it is shown, and returns the look at it after a change. */
async function lookAfter(
  { routes }: Pick<Awaited<ReturnType<typeof served>>, "routes">,
  folder: string,
  change: () => Promise<unknown>,
) {
  const { json: before } = await routes("/look", { id: folder });
  await routes("/accept", { id: folder, digest: before.digest });
  await change();
  const { json: after } = await routes("/look", { id: folder });
  return { before, after };
}

test("AGT-13: whatever changes in a skill changes its text over HTTP, and is in the diff", async () => {
  await using t = await served();
  await assert(
    asyncProperty(integer({ min: 0, max: changes.length - 1 }), nat(10_000), async (kind, pick) => {
      await rm(place(), { recursive: true, force: true });
      const folder = await write(place(), "rhyme");
      const change = () => changes[kind]![1](folder, pick);
      const { before, after } = await lookAfter(t, folder, change);
      // A flipped byte may leave no YAML, which nobody can accept.
      pre(after.error?.code !== "SKILL_UNREADABLE");
      expect(after.digest).not.toBe(before.digest);
      expect(after.text).not.toBe(before.text);
      expect(after.changes).toMatch(/^@@[^]*^[-+]/m);
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 1_000 : 100 },
  );
});

test("AGT-13: a change behind more files than are listed is in the diff over HTTP", async () => {
  const folder = await write(place(), "many");
  const long = "n".repeat(200);
  for (let i = 0; i < 1_500; i += 1) await writeFile(path.join(folder, `${long}${i}`), "");
  await mkdir(path.join(folder, "zz"));
  const last = path.join(folder, "zz", "extra.md");
  await writeFile(last, "Words.");
  await using t = await served();
  const { before, after } = await lookAfter(t, folder, () => chmod(last, 0o600));
  expect(before.text).not.toContain("zz/extra.md  ");
  expect(after.changes).toMatch(/^-  and \d+ more.*\n\+  and \d+ more.*sha256 [0-9a-f]{64}$/m);
});

test("AGT-13: a look shows the words of the files that the tool skill gives the model", async () => {
  const folder = await write(place(), "rhyme");
  await writeFile(path.join(folder, "skill.md"), "Another text.");
  await using t = await served();
  const change = () => writeFile(path.join(folder, "notes.txt"), "Read the keys\u200b.");
  const { before, after } = await lookAfter(t, folder, change);
  expect(before.text).toMatch(/^notes\.txt:\n {2}\| Some notes\.$/m);
  expect(before.text).toMatch(/^skill\.md:\n {2}\| Another text\.$/m);
  expect(after.changes).toMatch(/^- {2}\| Some notes\.\n\+ {2}\| Read the keys\\u200b\.$/m);
});

test("AGT-13: a look shows the modes of a skill, and which of them are dangerous", async () => {
  const folder = await write(place(), "rhyme");
  const run = path.join(folder, "scripts", "run.sh");
  await using t = await served();
  const { after } = await lookAfter(t, folder, () => chmod(run, 0o4777));
  expect(after.changes).toMatch(/^-.*run\.sh.*, mode 0755 /m);
  expect(after.changes).toMatch(/^\+.*run\.sh.*, mode 4777, setuid, anyone can write it /m);
});

test("AGT-13: a SKILL.md that is longer than what is shown of a file is not accepted", async () => {
  const folder = await write(place(), "rhyme", "x".repeat(256 * 1024));
  await using t = await served();
  const { status, json } = await t.routes("/look", { id: folder });
  expect([status, json.error.code]).toEqual([500, "SKILL_UNREADABLE"]);
});

test("AGT-13: an acceptance is taken back over HTTP, and then there is none to take back", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const { digest } = (await t.routes("/look", { id: folder })).json;
  await t.routes("/accept", { id: folder, digest });
  expect((await t.routes("/withdraw", { id: folder })).status).toBe(200);
  expect((await t.routes("")).json.rows).toMatchObject([{ state: "not accepted" }]);
  const { status, json } = await t.routes("/withdraw", { id: folder });
  expect([status, json.error.code]).toEqual([403, "SKILL_NOT_ACCEPTED"]);
});

test("AGT-13: skills over HTTP come page by page, each once", async () => {
  for (const name of ["a", "b", "c", "d", "e"]) await write(place(), name);
  await using t = await served();
  const names: string[] = [];
  for (let query = "?limit=2"; ;) {
    const { rows, next } = (await t.routes(query)).json;
    names.push(...rows.map(({ name }: { name: string }) => name));
    if (next === undefined) break;
    query = `?limit=2&after=${encodeURIComponent(next)}`;
  }
  expect(names).toEqual(["a", "b", "c", "d", "e"]);
});
