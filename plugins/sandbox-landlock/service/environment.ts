export const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Returns the environment of a started process but for its home; nothing in it is the service's.
 */
export function childEnvironment(proxy: string | undefined): Readonly<Record<string, string>> {
  const proxied = Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, proxy ?? ""]),
  );
  return {
    PATH: SEARCH_PATH,
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TERM: "dumb",
    GIT_CONFIG_NOSYSTEM: "1",
    // A folder that only looks like a repository could name programs in its `config`.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.bareRepository",
    GIT_CONFIG_VALUE_0: "explicit",
    ...(proxy !== undefined && { ...proxied, NODE_USE_ENV_PROXY: "1" }),
  };
}
