import { expect, test } from "vitest";
import type { ProviderTable } from "@gantry/sdk/provider";
import { endpointOf, requireCredential } from "./endpoint.ts";
import { services } from "./services.ts";

const vendor = "https://vendor.test/v1";
const every = {
  SERVICE_API_KEY: "service",
  API_KEY: "plain",
  LOCALA_API_KEY: "a",
  HOSTEDLLM_API_KEY: "h",
  GROQ_API_KEY: "g",
};
const settings = { max_retries: 2, retry_backoff_ms: 500, timeout_seconds: 120 };

function find(
  id: string,
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
  configured?: string,
) {
  const providers = (config.providers ?? {}) as ProviderTable;
  const endpoints = { vendor_api_url: vendor, ...(config.endpoints as object) };
  return endpointOf(id, { default_provider: configured, ...config, providers, endpoints }, env, configured);
}

test("PRV-03: api_key wins over SERVICE_API_KEY and API_KEY, and SERVICE_API_KEY over API_KEY", () => {
  const { API_KEY } = every;
  expect(find("custom:http://h/v1", { api_key: "config" }, every, "custom:http://h/v1")?.credential).toEqual({
    value: "config",
    source: "config",
  });
  expect(find("custom:http://h/v1", {}, every)?.credential).toEqual({
    value: "service",
    source: "SERVICE_API_KEY env var",
  });
  expect(find("custom:http://h/v1", {}, { API_KEY })?.credential).toEqual({
    value: "plain",
    source: "API_KEY env var",
  });
  expect(find("custom:http://h/v1")?.credential).toEqual({ value: undefined, source: "none" });
});

test("PRV-03: a key without the line break that a file left behind it, and a blank one is none", () => {
  expect(
    find("custom:http://h/v1", {}, { SERVICE_API_KEY: " \n", API_KEY: "plain\n" })?.credential.value,
  ).toBe("plain");
  const configured = "custom:http://h/v1";
  expect(find(configured, { api_key: "config\n" }, {}, configured)?.credential.value).toBe("config");
});

test("PRV-03: provider-specific variables are not used for a custom endpoint, whatever its address", () => {
  const specific = { HOSTEDLLM_API_KEY: "h", LOCALA_API_KEY: "a", OPENAI_API_KEY: "o", GROQ_API_KEY: "g" };
  expect(find("custom:https://api.groq.com/openai/v1", {}, specific)?.credential.source).toBe("none");
});

test("PRV-03: a key under [providers] goes before the top-level one", () => {
  const providers = {
    "custom:http://h/v1": { ...settings, api_key: "exact" },
    custom: { ...settings, api_key: "any" },
  };
  const keyOf = (id: string) => find(id, { api_key: "config", providers }, {}, id)?.credential.value;
  expect(keyOf("custom:http://h/v1")).toBe("exact");
  expect(keyOf("custom:http://other/v1")).toBe("any");
});

test.each([
  ["local-a", "http://localhost:8080/v1"],
  ["local-a-server", "http://localhost:8080/v1"],
  ["local-b", "http://localhost:30000/v1"],
  ["local-c", "http://localhost:8000/v1"],
])("PRV-04: %s stands for %s, or for api_url", (id, address) => {
  expect(find(id)?.address.shown).toBe(address);
  expect(find(id, { api_url: "http://10.0.0.5:9/v1/" }, {}, id)?.address.at("/models")).toBe(
    "http://10.0.0.5:9/v1/models",
  );
});

test("PRV-04: api_url moves only the configured local provider, not another that is a fallback", () => {
  const config = { api_url: "http://10.0.0.5:9/v1" };
  expect(find("local-c", config, {}, "local-b")?.address.shown).toBe("http://localhost:8000/v1");
  expect(find("local-b", config, {}, "custom:http://h")?.address.shown).toBe("http://10.0.0.5:9/v1");
});

test("PRV-04: LOCALA_API_KEY is for local-a alone, and no local server needs a key", () => {
  expect(find("local-a", {}, every)?.credential).toEqual({ value: "a", source: "LOCALA_API_KEY env var" });
  expect(find("local-b", {}, every)?.credential.source).toBe("none");
  expect(find("local-c", {}, every)?.credential.source).toBe("none");
  for (const id of ["local-a", "local-b", "local-c"])
    expect(() => requireCredential(find(id)!)).not.toThrow();
});

test.each(["hostedllm", "hosted"])("PRV-05: %s is {hosted_url}/v1 with HOSTEDLLM_API_KEY", (id) => {
  const found = find(id, { endpoints: { hosted_url: "https://hosted.test/" } }, every);
  expect(found?.name).toBe("hostedllm");
  expect(found?.address.at("/chat/completions")).toBe("https://hosted.test/v1/chat/completions");
  expect(found?.credential).toEqual({ value: "h", source: "HOSTEDLLM_API_KEY env var" });
});

test("PRV-05: without hosted_url or a key, hostedllm says what to set", () => {
  expect(() => find("hostedllm", {}, every)).toThrow(
    expect.objectContaining({ code: "CHAT_HOSTED_URL", exit: 2 }),
  );
  const found = find("hostedllm", { endpoints: { hosted_url: "https://hosted.test" } });
  expect(() => requireCredential(found!)).toThrow(
    /hostedllm has no credential: set HOSTEDLLM_API_KEY, or providers.hostedllm.api_key/,
  );
});

test("PRV-05: the top-level api_key goes to the configured provider and to no other service", () => {
  const config = { api_key: "top", endpoints: { hosted_url: "https://hosted.test" } };
  expect(find("hosted", config, {}, "hostedllm")?.credential.value).toBe("top");
  expect(find("groq", config, {}, "hostedllm")?.credential.value).toBeUndefined();
  expect(find("groq", config, every, "hostedllm")?.credential.source).toBe("GROQ_API_KEY env var");
  expect(find("groq", config, every, "groq")?.credential.value).toBe("top");
});

test.each(["custom:host/v1", "custom:ftp://host/v1", "custom:", "custom:http://", "custom:https:///v1"])(
  "CFG-01: %s is refused with the cure",
  (id) => {
    expect(() => find(id)).toThrow(expect.objectContaining({ code: "PROVIDER_URL", exit: 2 }));
    expect(() => find(id)).toThrow(/write it with http:\/\/ or https:\/\//);
  },
);

test("CFG-01: user, password and query of an address are used and never shown", () => {
  const found = find("custom:https://me:secret@host/v1?version=7");
  expect(found?.name).toBe("custom:https://host/v1");
  expect(found?.address.at("/models")).toBe("https://me:secret@host/v1/models?version=7");
  expect(() => find("custom:me:secret//x:canary@host?key=canary")).toThrow(
    expect.not.objectContaining({ message: /canary/ }),
  );
});

test("CFG-02: responses mode is for custom endpoints: by provider_api, and by itself at the vendor's address", () => {
  expect(find("custom:http://h/v1")?.mode).toBe("chat-completions");
  expect(find("custom:http://h/v1", { provider_api: "responses" })?.mode).toBe("responses");
  expect(find(`custom:${vendor}/`)?.mode).toBe("responses");
  expect(find(`custom:${vendor}`, { provider_api: "chat-completions" })?.mode).toBe("chat-completions");
  expect(find("local-a", { provider_api: "responses" })?.mode).toBe("chat-completions");
});

test("CFG-01: there are at least thirty well-known services, and none takes an id of the description", () => {
  expect(services.size).toBeGreaterThanOrEqual(30);
  const taken = [
    "custom",
    "messages-custom",
    "local-a",
    "local-a-server",
    "local-b",
    "local-c",
    "hostedllm",
    "hosted",
  ];
  expect([...taken, "genlang", "gemini", "google", "demo"].filter((id) => services.has(id))).toEqual([]);
});

test.each([...services.values()])(
  "CFG-01: $id answers to its id alone, at $url",
  ({ id, url, key, docs }) => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(new URL(url).protocol).toBe(/localhost/.test(url) ? "http:" : "https:");
    expect(url).not.toMatch(/\/$|chat\/completions/);
    expect(new URL(docs).protocol).toBe("https:");
    expect(key ?? "NONE").toMatch(/^[A-Z][A-Z0-9_]+$/);
    const found = find(id, {}, key ? { [key]: "k" } : {});
    expect(found).toMatchObject({ name: id, mode: "chat-completions", credential: { value: key && "k" } });
    expect(found?.address.at("/chat/completions")).toBe(`${url}/chat/completions`);
  },
);

test("CFG-01: an id that is nobody's here is left to other plugins", () => {
  for (const id of ["genlang", "messages-custom:http://h", "toString", "__proto__", ""])
    expect(find(id)).toBeUndefined();
});
