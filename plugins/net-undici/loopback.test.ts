import { request } from "node:http";
import { expect, test } from "vitest";
import { loopback } from "./loopback.ts";

const path = "/oauth2callback";
const isIt = (query: URLSearchParams): boolean => query.get("state") === "s";
const any = (): boolean => true;

function get(
  url: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => response.resume().once("end", () => resolve(response.statusCode)))
      .once("error", reject)
      .end();
  });
}

test("GEN-13: the first GET of the path ends the wait, on loopback only, and the port is free again", async () => {
  const visit = await loopback.receiveOnce(path, any, new AbortController().signal);
  expect(visit.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth2callback$/);
  const waiting = visit.wait();
  expect(await get(`${visit.redirectUri}?code=a%20b&state=s`)).toBe(200);
  expect(Object.fromEntries(await waiting)).toEqual({ code: "a b", state: "s" });
  await expect(get(visit.redirectUri)).rejects.toThrow("ECONNREFUSED");
});

test("GEN-13: another path, another method and another host name are not the login", async () => {
  const visit = await loopback.receiveOnce(path, any, new AbortController().signal);
  expect(await get(visit.redirectUri.replace(path, "/favicon.ico"))).toBe(404);
  expect(await get(`${visit.redirectUri}?code=x`, { method: "POST" })).toBe(404);
  expect(await get(`${visit.redirectUri}?code=x`, { headers: { host: "evil.example" } })).toBe(404);
  await visit.close();
  await expect(visit.wait()).rejects.toMatchObject({ code: "NET_CANCELLED" });
});

test("GEN-13: a visit that is not the one is told so, and the wait goes on", async () => {
  const visit = await loopback.receiveOnce(path, isIt, new AbortController().signal);
  expect(await get(`${visit.redirectUri}?code=x&state=forged`)).toBe(400);
  expect(await get(`${visit.redirectUri}?code=x`)).toBe(400);
  expect(await get(`${visit.redirectUri}?code=x&state=s`)).toBe(200);
  expect((await visit.wait()).get("code")).toBe("x");
});

test("GEN-13: an aborted wait closes the port", async () => {
  const cancel = new AbortController();
  const visit = await loopback.receiveOnce(path, any, cancel.signal);
  const waiting = visit.wait();
  cancel.abort();
  await expect(waiting).rejects.toMatchObject({ code: "NET_CANCELLED" });
  await expect(get(visit.redirectUri)).rejects.toThrow("ECONNREFUSED");
});
