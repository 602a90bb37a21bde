import { expect, test } from "vitest";
import { errors } from "../contract/codes.ts";
import { GantryError } from "../contract/errors.ts";
import { answerFailure, excerpt, failureInside, ProviderError, thrownFailure } from "./failure.ts";

const answer = { provider: "p", model: "m", body: "" };
const never = new AbortController().signal;
const thrown = (error: unknown, signal = never) => thrownFailure("p", error, signal, 5);

test.each([
  [401, "PROVIDER_AUTH", true],
  [403, "PROVIDER_FORBIDDEN", true],
  [404, "PROVIDER_MODEL_UNKNOWN", true],
  [408, "PROVIDER_SERVER", true],
  [429, "PROVIDER_RATE_LIMIT", true],
  [503, "PROVIDER_SERVER", true],
  [400, "PROVIDER_REQUEST", false],
  [302, "PROVIDER_REQUEST", false],
])("PRV-13: HTTP %s is %s and another try can help: %s", (status, code, retry) => {
  expect(answerFailure({ ...answer, status })).toMatchObject({
    status,
    code,
    retry,
    message: expect.stringContaining(`HTTP ${status}`),
  });
});

test.each([
  ["7", 7_000],
  ["0.5", 500],
  ["-3", 0],
  ["999999999", 3_600_000],
  ["Fri, 01 Jan 2199 00:00:00 GMT", 3_600_000],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("PRV-10: Retry-After %j is %j ms", (retryAfter, expected) => {
  expect(answerFailure({ ...answer, status: 429, retryAfter }).retryAfterMs).toBe(expected);
});

test("PRV-10: Retry-After may be a date", () => {
  const retryAfter = new Date(Date.now() + 30_000).toUTCString();
  const wait = answerFailure({ ...answer, status: 503, retryAfter }).retryAfterMs!;
  expect(wait).toBeGreaterThan(25_000);
  expect(wait).toBeLessThanOrEqual(30_000);
});

test.each([
  ['{"error":{"message":"too long","code":1}}', "too long"],
  ['{"error":"too long"}', "too long"],
  ['[{"error":{"message":"too long"}}]', "too long"],
  ['{"detail":[{"msg":"x","message":"too long"}]}', "too long"],
  ["<html><style>p{}</style><h1>Bad\n gateway</h1></html>", "Bad gateway"],
  ["a\u0007\u001b[31mb", "a [31mb"],
  ["  ", "it gave no reason"],
])("PRV-13: what %j says is %j", (body, said) => {
  expect(excerpt(body)).toBe(said);
});

test("PRV-13: an excerpt is short and holds no credential, in whatever form it comes back", () => {
  const secret = "canary/key+1";
  for (const body of [
    `bad key ${secret}`,
    JSON.stringify({ error: { message: `bad key ${secret}` } }),
    `at https://h/v1?key=${encodeURIComponent(secret)}`,
    "Authorization: Bearer canary-other",
    "Incorrect API key provided: sk-canary-other.",
  ]) {
    expect(excerpt(body, [secret])).not.toContain("canary");
  }
  expect(excerpt("x".repeat(100_000)).length).toBeLessThan(210);
});

test("PRV-13: what was thrown is told by its code; what has none is told by its kind alone", () => {
  expect(thrown(errors.NET_REFUSED("http://h", "the connection was refused"))).toMatchObject({
    code: "PROVIDER_REFUSED",
    retry: true,
    message: expect.stringContaining("p at http://h cannot be reached (the connection was refused)"),
  });
  expect(thrown(errors.NET_TIMEOUT("http://h", 5))).toMatchObject({
    code: "PROVIDER_TIMEOUT",
    message: expect.stringContaining("in 5 s"),
  });
  expect(thrown(errors.NET_TOO_LARGE("http://h:123", 4096))).toMatchObject({
    code: "PROVIDER_TOO_LARGE",
    retry: false,
    message: expect.stringContaining("more than 4096 bytes"),
  });
  expect(thrown(errors.NET_CANCELLED("http://h"))).toMatchObject({
    code: "PROVIDER_CANCELLED",
    retry: false,
  });
  expect(thrown(new Error("x"), AbortSignal.abort())).toMatchObject({ code: "PROVIDER_CANCELLED" });
  expect(thrown(new TypeError("canary"))).toMatchObject({
    code: "PROVIDER_MALFORMED",
    message: expect.not.stringContaining("canary"),
  });
  expect(thrown(errors.PROVIDER_NO_KEY("p", "set it"))).toMatchObject({
    code: "PROVIDER_NO_KEY",
    retry: false,
  });
});

test("PRV-13: a thrown failure keeps all its facts, and is told from other coded errors", () => {
  const failure = answerFailure({ ...answer, status: 429, retryAfter: "3" });
  const error = new ProviderError(failure);
  expect(error).toMatchObject({ code: "PROVIDER_RATE_LIMIT", message: failure.message, exit: 1 });
  expect(thrownFailure("p", error, never, 5)).toBe(failure);
  expect(error).toBeInstanceOf(GantryError);
  expect(errors.NO_PROVIDER()).not.toBeInstanceOf(ProviderError);
});

test.each([
  [{ code: 503, message: "x" }, 503],
  [{ code: "429" }, 429],
  [{ type: "overloaded_error" }, 500],
  [{ status: "RESOURCE_EXHAUSTED" }, 429],
  [{ type: "authentication_error" }, 401],
  ["just words", 400],
  [null, 400],
])("PRV-13: the error %j inside a good answer means HTTP %s", (error, status) => {
  expect(failureInside(answer, error).status).toBe(status);
});
