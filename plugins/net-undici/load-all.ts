/**
 * Loads all that a request may need. Whoever serves does so before the first one: what is first
 * loaded when files are short fails, and Node keeps a failed import for good.
 */
export async function loadAll(env: NodeJS.ProcessEnv): Promise<void> {
  await Promise.all([
    import("undici/lib/dispatcher/agent.js"),
    import("undici/lib/api/api-request.js"),
    import("node:dns/promises"),
    import("node:http"),
    import("node:https"),
    import("node:net"),
    import("node:tls"),
    import("ws"),
  ]);
  const usesProxy = Object.keys(env).some((name) => /^https?_proxy$/i.test(name));
  if (usesProxy) await import("undici");
}
